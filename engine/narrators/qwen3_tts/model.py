"""The model as mlx-audio loads it, with what it lets pass in silence looked at.

mlx-audio 0.6.2 prints where it should fail: a tokenizer or speech tokenizer that cannot be read
leaves a model that fails at its first clip, and the speech tokenizer's weights are taken whatever
their shapes. So all of it is checked here, once. Two things of it are replaced: what draws (see
`chance`), and the length that the speech tokenizer says its sound has (see `_whole_length`).
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.narrators.qwen3_tts.chance import Chance
from engine.narrators.qwen3_tts.options import defaults
from engine.narrators.qwen3_tts.voices import RATE, Kind, Model
from engine.registry import Fatal, Refusal

PULL = "Fetch it again with “rhapsode engines pull qwen3-tts”."
LANGUAGES = {
    "zh": "chinese",
    "en": "english",
    "ja": "japanese",
    "ko": "korean",
    "de": "german",
    "fr": "french",
    "ru": "russian",
    "pt": "portuguese",
    "es": "spanish",
    "it": "italian",
}
"""Tag → the model's own name; another name, such as “en”, it would take for no language at all."""
_NEEDED = ("config.json", "model*.safetensors", "speech_tokenizer/config.json")
_NEEDED += ("speech_tokenizer/*.safetensors",)
_TOKENIZER = ("tokenizer.json", "vocab.json", "merges.txt", "tokenizer_config.json")
_OTHERS = ("generation_config.json", "model.safetensors.index.json", "added_tokens.json")
_OTHERS += ("special_tokens_map.json",)


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A model that is ready."""

    model: Any
    """mlx-audio's."""
    chance: Chance
    kind: Model
    languages: dict[str, str]
    """Those that this model names, by tag."""
    control_ids: frozenset[int]
    precision: str
    groups: int
    """Draws of one frame: its codebooks."""
    samples: int
    """Of one frame."""
    device: str

    def encode(self, text: str) -> list[int]:
        """The text's ids."""
        return list(self.model.tokenizer.encode(text))


def files(folder: Path) -> list[str]:
    """The files of a model's folder that decide its sound, in order.

    Raises:
        Fatal: One that is needed is missing.
    """
    found: list[str] = []
    for pattern in (*_NEEDED, *_TOKENIZER, *_OTHERS):
        paths = sorted(path for path in folder.glob(pattern) if path.is_file())
        if not paths and pattern in _NEEDED:
            raise Fatal(f"The model folder “{folder}” lacks “{pattern}”. {PULL}")
        found += [path.relative_to(folder).as_posix() for path in paths]
    if "tokenizer.json" not in found and not {"vocab.json", "merges.txt"} <= {*found}:
        raise Fatal(
            f"The model folder “{folder}” lacks its tokenizer: “tokenizer.json”, or “vocab.json” "
            f"and “merges.txt”. {PULL}"
        )
    return found


def kind_of(folder: Path) -> Kind:
    """Which of the models a folder holds.

    Raises:
        Fatal: It is another model, or one of these that this version does not know.
    """
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text("utf-8"))
        family, kind = config.get("model_type"), config.get("tts_model_type", "base")
    except (OSError, ValueError, AttributeError) as error:
        raise Fatal(f"“{path}” cannot be read: {error}. {PULL}") from error
    if family != "qwen3_tts":
        raise Fatal(f"“{folder}” holds a model of the kind “{family}”, which is no Qwen3-TTS.")
    if kind not in tuple(Kind):
        raise Fatal(f"“{folder}” holds a Qwen3-TTS of the kind “{kind}”, which is not known here.")
    return Kind(kind)


def load(folder: Path, device: str, progress: Callable[[float], None]) -> Loaded:
    """Load a model, on the thread that will use it.

    Args:
        folder: Where it lies.
        device: ``auto``, ``cpu`` or ``gpu``.
        progress: Told how far it is, 0 to 1.

    Raises:
        Fatal: It cannot be loaded here, or is not whole.
    """
    kind = kind_of(folder)
    # Nothing is fetched and nobody is asked: all there is lies in the folder.
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")
    device = _settle(device)
    said = io.StringIO()
    try:
        with redirect_stdout(said):
            from mlx_audio.tts.models.qwen3_tts import qwen3_tts as module
            from mlx_audio.tts.utils import load_model

            progress(0.2)
            model = load_model(folder)
    except ImportError as error:
        raise Fatal(
            "The engine qwen3-tts cannot start, because a Python package is missing or broken: "
            f"{error}. Install it again with “rhapsode engines install qwen3-tts”."
        ) from error
    except (ValueError, KeyError, TypeError, OSError, RuntimeError) as error:
        raise Fatal(f"The model in “{folder}” cannot be loaded: {_line(error)}. {PULL}") from error
    finally:
        sys.stderr.write(said.getvalue())
    progress(0.8)
    _refuse_half_loaded(model, kind, folder, said.getvalue())
    _refuse_other_weights(model, kind, folder)
    _whole_length(model.speech_tokenizer)
    return _described(model, kind, _take_over_chance(module), device)


def _take_over_chance(module: Any) -> Chance:
    """Replace what draws in mlx-audio's model, once in a process."""
    drawing = getattr(module, "categorical_sampling", None)
    if drawing is None:
        raise Fatal(
            "This version of mlx-audio draws in another way than this engine knows, so no seed "
            "would hold. Install the engine again with “rhapsode engines install qwen3-tts”."
        )
    if not isinstance(drawing, Chance):
        module.categorical_sampling = drawing = Chance()
    return drawing


def _described(model: Any, kind: Kind, chance: Chance, device: str) -> Loaded:
    """A model with what there is to know of it."""
    talker = model.config.talker_config
    languages = {tag: name for tag, name in LANGUAGES.items() if name in _names(talker)}
    if not languages:
        raise Fatal(f"The model's “config.json” names no language that is known here. {PULL}")
    controls = model.tokenizer.get_added_vocab()
    _refuse_other_tokenizer(model)
    try:
        usual = defaults(model.generate_config)
    except Refusal as error:
        raise Fatal(f"The model's “generation_config.json” cannot be used: {error}") from error
    about = Model(
        kind=kind,
        speakers=tuple(model.get_supported_speakers()),
        follows_style=model.config.tts_model_size != "0b6",
        controls=tuple(sorted(controls, key=len, reverse=True)),
        sampling=usual,
    )
    return Loaded(
        model=model,
        chance=chance,
        kind=about,
        languages=languages,
        control_ids=frozenset(controls.values()),
        precision=_precision(model),
        groups=talker.num_code_groups,
        samples=model.speech_tokenizer.decode_upsample_rate,
        device=device,
    )


def _names(talker: Any) -> set[str]:
    """The model's names of languages."""
    return {name.lower() for name in talker.codec_language_id or ()}


def _settle(device: str) -> str:
    """Choose the device, and have it named as a card does.

    On the processor nothing is compiled: MLX would have a C++ compiler, where there is one, write
    libraries into a temporary folder that all users share, and load what it finds there.
    """
    import mlx.core as mx

    gpu = "metal" if mx.metal.is_available() else "cuda" if mx.cuda.is_available() else ""
    if device == "gpu" and not gpu:
        raise Fatal(
            f"There is no GPU that MLX {mx.__version__} could use here. Set the option “device” to "
            "“auto” or “cpu”."
        )
    if gpu and device != "cpu":
        mx.set_default_device(mx.gpu)
        return gpu
    mx.set_default_device(mx.cpu)
    mx.disable_compile()
    return "cpu"


# ---- what mlx-audio lets pass --------------------------------------------------------------------


def _refuse_half_loaded(model: Any, kind: Kind, folder: Path, said: str) -> None:
    """Refuse a model that lacks a part, of which mlx-audio only prints a warning."""
    warnings = [line for line in said.splitlines() if line.startswith("Warning:")]
    why = f" ({warnings[-1].removeprefix('Warning:').strip()})" if warnings else ""
    if model.tokenizer is None:
        raise Fatal(f"The tokenizer in “{folder}” cannot be loaded{why}. {PULL}")
    if model.speech_tokenizer is None:
        raise Fatal(f"The speech tokenizer in “{folder}” cannot be loaded{why}. {PULL}")
    if kind is Kind.BASE and not model.speech_tokenizer.has_encoder:
        raise Fatal(
            f"The speech tokenizer in “{folder}” has no encoder, without which no voice can be "
            f"cloned. {PULL}"
        )
    if model.sample_rate != RATE:
        raise Fatal(f"The model in “{folder}” works at {model.sample_rate} Hz, not {RATE}.")


def _refuse_other_weights(model: Any, kind: Kind, folder: Path) -> None:
    """Refuse a speech tokenizer of which a part that is used would stay random, or has no place.

    mlx-audio takes what there is and leaves the rest as it was drawn.
    """
    import mlx.core as mx
    from mlx.utils import tree_flatten

    fresh = type(model.speech_tokenizer)(model.speech_tokenizer.config)
    wanted = {name: tuple(value.shape) for name, value in tree_flatten(fresh.parameters())}
    read: dict[str, Any] = {}
    for path in sorted((folder / "speech_tokenizer").glob("*.safetensors")):
        read.update(mx.load(str(path)))
    given = {name: tuple(value.shape) for name, value in fresh.sanitize(read).items()}
    if any(name.endswith(".scales") for name in read):
        raise Fatal(
            f"The speech tokenizer in “{folder}” is quantised, which mlx-audio cannot read: it "
            f"quantises the rest of the model only. {PULL}"
        )
    used = {name: shape for name, shape in wanted.items() if _is_used(name, kind)}
    missing = [name for name in used if name not in given]
    drawn = [name for name in missing if is_drawn(name, wanted)]
    if drawn:
        raise Fatal(f"The speech tokenizer in “{folder}” lacks “{drawn[0]}”. {PULL}")
    for name, shape in used.items():
        if given.get(name, shape) != shape:
            raise Fatal(
                f"In the speech tokenizer in “{folder}”, “{name}” has the shape "
                f"{_shape(given[name])} and not {_shape(shape)}. {PULL}"
            )
    left = [name for name in missing if not name.endswith(".initialized")]
    if left:
        sys.stderr.write(f"The speech tokenizer lacks {len(left)} values, such as {left[0]}.\n")


_CODEBOOK = re.compile(r"encoder_model\.quantizer\.rvq_rest\.vq\.layers\.(\d+)\.")
_HEARD = 15
"""Of the encoder's codebooks after the first, so many are asked for; the published one has 31."""


def _is_used(name: str, kind: Kind) -> bool:
    """Whether a weight of the speech tokenizer has a part in what this engine does.

    A folder may have been rid of the others: of the encoder, where nothing is cloned, and of what
    each half has of the other half's way through its codebooks.
    """
    if name.startswith("encoder_model."):
        book = _CODEBOOK.match(name)
        return (
            kind is Kind.BASE
            and not (book and int(book[1]) >= _HEARD)
            and not re.search(r"quantizer\.rvq_\w+\.output_proj\.", name)
        )
    return not re.search(r"quantizer\.rvq_\w+\.input_proj\.", name)


def is_drawn(name: str, shapes: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether a weight that is not read keeps values of chance, or a codebook its zeros.

    Norms, scales and the biases of convolutions begin with values of their own.

    Args:
        name: Of the weight.
        shapes: Of all weights, by name.
    """
    owner, _, leaf = name.rpartition(".")
    if leaf == "bias":
        return len(shapes.get(f"{owner}.weight", ())) == 2  # a linear layer draws its bias, too
    return leaf == "embedding_sum" or (leaf == "weight" and len(shapes[name]) > 1)


def _refuse_other_tokenizer(model: Any) -> None:
    """Refuse a tokenizer that cuts the frame around a text otherwise than mlx-audio expects."""
    head = model.tokenizer.encode("<|im_start|>assistant\n")
    tail = model.tokenizer.encode("<|im_end|>\n<|im_start|>assistant\n")
    if (len(head), len(tail)) != (3, 5):
        raise Fatal(
            f"The tokenizer is not this model's: it makes {len(head)} and {len(tail)} tokens of "
            f"what stands around a text, and not 3 and 5. {PULL}"
        )


def _whole_length(tokenizer: Any) -> None:
    """Have the speech tokenizer say the true length of its sound.

    mlx-audio 0.6.2 counts the codes of the first codebook that are above zero, as if a zero were
    padding. It is a code like others, and each one took 80 ms from the end of the clip; in cloning,
    those of the reference too.
    """
    import mlx.core as mx

    decode = tokenizer.decode

    def whole(codes: mx.array) -> tuple[mx.array, mx.array]:
        """Codes [B, T, Q] → sound [B, samples] and lengths [B]."""
        sound, _ = decode(codes)
        frames = codes.shape[1] * tokenizer.decode_upsample_rate
        return sound, mx.full((codes.shape[0],), min(frames, sound.shape[-1]), mx.int32)

    tokenizer.decode = whole


# ---- what it is ----------------------------------------------------------------------------------


def _precision(model: Any) -> str:
    """Number formats, read off the arrays: ``8-bit group 64+bf16+fp32``, the commonest first."""
    import mlx.core as mx
    from mlx.utils import tree_flatten

    names = {mx.float32: "fp32", mx.bfloat16: "bf16", mx.float16: "fp16"}
    counts: Counter[str] = Counter()
    quantised = {
        path: f"{module.bits}-bit group {module.group_size}"
        for path, module in model.named_modules()
        if hasattr(module, "bits") and hasattr(module, "group_size")
    }
    for path, value in tree_flatten(model.parameters()):
        owner, _, leaf = path.rpartition(".")
        if leaf == "weight" and owner in quantised:
            counts[quantised[owner]] += value.nbytes
        elif value.dtype in names:
            counts[names[value.dtype]] += value.nbytes
    return "+".join(name for name, _ in counts.most_common())


def _shape(shape: Iterable[int]) -> str:
    """A shape for a person."""
    return "×".join(map(str, shape))


def _line(error: Exception) -> str:
    """The first line of an exception."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
