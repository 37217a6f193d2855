"""`rhapsode hear`: what is said in a sound, as the embedded listener has it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine import wire
from studio.commands.reply import Reply
from studio.errors import BadInput


def hear(path: Path, language: str) -> Reply:
    """Listen to a file.

    Raises:
        BadInput: There is no such file, it is no sound, or the listener does not know the language.
        MachineFault: The listener does not start.
    """
    if not path.is_file():
        what = (
            "is a folder" if path.is_dir() else "is no file" if path.exists() else "does not exist"
        )
        raise BadInput(f"{path} {what}; name a file of sound.")
    heard = asyncio.run(_heard(path.absolute(), language))
    data = {
        "file": str(path),
        "text": heard.text,
        "language": heard.language,
        "audio_seconds": round(heard.audio_seconds, 3),
        "seconds": round(heard.seconds, 3),
        "words": [
            {
                "text": word.text,
                "start": round(word.start, 3),
                "end": round(word.end, 3),
                "probability": round(word.probability, 4),
            }
            for word in heard.words
        ],
    }
    return Reply(data, [heard.text or "Nobody speaks in it."])


async def _heard(path: Path, language: str) -> wire.Heard:
    from studio.narration.hearing import Ear

    ear = Ear()
    try:
        return await ear.hear_file(path, language)
    finally:
        await ear.close()
