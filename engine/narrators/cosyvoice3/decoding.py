"""From a text to speech tokens, one step at a time, whichever framework runs the network.

The sequence is [sos; text of the prompt and the text; task; speech tokens of the prompt], then the
speech tokens as they come. A `Backend` runs the network; masking, lengths, sampling and the end are
here, on the CPU, so that two backends that agree on the logits agree on the speech.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.sampler import (
    Chance,
    Floats,
    Greedy,
    Sampler,
    log_softmax,
)

MIN_RATIO = 2
"""Speech tokens that one token of text takes at the least."""
MAX_RATIO = 20
"""Speech tokens that one token of text takes at the most; what is longer has run away."""
SILENT = frozenset({1, 2, 28, 29, 55, 248, 494, 2241, 2242, 2322, 2323})
"""Speech tokens that are silence."""
SILENT_RUN = 5
"""As many in a row are kept: a fifth of a second."""


class Backend(Protocol):
    """The network of one framework. It holds the cache of one sequence; one thread calls it."""

    @property
    def config(self) -> LlmConfig:
        """Its shapes."""
        ...

    def prefill(
        self,
        *,
        prompt_text: Sequence[int],
        text: Sequence[int],
        prompt_speech: Sequence[int],
        room: int,
    ) -> Floats:
        """Begin a sequence, forgetting any other.

        Args:
            prompt_text: Ids of what the prompt says.
            text: Ids of what is to be said.
            prompt_speech: Speech tokens of the prompt.
            room: The most steps that will follow.

        Returns:
            The logits of the first speech token, on the host; shape (V,).
        """
        ...

    def step(self, token: int) -> Floats:
        """Add one speech token.

        Returns:
            The logits of the next, on the host; shape (V,).
        """
        ...


@dataclass(frozen=True, slots=True)
class Spoken:
    """What the LLM said."""

    tokens: list[int]
    """Speech tokens, each below N."""
    stop: int | None
    """The id that ended it; None where the length did."""
    reached_limit: bool
    """It did not end by itself: most likely it ran away, repeating or inventing."""


def nobody(token: int) -> None:
    """Listen to no token."""


def generate(
    backend: Backend,
    *,
    prompt_text: Sequence[int],
    text: Sequence[int],
    prompt_speech: Sequence[int],
    seed: int,
    min_len: int | None = None,
    max_len: int | None = None,
    parity: bool = False,
    on_token: Callable[[int], None] = nobody,
    sampler: Sampler | Greedy | None = None,
) -> Spoken:
    """Say a text.

    Args:
        backend: Who runs the network.
        prompt_text: Ids of the system prompt and the transcript; may be empty.
        text: Ids of what is to be said, with the system prompt where ``prompt_text`` has none.
        prompt_speech: Speech tokens of the prompt; may be empty.
        seed: Decides the take; 0 to 2³² - 1.
        min_len: No end before so many tokens; two for each token of ``text`` by default, if the
            most are not fewer.
        max_len: The end after so many; twenty for each token of ``text`` by default.
        parity: Mask as the reference implementation does: before ``min_len`` sos alone, which is
            not what ends speech, and nothing after. For comparisons with it.
        on_token: Told of each token as it is drawn; what it raises ends the generation.
        sampler: How to draw; `Sampler` as the checkpoint has it by default.

    Raises:
        ValueError: An id or a length is out of range, or there is no text.
        BadLogits: The network gave something that is no distribution.
    """
    asked = Asked(prompt_text, text, prompt_speech, seed, min_len, max_len)
    line = Line(backend.config, asked, parity=parity, on_token=on_token, sampler=sampler)
    logits = backend.prefill(
        prompt_text=prompt_text, text=text, prompt_speech=prompt_speech, room=line.most
    )
    while not isinstance(drawn := line.draw(logits), Spoken):
        logits = backend.step(drawn)
    return drawn


@dataclass(frozen=True, slots=True)
class Asked:
    """A text that is to be said, and how; see `generate`."""

    prompt_text: Sequence[int]
    text: Sequence[int]
    prompt_speech: Sequence[int]
    seed: int
    min_len: int | None = None
    max_len: int | None = None


class Line:
    """One sequence as it is drawn: its own chance, its lengths, its end."""

    def __init__(
        self,
        config: LlmConfig,
        asked: Asked,
        *,
        parity: bool = False,
        on_token: Callable[[int], None] = nobody,
        sampler: Sampler | Greedy | None = None,
    ) -> None:
        """Begin; see `generate` for what may be given.

        Raises:
            ValueError: An id or a length is out of range, or there is no text.
        """
        _check_ids(config, asked.prompt_text, asked.text, asked.prompt_speech)
        words = len(asked.text)
        self.most = MAX_RATIO * words if asked.max_len is None else asked.max_len
        """The most tokens that it takes."""
        least = min(MIN_RATIO * words, self.most) if asked.min_len is None else asked.min_len
        if not 0 <= least <= self.most or self.most < 1:
            raise ValueError(f"A length between {least} and {self.most} tokens cannot be.")
        self._least = least
        self._config, self._parity, self._on_token = config, parity, on_token
        self._sampler = sampler or Sampler()
        self._chance = Chance(asked.seed)
        self._tokens: list[int] = []

    def draw(self, logits: Floats) -> int | Spoken:
        """Take the next token out of its logits, (V,).

        Returns:
            The token to go on with, or, where it has ended, what was said.

        Raises:
            BadLogits: They are no distribution.
        """
        tokens, config = self._tokens, self._config
        logp = log_softmax(logits)
        mask(logp, config, may_end=len(tokens) >= self._least, parity=self._parity)
        token = self._sampler.sample(logp, tokens, self._chance)
        if token in config.stop:
            return Spoken(tokens, token, reached_limit=False)
        tokens.append(token)
        self._on_token(token)
        if len(tokens) == self.most:
            return Spoken(tokens, None, reached_limit=True)
        return token


class Speaker(Backend, Protocol):
    """A backend that is asked itself to say a text, and that says what it is."""

    @property
    def backend(self) -> str:
        """What runs the network, as a recipe has it."""
        ...

    @property
    def built_with(self) -> dict[str, str]:
        """Versions of what has a hand in its bytes, beyond what every narrator names."""
        return {}

    @property
    def precision(self) -> str:
        """What its weights are stored in; read off them."""
        ...

    @property
    def device(self) -> str:
        """Where its weights lie, by torch's names: ``cpu``, ``cuda``, ``mps``."""
        ...

    def held(self) -> int:
        """Bytes of device memory, where torch does not count them; may be asked by any thread."""
        return 0

    def tidy(self) -> None:
        """Hand back memory that nothing uses, if it is much; between two sequences."""

    def generate(
        self,
        *,
        prompt_text: Sequence[int],
        text: Sequence[int],
        prompt_speech: Sequence[int],
        seed: int,
        min_len: int | None = None,
        max_len: int | None = None,
        parity: bool = False,
        on_token: Callable[[int], None] = nobody,
        sampler: Sampler | Greedy | None = None,
    ) -> Spoken:
        """Say a text; see `generate`."""
        return generate(
            self,
            prompt_text=prompt_text,
            text=text,
            prompt_speech=prompt_speech,
            seed=seed,
            min_len=min_len,
            max_len=max_len,
            parity=parity,
            on_token=on_token,
            sampler=sampler,
        )


def mask(logp: Floats, config: LlmConfig, *, may_end: bool, parity: bool) -> None:
    """Rule out, in place, what must not come next.

    Before the least length all 200 ids that end speech; after it all of them but eos. With
    ``parity`` what the reference implementation rules out: sos alone, before the least length.
    """
    if parity:
        if not may_end:
            logp[config.sos] = -np.inf
        return
    eos = logp[config.eos]
    logp[config.stop.start :] = -np.inf
    if may_end:
        logp[config.eos] = eos


def without_long_silences(tokens: Sequence[int]) -> list[int]:
    """The tokens that are voiced: of a run of silent ones, the first `SILENT_RUN`.

    The language model goes on with all of them; only the flow decoder is given fewer.
    """
    kept = []
    run = 0
    for token in tokens:
        run = run + 1 if token in SILENT else 0
        if run <= SILENT_RUN:
            kept.append(token)
    return kept


def _check_ids(
    config: LlmConfig,
    prompt_text: Sequence[int],
    text: Sequence[int],
    prompt_speech: Sequence[int],
) -> None:
    """Hold ids to the tables they are rows of; a GPU would only say that something went wrong."""
    if not text:
        raise ValueError("There is no text to say.")
    for ids, limit, what in (
        (prompt_text, config.vocab, "prompt's text"),
        (text, config.vocab, "text"),
        (prompt_speech, config.speech_tokens, "prompt's speech"),
    ):
        if ids and not (min(ids) >= 0 and max(ids) < limit):
            raise ValueError(f"An id of the {what} is not within 0 to {limit - 1}.")
