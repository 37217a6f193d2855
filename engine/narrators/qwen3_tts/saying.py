"""A text is said, looked at, and said again in smaller pieces where it came loose.

Qwen3-TTS sometimes finds no end, ends before it begins, or falls silent for seconds and goes on
with something else. mlx-audio tells none of it: what it gives is measured here against the text.
What went wrong is cut in two, and each half is said with a seed of its own that follows from the
clip's; so a recipe has one outcome, whatever it took to get there, and the clip's notes say what.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.narrators.qwen3_tts import text as texts
from engine.narrators.qwen3_tts.model import Loaded
from engine.narrators.qwen3_tts.voices import RATE, Speaker
from engine.registry import Cancelled, Stage, Transient

SILENCE = 2.0
"""Seconds of silence between sounds that no text has in it."""
_QUIET_DB = -45.0
"""A frame is silent if it is this far below the loud ones."""
_FRAME = 0.02
_DEPTH = 2
"""How often what went wrong is cut in two."""
_GAP = 0.12
"""Seconds of silence between pieces."""
_FADE = 0.004


@dataclass(slots=True)
class Effort:
    """What a clip took."""

    said: list[tuple[str, int]] = field(default_factory=list)
    """Pieces of the clip, each with its seed."""
    faults: list[str] = field(default_factory=list)
    """What was wrong with attempts."""
    stages: dict[str, float] = field(default_factory=lambda: {"tokens": 0.0, "waveform": 0.0})
    """Wall seconds."""


class Saying:
    """Says one text."""

    def __init__(
        self,
        loaded: Loaded,
        speaker: Speaker,
        language: str,
        stage: Stage,
        cancelled: Callable[[], bool],
    ) -> None:
        """Prepare.

        Args:
            loaded: The model.
            speaker: Who reads.
            language: The model's name of the language.
            stage: As for `engine.registry.Narrator.narrate`.
            cancelled: As there.
        """
        self._loaded = loaded
        self._speaker = speaker
        self._language = language
        self._stage = stage
        self._cancelled = cancelled
        self.effort = Effort()

    def say(self, text: str, seed: int) -> NDArray[np.float32]:
        """Say a text that is fit to be said.

        Returns:
            Samples within -1..1, shape (frames,).

        Raises:
            Transient: It came loose in small pieces, too.
            Cancelled: The request was dropped.
        """
        return self._say(text, seed, 0)

    def notes(self) -> tuple[str, ...]:
        """What there is to know of the clip; empty where it came out at once."""
        faults, said = self.effort.faults, self.effort.said
        if not faults:
            return ()
        seeds = ", ".join(str(seed) for _, seed in said)
        how = f"in {len(said)} pieces, with the seeds" if len(said) > 1 else "again, with the seed"
        return (f"said anew: the text {faults[0]}. It was said {how} {seeds}; listen to it.",)

    def _say(self, text: str, seed: int, depth: int) -> NDArray[np.float32]:
        """Say a text, or its halves."""
        samples, fault = self._attempt(text, seed)
        if not fault:
            self.effort.said.append((text, seed))
            return samples
        self.effort.faults.append(fault)
        halves = texts.halves(text) if depth < _DEPTH else (text,)
        if len(halves) > 1:
            parts = [
                self._say(half, derived(seed, number), depth + 1)
                for number, half in enumerate(halves, start=1)
            ]
            return _joined(parts)
        again = derived(seed, 0)
        samples, second = self._attempt(text, again)
        if second:
            raise Transient(
                f"Qwen3-TTS could not say “{_short(text)}”: it {fault}, and with another seed it "
                f"{second}. A new seed (R) may do; a very short line does better joined with its "
                "neighbour (J)."
            )
        self.effort.said.append((text, again))
        return samples

    def _attempt(self, text: str, seed: int) -> tuple[NDArray[np.float32], str]:
        """Say a text once; returns samples, and what is wrong with them or nothing."""
        most, usual = texts.most_frames(text), texts.expected_frames(text)
        groups = self._loaded.groups
        started = drawn_at = perf_counter()

        def on_draw(drawn: int) -> None:
            nonlocal drawn_at
            if drawn % groups == 0:
                drawn_at = perf_counter()
                frames = drawn // groups
                if self._cancelled():
                    raise Cancelled
                if frames % 12 == 0:
                    self._stage("tokens", min(0.95, frames / usual))

        self._stage("tokens", 0.0)
        with self._loaded.chance.of(seed, on_draw):
            results = self._generate(text, most)
            samples = [np.array(result.audio, np.float32).reshape(-1) for result in results]
        self.effort.stages["tokens"] += drawn_at - started
        self.effort.stages["waveform"] += perf_counter() - drawn_at
        frames = sum(int(result.token_count) for result in results)
        sound = np.concatenate(samples) if samples else np.zeros(0, np.float32)
        if len(sound) == frames * self._loaded.samples + 1:
            sound = sound[1:]  # where the reference is cut off is rounded: one was left of it
        return np.clip(sound, -1.0, 1.0), fault_of(sound, frames, most)

    def _generate(self, text: str, most: int) -> list[Any]:
        """What mlx-audio makes of a text.

        Every argument is named, for it takes others without a word; nothing is streamed, which
        would give other samples, and nothing is split by it.
        """
        speaker, model = self._speaker, self._loaded.model
        model._icl_cache = speaker.codes  # its own grows with every voice, and mixes some up
        return list(
            model.generate(
                text=text,
                voice=speaker.speaker,
                instruct=speaker.instruct,
                lang_code=self._language,
                ref_audio=speaker.reference,
                ref_text=speaker.transcript,
                split_pattern="",
                max_tokens=most,
                temperature=speaker.sampling.temperature,
                top_k=speaker.sampling.top_k,
                top_p=speaker.sampling.top_p,
                repetition_penalty=speaker.sampling.repetition_penalty,
                verbose=False,
                stream=False,
            )
        )


def fault_of(samples: NDArray[np.float32], frames: int, most: int) -> str:
    """What is wrong with a clip, as the rest of a sentence about its text; empty for nothing.

    Args:
        samples: Shape (samples,), 24 kHz.
        frames: Frames of the speech tokenizer that it has.
        most: How many it was allowed.
    """
    if frames == 0 or samples.size == 0:
        return "gave no sound"
    if not np.isfinite(samples).all():
        return "gave sound that is no sound (numbers that are none)"
    if frames >= most:
        return f"had not ended after {most / texts.FRAMES_PER_SECOND:.0f} s"
    silent = longest_silence(samples)
    if silent >= SILENCE:
        return f"fell silent for {silent:.1f} s before it went on"
    return ""


def longest_silence(samples: NDArray[np.float32]) -> float:
    """Seconds of the longest silence that has sound on both sides."""
    size = round(_FRAME * RATE)
    whole = samples[: len(samples) // size * size].reshape(-1, size).astype(np.float64)
    if not len(whole):
        return 0.0
    levels = 10 * np.log10((whole**2).mean(axis=1) + 1e-12)
    sounding = np.flatnonzero(levels > np.percentile(levels, 95) + _QUIET_DB)
    gaps = np.diff(sounding) - 1
    return float(gaps.max()) * _FRAME if len(gaps) else 0.0


def derived(seed: int, number: int) -> int:
    """A seed that follows from another one.

    Args:
        seed: 0 to 2**32 - 1.
        number: Of the piece, from 1 on; 0 for another try at the same text.
    """
    return int.from_bytes(hashlib.sha256(f"{seed} {number}".encode()).digest()[:4], "big")


def _joined(parts: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Pieces end to end, each faded at its edges, with a breath between them."""
    fade = round(_FADE * RATE)
    rise = np.linspace(0.0, 1.0, fade, dtype=np.float32)
    gap = np.zeros(round(_GAP * RATE), np.float32)
    made: list[NDArray[np.float32]] = []
    for number, part in enumerate(parts):
        part = part.copy()
        if len(part) >= 2 * fade:
            if number:
                part[:fade] *= rise
            if number < len(parts) - 1:
                part[-fade:] *= rise[::-1]
        made += [gap, part] if number else [part]
    return np.concatenate(made)


def _short(text: str) -> str:
    """The beginning of a text."""
    return text if len(text) <= 40 else text[:39].rstrip() + "…"
