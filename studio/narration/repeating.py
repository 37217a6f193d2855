"""Whether takes follow from their recipe alone: asked of an engine’s configuration and its card.

A take that was made together with others depends on them, and so on which lines happened to wait
beside it. A book may be marked so that no engine that works like that is given a line of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine import wire
from studio.engines import cards
from studio.engines.catalogue import Catalogue, EngineSpec
from studio.errors import BadInput
from studio.project.model import Take
from studio.project.reading import ReadableProject
from studio.project.recipe import company
from studio.wording import in_shell


def of_spec(spec: EngineSpec) -> str:
    """Why an engine's takes would not follow from their recipes alone, as far as is known before
    it runs: what comes after its name in a sentence; empty where they do."""
    together = spec.options.get(wire.BATCH, 1)
    if isinstance(together, int) and together > 1:
        return f"takes up to {together} lines together (its option “{wire.BATCH}” is {together})"
    card = cards.remembered(spec.name)
    return "does not say the same twice" if card is not None and not card.seedable else ""


def of_card(card: wire.Card) -> str:
    """The same, as an engine says it itself once it is loaded."""
    if card.together > 1:
        return f"takes up to {card.together} lines together"
    return "" if card.seedable else "does not say the same twice"


def of_take(take: Take) -> str:
    """Why a take does not follow from its recipe alone, as a sentence; empty where it does."""
    lines = company(take.recipe)
    if lines < 2:
        return ""
    return (
        f"It was made in a batch of up to {lines} lines, so it does not follow from its recipe "
        "alone; g s voices its kept speech tokens again."
    )


def refusal(title: str, folder: Path, engine: str, why: str) -> str:
    """What to say of a marked book and an engine that is not for it."""
    return (
        f"“{title}” is marked reproducible, and the engine {engine} {why}, so its takes would not "
        f"follow from their recipes alone. Take “{wire.BATCH}” out of [engines.{engine}.options] "
        "in config.toml (which a studio reads when it is opened), give the lines another voice, or "
        "take the mark away: "
        f"rhapsode settings {in_shell(folder)} --reproducible off."
    )


def compare(engine: str, why: str, what: str) -> None:
    """Hold nothing to the bytes of an engine whose takes depend on their company.

    Args:
        engine: Its name.
        why: From `of_spec` or `of_card`; empty where nothing stands against it.
        what: Who compares bytes, such as ``A soak``.

    Raises:
        BadInput: Something does.
    """
    if why:
        raise BadInput(
            f"{what} compares bytes, and the engine {engine} {why}: what it says does not follow "
            f"from its recipe alone, so another take would be no difference. Have it without "
            f"“{wire.BATCH}” for that."
        )


def refuse(
    project: ReadableProject, voices: Iterable[str], catalogue: Catalogue | None = None
) -> None:
    """Let no marked book be narrated by an engine whose takes do not follow from their recipes.

    Args:
        project: The book.
        voices: `Voice.id` of who is to read; one that is not there is somebody else's matter.
        catalogue: The engines of this machine; None for the user's, read only if it matters.

    Raises:
        BadInput: It is marked, and one of the voices is read by such an engine.
    """
    if not project.settings().reproducible:
        return
    known, here = project.voices(), catalogue or Catalogue.of_user()
    engines = dict.fromkeys(known[voice].engine for voice in voices if voice in known)
    for engine in engines:
        if engine in here and (why := of_spec(here[engine])):
            raise BadInput(refusal(project.info.title, project.folder, engine, why))
