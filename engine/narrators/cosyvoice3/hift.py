"""The network of CosyVoice3's vocoder, HiFTNet made causal: pitch, and spectrum of the waveform.

HiFTNet: arXiv 2309.09493; the source it is fed is that of the neural source filter, arXiv
1904.12088. Names are those of hift.pt; weight norms are folded once at load.

Where this differs from what the names suggest, the weights were trained so:

- ``ups`` repeat each frame and convolve; they are no transposed convolutions;
- the last leaky ReLU has the slope 0.01, the others 0.1.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.narrators.cosyvoice3.config import VocoderConfig

WINDOW = 500
"""Mel frames (10 s) that are made at once: what the network needs of memory grows with them."""

_POST_KERNEL = 7
_F0_KERNEL = 3


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
        self.reach = reach(config)
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
        """Mel (1, 80, T) and the source's spectrum (1, 18, 120 · T + 1) → log magnitudes, phases.

        Returns (1, 18, 120 · T + 1); if not final, T is less by the frames that conv_pre looks
        ahead, in the source as well. Nothing after conv_pre looks ahead, and none of it further
        back than `reach`; so what is longer than a window is made window by window, each with so
        many frames before it, and needs no more memory than one.
        """
        x = self.conv_pre(F.pad(mel, (0, self.config.look_right)) if finalize else mel)
        each = self.config.samples_per_frame // self.config.hop
        pieces = []
        for start in range(0, x.shape[2], WINDOW):
            first, end = max(0, start - self.reach), min(start + WINDOW, x.shape[2])
            piece = self.stages(x[:, :, first:end], source[:, :, first * each : end * each + 1])
            # The window before ended with the frame that this one would begin with.
            pieces.append(piece[:, :, (start - first) * each + (start > 0) :])
        return pieces[0] if len(pieces) == 1 else torch.cat(pieces, dim=2)

    def stages(self, x: Tensor, source: Tensor) -> Tensor:
        """All that follows conv_pre: (1, C, T), (1, 18, 120 · T + 1) → (1, 18, 120 · T + 1)."""
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


def reach(config: VocoderConfig) -> int:
    """How many mel frames back a sample can hear, at the most, after conv_pre."""
    frames = _POST_KERNEL
    stages = zip(config.upsample_rates, config.upsample_kernels, config.source_kernels, strict=True)
    for rate, kernel, source_kernel in reversed([*stages]):
        # Each pair of a block: a dilated convolution, then a plain one.
        taps = (max(config.resblock_kernels) - 1, source_kernel - 1)
        frames += sum(tap * (dilation + 1) for tap in taps for dilation in config.dilations)
        frames = -(-(frames + kernel) // rate) + 1
    return frames
