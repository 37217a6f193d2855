"""A reference out of a recording, on its screen: cut, heard, written down, confirmed, kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from screens_text import assert_golden, screen_text
from studio_rig import Rig, make_project, open_rig
from test_voices import scripted_hibari, told, voices_open
from textual.widgets import Input, Static

from engine import wire
from studio.errors import BadInput
from studio.project import voice_library
from studio.project.model import Voice
from studio.review.proposal import Proposal, SaidWord
from studio.sound.preparing import Source
from studio.ui.preparation import Preparation
from studio.ui.screens.preparing import PreparingScreen
from studio.ui.screens.prompt import Confirm, Prompt
from studio.ui.screens.voice_form import VoiceForm
from studio.ui.screens.voice_pick import VoicePick
from studio.ui.screens.voices import VoicesScreen
from studio.ui.typing_fields import Line

RATE = 24_000
TAM = Voice("tam", "clone", language="en-GB", sample="Mind the step.")
SAID = (("The", 0.98), ("fairy", 0.41), ("leaves", 0.97), ("at", 0.99), ("6.", 0.9))
"""What the listener makes of each phrase."""
PHRASE, PAUSE = 2.0, 0.5


def burst(seconds: float) -> np.ndarray:
    """Something like speech: a voice's harmonics, louder and softer."""
    at = np.arange(round(seconds * RATE)) / RATE
    wave = sum(np.sin(2 * np.pi * 130 * k * at) / k for k in range(1, 12))
    loud = 0.6 + 0.4 * np.sin(2 * np.pi * 3.1 * at)
    edge = np.minimum(1, np.minimum(at, at[::-1]) / 0.03)
    return (wave * loud * edge * 0.12).astype(np.float32)


def recording(path: Path, phrases: int = 6) -> Path:
    pause = np.zeros(round(PAUSE * RATE), np.float32)
    hiss = np.random.default_rng(1).normal(0, 2e-3, round(PHRASE * RATE)).astype(np.float32)
    said = burst(PHRASE)
    said = said + hiss[: len(said)]  # the highs that a voice has
    parts = [pause, *(it for _ in range(phrases) for it in (said, pause))]
    soundfile.write(path, np.concatenate(parts), RATE)
    return path


class ScriptedEar:
    """Hears the same in every phrase."""

    def __init__(self, refusal: str = "") -> None:
        self.refusal = refusal
        self.asked: list[tuple[float, str]] = []

    async def hear(self, samples: np.ndarray, rate: int, language: str) -> wire.Heard:
        self.asked.append((len(samples) / rate, language))
        if self.refusal:
            raise BadInput(self.refusal)
        words = []
        start = PAUSE
        while start + PHRASE <= len(samples) / rate:
            step = PHRASE / len(SAID)
            words += [
                wire.Word(text, start + place * step, start + (place + 1) * step, sure)
                for place, (text, sure) in enumerate(SAID)
            ]
            start += PHRASE + PAUSE
        text = " ".join(it.text for it in words)
        return wire.Heard(1, text, tuple(words), "en", len(samples) / rate, 0.1)

    async def close(self) -> None:
        pass


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


async def preparing(rig: Rig, path: Path, ear: ScriptedEar | None = None) -> PreparingScreen:
    """The screen on a recording for `TAM`."""
    assert rig.app.session is not None
    rig.app.session._listener = ear or ScriptedEar()  # type: ignore[assignment]
    if "tam" not in rig.project.voices():
        rig.project.put_voice(TAM)
    await voices_open(rig)
    await rig.press("j", "p")
    await rig.until(lambda: isinstance(rig.app.screen, Prompt), "for the question")
    rig.app.screen.query_one(Input).value = str(path)
    await rig.press("enter")
    await rig.until(lambda: isinstance(rig.app.screen, PreparingScreen), "for the recording")
    screen = rig.app.screen
    assert isinstance(screen, PreparingScreen)
    return screen


async def heard(rig: Rig, screen: PreparingScreen) -> None:
    await rig.until(lambda: screen._made.places and not screen._hears, "for the words")


def shown(screen: PreparingScreen, name: str) -> str:
    return str(screen.query_one(f"#prepare-{name}", Static).content)


async def test_a_recording_becomes_a_voice_in_one_step(folder: Path, tmp_path: Path) -> None:
    path = recording(tmp_path / "memo.wav")
    async with open_rig(folder) as rig:
        screen = await preparing(rig, path)
        await heard(rig, screen)
        assert 5.0 <= screen._made.seconds <= 10.4
        assert "Nothing speaks against it" in shown(screen, "checks")
        await rig.press("ctrl+e")
        assert "doubtful" in told(rig, "#prepare-told")
        before = rig.project.history()
        await rig.press("w", "tab")
        words = screen._made.proposal.words
        for _ in screen._made.proposal.doubtful(screen._made.places):
            assert words[screen._made.place or 0].doubtful
            if words[screen._made.place or 0].text == "fairy":
                await rig.press("e")
                await rig.until(lambda: isinstance(rig.app.screen, Prompt))
                rig.app.screen.query_one(Input).value = "ferry"
                await rig.press("enter")
                await rig.until(lambda: rig.app.screen is screen)
            else:
                await rig.press("enter")
            await rig.press("tab")
        await rig.press("ctrl+e")
        assert "not confirmed" in told(rig, "#prepare-told")
        assert "not confirmed, none doubtful" in screen_text(rig.app)
        await rig.press("a")
        assert "Every word is confirmed" in told(rig, "#prepare-told")
        text = screen._made.text
        assert text == " ".join(["The ferry leaves at six."] * (len(text) // 24))
        assert rig.project.history() == before, "nothing is kept before the form"
        await rig.press("ctrl+e")
        await rig.until(lambda: isinstance(rig.app.screen, VoiceForm), "for the form")
        await rig.press("ctrl+e")
        await rig.until(lambda: isinstance(rig.app.screen, VoicesScreen), "for the voice")
        voice = rig.project.voices()["tam"]
        assert voice.transcript == text
        assert voice.reference == "voices/tam.flac"
        info = soundfile.info(folder / voice.reference)
        assert info.duration == pytest.approx(screen._made.seconds, abs=0.01)
        assert rig.project.history()[0].label == "changed the voice tam"
        await rig.press("u")
        await rig.until(lambda: not rig.project.voices()["tam"].reference, "for the undo")
        await rig.press("ctrl+r")
        await rig.until(lambda: rig.project.voices()["tam"].reference, "for the redo")


async def test_edges_are_moved_and_the_cut_is_played(folder: Path, tmp_path: Path) -> None:
    async with open_rig(folder) as rig:
        screen = await preparing(rig, recording(tmp_path / "memo.wav"))
        await heard(rig, screen)
        made = screen._made
        start, end = made.start, made.end
        await rig.press("h", "h", "l")
        assert made.end == pytest.approx(end - 0.05)
        await rig.press("tab", "l", "H")
        assert made.start == pytest.approx(max(0.0, start + 0.05 - 1))
        await rig.press("plus", "plus", "minus")
        assert made.end == pytest.approx(end + 0.45)
        await rig.press("space")
        await rig.until(lambda: rig.player.played, "for the sound")
        source, _ = rig.player.played[-1]
        assert source.frames == pytest.approx(made.seconds * RATE, abs=2)
        await rig.press("space")
        await rig.until(lambda: not rig.player.playing, "for silence")
        await rig.press("b")
        assert "best" in told(rig, "#prepare-told")
        for _ in range(30):
            await rig.press("minus")
        assert made.seconds == pytest.approx(0.5)
        assert "too short" in shown(screen, "checks")
        await rig.press("escape")
        await rig.until(lambda: isinstance(rig.app.screen, VoicesScreen))
        assert not rig.project.voices()["tam"].reference


async def test_a_word_is_played_by_itself(folder: Path, tmp_path: Path) -> None:
    async with open_rig(folder) as rig:
        screen = await preparing(rig, recording(tmp_path / "memo.wav"))
        await heard(rig, screen)
        await rig.press("w", "l", "space")
        await rig.until(lambda: rig.player.played, "for the word")
        source, _ = rig.player.played[-1]
        assert source.frames / RATE == pytest.approx(PHRASE / len(SAID) + 0.5, abs=0.01)
        await rig.press("escape")
        assert rig.app.screen is screen


async def test_typed_text_wins_and_belongs_to_its_cut(folder: Path, tmp_path: Path) -> None:
    async with open_rig(folder) as rig:
        ear = ScriptedEar("The listener understands English only.")
        screen = await preparing(rig, recording(tmp_path / "memo.wav"), ear)
        await rig.until(lambda: "English only" in told(rig, "#prepare-told"), "for the refusal")
        await rig.press("ctrl+e")
        assert "t listens, E types it" in told(rig, "#prepare-told")
        await rig.press("E")
        await rig.until(lambda: isinstance(rig.app.screen, Prompt))
        rig.app.screen.query_one(Input).value = "  Die Fähre   fährt um sechs. "
        await rig.press("enter")
        await rig.until(lambda: rig.app.screen is screen)
        assert screen._made.text == "Die Fähre fährt um sechs."
        ear.refusal = ""
        await rig.press("t")
        await heard(rig, screen)
        assert screen._made.text == "Die Fähre fährt um sechs.", "a proposal overrules nobody"
        await rig.press("H", "ctrl+e")
        assert "typed for another cut" in told(rig, "#prepare-told")
        await rig.press("L", "ctrl+e")
        await rig.until(lambda: isinstance(rig.app.screen, VoiceForm), "for the form")


async def test_the_engine_reads_its_sample_line_with_the_cut(folder: Path, tmp_path: Path) -> None:
    tally = scripted_hibari(tmp_path)
    async with open_rig(folder) as rig:
        rig.project.put_voice(TAM)
        screen = await preparing(rig, recording(tmp_path / "memo.wav"))
        await heard(rig, screen)
        screen._voice = Voice("tam", "hibari", language="en", sample="Mind the step.")
        await rig.press("s")
        await rig.until(lambda: rig.player.played, "for the sample")
        assert tally.read_text() == "Mind the step.\n"
        assert not rig.project.voices()["tam"].reference


async def test_the_embedded_voice_leads_to_a_new_one(folder: Path, tmp_path: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.app.session is not None
        rig.app.session._listener = ScriptedEar()  # type: ignore[assignment]
        await voices_open(rig)
        await rig.press("p")
        await rig.until(lambda: isinstance(rig.app.screen, Prompt))
        rig.app.screen.query_one(Input).value = str(recording(tmp_path / "memo.wav"))
        await rig.press("enter")
        await rig.until(lambda: isinstance(rig.app.screen, PreparingScreen))
        screen = rig.app.screen
        assert isinstance(screen, PreparingScreen)
        await heard(rig, screen)
        screen._made.type_all("What is said.")
        await rig.press("ctrl+e")
        await rig.until(lambda: isinstance(rig.app.screen, VoiceForm), "for the form")
        form = rig.app.screen
        assert form.query_one("#voice-engine", Line).value not in ("", "hibari")
        assert form.query_one("#voice-transcript", Line).value == "What is said."
        form.query_one("#voice-id", Line).value = "miller"
        await rig.press("ctrl+e")
        await rig.until(lambda: "miller" in rig.project.voices(), "for the voice")
        assert rig.project.voices()["miller"].reference == "voices/miller.flac"
        assert set(rig.project.voices()) == {"heart", "miller"}


async def test_what_is_no_recording_is_a_sentence(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.wav").write_text("Dear Sir")
    async with open_rig(folder) as rig:
        rig.project.put_voice(TAM)
        await voices_open(rig)
        for name, sentence in (("gone.wav", "There is no file"), ("letter.wav", "no sound")):
            await rig.press("j", "p")
            await rig.until(lambda: isinstance(rig.app.screen, Prompt))
            rig.app.screen.query_one(Input).value = str(tmp_path / name)
            await rig.press("enter")
            await rig.until(lambda it=sentence: it in told(rig), sentence)  # type: ignore[misc]


async def test_a_voice_goes_into_the_library_and_comes_back(folder: Path) -> None:
    async with open_rig(folder) as rig:
        rig.project.put_voice(TAM)
        await voices_open(rig)
        await rig.press("o")
        await rig.until(lambda: "library is empty" in told(rig), "for the answer")
        await rig.press("j", "K")
        await rig.until(lambda: "tam is in your library now" in told(rig), "for it to be kept")
        await rig.press("K")
        await rig.until(lambda: "in your library already" in told(rig), "for the answer")
        await rig.press("d")
        await rig.until(lambda: "tam" not in rig.project.voices(), "for it to go")
        await rig.press("o")
        await rig.until(lambda: isinstance(rig.app.screen, VoicePick), "for the library")
        await rig.press("enter")
        await rig.until(lambda: "tam" in rig.project.voices(), "for it to come")
        await rig.press("u")
        await rig.until(lambda: "tam" not in rig.project.voices(), "for the undo")


async def test_another_voice_of_that_name_is_asked_about(folder: Path) -> None:
    voice_library.keep(Voice("tam", "clone", style="slow", language="en"), folder)
    async with open_rig(folder) as rig:
        rig.project.put_voice(TAM)
        await voices_open(rig)
        await rig.press("j", "K")
        await rig.until(lambda: isinstance(rig.app.screen, Confirm), "to be asked")
        await rig.press("escape")
        await rig.until(lambda: isinstance(rig.app.screen, VoicesScreen))
        assert voice_library.voice("tam").style == "slow"
        await rig.press("o")
        await rig.until(lambda: isinstance(rig.app.screen, VoicePick), "for the library")
        await rig.press("enter")
        await rig.until(lambda: isinstance(rig.app.screen, Prompt), "for the other name")
        await rig.press(*"old", "enter")
        await rig.until(lambda: "old" in rig.project.voices(), "for it to come")
        assert rig.project.voices()["old"].style == "slow"
        await rig.press("K")
        await rig.until(lambda: "old is in your library now" in told(rig), "for it to be kept")


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_golden(folder: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    async with open_rig(folder, size=size) as rig:
        screen = await preparing(rig, recording(tmp_path / "memo.wav"))
        await heard(rig, screen)
        await rig.pilot.pause()
        assert_golden(rig.app, f"preparing_{size[0]}")
        await rig.press("w", "tab", "enter")
        screen._made.end -= 1.2
        screen._show()
        await rig.pilot.pause()
        assert_golden(rig.app, f"preparing_words_{size[0]}")


def made(seconds: float = 12.0) -> Preparation:
    pcm = (burst(seconds) * 32767).astype(np.int16)
    found = Preparation.of(Source(Path("a.wav"), pcm, RATE, 1))
    words = [SaidWord(f"w{at}", at / 2, at / 2 + 0.4, at % 3 / 2) for at in range(20)]
    found.take_in(Proposal(words), 0, seconds)
    return found


MOVES = {
    "move": st.floats(-20, 20),
    "lengthen": st.floats(-20, 20),
    "best": st.floats(0.5, 30),
    "step": st.integers(-30, 30),
    "next_doubtful": None,
    "confirm": None,
    "confirm_sure": None,
    "next_open": None,
    "type_word": st.text(max_size=5),
}


@given(st.data())
def test_whatever_is_pressed_the_cut_stays_within_the_recording(data: st.DataObject) -> None:
    preparation = made()
    for name in data.draw(st.lists(st.sampled_from(sorted(MOVES)), max_size=12)):
        preparation.at_end = data.draw(st.booleans())
        given_ = MOVES[name]
        getattr(preparation, name)(*(() if given_ is None else (data.draw(given_),)))
        assert 0 <= preparation.start < preparation.end <= preparation.source.seconds + 1e-9
        assert preparation.seconds >= 0.5 - 1e-9
        assert preparation.place in [*preparation.places, None]
    if not preparation.lacks():
        assert all(preparation.proposal.words[it].confirmed for it in preparation.places)
