"""How a cut of a recording, and what is said in it, are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from studio.ui import formats, inks

if TYPE_CHECKING:
    from studio.ui.preparation import Preparation

LABEL = 8
"""Cells of the names at the left."""
MARGIN = 0.6
"""Seconds that are drawn around the cut."""
SHORTER = (
    "Shorter is quicker: the engine goes through these seconds again for every clip. It is another "
    "voice, too, for the engine knows nothing else of it."
)
"""What a person should know who moves an edge."""


def sound(made: Preparation, width: int, playing: float | None) -> Content:
    """The recording, and the cut with a little around it.

    Args:
        made: What is drawn.
        width: Cells that there are.
        playing: Second of the recording that sounds now.
    """
    from studio.sound import waveform

    room = max(10, width - LABEL - 1)
    whole = waveform.draw(waveform.peaks(made.source.pcm, room))
    seconds = made.source.seconds
    first, last = (int(at / seconds * room) for at in (made.start, made.end))
    marks = "─" * first + "━" * max(1, last - first) + "─" * (room - max(first + 1, last))
    begin, stop = max(0.0, made.start - MARGIN), min(seconds, made.end + MARGIN)
    near = waveform.draw(waveform.peaks(made.source.between(begin, stop), room))

    def column(at: float) -> int:
        return min(room - 1, max(0, round((at - begin) / (stop - begin) * (room - 1))))

    start, end = column(made.start), column(made.end)
    rule = [" "] * room
    rule[start : end + 1] = "─" * (end + 1 - start)
    rule[start], rule[end] = "├", "┤"
    if playing is not None and begin <= playing <= stop:
        rule[column(playing)] = "▲"
    active = end if made.at_end else start
    return Content("\n").join(
        (
            Content.assemble((f"{'whole':<{LABEL}}", inks.MUTED), (whole, inks.MUTED)),
            Content.assemble(
                " " * LABEL,
                (marks[:first], inks.FAINT),
                (marks[first : last or 1], inks.ACCENT),
                (marks[last or 1 :], inks.FAINT),
            ),
            Content.assemble(
                (f"{'cut':<{LABEL}}", inks.MUTED),
                (near[:start], inks.FAINT),
                (near[start : end + 1], inks.BUSY),
                (near[end + 1 :], inks.FAINT),
            ),
            Content.assemble(
                " " * LABEL,
                "".join(rule[:active]),
                (rule[active], "bold reverse"),
                "".join(rule[active + 1 :]),
            ),
            _times(made),
        )
    )


def _times(made: Preparation) -> Content:
    """Where the cut begins and ends, and how long it is."""
    start, end = (f"{formats.clock(at)}{int(at * 100) % 10}" for at in (made.start, made.end))
    return Content.assemble(
        " " * LABEL,
        ("from ", inks.MUTED),
        (f"▸{start}◂" if not made.at_end else start, "" if made.at_end else "bold"),
        (" to ", inks.MUTED),
        (f"▸{end}◂" if made.at_end else end, "bold" if made.at_end else ""),
        ("   length ", inks.MUTED),
        f"{made.seconds:.2f} s",
    )


def checks(objections: tuple[str, ...]) -> Content:
    """What speaks against a cut."""
    if not objections:
        return Content.styled("✓ Nothing speaks against it.", inks.GOOD)
    return Content("\n").join(
        Content.assemble(("! ", inks.WARNING), sentence) for sentence in objections
    )


def words(made: Preparation, *, active: bool) -> Content:
    """What is said: confirmed words as they are, others muted, doubtful ones with a mark."""
    if made.typed:
        return Content(made.typed)
    parts: list[Content] = []
    for number, place in enumerate(made.places):
        word = made.proposal.words[place]
        text = word.text or "∅"
        style = "" if word.confirmed else inks.MUTED
        if word.doubtful:
            text, style = f"⟨{text}⟩", inks.WARNING
        if active and number == made.cursor:
            style = f"{style} reverse".strip()
        parts.append(Content.styled(text.replace(" ", " "), style))
    return Content(" ").join(parts)


def words_title(made: Preparation, *, listening: bool) -> str:
    """The line above the words."""
    places = made.places
    if made.typed:
        return "what is said, as you typed it"
    if listening:
        return "what is said: listening …"
    if not places:
        return "what is said: not known yet"
    left, doubtful = len(made.proposal.open(places)), len(made.proposal.doubtful(places))
    doubts = f"⟨{doubtful}⟩ doubtful" if doubtful else "none doubtful"
    state = f"{left} not confirmed, {doubts}" if left else "all confirmed"
    return f"what is said, by the listener: {len(places)} words, {state}"
