"""Making a reference for a voice out of a recording."""

from __future__ import annotations

from studio.ui.action import PREPARE, Action


def _do(name: str, keys: tuple[str, ...], label: str, sentence: str, footer: int = 0) -> Action:
    """An action of the window that prepares a reference."""
    return Action(f"prepare.{name}", keys, label, sentence, "Reference", PREPARE, footer)


def _move(name: str, keys: tuple[str, ...], label: str, sentence: str) -> Action:
    return Action(f"prepare.{name}", keys, label, sentence, "Reference", PREPARE, palette=False)


ACTIONS: tuple[Action, ...] = (
    _do("play", ("space",), "play", "Play the cut, or stop; among the words, the word.", 1),
    _do(
        "back",
        ("h", "left"),
        "back",
        "Move the edge of the cut back by a twentieth of a second; among the words, go one back.",
    ),
    _do(
        "forward",
        ("l", "right"),
        "forward",
        "Move the edge of the cut on by a twentieth of a second; among the words, go one on.",
    ),
    _move("far-back", ("H",), "far back", "Move the edge back by a second."),
    _move("far-forward", ("L",), "far forward", "Move the edge on by a second."),
    _do(
        "edge",
        ("tab",),
        "other edge",
        "Move the other edge; among the words, go to the next doubtful one.",
        2,
    ),
    _do("longer", ("+",), "longer", "Make the cut half a second longer, at its end."),
    _do("shorter", ("-",), "shorter", "Make the cut half a second shorter, at its end."),
    _do("best", ("b",), "best", "Find the best seconds, as many as there are in the cut.", 6),
    _do("listen", ("t",), "transcribe", "Have the listener propose what is said (English).", 5),
    _do("words", ("w",), "words", "Go to the words, and back to the sound.", 3),
    _do("confirm", ("enter",), "right", "The word is right: go on to the next one that is open."),
    _do("sure", ("a",), "all sure ones", "All words that are not doubtful are right."),
    _do("word", ("e",), "type the word", "Type what is said in place of the word."),
    _do("text", ("E",), "type all", "Type all that is said; it wins over the listener.", 8),
    _do("hear", ("s",), "hear it", "Hear the engine read the sample line with this cut.", 7),
    _do("keep", ("ctrl-e",), "keep", "Go on with this cut and this text to the voice’s form.", 4),
    _do("close", ("escape",), "back", "From the words to the sound; else leave it.", 9),
)
