"""The embedded listener through a real process: it hears what the embedded narrator says."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from engine_process import EngineProcess

from engine import wire
from engine.listeners.whisper import _whole_words

TEXT = "The old man walked slowly down the hill. Nobody saw him leave the village."


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """Two sentences at 24 kHz."""
    with EngineProcess(tmp_path_factory.mktemp("narrator")) as narrator:
        return narrator.ready().samples(TEXT)


@pytest.fixture(scope="module")
def listener(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    with EngineProcess(tmp_path_factory.mktemp("listener"), listener="whisper") as process:
        hello = process.next()
        assert hello is not None
        assert hello.message.card.hears
        assert isinstance(process.load(), wire.Loaded)
        yield process


def hear(
    process: EngineProcess, samples: np.ndarray, rate: int = 24000, **fields: str
) -> wire.Heard:
    """What the listener makes of samples."""
    request = wire.Hear(process.number(), rate=rate, **fields)
    return process.answer(process.send(request, samples.astype("<f4").tobytes()))[0]


def plain(text: str) -> list[str]:
    return "".join(it for it in text.lower() if it.isalpha() or it == " ").split()


def test_it_hears_what_is_said_and_when(listener: EngineProcess, spoken: np.ndarray) -> None:
    heard = hear(listener, spoken)
    assert isinstance(heard, wire.Heard), heard
    wrong = sum(a != b for a, b in zip(plain(heard.text), plain(TEXT), strict=True))
    assert wrong <= 1, heard.text
    assert [it.text for it in heard.words] == heard.text.split()
    seconds = len(spoken) / 24000
    assert heard.audio_seconds == pytest.approx(seconds, abs=0.001)
    starts = [it.start for it in heard.words]
    assert starts == sorted(starts)
    assert all(0 <= it.start <= it.end <= seconds for it in heard.words)
    # Silence lies between the sentences, and no word over it.
    ends = next(it for it in heard.words if it.text.startswith("hill"))
    begins = next(it for it in heard.words if it.text == "Nobody")
    assert ends.end <= begins.start
    assert heard.language == "en"
    assert 0 < heard.seconds < 60


def test_a_figure_that_the_decoder_gives_in_pieces_is_one_word() -> None:
    pieces = [
        SimpleNamespace(word=word, start=at, end=at + 1, probability=sure)
        for at, (word, sure) in enumerate([(" cost", 0.9), (" 1", 0.7), (",204", 0.8), (" of", 1)])
    ]
    words = _whole_words(pieces, seconds=3.5)
    assert [(it.text, it.start, it.end, it.probability) for it in words] == [
        ("cost", 0, 1, 0.9),
        ("1,204", 1, 3, 0.7),
        ("of", 3, 3.5, 1),
    ]


def test_the_same_sound_gives_the_same_words(listener: EngineProcess, spoken: np.ndarray) -> None:
    first, second = hear(listener, spoken), hear(listener, spoken)
    assert first.words == second.words
    assert first.text == second.text


def test_a_file_is_read_by_the_listener(
    listener: EngineProcess, spoken: np.ndarray, tmp_path: Path
) -> None:
    path = tmp_path / "said.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 24000, 0, "NONE", ""))
        file.writeframes((spoken * 32767).astype("<i2").tobytes())
    request = wire.Hear(listener.number(), path=str(path))
    heard = listener.answer(listener.send(request))[0]
    assert plain(heard.text) == plain(hear(listener, spoken).text)


def test_a_film_is_read_too(listener: EngineProcess, spoken: np.ndarray, tmp_path: Path) -> None:
    import av

    path = tmp_path / "said.m4a"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=24000)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(spoken[np.newaxis, :], format="fltp", layout="mono")
        frame.sample_rate = 24000
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    request = wire.Hear(listener.number(), path=str(path))
    heard = listener.answer(listener.send(request))[0]
    assert isinstance(heard, wire.Heard), heard
    assert "village" in plain(heard.text)


def test_silence_has_no_words(listener: EngineProcess) -> None:
    heard = hear(listener, np.zeros(48000, np.float32))
    assert (heard.text, heard.words, heard.audio_seconds) == ("", (), 2.0)
    assert hear(listener, np.zeros(0, np.float32)).text == ""


@pytest.mark.parametrize(
    ("fields", "sound", "told"),
    [
        ({"language": "de"}, b"\0" * 400, "English only"),
        ({"rate": 0}, b"\0" * 400, "samples per second"),
        ({"rate": 24000}, b"\0" * 401, "not whole"),
        ({"rate": 24000}, np.float32("nan").tobytes() * 100, "NaN"),
        ({"path": "/nowhere/at/all.wav"}, b"", "There is no file"),
        ({"rate": 4000}, b"\0" * (4 * 4000 * 3601), "longer than 60 minutes"),
    ],
)
def test_what_cannot_be_heard_is_refused(
    listener: EngineProcess, fields: dict[str, object], sound: bytes, told: str
) -> None:
    request = wire.Hear(listener.number(), **{"rate": 24000, **fields})  # type: ignore[arg-type]
    refused = listener.answer(listener.send(request, sound))[0]
    assert isinstance(refused, wire.Refused), refused
    assert told in refused.reason


def test_no_sound_at_all_is_refused(listener: EngineProcess, tmp_path: Path) -> None:
    path = tmp_path / "letter.wav"
    path.write_bytes(io.BytesIO(b"Dear Sir, " * 100).getvalue())
    request = wire.Hear(listener.number(), path=str(path))
    refused = listener.answer(listener.send(request))[0]
    assert isinstance(refused, wire.Refused)
    assert "letter.wav" in refused.reason


def test_it_does_not_speak_and_a_narrator_does_not_listen(
    listener: EngineProcess, tmp_path: Path
) -> None:
    refused = listener.prepare(wire.Voice("v"))
    assert isinstance(refused, wire.Refused)
    assert "does not speak" in refused.reason
    with EngineProcess(tmp_path / "narrator") as narrator:
        narrator.ready()
        answer = hear(narrator, np.zeros(2400, np.float32))
        assert isinstance(answer, wire.Refused)
        assert "does not listen" in answer.reason


def test_a_request_that_waits_can_be_dropped(listener: EngineProcess, spoken: np.ndarray) -> None:
    sound = np.concatenate([spoken] * 6).astype("<f4").tobytes()
    first, second = (
        listener.send(wire.Hear(listener.number(), rate=24000), sound) for _ in range(2)
    )
    listener.send(wire.Cancel(listener.number(), second))
    # The second is answered at once, before the first or behind it.
    answers = [listener.until((wire.Heard, wire.Failed))[0] for _ in range(2)]
    by = {it.id: it for it in answers}
    assert isinstance(by[first], wire.Heard)
    assert by[second].failure == "cancelled"


def test_options_are_not_understood(tmp_path: Path) -> None:
    with EngineProcess(tmp_path / "listener", listener="whisper") as process:
        refused = process.load(beam=7)
        assert isinstance(refused, wire.Refused)
        assert "beam" in refused.reason
