"""Which texts reach which stage, and what may not reach the model at all.

CosyVoice3 takes commands out of its text: sounds such as “[sigh]”, emphasis, phones and pieces of
pinyin, and 281 special tokens in all, some as ordinary as “[T]” and “[a]”. `guard` lets a command
through only where it is written as one and folds every other bracket as the studio folds those of a
book, so that “[T]he” is read as “The” and nothing else can become a special token. Written as one
means:

* a sound: ``[breath]``, ``[sigh]``, ``[laughter]`` … (`SOUNDS`);
* a pair: ``<strong>word</strong>``, ``<laughter>word</laughter>``;
* a pronunciation: two or more of the model's phones or pieces of pinyin in a row, of which at least
  one bears a stress or a tone: ``[HH][AH0][L][OW1]``, ``[j][ǐ]``.

A book's own brackets never get here as commands: the studio folds them on import. What a person
types into a line does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.narrators.cosyvoice3.chinese import cleaned
from engine.narrators.cosyvoice3.splitting import spell_out
from engine.narrators.cosyvoice3.tokenizer import END_OF_PROMPT, SPECIALS
from engine.registry import Refusal
from engine.wire import JSON

SYSTEM = "You are a helpful assistant."
"""What the model was trained to find before `END_OF_PROMPT`."""


class Mode(StrEnum):
    """How a voice is cloned."""

    ZERO_SHOT = "zero_shot"
    """The LLM goes on from the transcript and the sound of the reference."""
    CROSS_LINGUAL = "cross_lingual"
    """The LLM knows neither; the reference gives the sound of the voice alone."""
    INSTRUCT = "instruct"
    """As cross-lingual, and the LLM is told in words how to read."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the LLM is given around a text; flow and vocoder get the whole reference always."""

    text: str
    """Stands before the text and does not count for its length; empty in cross-lingual."""
    preface: str
    """Part of the text itself, and counted with it; empty but in cross-lingual."""
    speech: bool
    """Whether the LLM hears the reference's speech tokens."""


def mode_of(settings: Mapping[str, JSON], style: str) -> Mode:
    """How a voice is to be cloned.

    Args:
        settings: The voice's settings for this engine.
        style: How to read, in words; without a mode it asks for instruct.

    Raises:
        Refusal: A setting is unknown, or mode and style do not fit.
    """
    for name in settings:
        if name != "mode":
            raise Refusal(f"cosyvoice3 has no voice setting named “{name}”; it has “mode”.")
    asked = settings.get("mode", Mode.INSTRUCT if style.strip() else Mode.ZERO_SHOT)
    if asked not in tuple(Mode):
        names = ", ".join(f"“{mode}”" for mode in Mode)
        raise Refusal(f"The voice's mode cannot be “{asked}”; it is one of {names}.")
    mode = Mode(asked)
    if mode is Mode.INSTRUCT and not style.strip():
        raise Refusal("The voice's mode is “instruct”, but its style does not say how to read.")
    if mode is not Mode.INSTRUCT and style.strip():
        raise Refusal(
            f"The voice has a style, which the mode “{mode}” cannot follow. Take the style away, "
            "or set the mode to “instruct”."
        )
    return mode


def prompt(mode: Mode, transcript: str, style: str) -> Prompt:
    """What the LLM is given around a text, by mode.

    Args:
        mode: See `Mode`.
        transcript: What is said in the reference, exactly; used in zero-shot.
        style: How to read, in words; used in instruct.

    Raises:
        Refusal: The model cannot read them.
    """
    _refuse_broken(transcript, "the transcript")
    _refuse_broken(style, "the style")
    if mode is Mode.ZERO_SHOT:
        return Prompt(f"{SYSTEM}{END_OF_PROMPT}{guard(transcript)}", "", True)
    if mode is Mode.CROSS_LINGUAL:
        return Prompt("", f"{SYSTEM}{END_OF_PROMPT}", False)
    return Prompt(f"{SYSTEM} {guard(style)}{END_OF_PROMPT}", "", False)


def spoken(text: str, language: str) -> str:
    """A text as it is read: guarded, and cleaned by the rules of its language.

    Args:
        text: What to speak, without any preface.
        language: BCP 47 tag, or nothing.

    Raises:
        Refusal: There is nothing to say, or the model cannot read it.
    """
    _refuse_broken(text, "the text")
    guarded = guard(text)
    head = language.lower().partition("-")[0]
    if head == "ja":
        _refuse_unread_japanese(guarded)
    elif head in ("zh", "yue", "") and _HAN.search(guarded):
        guarded = cleaned(guarded)
    elif head == "en":
        guarded = _NUMBER.sub(lambda number: spell_out(number[0]), guarded)
    if not any(character.isalnum() for character in _TAG.sub("", guarded)):
        raise Refusal("There is nothing to say in the text: no letter and no digit.")
    return guarded


NORMALISES = ("whole numbers below a hundred",)
"""What is put into words here. Digits are single tokens: “12” would be read as “one two”, or not;
larger numbers may be years, and all that a book holds come in words."""
_NUMBER = re.compile(r"(?<![\w.,:/$€£-])[1-9]\d?(?![\w:/%-]|[.,]\d)")
_HAN = re.compile("[\u4e00-\u9fff]")
_NOT_KATAKANA = re.compile("[\u3041-\u3096\u3400-\u4dbf\u4e00-\u9fff]+")


def _refuse_broken(text: str, name: str) -> None:
    """Half of a surrogate pair is no character."""
    for place, character in enumerate(text, start=1):
        if "\ud800" <= character <= "\udfff":
            raise Refusal(f"Character {place} of {name} is broken (half of a pair); take it out.")


def _refuse_unread_japanese(text: str) -> None:
    """Other than katakana, the model reads Japanese as Chinese."""
    found = _NOT_KATAKANA.search(text)
    if found:
        raise Refusal(
            f"CosyVoice3 reads Japanese in katakana only, and would read “{found[0][:20]}” as "
            "Chinese. Write it in katakana."
        )


# ---- commands and brackets -----------------------------------------------------------------------

SOUNDS = (
    *("[breath]", "[quick_breath]", "[laughter]", "[sigh]", "[cough]", "[hissing]", "[lipsmack]"),
    *("[noise]", "[vocalized-noise]", "[clucking]", "[accent]", "[mn]"),
)
"""Commands that stand for a sound."""
PAIRS = ("strong", "laughter")
"""Commands that stand around words."""
_PIECES = SPECIALS[SPECIALS.index("<|endofsystem|>") + 1 :]
"""Phones of the CMU dictionary and pieces of pinyin."""

_PIECE = "|".join(re.escape(piece) for piece in _PIECES)
_COMMAND = re.compile(
    "|".join(re.escape(sound) for sound in SOUNDS)
    + f"|</?(?:{'|'.join(PAIRS)})>|(?:{_PIECE}){{2,}}"
)
_MARKED = re.compile(r"[012]\]|[^\x00-\x7f]")
"""A stress, or a letter with a tone."""

_FOLDED = (
    (re.compile(r"\[([^\[\]()\n]+)\]\(/[^\[\]()/\n]+/\)"), r"\1"),  # a word with its phonemes
    (re.compile(r"<\|[^<>\n]{0,80}?\|>"), " "),  # another engine's token
    (re.compile(rf"</?(?:{'|'.join(PAIRS)})>"), " "),  # one half of a pair
    (re.compile(r"<([A-Za-z]\w*)[^<>\n]{0,80}>(?=[^\n]*</\1>)"), " "),  # markup
    (re.compile(r"</[A-Za-z][^<>\n]{0,80}>"), " "),
    (re.compile(r"<([A-Za-z][^<>\n]{0,80})>"), lambda match: match[1].strip("/ ")),
    (re.compile(r"(?<![\w\]])\[([A-Za-z])\](?=[a-z])"), r"\1"),  # an editor's “[T]he”
    (re.compile(r"(?<=[a-z])\[([a-z]{2,12})\](?!\()"), r"\1"),  # and “walk[ed]”
    (re.compile(r"\["), "("),
    (re.compile(r"\]"), ")"),
    (re.compile(r"[<>|{}]+"), " "),
)
"""What stands for what, in this order; after it no text holds a bracket that a command has."""
_BLANKS = re.compile(r"\s+")
_TAG = re.compile(rf"</?(?:{'|'.join(PAIRS)})>")
_VARIANT = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""What chooses between two looks of a character."""
_NO_CHARACTERS = ("Cc", "Cf", "Cn", "Co")
"""Controls, format marks, and what Unicode has no character for."""


def guard(text: str) -> str:
    """A text in which nothing is a command to the model but what is written as one.

    Args:
        text: Any text.

    Returns:
        In normal form C, on one line, without what is not seen: control characters, marks of
        width zero or of direction, soft hyphens, and what Unicode has no character for. The model
        would make sounds of them.
    """
    text = _visible(unicodedata.normalize("NFC", text))
    parts: list[str] = []
    end = 0
    for match in _written(text):
        parts += [_fold(text[end : match.start()]), match[0]]
        end = match.end()
    parts.append(_fold(text[end:]))
    return _BLANKS.sub(" ", "".join(parts)).strip()


def _visible(text: str) -> str:
    """A text without characters that nobody sees; taking them out makes no command of it."""
    if text.isprintable() and not _VARIANT.search(text):
        return text
    for instead in ("", " "):
        seen = "".join(instead if _unseen(character) else character for character in text)
        seen = unicodedata.normalize("NFC", seen)
        if len(_written(seen)) == len(_written(text)):
            break
    return seen


def _unseen(character: str) -> bool:
    """Whether a character leaves no mark on paper, and no blank either."""
    if character.isspace():
        return False
    return unicodedata.category(character) in _NO_CHARACTERS or bool(_VARIANT.match(character))


def _fold(text: str) -> str:
    """Text between commands, free of brackets that one could be made of."""
    for pattern, instead in _FOLDED:
        text = pattern.sub(instead, text)
    return text


def _written(text: str) -> list[re.Match[str]]:
    """The commands of a text, in order; of a pair only where both halves are there."""
    found: list[re.Match[str]] = []
    opened: list[re.Match[str]] = []
    for match in _COMMAND.finditer(text):
        command = match[0]
        if command.startswith("</"):
            if opened and opened[-1][0][1:] == command[2:]:
                found += [opened.pop(), match]
        elif command.startswith("<"):
            opened.append(match)
        elif command in SOUNDS or _MARKED.search(command):
            found.append(match)
    return sorted(found, key=re.Match.start)
