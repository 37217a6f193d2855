"""Who a sentence names as the one who speaks: “said the miller”, “Tam said”, “he whispered”.

English only. A subject is read word by word: a pronoun, a name with its title, or an article and
what follows it. Rather nobody than somebody else: what is not certain gives no tag.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from studio.book.speech_words import (
    GIVEN_NAMES,
    MEN,
    NOBODY,
    NOT_NAMES,
    NOT_OBJECTS,
    PREPOSITIONS,
    PRONOUNS,
    SAID,
    STOPS,
    SURE,
    THINGS,
    TITLES,
    WOMEN,
)

_TOKEN = re.compile(r"[^\W_]+(?:[’'\-][^\W_]+)*[’']?\.?")
_ABBREVIATED = frozenset(
    f"{title}." for title in "Dr Mr Mrs Ms Mx Prof Capt Col Gen Sgt Lt Rev St".split()
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[”’\"»)]*\s+")
_ARTICLES = frozenset("the a an his her my our their your its this that".split())
_PARTICLES = frozenset("of de von van der du la le al ibn bin y".split())
_LIKE_ADVERBS = frozenset(
    "then only just finally also merely simply once again always had now still at last thus".split()
)
_ING_NOUNS = frozenset("king being darling stripling hireling viking".split())
_FAR = 8
"""Words that may stand between a verb and the quotation that it introduces."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a sentence, and the marks behind it."""

    text: str
    start: int
    end: int
    after: str
    """What stands between this word and the next."""

    @property
    def low(self) -> str:
        """As the word lists have it."""
        return self.text.lower().rstrip(".")

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[:1].isupper()


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody a sentence is about."""

    name: str
    """Such as ``Dr. Harrow`` or ``the miller``; empty for a pronoun, and for nobody certain."""
    pronoun: str = ""
    gender: str = ""
    """``m`` or ``f`` where that is known."""
    end: int = 0
    """Number of the first word behind it."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What stands beside a quotation."""

    subject: Subject
    evidence: str
    """The words themselves."""


def words(text: str) -> list[Token]:
    """The words of a text; a full stop belongs to an abbreviated title."""
    found: list[Token] = []
    matches = list(_TOKEN.finditer(text))
    for place, match in enumerate(matches):
        word, end = match[0], match.end()
        if word.endswith(".") and word not in _ABBREVIATED:
            word, end = word[:-1], end - 1
        following = matches[place + 1].start() if place + 1 < len(matches) else len(text)
        start = match.start()
        if word == "on" and found and found[-1].text in ("went", "goes") and found[-1].after == " ":
            start = found.pop().start  # “went on” is one verb of saying
            word = text[start:end]
        found.append(Token(word, start, end, text[end:following]))
    return found


def sentences(text: str) -> list[str]:
    """A stretch of narration in sentences, roughly: titles do not end one."""
    parts: list[str] = []
    for part in _SENTENCE_END.split(text):
        if parts and parts[-1].rpartition(" ")[2] in _ABBREVIATED:
            parts[-1] += f" {part}"
        elif part.strip():
            parts.append(part)
    return parts


def subject_at(tokens: Sequence[Token], at: int, *, closed: bool) -> Subject | None:
    """Read somebody who begins at a word.

    Args:
        tokens: The sentence.
        at: Where to begin.
        closed: Whether the words must end before a verb of saying (“the old woman whispered”);
            else they end where the sentence goes on (“said the old woman at last”).
    """
    if at >= len(tokens):
        return None
    first = tokens[at]
    if first.low in PRONOUNS and (first.text == "I" or first.low != "i"):
        if first.low in ("it", "you"):
            return None
        if first.low == "i":
            return Subject("I", end=at + 1)
        if first.low in ("they", "we"):
            return Subject("", end=at + 1)
        return Subject("", first.low, PRONOUNS[first.low], at + 1)
    if first.low in NOBODY:
        return Subject("", end=at + 1)
    if first.low in _ARTICLES:
        return _described(tokens, at, closed)
    if first.capital and (first.low not in NOT_NAMES or first.low in TITLES):
        return _named(tokens, at)
    return None


def _named(tokens: Sequence[Token], at: int) -> Subject | None:
    """A name: capitalised words, titles and particles."""
    end = at + 1
    while end < len(tokens) and not tokens[end - 1].after.strip():
        following = end
        while following < len(tokens) - 1 and tokens[following].low in _PARTICLES:
            following += 1
        here = tokens[following]
        if not (here.capital and here.text != "I" and here.low not in SAID):
            break
        end = following + 1
    names = [token.text for token in tokens[at:end]]
    last = names[-1].rstrip(".").lower()
    if re.search(r"[’']s?$", names[-1]) and len(names[-1]) > 2:
        return _possession(tokens, at, end)
    if len(names) == 1 and last in TITLES and names[0].endswith("."):
        return None
    return Subject(" ".join(names), gender=gender_of(" ".join(names)), end=end)


def _possession(tokens: Sequence[Token], at: int, end: int) -> Subject | None:
    """“Tam’s mother”: the one behind the name is meant."""
    if end >= len(tokens) or tokens[end].capital or tokens[end - 1].after.strip():
        return None
    head = tokens[end].low
    if head not in MEN | WOMEN and head not in ("friend", "partner", "cousin", "parent", "guard"):
        return None
    name = " ".join(token.text for token in tokens[at : end + 1])
    return Subject(name, gender=gender_of(name), end=end + 1)


def _described(tokens: Sequence[Token], at: int, closed: bool) -> Subject | None:
    """Somebody by what they are: an article and up to four words."""
    end = at + 1
    while end < len(tokens) and end - at <= 4 and not tokens[end - 1].after.strip():
        low = tokens[end].low
        if (
            low in STOPS | PRONOUNS.keys()
            or low in _ARTICLES
            or (end > at + 1 and low[-2:] == "ly")
        ):
            break
        if low in SAID and (closed or end > at + 1):
            break
        end += 1
    while end - at > 2 and tokens[end - 1].low.endswith("ing"):
        if tokens[end - 1].low in _ING_NOUNS:
            break
        end -= 1
    if end == at + 1:
        return None
    head = tokens[end - 1].low
    if head in THINGS:
        return Subject("", end=end)
    if (
        end + 1 < len(tokens)
        and tokens[end].low == "of"
        and not tokens[end - 1].after.strip()
        and (tokens[end + 1].capital or tokens[end + 1].low == "the")
    ):
        stop = end + 2 if tokens[end + 1].capital else end + 3
        if stop <= len(tokens):
            end = stop
    if head in NOBODY or re.search(r"[’']s?$", tokens[end - 1].text):
        return Subject("", end=end)
    article = tokens[at].low
    rest = " ".join(token.text for token in tokens[at + 1 : end])
    return Subject(f"{article} {rest}", gender=gender_of(rest), end=end)


def gender_of(name: str) -> str:
    """What a name or a description tells of a gender: ``m``, ``f`` or nothing."""
    parts = [part.rstrip(".").lower() for part in name.split()]
    if not parts:
        return ""
    if parts[0] in TITLES and TITLES[parts[0]]:
        return TITLES[parts[0]]
    head = parts[parts.index("of") - 1] if "of" in parts[1:] else parts[-1]
    if head in MEN:
        return "m"
    if head in WOMEN:
        return "f"
    return next((GIVEN_NAMES[part] for part in parts if part in GIVEN_NAMES), "")


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
        if tokens[0].low in PRONOUNS or tokens[0].low in _ARTICLES:
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
    if tokens[start].low in _ARTICLES:
        subject = _first_noun(tokens, start)
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


def _first_noun(tokens: Sequence[Token], at: int) -> Subject | None:
    """Somebody at the start of a sentence whose noun is one of those that we know."""
    for end in range(at + 1, min(at + 5, len(tokens))):
        if tokens[end].low in MEN | WOMEN:
            name = " ".join([tokens[at].low, *(token.text for token in tokens[at + 1 : end + 1])])
            return Subject(name, gender=gender_of(name), end=end + 1)
    return None


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
        and (tokens[at + 1].capital or tokens[at + 1].low in _ARTICLES)
        and not (at + 2 < len(tokens) and tokens[at + 2].low.endswith(("ed", "s")))
    )


def _cut(text: str, tokens: Sequence[Token], start: int, end: int) -> str:
    """The words from one to another, as they stand."""
    return text[tokens[start].start : tokens[end - 1].end]


def acting(sentence: str) -> Subject | None:
    """Who a sentence of narration begins with, where a verb follows: “Tam put down the lamp.”"""
    tokens = words(sentence)
    start = 0
    while start < len(tokens) and tokens[start].low in ("then", "and", "but", "so"):
        start += 1
    subject = subject_at(tokens, start, closed=False)
    if subject is None:
        return None
    if subject.end < len(tokens) and tokens[subject.end].low == "and":
        return None
    return subject
