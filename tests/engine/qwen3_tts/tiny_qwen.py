"""Makes tiny Qwen3-TTS folders with random weights: all parts of the real one, in 2 MB.

``python tiny_qwen.py FOLDER [KIND]`` makes one, in an environment that has mlx-audio.

A frame of it ends the clip with a chance of about one in eight, whatever is said, so that clips are
short and end; `endless` ones never do. The waveform has 24 samples a frame in place of 1920.

mlx-audio guesses from shapes whether a convolution is laid out as in torch, and is right for
kernels of one only where there are more than 64 channels; so there are 80 where they matter.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

CODES = 64
GROUPS = 4
SAMPLES = 24
"""Of a frame."""
EOS = CODES + 6
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tts_pad>", "<tts_text_bos>")
SPECIAL += ("<tts_text_eod>", "<|audio_start|>", "<think>")
SPEAKERS = {"ryan": CODES + 20, "dylan": CODES + 21}
LANGUAGES = {"english": CODES + 13, "chinese": CODES + 14, "german": CODES + 15}
LANGUAGES["beijing_dialect"] = CODES + 16
FIRST, ENDING = 2.0, 0.6
"""The first channel of what is heard, left alone by the layers, and how it speaks for the end."""
WIDTH = 64


def build(
    folder: Path,
    kind: str = "base",
    *,
    size: str = "1b7",
    seed: int = 0,
    endless: bool = False,
    bits: int = 0,
    dtype: mx.Dtype = mx.float32,
) -> Path:
    """Make a model folder.

    Args:
        folder: Where.
        kind: ``base``, ``custom_voice`` or ``voice_design``.
        size: ``1b7`` or ``0b6``.
        seed: Of the weights.
        endless: Whether no clip ever ends.
        bits: 8 for a quantised one, in groups of 64.
        dtype: Of the rest.
    """
    from mlx_audio.tts.models.qwen3_tts import qwen3_tts as module
    from mlx_audio.tts.models.qwen3_tts.config import ModelConfig, Qwen3TTSTokenizerConfig
    from mlx_audio.tts.models.qwen3_tts.speech_tokenizer import Qwen3TTSSpeechTokenizer

    (folder / "speech_tokenizer").mkdir(parents=True)
    ids = _tokenizer(folder)
    config, speech = _config(kind, size, ids), _speech_config()
    mx.random.seed(seed)
    model = module.Model(ModelConfig.from_dict(config))
    weights = _talker(dict(tree_flatten(model.parameters())), endless)
    weights = {name: value.astype(dtype) for name, value in weights.items()}
    model.load_weights(list(weights.items()))
    if bits:
        config["quantization"] = {"group_size": 64, "bits": bits}
        weights = _quantised(model, bits)
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    tokenizer = Qwen3TTSSpeechTokenizer(Qwen3TTSTokenizerConfig(**speech))
    codec = _codec(dict(tree_flatten(tokenizer.parameters())))
    mx.save_safetensors(str(folder / "speech_tokenizer" / "model.safetensors"), codec)
    sampling = {"do_sample": True, "temperature": 0.9, "top_k": 50, "top_p": 1.0}
    _write(folder / "config.json", config)
    _write(folder / "speech_tokenizer" / "config.json", speech)
    _write(folder / "generation_config.json", {**sampling, "repetition_penalty": 1.05})
    return folder


def _tokenizer(folder: Path) -> dict[str, int]:
    """Write a byte-level tokenizer that knows two words; returns the ids of its commands.

    In the files that the real one has: ``vocab.json``, ``merges.txt``, and the commands apart.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=294,
        min_frequency=1,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["assistant user"] * 50, trainer)
    tokenizer.model.save(str(folder))
    first = tokenizer.get_vocab_size()
    ids = {name: first + number for number, name in enumerate(SPECIAL)}
    plain = {"lstrip": False, "normalized": False, "rstrip": False, "single_word": False}
    added = {
        str(number): {"content": name, "special": name.startswith("<|"), **plain}
        for name, number in ids.items()
    }
    about = {"tokenizer_class": "Qwen2Tokenizer", "eos_token": "<|im_end|>"}
    about |= {"pad_token": "<|endoftext|>", "unk_token": None, "added_tokens_decoder": added}
    _write(folder / "tokenizer_config.json", about)
    return {**ids, "": first + len(SPECIAL)}


def _config(kind: str, size: str, ids: dict[str, int]) -> dict[str, Any]:
    """The model's configuration."""
    shape = {"hidden_size": WIDTH, "intermediate_size": 96, "num_attention_heads": 4}
    shape |= {"num_key_value_heads": 2, "head_dim": 16, "num_code_groups": GROUPS}
    named = SPEAKERS if kind == "custom_voice" else {}
    talker = {
        **shape,
        "vocab_size": 1024 + CODES,
        "num_hidden_layers": 2,
        "text_hidden_size": 48,
        "text_vocab_size": ids[""],
        "rope_scaling": {"interleaved": True, "mrope_section": [4, 2, 2], "rope_type": "default"},
        "codec_eos_token_id": EOS,
        "codec_pad_id": CODES + 7,
        "codec_bos_id": CODES + 8,
        "codec_think_id": CODES + 9,
        "codec_nothink_id": CODES + 10,
        "codec_think_bos_id": CODES + 11,
        "codec_think_eos_id": CODES + 12,
        "codec_language_id": LANGUAGES,
        "spk_id": named,
        "spk_is_dialect": {name: name == "dylan" and "beijing_dialect" for name in named},
        "code_predictor_config": {**shape, "vocab_size": CODES, "num_hidden_layers": 1},
    }
    encoder = {"mel_dim": 128, "enc_dim": WIDTH, "enc_channels": [80, 80, 80, 80, 240]}
    encoder |= {"enc_kernel_sizes": [5, 3, 3, 3, 1], "enc_dilations": [1, 2, 3, 4, 1]}
    encoder |= {"enc_attention_channels": 80, "enc_res2net_scale": 2, "enc_se_channels": 80}
    return {
        "model_type": "qwen3_tts",
        "tts_model_type": kind,
        "tts_model_size": size,
        "tokenizer_type": "qwen3_tts_tokenizer_12hz",
        "talker_config": talker,
        "speaker_encoder_config": {**encoder, "sample_rate": 24000},
        "im_start_token_id": ids["<|im_start|>"],
        "im_end_token_id": ids["<|im_end|>"],
        "tts_pad_token_id": ids["<tts_pad>"],
        "tts_bos_token_id": ids["<tts_text_bos>"],
        "tts_eos_token_id": ids["<tts_text_eod>"],
    }


def _speech_config() -> dict[str, Any]:
    """The speech tokenizer's configuration."""
    decoder = {"latent_dim": 32, "codebook_dim": 160, "codebook_size": CODES, "decoder_dim": 160}
    decoder |= {"hidden_size": 32, "intermediate_size": 64, "head_dim": 16, "sliding_window": 72}
    decoder |= {"num_attention_heads": 2, "num_hidden_layers": 1, "num_key_value_heads": 2}
    decoder |= {"num_quantizers": GROUPS, "num_semantic_quantizers": 1}
    decoder |= {"semantic_codebook_size": CODES, "vector_quantization_hidden_dimension": 80}
    encoder = {"codebook_dim": 80, "codebook_size": CODES, "hidden_size": 80, "head_dim": 40}
    encoder |= {"intermediate_size": 80, "num_attention_heads": 2, "num_hidden_layers": 1}
    encoder |= {"num_key_value_heads": 2, "num_filters": 4, "num_quantizers": GROUPS}
    encoder |= {"vector_quantization_hidden_dimension": 80, "sliding_window": 250}
    return {
        "encoder_valid_num_quantizers": GROUPS,
        "input_sample_rate": 24000,
        "output_sample_rate": 24000,
        "decode_upsample_rate": SAMPLES,
        "encode_downsample_rate": 1920,
        "decoder_config": {**decoder, "upsample_rates": [6], "upsampling_ratios": [2, 2]},
        "encoder_config": {**encoder, "upsampling_ratios": [8, 6, 5, 4]},
    }


def _talker(weights: dict[str, mx.array], endless: bool) -> dict[str, mx.array]:
    """Weights of which the first channel says how likely the end is, and little else is faint."""
    made = {}
    for name, value in weights.items():
        if "layers" in name and name.endswith("_proj.weight"):
            value = 2 * value  # so that a token far back is heard
        if name.startswith("talker.model.layers") and name.endswith(
            ("o_proj.weight", "down_proj.weight")
        ):
            value[0] = 0
        if "text_projection.linear_fc2" in name:
            value[0] = 0
        if "codec_embedding" in name:
            value[:, 0] = FIRST
        if name.endswith("codec_head.weight"):
            value[EOS] = 0
            value[EOS, 0] = -50.0 if endless else ENDING
        made[name] = value
    return made


def _quantised(model: Any, bits: int) -> dict[str, mx.array]:
    """The weights, as mlx-audio quantises them."""
    import mlx.nn as nn

    def wanted(path: str, module: Any) -> bool:
        return (
            hasattr(module, "to_quantized")
            and module.weight.shape[-1] % 64 == 0
            and model.model_quant_predicate(path, module)
        )

    nn.quantize(model, group_size=64, bits=bits, class_predicate=wanted)
    return dict(tree_flatten(model.parameters()))


def _codec(weights: dict[str, mx.array]) -> dict[str, mx.array]:
    """Weights with codebooks that differ, under the checkpoint's names and in torch's layout."""
    made = {}
    for name, value in weights.items():
        if "codebook" in name and value.ndim == 2:
            value = mx.random.normal(value.shape)
        if name.startswith("decoder."):
            made |= _decoder(name, value)
        elif not name.endswith(".initialized"):
            made |= _encoder(name, value)
    return made


def _decoder(name: str, value: mx.array) -> dict[str, mx.array]:
    """The checkpoint keeps sums and counts of a codebook, not its entries."""
    if not name.endswith(".codebook.embed.weight"):
        return {name: value}
    base = name.removesuffix("codebook.embed.weight") + "_codebook."
    usage = mx.full((value.shape[0],), 2.0)
    return {base + "cluster_usage": usage, base + "embedding_sum": 2 * value}


_ENCODER = (
    (r"encoder\.init_conv1d\.conv", lambda m: "encoder.layers.0"),
    (r"encoder\.final_conv1d\.conv", lambda m: "encoder.layers.14"),
    (r"encoder\.layers\.(\d)\.downsample\.conv", lambda m: f"encoder.layers.{3 * int(m[1]) + 3}"),
    (
        r"encoder\.layers\.(\d)\.residuals\.0\.block\.(\d)\.conv",
        lambda m: f"encoder.layers.{3 * int(m[1]) + 1}.block.{2 * int(m[2]) + 1}",
    ),
    (r"downsample\.conv\.conv", lambda m: "downsample"),
    (r"encoder_transformer\.transformer", lambda m: "encoder_transformer"),
    (r"gating\.linear(\d)", r"mlp.fc\1"),
    (r"norm1", "input_layernorm"),
    (r"norm2", "post_attention_layernorm"),
    (r"layer_scale_1", "self_attn_layer_scale"),
    (r"layer_scale_2", "mlp_layer_scale"),
    (r"out_proj", "o_proj"),
    (r"rvq_first(\.vq)?", "semantic_residual_vector_quantizer"),
    (r"rvq_rest(\.vq)?", "acoustic_residual_vector_quantizer"),
    (r"embedding_sum", "embed_sum"),
)


def _encoder(name: str, value: mx.array) -> dict[str, mx.array]:
    """One weight of the encoder."""
    new = name.removeprefix("encoder_model.")
    if ".rvq_" in name:
        new = new.replace("output_proj", "OUTPUT")  # contains another name that is replaced
    for pattern, instead in _ENCODER:
        new = re.sub(pattern, instead, new)
    new = "encoder." + new.replace("OUTPUT", "output_proj")
    if name.endswith("cluster_usage"):
        value = mx.ones(value.shape)
    if value.ndim == 3:
        value = value.swapaxes(-1, -2)
    if ".in_proj." in new:
        parts = mx.split(value, 3, axis=0)
        return {
            new.replace("in_proj", f"{it}_proj"): part
            for it, part in zip("qkv", parts, strict=True)
        }
    return {new: value}


def _write(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1]), *sys.argv[2:3])
