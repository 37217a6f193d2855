"""One reader per kind of manuscript file; all give a `Manuscript`."""

from __future__ import annotations

from pathlib import Path

from studio.book.kinds import Kind
from studio.book.languages import language_tag
from studio.book.manuscript import Manuscript
from studio.book.marks import fold
from studio.errors import BadInput

EPUB = (".epub",)
MARKDOWN = (".md", ".markdown")
TEXT = (".txt", ".text")
MAX_TEXT = 64 * 2**20
"""Bytes of a text or Markdown file."""

_OTHER_KINDS = (
    (b"%PDF", "a PDF"),
    (b"\xd0\xcf\x11\xe0", "an old Word document"),
    (b"{\\rtf", "an RTF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1f\x8b", "a compressed file"),
)
_KINDS = "EPUB, Markdown (.md) or plain text (.txt)"
_SAMPLE = 65_536


def read(path: Path) -> Manuscript:
    """Read a manuscript.

    Args:
        path: An EPUB, Markdown or plain text file.

    Returns:
        Its chapters, with labels on one line, and an account of what was left out.

    Raises:
        BadInput: There is no such file, it is of another kind, damaged, or has no text.
    """
    manuscript = _read_kind(path)
    if not any(
        block.kind is not Kind.SCENE_BREAK
        for chapter in manuscript.chapters
        for block in chapter.blocks
    ):
        raise BadInput(
            f"{path.name} has no readable text: its pages are empty or only pictures. "
            "Use an edition with text in it."
        )
    return Manuscript(
        title=fold(manuscript.title),
        author=fold(manuscript.author),
        language=language_tag(manuscript.language),
        chapters=manuscript.chapters,
        left_out=manuscript.left_out,
    )


def _read_kind(path: Path) -> Manuscript:
    """Choose the reader by suffix, and check that the content agrees."""
    head = _head(path)
    suffix = path.suffix.lower()
    looks_like_epub = head.startswith(b"PK\x03\x04") and b"application/epub+zip" in head[:200]
    if suffix in EPUB or looks_like_epub:
        from studio.book.readers.epub import read_epub

        return read_epub(path)
    if suffix not in MARKDOWN + TEXT:
        raise BadInput(f"{path.name} is of a kind that cannot be read. Give {_KINDS}.")
    for start, kind in _OTHER_KINDS:
        if head.startswith(start):
            raise BadInput(
                f"{path.name} is {kind}, although its name says text. Export it as {_KINDS}."
            )
    if _binary(head):
        raise BadInput(f"{path.name} does not hold text. Export the book as {_KINDS}.")
    data = path.read_bytes()
    if suffix in MARKDOWN:
        from studio.book.readers.markdown import read_markdown

        return read_markdown(data, path.stem)
    from studio.book.readers.plain import read_text

    return read_text(data, path.stem)


def _head(path: Path) -> bytes:
    """The first bytes of a file that can be read at all."""
    try:
        if path.is_dir():
            raise BadInput(f"{path.name or path} is a folder. Give the book's file: {_KINDS}.")
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
    if size > MAX_TEXT and path.suffix.lower() not in EPUB:
        raise BadInput(
            f"{path.name} is larger than any book ({size // 2**20} MB). "
            "Check that it is the manuscript, or divide it."
        )
    return head


def _binary(head: bytes) -> bool:
    """Whether bytes are no text in any encoding: control characters all over."""
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return head.count(0) > len(head) * 0.8
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or head.count(0) > len(head) * 0.2:
        return head.count(0) > len(head) * 0.6
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\v\x1a\x1b" for byte in head)
    return controls > len(head) * 0.05
