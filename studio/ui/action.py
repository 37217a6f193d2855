"""What an action is; the actions themselves stand in `studio.ui.table`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

STUDIO = "studio"
LIBRARY = "library"
EXPORT = "export"
RECIPE = "recipe"
VOICES = "voices"
PREPARE = "prepare"
BLIND = "blind"
CAST = "cast"
LEXICON = "lexicon"
UNCOMMON = "uncommon"
RULE = "rule"
REPLACE = "replace"
PICKING = "picking"
EVERYWHERE = "everywhere"

SCREENS: Mapping[str, str] = {
    EVERYWHERE: "Everywhere",
    STUDIO: "In the studio",
    LIBRARY: "In the library",
    PICKING: "In the pieces of a book",
    EXPORT: "In the export window",
    RECIPE: "In a take’s recipe",
    LEXICON: "In the lexicon",
    UNCOMMON: "In the list of uncommon words",
    RULE: "In the form of a rule",
    VOICES: "In the list of voices",
    PREPARE: "In the making of a reference",
    BLIND: "In a blind comparison",
    CAST: "In the cast",
    REPLACE: "In find and replace",
}
"""Where an action is valid, with the heading it gets."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do."""

    id: str
    """Stable name, used in the ``[keys]`` table of config.toml; dots become `_` in method names."""
    keys: tuple[str, ...]
    """Keys as people write them (``ctrl-d``, ``g c``); empty for the palette alone."""
    label: str
    """A word or two for the footer and the palette."""
    help: str
    """One sentence: what it does."""
    group: str
    screen: str = STUDIO
    footer: int = 0
    """Place in the footer, 1 for the first; 0 keeps it out."""
    palette: bool = True
    """Whether the palette offers it; moving about is quicker by hand."""
    pane: str = ""
    """The one pane it is valid in; its widget binds it under the same id. Empty: everywhere."""

    @property
    def method(self) -> str:
        """The name Textual runs: ``segment.play`` is `action_segment_play`."""
        return self.id.replace(".", "_").replace("-", "_")


def move(name: str, keys: tuple[str, ...], label: str, sentence: str) -> Action:
    """An action that moves about: for hands, not for the palette."""
    return Action(name, keys, label, sentence, "Move", palette=False)


def pane(name: str, key: str, label: str, sentence: str, pane: str) -> Action:
    """An action of one pane, which has a key of its own there."""
    group = f"In the {pane.lower()}"
    return Action(name, (key,), label, sentence, group, palette=False, pane=pane.lower())
