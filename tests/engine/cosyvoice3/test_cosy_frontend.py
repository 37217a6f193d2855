"""What the model hears of a reference, against what the reference implementation heard."""

from __future__ import annotations

import subprocess
import sys
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

FILES = golden.names("features*.npz")


def kind(key: str) -> str:
    """What is held under a key, which may begin with the name of a case and a dot."""
    return key.rpartition(".")[2]


def held(pattern: str) -> list[tuple[str, str]]:
    """Files and those of their keys that hold such a thing."""
    return [
        (file, key) for file in FILES for key in golden.load(file) if kind(key).startswith(pattern)
    ]


def wave(file: str, key: str, name: str) -> torch.Tensor:
    """The wave that something was made of, of the same case."""
    return torch.from_numpy(golden.load(file)[key.removesuffix(kind(key)) + name])


def hertz(name: str) -> int:
    """“16” is 16 kHz, “441” is 44.1 kHz."""
    return round(float(f"{name[:2]}.{name[2:]}") * 1000)


def apart(ours: Any, theirs: NDArray[np.float32]) -> float:
    """The largest difference; the shapes have to be the same."""
    assert tuple(ours.shape) == theirs.shape
    return float(np.abs(np.asarray(ours, np.float64) - theirs).max())


def test_there_are_goldens() -> None:
    assert FILES


@pytest.mark.parametrize(("file", "key"), held("resample_"))
def test_resampling(file: str, key: str) -> None:
    source, to = (hertz(part) for part in kind(key).removeprefix("resample_").split("to"))
    name = kind(key).removeprefix("resample_").split("to")[0]
    expected = golden.load(file)[key]
    # Some are made of the beginning of a wave; the length of the result tells of how much.
    excerpt = wave(file, key, f"wav{name}")[: round(expected.shape[-1] * source / to)]
    assert apart(frontend.resample(excerpt[None], source, to), expected) <= 1e-5


@pytest.mark.parametrize(("file", "key"), held("melbank"))
def test_banks(file: str, key: str) -> None:
    expected = golden.load(file)[key]
    rate = 24000 if kind(key).startswith("melbank24") else 16000
    bands, bins = expected.shape
    assert apart(frontend.mel_bank(rate, 2 * (bins - 1), bands), expected) <= 1e-7


@pytest.mark.parametrize(("file", "key"), held("mel24"))
def test_mel_of_the_flow(file: str, key: str) -> None:
    expected = golden.load(file)[key]
    whole = wave(file, key, "wav24")
    frames = expected.shape[-1]
    # Of an excerpt only the number of frames is known: it is one of these lengths.
    fit = range(480 * frames, min(480 * (frames + 1), len(whole) + 1))
    lengths = [len(whole)] if len(whole) in fit else fit
    assert min(apart(frontend.mel24(whole[:n])[None], expected) for n in lengths) <= 1e-5


@pytest.mark.parametrize(("file", "key"), held("whisper128"))
def test_mel_of_the_speech_tokenizer(file: str, key: str) -> None:
    assert (
        apart(frontend.whisper_mel(wave(file, key, "wav16"))[None], golden.load(file)[key]) <= 1e-5
    )


@pytest.mark.parametrize(("file", "key"), held("fbank80"))
def test_filter_bank_of_the_speaker_model(file: str, key: str) -> None:
    bank = frontend.filter_bank(wave(file, key, "wav16"))
    if key.endswith("cmn"):
        bank = bank - bank.mean(dim=0, keepdim=True)
    assert apart(bank, golden.load(file)[key]) <= 1e-3


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
