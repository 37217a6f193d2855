"""The hibari network, opened up so that a take can bend its tempo and its pitch.

hibari 0.2.1 (Apache-2.0, the package hibari-tts) is one ONNX graph from phonemes to
spectra. It predicts a duration x for each phoneme and makes it round((exp(x) - 1) / speed) frames
of 25 ms; the fundamental f0 has twice that frame rate, and the decoder is conditioned on it. Its
own seed reaches the breath noise only, which nobody hears. So three things differ here:

- ``speed`` becomes one number per phoneme (the division broadcasts as it is);
- a new input ``pitch``, one factor per phoneme, is multiplied into f0 before the decoder reads it;
- the frames per phoneme become an output, ``frames``: exact word times for nothing.

With speed constant and pitch 1 the spectra are those of the untouched graph, to the bit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from engine.registry import Fatal

FRAMES_OUTPUT = "frames"
"""Name of the added output: frames of 25 ms per phoneme."""


def read_weights(path: Path, sha256: str) -> bytes:
    """Read the model file and check that it is the one that is expected.

    Raises:
        Fatal: It is not there, or it is another.
    """
    try:
        weights = path.read_bytes()
    except OSError as error:
        raise Fatal(
            f"The model of hibari cannot be read: {error}. Install hibari-tts again."
        ) from error
    found = hashlib.sha256(weights).hexdigest()
    if found != sha256:
        raise Fatal(
            f"The model of hibari is not the one this engine was made for: its SHA-256 starts with "
            f"{found[:12]} instead of {sha256[:12]}. Install hibari-tts 0.2.1 again."
        )
    return weights


def open_up(weights: bytes) -> bytes:
    """Make the changes described above; returns the new model, serialised."""
    model = onnx.load_model_from_string(weights)
    graph = model.graph
    _speed_per_phoneme(graph)
    _pitch_per_phoneme(graph)
    _frames_as_output(graph)
    return bytes(model.SerializeToString())


def _speed_per_phoneme(graph: onnx.GraphProto) -> None:
    """Let ``speed`` be a vector as long as ``ids``."""
    speed = _only(item for item in graph.input if item.name == "speed")
    size = speed.type.tensor_type.shape.dim[0]
    size.Clear()
    size.dim_param = "L"


def _pitch_per_phoneme(graph: onnx.GraphProto) -> None:
    """Multiply f0 by a factor per phoneme, held over that phoneme's frames."""
    f0 = _only(node for node in graph.node if "f0" in node.output)
    # The sum over comparisons of each frame's number with the cumulated durations: which phoneme a
    # frame belongs to. The encoder's states are gathered by it, and the pitch is too.
    owner = _only(
        node.output[0] for node in graph.node if node.op_type == "ReduceSum" and len(node.input) > 1
    )
    f0.output[0] = "f0_flat"
    graph.input.append(helper.make_tensor_value_info("pitch", TensorProto.FLOAT, ["L"]))
    for name, values in (("column", [-1, 1]), ("twice", [1, 2]), ("row", [1, -1])):
        graph.initializer.append(
            numpy_helper.from_array(np.array(values, np.int64), f"pitch_{name}")
        )
    added = [
        helper.make_node("Gather", ["pitch", owner], ["pitch_frames"], axis=0),  # (F,)
        helper.make_node("Reshape", ["pitch_frames", "pitch_column"], ["pitch_1"]),  # (F, 1)
        helper.make_node("Tile", ["pitch_1", "pitch_twice"], ["pitch_2"]),  # (F, 2)
        helper.make_node("Reshape", ["pitch_2", "pitch_row"], ["pitch_halves"]),  # (1, 2F)
        helper.make_node("Mul", ["f0_flat", "pitch_halves"], ["f0"]),
    ]
    place = list(graph.node).index(f0) + 1
    for offset, node in enumerate(added):
        graph.node.insert(place + offset, node)


def _frames_as_output(graph: onnx.GraphProto) -> None:
    """Hand out the durations, as they are after rounding and clipping."""
    clip = _only(node for node in graph.node if node.op_type == "Clip")
    place = list(graph.node).index(clip) + 1
    graph.node.insert(place, helper.make_node("Identity", [clip.output[0]], [FRAMES_OUTPUT]))
    graph.output.append(helper.make_tensor_value_info(FRAMES_OUTPUT, TensorProto.FLOAT, ["L"]))


def _only(found: Iterable[Any]) -> Any:
    """The single element; a graph with none or several is not the one we know."""
    items = list(found)
    if len(items) != 1:
        raise Fatal("The model of hibari is built differently from the one this engine knows.")
    return items[0]
