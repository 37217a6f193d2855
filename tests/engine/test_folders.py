"""Folders among an engine's options: whole paths, or a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.narrators.folders import folder
from engine.registry import Refusal


def test_a_folder_is_a_whole_path_or_left_out() -> None:
    assert folder({}, "model") is None
    assert folder({"model": "/a b/m"}, "model") == Path("/a b/m")
    assert folder({"model": "~/m"}, "model") == Path.home() / "m"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("m", "must be a whole path"),
        ("", "must be the path of a folder"),
        (7, "must be the path of a folder"),
        ("~nobody of this name/m", "nobody of that name has a home folder"),
    ],
)
def test_what_is_none_is_refused(value: Any, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        folder({"model": value}, "model")
