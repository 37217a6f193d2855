"""The first half of a clip: a text becomes speech tokens.

A long text is said in pieces, as the model was trained. Each piece has a seed of its own, so that
one ending early or late moves nothing in the next, and a text of one piece has the take's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from engine.narrators.cosyvoice3 import splitting
from engine.registry import Cancelled, Refusal, Stage, Transient
from engine.wire import Narrate

if TYPE_CHECKING:
    from engine.narrators.cosyvoice3.decoding import Asked, Spoken
    from engine.narrators.cosyvoice3.frontend import Features
    from engine.narrators.cosyvoice3.parts import Parts
    from engine.narrators.cosyvoice3.text import Prompt

T = TypeVar("T")

MAX_SECONDS = 300.0
"""Of a clip together with its reference: the flow's noise goes no further."""
TOKENS_PER_SECOND = 25
USUAL_RATIO = 7
"""Speech tokens that a token of text takes as a rule; only how far a clip is goes by it."""


@dataclass(frozen=True, slots=True, eq=False)
class Speaker:
    """A prepared voice; nothing in it is ever written to."""

    prompt: Prompt
    prompt_ids: list[int]
    speech: list[int]
    """The reference's speech tokens, as flow and vocoder have them."""
    features: Features


class Saying:
    """One text on its way through the language model, piece by piece."""

    def __init__(
        self,
        parts: Parts,
        speaker: Speaker,
        request: Narrate,
        stage: Stage,
        cancelled: Callable[[], bool],
    ) -> None:
        """Cut the text into pieces."""
        self.speaker, self.request = speaker, request
        self._stage, self._cancelled = stage, cancelled
        self._pieces = _pieces(parts, speaker, request)
        self._usual = USUAL_RATIO * sum(map(len, self._pieces))
        self._number = 0
        self._said: list[int] = []
        self._notes: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Whether all pieces have been said."""
        return self._number == len(self._pieces)

    def asked(self) -> Asked:
        """The next piece, as it is to be said.

        Raises:
            Refusal: There is no room for it beside the reference.
        """
        from engine.narrators.cosyvoice3.decoding import Asked

        left = self._pieces[self._number :]
        return Asked(
            prompt_text=self.speaker.prompt_ids,
            text=left[0],
            prompt_speech=self.speaker.speech if self.speaker.prompt.speech else [],
            seed=splitting.seed_of(self.request.seed, self._number),
            max_len=_room(self.speaker, left, len(self._said)),
        )

    def on_token(self, token: int) -> None:
        """Take a token of the piece.

        Raises:
            Cancelled: The request was dropped.
        """
        self._said.append(token)
        if self._cancelled():
            raise Cancelled
        if len(self._said) % TOKENS_PER_SECOND == 0:
            self._stage("llm", min(0.95, len(self._said) / self._usual))

    def ended(self, result: Spoken) -> None:
        """The piece has been said; the next one is the next."""
        self._number += 1
        if result.reached_limit:
            seconds = len(result.tokens) / TOKENS_PER_SECOND
            count = len(self._pieces)
            where = f"piece {self._number} of {count}" if count > 1 else "it"
            self._notes += (
                f"runaway: {where} had not ended after {seconds:.0f} s, the longest that this text "
                "may take; the rest is cut off.",
            )

    def result(self) -> tuple[list[int], tuple[str, ...]]:
        """The speech tokens that are voiced, and what is wrong with them."""
        from engine.narrators.cosyvoice3 import decoding

        return decoding.without_long_silences(self._said), self._notes


def say(
    parts: Parts,
    speaker: Speaker,
    request: Narrate,
    stage: Stage,
    cancelled: Callable[[], bool],
) -> Saying:
    """Have the language model say a text; its `Saying.result` is what came of it.

    Raises:
        Refusal: There is no room for it beside the reference.
        Transient: The network gave something that is no distribution.
        Cancelled: The request was dropped.
    """
    saying = Saying(parts, speaker, request, stage, cancelled)
    while not saying.over:
        saying.ended(_alone(parts, saying))
    return saying


def say_together(parts: Parts, sayings: Sequence[Saying]) -> list[Exception | None]:
    """Have the language model say texts side by side: all first pieces, then all second ones.

    A piece that is the only one left is said as if it were alone.

    Returns:
        For each of them why it came to nothing, as `say` would raise it, or None.
    """
    faults: list[Exception | None] = [None] * len(sayings)
    while rows := [n for n, it in enumerate(sayings) if faults[n] is None and not it.over]:
        for row, said in zip(rows, _side_by_side(parts, [sayings[n] for n in rows]), strict=True):
            if isinstance(said, Exception):
                faults[row] = said
            else:
                sayings[row].ended(said)
    return faults


def _alone(parts: Parts, saying: Saying) -> Spoken:
    """One piece by itself."""
    from engine.narrators.cosyvoice3.sampler import BadLogits

    asked = saying.asked()
    try:
        return parts.llm.generate(
            prompt_text=asked.prompt_text,
            text=asked.text,
            prompt_speech=asked.prompt_speech,
            seed=asked.seed,
            max_len=asked.max_len,
            on_token=saying.on_token,
        )
    except BadLogits as error:
        raise Transient(str(error)) from error


def _side_by_side(parts: Parts, sayings: Sequence[Saying]) -> list[Spoken | Exception]:
    """The next piece of each, or why there is none."""
    from engine.narrators.cosyvoice3 import llm_batched
    from engine.narrators.cosyvoice3.llm_torch import SpeechLlm
    from engine.narrators.cosyvoice3.sampler import BadLogits

    found = [_or_why(saying.asked) for saying in sayings]
    asked = {row: it for row, it in enumerate(found) if not isinstance(it, Exception)}
    answers = {row: it for row, it in enumerate(found) if isinstance(it, Exception)}
    said: list[Spoken | Exception] = []
    if len(asked) == 1:
        said = [_or_why(partial(_alone, parts, sayings[row])) for row in asked]
    elif asked:
        assert isinstance(parts.llm, SpeechLlm), "options.read lets no other have batches"
        listeners = [sayings[row].on_token for row in asked]
        said = llm_batched.generate(parts.llm, list(asked.values()), on_token=listeners)
    made: dict[int, Spoken | Exception] = {**answers, **dict(zip(asked, said, strict=True))}
    return [
        Transient(str(it)) if isinstance(it, BadLogits) else it
        for it in (made[row] for row in range(len(sayings)))
    ]


def _or_why(work: Callable[[], T]) -> T | Exception:
    """What comes of something, or what stands against it; a device's faults are everybody's."""
    try:
        return work()
    except (Refusal, Transient, Cancelled) as error:
        return error


def _pieces(parts: Parts, speaker: Speaker, request: Narrate) -> list[list[int]]:
    """The text as ids, in pieces of a length that the model reads well."""
    from engine.narrators.cosyvoice3 import text

    def tokens(part: str) -> int:
        return len(parts.tokenizer.encode(part))

    spoken = text.spoken(request.text, request.language)
    length = len if splitting.in_characters(request.language) else tokens
    return [
        parts.tokenizer.encode(speaker.prompt.preface + piece)
        for piece in splitting.pieces(spoken, length)
    ]


def _room(speaker: Speaker, pieces: list[list[int]], said: int) -> int:
    """The most speech tokens that the first of the pieces may take, so that the flow can do all."""
    from engine.narrators.cosyvoice3.decoding import MAX_RATIO, MIN_RATIO

    left = int(MAX_SECONDS * TOKENS_PER_SECOND) - len(speaker.speech) - said
    least = MIN_RATIO * sum(map(len, pieces))
    if least > left:
        raise Refusal(
            f"The text takes at least {(said + least) / TOKENS_PER_SECOND:.0f} s to say, and with "
            f"its reference a clip can be {MAX_SECONDS:.0f} s long. Split the segment."
        )
    behind = MIN_RATIO * sum(map(len, pieces[1:]))
    return min(MAX_RATIO * len(pieces[0]), left - behind)
