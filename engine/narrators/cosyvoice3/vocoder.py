"""CosyVoice3's vocoder: mel spectrogram in, waveform out.

HiFTNet (arXiv 2309.09493) made causal: a pitch curve drives sines and noise (the source, after the
neural source filter, arXiv 1904.12088), their spectrum is fed into an upsampling network at each
rate, and an inverse short Fourier transform ends it. Names are those of hift.pt; weight norms are
folded once at load. T mel frames give 480 · T samples at 24 kHz.

Where this differs from what the names suggest, the weights were trained so:

- ``ups`` repeat each frame and convolve; they are no transposed convolutions;
- the harmonics are constant within a mel frame: their phase is a sum over frames, a staircase;
- the noise is always the same, and uniform (`noise.source_blocks`);
- the last leaky ReLU has the slope 0.01, the others 0.1.

The pitch network runs in float64 and on the CPU, for not every device has float64; the source and
both Fourier transforms run there too. They are small, and so a device makes the same source.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.narrators.cosyvoice3.config import VocoderConfig
from engine.narrators.cosyvoice3.modules import filled, full_precision
from engine.narrators.cosyvoice3.noise import MAX_FRAMES, source_blocks
from engine.narrators.cosyvoice3.weights import precision_of
from engine.registry import Refusal

FRAMES_PER_SECOND = 50

_POST_KERNEL = 7
_F0_KERNEL = 3
_LOUDEST = 100.0
"""Magnitudes of the spectrum are clipped to this."""


def folded(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Multiply out the weight norms: weight = original1 · original0 / ‖original1‖ by channel.

    Args:
        state: With torch's parametrised names, as `weights.sanitize_vocoder` leaves them.

    Returns:
        The same with plain weights, in new memory; those of the pitch network in float64, folded
        in float64 too.
    """
    mark = ".parametrizations.weight.original"
    plain = {}
    for key, tensor in state.items():
        dtype = torch.float64 if key.startswith("f0_predictor.") else torch.float32
        if key.endswith(mark + "0"):
            name = key.removesuffix(mark + "0")
            gain, direction = tensor.to(dtype), state[f"{name}{mark}1"].to(dtype)
            norm = torch.linalg.vector_norm(direction, dim=(1, 2), keepdim=True)
            plain[f"{name}.weight"] = direction * (gain / norm)  # (out, in, kernel)
        elif not key.endswith(mark + "1"):
            plain[key] = tensor.to(dtype, copy=True)
    return plain


class F0Predictor(nn.Module):
    """The pitch of each mel frame in Hz: causal convolutions, of which the first looks ahead."""

    def __init__(self, config: VocoderConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        width = config.f0_channels
        layers: list[nn.Module] = []
        for layer in config.f0_layers:
            first = layer == 0
            above, kernel = (config.mel, config.f0_look_right + 1) if first else (width, _F0_KERNEL)
            layers += [nn.Conv1d(above, width, kernel), nn.ELU()]
        self.look_right = config.f0_look_right
        self.condnet = nn.Sequential(*layers)
        self.classifier = nn.Linear(width, 1)

    def forward(self, mel: Tensor, finalize: bool) -> Tensor:
        """Float64 (mel, T) → float64 (T,), or (T - look_right,) if not final."""
        x = mel[None]  # (1, mel, T)
        for number, layer in enumerate(self.condnet):
            if number == 0:
                x = F.pad(x, (0, self.look_right)) if finalize else x
            elif isinstance(layer, nn.Conv1d):
                x = F.pad(x, (_F0_KERNEL - 1, 0))
            x = layer(x)
        return self.classifier(x[0].T)[:, 0].abs()


class Snake(nn.Module):
    """x + sin²(alpha · x) / alpha, with an alpha for each channel."""

    def __init__(self, channels: int) -> None:
        """Make room for the alphas."""
        super().__init__()
        self.alpha = nn.Parameter(torch.empty(channels))

    def forward(self, x: Tensor) -> Tensor:
        """(1, C, L) → the same shape."""
        alpha = self.alpha[:, None]
        wave = (x * alpha).sin_().square_()
        return torch.addcmul(x, wave, 1 / (alpha + 1e-9))


class ResBlock(nn.Module):
    """Pairs of causal convolutions, the first of each dilated, each pair with a residual."""

    def __init__(self, channels: int, kernel: int, dilations: tuple[int, ...]) -> None:
        """Make room for the weights."""
        super().__init__()
        self.convs1 = nn.ModuleList(
            nn.Conv1d(channels, channels, kernel, dilation=d) for d in dilations
        )
        self.convs2 = nn.ModuleList(nn.Conv1d(channels, channels, kernel) for _ in dilations)
        self.activations1 = nn.ModuleList(Snake(channels) for _ in dilations)
        self.activations2 = nn.ModuleList(Snake(channels) for _ in dilations)

    def forward(self, x: Tensor) -> Tensor:
        """(1, C, L) → the same shape."""
        pairs = zip(self.activations1, self.convs1, self.activations2, self.convs2, strict=True)
        for snake1, conv1, snake2, conv2 in pairs:
            y = _causal(conv1, snake1(x))
            x = _causal(conv2, snake2(y)) + x
        return x


def _causal(conv: nn.Conv1d, x: Tensor) -> Tensor:
    """Convolve (1, C, L) with zeros before it, so that no output sees what comes after it."""
    return conv(F.pad(x, ((conv.kernel_size[0] - 1) * conv.dilation[0], 0)))


class Source(nn.Module):
    """Mixes the harmonics to one excitation."""

    def __init__(self, config: VocoderConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.l_linear = nn.Linear(config.harmonics + 1, 1)


class VocoderNet(nn.Module):
    """All of hift.pt."""

    def __init__(self, config: VocoderConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        bins, dilations = config.n_fft + 2, config.dilations
        self.config = config
        self.m_source = Source(config)
        self.f0_predictor = F0Predictor(config)
        self.conv_pre = nn.Conv1d(config.mel, config.channels, config.look_right + 1)
        self.ups = nn.ModuleList()
        self.source_downs = nn.ModuleList()
        self.source_resblocks = nn.ModuleList()
        self.resblocks = nn.ModuleList()
        width = config.channels
        for stage, kernel in enumerate(config.upsample_kernels):
            self.ups.append(nn.Conv1d(width, width // 2, kernel))
            width //= 2
            stride = config.source_strides[stage]
            taps = 2 * stride if stride > 1 else 1
            self.source_downs.append(nn.Conv1d(bins, width, taps, stride))
            self.source_resblocks.append(ResBlock(width, config.source_kernels[stage], dilations))
            self.resblocks.extend(
                ResBlock(width, kernel, dilations) for kernel in config.resblock_kernels
            )
        self.conv_post = nn.Conv1d(width, bins, _POST_KERNEL)

    def forward(self, mel: Tensor, source: Tensor, finalize: bool) -> Tensor:
        """Mel (1, 80, T) and the source's spectrum (1, 18, 120 · T + 1) → what `spectrum` reads.

        Returns (1, 18, 120 · T + 1); if not final, T is less by the frames that conv_pre looks
        ahead, in the source as well.
        """
        x = self.conv_pre(F.pad(mel, (0, self.config.look_right)) if finalize else mel)
        blocks = len(self.config.resblock_kernels)
        last = len(self.ups) - 1
        for stage, rate in enumerate(self.config.upsample_rates):
            x = F.leaky_relu(x, self.config.slope)
            x = _causal(self.ups[stage], x.repeat_interleave(rate, dim=2))  # (1, C, L · rate)
            if stage == last:
                x = torch.cat([x[:, :, 1:2], x], dim=2)  # one reflected: 120 · T + 1
            stride = self.config.source_strides[stage]
            tapped = self.source_downs[stage](F.pad(source, (stride - 1, 0)))  # as long as x
            x = x + self.source_resblocks[stage](tapped)
            first, *others = self.resblocks[stage * blocks : (stage + 1) * blocks]
            y = first(x)
            for block in others:
                y += block(x)
            x = y / blocks
        return _causal(self.conv_post, F.leaky_relu(x))


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
        """
        mel = torch.as_tensor(mel, dtype=torch.float32)
        frames = self._frames(mel, speed, finalize)
        if frames != mel.shape[1]:
            mel = F.interpolate(mel[None], size=frames, mode="linear", align_corners=False)[0]
        f0 = self.f0(mel, finalize).to(torch.float32)
        return self.decode(mel, self.source(f0, source_blocks(len(f0))), finalize)

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
