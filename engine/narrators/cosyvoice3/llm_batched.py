"""Several sequences through the speech language model at once, for who asks for it (`batch`).

Sequences of different lengths are padded on the left, so that all of them draw their next token in
the same column. A position is counted from a sequence's own beginning, which with RoPE is a shift
of the angles; a mask keeps every other column from seeing a pad, in the prefix and in every step.
Each has its own sampler, chance, lengths and end; one that has ended is carried along until the
last has. They share the weights of a loaded `SpeechLlm`, and nothing is held twice.

**What is said so does not follow from its recipe alone.** A matrix product adds up in another order
when it has more rows. So the logits of a sequence depend on how many others it happens to be
decoded with, though on nothing in them: in the last digits only, but a last digit can exchange two
candidates, from where the take is another one; made again alone, it would be someone else. A
sequence batched with its own copy, where nothing is padded, shows it: the logits of the real size
moved by 6.2e-6 with one copy and 7.2e-6 with three (float32, one thread of an AMD EPYC, torch
2.13.0; `test_cosy_llm_batched` measures it). An account of the same model on an M2 Max has 4.6e-5
in fp32 and 3.5e-2 in fp16, and 94 tokens a second that became 151.

The gain is that of any loop that waits for launches and not for memory. Capturing a step in a graph
(`llm_captured`), or MLX (`llm_mlx`), has it for every single sequence, without that price.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.narrators.cosyvoice3.decoding import Asked, Line, Spoken, nobody
from engine.narrators.cosyvoice3.llm_torch import Attention, Cache, SpeechLlm, rotate
from engine.narrators.cosyvoice3.sampler import Floats, Greedy, Sampler

Listener = Callable[[int], None]
"""Told of each token of a sequence as it is drawn; what it raises ends that sequence alone."""


def generate(
    llm: SpeechLlm,
    asked: Sequence[Asked],
    *,
    sampler: Sampler | Greedy | None = None,
    parity: bool = False,
    on_token: Sequence[Listener] | None = None,
) -> list[Spoken | Exception]:
    """Say several texts at once.

    Args:
        llm: Whose weights are used; the sequence that it holds is left alone.
        asked: What is to be said; one or more.
        sampler: How all of them draw; see `decoding.generate`.
        parity: See `decoding.generate`.
        on_token: Who listens to each of them; None for nobody.

    Returns:
        What was said, in the order in which it was asked for; of one that came to nothing, what
        went wrong: `BadLogits`, or what its listener raised. The others are not touched by it.

    Raises:
        ValueError: An id or a length is out of range, or there is no text.
    """
    lines = [
        Line(llm.config, one, sampler=sampler, parity=parity, on_token=listener)
        for one, listener in zip(asked, on_token or [nobody] * len(asked), strict=True)
    ]
    batch = Batch(llm)
    logits = batch.prefill(asked, max(line.most for line in lines))
    said: list[Spoken | Exception | None] = [None] * len(lines)
    tokens = [0] * len(lines)  # one that has ended is fed its last token on and on
    while True:
        for row, line in enumerate(lines):
            if said[row] is None:
                drawn = _drawn(line, logits[row])
                if isinstance(drawn, int):
                    tokens[row] = drawn
                else:
                    said[row] = drawn
        done = [spoken for spoken in said if spoken is not None]
        if len(done) == len(lines):
            return done
        logits = batch.step(tokens)


def _drawn(line: Line, logits: Floats) -> int | Spoken | Exception:
    """The next token of a sequence, or its end, whichever it is."""
    try:
        return line.draw(logits)
    except Exception as error:
        return error


class Batch:
    """Sequences side by side: the network of a `SpeechLlm` over a cache of several rows."""

    def __init__(self, llm: SpeechLlm) -> None:
        """Hold no sequence yet."""
        self._llm = llm
        self._network = llm.network
        self._cache: Cache
        self._pads: Tensor

    @torch.inference_mode()
    def prefill(self, asked: Sequence[Asked], room: int) -> Floats:
        """Begin sequences, forgetting any others; as `decoding.Backend.prefill`.

        Returns:
            The logits of their first speech tokens, on the host; shape (B, V).
        """
        prefixes = [
            self._llm.prefix(
                prompt_text=one.prompt_text, text=one.text, prompt_speech=one.prompt_speech
            )[0]
            for one in asked
        ]
        longest = max(map(len, prefixes))
        pads = [longest - len(prefix) for prefix in prefixes]
        x = torch.stack([F.pad(it, (0, 0, pad, 0)) for it, pad in zip(prefixes, pads, strict=True)])
        self._pads = torch.tensor(pads, device=x.device)
        self._cache = Cache(self._llm.config, longest + room, x, rows=len(asked))
        return self._forward(x)

    @torch.inference_mode()
    def step(self, tokens: Sequence[int]) -> Floats:
        """Add a speech token to each; as `decoding.Backend.step`. Returns shape (B, V)."""
        table = self._network.speech_embedding.weight
        return self._forward(F.embedding(torch.tensor(tokens, device=table.device), table)[:, None])

    def _forward(self, x: Tensor) -> Floats:
        """Take in (B, T, D), fill the cache by T; the logits after the last, (B, V) in float32."""
        cache = self._cache
        columns = torch.arange(cache.filled + x.shape[1], device=x.device)
        new = columns[cache.filled :]
        seen = visible(self._pads, new, columns)
        positions = (new - self._pads[:, None]).clamp(min=0)  # (B, T); of a pad, any will do
        angles = cache.cos[positions][:, None], cache.sin[positions][:, None]  # (B, 1, T, d)
        for number, block in enumerate(self._network.layers):
            y = block.input_layernorm(x)
            x = x + self._attention(block.self_attn, y, number, angles, seen)
            x = x + block.mlp(block.post_attention_layernorm(x))
        cache.filled = len(columns)
        logits = self._network.llm_decoder(self._network.norm(x[:, -1]))
        return np.asarray(logits.float().cpu().numpy())

    def _attention(
        self, weights: Attention, x: Tensor, layer: int, angles: tuple[Tensor, Tensor], seen: Tensor
    ) -> Tensor:
        """Grouped query attention, (B, T, D) to (B, T, D)."""
        rows, steps, _ = x.shape

        def heads(projected: Tensor, number: int) -> Tensor:
            return projected.view(rows, steps, number, weights.head_dim).transpose(1, 2)

        q = rotate(heads(weights.q_proj(x), weights.heads), *angles)
        k = rotate(heads(weights.k_proj(x), weights.kv_heads), *angles)
        v = heads(weights.v_proj(x), weights.kv_heads)
        keys, values = self._cache.add(layer, k, v)  # (B, kv, L, d)
        group = weights.heads // weights.kv_heads
        out = attend(q.unflatten(1, (weights.kv_heads, group)), keys, values, seen, self._pads)
        return weights.o_proj(out.flatten(1, 2).transpose(1, 2).flatten(2))


def visible(pads: Tensor, queries: Tensor, columns: Tensor) -> Tensor:
    """Which columns each query sees: no pad, and nothing that is later than itself.

    Args:
        pads: How many columns on the left of each sequence are pads, (B,).
        queries: Columns of the queries, (T,).
        columns: All columns, (L,).

    Returns:
        Shape (B, T, L). A query that is itself a pad sees nothing.
    """
    behind = columns >= pads[:, None]  # (B, L)
    return behind[:, None] & (columns <= queries[:, None])


def attend(q: Tensor, keys: Tensor, values: Tensor, seen: Tensor, pads: Tensor) -> Tensor:
    """Attention over what is seen, whatever stands in the columns that are not, even no numbers.

    Args:
        q: (B, kv, group, T, d).
        keys: (B, kv, L, d).
        values: As the keys.
        seen: From `visible`.
        pads: Pads on the left, (B,).

    Returns:
        As ``q``; zeros for queries that see nothing.
    """
    hidden = ~seen[:, None, None]
    scores = (q @ keys[:, :, None].mT).float() * q.shape[-1] ** -0.5  # (B, kv, group, T, L)
    share = scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0).to(q.dtype)
    # Not a number times zero is none either, so the values of pads are taken out too.
    padded = torch.arange(keys.shape[2], device=pads.device) < pads[:, None]  # (B, L)
    return share @ values.masked_fill(padded[:, None, :, None], 0)[:, :, None]
