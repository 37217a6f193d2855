"""What a pool asks of whoever has the jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine import wire
from studio.narration.worker import Job, Worker


class Client(Protocol):
    """Who has the jobs; the director, or a verification."""

    def next_job(self) -> Job | None:
        """The next job to make, or None while there is none."""

    def demand(self) -> int:
        """About how many jobs there are still to make, those at the workers included."""

    def finished(
        self,
        worker: Worker,
        job: Job,
        clip: wire.Clip,
        samples: NDArray[np.float32],
        blobs: Mapping[str, bytes],
    ) -> None:
        """A job is done; samples have shape (frames, channels), blobs are what came with them."""

    def warned(self, job: Job, notes: Sequence[str]) -> None:
        """An engine has prepared the voice of a job, and says what may spoil its sound."""

    def failed(self, job: Job, reason: str) -> None:
        """A job will not be made, for a reason in plain words."""

    def dropped(self, job: Job) -> None:
        """A job was given back unmade: cancelled, or the pool has stopped."""

    def changed(self) -> None:
        """A worker or the pool has changed state."""
