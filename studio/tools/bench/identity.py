"""Whether a change has moved a bit: lines of a recorded set, narrated again and compared."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.book.segmenting import first_seed
from studio.errors import MachineFault
from studio.narration import repeating
from studio.project.model import Voice
from studio.project.recipe import build_of, pcm_hash, recipe_id, to_float
from studio.tools.bench import inside
from studio.tools.bench.hearing import listen
from studio.tools.bench.recorded import REFERENCE, Recorded, Recording
from studio.tools.bench.speaking import Cloned, Entry, Line, Speaking, Unspoken, give_voice, started

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Told = Callable[[int], None]
PROBED = frozenset({"cosyvoice3"})
"""Engines whose sampler can be asked about fixed cases; by the name on their card."""
FRAME, HOP = 1024, 256
"""Samples of one spectrum, and between two of them."""
FLOOR_DB = -100.0
"""Below this two spectra are equally silent."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One line then and now."""

    recorded: Recorded
    now: Line | None
    """None where it was not said."""
    failure: str = ""
    recipe_changes: tuple[str, ...] = ()
    """What of its recipe the engine makes otherwise now."""
    first_token: int | None = None
    """Index of the first speech token that is another one."""
    distance_db: float | None = None
    """Log-spectral distance over what both have."""
    words: tuple[int, int, int] | None = None
    """Words heard wrong then and now, and the words of the script."""

    @property
    def same(self) -> bool:
        """Whether every sample is the same."""
        return self.now is not None and self._hash == self.recorded.pcm_hash

    @property
    def _hash(self) -> str:
        return pcm_hash(self.now.pcm, self.now.rate) if self.now is not None else ""

    def data(self) -> dict[str, Any]:
        """The facts for programs."""
        now = self.now
        return {
            "text": self.recorded.recipe["spoken"],
            "seed": self.recorded.recipe["seed"],
            "same": self.same,
            "recorded": self.recorded.pcm_hash,
            "now": self._hash or None,
            "failure": self.failure,
            "recipe_changes": list(self.recipe_changes),
            "first_token": self.first_token,
            "tokens": [len(self.recorded.tokens), len(now.tokens)] if now else None,
            "frames": [len(self.recorded.pcm), len(now.pcm)] if now else None,
            "log_spectral_distance_db": self.distance_db,
            "word_errors": list(self.words) if self.words else None,
        }


async def record(
    it: Entry, sentences: Sequence[str], cloned: Cloned, told: Told
) -> tuple[Recording, list[str]]:
    """Have lines said twice, the second time in the other order.

    Returns:
        The set, and the lines that were not the same both times: of an engine that does not
        repeat itself no set can be kept.

    Raises:
        BadInput: What the engine says does not follow from its recipe alone.
        MachineFault: The engine does not work, or a line is not said.
    """
    async with _repeating(it) as speaking:
        await give_voice(speaking, cloned, "", "")
        tag = speaking.voice.language
        recipes = [speaking.recipe(text, tag, first_seed(text, 1)) for text in sentences]
        lines: list[Recorded] = []
        for recipe in recipes:
            line = await _surely(speaking, recipe)
            lines.append(_recorded(line))
            told(len(lines))
        unlike = []
        for done, kept in enumerate(reversed(lines), len(lines) + 1):
            line = await _surely(speaking, kept.recipe)
            if pcm_hash(line.pcm, line.rate) != kept.pcm_hash:
                unlike.append(kept.recipe["spoken"])
            told(done)
        voice, card = speaking.voice, speaking.card
    told_of = {"speaker": voice.speaker, "transcript": voice.transcript, "language": tag}
    reference = (await cloned()).path.read_bytes() if voice.reference else b""
    sampler = probe(it) if card.engine in PROBED else None
    return Recording(it.label, build_of(card), told_of, reference, tuple(lines), sampler), unlike


@asynccontextmanager
async def _repeating(it: Entry) -> AsyncIterator[Speaking]:
    """An engine, started, whose takes follow from their recipes alone.

    Raises:
        BadInput: They do not.
    """
    who = "Bench identity"
    repeating.compare(it.spec.name, repeating.of_spec(it.spec), who)
    async with started(it) as speaking:
        repeating.compare(it.spec.name, repeating.of_card(speaking.card), who)
        yield speaking


async def _surely(speaking: Speaking, recipe: Mapping[str, Any]) -> Line:
    """A line that has to be said."""
    try:
        return await speaking.say(recipe)
    except Unspoken as error:
        raise MachineFault(
            f"The engine {speaking.label} did not say “{recipe['spoken']}”: {error}"
        ) from error


def _recorded(line: Line) -> Recorded:
    return Recorded(
        dict(line.recipe),
        recipe_id(line.recipe),
        pcm_hash(line.pcm, line.rate),
        line.rate,
        line.pcm,
        line.tokens,
    )


def probe(it: Entry) -> dict[str, Any]:
    """What an engine's sampler makes of fixed cases."""
    found: dict[str, Any] = inside.measure(it.spec, ["probe"])
    return found


async def compare(
    it: Entry, recording: Recording, folder: Path, told: Told, hear: bool = True
) -> tuple[list[Compared], dict[str, str], str]:
    """Have the lines of a set said again.

    Args:
        it: The engine as it is now.
        recording: The set.
        folder: An empty one, for the reference.
        told: Told how many lines are done.
        hear: Whether the embedded listener writes down the lines that differ.

    Returns:
        Every line; the engine's build now; why nobody listened, where that is so.

    Raises:
        BadInput: What the engine says does not follow from its recipe alone.
        MachineFault: The engine does not work.
    """
    found = []
    async with _repeating(it) as speaking:
        reference = ""
        if recording.reference:
            reference = REFERENCE
            (folder / REFERENCE).write_bytes(recording.reference)
        kept = recording.voice
        voice = Voice(
            "bench",
            speaking.card.engine,
            speaker=kept["speaker"],
            reference=reference,
            transcript=kept["transcript"],
            language=kept["language"],
        )
        await speaking.prepare(voice, folder)
        for line in recording.lines:
            found.append(await _again(speaking, line))
            told(len(found))
        build = build_of(speaking.card)
    heard, unheard = await _heard([one for one in found if one.now and not one.same], hear)
    return [heard.get(id(one), one) for one in found], build, unheard


async def _again(speaking: Speaking, line: Recorded) -> Compared:
    """One line, said again."""
    was = line.recipe
    recipe = speaking.recipe(was["spoken"], was["language"], was["seed"], was["speed"])
    names = dict.fromkeys((*was, *recipe))
    changes = tuple(name for name in names if was.get(name) != recipe.get(name))
    try:
        now = await speaking.say(recipe)
    except Unspoken as error:
        return Compared(line, None, str(error), changes)
    token = first_difference(line.tokens, now.tokens)
    same = pcm_hash(now.pcm, now.rate) == line.pcm_hash
    apart = None if same else log_spectral_distance(line.pcm, now.pcm)
    return Compared(line, now, "", changes, token, apart)


async def _heard(different: Sequence[Compared], wanted: bool) -> tuple[dict[int, Compared], str]:
    """Lines that differ, with what was heard of them then and now."""
    if not different:
        return {}, ""
    lines = []
    for one in different:
        assert one.now is not None
        tag, was = one.recorded.recipe["language"], one.recorded
        then = Line(was.recipe, was.pcm, was.rate, 0.0, 0, 0, (), ())
        lines += [(then, tag), (one.now, tag)]
    ((heard, why),) = await listen([lines], wanted)
    pairs = zip(different, heard[::2], heard[1::2], strict=True) if heard else ()
    return {
        id(one): Compared(
            one.recorded,
            one.now,
            one.failure,
            one.recipe_changes,
            one.first_token,
            one.distance_db,
            (then.wrong, now.wrong, then.words),
        )
        for one, then, now in pairs
    }, why


def first_difference(one: Sequence[object], other: Sequence[object]) -> int | None:
    """Index of the first item that is another one, or is not there; None where all are the same."""
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return index
    return None if len(one) == len(other) else min(len(one), len(other))


def log_spectral_distance(one: NDArray[np.int16], other: NDArray[np.int16]) -> float:
    """How far apart two sounds are, in dB: 0 for the same, some 1 to 2 where nobody hears it.

    Root mean square over the bins of the difference of the logarithms of two power spectra, mean
    over frames (Gray and Markel, “Distance measures for speech processing”, 1976); over as much as
    both have.

    Args:
        one: Samples, shape (frames, channels).
        other: The same.
    """
    import numpy as np

    a, b = _spectra(one), _spectra(other)
    count = min(len(a), len(b))
    if not count:
        return 0.0
    apart = np.sqrt(np.square(a[:count] - b[:count]).mean(axis=1))
    return float(apart.mean())


def _spectra(pcm: NDArray[np.int16]) -> NDArray[np.float64]:
    """Power by bin in dB, shape (frames, bins)."""
    import numpy as np

    mono = to_float(pcm).astype(np.float64).mean(axis=1)
    if len(mono) < FRAME:
        mono = np.pad(mono, (0, FRAME - len(mono)))
    frames = np.lib.stride_tricks.sliding_window_view(mono, FRAME)[::HOP]
    power = np.square(np.abs(np.fft.rfft(frames * np.hanning(FRAME), axis=1))) / FRAME
    floor = 10 ** (FLOOR_DB / 10)
    return np.asarray(10 * np.log10(np.maximum(power, floor)))


def sampler_changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Where the sampler makes something else of a case: the first stage of each such case."""
    changes: list[dict[str, Any]] = []
    for name in dict.fromkeys((*then, *now)):
        was, is_now = then.get(name), now.get(name)
        if was is None or is_now is None:
            changes.append({"case": name, "stage": "the case itself", "at": None})
            continue
        for stage in was:
            a, b = was[stage], is_now.get(stage)
            if a != b:
                lists = isinstance(a, list) and isinstance(b, list)
                at = first_difference(a, b) if lists else None
                changes.append({"case": name, "stage": stage, "at": at})
                break
    return changes
