"""Loading CosyVoice3: what is refused, what a broken folder is told as, and which model it is."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_model
import torch
from cosy_voices import record, voice
from engine_process import EngineProcess

from engine import wire
from engine.narrators.cosyvoice3 import devices, fingerprint, options
from engine.narrators.cosyvoice3.config import MODEL_FILES
from engine.narrators.cosyvoice3.narrator import CosyVoice3
from engine.registry import Cancelled, Fatal, Refusal, Staged, Transient

SOME_TIME_AGO = time.time() - 60


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole model that is left alone."""
    return tiny_model.build(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def copy(model: Path, tmp_path: Path) -> Path:
    """One that may be broken; its files are a minute old."""
    copied = shutil.copytree(model, tmp_path / "copy")
    for name in MODEL_FILES:
        os.utime(copied / name, (SOME_TIME_AGO, SOME_TIME_AGO))
    return copied


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    """The number of threads is the process's; a load sets it."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def load(folder: Path | str, **more: Any) -> CosyVoice3:
    """A loaded narrator in this process."""
    narrator = CosyVoice3()
    narrator.load({"model": str(folder), "device": "cpu", **more}, lambda fraction: None)
    return narrator


def clip(narrator: CosyVoice3, text: str = "He came home.", **more: Any) -> Any:
    """One narration, both halves."""
    request = wire.Narrate(1, text, "en", "v", **{"seed": 1, **more})
    return narrator.narrate(request, lambda name, fraction: None, lambda: False)


# ---- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"colour": "red"}, "no option named “colour”; it has “batch”, “cache”, “device”"),
        ({"batch": 0}, "“batch” must be a whole number from 1 to 16, not 0"),
        ({"batch": 17}, "“batch” must be a whole number from 1 to 16, not 17"),
        ({"batch": 4}, "“batch” is 4, and “llm_backend” is “auto”: only “torch” says several"),
        ({"batch": 2, "llm_backend": "captured"}, "“batch” is 2, and “llm_backend” is “captured”"),
        ({"batch": 2, "llm_backend": "mlx"}, "“batch” is 2, and “llm_backend” is “mlx”"),
        ({"device": "tpu"}, "“device” is 'tpu'; it can be “auto”, “cpu”, “cuda”, “mps”"),
        ({"device": None}, "“device” is None"),
        ({"llm_precision": "bf16"}, "it can be “fp32”, “fp16”"),
        ({"steps": 0}, "whole number from 1 to 100, not 0"),
        ({"steps": 2.5}, "whole number from 1 to 100, not 2.5"),
        ({"steps": True}, "not True"),
        ({"threads": "many"}, "“threads” must be a whole number"),
        ({"overlap": "yes"}, "must be true or false, not 'yes'"),
        ({"model": 7}, "must be the path of a folder, not 7"),
        ({"model": "~nobody of this name/m"}, "nobody of that name has a home folder"),
        ({"model": "models/tiny"}, "must be a whole path, from “/” on"),
        ({"cache": ""}, "“cache” must be the path"),
    ],
)
def test_an_option_that_is_not_understood_is_refused_by_name(
    given: dict[str, Any], words: str
) -> None:
    with pytest.raises(Refusal, match=words):
        CosyVoice3().load(given, lambda fraction: None)


def test_what_is_left_out_has_a_default() -> None:
    assert options.read({}) == options.Options(None, "auto", "fp32", 10, True, 1, "auto", None, 1)
    assert options.read({"model": "~/m"}).model == Path.home() / "m"


# ---- what is not there ---------------------------------------------------------------------------


def test_no_model_is_fatal_with_the_command_that_fetches_it() -> None:
    with pytest.raises(Fatal, match=r"names no folder.*rhapsode engines pull cosyvoice3"):
        CosyVoice3().load({}, lambda fraction: None)


@pytest.mark.parametrize("name", MODEL_FILES)
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(Fatal, match=f"lacks “{name}”[.] .*rhapsode engines pull cosyvoice3"):
        load(copy)


def test_an_empty_folder_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(Fatal, match=r"lacks “llm[.]pt” and 7 more"):
        load(tmp_path / "nothing")


def test_a_real_process_says_so_too_and_needs_no_library_for_it(tmp_path: Path) -> None:
    with EngineProcess(tmp_path / "cwd", "cosyvoice3") as engine:
        refused = engine.load(voice="mine")
        assert "no option named “voice”" in refused.reason
        failed = engine.load(model=str(tmp_path))
        assert (failed.failure, "lacks “llm.pt”" in failed.reason) == ("fatal", True)


@pytest.mark.parametrize("value", ["1", "yes"])
def test_the_silent_way_to_the_cpu_is_refused(tmp_path: Path, value: str) -> None:
    environment = {devices.FALLBACK: value}
    with EngineProcess(tmp_path / "cwd", "cosyvoice3", environment=environment) as engine:
        failed = engine.load(model=str(tmp_path))
    assert failed.failure == "fatal"
    assert "PYTORCH_ENABLE_MPS_FALLBACK is set" in failed.reason
    assert "without a word" in failed.reason


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there_is_fatal(model: Path) -> None:
    with pytest.raises(Fatal, match=r"no NVIDIA GPU \(cuda\) that torch"):
        load(model, device="cuda")


# ---- a broken folder -----------------------------------------------------------------------------


def cut(path: Path) -> None:
    """Lose the end of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def other_tokens(folder: Path) -> None:
    """A flow that knows fewer speech tokens than the LLM."""
    state = torch.load(folder / "flow.pt", weights_only=True)
    state["input_embedding.weight"] = state["input_embedding.weight"][:400].clone()
    torch.save(state, folder / "flow.pt")


def small_table(folder: Path) -> None:
    """A text embedding with fewer rows than there are tokens."""
    path = folder / "CosyVoice-BlankEN" / "vocab.json"
    vocab = json.loads(path.read_text("utf-8"))
    more = {f"more{n}": len(vocab) + n for n in range(50)}
    path.write_text(json.dumps({**vocab, **more}), "utf-8")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: cut(folder / "llm.pt"), "“llm.pt” is cut short"),
        (lambda folder: cut(folder / "hift.pt"), "“hift.pt” is cut short"),
        (lambda folder: (folder / "flow.pt").write_bytes(b""), "“flow.pt” is"),
        (lambda folder: shutil.copy(folder / "hift.pt", folder / "flow.pt"), "“flow.pt” holds"),
        (lambda folder: cut(folder / "campplus.onnx"), "“campplus.onnx” cannot be loaded"),
        (
            lambda folder: shutil.copy(
                folder / "campplus.onnx", folder / "speech_tokenizer_v3.onnx"
            ),
            "“speech_tokenizer_v3.onnx” takes 1 inputs, not 2",
        ),
        (
            lambda folder: (folder / "CosyVoice-BlankEN" / "config.json").write_text("{"),
            "config.json” cannot be read as JSON",
        ),
        (other_tokens, "“flow.pt” knows 400 speech tokens and “llm.pt” 500"),
        (small_table, "they are not of one model"),
    ],
)
def test_a_damaged_or_mixed_folder_is_fatal_in_plain_words(
    copy: Path, damage: Callable[[Path], object], words: str
) -> None:
    damage(copy)
    with pytest.raises(Fatal, match=words):
        load(copy)


def test_a_speech_tokenizer_of_another_model_is_found_with_the_first_voice(
    copy: Path, tmp_path: Path
) -> None:
    import onnx
    from onnx import numpy_helper

    tokenizer = onnx.load(copy / "speech_tokenizer_v3.onnx")
    codes = next(one for one in tokenizer.graph.initializer if one.name == "codes")
    wide = np.random.default_rng(0).normal(size=(6561, 64, 1)).astype(np.float32)
    codes.CopyFrom(numpy_helper.from_array(wide, "codes"))
    onnx.save(tokenizer, copy / "speech_tokenizer_v3.onnx")
    narrator = load(copy)
    with pytest.raises(Fatal, match=r"“llm[.]pt” knows 0 to 499: they are not of one model"):
        narrator.prepare_voice(voice("v", record(tmp_path / "r.wav")))


# ---- which model it is ---------------------------------------------------------------------------


def test_the_fingerprint_is_that_of_the_content(model: Path, copy: Path) -> None:
    def quiet(fraction: float) -> None:
        assert 0 <= fraction <= 1

    one = fingerprint.fingerprint(model, None, quiet)
    assert fingerprint.fingerprint(copy, None, quiet) == one, "the same files elsewhere"
    for name in MODEL_FILES:
        content = (copy / name).read_bytes()
        (copy / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        assert fingerprint.fingerprint(copy, None, quiet) != one, name
        (copy / name).write_bytes(content)
    assert fingerprint.fingerprint(copy, None, quiet) == one


def test_digests_are_remembered_and_a_changed_file_is_read_again(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    opened: list[str] = []
    real = Path.open

    def noting(path: Path, *arguments: Any, **more: Any) -> Any:
        if path.is_relative_to(copy):
            opened.append(path.name)
        return real(path, *arguments, **more)

    monkeypatch.setattr(Path, "open", noting)
    steps: list[float] = []
    one = fingerprint.fingerprint(copy, cache, steps.append)
    assert len(opened) == len(MODEL_FILES)
    assert steps == sorted(steps)
    assert steps[-1] == 1.0
    opened.clear()
    assert fingerprint.fingerprint(copy, cache, steps.append) == one
    assert opened == []
    content = bytearray((copy / "llm.pt").read_bytes())
    content[-1] ^= 1
    (copy / "llm.pt").write_bytes(content)  # as long as before
    opened.clear()
    two = fingerprint.fingerprint(copy, cache, steps.append)
    assert two != one
    assert opened == ["llm.pt"]
    # It has just changed, so it may change again within the same tick of its clock: not remembered.
    opened.clear()
    assert fingerprint.fingerprint(copy, cache, steps.append) == two
    assert opened == ["llm.pt"]


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b'{"x": 7}', b'{"x": ["a"]}', b"\xff"])
def test_a_damaged_memory_is_made_again(copy: Path, tmp_path: Path, damage: bytes) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "model-digests.json").write_bytes(damage)
    one = fingerprint.fingerprint(copy, cache, lambda fraction: None)
    assert one == fingerprint.fingerprint(copy, None, lambda fraction: None)
    assert len(json.loads((cache / "model-digests.json").read_text("utf-8"))) >= len(MODEL_FILES)
    assert [path.name for path in cache.iterdir()] == ["model-digests.json"]


def test_without_a_place_to_remember_it_works_all_the_same(copy: Path, tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("no folder")
    one = fingerprint.fingerprint(copy, occupied, lambda fraction: None)
    assert one == fingerprint.fingerprint(copy, None, lambda fraction: None)


def test_a_load_can_be_dropped_on_the_way(model: Path) -> None:
    seen: list[float] = []

    def progress(fraction: float) -> None:
        seen.append(fraction)
        if fraction > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        CosyVoice3().load({"model": str(model), "device": "cpu"}, progress)
    assert seen == sorted(seen)


# ---- what it turned out to be --------------------------------------------------------------------


def test_precision_is_read_off_the_tensors(model: Path, tmp_path: Path) -> None:
    narrator = load(model, llm_precision="fp16")
    assert narrator.card.precision == "fp16+fp32"
    assert isinstance(narrator, Staged)
    narrator.prepare_voice(voice("v", record(tmp_path / "r.wav")))
    assert clip(narrator).samples.shape[0] > 0


def test_steps_are_on_the_card_and_change_the_sound(model: Path, tmp_path: Path) -> None:
    reference = record(tmp_path / "r.wav")
    made = []
    for steps in (10, 4):
        narrator = load(model, steps=steps)
        assert narrator.card.options == {"steps": steps}
        narrator.prepare_voice(voice("v", reference))
        made.append(clip(narrator))
    assert made[0].blobs == made[1].blobs, "the language model knows nothing of steps"
    assert not np.array_equal(made[0].samples, made[1].samples)


def test_the_threads_that_are_told_are_those_that_work(model: Path) -> None:
    assert load(model, threads=2).card.threads == 2
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert found == [2], "the thread of the second half"


def test_nothing_global_is_left_behind(model: Path, tmp_path: Path) -> None:
    torch.manual_seed(5)
    state, kind = torch.get_rng_state(), torch.get_default_dtype()
    np.random.seed(5)
    chance = np.random.get_state()[1].tolist()
    narrator = load(model)
    narrator.prepare_voice(voice("v", record(tmp_path / "r.wav")))
    clip(narrator)
    assert torch.equal(torch.get_rng_state(), state)
    assert np.random.get_state()[1].tolist() == chance
    assert torch.get_default_dtype() is kind
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()


def test_a_text_that_cannot_fit_beside_its_reference_is_refused(
    model: Path, tmp_path: Path
) -> None:
    narrator = load(model)
    narrator.prepare_voice(voice("v", record(tmp_path / "r.wav", seconds=29.5)))
    # Each byte of these is a token of its own, and takes 0.08 s at the least.
    with pytest.raises(Refusal, match=r"a clip can be 300 s long[.] Split the segment"):
        clip(narrator, "a𝒳" * 2000)


# ---- what a device says of itself ----------------------------------------------------------------


def test_an_operator_that_a_device_lacks_is_named() -> None:
    with (
        pytest.raises(Fatal, match=r"operator aten::\w+.*“mps”.*Set the option “device” to “cpu”"),
        devices.faults("mps"),
    ):
        torch.eye(2).to_sparse().sort()


def test_a_full_memory_may_be_empty_the_next_time() -> None:
    with pytest.raises(Transient, match="memory of the device “cuda” is full"):
        with devices.faults("cuda"):
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
    with pytest.raises(Transient, match="The memory is full: MPS backend out of memory"):
        with devices.faults("mps"):
            raise RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)\nmore")


def test_a_device_that_has_failed_is_fatal_and_other_faults_pass() -> None:
    with pytest.raises(Fatal, match="“cuda” has failed: CUDA error: device-side assert"):
        with devices.faults("cuda"):
            raise torch.AcceleratorError("CUDA error: device-side assert triggered\nmore")
    with pytest.raises(RuntimeError, match="boom"):
        with devices.faults("cpu"):
            raise RuntimeError("boom")
    with pytest.raises(Refusal):
        with devices.faults("cpu"):
            raise Refusal("no")


@pytest.mark.parametrize(("spare", "emptied"), [(devices.SPARE, 0), (devices.SPARE + 1, 1)])
def test_device_memory_is_handed_back_where_it_is_much(
    monkeypatch: pytest.MonkeyPatch, spare: int, emptied: int
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 5_000 + spare)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 5_000)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: calls.append("cuda"))
    monkeypatch.setattr(torch.mps, "driver_allocated_memory", lambda: 5_000 + spare)
    monkeypatch.setattr(torch.mps, "current_allocated_memory", lambda: 5_000)
    monkeypatch.setattr(torch.mps, "empty_cache", lambda: calls.append("mps"))
    for name in ("cpu", "cuda", "mps"):
        devices.tidy(torch.device(name))
    assert calls == ["cuda", "mps"] * emptied
    held = [devices.held(device) for device in (None, torch.device("cpu"), torch.device("mps"))]
    assert held == [0, 0, 5_000 + spare]


# ---- files that change under it ------------------------------------------------------------------


def test_a_loaded_model_needs_its_files_no_more(copy: Path, tmp_path: Path) -> None:
    """Written over, then cut off: a file that were still mapped would first say something else."""
    narrator = load(copy)
    narrator.prepare_voice(voice("v", record(tmp_path / "r.wav")))
    before = clip(narrator).samples
    for name in MODEL_FILES:
        with (copy / name).open("r+b") as file:
            file.write(bytes((copy / name).stat().st_size))
    assert np.array_equal(clip(narrator).samples, before)
    for name in MODEL_FILES:
        os.truncate(copy / name, 0)
    assert np.array_equal(clip(narrator).samples, before)


def test_a_model_whose_place_another_takes_is_gone_on_with(
    model: Path, copy: Path, tmp_path: Path
) -> None:
    narrator = load(copy)
    narrator.prepare_voice(voice("v", record(tmp_path / "r.wav")))
    before = clip(narrator).samples
    other = tiny_model.build(tmp_path / "other", seed=1)
    os.replace(other / "llm.pt", copy / "llm.pt")
    shutil.rmtree(copy)
    assert np.array_equal(clip(narrator).samples, before)


@pytest.mark.parametrize("name", ["llm.pt", "hift.pt", "CosyVoice-BlankEN/vocab.json"])
def test_a_model_that_changes_while_it_is_loaded_is_loaded_again(copy: Path, name: str) -> None:
    """Its name was taken off other bytes than those that were loaded, or may have been."""

    def meanwhile(fraction: float) -> None:
        if fraction == 0.3:
            new = copy / "new"
            shutil.copy(copy / name, new)
            os.replace(new, copy / name)

    with pytest.raises(Transient, match=f"“{name}” .* was changed while"):
        CosyVoice3().load({"model": str(copy), "device": "cpu"}, meanwhile)


def not_numbers(name: str, key: str) -> Callable[[Path], None]:
    """Spoil one tensor."""

    def spoil(folder: Path) -> None:
        state = torch.load(folder / name, weights_only=True)
        state[key] = torch.full_like(state[key], float("nan"))
        torch.save(state, folder / name)

    return spoil


@pytest.mark.parametrize(
    "damage",
    [
        not_numbers("llm.pt", "llm_decoder.weight"),
        not_numbers("flow.pt", "decoder.estimator.proj_out.bias"),
        not_numbers("hift.pt", "conv_post.bias"),
    ],
)
def test_weights_that_give_no_numbers_are_fatal(copy: Path, damage: Callable[[Path], None]) -> None:
    """They would do so every time: nothing is to be tried again."""
    damage(copy)
    with pytest.raises(Fatal, match=r"values that are not numbers.*engines pull cosyvoice3"):
        load(copy)
