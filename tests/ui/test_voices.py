"""The voices of a book on their screen: heard, made, changed, removed; and given to segments."""

from __future__ import annotations

import json
import sys
import threading
import tomllib
from pathlib import Path

import pytest
from screens_text import assert_golden
from studio_rig import Rig, make_project, open_rig
from textual.widgets import Static

from studio.errors import MachineFault
from studio.project import voice_library
from studio.project.folders import config_folder
from studio.project.model import Voice
from studio.sound.source import AudioSource
from studio.ui.screens.prompt import Prompt
from studio.ui.screens.voice_form import Settings, VoiceForm
from studio.ui.screens.voice_pick import VoicePick, who
from studio.ui.screens.voice_shelf import VoiceShelf
from studio.ui.screens.voices import VoicesScreen
from studio.ui.typing_fields import Line
from studio.ui.widgets.column_list import ColumnList

SCRIPT = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"
MILLER = Voice("miller", "hibari", "heart", settings={"pitch": -3}, sample="Mind the step.")


def scripted_hibari(tmp_path: Path, *switches: str) -> Path:
    """The embedded engine is a scripted one; returns what will list the texts that it read."""
    tally = tmp_path / "tally"
    words = (sys.executable, "-P", str(SCRIPT), "--name", "hibari", "--tally", str(tally))
    command = ", ".join(f'"{word}"' for word in (*words, *switches))
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text(f"[engines.hibari]\ncommand = [{command}]\n")
    return tally


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def told(rig: Rig, which: str = "#voices-told") -> str:
    """What the window on top says; nothing while another one is there."""
    place = rig.app.screen.query_one_optional(which, Static)
    return "" if place is None else str(place.content)


async def voices_open(rig: Rig) -> VoicesScreen:
    await rig.press("g", "v")
    await rig.until(lambda: isinstance(rig.app.screen, VoicesScreen), "for the voices")
    screen = rig.app.screen
    assert isinstance(screen, VoicesScreen)
    await rig.until(lambda: screen.query_one(ColumnList).count())
    return screen


async def form_open(rig: Rig, key: str) -> VoiceForm:
    await rig.press(key)
    await rig.until(lambda: isinstance(rig.app.screen, VoiceForm), "for the form")
    assert isinstance(rig.app.screen, VoiceForm)
    return rig.app.screen


async def test_a_voice_reads_its_sample_and_the_project_is_not_touched(
    folder: Path, tmp_path: Path
) -> None:
    tally = scripted_hibari(tmp_path)
    async with open_rig(folder) as rig:
        rig.project.put_voice(MILLER)
        await voices_open(rig)
        await rig.press("j", "space")
        await rig.until(lambda: rig.player.played, "for the sample")
        assert tally.read_text() == "Mind the step.\n"
        assert told(rig) == "miller: Mind the step."
        await rig.press("space")
        await rig.until(lambda: not rig.screen.listening.active, "for silence")
        assert not any(segment.takes for segment in rig.project.segments())
        assert not list((folder / "clips").rglob("*.flac"))


async def test_what_the_engine_says_of_a_voice_is_told_when_it_is_heard_first(
    folder: Path, tmp_path: Path
) -> None:
    scripted_hibari(tmp_path, "--voice-note", "It is clipped.")
    async with open_rig(folder) as rig:
        rig.project.put_voice(MILLER)
        await voices_open(rig)
        await rig.press("j", "space")
        await rig.until(lambda: told(rig) == "miller: It is clipped.", "for the warning")
        await rig.press("space")
        await rig.until(lambda: not rig.screen.listening.active, "for silence")
        await rig.press("space")
        await rig.until(lambda: told(rig) == "miller: Mind the step.", "for the sample")


async def test_another_press_while_it_loads_begins_anew_and_leaving_is_quick(
    folder: Path, tmp_path: Path
) -> None:
    scripted_hibari(tmp_path, "--load-time", "30")
    async with open_rig(folder) as rig:
        await voices_open(rig)
        await rig.press("space", "space", "escape")
        await rig.until(lambda: not isinstance(rig.app.screen, VoicesScreen))
        assert not rig.player.played


async def test_a_missing_engine_is_a_plain_sentence(folder: Path) -> None:
    async with open_rig(folder) as rig:
        rig.project.put_voice(Voice("whale", "whale"))
        await voices_open(rig)
        await rig.press("j", "space")
        await rig.until(lambda: "no engine named whale" in told(rig), "for the sentence")


async def test_where_nothing_can_be_played_nothing_is_shown_as_playing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_hibari(tmp_path)
    async with open_rig(folder) as rig:
        line = rig.screen.player_line
        looked = threading.Event()

        def play(source: AudioSource, start_frame: int = 0) -> None:
            looked.wait(30)
            raise MachineFault("There is no sound device; connect one.")

        monkeypatch.setattr(rig.player, "play", play)
        rig.project.put_voice(MILLER)
        await voices_open(rig)
        await rig.press("j", "space")
        await rig.until(lambda: "by itself" in str(line.render()), "to begin")
        looked.set()
        await rig.until(lambda: "no sound device" in told(rig), "for the sentence")
        await rig.press("escape")
        await rig.until(lambda: "Nothing is playing" in str(line.render()), "for silence")


async def test_a_new_voice_is_made_out_of_another_and_undone(folder: Path, tmp_path: Path) -> None:
    scripted_hibari(tmp_path)
    async with open_rig(folder) as rig:
        await voices_open(rig)
        form = await form_open(rig, "i")
        await rig.press(*"miller")
        form.query_one("#voice-sample", Line).value = "Mind the step."
        form.query_one("#voice-settings", Settings).text = "pitch = -3\nstrength = 1.5"
        await rig.press("ctrl+e")
        await rig.until(lambda: isinstance(rig.app.screen, VoicesScreen), "for the voice")
        voice = rig.project.voices()["miller"]
        assert (voice.engine, voice.speaker, voice.sample) == ("hibari", "heart", "Mind the step.")
        assert voice.settings == {"pitch": -3, "strength": 1.5}
        kept = tomllib.loads((folder / "project.toml").read_text())["voices"]["miller"]
        assert kept["settings"] == {"pitch": -3, "strength": 1.5}
        await rig.press("u")
        await rig.until(lambda: "miller" not in rig.project.voices(), "for the undo")
        await rig.press("ctrl+r")
        await rig.until(lambda: "miller" in rig.project.voices(), "for the redo")


IMPOSSIBLE = (
    ("", "", "up to 32 letters"),
    ("old tam", "", "up to 32 letters"),
    ("heart", "", "a voice “heart” already"),
    ("tam", "pitch: 3", "Line 1 of the settings, “pitch: 3”, is no setting"),
    ("tam", "pitch = 1\npitch = 2", "stands there twice"),
    ("tam", "pitch = [1]", "must be a number, a text, true or false"),
    ("tam", "pitch = 1e400", "cannot be inf"),
    ("tam", f"pitch = {10**30}", "cannot be kept"),
)


async def test_what_cannot_be_is_said_and_the_form_stays(folder: Path, tmp_path: Path) -> None:
    scripted_hibari(tmp_path)
    async with open_rig(folder) as rig:
        await voices_open(rig)
        form = await form_open(rig, "i")
        for name, settings, sentence in IMPOSSIBLE:
            form.query_one("#voice-id", Line).value = name
            form.query_one("#voice-settings", Settings).text = settings
            form._tell("")
            await rig.press("ctrl+e")
            await rig.until(lambda it=sentence: it in told(rig, "#voice-told"), sentence)  # type: ignore[misc]
        await rig.press("escape")
        await rig.until(lambda: isinstance(rig.app.screen, VoicesScreen))
        assert set(rig.project.voices()) == {"heart"}


async def test_the_embedded_engine_s_own_rules_hold(folder: Path) -> None:
    """The real engine refuses a pitch out of reach, before the voice is kept."""
    async with open_rig(folder) as rig:
        await voices_open(rig)
        form = await form_open(rig, "enter")
        form.query_one("#voice-settings", Settings).text = "pitch = 9"
        await rig.press("ctrl+e")
        await rig.until(lambda: "-6 to 6 semitones" in told(rig, "#voice-told"), "to be refused")
        assert rig.project.voices()["heart"].settings == {}


async def test_another_engine_s_card_says_what_a_voice_may_be_set_to(
    folder: Path, tmp_path: Path
) -> None:
    """Without a model: it dies when one is to be loaded."""
    config_folder().mkdir(parents=True, exist_ok=True)
    words = (sys.executable, "-P", str(SCRIPT), "--name", "clone", "--fault", "fail-load")
    command = json.dumps([*words, "--settings", json.dumps({"mode": ["zero_shot", "instruct"]})])
    (config_folder() / "config.toml").write_text(f"[engines.clone]\ncommand = {command}\n")
    async with open_rig(folder) as rig:
        rig.project.put_voice(Voice("miller", "clone"))
        await voices_open(rig)
        await rig.press("j")
        form = await form_open(rig, "enter")
        settings = form.query_one("#voice-settings", Settings)
        settings.text = 'moode = "instruct"'
        await rig.press("ctrl+e")
        await rig.until(lambda: "no voice setting named “moode”" in told(rig, "#voice-told"))
        settings.text = 'mode = "instruct"'
        await rig.press("ctrl+e")
        await rig.until(lambda: isinstance(rig.app.screen, VoicesScreen))
        assert rig.project.voices()["miller"].settings == {"mode": "instruct"}


async def test_a_changed_voice_makes_its_takes_stale_and_says_so(
    folder: Path, tmp_path: Path
) -> None:
    scripted_hibari(tmp_path)
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        await voices_open(rig)
        form = await form_open(rig, "enter")
        form.query_one("#voice-settings", Settings).text = "pitch = 2"
        await rig.press("ctrl+e")
        await rig.until(lambda: "became stale" in told(rig), "for the stale take")
        assert "1 take became stale" in told(rig)
        assert rig.line.stale == ("voice",)


async def test_a_voice_goes_only_where_it_reads_nothing(folder: Path) -> None:
    async with open_rig(folder) as rig:
        rig.project.put_voice(MILLER)
        await voices_open(rig)
        await rig.press("d")
        await rig.until(lambda: "reads 18 segments" in told(rig), "for the refusal")
        await rig.press("j", "d")
        await rig.until(lambda: "miller is gone" in told(rig), "for it to go")
        assert set(rig.project.voices()) == {"heart"}


# Giving a voice to segments.


async def test_capital_v_gives_the_selection_a_voice_in_one_step(folder: Path) -> None:
    async with open_rig(folder) as rig:
        rig.project.put_voice(MILLER)
        await rig.press("r", "j", "r")
        await rig.narrated()
        uids = [rig.project.segments()[place].uid for place in (0, 1, 4)]
        rig.screen.session.rows.select(uids)
        await rig.press("V")
        await rig.until(lambda: isinstance(rig.app.screen, VoicePick), "for the list")
        await rig.press("j", "enter")
        await rig.until(lambda: rig.line.voice == "miller", "for the voice")
        voices = [segment.voice for segment in rig.project.segments()]
        assert voices[:5] == ["miller", "miller", "heart", "heart", "heart"]
        assert rig.line.stale == ("voice",)
        assert "miller reads 2 segments now; 2 stale" in rig.notice
        await rig.press("u")
        await rig.until(lambda: rig.line.voice == "heart", "for the undo")
        assert not any(segment.stale for segment in rig.project.segments())


async def test_the_voice_used_last_comes_first_and_can_be_heard_on_the_line(
    folder: Path, tmp_path: Path
) -> None:
    tally = scripted_hibari(tmp_path)
    async with open_rig(folder) as rig:
        rig.project.put_voice(MILLER)
        for steps in (("V", "j", "enter"), ("j", "V", "space")):
            for key in steps:
                await rig.press(key)
                if key == "V":
                    await rig.until(lambda: isinstance(rig.app.screen, VoicePick))
            if "enter" in steps:
                await rig.until(lambda: rig.line.voice == "miller")
        pick = rig.app.screen
        assert isinstance(pick, VoicePick)
        assert [voice.id for voice in pick._voices] == ["miller", "heart"]
        await rig.until(lambda: rig.player.played, "to be heard")
        assert tally.read_text().strip() == rig.line.spoken
        await rig.press("escape")
        await rig.until(lambda: not isinstance(rig.app.screen, VoicePick))
        assert rig.line.voice == "heart"


async def test_one_voice_is_no_choice_and_more_are_made_elsewhere(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("V")
        await rig.until(lambda: isinstance(rig.app.screen, VoicePick))
        assert "g v makes others" in told(rig, "#pick-told")
        await rig.press("enter")
        await rig.until(lambda: "heart reads it already" in rig.notice, "for the answer")


async def test_a_scene_break_has_no_voice(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "j", "j", "j", "V")
        assert "nobody reads it" in rig.notice


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 36)])
async def test_the_voices_look_as_they_did(
    folder: Path, tmp_path: Path, columns: int, rows: int
) -> None:
    async with open_rig(folder, (columns, rows)) as rig:
        rig.project.put_voice(MILLER)
        rig.project.put_voice(
            Voice("old-ferryman-of-the-long-name", "cosyvoice", description="an old man, hoarse")
        )
        await voices_open(rig)
        await rig.press("j")
        await rig.pilot.pause()
        assert_golden(rig.app, f"voices_{columns}")
        form = await form_open(rig, "i")
        assert form.query_one("#voice-settings", Settings).text == "pitch = -3"
        await rig.pilot.pause()
        assert_golden(rig.app, f"voice_form_{columns}")


async def test_what_plays_of_the_book_goes_on_when_the_window_closes(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        await rig.press("space")
        await rig.until(lambda: rig.screen.listening.active, "for the take")
        await voices_open(rig)
        await rig.press("escape")
        await rig.until(lambda: not isinstance(rig.app.screen, VoicesScreen))
        assert rig.screen.listening.active


async def test_a_voice_gets_another_name_and_undo_takes_it_back(folder: Path) -> None:
    async with open_rig(folder) as rig:
        rig.project.put_voice(MILLER)
        first = rig.project.segments()[0].uid
        rig.project.set_voice([first], "miller")
        await voices_open(rig)
        await rig.press("j", "r")
        await rig.until(lambda: isinstance(rig.app.screen, Prompt), "for the question")
        await rig.press(*"heart", "enter")
        await rig.until(lambda: "a voice “heart” already" in told(rig), "for the objection")
        await rig.press("r")
        await rig.until(lambda: isinstance(rig.app.screen, Prompt), "for the question")
        await rig.press(*"tam", "enter")
        await rig.until(lambda: "miller is called tam now" in told(rig), "for the new name")
        assert rig.project.segments()[0].voice == "tam"
        assert rig.project.history()[0].label == "renamed the voice miller to tam"
        await rig.press("u")
        await rig.until(lambda: rig.project.segments()[0].voice == "miller", "to be undone")


def test_a_reference_of_the_library_is_no_name_of_a_voice() -> None:
    assert who(Voice("tam", "clone", reference="voices/tam.flac")) == "voices/tam.flac"
    kept = Voice("tam", "clone", reference="/home/me/voices/audio/dbfd5f35b54cc0ec.flac")
    assert who(kept) == "its own reference"
    assert who(Voice("tam", "clone")) == "–"


async def test_a_voice_goes_out_of_the_library_and_comes_back(folder: Path) -> None:
    for name in ("bella", "tam"):
        voice_library.keep(Voice(name, "hibari", "heart", language="en"), folder)
    async with open_rig(folder) as rig:
        await voices_open(rig)
        await rig.press("o")
        await rig.until(lambda: isinstance(rig.app.screen, VoiceShelf), "for the library")
        await rig.press("u")
        await rig.until(lambda: "Nothing was taken out here" in told(rig, "#pick-told"))
        await rig.press("d")
        await rig.until(lambda: "bella is out of your library" in told(rig, "#pick-told"))
        await rig.press("d")
        await rig.until(lambda: "tam is out of your library" in told(rig, "#pick-told"))
        assert voice_library.removed() == ("bella", "tam")
        await rig.press("d", "enter", "u")
        await rig.until(lambda: "tam is in your library again" in told(rig, "#pick-told"))
        await rig.press("enter")
        await rig.until(lambda: "tam" in rig.project.voices(), "for the voice in the book")
        assert voice_library.removed() == ("bella",)
