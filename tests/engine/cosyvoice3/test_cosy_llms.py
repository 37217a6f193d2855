"""Which language model runs, what it holds, and that a clip does not tell which one it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tiny_model
import torch
from cosy_voices import record, voice
from engine_process import EngineProcess

from engine import wire
from engine.narrators.cosyvoice3 import devices, llms, options
from engine.narrators.cosyvoice3.narrator import CosyVoice3
from engine.registry import Fatal, Transient

mx: Any = pytest.importorskip("mlx.core", reason="MLX is not installed here.")

REPOSITORY = Path(__file__).parents[3]
SEEDS = (0, 1, 2, 3, 1986, 65537, 2**31, 2**32 - 1)
TEXTS = ("He came home.", "The old man was in the house by the water, and he said no more.")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole model."""
    return tiny_model.build(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    """The number of threads is the process's; a load sets it."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def voices(folder: Path) -> list[wire.Voice]:
    """One of each mode: zero-shot, cross-lingual, instruct."""
    reference = record(folder / "r.wav")
    crossing = {"mode": "cross_lingual"}
    return [
        voice("v", reference),
        voice("x", reference, transcript="", settings=crossing),
        voice("i", reference, transcript="", style="Speak slowly."),
    ]


def load(folder: Path, **more: Any) -> CosyVoice3:
    """A loaded narrator in this process."""
    narrator = CosyVoice3()
    narrator.load({"model": str(folder), "device": "cpu", **more}, lambda fraction: None)
    return narrator


def tokens(narrator: CosyVoice3, text: str, seed: int, by: str) -> list[int]:
    """What the first half makes."""
    request = wire.Narrate(1, text, "en", by, seed=seed)
    return narrator.begin(request, lambda name, fraction: None, lambda: False).tokens


# ---- which one -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "device", "mac", "there", "chosen"),
    [
        ("auto", "mps", True, True, "mlx"),
        ("auto", "mps", True, False, "torch"),
        ("auto", "mps", False, True, "torch"),
        ("auto", "cpu", True, True, "torch"),
        ("auto", "cpu", False, True, "torch"),
        ("auto", "cuda", False, True, "captured"),
        ("torch", "mps", True, True, "torch"),
        ("torch", "cuda", False, True, "torch"),
        ("captured", "cuda", False, True, "captured"),
        ("mlx", "mps", True, True, "mlx"),
        ("mlx", "cpu", False, True, "mlx"),
    ],
)
def test_the_machine_decides_where_the_option_does_not(
    monkeypatch: pytest.MonkeyPatch, wanted: str, device: str, mac: bool, there: bool, chosen: str
) -> None:
    monkeypatch.setattr(llms, "apple_silicon", lambda: mac)
    monkeypatch.setattr(llms, "find_spec", lambda name: object() if there else None)
    monkeypatch.setattr(mx.metal, "is_available", lambda: True)
    assert llms.choose(options.read({"llm_backend": wanted}), device) == chosen


@pytest.mark.parametrize(
    ("system", "machine", "found"),
    [("darwin", "arm64", True), ("darwin", "x86_64", False), ("linux", "arm64", False)],
)
def test_apple_silicon_is_a_mac_with_the_right_python(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, found: bool
) -> None:
    monkeypatch.setattr(llms, "sys", SimpleNamespace(platform=system))
    monkeypatch.setattr(llms, "platform", SimpleNamespace(machine=lambda: machine))
    assert llms.apple_silicon() == found


@pytest.mark.parametrize(
    ("given", "device", "system", "words"),
    [
        ({"llm_backend": "mlx", "device": "mps"}, "mps", "darwin", "no Metal on this Mac"),
        ({"llm_backend": "mlx"}, "cpu", "darwin", "no Metal on this Mac"),
        ({"llm_backend": "mlx"}, "cuda", "linux", "torch runs on an NVIDIA GPU"),
        ({"llm_backend": "captured"}, "cpu", "linux", "torch runs on “cpu” here"),
        ({"llm_precision": "q8"}, "cpu", "linux", "are for MLX, and here torch runs"),
        ({"llm_precision": "q8"}, "cuda", "linux", "are for MLX, and here captured runs"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_runs_in_its_place(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], device: str, system: str, words: str
) -> None:
    monkeypatch.setattr(mx.metal, "is_available", lambda: False)
    monkeypatch.setattr(llms, "sys", SimpleNamespace(platform=system))
    with pytest.raises(Fatal, match=words):
        llms.choose(options.read(given), device)


def test_a_mac_that_was_told_to_use_its_processor_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mx.metal, "is_available", lambda: False)
    monkeypatch.setattr(llms, "sys", SimpleNamespace(platform="darwin"))
    given = options.read({"llm_backend": "mlx", "device": "cpu"})
    assert llms.choose(given, "cpu") == "mlx"


def test_a_missing_mlx_is_told_as_such_and_torch_does_not_step_in(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlx.core", None)
    with pytest.raises(Fatal, match=r"MLX .* cannot be imported: .*mlx.*rhapsode engines install"):
        load(model, llm_backend="mlx")


def test_a_full_memory_in_the_words_of_mlx_may_be_empty_the_next_time() -> None:
    for said in (
        "[metal::malloc] Attempting to allocate 9 bytes which is greater than the maximum",
        "[METAL] Command buffer execution failed: Insufficient Memory (00000008:kIOGPU…)",
        "[malloc] Unable to allocate 137438953472 bytes.",
    ):
        with pytest.raises(Transient, match="The memory is full"), devices.faults("mps"):
            raise RuntimeError(said)


# ---- what it holds -------------------------------------------------------------------------------

COUNT = """
import gc, json, sys
import torch
from engine.narrators.cosyvoice3.narrator import CosyVoice3
narrator = CosyVoice3()
options = {"model": sys.argv[1], "device": "cpu", "llm_backend": sys.argv[2]}
narrator.load(options, lambda fraction: None)
gc.collect()
parts = narrator._parts
networks = [it for it in gc.get_objects() if isinstance(it, torch.nn.Module)]
tensors = [it for it in gc.get_objects() if isinstance(it, torch.Tensor)]
vocabulary = parts.llm.config.speech_tokens + 200
print(json.dumps({
    "backend": narrator.card.backend,
    "parameters": sum(it.numel() for it in tensors if isinstance(it, torch.nn.Parameter)),
    "tables": sum(it.shape[:1] == (vocabulary,) for it in tensors),
    "text": sum(it.shape == (parts.llm.config.vocab, parts.llm.config.hidden) for it in tensors),
    "networks": sum(type(it).__module__.endswith("llm_torch") for it in networks),
    "imported": "engine.narrators.cosyvoice3.llm_torch" in sys.modules,
}))
"""


def test_torch_has_no_language_model_where_mlx_runs_it(model: Path) -> None:
    """Counted over the whole process: parameters, tables, modules."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    found = {}
    for backend in ("torch", "mlx"):
        done = subprocess.run(
            [sys.executable, "-c", COUNT, str(model), backend],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        found[backend] = json.loads(done.stdout)
    state = torch.load(model / "llm.pt", weights_only=True)
    # The text embedding is no parameter of the network in torch; its head is that same tensor.
    llm = sum(it.numel() for key, it in state.items() if "embed_tokens" not in key)
    llm -= state["llm.model.lm_head.weight"].numel()
    assert found["torch"]["parameters"] - found["mlx"]["parameters"] == llm
    torch_has, mlx_has = found["torch"], found["mlx"]
    assert (torch_has["backend"], torch_has["tables"], torch_has["text"]) == ("torch", 2, 1)
    assert torch_has["networks"] > 0
    assert mlx_has["backend"] == "mlx+torch"
    assert (mlx_has["tables"], mlx_has["text"], mlx_has["networks"]) == (0, 0, 0)
    assert not mlx_has["imported"]


def test_a_tensor_that_stays_behind_is_noticed(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.narrators.cosyvoice3 import parts, weights

    kept: list[Any] = []

    def keeping(path: Path, part: str) -> Any:
        state = weights.load_state(path, part)
        kept.append(next(iter(state.values())))
        return state

    monkeypatch.setattr(parts, "load_state", keeping)
    with pytest.raises(AssertionError, match="torch still holds"):
        load(model, llm_backend="mlx")


def test_mlx_tidies_up_between_clips_on_the_thread_that_it_knows(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.narrators.cosyvoice3 import llm_mlx

    cleared: list[int] = []
    kept = llm_mlx.SPARE
    monkeypatch.setattr(mx, "get_cache_memory", lambda: kept)
    monkeypatch.setattr(mx, "clear_cache", lambda: cleared.append(threading.get_ident()))
    narrator = load(model, llm_backend="mlx")
    narrator.prepare_voice(voices(tmp_path)[0])
    tokens(narrator, TEXTS[0], 1, "v")
    narrator.rest()
    assert not cleared
    kept += 1
    narrator.rest()
    assert not cleared, "the thread of a rest may be either"
    tokens(narrator, TEXTS[0], 1, "v")
    assert cleared == [threading.get_ident()]


def test_memory_of_the_gpu_is_what_is_used_and_what_is_kept(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.narrators.cosyvoice3 import llm_mlx

    narrator = load(model, llm_backend="mlx")
    assert narrator.device_memory() == 0, "on a processor it is all in the footprint"
    llm: Any = narrator._parts.llm
    weights = sum(array.nbytes for array in llm._network.weights.values())
    llm._device = mx.Device(mx.gpu)
    asked: list[int] = []
    thread = threading.Thread(target=lambda: asked.append(narrator.device_memory()))
    thread.start()
    thread.join()
    assert asked[0] >= weights, "asked by another thread, as a measurement is"
    monkeypatch.setattr(mx, "get_active_memory", lambda: 5_000)
    monkeypatch.setattr(mx, "get_cache_memory", lambda: 700)
    assert narrator.device_memory() == 5_700
    for system, name in (("darwin", "mps"), ("linux", "cuda")):
        monkeypatch.setattr(llm_mlx, "sys", SimpleNamespace(platform=system))
        assert llm.device == name


# ---- what it says --------------------------------------------------------------------------------


def test_mlx_says_what_torch_says(model: Path, tmp_path: Path) -> None:
    """In every mode, for every seed, in float32."""
    ours, theirs = load(model, llm_backend="mlx"), load(model, llm_backend="torch")
    for made in voices(tmp_path):
        ours.prepare_voice(made)
        theirs.prepare_voice(made)
        for text in TEXTS:
            for seed in SEEDS:
                here = tokens(ours, text, seed, made.fingerprint)
                assert here == tokens(theirs, text, seed, made.fingerprint), (text, seed)
                assert len(here) > 1


def test_a_clip_is_the_same_bytes_through_a_real_process(model: Path, tmp_path: Path) -> None:
    """Overlapped, so that both threads of the server are at work."""
    made = {}
    for backend in ("torch", "mlx"):
        with EngineProcess(tmp_path / backend, "cosyvoice3") as engine:
            loaded = engine.load(model=str(model), device="cpu", llm_backend=backend)
            assert isinstance(loaded, wire.Loaded), (loaded, engine.errors.decode())
            for prepared in voices(tmp_path):
                assert isinstance(engine.prepare(prepared), wire.Prepared)
            sent = [
                engine.send(wire.Narrate(engine.number(), TEXTS[n % 2], "en", "vxi"[n], seed=n))
                for n in range(3)
            ]
            made[backend] = [engine.answer(number) for number in sent]
            card = loaded.card
            assert all(isinstance(clip, wire.Clip) for clip, _ in made[backend])
    assert [sound for _, sound in made["mlx"]] == [sound for _, sound in made["torch"]]
    assert (card.backend, card.precision, card.device) == ("mlx+torch", "fp32", "cpu")
    assert card.build["mlx"]


@pytest.mark.parametrize(
    ("precision", "told"), [("fp32", "fp32"), ("fp16", "fp16+fp32"), ("q8", "fp32+q8")]
)
def test_each_precision_is_another_recipe(
    model: Path, tmp_path: Path, precision: str, told: str
) -> None:
    narrator = load(model, llm_backend="mlx", llm_precision=precision)
    assert (narrator.card.backend, narrator.card.precision) == ("mlx+torch", told)
    narrator.prepare_voice(voices(tmp_path)[0])
    first = tokens(narrator, TEXTS[0], 5, "v")
    assert first == tokens(narrator, TEXTS[0], 5, "v")
    assert np.asarray(first).max() < 500
