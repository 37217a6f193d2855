"""The pronouncing dictionary of the embedded voice, read as a file: which words it knows.

Nothing of the engine is imported. Where its package is not beside the studio, nothing is known.
"""

from __future__ import annotations

import gzip
import re
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from studio.book.uncommon import Known

_PACKAGE = "hibari"
_KEY = re.compile(r'"((?:[^"\\]|\\.)*)":')


def dictionary(language: str) -> Known:
    """What tells known words from others in a language.

    Args:
        language: BCP 47 tag; the dictionary is of American and British English.
    """
    main, _, place = language.lower().partition("-")
    if main not in ("en", ""):
        return partial(_known, ())
    variety = "gb" if place in ("gb", "ie", "au", "nz", "za", "in") else "us"
    names = (f"lexicon_{variety}_gold.json.gz", f"lexicon_{variety}_silver.json.gz")
    folder = _assets()
    return partial(_known, () if folder is None else tuple(folder / name for name in names))


def _assets() -> Path | None:
    """Where the package keeps its data; to look for a top package executes nothing of it."""
    try:
        spec = find_spec(_PACKAGE)
    except (ImportError, ValueError):
        return None
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) / "assets" if places else None


def _known(files: tuple[Path, ...], words: frozenset[str]) -> frozenset[str] | None:
    """Those words that the files have as keys; their values would take half a second to read."""
    found: set[str] = set()
    read = False
    for file in files:
        try:
            text = gzip.decompress(file.read_bytes()).decode("utf-8")
        except (OSError, EOFError, UnicodeDecodeError):
            continue
        read = True
        found.update(words.intersection(key.lower() for key in _KEY.findall(text)))
    return frozenset(found) if read else None
