"""What the segment panel writes: pure functions from a segment to styled lines."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from studio.project.model import GLYPHS, Kind, Segment, State
from studio.ui import cells, formats, inks

if TYPE_CHECKING:
    from studio.ui.widgets.segment_panel import SpokenChange

LABEL = 9
"""Cells of the labels at the left: `` spoken  ``."""
_CHANGES_SHOWN = 6


def sentence(text: str, columns: int) -> Content:
    """A dim sentence for an empty panel."""
    lines = cells.wrap(text, max(1, columns - 2))
    return Content.styled("\n".join(f" {line}" for line in lines), inks.MUTED)


def reason(segment: Segment, state: State) -> str:
    """Why a segment is in its state, in plain words, or empty where the word says it all."""
    match state:
        case State.FAILED:
            return segment.failure
        case State.STALE:
            return f"{' and '.join(segment.stale)} changed since this take"
        case State.FLAGGED:
            return "; ".join(segment.findings)
        case State.DRAFT:
            return "no take yet" if not segment.takes else "no take is chosen"
        case State.APPROVED if segment.findings:
            return f"approved although: {'; '.join(segment.findings)}"
        case _:
            return ""


def choosing(segment: Segment, state: State, columns: int, label: str, hint: str) -> Content:
    """What stands above the word cursor: the segment, and what to press."""
    return _joined([*_title(segment, state, columns), *_block(label, hint, columns, inks.ACCENT)])


def head(
    segment: Segment,
    state: State,
    columns: int,
    *,
    editor_keys: str = "",
    inserting: bool = False,
) -> Content:
    """Number, kind, state, source, and the spoken text unless the editor stands for it.

    Args:
        segment: The segment.
        state: The state to show.
        columns: Cells there are.
        editor_keys: What to press in the editor, where that follows; else empty.
        inserting: Whether the editor holds the text of a new segment after this one.

    Returns:
        The lines.
    """
    lines = _title(segment, state, columns)
    if inserting:
        lines += _block("after", segment.spoken or "a scene break", columns, inks.MUTED)
        return _joined([*lines, *_block("new", editor_keys, columns, inks.ACCENT)])
    if segment.kind is Kind.SCENE_BREAK:
        pause = segment.pause_ms
        length = "of " + formats.seconds(pause / 1000) if pause else "of the book’s usual length"
        return _joined([*lines, *_block("", f"A silence {length}; always ready.", columns, "")])
    same = segment.spoken == segment.source
    if segment.inserted:
        lines += _block("source", "inserted: the book has no such text", columns, inks.MUTED)
    elif same:
        lines += _block("source", segment.source, columns, inks.MUTED)
    else:
        before, after = differences(cells.clean(segment.source), cells.clean(segment.spoken))
        lines += _marked("source", before, columns, inks.MUTED, f"underline {inks.MUTED}")
    if editor_keys:
        lines += _block("spoken", editor_keys, columns, inks.ACCENT)
    elif segment.inserted:
        lines += _block("spoken", segment.spoken, columns, "")
    elif same:
        lines += _block("spoken", "the same", columns, inks.MUTED)
    else:
        lines += _marked("spoken", after, columns, "", "bold underline $text-accent")
    return _joined(lines)


def compared(before: str, after: str, columns: int) -> Content:
    """A text as it is and as it would be, the words that differ marked."""
    was, becomes = differences(cells.clean(before), cells.clean(after))
    lines = _marked("now", was, columns, inks.MUTED, f"underline {inks.MUTED}")
    return _joined([*lines, *_marked("then", becomes, columns, "", "bold underline $text-accent")])


def foot(
    segment: Segment,
    columns: int,
    changes: Sequence[SpokenChange] = (),
    *,
    editing: bool = False,
) -> Content:
    """What explains the text: rules that changed it, and a person's note."""
    lines: list[Content] = []
    if changes and not segment.edited and not editing:
        shown = [f"{c.before} → {c.after} ({c.rule})" for c in changes[:_CHANGES_SHOWN]]
        if len(changes) > _CHANGES_SHOWN:
            shown.append(f"{len(changes) - _CHANGES_SHOWN} more")
        lines += _block("because", " · ".join(shown), columns, inks.MUTED)
    if segment.note:
        lines += _block("note", segment.note, columns, "italic")
    return _joined(lines)


def _title(segment: Segment, state: State, columns: int) -> list[Content]:
    """The first line, and the reason for the state below it where it has no room beside it."""
    parts: list[tuple[str, str]] = [
        (f"{segment.number:,}", "bold"),
        (segment.kind.value, inks.MUTED),
        (f"{GLYPHS[state]} {state.value}", inks.OF_STATE[state]),
    ]
    why = reason(segment, state)
    length = sum(cells.width(text) + 3 for text, _ in parts) - 2
    beside = length + 2 + cells.width(cells.clean(why)) <= columns
    if why and beside:
        text, style = parts.pop()
        parts.append((f"{text}: {cells.clean(why)}", style))
    line = Content(" ")
    for number, (text, style) in enumerate([*parts, *_extras(segment)]):
        if number > 2 and line.cell_length + 3 + cells.width(text) > columns:
            break
        line = line + Content.assemble((" · " if number else "", inks.FAINT), (text, style))
    if why and not beside:
        return [line, *_block("", why, columns, inks.OF_STATE[state])]
    return [line]


def _extras(segment: Segment) -> list[tuple[str, str]]:
    """What else is worth a word, the most important first."""
    parts: list[tuple[str, str]] = []
    if segment.mark:
        parts.append(("◆ marked", "bold $text-accent"))
    if segment.inserted:
        parts.append(("inserted", inks.MUTED))
    elif segment.edited:
        parts.append(("typed by hand", inks.MUTED))
    if segment.kind is Kind.SCENE_BREAK:
        return parts
    if segment.elsewhere:
        parts.append(("made elsewhere", inks.MUTED))
    if segment.pause_ms is not None:
        parts.append((f"pause {segment.pause_ms / 1000:.1f}s", inks.MUTED))
    if segment.speed != 1.0:
        parts.append((f"speed ×{segment.speed:.2f}", inks.MUTED))
    parts.append((cells.crop(segment.voice, 24), inks.MUTED))
    return parts


def differences(before: str, after: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Compare two texts word by word.

    Args:
        before: The source text.
        after: The spoken text.

    Returns:
        The words of each, with whether the other text has them differently.
    """
    left, right = re.findall(r"\S+", before), re.findall(r"\S+", after)
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    changed_left, changed_right = [True] * len(left), [True] * len(right)
    for block in matcher.get_matching_blocks():
        changed_left[block.a : block.a + block.size] = [False] * block.size
        changed_right[block.b : block.b + block.size] = [False] * block.size
    return (
        list(zip(left, changed_left, strict=True)),
        list(zip(right, changed_right, strict=True)),
    )


def _marked(
    label: str, words: Sequence[tuple[str, bool]], columns: int, plain: str, changed: str
) -> list[Content]:
    """A labelled text with the changed words marked, wrapped."""
    room = max(1, columns - LABEL - 1)
    lines: list[list[tuple[str, bool]]] = [[]]
    used = 0
    for word, mark in words:
        for number, part in enumerate(cells.wrap(word, room)):
            need = cells.width(part) + (1 if lines[-1] else 0)
            if number or used + need > room:
                lines.append([])
                used, need = 0, cells.width(part)
            lines[-1].append((part, mark))
            used += need
    return [
        _labelled(label if not number else "", _line(line, plain, changed))
        for number, line in enumerate(lines)
    ]


def _line(words: Sequence[tuple[str, bool]], plain: str, changed: str) -> Content:
    """Words with spaces between them; the space between two changed words is changed too."""
    parts: list[tuple[str, str]] = []
    for number, (word, mark) in enumerate(words):
        if number:
            both = mark and words[number - 1][1]
            parts.append((" ", changed if both else plain))
        parts.append((word, changed if mark else plain))
    return Content.assemble(*parts)


def _block(label: str, text: str, columns: int, style: str) -> list[Content]:
    """A labelled text in one style, wrapped."""
    lines = cells.wrap(text, max(1, columns - LABEL - 1))
    return [
        _labelled(label if not number else "", Content.styled(line, style))
        for number, line in enumerate(lines)
    ]


def _labelled(label: str, line: Content) -> Content:
    """A line behind its label."""
    return Content.styled(f" {label}".ljust(LABEL), inks.MUTED) + line


def _joined(lines: Sequence[Content]) -> Content:
    """Lines as one text."""
    return Content("\n").join(lines)
