"""The shapes of the three networks, read off their tensors.

Nothing is guessed where a tensor says it; what no tensor tells comes from
``CosyVoice-BlankEN/config.json`` (the LLM) or stands here as a default with its source. Each
``…_config`` also holds the whole state against the shapes it implies, so a state that passed can be
loaded as it is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.narrators.cosyvoice3.shapes import (
    SPECIALS,
    flow_shapes,
    llm_shapes,
    vocoder_shapes,
)
from engine.narrators.cosyvoice3.weights import (
    AGAIN,
    BadModel,
    Shape,
    State,
    check,
    count,
    load_state,
    size,
)

__all__ = [
    "MODEL_FILES",
    "BadModel",
    "FlowConfig",
    "LlmConfig",
    "State",
    "VocoderConfig",
    "flow_config",
    "llm_config",
    "load_state",
    "vocoder_config",
]

MOST = 1e15
"""More than any number of a configuration; infinity is, and not a number is not less."""

MODEL_FILES = (
    "llm.pt",
    "flow.pt",
    "hift.pt",
    "campplus.onnx",
    "speech_tokenizer_v3.onnx",
    "CosyVoice-BlankEN/config.json",
    "CosyVoice-BlankEN/vocab.json",
    "CosyVoice-BlankEN/merges.txt",
)
"""What has to be in a model folder; nothing else in it is read."""


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """The Qwen2 body and the speech vocabulary around it."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int
    """Rows of the text embedding."""
    rope_theta: float
    rms_eps: float
    speech_tokens: int
    """N: the ids 0..N-1 are sound."""

    @property
    def sos(self) -> int:
        """Opens every sequence; a row of the speech embedding."""
        return self.speech_tokens

    @property
    def eos(self) -> int:
        """Ends the speech."""
        return self.speech_tokens + 1

    @property
    def task(self) -> int:
        """Stands between the text and the speech; a row of the speech embedding."""
        return self.speech_tokens + 2

    @property
    def fill(self) -> int:
        """Asks for more text, where text comes piece by piece."""
        return self.speech_tokens + 3

    @property
    def stop(self) -> range:
        """Every id that ends generation."""
        return range(self.speech_tokens, self.speech_tokens + SPECIALS)


@dataclass(frozen=True, slots=True)
class FlowConfig:
    """The look-ahead layer, the diffusion transformer (DiT) and its solver."""

    vocab: int
    """Speech tokens."""
    mel: int
    speaker: int
    """Length of the speaker vector as it comes in."""
    lookahead: int
    """Tokens that the look-ahead layer sees ahead."""
    lookahead_channels: int
    dim: int
    depth: int
    heads: int
    dim_head: int
    ff: int
    """Width of the feed-forward layers."""
    time_frequencies: int
    """Length of the sinusoidal time embedding."""
    conv_groups: int
    conv_kernel: int
    chunk: int = 50
    """Mel frames of one chunk of the streaming mask (the checkpoint's recipe)."""
    cfg_rate: float = 0.7
    """Weight of classifier-free guidance (the checkpoint's recipe)."""
    token_mel_ratio: int = 2
    """Mel frames of one speech token."""
    eps: float = 1e-6
    """Of the layer norms, which have no parameters."""


@dataclass(frozen=True, slots=True)
class VocoderConfig:
    """HiFT: pitch, harmonic source, upsampling stages, inverse Fourier transform."""

    mel: int
    channels: int
    """After the first convolution; halved by each stage."""
    upsample_rates: tuple[int, ...]
    upsample_kernels: tuple[int, ...]
    source_strides: tuple[int, ...]
    resblock_kernels: tuple[int, ...]
    """Of the blocks of one stage."""
    source_kernels: tuple[int, ...]
    """Of the source's block, by stage."""
    n_fft: int
    hop: int
    """Of the inverse Fourier transform."""
    look_right: int
    """Mel frames that the first convolution sees ahead."""
    harmonics: int
    """Beside the fundamental."""
    f0_channels: int
    f0_layers: tuple[int, ...]
    """Numbers of the convolutions within ``f0_predictor.condnet``."""
    f0_look_right: int
    dilations: tuple[int, ...] = (1, 3, 5)
    rate: int = 24000
    source_alpha: float = 0.1
    source_sigma: float = 0.003
    voiced_threshold: float = 10.0
    slope: float = 0.1
    """Of the leaky ReLUs, but for the last."""
    limit: float = 0.99
    """The waveform is clamped to this."""

    @property
    def samples_per_frame(self) -> int:
        """Samples of one mel frame."""
        product = self.hop
        for rate in self.upsample_rates:
            product *= rate
        return product


def llm_config(state: State, qwen_json: Path, file: str = "llm.pt") -> LlmConfig:
    """The LLM's configuration.

    Args:
        state: From `load_state`; checked key for key.
        qwen_json: ``CosyVoice-BlankEN/config.json``: the head counts, RoPE's base, RMSNorm's
            epsilon. Its weights file is never read: llm.pt holds the trained ones.
        file: What to call the state's file where it is at fault.

    Raises:
        BadModel: The file is not this model, or the two disagree.
    """
    qwen = _qwen(qwen_json)
    vocab, hidden = size(state, "llm.model.model.embed_tokens.weight", 2, file)
    rows, _ = size(state, "speech_embedding.weight", 2, file)
    first = "llm.model.model.layers.0."
    q_rows, _ = size(state, first + "self_attn.q_proj.weight", 2, file)
    k_rows, _ = size(state, first + "self_attn.k_proj.weight", 2, file)
    intermediate, _ = size(state, first + "mlp.gate_proj.weight", 2, file)
    heads, kv_heads = qwen["num_attention_heads"], qwen["num_key_value_heads"]
    config = LlmConfig(
        hidden=hidden,
        layers=count(state, "llm.model.model.layers."),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=q_rows // heads,
        intermediate=intermediate,
        vocab=vocab,
        rope_theta=float(qwen["rope_theta"]),
        rms_eps=float(qwen["rms_norm_eps"]),
        speech_tokens=rows - SPECIALS,
    )
    said = {
        "hidden_size": hidden,
        "num_hidden_layers": config.layers,
        "intermediate_size": intermediate,
        "num_attention_heads": q_rows / config.head_dim if config.head_dim else 0,
        "num_key_value_heads": k_rows / config.head_dim if config.head_dim else 0,
    }
    for key, value in said.items():
        if qwen[key] != value:
            raise BadModel(
                f"“{qwen_json.name}” says {key} = {qwen[key]}, “{file}” is made with {value:g}: "
                f"the two files are not of one model; {AGAIN}."
            )
    if heads % kv_heads or config.head_dim % 2 or config.speech_tokens < 1:
        raise BadModel(f"“{file}” has head counts or a vocabulary that cannot be; {AGAIN}.")
    check(state, llm_shapes(config), file)
    return config


def _qwen(path: Path) -> dict[str, Any]:
    """What is needed of a Qwen2 ``config.json``, under the names of transformers 4."""
    try:
        qwen = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadModel(f"“{path.name}” is not in the model folder “{path.parent}”.") from None
    except (OSError, ValueError):
        raise BadModel(f"“{path}” cannot be read as JSON; {AGAIN}.") from None
    if not isinstance(qwen, dict) or qwen.get("model_type", "qwen2") != "qwen2":
        raise BadModel(f"“{path.name}” is not the configuration of a Qwen2 model; {AGAIN}.")
    rope = qwen.get("rope_parameters") or {}  # where transformers 5 keeps it
    if not isinstance(rope, dict):
        raise BadModel(f"“{path.name}” has “rope_parameters” that are no table; {AGAIN}.")
    qwen.setdefault("rope_theta", rope.get("rope_theta"))
    wanted = ("hidden_size", "num_hidden_layers", "intermediate_size", "num_attention_heads")
    for key in (*wanted, "num_key_value_heads", "rope_theta", "rms_norm_eps"):
        value = qwen.get(key)
        kinds = (int, float) if key in ("rope_theta", "rms_norm_eps") else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < MOST:
            raise BadModel(f"“{path.name}” lacks a number for “{key}”; {AGAIN}.")
    scaled = qwen.get("rope_scaling") or rope.get("rope_type", "default") != "default"
    if scaled or qwen.get("use_sliding_window") or qwen.get("hidden_act", "silu") != "silu":
        raise BadModel(
            f"“{path.name}” describes a Qwen2 that this engine does not know (scaled RoPE, a "
            "sliding window, or another activation)."
        )
    return qwen


def flow_config(state: State, file: str = "flow.pt", *, chunk: int = 50) -> FlowConfig:
    """The flow decoder's configuration; see `llm_config`.

    Args:
        state: From `load_state`; checked key for key.
        file: What to call the state's file where it is at fault.
        chunk: Mel frames of a chunk of the streaming mask; no tensor tells it.

    Raises:
        BadModel: The file is not this model.
    """
    at = "decoder.estimator."
    vocab, mel = size(state, "input_embedding.weight", 2, file)
    _, speaker = size(state, "spk_embed_affine_layer.weight", 2, file)
    wide, _, kernel = size(state, "pre_lookahead_layer.conv1.weight", 3, file)
    dim, frequencies = size(state, at + "time_embed.time_mlp.0.weight", 2, file)
    inner, _ = size(state, at + "transformer_blocks.0.attn.to_q.weight", 2, file)
    ff, _ = size(state, at + "transformer_blocks.0.ff.ff.0.0.weight", 2, file)
    (half,) = size(state, at + "rotary_embed.inv_freq", 1, file)
    _, group, conv_kernel = size(state, at + "input_embed.conv_pos_embed.conv1.0.weight", 3, file)
    config = FlowConfig(
        vocab=vocab,
        mel=mel,
        speaker=speaker,
        lookahead=kernel - 1,
        lookahead_channels=wide,
        dim=dim,
        depth=count(state, at + "transformer_blocks."),
        heads=inner // (2 * half),
        dim_head=2 * half,
        ff=ff,
        time_frequencies=frequencies,
        conv_groups=dim // group,
        conv_kernel=conv_kernel,
        chunk=chunk,
    )
    check(state, flow_shapes(config), file)
    return config


def vocoder_config(state: State, file: str = "hift.pt") -> VocoderConfig:
    """The vocoder's configuration; see `llm_config`.

    An upsampling kernel is twice its rate and, where odd, one more; a source stride is half its
    kernel, and 1 for a kernel of 1.

    Args:
        state: From `load_state`; checked key for key.
        file: What to call the state's file where it is at fault.

    Raises:
        BadModel: The file is not this model.
    """

    def conv(key: str) -> Shape:
        return size(state, key + ".parametrizations.weight.original1", 3, file)

    stages = range(count(state, "ups."))
    channels, mel, kernel = conv("conv_pre")
    ups = tuple(conv(f"ups.{stage}")[2] for stage in stages)
    downs = tuple(size(state, f"source_downs.{stage}.weight", 3, file)[2] for stage in stages)
    blocks = count(state, "resblocks.") // max(1, len(stages))
    spectrum = conv("conv_post")[0]
    f0_channels, _, f0_kernel = conv("f0_predictor.condnet.0")
    layers = range(0, count(state, "f0_predictor.condnet."), 2)
    n_fft = spectrum - 2
    config = VocoderConfig(
        mel=mel,
        channels=channels,
        upsample_rates=tuple(kernel // 2 for kernel in ups),
        upsample_kernels=ups,
        source_strides=tuple(max(1, kernel // 2) for kernel in downs),
        resblock_kernels=tuple(conv(f"resblocks.{block}.convs1.0")[2] for block in range(blocks)),
        source_kernels=tuple(conv(f"source_resblocks.{stage}.convs1.0")[2] for stage in stages),
        n_fft=n_fft,
        hop=n_fft // 4,
        look_right=kernel - 1,
        harmonics=size(state, "m_source.l_linear.weight", 2, file)[1] - 1,
        f0_channels=f0_channels,
        f0_layers=tuple(layers),
        f0_look_right=f0_kernel - 1,
    )
    check(state, vocoder_shapes(config), file)
    return config
