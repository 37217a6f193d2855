"""One reader per kind of manuscript; all give a `Manuscript`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from studio.book.kinds import Kind
from studio.book.manuscript import Manuscript
from studio.book.policies import Policies
from studio.book.readers.reading import Progress, quietly
from studio.errors import BadInput

MAX_TEXT = 24 * 2**20
"""Bytes of a file that is no archive."""
MAX_LINES = 300_000
"""Lines of a text or Markdown file; *War and Peace* has 65,000."""
LONGEST_WORD = 100_000
"""Characters without a blank, in scripts that part words by blanks."""
_WORD = re.compile("[!-~\u00a1-\u058f]++")

_SUFFIXES = {
    **dict.fromkeys((".epub",), "epub"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".txt", ".text"), "text"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".docx", ".docm"), "docx"),
    **dict.fromkeys((".fb2", ".fbz"), "fb2"),
}
_ARCHIVES = frozenset(("epub", "docx"))
_READABLE = "EPUB, Word (.docx), HTML, FB2, Markdown (.md) or plain text (.txt)"
_CONVERT = "Convert it to EPUB, for example with Calibre, and import that."
_SAVE = "Open it in a word processor and save it as Word document (.docx)."
_OTHER_KINDS = (
    (b"%PDF", "a PDF, which holds printed pages and no paragraphs", _CONVERT),
    (b"{\\rtf", "an RTF document", _SAVE),
    (b"\xd0\xcf\x11\xe0", "an old Word document", _SAVE),
    (b"\x89PNG", "a picture", f"Give the text itself: {_READABLE}."),
    (b"\xff\xd8\xff", "a picture", f"Give the text itself: {_READABLE}."),
    (b"GIF8", "a picture", f"Give the text itself: {_READABLE}."),
    (b"\x1f\x8b", "a compressed file", "Unpack it, and give the manuscript in it."),
    (b"Rar!", "a RAR archive", "Unpack it, and give the manuscript in it."),
    (b"7z\xbc\xaf", "a 7z archive", "Unpack it, and give the manuscript in it."),
)
_OTHER_SUFFIXES = {
    **dict.fromkeys(
        (".mobi", ".azw", ".azw3", ".azw4", ".kfx", ".prc"), ("a Kindle book", _CONVERT)
    ),
    **dict.fromkeys((".lit", ".lrf", ".pdb", ".djvu", ".cbz"), ("of an old kind", _CONVERT)),
    **dict.fromkeys((".odt", ".rtf", ".doc", ".pages", ".wpd"), ("no Word document", _SAVE)),
    ".pdf": _OTHER_KINDS[0][1:],
}
_SAMPLE = 65_536
_ZIP = b"PK\x03\x04"
_NO_TICKS: Mapping[str, bool] = {}
_MARKDOWN_SIGN = re.compile(rb"^#{1,3} \S|^---\r?\n(?:title|author): ", re.MULTILINE)


def read(
    path: Path,
    policies: Policies | None = None,
    ticks: Mapping[str, bool] = _NO_TICKS,
    progress: Progress | None = None,
    *,
    offered: bool = False,
) -> Manuscript:
    """Read a manuscript.

    Args:
        path: An EPUB, DOCX, HTML, FB2, Markdown or plain text file.
        policies: What of it is narrated; None for the defaults.
        ticks: What a person chose, by `Piece.id`; other pieces are ticked by what they are.
        progress: Told how much of it is read, 0 to 1.
        offered: Whether a person is to choose from its pieces; then a book of which nothing is
            ticked so far has no chapters, and is no fault.

    Returns:
        Its chapters, with labels on one line, its pieces, and an account of every character.

    Raises:
        BadInput: There is no such file, it is of another kind, damaged, or has no text; or none
            of its text is ticked.
    """
    head = _head(path)
    kind = _kind(path.name, head)
    data: Path | bytes = path
    if not (kind in _ARCHIVES or head.startswith(_ZIP)):
        data = path.read_bytes()
    return _read(path.name, data, kind, policies, ticks, progress, offered)


def read_bytes(
    data: bytes,
    name: str = "standard input",
    policies: Policies | None = None,
    ticks: Mapping[str, bool] = _NO_TICKS,
    progress: Progress | None = None,
    *,
    offered: bool = False,
) -> Manuscript:
    """Read a manuscript that is no file, such as standard input; see `read`.

    Args:
        data: All of it. What it is, is told by what it holds.
        name: What messages and, where it has no other, the title call it.
        policies: What of it is narrated; None for the defaults.
        ticks: What a person chose, by `Piece.id`.
        progress: Told how much of it is read, 0 to 1.
        offered: Whether a person is to choose from its pieces.
    """
    if not data:
        raise BadInput(f"{name} is empty. Give the manuscript itself.")
    kind = _kind_by_content(name, data[:_SAMPLE], data)
    if kind not in _ARCHIVES:
        _check_size(name, len(data))
    return _read(name, data, kind, policies, ticks, progress, offered)


def _read(
    name: str,
    data: Path | bytes,
    kind: str,
    policies: Policies | None,
    ticks: Mapping[str, bool],
    progress: Progress | None,
    offered: bool,
) -> Manuscript:
    """Read a manuscript of a known kind."""
    tell = progress or quietly
    tell(0.0)
    manuscript = _by_kind(name, data, kind, policies or Policies(), ticks, tell)
    _check_words(name, manuscript)
    tell(1.0)
    if any(
        block.kind is not Kind.SCENE_BREAK
        for chapter in manuscript.chapters
        for block in chapter.blocks
    ):
        return manuscript
    if not any(piece.characters for piece in manuscript.pieces):
        raise BadInput(
            f"{name} has no readable text: its pages are empty or only pictures. "
            "Use an edition with text in it."
        )
    if not offered:
        raise BadInput(
            f"{name} has nothing to narrate: every piece with text in it is unticked. "
            "See rhapsode pieces, and tick what you want with --take N."
        )
    return manuscript


def _check_words(name: str, manuscript: Manuscript) -> None:
    """Refuse a word that nobody can say; it would be a single segment."""
    for chapter in manuscript.chapters:
        for block in chapter.blocks:
            if len(block.text) <= LONGEST_WORD:
                continue
            longest = max((m.end() - m.start() for m in _WORD.finditer(block.text)), default=0)
            if longest > LONGEST_WORD:
                raise BadInput(
                    f"{name} holds {longest:,} characters without a blank between them, which no "
                    "book has. Check that it is the manuscript."
                )


def _by_kind(
    name: str,
    data: Path | bytes,
    kind: str,
    policies: Policies,
    ticks: Mapping[str, bool],
    tell: Progress,
) -> Manuscript:
    """Call the reader for a kind; each is loaded when it is needed."""
    if kind == "epub":
        from studio.book.readers.epub import read_epub

        return read_epub(name, data, policies, ticks, tell)
    if kind == "docx":
        from studio.book.readers.docx import read_docx

        return read_docx(name, data, policies, ticks, tell)
    if kind == "fb2":
        from studio.book.readers.fb2 import read_fb2

        return read_fb2(name, data, policies, ticks, tell)
    assert isinstance(data, bytes)
    if kind == "html":
        from studio.book.readers.html import read_html

        return read_html(name, data, policies, ticks, tell)
    if max(data.count(b"\n"), data.count(b"\r")) + data.count(b"\f") > MAX_LINES:
        raise BadInput(
            f"{name} has more than {MAX_LINES:,} lines, which no book has. "
            "Check that it is the manuscript, or divide it."
        )
    if kind == "markdown":
        from studio.book.readers.markdown import read_markdown

        return read_markdown(name, data, policies, ticks, tell)
    from studio.book.readers.plain import read_text

    return read_text(data, Path(name).stem, policies, ticks, tell)


def _kind(name: str, head: bytes) -> str:
    """The kind of a file by its suffix, if the content agrees."""
    suffix = Path(name).suffix.lower()
    kind = _SUFFIXES.get(suffix, "")
    if name.lower().endswith(".fb2.zip"):
        kind = "fb2"
    if head.startswith(_ZIP) and b"application/epub+zip" in head[:200]:
        return "epub"
    if not kind:
        what, do = _OTHER_SUFFIXES.get(
            suffix, ("of a kind that cannot be read", f"Give {_READABLE}.")
        )
        raise BadInput(f"{name} is {what}. {do}")
    if kind in _ARCHIVES or (kind == "fb2" and head.startswith(_ZIP)):
        return kind
    _refuse_others(name, head)
    if head.startswith(_ZIP):
        raise BadInput(
            f"{name} is a ZIP archive or an office document, although its name says text. "
            f"Give {_READABLE}, under a name that says so."
        )
    return kind


def _kind_by_content(name: str, head: bytes, data: bytes) -> str:
    """The kind of a manuscript by what it holds."""
    if head.startswith(_ZIP):
        for sign, kind in (
            (b"META-INF/container.xml", "epub"),
            (b"word/document.xml", "docx"),
            (b".fb2", "fb2"),
        ):
            if sign in data:
                return kind
        raise BadInput(f"{name} is a ZIP archive with no book in it. Give {_READABLE}.")
    _refuse_others(name, head)
    start = head[:2000].replace(b"\0", b"").lower()
    if b"<fictionbook" in start:
        return "fb2"
    if re.search(rb"<(?:!doctype html|html|body|head)\b", start):
        return "html"
    return "markdown" if _MARKDOWN_SIGN.search(head) else "text"


def _refuse_others(name: str, head: bytes) -> None:
    """Say what a file is that holds no text we can read, and what to do."""
    for start, what, do in _OTHER_KINDS:
        if head.startswith(start):
            raise BadInput(f"{name} is {what}. {do}")
    if head[60:68] in {b"BOOKMOBI", b"TEXtREAd"}:
        raise BadInput(f"{name} is a Kindle book. {_CONVERT}")
    if _binary(head):
        raise BadInput(f"{name} does not hold text. Export the book as {_READABLE}.")


def _head(path: Path) -> bytes:
    """The first bytes of a file that can be read at all."""
    try:
        if path.is_dir():
            raise BadInput(f"{path.name or path} is a folder. Give the book's file: {_READABLE}.")
        if path.exists() and not path.is_file():
            # Opening a pipe would wait for somebody to write; reading it once would empty it.
            raise BadInput(
                f"{path.name or path} is a pipe or a device and no file. Give what it holds to "
                "standard input: rhapsode new - < it"
            )
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_SAMPLE)
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}. Check the name and the folder.") from None
    except PermissionError:
        raise BadInput(
            f"{path.name} may not be read. Change its permissions, or copy it to your own folder."
        ) from None
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise BadInput(
            f"{path.name} cannot be read ({reason}). Check the disk and the name."
        ) from None
    if not head:
        raise BadInput(f"{path.name} is empty. Download or export the book again.")
    if not head.startswith(_ZIP):
        _check_size(path.name, size)
    return head


def _check_size(name: str, size: int) -> None:
    """Refuse what is too long to be one file of text."""
    if size > MAX_TEXT:
        raise BadInput(
            f"{name} is larger than any book ({size // 2**20} MB). "
            "Check that it is the manuscript, or divide it."
        )


def _binary(head: bytes) -> bool:
    """Whether bytes are no text in any encoding: control characters all over."""
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return head.count(0) > len(head) * 0.8
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or head.count(0) > len(head) * 0.2:
        return head.count(0) > len(head) * 0.6
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\v\x1a\x1b" for byte in head)
    return controls > len(head) * 0.05
