"""What the model hears of a reference, against what the reference implementation heard."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import golden
import numpy as np
import pytest
import tiny_model
import torch
from made_audio import speech
from numpy.typing import NDArray

from engine.narrators.cosyvoice3 import frontend
from engine.narrators.cosyvoice3.config import BadModel


def held(pattern: str) -> list[tuple[str, str, str]]:
    """File, case and field of every record of such a thing."""
    return golden.fields("features", pattern)


def wave(file: str, case: str, field: str, name: str) -> torch.Tensor:
    """The wave that something was made of: of the same case, and of the same ending if there is."""
    ending = re.sub(r"^(mel24|whisper128|fbank80(_raw|_cmn)?|resample_\d+to\d+)", "", field)
    found = golden.load(file)
    mine = golden.key(case, name + ending)
    return torch.from_numpy(found[mine if mine in found else golden.key(case, name)])


def hertz(name: str) -> int:
    """“16” is 16 kHz, “441” is 44.1 kHz."""
    odd = {"11025": 11025, "2205": 22050, "441": 44100, "882": 88200, "1764": 176400}
    return odd.get(name, 1000 * int(name) if len(name) < 4 else 0)


def apart(ours: Any, theirs: NDArray[np.float32]) -> float:
    """The largest difference; the shapes have to be the same."""
    assert tuple(ours.shape) == theirs.shape
    return float(np.abs(np.asarray(ours, np.float64) - theirs).max())


def lengths(whole: int, fit: Callable[[int], bool], near: range) -> list[int]:
    """How long the beginning of a wave may be that something was made of: all of it, as a rule."""
    return [whole] if fit(whole) else [n for n in near if 0 < n <= whole and fit(n)]


@pytest.mark.parametrize(("file", "case", "field"), held(r"resample_\d+to\d+\w*"))
def test_resampling(file: str, case: str, field: str) -> None:
    source, to = (part.partition("_")[0] for part in field.removeprefix("resample_").split("to"))
    a, b = hertz(source), hertz(to)
    expected = golden.load(file)[golden.key(case, field)]
    whole, frames = wave(file, case, field, f"wav{source}"), expected.shape[-1]
    # Some are made of the beginning of a wave; the length of the result tells of how much.
    near = range(a * (frames - 1) // b, a * frames // b + 2)
    fitting = lengths(len(whole), lambda n: -(-n * b // a) == frames, near)
    assert min(apart(frontend.resample(whole[None, :n], a, b), expected) for n in fitting) <= 1e-5


@pytest.mark.parametrize(("file", "case", "field"), held(r"melbank\d+\w*"))
def test_banks(file: str, case: str, field: str) -> None:
    expected = golden.load(file)[golden.key(case, field)]
    rate = hertz(field.removeprefix("melbank").partition("_")[0])
    bands, bins = expected.shape
    assert apart(frontend.mel_bank(rate, 2 * (bins - 1), bands), expected) <= 1e-7


@pytest.mark.parametrize(("file", "case", "field"), held(r"mel24\w*"))
def test_mel_of_the_flow(file: str, case: str, field: str) -> None:
    expected = golden.load(file)[golden.key(case, field)]
    whole, frames = wave(file, case, field, "wav24"), expected.shape[-1]
    fitting = lengths(
        len(whole), lambda n: n // 480 == frames, range(480 * frames, 480 * frames + 480)
    )
    assert min(apart(frontend.mel24(whole[:n])[None], expected) for n in fitting) <= 1e-5


@pytest.mark.parametrize(("file", "case", "field"), held(r"whisper128\w*"))
def test_mel_of_the_speech_tokenizer(file: str, case: str, field: str) -> None:
    made = frontend.whisper_mel(wave(file, case, field, "wav16"))[None]
    assert apart(made, golden.load(file)[golden.key(case, field)]) <= 1e-5


@pytest.mark.parametrize(("file", "case", "field"), held(r"fbank80\w*"))
def test_filter_bank_of_the_speaker_model(file: str, case: str, field: str) -> None:
    bank = frontend.filter_bank(wave(file, case, field, "wav16"))
    if "_cmn" in field:
        bank = bank - bank.mean(dim=0, keepdim=True)
    assert apart(bank, golden.load(file)[golden.key(case, field)]) <= 1e-3


# ---- the whole front end -------------------------------------------------------------------------


@dataclass
class Input:
    """An input of a made-up session."""

    name: str


@dataclass
class Listening:
    """A session that keeps what it is given and answers what it is told to."""

    names: tuple[str, ...]
    answer: Any
    given: dict[str, Any] = field(default_factory=dict)

    def get_inputs(self) -> list[Input]:
        """The inputs, in order."""
        return [Input(name) for name in self.names]

    def run(self, outputs: None, given: dict[str, Any]) -> list[Any]:
        """Answer."""
        self.given = given
        return [self.answer]


def listening(tokens: int) -> tuple[frontend.Sessions, Listening, Listening]:
    """Sessions that give so many speech tokens."""
    tokenizer = Listening(("first", "second"), np.arange(tokens, dtype=np.int64)[None])
    speaker = Listening(("only",), np.arange(192, dtype=np.float32)[None])
    return frontend.Sessions(tokenizer, speaker), tokenizer, speaker


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.build(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def sessions(model: Path) -> frontend.Sessions:
    return frontend.open_sessions(model)


@pytest.mark.parametrize(
    ("tokens", "kept"), [(40, 40), (50, 50), (51, 50), (70, 50), (1, 1)], ids=str
)
def test_mel_and_tokens_are_cut_to_one_length(tokens: int, kept: int) -> None:
    made = speech(2.01, 24000)  # 100 frames of mel and a rest
    heard = frontend.features(made, 24000, listening(tokens)[0])
    assert heard.mel24.shape == (2 * kept, 80)
    assert heard.mel24.dtype == np.float32
    assert heard.speech_tokens.tolist() == list(range(kept))
    assert heard.speech_tokens.dtype == np.int32
    whole = frontend.mel24(torch.from_numpy(made)).T.numpy()
    assert np.array_equal(heard.mel24, whole[: 2 * kept])
    assert heard.speaker.tolist() == list(range(192))


def test_each_model_is_given_its_own_resampling_of_the_original() -> None:
    made = speech(2.0, 44100)
    sessions, tokenizer, speaker = listening(50)
    heard = frontend.features(made, 44100, sessions)
    original = torch.from_numpy(made)
    mel = frontend.mel24(frontend.resample(original, 44100, 24000)).T.numpy()
    assert np.array_equal(heard.mel24, mel[:100])
    wave16 = frontend.resample(original, 44100, 16000)
    assert np.array_equal(tokenizer.given["first"], frontend.whisper_mel(wave16).numpy()[None])
    assert tokenizer.given["first"].shape == (1, 128, 200)
    assert tokenizer.given["second"].tolist() == [200]
    assert tokenizer.given["second"].dtype == np.int32
    bank = frontend.filter_bank(wave16)
    expected = (bank - bank.mean(dim=0, keepdim=True)).numpy()[None]
    assert np.array_equal(speaker.given["only"], expected)


def test_channels_are_averaged(sessions: frontend.Sessions) -> None:
    made = speech()
    both = np.stack([1.5 * made, 0.5 * made], axis=1)
    one, two = (frontend.features(samples, 24000, sessions) for samples in (made, both))
    assert np.allclose(one.mel24, two.mel24, atol=1e-4)
    assert one.speech_tokens.tolist() == two.speech_tokens.tolist()


def test_other_audio_gives_other_features(sessions: frontend.Sessions) -> None:
    low, high = (
        frontend.features(speech(pitch=pitch), 24000, sessions) for pitch in (110.0, 210.0)
    )
    assert low.speech_tokens.tolist() != high.speech_tokens.tolist()
    assert np.abs(low.speaker - high.speaker).max() > 0.01
    again = frontend.features(speech(pitch=110.0), 24000, sessions)
    for name in ("mel24", "speech_tokens", "speaker"):
        assert getattr(again, name).tobytes() == getattr(low, name).tobytes()


def test_the_models_run_on_one_thread(sessions: frontend.Sessions) -> None:
    for session in (sessions.speech_tokenizer, sessions.speaker):
        assert session.get_session_options().intra_op_num_threads == 1
        assert session.get_providers() == ["CPUExecutionProvider"]


@pytest.mark.parametrize("name", sorted(frontend.MODELS))
def test_a_model_that_is_not_there_or_damaged_is_named(name: str, tmp_path: Path) -> None:
    folder = tiny_model.build(tmp_path / "model")
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadModel, match=name):
        frontend.open_sessions(folder)
    (folder / name).unlink()
    with pytest.raises(BadModel, match=name):
        frontend.open_sessions(folder)


def test_models_that_were_mixed_up_are_found(tmp_path: Path) -> None:
    folder = tiny_model.build(tmp_path / "model")
    (folder / "campplus.onnx").rename(folder / "other")
    (folder / "speech_tokenizer_v3.onnx").rename(folder / "campplus.onnx")
    (folder / "other").rename(folder / "speech_tokenizer_v3.onnx")
    with pytest.raises(BadModel, match="takes 1 inputs, not 2"):
        frontend.open_sessions(folder)


@pytest.mark.parametrize(
    ("tokens", "speaker", "named"),
    [
        (np.zeros((1, 0), np.int64), np.zeros((1, 192), np.float32), "speech_tokenizer_v3"),
        (np.zeros((1, 9), np.float32), np.zeros((1, 192), np.float32), "speech_tokenizer_v3"),
        (np.zeros((1, 9), np.int64), np.zeros((1, 512), np.float32), "campplus"),
        (np.zeros((1, 9), np.int64), np.full((1, 192), np.nan, np.float32), "campplus"),
    ],
)
def test_another_models_answers_are_not_taken(tokens: Any, speaker: Any, named: str) -> None:
    sessions, tokenizer_session, speaker_session = listening(1)
    tokenizer_session.answer, speaker_session.answer = tokens, speaker
    with pytest.raises(BadModel, match=named):
        frontend.features(speech(), 24000, sessions)


def test_a_torchaudio_that_does_not_load_is_said_at_once(tmp_path: Path) -> None:
    broken = tmp_path / "torchaudio"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise OSError('libc10_cuda.so: no such file')")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from pathlib import Path\n"
        "from engine.narrators.cosyvoice3.frontend import open_sessions\n"
        "from engine.registry import Fatal\n"
        "try:\n    open_sessions(Path('.'))\n"
        "except Fatal as error:\n    print(error)\n"
    )
    root = Path(frontend.__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.startswith("torchaudio cannot be loaded beside this torch"), done.stderr
    assert "libc10_cuda.so" in done.stdout


def test_importing_it_loads_no_library() -> None:
    code = (
        "import sys, engine.narrators.cosyvoice3.frontend, engine.narrators.cosyvoice3.voice_cache,"
        "engine.narrators.cosyvoice3.reference, engine.narrators.cosyvoice3.text;"
        "print([m for m in ('torch', 'torchaudio', 'onnxruntime', 'tokenizers', 'soundfile')"
        " if m in sys.modules])"
    )
    root = Path(frontend.__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]", done.stderr
