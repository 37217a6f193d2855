"""Whether an engine takes a voice's settings, by what it says of itself before it is loaded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine import wire
from studio.engines import cards
from studio.engines.catalogue import Catalogue
from studio.engines.hello import card_of
from studio.errors import BadInput, StudioError
from studio.project.model import Voice


def check_settings(engine: str, settings: Mapping[str, Any]) -> None:
    """See that an engine takes a voice's settings; where it is not here, or says nothing, it may.

    It is started for that, without a model, unless the card that is kept says yes already: that
    one may be of an older version, so it never says no.

    Args:
        engine: Its name in the catalogue.
        settings: The voice's.

    Raises:
        BadInput: It does not know a setting, or the value is none of its own.
    """
    kept = cards.remembered(engine) if settings else None
    if not settings or (kept is not None and kept.settings and not objection(kept, settings)):
        return
    try:
        spec = Catalogue.of_user()[engine]
    except StudioError:
        return
    card = card_of(spec)
    if card is not None and (why := objection(card, settings)):
        raise BadInput(why)


def as_meant(before: Voice, after: Voice) -> Voice:
    """A changed voice whose settings say as before what they mean as before.

    To set what is so anyway, or to take that out, changes no sound; but a voice's fingerprint
    holds what is written. So it stays written as it was, and no take becomes stale.

    Args:
        before: The voice as it is kept.
        after: As a person wants it.
    """
    engine = after.engine
    if before.engine != engine or before.settings == after.settings:
        return after
    card = cards.remembered(engine)
    if card is None or not card.usual:
        try:
            card = card_of(Catalogue.of_user()[engine])
        except StudioError:
            return after
    if card is None:
        return after
    settings = dict(after.settings)
    for name in before.settings.keys() ^ after.settings.keys():
        voice = before if name in before.settings else after
        if not _is_usual(card, name, voice):
            continue
        if voice is before:
            settings[name] = before.settings[name]
        else:
            del settings[name]
    return replace(after, settings=settings)


def as_it_was(wanted: Voice, voice: Voice) -> list[str]:
    """That a setting stays as it is written, because it means the same: a sentence for each.

    Args:
        wanted: The voice as a person wants it.
        voice: What `as_meant` made of it.
    """
    names = [it for it in {**wanted.settings, **voice.settings}]
    same = [name for name in names if wanted.settings.get(name) != voice.settings.get(name)]
    return [
        f"“{name}” is {value} without being set, too; it stays as it was."
        for name in same
        for value in (wanted.settings.get(name, voice.settings.get(name)),)
    ]


def _is_usual(card: wire.Card, name: str, voice: Voice) -> bool:
    """Whether a voice's setting is what it would be if the voice did not say."""
    usual, value = card.usual.get(name), voice.settings[name]
    if isinstance(usual, list):
        usual = usual[bool(voice.style.strip())] if len(usual) == 2 else None
    return (
        usual is not None and value == usual and isinstance(value, bool) is isinstance(usual, bool)
    )


def objection(card: wire.Card, settings: Mapping[str, Any]) -> str:
    """Why an engine would refuse settings, as one sentence; empty where it says nothing of them."""
    if not card.settings:
        return ""
    for name, value in settings.items():
        if name not in card.settings:
            known = _listed(card.settings)
            return f"{card.engine} has no voice setting named “{name}”; it has {known}."
        if why := _unfit(name, value, card.settings[name]):
            return why
    return ""


def _unfit(name: str, value: Any, allowed: wire.JSON) -> str:
    """Why a value cannot be, by what a card says of its setting; what is unclear allows all."""
    if isinstance(allowed, list):
        if value in allowed:
            return ""
        return f"The setting “{name}” cannot be “{value}”; it can be {_listed(allowed)}."
    if not isinstance(allowed, dict):
        return ""
    least, most = allowed.get("least"), allowed.get("most")
    if not isinstance(least, int | float) or not isinstance(most, int | float):
        return ""
    whole = allowed.get("whole") is True
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not number or (whole and value != int(value)):
        return f"The setting “{name}” must be a {'whole ' * whole}number, not “{value}”."
    if not least <= value <= most:
        return f"The setting “{name}” is {value:g}; it goes from {least:g} to {most:g}."
    return ""


def _listed(names: Any) -> str:
    """Names for a person."""
    return ", ".join(f"“{name}”" for name in names)
