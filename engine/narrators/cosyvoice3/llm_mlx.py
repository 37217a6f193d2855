"""The speech language model in MLX: the twin of `llm_torch`, for Apple silicon.

The same checkpoint, configuration, decoding and sampler; only the network runs elsewhere, so both
agree on the speech wherever they agree on the logits. The paper and the shapes stand in
`llm_torch`. What differs: MLX builds a graph lazily and runs it as a whole, which costs far fewer
launches for one token, and weights lie in memory that CPU and GPU share.

The body is our own and not mlx-lm's: that package imports transformers (5.7 or later, which cannot
live beside the transformers of other engines) and, where it is installed, torch, for what are a
hundred lines. ``mlx.nn`` is not used either: its SiLU goes through ``mx.compile``, which on a CPU
starts a C++ compiler.

MLX keeps streams and default device by thread: one thread loads a model and makes all calls, and
another is refused. Nothing global is changed, and no work moves to another device than the one
asked for.

**Eight bits** (``q8``). The matrices of the body are kept as whole numbers of 8 bits with a scale
and a lowest value for each 64 of a row, and the text embedding with them, which in full takes more
memory than all of the body does so. Norms, biases, speech embedding and speech head stay in
float32, and so do all activations. 64, because it divides the real widths (896 and 4864): groups of
32, 64 and 128 take 10, 9 and 8.5 bits a weight, and on matrices of these shapes with normal weights
the product was off by 0.47, 0.53 and 0.59 % of its spread (0.57, 0.70 and 0.87 % with the heavier
tails of Student's t with 4 degrees): half the overhead of 32 for a tenth more error. Half precision
is off by 0.012 %.

**The prompt is not kept.** Of the prefix [sos; text of the prompt; text; task; speech of the
prompt] only the head up to the text is the same for all clips of a voice, for attention is causal:
some thirty positions of two hundred. Keys and values of it that were made apart would have to be
the bits that come of the whole prefix, and they need not be: of a prefix of 177 positions, those of
the first 31 were off by up to 9.5e-7 in torch on a CPU at the size of the tiny model (64 wide, 2
layers), and by 3.6e-6 at the real one (896 wide, 24 layers), in float32; those of the first 64 were
not, so nothing can be read off one length. MLX on a CPU gave equal bits at four sizes (64 to 896
wide), for its matrix library goes row by row there; Metal picks its kernels by the number of rows,
and has not been tried. A take would depend on whether its voice had been heard before, so nothing
is kept, here or in `llm_torch`. `test_cosy_llm_batched` measures it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.metadata import version

import mlx.core as mx
import numpy as np

from engine.narrators.cosyvoice3 import decoding
from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.sampler import Floats
from engine.narrators.cosyvoice3.weights import State, precision_name
from engine.registry import Fatal

ROOM_STEP = 256
"""Positions by which a cache grows, so that a few sizes serve all sentences."""
BODY = "llm.model.model."
SPARE = 1 << 28
"""Bytes that MLX may keep unused from one clip to the next; a step asks for little."""
BITS, GROUP = 8, 64
"""Of a quantised weight, and how many share a scale; see above."""


class Cache:
    """Keys and values of every layer, and how far they are filled."""

    def __init__(self, c: LlmConfig, room: int, dtype: mx.Dtype) -> None:
        """Make room for so many positions."""
        shape = (1, c.kv_heads, room, c.head_dim)
        self.keys = [mx.zeros(shape, dtype) for _ in range(c.layers)]
        self.values = [mx.zeros(shape, dtype) for _ in range(c.layers)]
        self.room = room
        self.filled = 0

    def add(self, layer: int, k: mx.array, v: mx.array) -> tuple[mx.array, mx.array]:
        """Write (1, kv, T, d) behind what is filled; everything so far, (1, kv, L, d)."""
        end = self.filled + k.shape[2]
        self.keys[layer][..., self.filled : end, :] = k
        self.values[layer][..., self.filled : end, :] = v
        return self.keys[layer][..., :end, :], self.values[layer][..., :end, :]


class Network:
    """Body and tables, as arrays by the names of the checkpoint.

    Beside the ``weight`` of a quantised matrix there are its ``scales`` and ``biases``.
    """

    def __init__(self, config: LlmConfig, weights: dict[str, mx.array]) -> None:
        """Take the weights; ``llm.model.model.`` is left out of their names."""
        self.config = config
        self.weights = weights

    def __call__(self, x: mx.array, cache: Cache) -> mx.array:
        """Take in (1, T, D), fill the cache by T; the logits after the last, (V,) in float32."""
        for layer in range(self.config.layers):
            x = self._block(x, layer, cache)
        cache.filled += x.shape[1]
        last = self._norm(x[:, -1], "norm")  # (1, D)
        logits = last @ self.weights["llm_decoder.weight"].T  # (1, V)
        return logits[0].astype(mx.float32)

    def _block(self, x: mx.array, layer: int, cache: Cache) -> mx.array:
        """One layer: attention and SwiGLU, each behind a norm and added to what came in."""
        at = f"layers.{layer}."
        x = x + self._attention(self._norm(x, at + "input_layernorm"), layer, cache)
        y = self._norm(x, at + "post_attention_layernorm")
        gate = self._linear(y, at + "mlp.gate_proj")
        gate = gate * mx.sigmoid(gate)
        return x + self._linear(gate * self._linear(y, at + "mlp.up_proj"), at + "mlp.down_proj")

    def _attention(self, x: mx.array, layer: int, cache: Cache) -> mx.array:
        """Grouped query attention, (1, T, D) to (1, T, D); T is 1, or the cache is empty."""
        c, at, steps = self.config, f"layers.{layer}.self_attn.", x.shape[1]

        def heads(name: str, number: int) -> mx.array:
            projected = self._linear(x, at + name).reshape(1, steps, number, c.head_dim)
            return projected.transpose(0, 2, 1, 3)  # (1, H, T, d)

        def turn(y: mx.array) -> mx.array:
            return mx.fast.rope(  # rotate-half: channel i turns with channel i + d/2
                y, c.head_dim, traditional=False, base=c.rope_theta, scale=1.0, offset=cache.filled
            )

        q, k = turn(heads("q_proj", c.heads)), turn(heads("k_proj", c.kv_heads))
        keys, values = cache.add(layer, k, heads("v_proj", c.kv_heads))
        out = mx.fast.scaled_dot_product_attention(
            q, keys, values, scale=c.head_dim**-0.5, mask="causal" if steps > 1 else None
        )
        out = out.transpose(0, 2, 1, 3).reshape(1, steps, c.heads * c.head_dim)
        return self._linear(out, at + "o_proj")

    def _linear(self, x: mx.array, name: str) -> mx.array:
        """A linear layer, with its bias where it has one."""
        weight, bias = self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias")
        if (scales := self.weights.get(f"{name}.scales")) is not None:
            lowest = self.weights[f"{name}.biases"]
            out = mx.quantized_matmul(
                x, weight, scales, lowest, transpose=True, group_size=GROUP, bits=BITS
            )
            return out if bias is None else out + bias
        return x @ weight.T if bias is None else mx.addmm(bias, x, weight.T)

    def read(self, words: mx.array) -> mx.array:
        """Rows of the text embedding; (n,) to (n, D)."""
        rows = self.weights["embed_tokens.weight"][words]
        if (scales := self.weights.get("embed_tokens.scales")) is None:
            return rows
        lowest = self.weights["embed_tokens.biases"]
        return mx.dequantize(rows, scales[words], lowest[words], group_size=GROUP, bits=BITS)

    def _norm(self, x: mx.array, name: str) -> mx.array:
        """Root mean square norm, taken in float32 whatever the weights are in."""
        return mx.fast.rms_norm(x, self.weights[f"{name}.weight"], self.config.rms_eps)


class MlxSpeechLlm(decoding.Speaker):
    """The language model with its weights, in MLX; a `decoding.Backend` of one thread."""

    def __init__(self, network: Network, device: mx.Device) -> None:
        """Join what `load` made."""
        self._network = network
        self._device = device
        self._thread = threading.get_ident()
        self._cache: Cache | None = None

    @classmethod
    def load(
        cls, state: State, config: LlmConfig, device: str = "gpu", precision: str = "fp32"
    ) -> MlxSpeechLlm:
        """Give a network its weights. The thread that calls this has to make all other calls.

        Args:
            state: From `weights.load_state`; `config` was read off it, which checked it.
            config: From `config.llm_config`.
            device: ``gpu`` or ``cpu``.
            precision: What the weights are cast to: ``fp32``, ``fp16``, or ``q8`` (see above).

        Raises:
            Fatal: This build of MLX, or this machine, has no such device; or the widths of this
                model do not divide into groups.
        """
        kinds = {"gpu": mx.gpu, "cpu": mx.cpu}
        if device not in kinds or not mx.is_available(mx.Device(kinds[device])):
            raise Fatal(f"MLX {version('mlx')} has no device “{device}” on this machine.")
        where = mx.Device(kinds[device])
        weights: dict[str, mx.array] = {}
        with mx.stream(where):
            for key, value in state.items():
                # numpy has no bfloat16, so all go through float32; a checkpoint has nothing finer.
                array = mx.array(value.float().numpy())
                made = _stored(key.removeprefix(BODY), array, precision)
                mx.eval(made)  # one after the other: beside the rest lies one in float32
                weights.update(made)
        return cls(Network(config, weights), where)

    @property
    def config(self) -> LlmConfig:
        """Its shapes."""
        return self._network.config

    @property
    def precision(self) -> str:
        """What its weights are stored in: ``fp32``, ``fp16``, ``fp32+q8``; read off them."""
        arrays = self._network.weights.values()
        plain = precision_name(array.dtype for array in arrays if array.dtype != mx.uint32)
        packed = any(array.dtype == mx.uint32 for array in arrays)
        return f"{plain}+q{BITS}" if packed else plain

    @property
    def backend(self) -> str:
        """What runs the network, as a recipe has it."""
        return "mlx"

    @property
    def built_with(self) -> dict[str, str]:
        """The version of MLX, and the GPU that it runs on."""
        if self._device.type == mx.cpu:
            return {"mlx": version("mlx")}
        return {"mlx": version("mlx"), "gpu": str(mx.device_info(self._device)["device_name"])}

    @property
    def device(self) -> str:
        """Where it runs: ``cpu``, or ``mps``, which is what torch calls the GPU of a Mac."""
        if self._device.type == mx.cpu:
            return "cpu"
        return "mps" if sys.platform == "darwin" else "cuda"

    def held(self) -> int:
        """Bytes that MLX holds on the GPU, in use and for the next one; any thread may ask."""
        return 0 if self._device.type == mx.cpu else _held()

    def tidy(self) -> None:
        """Hand back what MLX keeps for nothing, if that is more than `SPARE`."""
        self._check_thread()
        if mx.get_cache_memory() > SPARE:
            mx.clear_cache()

    @property
    def room(self) -> int:
        """Steps that the cache still has room for."""
        return self._cache.room - self._cache.filled if self._cache else 0

    def prefill(
        self,
        *,
        prompt_text: Sequence[int],
        text: Sequence[int],
        prompt_speech: Sequence[int],
        room: int,
    ) -> Floats:
        """Begin a sequence; see `decoding.Backend.prefill`."""
        self._check_thread()
        with mx.stream(self._device):
            x = self.prefix(prompt_text=prompt_text, text=text, prompt_speech=prompt_speech)
            needed = x.shape[1] + room
            if self._cache is None or self._cache.room < needed:
                self._cache = None  # the old one is freed before the new one is made
                rooms = -(-needed // ROOM_STEP) * ROOM_STEP
                self._cache = Cache(self.config, rooms, x.dtype)
            self._cache.filled = 0
            return np.array(self._network(x, self._cache))

    def step(self, token: int) -> Floats:
        """Add one speech token; see `decoding.Backend.step`.

        Raises:
            RuntimeError: There is no sequence, no room left in it, or this is another thread.
        """
        self._check_thread()
        if self._cache is None or not self.room:
            raise RuntimeError("There is no sequence to go on with, or no room left in it.")
        with mx.stream(self._device):
            x = self._network.weights["speech_embedding.weight"][token][None, None]  # (1, 1, D)
            return np.array(self._network(x, self._cache))

    def prefix(
        self, *, prompt_text: Sequence[int], text: Sequence[int], prompt_speech: Sequence[int]
    ) -> mx.array:
        """The embedded sequence before the first speech token; (1, n, D)."""
        speech = mx.array([self.config.sos, self.config.task, *prompt_speech])
        heard = self._network.weights["speech_embedding.weight"][speech]
        read = self._network.read(mx.array([*prompt_text, *text]))
        return mx.concatenate([heard[:1], read, heard[1:]])[None]

    def _check_thread(self) -> None:
        """Refuse another thread than the one that loaded the model."""
        if threading.get_ident() != self._thread:
            raise RuntimeError("MLX works on the thread that loaded the model, and on no other.")


def _held() -> int:
    """Bytes of all arrays of this process, and what MLX keeps for new ones."""
    return int(mx.get_active_memory() + mx.get_cache_memory())


def _stored(name: str, array: mx.array, precision: str) -> dict[str, mx.array]:
    """A weight as it is kept, by name.

    Raises:
        Fatal: Its rows do not divide into groups.
    """
    if precision != "q8":
        return {name: array.astype({"fp32": mx.float32, "fp16": mx.float16}[precision])}
    if array.ndim < 2 or name in ("speech_embedding.weight", "llm_decoder.weight"):
        return {name: array}
    if array.shape[-1] % GROUP:
        raise Fatal(
            f"Weights of 8 bits are kept in groups of {GROUP}, and “llm.pt” has rows of "
            f"{array.shape[-1]}. Set “llm_precision” to “fp16” or “fp32”."
        )
    parts = mx.quantize(array, group_size=GROUP, bits=BITS)
    at = name.removesuffix("weight")
    return dict(zip((f"{at}weight", f"{at}scales", f"{at}biases"), parts, strict=True))
