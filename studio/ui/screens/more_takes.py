"""More takes: several seeds at once, a take made again, a person's own recording; and what a take
is made of."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Sequence

from textual import on, work

from studio.errors import StudioError
from studio.project.beside import beside_lines
from studio.project.model import Kind, Outcome, Segment, Take
from studio.ui import formats
from studio.ui.messages import ProjectChanged
from studio.ui.new_seeds import NewSeeds
from studio.ui.recipe_text import Details, details
from studio.ui.screens.prompt import Confirm, Prompt
from studio.ui.screens.recipe import RecipeScreen
from studio.ui.screens.showing_takes import ShowingTakes
from studio.ui.take_facts import standing
from studio.ui.widgets.take_list import TakeList

MANY = 200
"""Narrations from which one is asked before they begin."""

MOST_COPIED = 200_000
"""Characters that are handed to the terminal at most; many drop longer copies without a word."""


class MoreTakes(ShowingTakes):
    """The actions that make takes, star them and tell what they are made of."""

    def __init__(self) -> None:
        """Nothing was asked for yet."""
        super().__init__()
        self._new = NewSeeds()

    # Several seeds.

    # The description is ours, or Textual would spell out every one of the segments.
    @work(group="seeds", description="seeds")
    async def action_segment_seeds(self) -> None:
        """Narrate new seeds of what is selected, or of the segment."""
        segments = [segment for segment in self.targets if segment.kind is not Kind.SCENE_BREAK]
        if not segments:
            self.say("A scene break is silence; there is nothing to narrate.")
            return
        count = self.wishes.seeds
        try:
            if not await self._agreed_to(segments, count):
                return
            # Before they are queued: an engine that idles may be quicker than the answer.
            self._new.ask({segment.uid: count for segment in segments})
            await self.session.narrate_candidates(segments, count)
        except StudioError as error:
            for segment in segments:
                self._new.less(segment.uid, count)
            self.say(str(error), kind="error")
            return
        what = formats.count(count, "new seed")
        self.say(f"Narrating {what} of {_named(segments)}; the chosen take stays.")

    async def _agreed_to(self, segments: Sequence[Segment], count: int) -> bool:
        """Whether there is room for so many takes and, where they are many, a person wants them."""
        estimate = await self.session.estimate([*segments] * count)
        free = shutil.disk_usage(self.session.project.folder).free
        takes, megabytes = len(segments) * count, max(1, estimate.bytes // 1_000_000)
        if estimate.bytes > free:
            self.say(
                f"{takes:,} takes need about {megabytes:,} MB and the disk has"
                f" {free // 1_000_000:,} MB free; make room, or select less.",
                kind="error",
            )
            return False
        if takes < MANY:
            return True
        seconds = estimate.seconds_wall
        about = f", about {formats.duration(seconds)} and" if seconds else ", about"
        question = f"Narrate {takes:,} takes{about} {megabytes:,} MB? You can go on meanwhile."
        return await self.app.push_screen_wait(Confirm(question, yes="narrate", no="not now"))

    @on(ProjectChanged)
    def note_outcomes(self, event: ProjectChanged) -> None:
        """Candidates were made, or takes made again, or kept beside what was approved."""
        change, left_over = event.change, self.session.left_over
        for outcome in change.outcomes:
            if outcome.item.replay:
                self._tell_replay(outcome)
                continue
            if outcome.item.remake is not None:
                self._tell_remake(outcome)
                continue
            if outcome.beside:
                continue
            (left_over if left_over.has(outcome) else self._new).came(outcome)
        for seeds in (self._new, left_over):
            if change.queue and not change.outcomes:
                seeds.forget(change.segments, self._is_queued)
            if (news := seeds.take_news()) is not None:
                self._tell_seeds(*news)
        uids = [outcome.item.segment for outcome in change.outcomes if outcome.beside]
        rows = {uid: row for uid in uids if (row := self.session.rows.get(uid)) is not None}
        if lines := beside_lines(change.outcomes, rows):
            self.say(" ".join(lines), lasting=True)

    def _is_queued(self, uid: str) -> bool:
        row = self.session.rows.get(uid)
        return row is not None and row.queued

    @work(group="told")
    async def _tell_seeds(self, seeded: Counter[str], reasons: list[str]) -> None:
        """Say what came of new seeds, and propose the best."""
        total = seeded.total()
        failed = f" {formats.count(len(reasons), 'take')} failed: {reasons[0]}" if reasons else ""
        segment = self.session.rows.get(next(iter(seeded), ""))
        if not total or segment is None:
            if failed:
                self.say(failed.strip(), kind="error", lasting=True)
            return
        there, choose = self.key("takes.list"), self.key("takes.choose")
        news = f"{formats.count(total, 'new take')} of"
        if len(seeded) > 1:
            self.say(
                f"{news} {len(seeded):,} segments; {there} lists a segment’s, where the one that"
                f" the checks like best is marked.{failed}",
                lasting=True,
            )
            return
        takes = await self.session.takes(segment.uid)
        found = await self.session.read(standing, self.session.project, segment, takes)
        news = f"{news} segment {segment.number}"
        if found.best is None:
            self.say(f"{news}.{failed}", lasting=True)
        elif found.best.id == segment.chosen:
            liked = f"take {found.best.number}, which the checks like best, is chosen"
            self.say(f"{news}; {liked}: {there} lists them.{failed}", lasting=True)
        else:
            liked = f"the checks like take {found.best.number} best"
            self.say(
                f"{news}; {liked}: {there} lists them, {choose} chooses.{failed}", lasting=True
            )

    # A take again.

    async def action_takes_remake(self) -> None:
        """Make a take again from its recipe."""
        if (aimed := await self.aimed_take()) is not None:
            await self._make_again(*aimed)

    async def _make_again(self, segment: Segment, take: Take) -> None:
        if take.recorded:
            self.say(f"Take {take.number} is a recording; no engine can make it again.")
            return
        try:
            await self.session.make_again(segment, take)
        except StudioError as error:
            self.say(str(error), kind="error")
            return
        self.say(f"Making take {take.number} of segment {segment.number} again.")

    @work(group="told")
    async def _tell_remake(self, outcome: Outcome) -> None:
        """Say whether the same bytes came out."""
        if (made := await self._become(outcome)) is None:
            return
        segment, old, new = made
        again = f"Take {old.number} of segment {segment.number} made again"
        if old.pcm_hash == new.pcm_hash:
            self.say(f"{again}: the same bytes.", lasting=True)
            # Its clip may have been lost, and has no waveform then.
            self.read_takes()
            return
        why = await asyncio.to_thread(_why_different, old, new)
        self.say(
            f"{again} gives other bytes (kept as take {new.number}). {why}",
            kind="warning",
            lasting=True,
        )

    async def _become(self, outcome: Outcome) -> tuple[Segment, Take, Take] | None:
        """The segment, the take and what has come of it; a failure is said, what is gone is not."""
        if outcome.take is None:
            self.say(outcome.reason, kind="error", lasting=True)
            return None
        segment = self.session.rows.get(outcome.item.segment)
        takes = {take.id: take for take in await self.session.takes(outcome.item.segment)}
        old, new = takes.get(outcome.item.remake or 0), takes.get(outcome.take)
        if segment is None or old is None or new is None:
            return None  # deleted meanwhile
        return segment, old, new

    # A take voiced again.

    async def action_takes_replay(self) -> None:
        """Voice a take's kept speech tokens again."""
        if (aimed := await self.aimed_take()) is not None:
            await self._voice_again(*aimed)

    async def _voice_again(self, segment: Segment, take: Take) -> None:
        try:
            await self.session.voice_again(segment, take)
        except StudioError as error:
            self.say(str(error), kind="error")
            return
        self.say(f"Voicing take {take.number} of segment {segment.number} again.")

    @work(group="told")
    async def _tell_replay(self, outcome: Outcome) -> None:
        """Say which take has come of a take's speech tokens."""
        if (made := await self._become(outcome)) is None:
            return
        segment, old, new = made
        again = f"Take {old.number} of segment {segment.number} voiced again"
        if old.pcm_hash == new.pcm_hash:
            self.say(f"{again}: the same bytes.", lasting=True)
            return
        there, compare = self.key("takes.list"), self.key("takes.compare")
        self.say(
            f"{again} is take {new.number}{_other_than(old, new)}; {there} lists them,"
            f" {compare} compares.",
            lasting=True,
        )

    # A recording.

    @work(exclusive=True, group="recording")
    async def action_segment_recording(self) -> None:
        """Take a sound file as a take of the segment; the file stays as it is."""
        from studio.sound.recording import KINDS, read_recording

        segment = self.current
        if segment is None:
            return
        if segment.kind is Kind.SCENE_BREAK:
            self.say("A scene break is silence; it has no takes.")
            return
        title = f"A recording for segment {segment.number}"
        typed, hint = "", f"the path of a file, or drop it on the terminal: {KINDS}"
        while True:
            answer = await self.app.push_screen_wait(Prompt(title, value=typed, hint=hint))
            if not answer:
                return
            try:
                recording = await asyncio.to_thread(read_recording, answer)
                break
            except StudioError as error:
                typed, hint = answer, str(error)
        cut = ""
        if recording.silence:
            question = f"{recording.name}: cut the silence, {recording.silence}?"
            trim = Confirm(question, yes="cut it", no="keep it all")
            if await self.app.push_screen_wait(trim):
                cut = f", without {recording.silence}"
                recording = recording.trimmed()
        made = await self.change(
            self.session.project.add_recording,
            segment.uid,
            recording.pcm,
            recording.rate,
            recording.name,
            recording.sha256,
        )
        now = self.session.rows.get(segment.uid)
        if made is None or now is None:
            return
        undo = self.key("history.undo")
        self.say(
            f"{recording.name} is take {now.take_number} of segment {now.number}{cut}, and chosen;"
            f" {undo} takes that back."
        )
        self.play_segment(now)

    # One take.

    async def action_takes_star(self) -> None:
        """Star a take, or take the star off."""
        if (aimed := await self.aimed_take()) is not None:
            await self._star(*aimed)

    async def _star(self, segment: Segment, take: Take) -> None:
        on = not take.star
        if await self.change(self.session.project.star_take, take.id, on) is not None:
            told = "has a star: cleaning keeps it" if on else "has no star any more"
            self.say(f"Take {take.number} of segment {segment.number} {told}.")

    async def action_takes_recipe(self) -> None:
        """Show what made a take."""
        if (aimed := await self.aimed_take()) is None:
            return
        segment, take = aimed
        found = await self.session.read(details, self.session.project, segment, take)

        def play() -> None:
            self.post_message(TakeList.TakePlayed(take.id))

        async def star() -> Details:
            current = await self.session.read(self.session.project.take, take.id)
            await self._star(segment, current)
            return await self.session.read(details, self.session.project, segment, current)

        async def done(answer: str | None) -> None:
            if answer == "choose":
                await self.choose_take(segment, take)
            elif answer == "remake":
                await self._make_again(segment, take)
            elif answer == "replay":
                await self._voice_again(segment, take)

        await self.app.push_screen(RecipeScreen(found, self.keys, play=play, star=star), done)

    async def choose_take(self, segment: Segment, take: Take) -> None:
        """Choose a take."""
        raise NotImplementedError

    # Copies.

    def action_segment_copy(self) -> None:
        """Copy what is spoken."""
        segments = [segment for segment in self.targets if segment.spoken]
        if not segments:
            self.say("A scene break has no text.")
            return
        text = "\n".join(segment.spoken for segment in segments)
        if len(text) > MOST_COPIED:
            self.say(f"{len(text):,} characters are more than a terminal copies; select less.")
            return
        self.app.copy_to_clipboard(text)
        self.say(f"Copied: the spoken text of {_named(segments)}.")

    async def action_takes_path(self) -> None:
        """Copy where a take's clip is."""
        if (aimed := await self.aimed_take()) is not None:
            path = str(self.session.project.clip_path(aimed[1]).absolute())
            self.app.copy_to_clipboard(path)
            # Some terminals take no copies from programs: the path is there to be selected, too.
            self.say(f"Copied: {path}")


def _named(segments: Sequence[Segment]) -> str:
    """One segment by its number, several by how many they are."""
    if len(segments) == 1:
        return f"segment {segments[0].number}"
    return f"{len(segments):,} segments"


def _other_than(old: Take, new: Take) -> str:
    """What of the engine is another now, for people; nothing where only the build is."""
    now, then = new.recipe.get("options") or {}, old.recipe.get("options") or {}
    told = [
        f"{name} {now.get(name, 'unset')}, not {then.get(name, 'unset')}"
        for name in sorted({*now, *then})
        if now.get(name) != then.get(name)
    ]
    parts = ("engine_version", "model", "backend", "precision", "threads")
    told += [
        f"other {key.replace('_', ' ')}"
        for key in parts
        if new.recipe.get(key) != old.recipe.get(key)
    ]
    return f" ({'; '.join(told)})" if told else ""


def _why_different(old: Take, new: Take) -> str:
    """Why a take did not come out again, in one sentence."""
    from studio.narration.verify import why_different

    build = new.provenance.get("build")
    here = build if isinstance(build, dict) else {}
    return why_different(old, new.recipe, str(new.recipe["engine"]), here)
