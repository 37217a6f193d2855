"""The desk's calls are never stopped to look for garbage, and leave the search as it was."""

from __future__ import annotations

import gc

import pytest

from studio.lean import without_garbage
from studio.project.desk import Desk


async def test_no_search_while_a_call_runs_and_the_search_goes_on_behind_it() -> None:
    assert gc.isenabled()
    desk = Desk()
    try:
        assert not await desk(gc.isenabled)
        assert gc.isenabled()
        with pytest.raises(ZeroDivisionError):
            await desk(divmod, 1, 0)
        assert gc.isenabled()
    finally:
        desk.close()


def test_what_was_off_stays_off() -> None:
    gc.disable()
    try:
        with without_garbage():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
