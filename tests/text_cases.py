"""Labelled texts: the collection's, or another folder's of the same form, and our own tables."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "book"
DATA = HERE / "data"


def collected(name: str) -> list[dict[str, Any]]:
    """The cases of a file such as ``sentences.json``.

    RHAPSODE_CASES names another folder; the file lies in it, in its ``text``, or beside it.
    """
    places = [HERE / "cases"]
    if other := os.environ.get("RHAPSODE_CASES"):
        root = Path(other)
        places = [root, root / "text", root.parent / "text", root.parent, *places]
    path = next(place / name for place in places if (place / name).is_file())
    return json.loads(path.read_text("utf-8"))  # type: ignore[no-any-return]


def books() -> Path:
    """The folder of the collection's books; RHAPSODE_CASES names another, or what holds it."""
    root = Path(os.environ.get("RHAPSODE_CASES", HERE / "cases"))
    return root / "books" if (root / "books" / "expect.json").is_file() else root


def own(name: str) -> list[Any]:
    """A table of our own."""
    return json.loads((DATA / name).read_text("utf-8"))  # type: ignore[no-any-return]


def bare(text: str) -> str:
    """Blind to case, punctuation and the English "and"."""
    text = text.lower().replace("’", "").replace("'", "")
    return " ".join(word for word in re.sub(r"[\W_]", " ", text).split() if word != "and")
