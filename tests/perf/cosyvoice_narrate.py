"""A narration by CosyVoice3 at its real size, through the engine's process; weights are random.

    python tests/perf/cosyvoice_narrate.py --device cuda --precision fp16

Writes a model folder in the official layout (5 GB at the real size), starts the engine as the
studio does, and has it narrate lines two deep: overlapped, and one half after the other. A random
model ends no line by itself, so every clip is as long as its text may become. Prints the real-time
factor of the whole pipeline (seconds from the first request to the last clip by seconds of sound),
the stages of a clip, the process's footprint and the device's memory, and whether all ways made the
same bytes. ``--tiny`` tries the program itself.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "engine"))
sys.path.insert(2, str(Path(__file__).resolve().parents[1] / "engine" / "cosyvoice3"))
sys.path.insert(3, str(Path(__file__).resolve().parent))

import cosyvoice_full_size as full_size
import engine_process
import tiny_model
import torch
from cosy_voices import record, voice
from engine_process import EngineProcess

from engine import wire
from engine.narrators.cosyvoice3 import shapes

LINE = "He said that the old man was in the house by the water."
REFERENCE_SECONDS = 5.0


def tiny() -> full_size.Size:
    """Small networks, with room for the tokenizer's vocabulary."""
    size = full_size.tiny()
    return replace(size, llm=replace(size.llm, vocab=1000))


def write_model(folder: Path, size: full_size.Size) -> Path:
    """A model folder of random weights; tokenizer and ONNX models are the tiny ones."""
    tiny_model.build(folder)
    c = size.llm
    qwen = folder / "CosyVoice-BlankEN" / "config.json"
    told = json.loads(qwen.read_text("utf-8"))
    told |= {
        "hidden_size": c.hidden,
        "intermediate_size": c.intermediate,
        "num_hidden_layers": c.layers,
        "num_attention_heads": c.heads,
        "num_key_value_heads": c.kv_heads,
        "vocab_size": c.vocab,
    }
    qwen.write_text(json.dumps(told), "utf-8")
    parts = {
        "llm.pt": shapes.llm_shapes(size.llm),
        "flow.pt": shapes.flow_shapes(size.flow),
        "hift.pt": shapes.vocoder_shapes(size.vocoder),
    }
    for seed, (name, wanted) in enumerate(parts.items(), 1):
        torch.save(full_size.weights(wanted, seed), folder / name)
    return folder


def narrate(
    folder: Path, model: Path, arguments: argparse.Namespace, overlap: bool
) -> dict[str, Any]:
    """One process's life: load, one clip to warm up, then all lines two deep."""
    name = "overlapped" if overlap else "one after the other"
    with EngineProcess(folder / name.replace(" ", "-"), "cosyvoice3") as engine:
        started = time.perf_counter()
        loaded = engine.load(
            model=str(model),
            device=arguments.device,
            llm_precision=arguments.precision,
            llm_backend=arguments.llm,
            overlap=overlap,
            cache=str(folder / "cache"),
        )
        assert isinstance(loaded, wire.Loaded), (loaded, engine.errors.decode())
        seconds = time.perf_counter() - started
        prepared = engine.prepare(voice("v", folder / "reference.wav"))
        assert isinstance(prepared, wire.Prepared), prepared
        engine.narrate(LINE, seed=0)
        begun = time.perf_counter()
        asked = [engine.ask(LINE, seed=seed) for seed in range(1, min(3, arguments.clips + 1))]
        clips: list[wire.Clip] = []
        digests = []
        while asked:
            clip, payload = engine.answer(asked.pop(0))
            assert isinstance(clip, wire.Clip), clip
            clips.append(clip)
            digests.append(hashlib.sha256(wire.split_blobs(clip, payload)["pcm"]).hexdigest())
            if len(clips) + len(asked) < arguments.clips:
                asked.append(engine.ask(LINE, seed=len(clips) + len(asked) + 1))
        spent = time.perf_counter() - begun
    sound = sum(clip.frames / clip.rate for clip in clips)
    return {
        "way": name,
        "backend": loaded.card.backend,
        "precision": loaded.card.precision,
        "load_s": seconds,
        "clips": len(clips),
        "sound_s": sound,
        "rtf": spent / sound,
        "stages_s": {
            stage: statistics.median(clip.stages[stage] for clip in clips)
            for stage in clips[0].stages
        },
        "footprint_bytes": max(clip.footprint for clip in clips),
        "device_bytes": max(clip.device_memory for clip in clips),
        "digests": digests,
    }


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", choices=("fp32", "fp16"), default="fp32")
    parser.add_argument("--llm", default="auto")
    parser.add_argument("--clips", type=int, default=8)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--model", type=Path, help="where to write the model, or where one is")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    engine_process.DEADLINE = 300.0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        record(folder / "reference.wav", seconds=REFERENCE_SECONDS)
        model = arguments.model or folder / "model"
        if not (model / "hift.pt").exists():
            write_model(model, tiny() if arguments.tiny else full_size.real())
        runs = [narrate(folder, model, arguments, overlap) for overlap in (False, True)]
    same = runs[0]["digests"] == runs[1]["digests"]
    if arguments.json:
        print(json.dumps({"runs": runs, "same_bytes": same}))
        return
    for run in runs:
        stages = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in run["stages_s"].items())
        print(
            f"{run['way']:<20} {run['clips']} clips, {run['sound_s']:.1f} s of sound: RTF"
            f" {run['rtf']:.4f}; {stages}; footprint {run['footprint_bytes'] / 1e9:.2f} GB, device"
            f" {run['device_bytes'] / 1e9:.2f} GB; {run['backend']}, {run['precision']},"
            f" loaded in {run['load_s']:.1f} s"
        )
    print("the same bytes" if same else "OTHER BYTES")


if __name__ == "__main__":
    main()
