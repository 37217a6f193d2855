"""One step of the speech language model in which no shape depends on how far a sequence has come.

A CUDA graph is a list of kernels with fixed arguments, so what changes from step to step has to lie
in memory: the token and its position are two numbers on the device, the cache has the length of a
bucket, and a mask by position says how much of it counts. `PlainStep` is such a step in torch's own
operators: it runs anywhere, and is what is captured where Triton is not to be had.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.llm_torch import Attention, Cache, Network, rotate


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A layer's weights, those that share an input joined into one matrix."""

    norm_in: Tensor
    qkv: Tensor
    qkv_bias: Tensor
    out: Tensor
    norm_mid: Tensor
    gate_up: Tensor
    down: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """All that a step reads."""

    layers: list[Layer]
    norm: Tensor
    speech: Tensor
    head: Tensor


def join(network: Network) -> Weights:
    """Lay matrices that share an input one behind the other; the network keeps views of them.

    So a prefix goes through the network as before, with the same bits, and nothing is held twice.
    """
    layers = []
    for block in network.layers:
        attention: Attention = block.self_attn
        heads = (attention.q_proj, attention.k_proj, attention.v_proj)
        layers.append(
            Layer(
                norm_in=block.input_layernorm.weight,
                qkv=_joined(heads, "weight"),
                qkv_bias=_joined(heads, "bias"),
                out=attention.o_proj.weight,
                norm_mid=block.post_attention_layernorm.weight,
                gate_up=_joined((block.mlp.gate_proj, block.mlp.up_proj), "weight"),
                down=block.mlp.down_proj.weight,
            )
        )
    return Weights(
        layers, network.norm.weight, network.speech_embedding.weight, network.llm_decoder.weight
    )


def _joined(parts: tuple[nn.Linear, ...], name: str) -> Tensor:
    """One tensor of several, which become views of it."""
    whole = torch.cat([getattr(part, name) for part in parts])
    views = whole.split([len(getattr(part, name)) for part in parts])
    for part, view in zip(parts, views, strict=True):
        setattr(part, name, nn.Parameter(view, requires_grad=False))
    return whole


class Step(Protocol):
    """Adds a token to a sequence."""

    name: str
    """What a recipe calls it."""
    built_with: dict[str, str]
    """Versions of what else makes its kernels."""

    def __call__(self, at: Tensor, cache: Cache, bucket: int) -> Tensor:
        """Take in one token.

        Args:
            at: The token and its position, int64 on the device.
            cache: Filled before that position; the step writes there, and reads nothing behind it.
                How far it is filled is not changed.
            bucket: Positions that the step is made for; more than the position, at most the
                cache's.

        Returns:
            The logits of the next, (V,) in float32 on the device.
        """
        ...


class PlainStep:
    """The step in torch's operators."""

    name = ""

    def __init__(self, weights: Weights, config: LlmConfig) -> None:
        """Keep the weights and their shapes."""
        self._weights, self._config = weights, config
        self.built_with: dict[str, str] = {}

    def __call__(self, at: Tensor, cache: Cache, bucket: int) -> Tensor:
        """One step; see `Step`."""
        c, w = self._config, self._weights
        position = at[1:]
        seen = torch.arange(bucket, device=at.device) <= position  # (L,)
        angles = cache.cos.index_select(0, position), cache.sin.index_select(0, position)
        x = F.embedding(at[:1], w.speech)  # (1, D)
        for number, layer in enumerate(w.layers):
            joined = F.linear(self._norm(x, layer.norm_in), layer.qkv, layer.qkv_bias)
            turning, v = joined.view(-1, c.head_dim).split([c.heads + c.kv_heads, c.kv_heads])
            q, k = rotate(turning, *angles).split([c.heads, c.kv_heads])
            keys, values = cache.held[number, :, 0, :, :bucket]  # each (kv, L, d)
            keys.index_copy_(1, position, k[:, None])
            values.index_copy_(1, position, v[:, None])
            q = q.view(c.kv_heads, -1, c.head_dim)  # (kv, group, d)
            heard = _attend(q, keys, values, seen).view(1, -1)
            x = x + F.linear(heard, layer.out)
            gate, up = F.linear(self._norm(x, layer.norm_mid), layer.gate_up).chunk(2, dim=-1)
            x = x + F.linear(F.silu(gate) * up, layer.down)
        return F.linear(self._norm(x, w.norm), w.head)[0].float()

    def _norm(self, x: Tensor, weight: Tensor) -> Tensor:
        """Root mean square norm, in one kernel."""
        return F.rms_norm(x, weight.shape, weight, self._config.rms_eps)


def _attend(q: Tensor, keys: Tensor, values: Tensor, seen: Tensor) -> Tensor:
    """Attention of (kv, group, d) over the positions that are seen; whatever the others hold."""
    scores = (q @ keys.mT).float() * q.shape[-1] ** -0.5
    share = scores.masked_fill(~seen, -torch.inf).softmax(-1).to(q.dtype)
    # Not a number times zero is none either, so values are taken out too.
    return share @ values.masked_fill(~seen[:, None], 0)
