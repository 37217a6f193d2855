"""The speech language model in torch: a Qwen2 body between a speech embedding and a speech head.

Yang et al., “Qwen2 Technical Report”, 2024 (arXiv 2407.10671), 0.5B: pre-norm blocks of grouped
query attention with rotate-half RoPE and biases on q, k, v, then SwiGLU; RMSNorm throughout. Only
the body runs: the text head's logits are of no use here. Names are those of the checkpoint, with
``llm.model.model.`` left out.

The text embedding is used for the prefix alone, a few rows of it for a sentence: it stays in the
machine's own memory, and only the rows that are read are sent. It is copied there like the rest: a
file that is written over or cut off under a map changes what is said, or ends the process.
Keys and values go into a cache that is allocated once, for prefix and longest speech together, and
kept for the next sequence where it is large enough. There is no attention mask: at the prefix
attention is causal, and a later position sees everything before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from engine.narrators.cosyvoice3 import decoding
from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.sampler import Floats
from engine.narrators.cosyvoice3.weights import State, precision_of

ROOM_STEP = 256
"""Positions by which a cache grows, so that a few sizes serve all sentences."""


class RMSNorm(nn.Module):
    """Root mean square norm, taken in float32 whatever the weights are in."""

    def __init__(self, width: int, eps: float) -> None:
        """Make room for a weight; `SpeechLlm.load` gives it."""
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, device="meta"))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, T, D)."""
        wide = x.float()
        wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        out: Tensor = self.weight * wide.to(x.dtype)
        return out


class Cache:
    """Keys and values of every layer, and how far they are filled."""

    def __init__(self, c: LlmConfig, room: int, like: Tensor, rows: int = 1) -> None:
        """Allocate for ``room`` positions of each row, on the device and as exact as ``like``."""
        shape = (c.layers, 2, rows, c.kv_heads, room, c.head_dim)
        self.held = torch.zeros(shape, device=like.device, dtype=like.dtype)
        self.room = room
        self.filled = 0
        # Angles in float32: at position 2000 half precision would be off by whole turns.
        half = torch.arange(0, c.head_dim, 2, dtype=torch.float32) / c.head_dim
        angles = torch.outer(torch.arange(room, dtype=torch.float32), c.rope_theta**-half)
        angles = torch.cat((angles, angles), dim=-1)  # (room, head_dim): rotate-half layout
        self.cos = angles.cos().to(self.held)
        self.sin = angles.sin().to(self.held)

    def add(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Write (B, kv, T, d) behind what is filled; everything so far, (B, kv, L, d)."""
        end = self.filled + k.shape[2]
        self.held[layer, 0, :, :, self.filled : end] = k
        self.held[layer, 1, :, :, self.filled : end] = v
        return self.held[layer, 0, :, :, :end], self.held[layer, 1, :, :, :end]


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """RoPE, rotate-half: channel i turns with channel i + d/2. (B, H, T, d) to the same."""
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-right, left), dim=-1) * sin


class Attention(nn.Module):
    """Grouped query attention."""

    def __init__(self, c: LlmConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = c.heads, c.kv_heads, c.head_dim
        q, kv = c.heads * c.head_dim, c.kv_heads * c.head_dim
        self.q_proj = nn.Linear(c.hidden, q, device="meta")
        self.k_proj = nn.Linear(c.hidden, kv, device="meta")
        self.v_proj = nn.Linear(c.hidden, kv, device="meta")
        self.o_proj = nn.Linear(q, c.hidden, bias=False, device="meta")

    def forward(self, x: Tensor, layer: int, cache: Cache) -> Tensor:
        """(1, T, D) to (1, T, D); T is 1, or the cache is empty."""
        steps = x.shape[1]
        q = self.q_proj(x).view(1, steps, self.heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(1, steps, self.kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(1, steps, self.kv_heads, self.head_dim).transpose(1, 2)
        here = slice(cache.filled, cache.filled + steps)
        q = rotate(q, cache.cos[here], cache.sin[here])  # (1, H, T, d)
        k = rotate(k, cache.cos[here], cache.sin[here])  # (1, kv, T, d)
        keys, values = cache.add(layer, k, v)  # (1, kv, L, d)
        if steps == 1:
            # The heads of a group share keys and see all of them: they are as good as positions.
            q = q.reshape(1, self.kv_heads, self.heads // self.kv_heads, self.head_dim)
            out = F.scaled_dot_product_attention(q, keys, values)
            out = out.reshape(1, 1, self.heads * self.head_dim)
        else:
            group = self.heads // self.kv_heads
            keys = keys.repeat_interleave(group, dim=1)  # (1, H, T, d)
            values = values.repeat_interleave(group, dim=1)
            out = F.scaled_dot_product_attention(q, keys, values, is_causal=True)
            out = out.transpose(1, 2).reshape(1, steps, self.heads * self.head_dim)
        return self.o_proj(out)


class MLP(nn.Module):
    """SwiGLU."""

    def __init__(self, c: LlmConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.gate_proj = nn.Linear(c.hidden, c.intermediate, bias=False, device="meta")
        self.up_proj = nn.Linear(c.hidden, c.intermediate, bias=False, device="meta")
        self.down_proj = nn.Linear(c.intermediate, c.hidden, bias=False, device="meta")

    def forward(self, x: Tensor) -> Tensor:
        """(1, T, D) to (1, T, D)."""
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    """One layer: attention and MLP, each behind a norm and added to what came in."""

    def __init__(self, c: LlmConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.input_layernorm = RMSNorm(c.hidden, c.rms_eps)
        self.self_attn = Attention(c)
        self.post_attention_layernorm = RMSNorm(c.hidden, c.rms_eps)
        self.mlp = MLP(c)

    def forward(self, x: Tensor, layer: int, cache: Cache) -> Tensor:
        """(1, T, D) to (1, T, D)."""
        x = x + self.self_attn(self.input_layernorm(x), layer, cache)
        return x + self.mlp(self.post_attention_layernorm(x))


class Network(nn.Module):
    """The body, the speech embedding and the speech head: what lies on the device."""

    def __init__(self, c: LlmConfig) -> None:
        """Make room for the weights."""
        super().__init__()
        self.layers = nn.ModuleList(Block(c) for _ in range(c.layers))
        self.norm = RMSNorm(c.hidden, c.rms_eps)
        rows = len(c.stop) + c.speech_tokens
        self.speech_embedding = nn.Embedding(rows, c.hidden, device="meta")
        self.llm_decoder = nn.Linear(c.hidden, rows, bias=False, device="meta")

    def forward(self, x: Tensor, cache: Cache) -> Tensor:
        """Take in (1, T, D), fill the cache by T; the logits after the last, (V,) in float32."""
        for layer, block in enumerate(self.layers):
            x = block(x, layer, cache)
        cache.filled += x.shape[1]
        logits: Tensor = self.llm_decoder(self.norm(x[:, -1]))[0].float()
        return logits


class SpeechLlm(decoding.Speaker):
    """The language model with its weights; a `decoding.Backend`."""

    def __init__(self, config: LlmConfig, network: Network, embed_tokens: Tensor) -> None:
        """Join what `load` made."""
        self._config = config
        self._network = network
        self._embed_tokens = embed_tokens
        self._cache: Cache | None = None

    @classmethod
    def load(
        cls,
        state: State,
        config: LlmConfig,
        device: str | torch.device = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> SpeechLlm:
        """Give a network its weights, copied into memory of its own.

        Args:
            state: From `weights.load_state`; `config` was read off it, which checked it.
            config: From `config.llm_config`.
            device: Where the body runs.
            dtype: What the weights are cast to: float32, or float16 on a GPU.
        """
        own = {key: value.to(device, dtype, copy=True) for key, value in _named(state).items()}
        network = Network(config)
        network.load_state_dict(own, strict=True, assign=True)
        network.eval().requires_grad_(False)
        words = state["llm.model.model.embed_tokens.weight"].to("cpu", dtype, copy=True)
        return cls(config, network, words)

    @property
    def config(self) -> LlmConfig:
        """Its shapes."""
        return self._config

    @property
    def network(self) -> Network:
        """What lies on the device."""
        return self._network

    @property
    def backend(self) -> str:
        """What runs the network, as a recipe has it."""
        return "torch"

    @property
    def precision(self) -> str:
        """What its weights are stored in; see `weights.precision_of`."""
        return precision_of(self._network)

    @property
    def device(self) -> str:
        """Where its body lies; read off one of its weights."""
        return self._network.llm_decoder.weight.device.type

    @property
    def room(self) -> int:
        """Steps that the cache still has room for."""
        return self._cache.room - self._cache.filled if self._cache else 0

    @torch.inference_mode()
    def prefix(
        self, *, prompt_text: Sequence[int], text: Sequence[int], prompt_speech: Sequence[int]
    ) -> Tensor:
        """The embedded sequence before the first speech token; (1, n, D) on the device."""
        table = self._network.speech_embedding.weight
        words = torch.tensor([*prompt_text, *text], dtype=torch.long)
        speech = torch.tensor(
            [self._config.sos, self._config.task, *prompt_speech], device=table.device
        )
        heard = F.embedding(speech, table)
        read = F.embedding(words, self._embed_tokens).to(table)
        return torch.cat((heard[:1], read, heard[1:]))[None]

    @torch.inference_mode()
    def prefill(
        self,
        *,
        prompt_text: Sequence[int],
        text: Sequence[int],
        prompt_speech: Sequence[int],
        room: int,
    ) -> Floats:
        """Begin a sequence; see `decoding.Backend.prefill`."""
        x = self.prefix(prompt_text=prompt_text, text=text, prompt_speech=prompt_speech)
        cache = self._roomy(x.shape[1], room, x)
        cache.filled = 0
        return _host(self._network(x, cache))

    def _roomy(self, prefix: int, room: int, like: Tensor) -> Cache:
        """The cache, with room for so many positions; what it held may be gone."""
        needed = prefix + room
        if self._cache is None or self._cache.room < needed:
            self._cache = None  # the old one is freed before the new one is made
            self._cache = Cache(self._config, -(-needed // ROOM_STEP) * ROOM_STEP, like)
        return self._cache

    @torch.inference_mode()
    def step(self, token: int) -> Floats:
        """Add one speech token; see `decoding.Backend.step`.

        Raises:
            RuntimeError: There is no sequence, or no room left in it.
        """
        cache = self._cache
        if cache is None or not self.room:
            raise RuntimeError("There is no sequence to go on with, or no room left in it.")
        # A row of the table, by a number that Python has: nothing is sent to the device.
        x = self._network.speech_embedding.weight[token].view(1, 1, -1)
        return _host(self._network(x, cache))


def _named(state: State) -> State:
    """The weights by the names that `Network` has; the text embedding is not among them."""
    body = "llm.model.model."
    return {
        key.removeprefix(body): value
        for key, value in state.items()
        if key != body + "embed_tokens.weight"
    }


def _host(logits: Tensor) -> Floats:
    """The one copy, and the one wait, of a step."""
    return np.asarray(logits.cpu().numpy())
