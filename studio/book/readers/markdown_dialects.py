"""What writers of Markdown use beside CommonMark: marks of Pandoc, MultiMarkdown and Obsidian."""

from __future__ import annotations

import re

from studio.book.coverage import Ledger, count

_ATTRIBUTES = re.compile(
    r"(?<=\S)[ \t]{0,4}\{(?:-|(?:[#.][\w-]{1,60}|[ \t]"
    r"|[\w-]{1,40}=(?:\"[^\"{}\n]{0,80}\"|[^{}\s]{1,60})){1,20})\}"
)
"""What stands behind headings, spans and pictures for the program that sets the page."""
_SPAN = re.compile(r"(?<![!\]])\[([^\[\]\n^]{1,400})\]\{[^{}\n]{1,200}\}")
_FENCED_PART = re.compile(r"^:{3,}[^\n]{0,100}$", re.MULTILINE)
_INLINE_MARKS = re.compile(r"(==|\+\+)(?=\S)([^\n=+]{1,400}?)(?<=\S)\1")
_LOWERED = re.compile(r"(?<=[\w)])~([^\s~]{1,20})~(?!~)")
_RAISED = re.compile(r"(?<=[\w)])\^([^\s^\[\]]{1,20})\^")
_COMMAND = re.compile(
    r"^\\[A-Za-z]{3,40}\*?(?:\[[^\]\n]{0,80}\]){0,2}(?:\{[^{}\n]{0,80}\}){0,3}[ \t]{0,9}$",
    re.MULTILINE,
)
"""A line that is a command of TeX and nothing else."""
_DEFINITION = re.compile(r"^:[ \t]{1,8}(?=[^\s:|-])", re.MULTILINE)
_TASK = re.compile(r"^([ \t]{0,20}[-*+][ \t]{1,4})\[[ xX]\](?=[ \t])", re.MULTILINE)
_COMMENT = re.compile(r"%%(?!%)[^%]{1,20000}%%")
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]{1,300}\]\]")
_WIKI_LINK = re.compile(
    r"\[\[(?!\s{0,9}[A-Za-z]{1,20}\s{0,9}:)(?:[^\[\]|\n]{1,300}\|)?([^\[\]|\n]{1,300})\]\]"
)
"""A link to another note; what looks like a marker of ours (``[[pause: 2 s]]``) is none."""
_VERSE_LINE = re.compile(r"\|(?:[ \t](.*))?")
_RULED = re.compile(r"\|[ \t]{0,9}:?-{2,}")
"""What stands below the heads of a table's columns."""
_LONGEST_LINE = 2_000
_BLOCK = re.compile(r"\s{0,9}%[ \t](.{1,300})\n(?:%[ \t]?(.{0,300})\n)?(?:%[ \t]?(.{0,300})\n)?")
_FIELDS = re.compile(
    r"(?=(?:.{1,300}\n){0,9}?title:)"
    r"(?:[A-Za-z][A-Za-z ]{0,30}:[ \t]{1,20}\S.{0,300}\n){1,20}(?=\n)",
    re.IGNORECASE,
)
_FIELD = re.compile(r"^(title|author|language|lang):[ \t]*(.{1,300}?)[ \t]*$", re.M | re.I)


def as_commonmark(text: str, ledger: Ledger) -> str:
    """A text whose marks are those that the parser knows.

    Args:
        text: Part of a manuscript.
        ledger: Takes the account of remarks that are taken off; other marks are told as such.
    """

    def drop(match: re.Match[str]) -> str:
        ledger.skip("comment", count(match[0]))
        return ""

    if "%%" in text:
        text = _COMMENT.sub(drop, text)
    text = _SPAN.sub(r"\1", text)
    text = _FENCED_PART.sub("", _INLINE_MARKS.sub(r"\2", _ATTRIBUTES.sub("", text)))
    text = _RAISED.sub(r"<sup>\1</sup>", _LOWERED.sub(r"<sub>\1</sub>", text))
    text = _DEFINITION.sub("\n", _COMMAND.sub("", text))
    text = _WIKI_LINK.sub(r"\1", _EMBEDDED.sub("", _TASK.sub(r"\1", text)))
    return _with_verse(text)


def _with_verse(text: str) -> str:
    """A text whose line blocks (``| a line``) are stanzas."""
    if "\n|" not in text and not text.startswith("|"):
        return text
    made: list[str] = []
    stanza: list[str] = []
    table = False
    for line in [*text.split("\n"), ""]:
        match = _VERSE_LINE.fullmatch(line) if len(line) <= _LONGEST_LINE else None
        table = line.startswith("|") and (table or _RULED.match(line) is not None)
        if match and not table and not line[1:].rstrip().endswith("|"):
            stanza.append((match[1] or "").strip())
            continue
        if stanza and line.startswith("|"):
            # A row of a table: so are those before it.
            made += [f"| {one}" for one in stanza]
        elif stanza:
            lines = [one for one in stanza if one]
            made += ["", '<div class="verse">', "", "\\\n".join(lines), "", "</div>", ""]
        stanza = []
        made.append(line)
    return "\n".join(made[:-1])


def title_block(text: str, ledger: Ledger) -> tuple[str, dict[str, str]]:
    """Take off the lines at the top that state title and author: ``% Title`` or ``Title: It``.

    Args:
        text: The manuscript.
        ledger: Takes the account of what was taken off.

    Returns:
        The rest, and what was stated.
    """
    if match := _BLOCK.match(text):
        fields = {"title": match[1].strip(), "author": (match[2] or "").strip()}
    elif match := _FIELDS.match(text):
        fields = {key.lower(): value for key, value in _FIELD.findall(match[0])}
    else:
        return text, {}
    ledger.skip("data about the book", count(match[0]))
    return text[match.end() :], {key: value for key, value in fields.items() if value}
