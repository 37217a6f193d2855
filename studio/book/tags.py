"""Who a sentence names as the one who speaks: “said the miller”, “Tam said”, “he whispered”.

English only. Rather nobody than somebody else: what is not certain gives no tag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.book.speech_words import (
    NOT_NAMES,
    NOT_OBJECTS,
    PREPOSITIONS,
    PRONOUNS,
    SAID,
    SURE,
)
from studio.book.subjects import ARTICLES, Subject, Token, first_noun, sentences, subject_at, words

_LIKE_ADVERBS = frozenset(
    "then only just finally also merely simply once again always had now still at last thus".split()
)
_FAR = 8
"""Words that may stand between a verb and the quotation that it introduces."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What stands beside a quotation."""

    subject: Subject
    evidence: str
    """The words themselves."""


def tag_after(quoted: str, text: str) -> Tag | None:
    """Who is named behind a quotation.

    Args:
        quoted: The quotation, without its marks.
        text: What follows its closing mark, up to the next quotation or the paragraph's end.
    """
    last = quoted.rstrip()[-1:]
    if text[:1] == ",":
        last, text = ",", text[1:]
    if last == "." and not text.lstrip()[:1].islower():
        return None
    first = sentences(text)[:1]
    tokens = words(first[0]) if first else []
    if not tokens or first[0].lstrip()[:1] in "(:;":
        return None
    return _inverted(tokens, 0, first[0]) or _direct(tokens, first[0], sure=last in "!?….")


def _inverted(tokens: Sequence[Token], at: int, text: str) -> Tag | None:
    """“said the miller”."""
    if tokens[at].low not in SAID or tokens[at].capital or tokens[at].after.strip():
        return None
    start = at + 1
    while start < len(tokens) and tokens[start].low in ("out", "back", "again", "then"):
        start += 1
    subject = subject_at(tokens, start, closed=False)
    if subject is None or _joined(tokens, subject.end):
        return None
    if subject.end < len(tokens) and tokens[subject.end].low in SURE:
        return None  # “asked Tam told …”: no sentence that we understand
    return Tag(subject, _cut(text, tokens, at, subject.end))


def _direct(tokens: Sequence[Token], text: str, *, sure: bool) -> Tag | None:
    """“the miller said”."""
    subject = subject_at(tokens, 0, closed=True)
    if subject is None:
        return None
    verb = _verb(tokens, subject.end)
    if verb is None:
        return None
    if sure and tokens[0].capital:
        # A new sentence may begin here. A pronoun’s or an article’s capital shows that one does.
        if tokens[0].low in PRONOUNS or tokens[0].low in ARTICLES:
            return None
        if tokens[verb].low not in SURE:
            return None
    following = tokens[verb + 1] if verb + 1 < len(tokens) else None
    if following and following.low == "to" and tokens[verb].low in ("began", "begins"):
        return None
    if following and following.low in NOT_OBJECTS and not tokens[verb].after.strip():
        told = tokens[verb].low in ("told", "tells", "asked", "asks")
        if not (told and following.low in ("her", "him", "them", "the", "his", "a")):
            return None
    return Tag(subject, _cut(text, tokens, 0, verb + 1))


def tag_before(text: str, quoted: str) -> Tag | None:
    """Who is named in front of a quotation: “The miller said: …”.

    Args:
        text: What stands before its opening mark, back to the quotation before.
        quoted: The quotation, without its marks.
    """
    end = text.rstrip()[-1:]
    parts = sentences(text)
    tokens = words(parts[-1]) if parts else []
    if not tokens or end in ".!?…;":
        return None
    introduced = end in ",:—–"
    for verb in range(len(tokens) - 1, max(-1, len(tokens) - _FAR - 2), -1):
        if tokens[verb].low not in SAID or tokens[verb].capital:
            continue
        if not introduced and (tokens[verb].low not in SURE or not quoted[:1].isupper()):
            return None
        if any(token.low in PRONOUNS and token.low != "you" for token in tokens[verb + 1 :]):
            subject = subject_at(tokens, verb + 1, closed=False)
            if subject is None or verb > 2:
                return None
        return _introducing(tokens, verb, parts[-1])
    return None


def _introducing(tokens: Sequence[Token], verb: int, text: str) -> Tag | None:
    """The subject of a verb that introduces a quotation."""
    for at in range(max(0, verb - 7), verb):
        subject = subject_at(tokens, at, closed=True)
        if subject is None or _verb(tokens, subject.end) != verb:
            continue
        if at and (tokens[at - 1].low in PREPOSITIONS or tokens[at - 1].low in ("and", "or")):
            joined = tokens[at - 1].low in ("and", "or") and _clause_before(tokens, at - 1)
            if not joined:
                return None
        return Tag(subject, _cut(text, tokens, at, verb + 1))
    if verb <= 2 and (tag := _inverted(tokens, verb, text)):
        return tag
    return _with_the_first(tokens, verb, text)


def _clause_before(tokens: Sequence[Token], at: int) -> bool:
    """Whether “and” joins two sentences and not two people."""
    return bool(tokens[at - 1].after.strip()) if at else False


def _with_the_first(tokens: Sequence[Token], verb: int, text: str) -> Tag | None:
    """“The old woman leaned over and whispered”: who began the sentence goes on."""
    if verb == 0 or tokens[verb - 1].low not in ("and", "then", "but"):
        return None
    start = 0
    while start < verb and tokens[start].low in ("then", "and", "but", "so", "now", "at", "last"):
        start += 1
    subject = subject_at(tokens, start, closed=True)
    if subject is None:
        return None
    # “leaned” is not a verb of saying, so a description has run into it: it is cut at the article’s
    # noun by who else is known, which only a name or a pronoun make certain.
    if tokens[start].low in ARTICLES:
        subject = first_noun(tokens, start)
        if subject is None:
            return None
    for place in range(subject.end, verb):
        token = tokens[place]
        other = token.low in ("he", "she", "they", "i", "who") or (
            token.capital and token.low not in NOT_NAMES
        )
        if other and tokens[place - 1].low not in PREPOSITIONS:
            return None
    return Tag(subject, _cut(text, tokens, start, verb + 1))


def _verb(tokens: Sequence[Token], at: int) -> int | None:
    """Where the verb of saying stands whose subject ends before ``at``."""
    for place in range(at, min(at + 3, len(tokens))):
        if tokens[place - 1].after.strip():
            return None
        if tokens[place].low in SAID and not tokens[place].capital:
            return place
        if not (tokens[place].low.endswith("ly") or tokens[place].low in _LIKE_ADVERBS):
            return None
    return None


def _joined(tokens: Sequence[Token], at: int) -> bool:
    """Whether a second person follows: “said Ann and Tam”."""
    return (
        at + 1 < len(tokens)
        and tokens[at].low == "and"
        and not tokens[at - 1].after.strip()
        and (tokens[at + 1].capital or tokens[at + 1].low in ARTICLES)
        and not (at + 2 < len(tokens) and tokens[at + 2].low.endswith(("ed", "s")))
    )


def _cut(text: str, tokens: Sequence[Token], start: int, end: int) -> str:
    """The words from one to another, as they stand."""
    return text[tokens[start].start : tokens[end - 1].end]
