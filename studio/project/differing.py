"""How a take differs from what its segment asks for now."""

from __future__ import annotations

from collections.abc import Mapping

from studio.project.model import Segment, Take, Voice


def differences(
    take: Take,
    segment: Segment,
    voices: Mapping[str, Voice],
    build_of_engine: Mapping[str, str],
) -> tuple[str, ...]:
    """What a narration of the segment would now do otherwise than the take's.

    Args:
        take: One of the segment's takes.
        segment: The segment.
        voices: As `Project.voices` gives them, with their languages filled in.
        build_of_engine: As `Project.builds`; of an engine that is not in it nothing is said.

    Returns:
        Some of text, voice, language, speed, seed and engine, in this order; of a recording no
        more than text.
    """
    found = ["text"] if take.spoken != segment.spoken else []
    if take.recorded:
        return tuple(found)
    voice = voices.get(segment.voice)
    recipe = take.recipe
    if voice is None or voice.fingerprint != recipe["voice"]:
        found.append("voice")
    if voice is not None and voice.language != recipe["language"]:
        found.append("language")
    if segment.speed != recipe["speed"]:
        found.append("speed")
    if segment.seed != take.seed:
        found.append("seed")
    here = build_of_engine.get(voice.engine) if voice is not None else None
    if here is not None and here != take.build:
        found.append("engine")
    return tuple(found)
