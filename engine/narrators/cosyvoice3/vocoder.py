"""CosyVoice3's vocoder: mel spectrogram in, waveform out.

A pitch curve drives sines and noise (the source), their spectrum goes into the network of hift.py
beside the mel spectrogram, and an inverse short Fourier transform ends it. T mel frames give
480 · T samples at 24 kHz.

Where this differs from what one would expect, the weights were trained so:

- the harmonics are constant within a mel frame: their phase is a sum over frames, a staircase;
- the noise is always the same, and uniform (`noise.source_blocks`).

The pitch network runs in float64 and on the CPU, for not every device has float64; the source and
both Fourier transforms run there too. They are small, and so every device makes the same source.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.narrators.cosyvoice3.config import VocoderConfig
from engine.narrators.cosyvoice3.hift import VocoderNet, folded
from engine.narrators.cosyvoice3.modules import filled, full_precision
from engine.narrators.cosyvoice3.noise import MAX_FRAMES, source_blocks
from engine.narrators.cosyvoice3.weights import precision_of
from engine.registry import Refusal, Transient

FRAMES_PER_SECOND = 50

_LOUDEST = 100.0
"""Magnitudes of the spectrum are clipped to this."""


class Vocoder:
    """The vocoder with its weights; one thread at a time."""

    def __init__(self, net: VocoderNet, config: VocoderConfig, device: torch.device) -> None:
        """Join what `load` made."""
        self._net = net
        self._config = config
        self._device = device
        self._window = torch.hann_window(config.n_fft)

    @classmethod
    def load(
        cls, state: Mapping[str, Tensor], config: VocoderConfig, device: torch.device
    ) -> Vocoder:
        """Fold the tensors of hift.pt and copy them to where they work.

        Args:
            state: From `load_state`.
            config: From `vocoder_config`, which checks the state.
            device: What it is to run on, but for the pitch and the source.
        """
        device = torch.device(device)
        host = ("f0_predictor.", "m_source.")
        placed = {
            key: tensor if key.startswith(host) else tensor.to(device)
            for key, tensor in folded(state).items()
        }
        return cls(filled(lambda: VocoderNet(config), placed), config, device)

    @property
    def precision(self) -> str:
        """What its weights are stored in, but for the pitch; see `weights.precision_of`."""
        parts = dict(self._net.named_children())
        del parts["f0_predictor"]
        return precision_of(nn.ModuleDict(parts))

    @property
    def device(self) -> str:
        """Where its weights lie, but for pitch and source: read off one of them."""
        return self._net.conv_pre.weight.device.type

    @torch.inference_mode()
    def wave(self, mel: Tensor, speed: float = 1.0, finalize: bool = True) -> Tensor:
        """Make the waveform of a log-mel spectrogram.

        Args:
            mel: (mel, T), tensor or array.
            speed: Above 1 the spectrogram is squeezed along time before it is voiced.
            finalize: Whether it ends here; if not, the last frames are context only: of T there
                come T - 8, the beginning of what the final waveform will be.

        Returns:
            Float32 (480 · int(T / speed),) on the CPU, within ±0.99.

        Raises:
            Refusal: The spectrogram is empty, too long, or of another width.
            Transient: What came out are no numbers.
        """
        mel = torch.as_tensor(mel, dtype=torch.float32)
        frames = self._frames(mel, speed, finalize)
        if frames != mel.shape[1]:
            mel = F.interpolate(mel[None], size=frames, mode="linear", align_corners=False)[0]
        f0 = self.f0(mel, finalize).to(torch.float32)
        wave = self.decode(mel, self.source(f0, source_blocks(len(f0))), finalize)
        if not torch.isfinite(wave).all():
            raise Transient("The vocoder gave values that are not numbers.")
        return wave

    @torch.inference_mode()
    def f0(self, mel: Tensor, finalize: bool = True) -> Tensor:
        """Pitch in Hz, float64 on the CPU: (mel, T) → (T,), or (T - 3,) if not final."""
        # In two moves: a device without float64 cannot be asked for it, not even on the way out.
        return self._net.f0_predictor(mel.to("cpu").to(torch.float64), finalize)

    @torch.inference_mode()
    def source(self, f0: Tensor, noise: Iterable[Tensor]) -> Tensor:
        """The excitation: harmonics of the pitch where voiced, and noise, mixed to one.

        Args:
            f0: Float32 (T,) on the CPU.
            noise: Pieces (480 · n, 9), T frames together.

        Returns:
            Float32 (480 · T,) on the CPU.
        """
        hop = self._config.samples_per_frame
        mix = self._net.m_source.l_linear
        voiced = (f0 > self._config.voiced_threshold)[:, None]  # (T, 1)
        harmonic = torch.arange(1, self._config.harmonics + 2)
        turns = (f0[:, None] * harmonic / self._config.rate) % 1  # (T, 9) a sample
        phase = turns.cumsum(dim=0) * (2 * math.pi) * hop
        sines = self._config.source_alpha * phase.sin() * voiced
        steady = mix(sines)  # (T, 1)
        amount = torch.where(voiced, self._config.source_sigma, self._config.source_alpha / 3)
        pieces, start = [], 0
        for piece in noise:
            hiss = (piece @ mix.weight[0]).view(-1, hop)  # (n, 480)
            frames = slice(start, start + len(hiss))
            pieces.append(torch.tanh(steady[frames] + amount[frames] * hiss).flatten())
            start += len(hiss)
        return torch.cat(pieces)

    @torch.inference_mode()
    def decode(self, mel: Tensor, excitation: Tensor, finalize: bool = True) -> Tensor:
        """Voice a spectrogram (mel, T) with an excitation (480 · T,), 3 frames less if not final.

        Returns:
            Float32 (480 · T,) on the CPU, eight frames less if not final.
        """
        config = self._config
        source = self._stft(excitation)  # (18, 120 · T + 1)
        if not finalize:
            mel = mel[:, : -config.f0_look_right]
            per_frame = config.samples_per_frame // config.hop
            source = source[:, : -config.look_right * per_frame]
        with full_precision(self._device):
            x = self._net(mel.to(self._device)[None], source.to(self._device)[None], finalize)
        bins = config.n_fft // 2 + 1
        magnitude = x[0, :bins].exp().clip_(max=_LOUDEST)
        phase = x[0, bins:].sin()
        parts = torch.stack([magnitude * phase.cos(), magnitude * phase.sin()]).to("cpu")
        wave = torch.istft(
            torch.complex(parts[0], parts[1]),  # (9, 120 · T + 1)
            config.n_fft,
            config.hop,
            window=self._window,
        )
        if not finalize:
            wave = wave[: -config.samples_per_frame]
        return wave.clip_(-config.limit, config.limit)

    def _stft(self, excitation: Tensor) -> Tensor:
        """Real parts, then imaginary ones: (480 · T,) → (18, 120 · T + 1)."""
        spectrum = torch.stft(
            excitation,
            self._config.n_fft,
            self._config.hop,
            window=self._window,
            center=True,
            pad_mode="reflect",
            return_complex=True,
        )
        return torch.cat([spectrum.real, spectrum.imag])

    def _frames(self, mel: Tensor, speed: float, finalize: bool) -> int:
        """How many frames are to be voiced; refuses what cannot be."""
        if mel.ndim != 2 or mel.shape[0] != self._config.mel:
            raise Refusal(
                f"The vocoder takes mel spectrograms of {self._config.mel} bands by frames, "
                f"not {' × '.join(map(str, mel.shape))}."
            )
        if not (math.isfinite(speed) and speed > 0):
            raise Refusal(f"The speed has to be a number above 0, not {speed}.")
        if not finalize and speed != 1:
            raise Refusal("The speed can be changed only where the whole clip is there.")
        frames = int(mel.shape[1] / speed)
        context = 0 if finalize else self._config.f0_look_right + self._config.look_right + 1
        if frames <= context:
            raise Refusal("The mel spectrogram has no frames that could be voiced.")
        if frames > MAX_FRAMES:
            raise Refusal(
                f"The clip would be {frames / FRAMES_PER_SECOND:.0f} s long; CosyVoice3 goes to "
                f"{MAX_FRAMES // FRAMES_PER_SECOND} s. Split the text."
            )
        return frames
