"""The first half of a clip: a text becomes speech tokens.

A long text is said in pieces, as the model was trained. Each piece has a seed of its own, so that
one ending early or late moves nothing in the next, and a text of one piece has the take's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.narrators.cosyvoice3 import splitting
from engine.registry import Cancelled, Refusal, Stage, Transient
from engine.wire import Narrate

if TYPE_CHECKING:
    from engine.narrators.cosyvoice3.frontend import Features
    from engine.narrators.cosyvoice3.parts import Parts
    from engine.narrators.cosyvoice3.text import Prompt

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


def say(
    parts: Parts,
    speaker: Speaker,
    request: Narrate,
    stage: Stage,
    cancelled: Callable[[], bool],
) -> tuple[list[int], tuple[str, ...]]:
    """Have the language model say a text.

    Returns:
        The speech tokens that are voiced, and what is wrong with them.

    Raises:
        Refusal: There is no room for it beside the reference.
        Transient: The network gave something that is no distribution.
        Cancelled: The request was dropped.
    """
    from engine.narrators.cosyvoice3 import decoding
    from engine.narrators.cosyvoice3.sampler import BadLogits

    pieces = _pieces(parts, speaker, request)
    usual = USUAL_RATIO * sum(map(len, pieces))
    said: list[int] = []
    notes: tuple[str, ...] = ()

    def on_token(token: int) -> None:
        said.append(token)
        if cancelled():
            raise Cancelled
        if len(said) % TOKENS_PER_SECOND == 0:
            stage("llm", min(0.95, len(said) / usual))

    for number, ids in enumerate(pieces):
        try:
            result = parts.llm.generate(
                prompt_text=speaker.prompt_ids,
                text=ids,
                prompt_speech=speaker.speech if speaker.prompt.speech else [],
                seed=splitting.seed_of(request.seed, number),
                max_len=_room(speaker, pieces[number:], len(said)),
                on_token=on_token,
            )
        except BadLogits as error:
            raise Transient(str(error)) from error
        if result.reached_limit:
            seconds = len(result.tokens) / TOKENS_PER_SECOND
            where = f"piece {number + 1} of {len(pieces)}" if len(pieces) > 1 else "it"
            notes += (
                f"runaway: {where} had not ended after {seconds:.0f} s, the longest that this text "
                "may take; the rest is cut off.",
            )
    return decoding.without_long_silences(said), notes


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
