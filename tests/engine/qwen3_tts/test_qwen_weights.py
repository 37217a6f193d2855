"""Speech tokenizers in the layouts that lie in the world: which are read, which are refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest
import tiny_qwen
from mlx.utils import tree_flatten
from mlx_audio.tts.models.qwen3_tts.config import Qwen3TTSTokenizerConfig
from mlx_audio.tts.models.qwen3_tts.speech_tokenizer import Qwen3TTSSpeechTokenizer
from qwen_rig import TRANSCRIPT, clip, loaded, record

from engine import wire
from engine.narrators.qwen3_tts import model
from engine.registry import Fatal

Weights = dict[str, mx.array]
Change = Callable[[Weights], Weights]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_qwen.build(tmp_path_factory.mktemp("models") / "base")


def changed(tiny: Path, to: Path, change: Change) -> Path:
    """A folder whose speech tokenizer has other weights; the rest is linked."""
    (to / "speech_tokenizer").mkdir(parents=True)
    for path in tiny.rglob("*"):
        if path.is_file():
            (to / path.relative_to(tiny)).symlink_to(path)
    weights = to / "speech_tokenizer" / "model.safetensors"
    read = dict(mx.load(str(weights)))
    weights.unlink()
    mx.save_safetensors(str(weights), change(read))
    return to


def tokenizer(tiny: Path) -> Qwen3TTSSpeechTokenizer:
    config = json.loads((tiny / "speech_tokenizer" / "config.json").read_text())
    return Qwen3TTSSpeechTokenizer(Qwen3TTSTokenizerConfig(**config))


def sounds(folder: Path, reference: Path) -> bytes:
    """What the model says in a cloned voice."""
    narrator = loaded(folder)
    voice = wire.Voice("v", reference=str(reference), transcript=TRANSCRIPT, language="en")
    narrator.prepare_voice(voice)
    return clip(narrator, "Nobody came.").samples.tobytes()


def own_names(weights: Weights) -> Weights:
    """The decoder as mlx-audio would save it: its own layout, and entries of codebooks.

    An encoder in its own layout it cannot read again: it takes narrow ones for torch's.
    """
    decoder = {name: value for name, value in weights.items() if name.startswith("decoder.")}
    rest = {name: value for name, value in weights.items() if name not in decoder}
    return {**Qwen3TTSSpeechTokenizer.sanitize(decoder), **rest}


def without(pattern: str) -> Change:
    return lambda weights: {
        name: value for name, value in weights.items() if not re.search(pattern, name)
    }


def quantised(weights: Weights) -> Weights:
    made: Weights = {}
    for name, value in weights.items():
        if name.startswith("decoder.pre_transformer") and value.ndim == 2:
            base = name.removesuffix(".weight")
            made[name], made[f"{base}.scales"], made[f"{base}.biases"] = mx.quantize(value, 32, 8)
        else:
            made[name] = value
    return made


def test_what_is_drawn_is_what_differs_between_two_new_ones(tiny: Path) -> None:
    one, other = (dict(tree_flatten(tokenizer(tiny).parameters())) for _ in range(2))
    differ = {name for name in one if not mx.array_equal(one[name], other[name]).item()}
    shapes = {name: tuple(value.shape) for name, value in one.items()}
    told = {name for name in one if model.is_drawn(name, shapes)}
    # The encoder's codebooks begin with zeros, which would be as bad.
    assert told == differ | {name for name in one if name.endswith(".embedding_sum")}
    assert {"decoder.pre_transformer.input_proj.bias", "decoder.upsample.0.1.pwconv1.bias"} <= told


@pytest.mark.parametrize(
    "change",
    [
        own_names,
        # Halves that only the other way through the codebooks needs.
        without(r"^decoder\.quantizer\..*input_proj|^encoder\.quantizer\..*output_proj"),
        without(r"codebook\.initialized|inv_freq"),
        lambda weights: {**weights, "encoder.upsample.conv.weight": mx.zeros((8, 1, 4))},
        lambda weights: {**weights, "decoder.pre_transformer.rotary_emb.inv_freq": mx.zeros(8)},
    ],
    ids=["own-names", "halves", "no-counters", "more", "buffers"],
)
def test_layouts_that_mlx_audio_reads_are_read_and_sound_alike(
    tiny: Path, tmp_path: Path, change: Change
) -> None:
    reference = record(tmp_path / "one.wav")
    assert sounds(changed(tiny, tmp_path / "m", change), reference) == sounds(tiny, reference)


def test_codebooks_that_are_never_asked_for_may_be_missing(tiny: Path, tmp_path: Path) -> None:
    """The published encoder has 32 and gives the codes of 16."""
    folder = changed(tiny, tmp_path / "m", lambda weights: weights)
    path = folder / "speech_tokenizer" / "config.json"
    config = json.loads(path.read_text())
    path.unlink()
    config["encoder_config"]["num_quantizers"] = 20
    path.write_text(json.dumps(config))
    with pytest.raises(Fatal, match=r"lacks “encoder_model\.quantizer\.rvq_rest\.vq\.layers\.3\."):
        loaded(folder)
    weights = folder / "speech_tokenizer" / "model.safetensors"
    read = dict(mx.load(str(weights)))
    like = "encoder.quantizer.acoustic_residual_vector_quantizer.layers.2.codebook."
    more = {
        name.replace("layers.2", f"layers.{layer}"): value
        for name, value in read.items()
        if name.startswith(like)
        for layer in range(3, 15)
    }
    mx.save_safetensors(str(weights), {**read, **more})
    loaded(folder)


def test_a_model_that_clones_nothing_needs_no_encoder(tmp_path: Path) -> None:
    tiny = tiny_qwen.build(tmp_path / "custom", "custom_voice")
    loaded(changed(tiny, tmp_path / "m", without(r"^encoder\.")))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (quantised, "is quantised, which mlx-audio cannot read"),
        (without(r"pwconv1\.bias"), r"lacks “decoder\.upsample\.0\.1\.pwconv1\.bias”"),
        (without(r"rvq_first.*cluster_usage"), r"lacks “decoder\.quantizer.*embed\.weight”"),
        (without(r"^encoder\..*embed_sum"), r"lacks “encoder_model\.quantizer.*embedding_sum”"),
        (without(r"^encoder\..*k_proj"), r"lacks “encoder_model\..*in_proj\.weight”"),
        (
            # A convolution whose norm was never folded into it; mlx-audio knows no such names.
            lambda weights: {
                name.replace("pre_conv.conv.weight", "pre_conv.conv.weight_v"): value
                for name, value in weights.items()
            },
            r"lacks “decoder\.pre_conv\.conv\.weight”",
        ),
    ],
    ids=["quantised", "bias", "usage", "sum", "attention", "weight-norm"],
)
def test_what_would_stay_random_is_refused(
    tiny: Path, tmp_path: Path, change: Change, words: str
) -> None:
    with pytest.raises(Fatal, match=words):
        loaded(changed(tiny, tmp_path / "m", change))


def test_a_norm_that_is_not_there_is_told_in_the_log(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = changed(tiny, tmp_path / "m", without(r"pre_transformer\.norm"))
    loaded(folder)
    assert "lacks 1 values, such as decoder.pre_transformer.norm.weight" in capsys.readouterr().err
