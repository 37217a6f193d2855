"""What of a book is narrated, and how it is read, where a person may choose.

Each choice has a default that suits a novel. Page numbers are never narrated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

from studio.errors import BadInput


class Notes(StrEnum):
    """What becomes of footnotes and endnotes."""

    SKIPPED = "skipped"
    INLINE = "inline"
    """Each is read after the paragraph that points at it."""
    CHAPTER_END = "chapter end"
    """Each is read at the end of the chapter that points at it."""


class Said(StrEnum):
    """Whether something is narrated."""

    SPOKEN = "spoken"
    SKIPPED = "skipped"


class Matter(StrEnum):
    """Whether pages before or behind the story start ticked."""

    BY_CONTENT = "by content"
    """Cover, title page, contents, copyright page, index and advertisements start unticked."""
    TICKED = "ticked"
    UNTICKED = "unticked"


class Dates(StrEnum):
    """Which number of ``03/04/2021`` is the day, where either may be."""

    BY_LANGUAGE = "by language"
    """Month first in American English, day first in every other."""
    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"


@dataclass(frozen=True, slots=True)
class Policies:
    """The choices for one book."""

    notes: Notes = Notes.SKIPPED
    """Footnotes and endnotes. The marks that point at them are never spoken."""
    addresses: Said = Said.SPOKEN
    """Links whose text is nothing but an address (``www.example.org``). Other links are text."""
    tables: Said = Said.SPOKEN
    """Tables, row by row."""
    images: Said = Said.SKIPPED
    """What pictures say of themselves for people who cannot see them (``alt``)."""
    front: Matter = Matter.BY_CONTENT
    """Pages that the book calls front matter: title page, dedication, foreword and so on."""
    back: Matter = Matter.BY_CONTENT
    """Pages that the book calls back matter: afterword, about the author, index and so on."""
    dates: Dates = Dates.BY_LANGUAGE
    """English dates in figures with strokes; other languages write the day first."""

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Policies:
        """Policies by their names, as settings and commands give them.

        Args:
            values: Such as ``{"notes": "chapter end"}``; what is not named keeps its default.

        Raises:
            BadInput: There is no such policy, or it has no such choice.
        """
        kinds = {field.name: type(field.default) for field in fields(cls)}
        chosen: dict[str, StrEnum] = {}
        for name, value in values.items():
            kind = kinds.get(name)
            if kind is None or not issubclass(kind, StrEnum):
                raise BadInput(f"There is no policy “{name}”; there are {', '.join(kinds)}.")
            try:
                chosen[name] = kind(value.replace("-", " "))
            except ValueError:
                raise BadInput(
                    f"“{value}” is no choice for {name}; choose {' or '.join(kind)}."
                ) from None
        return cls(**chosen)  # type: ignore[arg-type]

    @classmethod
    def offered(cls) -> dict[str, tuple[str, ...]]:
        """What may be chosen for each policy, by name; the default stands first."""
        choices = {}
        for field in fields(cls):
            assert isinstance(field.default, StrEnum)
            others = [str(each) for each in type(field.default) if each is not field.default]
            choices[field.name] = (str(field.default), *others)
        return choices


FOR: Mapping[str, str] = {
    "notes": "footnotes and endnotes",
    "addresses": "links that are nothing but an address",
    "tables": "tables, row by row",
    "images": "the texts of pictures",
    "front": "pages before the story",
    "back": "pages behind it",
    "dates": "dates such as 03/04/2021",
}
"""What each policy is about, in a few words."""
