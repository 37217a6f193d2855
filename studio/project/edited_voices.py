"""Voices as a person has edited them in ``project.toml``: what means the same stays as it was.

A voice's fingerprint holds what is written of it. To set by hand what an engine does anyway, or to
break a line of a transcript elsewhere, changes no sound, so it must make no take stale either, as
little as by a command.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studio.project.model import Voice

_TEXTS = ("engine", "speaker", "transcript", "description", "style", "language", "sample")
"""What is said of a voice in words; blanks between them mean nothing."""


def as_meant(
    old: Mapping[str, Voice], new: Mapping[str, Voice]
) -> tuple[dict[str, Voice], list[str]]:
    """Edited voices, each written as before where it means the same.

    Args:
        old: The voices as they are kept, by id.
        new: As they stand in the file.

    Returns:
        The voices to keep, by id, and a sentence on each setting that says nothing new.
    """
    kept, notices = {}, []
    for name, edited in new.items():
        before = old.get(name)
        voice = _in_words(before, edited)
        if before is not None and voice.settings != before.settings:
            # Only here an engine may have to be asked what it does anyway: most books need not.
            from studio.engines import voice_settings

            wanted, voice = voice, voice_settings.as_meant(before, voice)
            notices += [f"{name}: {it}" for it in voice_settings.as_it_was(wanted, voice)]
        kept[name] = voice
    return kept, notices


def _in_words(before: Voice | None, edited: Voice) -> Voice:
    """A voice whose texts are those of before where they have the same words, else on one line."""
    texts: dict[str, Any] = {}
    for name in _TEXTS:
        there, text = getattr(before, name, ""), " ".join(getattr(edited, name).split())
        texts[name] = there if there.split() == text.split() else text
    return replace(edited, **texts)
