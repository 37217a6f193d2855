"""Paths that cannot be, wherever one is typed: one sentence, and everything goes on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from screens_text import screen_text
from studio_rig import Rig, make_project, open_rig

from studio.cli import main
from studio.errors import BadInput
from studio.typed_paths import check_path, typed_path
from studio.ui.screens.prompt import Prompt

PAGE = "a page that was pasted by mistake " * 10
STRANGER = "~nobody-of-this-name/book"
IMPOSSIBLE = {PAGE: "longer than a path can be", STRANGER: "nobody “nobody-of-this-name”"}


@pytest.mark.parametrize(("typed", "words"), [*IMPOSSIBLE.items(), ("a\0b", "is no path")])
def test_a_path_that_cannot_be_is_told_in_one_short_sentence(typed: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        typed_path(typed)
    assert len(str(refused.value)) < 160


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_folder_that_may_not_be_entered(tmp_path: Path) -> None:
    shut = tmp_path / "shut"
    shut.mkdir(mode=0)
    with pytest.raises(BadInput, match="cannot be looked at"):
        check_path(shut / "file")


def test_quotes_home_and_what_is_not_there_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/reader")
    assert typed_path(" '~/a book' ") == Path("/home/reader/a book")


@pytest.mark.parametrize(
    "line",
    [
        ("status", PAGE),
        ("narrate", PAGE),
        ("verify", PAGE),
        ("doctor", PAGE),
        ("pack", PAGE),
        ("unpack", PAGE),
        ("new", "book.md", "--to", PAGE),
        ("export", "book", "--to", PAGE),
        ("lexicon", "book", "--export", PAGE),
    ],
    ids=lambda line: f"{line[0]} {line[-2]}",
)
def test_on_the_command_line(line: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*line, "--json"]) == 2
    assert "longer than a path can be" in capsys.readouterr().out


async def answer(rig: Rig, keys: tuple[str, ...], text: str) -> None:
    """Press what asks for a path, and type one."""
    await rig.press(*keys)
    await rig.until(lambda: isinstance(rig.app.screen, Prompt))
    rig.app.screen.query_one("Input").value = text  # type: ignore[attr-defined]
    await rig.press("enter")


@pytest.mark.parametrize("key", ["o", "n"])
@pytest.mark.parametrize(("typed", "words"), IMPOSSIBLE.items(), ids=["page", "stranger"])
async def test_in_the_library(key: str, typed: str, words: str) -> None:
    async with open_rig(None) as rig:
        await answer(rig, (key,), typed)
        await rig.until(lambda: words in screen_text(rig.app))


@pytest.mark.parametrize("key", ["ctrl+o", "ctrl+e"])
@pytest.mark.parametrize(("typed", "words"), IMPOSSIBLE.items(), ids=["page", "stranger"])
async def test_in_the_lexicon(tmp_path: Path, key: str, typed: str, words: str) -> None:
    async with open_rig(make_project(tmp_path / "ferry", 1)) as rig:
        await rig.opened()
        await answer(rig, ("g", "l", key), f"{typed}.csv")
        await rig.until(lambda: words in screen_text(rig.app))


async def test_for_a_recording(tmp_path: Path) -> None:
    async with open_rig(make_project(tmp_path / "ferry", 1)) as rig:
        await rig.opened()
        await answer(rig, ("g", "i"), PAGE)
        await rig.until(lambda: "longer than a path can be" in screen_text(rig.app))
        await rig.press("escape")
        await rig.until(lambda: rig.app.screen is rig.screen)
