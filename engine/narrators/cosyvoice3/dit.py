"""The diffusion transformer (DiT) of CosyVoice3's flow: the velocity at one time of the way.

DiT: arXiv 2212.09748; the input layers are those of F5-TTS, arXiv 2410.06885. Names are those of
flow.pt below ``decoder.estimator``.

Where this differs from what the names suggest, the weights were trained so:

- rotary positions are applied before the heads are split, so they turn the first head alone, and
  they turn neighbouring channels;
- a block's six modulations come as shift, scale, gate, twice; the last norm's as scale, shift.

The modulations (adaLN) depend on the time alone, so they are an input here: `Estimator.modulations`
makes those of a whole run at once, on the CPU. Their layers, two fifths of the weights, need never
be anywhere else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.narrators.cosyvoice3.config import FlowConfig


class TimeEmbedding(nn.Module):
    """A step's time, spread over sines and cosines, through a small network."""

    def __init__(self, config: FlowConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.width, dim = config.time_frequencies, config.dim
        self.time_mlp = nn.Sequential(nn.Linear(self.width, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, t: Tensor) -> Tensor:
        """Times (N,) → (N, dim)."""
        half = self.width // 2
        rates = torch.exp(torch.arange(half) * -(math.log(10_000) / (half - 1)))
        angles = 1_000 * t[:, None] * rates[None]  # (N, width / 2)
        return self.time_mlp(torch.cat([angles.sin(), angles.cos()], dim=1))


class PositionConvolutions(nn.Module):
    """Where a frame stands, told by what came before it: two grouped causal convolutions."""

    def __init__(self, config: FlowConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        dim, self.kernel, groups = config.dim, config.conv_kernel, config.conv_groups
        self.conv1 = nn.Sequential(nn.Conv1d(dim, dim, self.kernel, groups=groups))
        self.conv2 = nn.Sequential(nn.Conv1d(dim, dim, self.kernel, groups=groups))

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, dim) → the same shape."""
        y = x.transpose(1, 2)  # (B, dim, T)
        for conv in (self.conv1, self.conv2):
            y = F.mish(conv(F.pad(y, (self.kernel - 1, 0))))
        return y.transpose(1, 2)


class InputEmbedding(nn.Module):
    """The state x beside its conditions, brought to the width of the transformer."""

    def __init__(self, config: FlowConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.proj = nn.Linear(4 * config.mel, config.dim)
        self.conv_pos_embed = PositionConvolutions(config)

    def forward(self, inputs: Tensor) -> Tensor:
        """(B, T, 4 · mel) of x, prompt mel, token means, speaker → (B, T, dim)."""
        h = self.proj(inputs)
        return h + self.conv_pos_embed(h)


class Rotary(nn.Module):
    """The angular speeds of the rotary positions, as the checkpoint has them."""

    inv_freq: Tensor

    def __init__(self, dim_head: int) -> None:
        """Make room for the weights."""
        super().__init__()
        self.register_buffer("inv_freq", torch.empty(dim_head // 2))

    def forward(self, length: int) -> tuple[Tensor, Tensor]:
        """What `_turn` needs for positions 0..T-1: two tables (T, dim_head).

        Pairs of channels (a, b) become (a cos - b sin, b cos + a sin): the pair times the first
        table, plus the pair the other way round times the second.
        """
        positions = torch.arange(length, device=self.inv_freq.device, dtype=torch.float32)
        angles = positions[:, None] * self.inv_freq[None]  # (T, dim_head / 2)
        cos, sin = angles.cos(), angles.sin()
        return torch.stack([cos, cos], dim=2).flatten(1), torch.stack([-sin, sin], dim=2).flatten(1)


class Attention(nn.Module):
    """Self-attention; of all heads only the first knows the positions."""

    def __init__(self, config: FlowConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        inner = config.heads * config.dim_head
        self.heads = config.heads
        self.to_q = nn.Linear(config.dim, inner)
        self.to_k = nn.Linear(config.dim, inner)
        self.to_v = nn.Linear(config.dim, inner)
        self.to_out = nn.Sequential(nn.Linear(inner, config.dim))

    def forward(self, x: Tensor, rotary: tuple[Tensor, Tensor], mask: Tensor | None) -> Tensor:
        """(B, T, dim) → the same shape; mask (T, T) is true where a frame may look."""
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)  # (B, T, heads · dim_head)
        _turn(q, *rotary)
        _turn(k, *rotary)
        q, k, v = (y.unflatten(2, (self.heads, -1)).transpose(1, 2) for y in (q, k, v))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # (B, heads, T, dim_head)
        return self.to_out(out.transpose(1, 2).flatten(2))


def _turn(y: Tensor, straight: Tensor, crossed: Tensor) -> None:
    """Turn neighbouring pairs of the first dim_head channels of y (B, T, C) in place."""
    head = y[..., : straight.shape[1]]
    swapped = head.unflatten(2, (-1, 2)).flip(3).flatten(2)  # (B, T, dim_head): b, a, b, a …
    head.mul_(straight).addcmul_(swapped, crossed)


class FeedForward(nn.Module):
    """Linear, GELU (tanh form), linear."""

    def __init__(self, dim: int, hidden: int) -> None:
        """Make room for the weights."""
        super().__init__()
        wide = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(approximate="tanh"))
        self.ff = nn.Sequential(wide, nn.Identity(), nn.Linear(hidden, dim))

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, dim) → the same shape."""
        return self.ff(x)


class Modulated(nn.Module):
    """The layer that makes modulations of a step's time: adaLN's linear, run on the CPU."""

    def __init__(self, dim: int, parts: int) -> None:
        """Make room for the weights."""
        super().__init__()
        self.parts = parts
        self.linear = nn.Linear(dim, parts * dim)

    def forward(self, time: Tensor) -> Tensor:
        """Times (N, dim) → (N, parts, dim)."""
        return self.linear(F.silu(time)).unflatten(1, (self.parts, -1))


class Block(nn.Module):
    """Attention and feed-forward, each normalised, modulated and gated by the step's time."""

    def __init__(self, config: FlowConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.eps = config.eps
        self.attn_norm = Modulated(config.dim, 6)
        self.attn = Attention(config)
        self.ff = FeedForward(config.dim, config.ff)

    def forward(
        self, h: Tensor, by: Tensor, rotary: tuple[Tensor, Tensor], mask: Tensor | None
    ) -> Tensor:
        """h (B, T, dim), changed in place, and its six modulations (6, dim)."""
        shift1, scale1, gate1, shift2, scale2, gate2 = by
        h.addcmul_(gate1, self.attn(_norm(h, scale1, shift1, self.eps), rotary, mask))
        return h.addcmul_(gate2, self.ff(_norm(h, scale2, shift2, self.eps)))


def _norm(h: Tensor, scale: Tensor, shift: Tensor, eps: float) -> Tensor:
    """Layer norm times ``scale`` (the 1 is in it already) plus ``shift``, in one go."""
    return F.layer_norm(h, h.shape[-1:], weight=scale, bias=shift, eps=eps)


@dataclass(frozen=True, slots=True)
class Step:
    """One Euler step."""

    t: float
    """The time that the transformer is told."""
    dt: float
    """How far to go."""
    blocks: tuple[Tensor, ...]
    """Modulations of each block, (6, dim)."""
    last: Tensor
    """Scale and shift of the last norm, (2, dim)."""


class Estimator(nn.Module):
    """The diffusion transformer (DiT)."""

    def __init__(self, config: FlowConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.eps = config.eps
        self.time_embed = TimeEmbedding(config)
        self.input_embed = InputEmbedding(config)
        self.rotary_embed = Rotary(config.dim_head)
        self.transformer_blocks = nn.ModuleList(Block(config) for _ in range(config.depth))
        self.norm_out = Modulated(config.dim, 2)
        self.proj_out = nn.Linear(config.dim, config.mel)

    def modulations(self, t: Tensor) -> tuple[list[Tensor], Tensor]:
        """All that depends on the times (N,) alone: per block (N, 6, dim), and last (N, 2, dim).

        Scales come with their 1 added.
        """
        time = self.time_embed(t)
        blocks = [block.attn_norm(time) for block in self.transformer_blocks]
        for by in blocks:
            by[:, [1, 4]] += 1
        last = self.norm_out(time)
        last[:, 0] += 1
        return blocks, last

    def forward(
        self, inputs: Tensor, by: Step, rotary: tuple[Tensor, Tensor], mask: Tensor | None
    ) -> Tensor:
        """Inputs (B, T, 4 · mel) → velocities (B, T, mel)."""
        h = self.input_embed(inputs)  # (B, T, dim)
        for block, modulation in zip(self.transformer_blocks, by.blocks, strict=True):
            h = block(h, modulation, rotary, mask)
        scale, shift = by.last
        return self.proj_out(_norm(h, scale, shift, self.eps))
