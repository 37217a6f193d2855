"""One step of the speech language model as a few kernels of its own, in Triton, for NVIDIA GPUs.

With one token at a time every matrix is read for a single vector, so a step takes as long as its
weights take to come out of memory, as long as nothing else gets in between. Here that is five
kernels a layer: norm, q, k, v, RoPE and the cache's new entry; attention in parts; their sum, the
output projection and the residual; norm, gate, up and SwiGLU; down and the residual. A program
takes a few whole rows of a matrix. Sums are in float32 whatever the weights are in, and so is the
residual stream.

Where a GPU lets a kernel start before the one ahead of it has ended (“programmatic dependent
launch”, compute capability 9.0 and above), each first fetches its weights, which nobody writes, and
only then waits for what the other makes.

Attention is divided by position as in Dao et al., “Flash-Decoding for long-context inference”,
2023: every part has its own maximum and sum, and whoever reads them puts them together, in one
order, so that the same sequence gives the same bits. Nothing behind the last position is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.llm_torch import Cache
from engine.narrators.cosyvoice3.static_step import Layer, Weights

TOKEN, POSITION = 0, 1
"""What the two numbers are that a step begins with."""


@dataclass(frozen=True, slots=True)
class Tile:
    """How a matrix is divided: rows a program, and warps to read them."""

    rows: int
    warps: int


PLAN: Mapping[str, Tile] = {
    "qkv": Tile(4, 4),
    "attention": Tile(128, 4),
    "attention_out": Tile(8, 8),
    "mlp_in": Tile(2, 2),
    "mlp_out": Tile(2, 4),
    "head": Tile(8, 8),
}
"""What was fastest on an H200. The rows of attention are positions."""
PART = 256
"""Positions of one part of the attention, where a sequence is long."""
LEAST_PARTS = 4


def parts_of(bucket: int) -> int:
    """In how many parts attention is divided; by the bucket alone, so that a position decides."""
    return max(LEAST_PARTS, bucket // PART)


@triton.jit
def _tile(weight, rows, START: tl.constexpr, SIZE: tl.constexpr, WIDTH: tl.constexpr):
    """A part of some rows of a matrix; columns from ``START`` on."""
    at = START + tl.arange(0, SIZE)
    inside = (at < WIDTH)[None, :]
    return tl.load(
        weight + rows[:, None] * WIDTH + at[None, :],
        mask=inside,
        other=0.0,
        eviction_policy="evict_first",
    )


@triton.jit
def _vector(x, START: tl.constexpr, SIZE: tl.constexpr, WIDTH: tl.constexpr):
    """A part of a vector, in float32."""
    at = START + tl.arange(0, SIZE)
    return tl.load(x + at, mask=at < WIDTH, other=0.0).to(tl.float32)


@triton.jit
def _times(tile, x):
    """Some rows times a vector, in float32."""
    return tl.sum(tile.to(tl.float32) * x[None, :], axis=1)


@triton.jit
def _entries(cache, row, end, HEAD: tl.constexpr):
    """A head's keys or values at some positions, those before ``end``; zeros at the others."""
    offset = row[:, None] * HEAD + tl.arange(0, HEAD)[None, :]
    return tl.load(cache + offset, mask=(row < end)[:, None], other=0.0)


@triton.jit
def _go(PDL: tl.constexpr):
    """Let the next kernel begin, and wait for the one before."""
    if PDL:
        gdc_launch_dependents()
        gdc_wait()


@triton.jit
def take(at, table, x, WIDTH: tl.constexpr, SIZE: tl.constexpr):
    """The token's row of the speech embedding becomes the residual stream."""
    tl.store(
        x + tl.arange(0, SIZE),
        _vector(table + tl.load(at) * WIDTH, 0, SIZE, WIDTH),
        mask=tl.arange(0, SIZE) < WIDTH,
    )


@triton.jit
def qkv(
    at, x, norm, weight, bias, cos, sin, q, keys, values, room, eps,
    WIDTH: tl.constexpr, SIZE: tl.constexpr, HEADS: tl.constexpr, KV: tl.constexpr,
    HEAD: tl.constexpr, ROWS: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Norm, then some channels of one head of q, k or v, each with the one it turns with."""
    HALF: tl.constexpr = HEAD // 2
    head = tl.program_id(0) // (HALF // ROWS)
    channel = tl.program_id(0) % (HALF // ROWS) * ROWS + tl.arange(0, ROWS)
    rows = head * HEAD + channel
    upper = _tile(weight, rows, 0, SIZE, WIDTH)
    lower = _tile(weight, rows + HALF, 0, SIZE, WIDTH)
    scale = _vector(norm, 0, SIZE, WIDTH)
    upper_bias = tl.load(bias + rows).to(tl.float32)
    lower_bias = tl.load(bias + rows + HALF).to(tl.float32)
    position = tl.load(at + 1)
    c = tl.load(cos + position * HEAD + channel).to(tl.float32)
    s = tl.load(sin + position * HEAD + channel).to(tl.float32)
    _go(PDL)
    wide = _vector(x, 0, SIZE, WIDTH)
    root = tl.rsqrt(tl.sum(wide * wide) / WIDTH + eps)
    wide *= scale
    a = _times(upper, wide) * root + upper_bias
    b = _times(lower, wide) * root + lower_bias
    if head < HEADS:
        tl.store(q + rows, a * c - b * s)
        tl.store(q + rows + HALF, b * c + a * s)
    elif head < HEADS + KV:
        to = keys + ((head - HEADS) * room + position) * HEAD + channel
        tl.store(to, (a * c - b * s).to(keys.dtype.element_ty))
        tl.store(to + HALF, (b * c + a * s).to(keys.dtype.element_ty))
    else:
        to = values + ((head - HEADS - KV) * room + position) * HEAD + channel
        tl.store(to, a.to(values.dtype.element_ty))
        tl.store(to + HALF, b.to(values.dtype.element_ty))


@triton.jit
def attention(
    at, q, keys, values, room, scale, outs, tops, sums,
    GROUP: tl.constexpr, HEAD: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr,
    PDL: tl.constexpr,
):  # fmt: skip
    """One head over every ``PARTS``-th block of positions: its maximum, sum, and weighted sum.

    Entries of earlier steps are fetched before the wait; the newest, for which it waits, is put in.
    """
    head = tl.program_id(0)
    part = tl.program_id(1)
    channel = tl.arange(0, HEAD)
    newest = tl.load(at + 1).to(tl.int32)
    here = (head // GROUP) * room * HEAD
    first = part * BLOCK
    row = first + tl.arange(0, BLOCK)
    k = _entries(keys + here, row, newest, HEAD)
    v = _entries(values + here, row, newest, HEAD)
    _go(PDL)
    asked = tl.load(q + head * HEAD + channel) * scale
    last = here + newest * HEAD + channel
    is_last = (row == newest)[:, None]
    k = tl.where(is_last, tl.load(keys + last)[None, :], k)
    v = tl.where(is_last, tl.load(values + last)[None, :], v)
    top = float("-inf")
    total = 0.0
    out = tl.zeros([HEAD], tl.float32)
    while first <= newest:
        scores = tl.sum(k.to(tl.float32) * asked[None, :], axis=1)
        scores = tl.where(row <= newest, scores, float("-inf"))
        higher = tl.maximum(top, tl.max(scores))
        weight = tl.exp(scores - higher)
        fade = tl.exp(top - higher)
        out = out * fade + tl.sum(weight[:, None] * v.to(tl.float32), axis=0)
        total = total * fade + tl.sum(weight)
        top = higher
        first += PARTS * BLOCK
        row += PARTS * BLOCK
        k = _entries(keys + here, row, newest + 1, HEAD)
        v = _entries(values + here, row, newest + 1, HEAD)
    slot = head * PARTS + part
    tl.store(outs + slot * HEAD + channel, out)
    tl.store(tops + slot, top)
    tl.store(sums + slot, total)


@triton.jit
def attention_out(
    outs, tops, sums, weight, x,
    WIDTH: tl.constexpr, HEADS: tl.constexpr, HEADS_SIZE: tl.constexpr, HEAD: tl.constexpr,
    PARTS: tl.constexpr, ROWS: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """The parts of all heads put together, some rows of the output projection, the residual."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = rows < WIDTH
    tile = _tile(weight, tl.minimum(rows, WIDTH - 1), 0, HEADS_SIZE * HEAD, HEADS * HEAD)
    head = tl.arange(0, HEADS_SIZE)
    there = head < HEADS
    slot = head[:, None] * PARTS + tl.arange(0, PARTS)[None, :]  # (H, parts)
    offset = slot[:, :, None] * HEAD + tl.arange(0, HEAD)[None, None, :]
    _go(PDL)
    top = tl.load(tops + slot, mask=there[:, None], other=0.0)
    total = tl.load(sums + slot, mask=there[:, None], other=1.0)
    out = tl.load(outs + offset, mask=there[:, None, None], other=0.0)  # (H, parts, d)
    share = tl.exp(top - tl.max(top, axis=1)[:, None])
    share = share / tl.sum(share * total, axis=1)[:, None]
    heard = tl.reshape(tl.sum(out * share[:, :, None], axis=1), [HEADS_SIZE * HEAD])
    before = tl.load(x + rows, mask=inside, other=0.0)
    tl.store(x + rows, before + _times(tile, heard), mask=inside)


@triton.jit
def mlp_in(
    x, norm, weight, mid, eps,
    WIDTH: tl.constexpr, SIZE: tl.constexpr, OUT: tl.constexpr, ROWS: tl.constexpr,
    PDL: tl.constexpr,
):  # fmt: skip
    """Norm, some rows of gate and the same of up, and SwiGLU."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    held = tl.minimum(rows, OUT - 1)
    gates = _tile(weight, held, 0, SIZE, WIDTH)
    ups = _tile(weight, held + OUT, 0, SIZE, WIDTH)
    scale = _vector(norm, 0, SIZE, WIDTH)
    _go(PDL)
    wide = _vector(x, 0, SIZE, WIDTH)
    root = tl.rsqrt(tl.sum(wide * wide) / WIDTH + eps)
    wide *= scale
    gate = _times(gates, wide) * root
    up = _times(ups, wide) * root
    made = gate / (1.0 + tl.exp(-gate)) * up
    tl.store(mid + rows, made.to(mid.dtype.element_ty), mask=rows < OUT)


@triton.jit
def mlp_out(
    mid, weight, x,
    WIDTH: tl.constexpr, MAIN: tl.constexpr, REST: tl.constexpr, OUT: tl.constexpr,
    ROWS: tl.constexpr, PDL: tl.constexpr,
):  # fmt: skip
    """Some rows of down, and the residual; a row is taken as a power of two and the rest."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    inside = rows < OUT
    held = tl.minimum(rows, OUT - 1)
    tile = _tile(weight, held, 0, MAIN, WIDTH)
    if REST > 0:
        more = _tile(weight, held, MAIN, REST, WIDTH)
    _go(PDL)
    total = _times(tile, _vector(mid, 0, MAIN, WIDTH))
    if REST > 0:
        total += _times(more, _vector(mid, MAIN, REST, WIDTH))
    before = tl.load(x + rows, mask=inside, other=0.0)
    tl.store(x + rows, before + total, mask=inside)


@triton.jit
def head(
    x, norm, weight, logits, eps,
    WIDTH: tl.constexpr, SIZE: tl.constexpr, OUT: tl.constexpr, ROWS: tl.constexpr,
    PDL: tl.constexpr,
):  # fmt: skip
    """The last norm and some rows of the speech head."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    tile = _tile(weight, tl.minimum(rows, OUT - 1), 0, SIZE, WIDTH)
    scale = _vector(norm, 0, SIZE, WIDTH)
    _go(PDL)
    wide = _vector(x, 0, SIZE, WIDTH)
    root = tl.rsqrt(tl.sum(wide * wide) / WIDTH + eps)
    tl.store(logits + rows, _times(tile, wide * scale) * root, mask=rows < OUT)


class TritonStep:
    """The kernels with their weights and what passes between them; a `static_step.Step`."""

    name = "triton"

    def __init__(
        self,
        weights: Weights,
        config: LlmConfig,
        *,
        plan: Mapping[str, Tile] = PLAN,
        early: bool | None = None,
    ) -> None:
        """Make room for what passes from kernel to kernel.

        Args:
            weights: As they lie on the device.
            config: Their shapes.
            plan: How the matrices are divided.
            early: Whether a kernel may start before the one ahead has ended; by default where the
                GPU can do it.
        """
        self._weights, self._config, self._plan = weights, config, plan
        like = weights.head
        if early is None:
            early = like.is_cuda and torch.cuda.get_device_capability(like.device) >= (9, 0)
        self.early = early
        self.built_with = {"triton": triton.__version__}

        def room(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.empty(shape, device=like.device, dtype=dtype)

        self._x = room(config.hidden)
        self._q = room(config.heads * config.head_dim)
        self._mid = room(config.intermediate, dtype=like.dtype)
        self._logits = room(len(like))
        self._parts: dict[int, tuple[Tensor, Tensor, Tensor]] = {}
        self._room = room

    def __call__(self, at: Tensor, cache: Cache, bucket: int) -> Tensor:
        """One step; see `static_step.Step`."""
        parts = parts_of(bucket)
        if parts not in self._parts:
            shape = (self._config.heads, parts)
            self._parts[parts] = (
                self._room(*shape, self._config.head_dim),
                self._room(*shape),
                self._room(*shape),
            )
        w, c = self._weights, self._config
        take[(1,)](at, w.speech, self._x, c.hidden, triton.next_power_of_2(c.hidden))
        for number, layer in enumerate(w.layers):
            self._attend(at, layer, cache, number, parts)
            self._think(layer)
        rows = self._plan["head"].rows
        head[(triton.cdiv(len(w.head), rows),)](
            self._x, w.norm, w.head, self._logits, c.rms_eps,
            c.hidden, triton.next_power_of_2(c.hidden), len(w.head), rows, self.early,
            **self._how("head"),
        )  # fmt: skip
        return self._logits

    def _attend(self, at: Tensor, layer: Layer, cache: Cache, number: int, parts: int) -> None:
        """The attention half of a layer."""
        c, early = self._config, self.early
        keys, values = cache.held[number, 0], cache.held[number, 1]
        outs, tops, sums = self._parts[parts]
        rows = min(self._plan["qkv"].rows, c.head_dim // 2)
        qkv[((c.heads + 2 * c.kv_heads) * (c.head_dim // 2 // rows),)](
            at, self._x, layer.norm_in, layer.qkv, layer.qkv_bias, cache.cos, cache.sin,
            self._q, keys, values, cache.room, c.rms_eps,
            c.hidden, triton.next_power_of_2(c.hidden), c.heads, c.kv_heads, c.head_dim, rows,
            early, **self._how("qkv"),
        )  # fmt: skip
        attention[(c.heads, parts)](
            at, self._q, keys, values, cache.room, c.head_dim**-0.5, outs, tops, sums,
            c.heads // c.kv_heads, c.head_dim, parts, self._plan["attention"].rows, early,
            **self._how("attention"),
        )  # fmt: skip
        rows = self._plan["attention_out"].rows
        attention_out[(triton.cdiv(c.hidden, rows),)](
            outs, tops, sums, layer.out, self._x,
            c.hidden, c.heads, triton.next_power_of_2(c.heads), c.head_dim, parts, rows, early,
            **self._how("attention_out"),
        )  # fmt: skip

    def _think(self, layer: Layer) -> None:
        """The other half."""
        c, early = self._config, self.early
        rows = self._plan["mlp_in"].rows
        mlp_in[(triton.cdiv(c.intermediate, rows),)](
            self._x, layer.norm_mid, layer.gate_up, self._mid, c.rms_eps,
            c.hidden, triton.next_power_of_2(c.hidden), c.intermediate, rows, early,
            **self._how("mlp_in"),
        )  # fmt: skip
        rows = self._plan["mlp_out"].rows
        main = 1 << (c.intermediate.bit_length() - 1)
        rest = c.intermediate - main
        mlp_out[(triton.cdiv(c.hidden, rows),)](
            self._mid, layer.down, self._x,
            c.intermediate, main, triton.next_power_of_2(rest) if rest else 0, c.hidden, rows,
            early, **self._how("mlp_out"),
        )  # fmt: skip

    def _how(self, kernel: str) -> dict[str, Any]:
        """How a kernel is started."""
        how: dict[str, Any] = {"num_warps": self._plan[kernel].warps}
        return how | {"launch_pdl": True} if self.early else how
