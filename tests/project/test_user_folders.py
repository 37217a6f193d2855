"""The list of recent projects, the user's folders, and the desk."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path

import pytest
from bookmaking import make

from studio.project import folders, library
from studio.project.desk import Desk


def test_all_folders_lie_below_the_home(home: Path) -> None:
    found = {folders.config_folder(), folders.data_folder(), folders.log_folder()}
    assert len(found) == 3
    assert all(folder.parent == home for folder in found)


def test_without_a_home_the_system_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RHAPSODE_HOME")
    assert "rhapsode" in str(folders.config_folder())


def test_recent_projects_come_last_first(tmp_path: Path) -> None:
    assert library.recent() == ()
    for name in ("one", "two", "one"):
        library.remember(tmp_path / name, name.title())
    assert [item.title for item in library.recent()] == ["One", "Two"]
    assert all(item.missing for item in library.recent())
    make(tmp_path / "two").close()
    assert [item.missing for item in library.recent()] == [True, False]
    library.forget(tmp_path / "one")
    assert [item.folder for item in library.recent()] == [tmp_path / "two"]


def test_the_list_is_bounded(tmp_path: Path) -> None:
    for number in range(library.MOST + 5):
        library.remember(tmp_path / str(number), str(number))
    assert len(library.recent()) == library.MOST
    assert library.recent()[0].title == str(library.MOST + 4)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"7", b'{"a": 1}', b'[1, null, {"folder": 3}, "x"]', b"[" * 100_000],
)
def test_a_damaged_list_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    library.remember(tmp_path, "Before")
    path = folders.data_folder() / library.RECENT_NAME
    path.write_bytes(content)
    assert library.recent() == ()
    library.remember(tmp_path, "After")
    assert [item.title for item in library.recent()] == ["After"]
    assert isinstance(json.loads(path.read_text()), list)


async def test_the_desk_runs_one_call_after_the_other_off_the_loop() -> None:
    desk = Desk()
    order: list[int] = []

    def work(number: int, *, wait: float) -> str:
        time.sleep(wait)
        order.append(number)
        return threading.current_thread().name

    names = await asyncio.gather(desk(work, 1, wait=0.02), desk(work, 2, wait=0.0))
    assert order == [1, 2]
    assert len(set(names)) == 1
    assert names[0] != threading.current_thread().name
    desk.close()
    desk.close()
    with pytest.raises(RuntimeError):
        await desk(work, 3, wait=0.0)


async def test_a_call_is_finished_even_if_nobody_waits_any_more() -> None:
    desk = Desk()
    started, finish, finished = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        finish.wait(10)
        finished.set()

    task = asyncio.create_task(desk(work))
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    finish.set()
    desk.close()
    assert finished.is_set()


async def test_an_error_reaches_the_caller() -> None:
    desk = Desk()
    with pytest.raises(ValueError, match="int"):
        await desk(int, "x")
    desk.close()
