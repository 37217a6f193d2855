"""Checkpoint files become named tensors: read safely, sanitized, and checked against every shape.

A file is opened as data alone (``weights_only``, or safetensors), so a checkpoint cannot run a
program. What `sanitize` leaves has to be what the model has, key for key and shape for shape; the
first that differs is named.
"""

from __future__ import annotations

import pickle
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor, nn

State = dict[str, "Tensor"]
Shape = tuple[int, ...]

AGAIN = "fetch it again with “rhapsode engines pull cosyvoice3”"


class BadModel(Exception):
    """A file of the model cannot be used; the text says which, and what is wrong with it."""


def _as_it_is(state: State) -> State:
    """Nothing to do."""
    return state


def sanitize_llm(state: State) -> State:
    """Drop ``llm.model.lm_head.weight``: tied to the text embedding, and unused for speech.

    Its 151,936 logits would be a third of the time of a token and no one reads them.
    """
    return {key: tensor for key, tensor in state.items() if key != "llm.model.lm_head.weight"}


def sanitize_vocoder(state: State) -> State:
    """Bring the vocoder's three spellings to one.

    - A file out of training holds the generator beside its discriminators: then what begins with
      ``generator.`` is kept, without that word, and what begins with ``discriminator.`` dropped.
    - ``weight_g``, ``weight_v`` are what older torch called the two halves of a weight norm.

    Raises:
        BadModel: A tensor is there in two spellings, and which one counts cannot be known.
    """
    prefixed = any(key.startswith("generator.") for key in state)
    halves = {"weight_g": "original0", "weight_v": "original1"}
    sane: State = {}
    for key, tensor in state.items():
        if prefixed and key.startswith("discriminator."):
            continue
        name = re.sub(
            r"\.(weight_[gv])$",
            lambda found: f".parametrizations.weight.{halves[found[1]]}",
            key.removeprefix("generator."),
        )
        if name in sane:
            raise BadModel(f"The vocoder's file holds “{name}” twice, once as “{key}”; {AGAIN}.")
        sane[name] = tensor
    return sane


@dataclass(frozen=True, slots=True)
class Part:
    """One of the three networks."""

    name: str
    """What a person calls it."""
    landmark: str
    """A key that it alone has."""
    sanitize: Callable[[State], State] = _as_it_is


PARTS = {
    "llm": Part("the speech language model (llm.pt)", "llm_decoder.weight", sanitize_llm),
    "flow": Part("the flow decoder (flow.pt)", "spk_embed_affine_layer.weight"),
    "vocoder": Part("the vocoder (hift.pt)", "m_source.l_linear.weight", sanitize_vocoder),
}
IGNORED = ("epoch", "step")
"""Counters that a training run leaves in a checkpoint; they are numbers, not tensors."""


def load_state(path: Path, part: str) -> State:
    """Read one network's file.

    Args:
        path: A torch file (``.pt``) or a ``.safetensors`` file.
        part: Which network it has to be: ``llm``, ``flow`` or ``vocoder``.

    Returns:
        Tensors on the CPU by key, after the part's sanitizer. They may be mapped from the file:
        whoever keeps one copies it.

    Raises:
        BadModel: It is missing, damaged, another network, or holds more than tensors of numbers.
    """
    import torch

    raw = _read(path)
    state = {key: value for key, value in raw.items() if key not in IGNORED}
    for key, value in state.items():
        if not _plain(value):
            raise BadModel(
                f"“{path.name}” holds something other than weights under “{key}”; {AGAIN}."
            )
    state = PARTS[part].sanitize(state)
    if PARTS[part].landmark not in state:
        raise BadModel(f"“{path.name}” {_what_it_is(state)}, where {PARTS[part].name} is needed.")
    for key, value in state.items():
        # A sum takes no memory, and is no number where one of its terms is none.
        if not value.sum(dtype=torch.promote_types(value.dtype, torch.float32)).isfinite():
            raise BadModel(f"“{path.name}” has values that are not numbers in “{key}”; {AGAIN}.")
    return state


def _plain(value: object) -> bool:
    """Whether this is a tensor of numbers in a format that a float32 stands for, all there."""
    import torch

    formats = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
    return (
        isinstance(value, torch.Tensor)
        and value.dtype in formats
        and value.layout == torch.strided
        and not value.is_meta
    )


def check(state: Mapping[str, Tensor], shapes: Mapping[str, Shape], file: str) -> None:
    """Hold a state against what the model has.

    Raises:
        BadModel: A key is missing, unknown, or has another shape; the first such is named.
    """
    for key, shape in shapes.items():
        if key not in state:
            raise BadModel(f"“{file}” lacks “{key}”: it is another model, or damaged; {AGAIN}.")
        if tuple(state[key].shape) != shape:
            raise BadModel(
                f"“{file}” has “{key}” with the shape {list(state[key].shape)}, where the rest of "
                f"the file asks for {list(shape)}; {AGAIN}."
            )
    for key in state:
        if key not in shapes:
            raise BadModel(f"“{file}” holds “{key}”, which this model does not have; {AGAIN}.")


def size(state: Mapping[str, Tensor], key: str, dimensions: int, file: str) -> Shape:
    """The shape of the tensor that a configuration is read off.

    Raises:
        BadModel: It is missing, or has another number of dimensions.
    """
    if key not in state:
        raise BadModel(f"“{file}” lacks “{key}”: it is another model, or damaged; {AGAIN}.")
    shape = tuple(state[key].shape)
    if len(shape) != dimensions or 0 in shape:
        raise BadModel(f"“{file}” has “{key}” with the odd shape {list(shape)}; {AGAIN}.")
    return shape


def count(state: Iterable[str], prefix: str) -> int:
    """How many numbered children a list of layers has: one more than the highest number."""
    found = (re.match(re.escape(prefix) + r"(\d+)\.", key) for key in state)
    return max((int(match[1]) + 1 for match in found if match), default=0)


def precision_of(module: nn.Module) -> str:
    """What a network's parameters are stored in: ``fp32``, ``fp16`` or such, ``+`` between several.

    Read off the tensors, so that what a recipe says of them cannot differ from them.
    """
    return precision_name(tensor.dtype for tensor in module.parameters())


def precision_name(dtypes: Iterable[object]) -> str:
    """What a recipe calls the number formats of some tensors, torch's or MLX's."""
    short = {"float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}
    names = {str(dtype).rpartition(".")[2] for dtype in dtypes}
    return "+".join(sorted(short.get(name, name) for name in names))


def _read(path: Path) -> dict[str, Tensor]:
    """Everything in a file, as its format's own safe reader gives it."""
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except FileNotFoundError:
        raise BadModel(f"“{path.name}” is not in the model folder “{path.parent}”.") from None
    except OSError as error:
        raise BadModel(f"“{path}” cannot be read: {error.strerror}.") from None
    if head.startswith(b"version https://git-lfs"):
        raise BadModel(
            f"“{path.name}” is only a pointer to the file that Git LFS would fetch; {AGAIN}."
        )
    content = _read_safetensors(path) if path.suffix == ".safetensors" else _read_torch(path, head)
    if not isinstance(content, Mapping) or not all(isinstance(key, str) for key in content):
        raise BadModel(f"“{path.name}” is not a table of named tensors; {AGAIN}.")
    return dict(content)


def _read_safetensors(path: Path) -> object:
    """A safetensors file."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(path)
    except (SafetensorError, OSError):
        raise BadModel(f"“{path.name}” is cut short or damaged; {AGAIN}.") from None


def _read_torch(path: Path, head: bytes) -> object:
    """A torch file; the current format is a zip archive and can be mapped, the older one cannot."""
    import torch

    archive = zipfile.is_zipfile(path)
    if head.startswith(b"PK") and not archive:
        raise BadModel(f"“{path.name}” is cut short: its end is missing; {AGAIN}.")
    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=archive)
    except MemoryError:
        raise
    except Exception as error:  # bytes that are no pickle can end a reader in any way
        named = re.search(r"(?:GLOBAL|global|class|function) '?`?([\w.]+\.\w+)", str(error))
        if isinstance(error, pickle.UnpicklingError) and named:
            raise BadModel(
                f"“{path.name}” asks for “{named[1]}”, which could run a program, so it was not "
                f"opened; {AGAIN}."
            ) from None
        raise BadModel(
            f"“{path.name}” is damaged, or not a file of weights that is safe to open; {AGAIN}."
        ) from None


def _what_it_is(state: Mapping[str, Tensor]) -> str:
    """What a file turned out to hold, after its name in a sentence."""
    if "llm_embedding.weight" in state:
        return "is of CosyVoice2, another model"
    for part in PARTS.values():
        if part.landmark in part.sanitize(dict(state)):
            return f"holds {part.name}"
    return f"holds a model with “{next(iter(state))}”" if state else "holds nothing"
