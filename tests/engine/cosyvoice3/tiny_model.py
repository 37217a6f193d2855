"""A complete CosyVoice3 model folder of a few megabytes, in the official layout.

Key names, ranks and everything that has a meaning (200 stop ids, 80 mel bands, 192 speaker values,
upsampling by 8, 5, 3 and 4, odd kernels, weight norm, tied head) are as in the real files; widths
and depths are small and the weights are drawn from a seed. It says nothing, but it behaves:

* **Length.** The residual stream of the language model carries one channel that no layer writes
  to. The end token reads that channel alone and comes out level with the likeliest speech tokens,
  so past the minimum length (2 tokens of speech per token of text) about every twentieth draw ends
  the line. The other 199 stop ids read it with the opposite sign and hardly ever come. With
  ``endless=True`` the end token does as well: every line then runs to its limit.
* **Sound.** Pitch lies near 120 Hz, the loudness of the last layer is set by its bias alone: a
  buzz of about −20 dBFS that the limiter never touches, without a natural beginning or end.
* **Voices.** Both ONNX models see the whole reference: other audio, other tokens and speaker.

``python tiny_model.py FOLDER [SEED]`` writes one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor

SPEECH_TOKENS = 500
HIDDEN, LAYERS, HEADS, KV_HEADS, INTERMEDIATE = 64, 2, 4, 2, 128
DIM, DEPTH, DIM_HEAD, GROUPS = 64, 2, 16, 16
BASE, CONDITION = 32, 24
SPECIALS = 281
"""From <|endoftext|> to the last piece of pinyin."""
END, CARRIER = 1.3, 4.0
"""How strongly the end token reads the channel that nothing writes to, and what stands in it."""
WORDS = (
    "the of and to a in that he was it his her with as had she for on at but not you be him they "
    "is this from all said which were my by have one so there we or an are no been when who if out "
    "them would up their me into what could then do more time now see down old man long like good "
    "water door hand night little house came went before upon know some about over only helpful "
    "assistant"
).split()
PIECES = ("The", "You", "He", "ing", "ed", "er", "ly", "ion")

State = dict[str, Tensor]


class Draw:
    """Weights out of one generator."""

    def __init__(self, seed: int) -> None:
        """Start at a seed."""
        self._chance = torch.Generator().manual_seed(seed)

    def normal(self, *shape: int, scale: float = 1.0) -> Tensor:
        """Normal values of a standard deviation."""
        return torch.randn(*shape, generator=self._chance) * scale

    def linear(self, into: State, name: str, rows: int, columns: int, gain: float = 1.0) -> None:
        """Weight and bias that keep the size of what goes through, times the gain."""
        into[f"{name}.weight"] = self.normal(rows, columns, scale=gain * columns**-0.5)
        into[f"{name}.bias"] = self.normal(rows, scale=0.05 * gain)

    def conv(self, into: State, name: str, *shape: int, gain: float = 1.0) -> None:
        """A plain convolution [out, in, kernel]."""
        into[f"{name}.weight"] = self.normal(*shape, scale=gain * (shape[1] * shape[2]) ** -0.5)
        into[f"{name}.bias"] = self.normal(shape[0], scale=0.05 * gain)

    def normed(self, into: State, name: str, *shape: int, gain: float = 1.0) -> None:
        """A convolution under weight norm; its norm is the gain."""
        into[f"{name}.parametrizations.weight.original0"] = torch.full((shape[0], 1, 1), gain)
        into[f"{name}.parametrizations.weight.original1"] = self.normal(*shape)
        into[f"{name}.bias"] = self.normal(shape[0], scale=0.05 * gain)


def build(folder: Path, seed: int = 0, *, endless: bool = False) -> Path:
    """Write a tiny model.

    Args:
        folder: Made where it is missing.
        seed: Decides all weights; files of one seed have the same bytes of weights.
        endless: No line ends by itself: every take is a runaway.

    Returns:
        The folder.
    """
    blank = folder / "CosyVoice-BlankEN"
    blank.mkdir(parents=True, exist_ok=True)
    rows = _tokenizer(blank)
    torch.save(_llm(Draw(seed), rows, endless), folder / "llm.pt")
    torch.save(_flow(Draw(seed + 1)), folder / "flow.pt")
    torch.save(_hift(Draw(seed + 2)), folder / "hift.pt")
    chance = np.random.default_rng(seed)
    onnx.save(_campplus(chance), folder / "campplus.onnx")
    onnx.save(_speech_tokenizer(chance), folder / "speech_tokenizer_v3.onnx")
    return folder


def _tokenizer(folder: Path) -> int:
    """Write the files of CosyVoice-BlankEN; returns the rows that the text embedding needs."""
    alphabet = _byte_letters()
    merges: dict[tuple[str, str], None] = {}
    for word in (*(f" {word}" for word in WORDS), *PIECES):
        letters = [alphabet[byte] for byte in word.encode()]
        head = letters[0]
        for letter in letters[1:]:
            merges.setdefault((head, letter))
            head += letter
    tokens = [*alphabet, *dict.fromkeys(left + right for left, right in merges)]
    rows = -(-(len(tokens) + SPECIALS) // 8) * 8 + 8  # the real table has spare rows, too
    special = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    files = {
        "config.json": {
            "architectures": ["Qwen2ForCausalLM"],
            "model_type": "qwen2",
            "hidden_act": "silu",
            "hidden_size": HIDDEN,
            "intermediate_size": INTERMEDIATE,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": KV_HEADS,
            "max_position_embeddings": 32768,
            "rms_norm_eps": 1e-6,
            "rope_theta": 1000000.0,
            "tie_word_embeddings": True,
            "use_sliding_window": False,
            "attention_dropout": 0.0,
            "vocab_size": rows,
        },
        "generation_config.json": {"eos_token_id": len(tokens), "pad_token_id": len(tokens)},
        "tokenizer_config.json": {
            "tokenizer_class": "Qwen2Tokenizer",
            "add_prefix_space": False,
            "added_tokens_decoder": {
                str(len(tokens) + place): {
                    **dict.fromkeys(("lstrip", "rstrip", "normalized", "single_word"), False),
                    "content": content,
                    "special": True,
                }
                for place, content in enumerate(special)
            },
            "eos_token": special[0],
            "pad_token": special[0],
            "additional_special_tokens": list(special[1:]),
            "model_max_length": 32768,
        },
        "vocab.json": {token: number for number, token in enumerate(tokens)},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    lines = ["#version: 0.2", *(f"{left} {right}" for left, right in merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return rows


def _byte_letters() -> list[str]:
    """The letter that stands for each byte in byte-level BPE: itself, or one from U+0100 on."""
    shown = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = (byte for byte in range(256) if byte not in shown)
    stand_in = {byte: chr(256 + place) for place, byte in enumerate(hidden)}
    return [stand_in.get(byte, chr(byte)) for byte in range(256)]


def _llm(draw: Draw, rows: int, endless: bool) -> State:
    """The language model."""
    state: State = {}
    body = "llm.model.model"
    head_dim = HIDDEN // HEADS
    text = draw.normal(rows, HIDDEN)
    text[:, 0] = CARRIER
    state[f"{body}.embed_tokens.weight"] = text
    for layer in range(LAYERS):
        at = f"{body}.layers.{layer}"
        for name, out in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS)):
            draw.linear(state, f"{at}.self_attn.{name}_proj", out * head_dim, HIDDEN)
        outputs = {"self_attn.o_proj": (HIDDEN, HIDDEN), "mlp.down_proj": (HIDDEN, INTERMEDIATE)}
        for name, shape in outputs.items():
            weight = draw.normal(*shape, scale=0.7 * shape[1] ** -0.5)
            weight[0] = 0.0  # the carrier passes every layer as it is
            state[f"{at}.{name}.weight"] = weight
        for name in ("gate_proj", "up_proj"):
            scale = HIDDEN**-0.5
            state[f"{at}.mlp.{name}.weight"] = draw.normal(INTERMEDIATE, HIDDEN, scale=scale)
        state[f"{at}.input_layernorm.weight"] = 1 + draw.normal(HIDDEN, scale=0.1)
        state[f"{at}.post_attention_layernorm.weight"] = 1 + draw.normal(HIDDEN, scale=0.1)
    norm = 1 + draw.normal(HIDDEN, scale=0.1)
    norm[0] = 1.0
    state[f"{body}.norm.weight"] = norm
    state["llm.model.lm_head.weight"] = text  # tied: one storage under two names
    decoder = draw.normal(SPEECH_TOKENS + 200, HIDDEN, scale=0.2)
    decoder[:SPEECH_TOKENS, 0] = 0.0
    decoder[SPEECH_TOKENS:] = 0.0
    decoder[SPEECH_TOKENS:, 0] = -4.0
    if not endless:
        decoder[SPEECH_TOKENS + 1, 0] = END
    state["llm_decoder.weight"] = decoder
    speech = draw.normal(SPEECH_TOKENS + 200, HIDDEN)
    speech[:, 0] = CARRIER
    state["speech_embedding.weight"] = speech
    return state


def _flow(draw: Draw) -> State:
    """The flow: speech tokens, speaker and prompt become a mel spectrogram."""
    state: State = {"input_embedding.weight": draw.normal(SPEECH_TOKENS, 80)}
    draw.linear(state, "spk_embed_affine_layer", 80, 192, gain=192**0.5)  # its input has length 1
    draw.conv(state, "pre_lookahead_layer.conv1", DIM, 80, 4)
    draw.conv(state, "pre_lookahead_layer.conv2", 80, DIM, 3)
    at = "decoder.estimator"
    draw.linear(state, f"{at}.time_embed.time_mlp.0", DIM, 256)
    draw.linear(state, f"{at}.time_embed.time_mlp.2", DIM, DIM)
    draw.linear(state, f"{at}.input_embed.proj", DIM, 320)
    for name in ("conv1", "conv2"):
        draw.conv(state, f"{at}.input_embed.conv_pos_embed.{name}.0", DIM, DIM // GROUPS, 31)
    pairs = torch.arange(0, DIM_HEAD, 2, dtype=torch.float32) / DIM_HEAD
    state[f"{at}.rotary_embed.inv_freq"] = 1.0 / 10000.0**pairs
    for layer in range(DEPTH):
        block = f"{at}.transformer_blocks.{layer}"
        draw.linear(state, f"{block}.attn_norm.linear", 6 * DIM, DIM, gain=0.5)
        for name in ("to_q", "to_k", "to_v", "to_out.0"):
            draw.linear(state, f"{block}.attn.{name}", DIM, DIM)
        draw.linear(state, f"{block}.ff.ff.0.0", 2 * DIM, DIM)
        draw.linear(state, f"{block}.ff.ff.2", DIM, 2 * DIM)
    draw.linear(state, f"{at}.norm_out.linear", 2 * DIM, DIM, gain=0.5)
    draw.linear(state, f"{at}.proj_out", 80, DIM)
    return state


def _hift(draw: Draw) -> State:
    """The vocoder; gains are set so that every stage keeps the size of what it is given."""
    state: State = {}
    draw.linear(state, "m_source.l_linear", 1, 9, gain=3.0)
    draw.normed(state, "conv_pre", BASE, 80, 5)
    for stage, (kernel, stride) in enumerate(((16, 15), (11, 3), (7, 1))):
        width = BASE >> (stage + 1)
        draw.normed(state, f"ups.{stage}", width, 2 * width, kernel)
        source = 2 * stride if stride > 1 else 1
        draw.conv(state, f"source_downs.{stage}", width, 18, source, gain=3.0)
        _resblock(draw, state, f"source_resblocks.{stage}", width, (7, 7, 11)[stage])
        for place, size in enumerate((3, 7, 11)):
            _resblock(draw, state, f"resblocks.{3 * stage + place}", width, size)
    draw.normed(state, "conv_post", 18, BASE >> 3, 7, gain=0.3)
    state["conv_post.bias"][:9] = 0.1
    state["conv_post.bias"][:2] = torch.tensor([-5.0, -2.0])  # no offset at 0 Hz
    state["conv_post.parametrizations.weight.original0"][9:] = 1.5  # phases that move
    for place in (0, 2, 4, 6, 8):
        shape = (CONDITION, CONDITION, 3) if place else (CONDITION, 80, 4)
        draw.normed(state, f"f0_predictor.condnet.{place}", *shape)
    draw.linear(state, "f0_predictor.classifier", 1, CONDITION, gain=15.0)
    state["f0_predictor.classifier.bias"][:] = 120.0
    return state


def _resblock(draw: Draw, state: State, name: str, width: int, kernel: int) -> None:
    """Three pairs of convolutions with a snake before each."""
    for place in range(3):
        for half in (1, 2):
            draw.normed(state, f"{name}.convs{half}.{place}", width, width, kernel, gain=0.5)
            alpha = 1 + draw.normal(width, scale=0.1)
            state[f"{name}.activations{half}.{place}.alpha"] = alpha.abs()


def _campplus(chance: np.random.Generator) -> onnx.ModelProto:
    """Filter bank [1, T, 80] → speaker [1, 192]; bent before the mean, which is zero by band."""
    weights = {
        "spread": chance.normal(0, 80**-0.5, (80, 64)),
        "bias": chance.normal(0, 0.5, 64),
        "project": chance.normal(0, 64**-0.5, (64, 192)),
    }
    nodes = [
        helper.make_node("MatMul", ["input", "spread"], ["a"]),
        helper.make_node("Add", ["a", "bias"], ["b"]),
        helper.make_node("Relu", ["b"], ["c"]),
        helper.make_node("ReduceMean", ["c"], ["d"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["d", "project"], ["output"]),
    ]
    inputs = [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, "T", 80])]
    outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 192])]
    return _model("campplus", nodes, inputs, outputs, weights)


def _speech_tokenizer(chance: np.random.Generator) -> onnx.ModelProto:
    """Log-mel [1, 128, T] and its length → speech tokens [1, about T/4], by two strided convs."""
    weights = {
        "first": chance.normal(0, 4 * (128 * 3) ** -0.5, (32, 128, 3)),
        "first_bias": chance.normal(0, 0.3, 32),
        "second": chance.normal(0, 2 * (32 * 3) ** -0.5, (64, 32, 3)),
        "second_bias": chance.normal(0, 0.3, 64),
        "codes": chance.normal(0, 1, (SPEECH_TOKENS, 64, 1)),
    }
    stride = {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}
    nodes = [
        helper.make_node("Slice", ["feats", "from", "feats_length", "axis"], ["cut"]),
        helper.make_node("Conv", ["cut", "first", "first_bias"], ["a"], **stride),
        helper.make_node("Tanh", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "second", "second_bias"], ["c"], **stride),
        helper.make_node("Tanh", ["c"], ["d"]),
        helper.make_node("Conv", ["d", "codes"], ["e"], kernel_shape=[1]),
        helper.make_node("ArgMax", ["e"], ["f"], axis=1, keepdims=0),
        helper.make_node("Cast", ["f"], ["indices"], to=TensorProto.INT32),
    ]
    inputs = [
        helper.make_tensor_value_info("feats", TensorProto.FLOAT, [1, 128, "T"]),
        helper.make_tensor_value_info("feats_length", TensorProto.INT32, [1]),
    ]
    outputs = [helper.make_tensor_value_info("indices", TensorProto.INT32, [1, "N"])]
    whole = {"from": np.array([0], np.int32), "axis": np.array([2], np.int32)}
    return _model("speech_tokenizer", nodes, inputs, outputs, weights, whole)


def _model(
    name: str,
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
    weights: dict[str, np.ndarray],
    whole: dict[str, np.ndarray] | None = None,
) -> onnx.ModelProto:
    """A checked model of float32 weights and whole numbers, for onnxruntime of any age."""
    tensors = [numpy_helper.from_array(w.astype(np.float32), key) for key, w in weights.items()]
    tensors += [numpy_helper.from_array(w, key) for key, w in (whole or {}).items()]
    graph = helper.make_graph(nodes, name, inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    return model


if __name__ == "__main__":
    build(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
