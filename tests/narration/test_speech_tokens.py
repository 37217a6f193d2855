"""What an engine sends along with its clips: kept, voiced again, verified; and what it says of
them."""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from narration_helpers import MakeStudio, Studio, line, scripted

from engine import wire
from studio.engines.catalogue import Catalogue, EngineSpec
from studio.errors import BadInput
from studio.narration import validate
from studio.narration.verify import verify
from studio.project.model import Outcome, State, Take
from studio.project.packing import pack
from studio.project.project import Project
from studio.project.tokens import MOST_ATTACHED, TOKENS_BLOB, tokens_hash, tokens_of
from studio.project.unpacking import unpack

TEXTS = [line(1), line(2)]
CARD = wire.Card("scripted", "1", "m", 24_000, ("en",), 400)


def takes(studio: Studio, index: int = 0) -> tuple[Take, ...]:
    return studio.project.takes(studio.uids[index])


def outcomes(studio: Studio) -> list[Outcome]:
    return [outcome for change in studio.changes for outcome in change.outcomes]


async def replayed(studio: Studio, take: Take) -> None:
    """Have a take's tokens voiced again."""
    studio.ask([take.segment], replays={take.segment: take.id}, first=True)
    await studio.idle()


async def with_engine(studio: Studio, spec: EngineSpec) -> None:
    """Go on with an engine that is configured otherwise."""
    await studio.director.stop()
    studio.director._catalogue = Catalogue({spec.name: spec})
    for pool in studio.director._pools.values():
        await pool.unload()
    studio.director._pools.clear()
    studio.director.resume()


async def test_tokens_are_kept_and_survive_undo_and_travel(
    make_studio: MakeStudio, tmp_path: Path
) -> None:
    studio = make_studio(TEXTS, scripted("--tokens"))
    studio.ask()
    await studio.idle()
    (take,) = takes(studio)
    kept = studio.project.blob(take.id, TOKENS_BLOB)
    assert kept is not None
    assert len(tokens_of(kept)) == 5
    assert take.recipe["options"] == {"steps": 10}
    assert not take.replayed
    while studio.project.undo() is not None:
        pass
    assert studio.project.blob(take.id, TOKENS_BLOB) == kept
    packed = pack(studio.project.folder, lambda _: tmp_path / "book.rhapsode")
    unpacked = unpack(packed.path, lambda _: tmp_path / "there")
    with Project.open(unpacked.folder) as there:
        assert there.blob(take.id, TOKENS_BLOB) == kept
        # Taking back has left the take to nobody: cleaning takes its tokens along.
        there.clean(dry_run=False)
        assert there.takes_with(TOKENS_BLOB) == frozenset()


async def test_voiced_again_with_other_steps_it_is_another_take_that_nobody_chose(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:1], scripted("--tokens"))
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    await with_engine(studio, scripted("--tokens", "--steps", "4"))
    # The segment has moved on: what is voiced is what the take says.
    studio.project.edit_spoken(studio.uids[0], "Another text, which is a good deal longer.")
    await replayed(studio, old)
    kept, new = takes(studio)
    assert kept == old
    tokens = studio.project.blob(old.id, TOKENS_BLOB) or b""
    assert new.recipe == {
        **old.recipe,
        "options": {"steps": 4},
        "tokens": tokens_hash(tokens),
    }
    assert new.replayed
    assert new.frames == old.frames
    assert new.pcm_hash != old.pcm_hash
    assert studio.project.blob(new.id, TOKENS_BLOB) == tokens
    assert studio.segment(0).chosen == old.id
    (outcome,) = outcomes(studio)
    assert (outcome.take, outcome.same, outcome.item.replay) == (new.id, False, True)
    # Once more, it is there already and nothing is narrated.
    made = studio.director.status.made
    await replayed(studio, old)
    assert takes(studio) == (kept, new)
    assert studio.director.status.made == made
    assert outcomes(studio)[-1].take == new.id


async def test_by_the_same_engine_the_same_bytes_come_out_and_no_second_take(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:1], scripted("--tokens"))
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    await replayed(studio, old)
    assert takes(studio) == (old,)
    assert outcomes(studio)[0].same


async def test_a_voiced_take_is_made_again_and_verified(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:1], scripted("--tokens"))
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    other = scripted("--tokens", "--steps", "4")
    await with_engine(studio, other)
    await replayed(studio, old)
    _, new = takes(studio)
    studio.ask(remake=new.id, first=True)
    await studio.idle()
    assert takes(studio) == (old, new)
    assert (outcomes(studio)[-1].take, outcomes(studio)[-1].same) == (new.id, True)
    (differs,) = await verify(studio.project, Catalogue({"scripted": other}), [old, new])
    assert differs.take == old
    assert "other options" in differs.why
    assert differs.tried
    (plain,) = await verify(studio.project, Catalogue({"scripted": scripted()}), [new])
    assert plain.why == "The engine scripted does not voice kept speech tokens."
    studio.project._session.store.execute("DELETE FROM take_blobs WHERE take = ?", (new.id,))
    (lost,) = await verify(studio.project, Catalogue({"scripted": other}), [new])
    assert "not kept any more" in lost.why
    was = studio.project.voices()[old.voice]
    studio.project.put_voice(replace(was, settings={"pitch": 1}))
    (changed,) = await verify(studio.project, Catalogue({"scripted": other}), [old])
    assert changed.why == f"The voice “{old.voice}” that made it has changed since."
    tried = [plain.tried, lost.tried, changed.tried]
    assert not any(tried), "of these nothing can be said"


async def test_what_cannot_be_voiced_again_is_one_plain_sentence(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS, scripted("--tokens"))
    studio.ask([studio.uids[0]])
    await studio.idle()
    await with_engine(studio, scripted())
    studio.ask([studio.uids[1]])
    await studio.idle()
    (without,) = takes(studio, 1)
    with pytest.raises(BadInput, match="segment 2 keeps no speech tokens"):
        studio.ask([studio.uids[1]], replays={studio.uids[1]: without.id})
    (old,) = takes(studio)
    await replayed(studio, old)
    assert outcomes(studio)[-1].reason == (
        "Take 1 cannot be voiced again: the engine scripted does not voice kept speech tokens."
    )
    await with_engine(studio, scripted("--tokens", "--name", "another"))
    await replayed(studio, old)
    assert "those of the engine scripted, and its voice is read by another" in (
        outcomes(studio)[-1].reason
    )
    voice = studio.project.voices()["tone"]
    studio.project.put_voice(replace(voice, style="slower"))
    await replayed(studio, old)
    assert outcomes(studio)[-1].reason.startswith(
        "Take 1 cannot be voiced again: the voice “tone” has changed since"
    )
    assert studio.segment(0).failure == ""
    assert takes(studio) == (old,)


async def test_attachments_beyond_all_measure_are_refused(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:1], scripted("--attach", str(MOST_ATTACHED + 4)))
    studio.ask()
    await studio.idle()
    assert studio.segment(0).failure.startswith("The engine scripted sent 1,048,580 bytes in 1")
    assert takes(studio) == ()


def clip(**blobs: bytes) -> tuple[wire.Clip, bytes]:
    parts = {"pcm": np.zeros(240, "<f4").tobytes(), **blobs}
    listed = tuple(wire.Blob(name, len(content)) for name, content in parts.items())
    return wire.Clip(1, 24_000, 1, 240, 0.1, 0.1, 0, listed), b"".join(parts.values())


@pytest.mark.parametrize(
    ("blobs", "words"),
    [
        ({"speech_tokens": b"123"}, "tokens that are none"),
        ({"speech_tokens": array("i", [4, -1]).tobytes()}, "tokens that are none"),
        ({"../evil": b"1"}, "by the name '../evil'"),
        ({f"b{number}": b"1" for number in range(9)}, "in 9 attachments"),
    ],
)
def test_attachments_that_are_not_what_they_say(blobs: dict[str, bytes], words: str) -> None:
    with pytest.raises(validate.BadClip, match=words):
        validate.attachments(*clip(**blobs), CARD)


def test_attachments_are_what_came_without_the_sound() -> None:
    message, payload = clip(speech_tokens=array("i", [1, 2]).tobytes(), word_times=b"[]", none=b"")
    assert validate.attachments(message, payload, CARD) == {
        "speech_tokens": array("i", [1, 2]).tobytes(),
        "word_times": b"[]",
    }


def test_what_an_engine_says_is_cut_to_what_can_be_shown() -> None:
    told = validate.notes(("  two\nlines\x1b[31m ", "two lines[31m", "", "x" * 999, "\ud800"))
    assert told == ("two lines[31m", "x" * 300, "?")
    assert len(validate.notes(tuple(map(str, range(99))))) == 8


async def test_what_an_engine_says_of_a_clip_flags_the_take(make_studio: MakeStudio) -> None:
    note = "runaway: it went on until its longest"
    spec = scripted("--note", note, "--note-at", "Line 1")
    studio = make_studio(TEXTS, spec)
    studio.ask()
    await studio.idle()
    flagged, good = studio.project.segments()
    assert (flagged.state(), flagged.findings) == (State.FLAGGED, (note,))
    assert good.state() is State.READY
    assert studio.project.chapters()[0].flagged == 1


async def test_what_an_engine_says_of_a_voice_is_told_once(make_studio: MakeStudio) -> None:
    spec = scripted("--voice-note", "The reference is clipped.", max_clips=1, spare=False)
    studio = make_studio([line(number) for number in range(4)], spec)
    studio.ask()
    await studio.idle()
    assert studio.director.status.recycles >= 2
    assert studio.director.status.voice_notes == ("Voice “tone”: The reference is clipped.",)


async def test_a_take_without_tokens_gets_them_when_it_is_made_again(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:1], scripted())
    studio.ask()
    await studio.idle()
    (old,) = takes(studio)
    await with_engine(studio, scripted("--tokens"))
    studio.ask(remake=old.id, first=True)
    await studio.idle()
    assert takes(studio) == (old,)
    assert studio.project.takes_with(TOKENS_BLOB) == {old.id}
