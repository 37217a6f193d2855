"""The book as a whole, the library, the export window."""

from __future__ import annotations

from studio.ui.action import EXPORT, LIBRARY, Action

ACTIONS: tuple[Action, ...] = (
    Action("book.export", ("E",), "export", "Write chapters as WAV files.", "Book", footer=8),
    Action(
        "book.library",
        (),
        "library",
        "Close this book and show the library: other books, and the import of a new one.",
        "Book",
    ),
    Action(
        "book.pieces",
        (),
        "pieces of the book",
        "Choose again what of the manuscript is narrated, or bring in a new edition of it.",
        "Book",
    ),
    Action(
        "book.reproducible",
        (),
        "mark reproducible",
        "Mark the book so that each take must follow from its recipe alone, or take the mark away.",
        "Book",
    ),
    Action(
        "library.open",
        ("enter",),
        "open",
        "Open the project under the cursor.",
        "Library",
        LIBRARY,
        footer=1,
        palette=False,
    ),
    Action(
        "library.down", ("j",), "down", "Go to the next project.", "Library", LIBRARY, palette=False
    ),
    Action(
        "library.up", ("k",), "up", "Go to the project before.", "Library", LIBRARY, palette=False
    ),
    Action(
        "library.new",
        ("n",),
        "new book",
        "Make a project of a manuscript: EPUB, Word, HTML, FB2, Markdown or text.",
        "Library",
        LIBRARY,
        footer=2,
    ),
    Action(
        "library.folder",
        ("o",),
        "open a folder",
        "Open a project that the list does not have.",
        "Library",
        LIBRARY,
        footer=3,
    ),
    Action(
        "library.sample",
        ("s",),
        "sample book",
        "Copy the sample book and open it.",
        "Library",
        LIBRARY,
        footer=4,
    ),
    Action(
        "export.start",
        ("ctrl-e",),
        "write",
        "Write the chosen chapters.",
        "Export",
        EXPORT,
        footer=1,
    ),
    Action(
        "export.close",
        ("escape",),
        "close",
        "Close the window; while it writes, stop and leave nothing half-written.",
        "Export",
        EXPORT,
        footer=2,
        palette=False,
    ),
)
