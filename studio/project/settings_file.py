"""``project.toml``: the settings of a book as a person reads and edits them.

The database is the truth; this file is a copy of a part of it for people and for version control.
Rendering and parsing are pure functions; `SettingsFile` alone touches the disk.
"""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import tomli_w

from studio.book.lexicon import Rule, tidied
from studio.book.lexicon import check as check_rule
from studio.errors import BadInput
from studio.project.clips import write_atomically
from studio.project.model import Voice
from studio.sound.pauses import PauseRules

SETTINGS_NAME = "project.toml"
LONGEST_PAUSE = 60_000
"""Milliseconds; a longer pause is a slip of the finger."""

LARGEST = 2**53 - 1
"""The largest whole number of which every program says the same."""

HEADER = """\
# Settings of this book, for people. Edit them while the book is closed in the studio: the next
# opening takes them over as one step that can be undone. Comments are not kept.

"""

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_PAUSES = {item.name for item in fields(PauseRules)}
_FLAGS = ("regex", "phonemes", "match_case", "whole")
"""What an entry of the lexicon may say beside how its word is spoken."""
_VOICE_TEXTS = (
    "engine",
    "speaker",
    "reference",
    "transcript",
    "description",
    "style",
    "language",
    "sample",
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What ``project.toml`` holds."""

    title: str
    author: str
    language: str
    voice: str
    """`Voice.id` of the narrator."""
    voices: Mapping[str, Voice]
    """By id, without fingerprints."""
    cast: Mapping[str, str] = field(default_factory=dict)
    """Who speaks for whom: a name in the book, and a voice's id."""
    lexicon: Mapping[str, Rule] = field(default_factory=dict)
    """How words are spoken: rules by their words."""
    pauses: Mapping[str, int] = field(default_factory=dict)
    """Milliseconds, for those that differ from the defaults of `PauseRules`."""
    export: Mapping[str, Any] = field(default_factory=dict)
    reproducible: bool = False
    """Whether the book is marked: each of its takes must follow from its recipe alone."""


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """How a book is made, put together and leaves."""

    pauses: PauseRules
    export: Mapping[str, Any]
    """Choices of the export screen, by name."""
    reproducible: bool = False
    """Whether each of its takes must follow from its recipe alone."""


def render(settings: Settings) -> str:
    """Settings as the text of a file."""
    body: dict[str, Any] = {
        "title": settings.title,
        "author": settings.author,
        "language": settings.language,
        "voice": settings.voice,
        # What is not marked has nothing to say: such a file stays as older versions wrote it.
        **({"reproducible": True} if settings.reproducible else {}),
        "pauses": dict(settings.pauses),
        "export": dict(settings.export),
        "cast": dict(settings.cast),
        "lexicon": {word: _entry(rule) for word, rule in sorted(settings.lexicon.items())},
        "voices": {},
    }
    for name, voice in sorted(settings.voices.items()):
        body["voices"][name] = _voice(voice)
    return HEADER + tomli_w.dumps({key: value for key, value in body.items() if value != {}})


def _voice(voice: Voice) -> dict[str, Any]:
    """A voice as a table."""
    texts = {key: getattr(voice, key) for key in _VOICE_TEXTS}
    table: dict[str, Any] = {key: text for key, text in texts.items() if text}
    if voice.settings:
        table["settings"] = dict(voice.settings)
    return table


def render_voice(voice: Voice) -> str:
    """One voice as the text of a file of its own."""
    return tomli_w.dumps(_voice(voice))


def parse_voice(text: str, name: str, path: Path) -> Voice:
    """Read the file of one voice.

    Args:
        text: What stands in it.
        name: What the voice is called.
        path: The file's name, for the sentence of an error.

    Raises:
        BadInput: It is malformed or says something that cannot be; the sentence says where.
    """
    try:
        body = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path} cannot be read: {error}; mend that line.") from error
    return _Check(text, path).voice(name, body)


def _entry(rule: Rule) -> Any:
    """A rule as the value of its word: a text, or a table where there is more to say."""
    if rule.simple:
        return rule.spoken
    default = Rule(rule.word, rule.spoken)
    flags = {name: getattr(rule, name) for name in _FLAGS}
    said = {name: flag for name, flag in flags.items() if flag != getattr(default, name)}
    return {"spoken": rule.spoken, **said}


def parse(text: str, path: Path) -> Settings:
    """Read the text of a file.

    Args:
        text: What stands in it.
        path: Its name, for the sentence of an error.

    Raises:
        BadInput: It is malformed or says something that cannot be; the sentence says where.
    """
    try:
        body = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path} cannot be read: {error}; mend that line.") from error
    check = _Check(text, path)
    check.known(body, {item.name for item in fields(Settings)}, "")
    voices = {}
    for name, table in check.table(body, "voices").items():
        voices[name] = check.voice(name, table)
    if not voices:
        raise BadInput(f"{path} names no voice; add a table such as [voices.heart].")
    settings = Settings(
        title=check.text(body, "title"),
        author=check.text(body, "author"),
        language=check.language(body),
        voice=check.text(body, "voice"),
        voices=voices,
        cast=check.cast(body),
        lexicon=check.lexicon(body),
        pauses=check.pauses(check.table(body, "pauses")),
        export=check.values(body, "export"),
        reproducible=check.switch(body, "reproducible"),
    )
    if not settings.title.strip():
        raise check.wrong("title", "is empty; give the book a title.")
    for key, voice in (("voice", settings.voice), *settings.cast.items()):
        if voice not in voices:
            raise check.wrong(key, f"names the voice “{voice}”, and there is no [voices.{voice}].")
    return settings


def check_pauses(pauses: Mapping[str, Any]) -> dict[str, int]:
    """Pauses as they are stored: whole milliseconds, defaults left out.

    Raises:
        BadInput: There is no such pause, or it cannot be so long.
    """
    return _Check("", Path(SETTINGS_NAME)).pauses(pauses)


class _Check:
    """Looks at parsed values and knows which line of the file to blame."""

    def __init__(self, text: str, path: Path) -> None:
        self._lines = text.splitlines()
        self._path = path

    def wrong(self, key: str, what: str) -> BadInput:
        pattern = re.compile(rf"\s*[\[\"']*(.*\.)?{re.escape(key)}[\"'\]]*\s*(=|$)")
        lines = [number for number, line in enumerate(self._lines, 1) if pattern.match(line)]
        where = f", line {lines[0]}" if lines else ""
        return BadInput(f"{self._path}{where}: “{key}” {what}")

    def known(self, table: Mapping[str, Any], names: set[str], where: str) -> None:
        for key in table:
            if key not in names:
                raise self.wrong(
                    key, f"means nothing{where}; known are {', '.join(sorted(names))}."
                )

    def text(self, table: Mapping[str, Any], key: str) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            raise self.wrong(key, "must be text in quotation marks.")
        return value

    def switch(self, table: Mapping[str, Any], key: str) -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, f"is {value!r}; write true or false.")
        return value

    def language(self, table: Mapping[str, Any]) -> str:
        value = self.text(table, "language")
        if value and not _LANGUAGE.fullmatch(value):
            raise self.wrong("language", f"is “{value}”; write a tag such as en or en-GB.")
        return value

    def table(self, body: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = body.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, f"must be a table: a line [{key}] and its values below.")
        return value

    def values(self, body: Mapping[str, Any], key: str) -> dict[str, Any]:
        """A table of anything that can be kept, which TOML has more kinds of."""
        table = self.table(body, key)
        for name, value in table.items():
            self._kept(name, value)
        return table

    def _kept(self, name: str, value: Any) -> None:
        if isinstance(value, list):
            for part in value:
                self._kept(name, part)
        elif isinstance(value, dict):
            for key, part in value.items():
                self._kept(key, part)
        elif isinstance(value, int | float):
            if not (abs(value) <= LARGEST if isinstance(value, int) else math.isfinite(value)):
                raise self.wrong(name, f"cannot be {value}; write a smaller number.")
        elif not isinstance(value, str):
            raise self.wrong(
                name, f"cannot be the date or time {value}; put quotation marks to it."
            )

    def cast(self, body: Mapping[str, Any]) -> dict[str, str]:
        table = self.table(body, "cast")
        if any(not name.strip() for name in table):
            raise self.wrong("cast", "has a voice for nobody; write a name before its =.")
        return {name: self.text(table, name) for name in table}

    def lexicon(self, body: Mapping[str, Any]) -> dict[str, Rule]:
        rules = {}
        for word, value in self.table(body, "lexicon").items():
            entry = value if isinstance(value, dict) else {"spoken": value}
            self.known(entry, {"spoken", *_FLAGS}, f" for “{word}” in the lexicon")
            if not isinstance(entry.get("spoken"), str):
                raise self.wrong(word, "must say in quotation marks how it is spoken.")
            for flag in _FLAGS:
                if not isinstance(entry.get(flag, False), bool):
                    raise self.wrong(word, f"says {flag} = {entry[flag]!r}; write true or false.")
            rule = tidied(Rule(word, **entry))
            try:
                check_rule(rule)
            except BadInput as error:
                raise self.wrong(word, f"cannot stand in the lexicon: {error}") from error
            if rule.word in rules:
                raise self.wrong(
                    word,
                    "stands in the lexicon a second time, written otherwise; keep one of them.",
                )
            rules[rule.word] = rule
        return rules

    def pauses(self, table: Mapping[str, Any]) -> dict[str, int]:
        self.known(table, _PAUSES, " among the pauses")
        for key, value in table.items():
            if not isinstance(value, int) or isinstance(value, bool):
                raise self.wrong(key, "must be a whole number of milliseconds.")
            if not 0 <= value <= LONGEST_PAUSE:
                raise self.wrong(key, f"must lie between 0 and {LONGEST_PAUSE} milliseconds.")
        default = PauseRules()
        return {key: value for key, value in table.items() if value != getattr(default, key)}

    def voice(self, name: str, table: Any) -> Voice:
        if not name.strip():
            raise self.wrong("voices", "has a voice without a name; write [voices.miller] or such.")
        if not isinstance(table, dict):
            raise self.wrong(name, f"must be a table: a line [voices.{name}] and its values below.")
        self.known(table, {*_VOICE_TEXTS, "settings"}, f" in the voice “{name}”")
        if not self.text(table, "engine"):
            raise self.wrong(name, 'names no engine; add a line such as engine = "hibari".')
        texts = {key: self.text(table, key) for key in _VOICE_TEXTS if key != "language"}
        return Voice(
            id=name,
            language=self.language(table),
            settings=self.values(table, "settings"),
            **texts,
        )


class SettingsFile:
    """The file on disk, and what this program last wrote into it."""

    def __init__(self, folder: Path, last_written: str) -> None:
        """Look after the file of a project.

        Args:
            folder: The project.
            last_written: `digest` of the text that this program wrote last, or empty.
        """
        self.path = folder / SETTINGS_NAME
        self.last_written = last_written

    def edited_text(self, ours: str) -> str | None:
        """What a person has written into it, or None.

        Args:
            ours: The text that the database's settings give; a crash may have come between
                writing it and remembering that.

        Raises:
            BadInput: It is not UTF-8.
        """
        content = self._content()
        if content is None or digest(content) == self.last_written or content == ours.encode():
            return None
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInput(
                f"{self.path} is not UTF-8 text (byte {error.start}); save it as UTF-8."
            ) from error

    def write(self, text: str, *, over_edits: bool = False) -> Path | None:
        """Write the file; what a person wrote into it meanwhile is put aside first.

        Args:
            text: What to write.
            over_edits: Whether a person's text has been taken over, so that nothing is lost.

        Returns:
            Where the person's text is now, or None.

        Raises:
            MachineFault: The disk is in the way.
        """
        content = text.encode()
        there = self._content()
        aside = None
        if there != content:
            if there is not None and not over_edits and digest(there) != self.last_written:
                aside = self._free_name()
                write_atomically(aside, there)
            write_atomically(self.path, content)
        self.last_written = digest(content)
        return aside

    def _content(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except OSError:
            return None

    def _free_name(self) -> Path:
        path = self.path.with_name(f"{SETTINGS_NAME}.rejected")
        number = 2
        while path.exists():
            path = self.path.with_name(f"{SETTINGS_NAME}.rejected-{number}")
            number += 1
        return path


def digest(content: bytes) -> str:
    """Names what a file holds."""
    return hashlib.sha256(content).hexdigest()
