"""A person's own recordings as takes: chosen and undone like any, made again by nobody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from studio.errors import BadInput
from studio.project import clips
from studio.project.model import RECORDING, Change, Kind
from studio.project.narrating import insert_take
from studio.project.recipe import recipe_id
from studio.project.session import Session, named

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def add_recording(
    session: Session,
    uid: str,
    pcm: NDArray[np.int16],
    rate: int,
    name: str,
    sha256: str,
) -> Change:
    """Keep a recording as a take of a segment, and choose it; the segment keeps its seed.

    The checks judge it as they judge what an engine makes.
    """
    segment = session.segment(uid)
    if segment.kind is Kind.SCENE_BREAK:
        raise BadInput(f"Segment {segment.number} is a scene break; nothing is heard there.")
    if pcm.ndim != 2 or not pcm.size:
        raise BadInput(f"{name} has no sound in it; choose another file.")
    recipe = {
        "engine": RECORDING,
        "file": name,
        "sha256": sha256,
        "spoken": segment.spoken,
        "voice": "",
        "language": "",
        "speed": 0.0,
        "seed": segment.seed,
    }
    from studio.review import signal  # Imported where samples are: a book opens without it.

    digest = clips.write_clip(session.folder, pcm, rate)
    findings = signal.check(pcm, rate, segment.spoken)
    provenance = {"file": name, "sha256": sha256, "level": signal.level(pcm, rate)}
    with session.command(f"recording for {named([segment])}: {name}") as step:
        take = session.store.value(
            "SELECT id FROM takes WHERE segment = ? AND fingerprint = '' AND spoken = ?"
            " AND pcm_hash = ?",
            (uid, segment.spoken, digest),
        ) or insert_take(
            session,
            uid,
            recipe,
            provenance,
            voice=RECORDING,
            rate=rate,
            channels=pcm.shape[1],
            frames=pcm.shape[0],
            rtf=0.0,
            findings=json.dumps(list(findings), ensure_ascii=False),
            build="",
            pcm_hash=digest,
            recipe_id=recipe_id(recipe),
        )
        session.store.execute(
            "UPDATE segments SET chosen = ?, failure = '' WHERE uid = ?", (take, uid)
        )
        if segment.failure:
            step.change = Change(segments=frozenset((uid,)))
    return step.change
