"""What the rules of sentence ends know about a mark, and the rules, one by one.

Each rule looks at no more than `WINDOW` characters on either side, so that time grows with the
length of the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from studio.book.abbreviations import (
    CONNECTING,
    CREDITING,
    EITHER_WAY,
    ENDERS,
    NEVER_NAMES,
    SPEECH_VERBS,
    STARTERS,
    TITLES,
    UNITS,
    takes_number,
)
from studio.book.marks import CLOSING_QUOTES

WINDOW = 80
"""How far a rule looks to either side of a mark, in characters."""

CAPITAL = "A-ZÀ-ÖØ-ÞŒŠŽ"
_SMALL = "a-zß-öø-ÿœšž"
_LEADING_DASH = re.compile(r"[–—-]{1,9}\s{0,9}")
_ROMAN_NUMBER = re.compile(r"[IVXLC]{1,9}\b")
_I = re.compile(r"I(?:['’]|$)")
_DOTTED_LETTERS = re.compile(r"(?:[^\W\d_]\.){1,8}[^\W\d_]")
_HYPHENED_INITIALS = re.compile(rf"[{CAPITAL}]\.-[{CAPITAL}]")
_INITIAL_BEFORE = re.compile(rf"\b[{CAPITAL}]\.\s?$")
_MEASURED = re.compile(r"[\d½¼¾⅓⅔]\s?$")
_TIME_GOES_ON = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:GMT|UTC|EST|EDT|PST|PDT|CET|CEST|BST)\b"
)
_RUN_ON = re.compile(rf"[{CAPITAL}][{_SMALL}]{{1,{WINDOW}}}[ ,]")
_PLAIN_WORD = re.compile(rf"(?<![\w.@/\\:])[{_SMALL}]{{2,{WINDOW}}}$")
_CAMEL = re.compile(rf"[ei][{CAPITAL}]")
_LIST_MARK = re.compile(
    r"""\s{0,20}(?:[-–—•*]\s{0,4})?(?:
        \(?(?:\d{1,3}|[A-Za-z]|[ivxlIVXL]{1,6})[.)]
      | (?:Step|Chapter|Part|Section|Rule|Lesson|Act|Scene|Question|Book|Figure|Table|Note|Item|Day
          |Kapitel|Teil|Chapitre|Partie|Capítulo|Parte|No|Vol|Fig)\.?[ ]?(?:\d{1,4}|[IVXLC]{1,7})\.
      | (?:P\.[ ]?){1,3}S\. | N\.[ ]?B\.
    )""",
    re.VERBOSE,
)
_LIST_MARK_REACH = 40
_NOT_A_NAME = r"(?!(?:He|She|They|We|It|You|Nobody|No|The|A|An|Then|And|But|There|What|Who|How)\b)"
_NAME = rf"[{CAPITAL}][\w’'-]{{1,40}}"
_HONORIFIC = (
    r"(?:(?:Old|Young|Little|Poor) )?"
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Capt|Sgt|Lt|Fr|St|Rev|Col|Gen)\.? |(?:Miss|Lady|Lord|Sir|Aunt|Uncle|"
    r"Father|Mother|Brother|Sister|Captain|Doctor|Professor|King|Queen) )?"
    rf"(?:[{CAPITAL}]\.[ -]?){{0,3}}"
)
SPEECH_TAG = re.compile(
    rf"(?:I|{_HONORIFIC}{_NOT_A_NAME}{_NAME}"
    rf"(?:(?<=[’']s) [a-z-]{{1,30}}(?: [a-z-]{{1,30}})?| (?:and )?{_NAME})?"
    rf"|The [a-z-]{{1,30}}(?: [a-z-]{{1,30}})?)"
    rf" (?:[a-z]{{2,20}}ly )?(?:{'|'.join(SPEECH_VERBS)}|went on|put in)\b"
)
_CJK_TAG = re.compile(r"[^。！？，“”「」]{0,7}(?:说|說|道|问|問|喊|叫|想|答|笑|言)|と|って")
_ANNOUNCED_SPEECH = re.compile("[：:][“「『][^“「『]{0,80}$")
_CJK_CLOSER_NEXT = re.compile("[”’」』）》〉]")
_CJK_CLOSED_SPEECH_NEXT = re.compile(
    f"[{re.escape(CLOSING_QUOTES.replace('“', '').replace('«', ''))}）]"
)
_CJK_STRONG_TAG = re.compile(r"[^。！？，“”「」]{0,5}(?:说|說|道|问|問|喊|叫|想|答)[。，：！]")
_TOLD_SPEECH = re.compile(
    r"(?:说|說|道|问|問|喊|叫|想|答|笑|言|起来|起來)[^。！？“”「」]{0,4}，[“「『][^“「『]{0,80}$"
)
"""A speech whose tag stands before it: 他说，“我去。”"""
_WITHIN_SENTENCE = re.compile(r"[^\s。！？：，；…—“”「」『』（）][“「『][^“「『]{0,80}$")
_CJK_GOES_ON = re.compile(
    r"[的地得]|这|這|那|时|時(?!间|間)|之[后後前类類]|以[后後]|等[等，]|然[后後]|就|便|才"
)
_NOUNS_ARE_SMALL = frozenset(("fr", "es", "it"))
"""Languages in which a capital behind a measure starts a sentence."""
_DASHES = re.compile("—{1,2}")
_ELIDED = re.compile(r"(?:[ldnscjmt]|qu)['’]", re.IGNORECASE)
_LISTED_QUESTION = re.compile(r"[\w’'-]{1,20}\? [a-z]")
_SHILLINGS = re.compile(r"£?\d{1,4}s")
_STREET = re.compile(rf"[\w-]{{0,{WINDOW}}}(?:[Ss]tr|nr)")
_COUNTS_BEFORE = re.compile(
    r"(?:\b(?:Nr|S|Bd|Abb|Kap|Art|Abs|Tab|Zimmer|Seite|Band|Kapitel|Nummer)\.?|§) ?$"
)
"""What a German number counts by itself, so that its stop is no ordinal's: ``Nr. 5.``"""
_INITIAL_NEXT = re.compile(rf"[{CAPITAL}]\.")
_OPEN_BRACKET = re.compile(r"[(\[][^()\[\]]{0,80}$")
_ERA_BEFORE = re.compile(r"\b(?:av|apr)\. ?$")


@dataclass(slots=True)
class Mark:
    """One mark that could end a sentence, with its surroundings."""

    text: str
    language: str
    start: int
    """Where the sentence began."""
    match: re.Match[str]
    stop: str
    closers: str
    before: str
    """Up to `WINDOW` characters before the mark."""
    next: str
    """Up to `WINDOW` characters after the mark and its blanks."""
    first: str
    """First letter or digit of what follows, or empty."""
    quoted: bool
    """Whether a quotation closes here."""
    opens: bool
    """Whether a quotation or bracket opens next."""
    token: str
    """The word that ends in this mark, with inner dots: ``p.m`` of ``p.m.``."""
    word: str
    """The next word, or empty."""

    @property
    def last(self) -> str:
        """What stands after the token's last inner dot: ``Col`` of ``Lt.-Col.``."""
        last = self.token.rpartition(".")[2].lstrip("-")
        return _ELIDED.sub("", last, 1) if self.language == "fr" else last


Rule = Callable[[Mark], bool | None]


def _cjk_mark(mark: Mark) -> bool | None:
    """A Chinese or Japanese stop ends, unless its speech goes on with a tag."""
    if not (mark.match["cjk"] or mark.match["plain"]):
        return None
    if not mark.closers:
        return not (_CJK_CLOSER_NEXT.match(mark.next) or _dash_closes(mark))
    if _CJK_CLOSED_SPEECH_NEXT.match(mark.next) or _remark_goes_on(mark):
        return False
    if _ANNOUNCED_SPEECH.search(mark.before):
        return True
    if _WITHIN_SENTENCE.search(mark.before) and _CJK_GOES_ON.match(mark.next):
        return False
    if _TOLD_SPEECH.search(mark.before) and not _CJK_STRONG_TAG.match(mark.next):
        return True
    return not _CJK_TAG.match(mark.next)


def _dash_closes(mark: Mark) -> bool:
    """Whether a dash follows that closes an exclamation within the sentence: 他——唉！——走了。"""
    if not mark.next.startswith("—"):
        return False
    return len(_DASHES.findall(mark.before)) % 2 == 1


def _remark_goes_on(mark: Mark) -> bool:
    """Whether a bracket closes that has opened within a sentence: 他（真的吗？）走了。"""
    if mark.closers[-1] not in "）)":
        return False
    opened = max(mark.before.rfind("（"), mark.before.rfind("("))
    if opened < 0:
        return False
    at = mark.match.start() - len(mark.before) + opened
    return bool(mark.text[mark.start : at].strip())


def _no_blank(mark: Mark) -> bool | None:
    """Without a blank after it a mark ends nothing, but for two words run together."""
    if mark.match["space"]:
        return None
    if mark.match["note"] or mark.stop != "." or mark.closers:
        return False
    tail = mark.before.rpartition(" ")[2]
    return bool(_PLAIN_WORD.search(tail) and _RUN_ON.match(mark.next))


def _list_mark(mark: Mark) -> bool | None:
    """``1.``, ``a)``, ``Step 2.`` and ``P.S.`` belong to what they stand before."""
    if mark.closers or not mark.stop or mark.match.end() - mark.start >= _LIST_MARK_REACH:
        return None
    return False if _LIST_MARK.fullmatch(mark.text, mark.start, mark.match.end("stop")) else None


def _dash_goes_on(mark: Mark) -> bool | None:
    """A dash and a small letter continue the sentence."""
    return False if mark.first.islower() and _LEADING_DASH.match(mark.next) else None


def _ellipsis(mark: Mark) -> bool | None:
    """Dots end a sentence where a capital follows that does not repeat the word before."""
    if not mark.match["ellipsis"]:
        return None
    if mark.match["after_ellipsis"]:
        return not mark.first.islower()
    if mark.first.islower() or mark.first.isdigit():
        return False
    if mark.quoted:
        return not SPEECH_TAG.match(mark.next)
    if mark.match["ellipsis"].count(".") > 3 and mark.first.isupper():
        return True  # Three dots and a full stop.
    # "I" has its capital wherever it stands: "Well… I suppose so."
    return not (_I.match(mark.word) or (mark.last and mark.last.lower() == mark.word.lower()))


def _strong_or_quoted(mark: Mark) -> bool | None:
    """``!``, ``?`` and a closed quotation end, unless a tag or a small letter follows."""
    if mark.stop == "." and not mark.quoted:
        return None
    if mark.first.islower():
        return False
    if mark.stop == "?" and not mark.closers and _LISTED_QUESTION.match(mark.next):
        return False  # Who came—Ann? Bo? or Cy?
    return not (mark.quoted and SPEECH_TAG.match(mark.next))


def _note_number(mark: Mark) -> bool | None:
    """A note's number after the stop does not hide the end."""
    note = mark.match["note"]
    if not note:
        return None
    if note.startswith("["):
        return True
    if not note.isdecimal():
        return not mark.first.islower()
    return (mark.first.isupper() or mark.opens) and mark.before[-1:].isalpha()


def _numbered(mark: Mark) -> bool | None:
    """``No. 10``, ``Vol. II``, ``3s. 6d.`` and ``Hauptstr. 5`` are one."""
    if mark.first.isdigit() and _SHILLINGS.fullmatch(mark.token):
        return False
    if mark.language == "de" and mark.first.isdigit() and _STREET.fullmatch(mark.last):
        return False
    return False if takes_number(mark.last, mark.next) else None


def _bracket(mark: Mark) -> bool | None:
    """A stop inside closing brackets ends before a capital."""
    return None if not mark.closers else not mark.first.islower() or mark.opens


def _saint(mark: Mark) -> bool | None:
    """``St. John`` is one; ``Mill St. Then`` is not."""
    return False if mark.last == "St" and mark.word not in STARTERS else None


def _title(mark: Mark) -> bool | None:
    """``Dr. Finch`` is one."""
    if mark.last not in TITLES.get(mark.language, TITLES["en"]):
        return None
    if mark.language == "de":
        return mark.word in STARTERS
    if mark.language != "en":
        return False
    if not (mark.last[:1].isupper() or mark.first.islower()):
        return None
    return mark.word in NEVER_NAMES


def _connecting(mark: Mark) -> bool | None:
    """``e.g.`` leads on, and ``ed.`` to a name."""
    if mark.token in CREDITING and mark.first.isupper():
        named = _INITIAL_NEXT.match(mark.next) or _OPEN_BRACKET.search(mark.before)
        return False if named else None
    return False if mark.token in CONNECTING else None


def _unit(mark: Mark) -> bool | None:
    """``Come in.`` ends: a measure needs a number before it."""
    if mark.token not in UNITS or _MEASURED.search(mark.before[: -len(mark.token)]):
        return None
    return mark.first.isupper() or mark.opens


def _either_way(mark: Mark) -> bool | None:
    """``etc.``, ``p.m.``, ``U.S.``: the next word decides."""
    if mark.token not in EITHER_WAY and not _DOTTED_LETTERS.fullmatch(mark.token):
        return None
    if mark.first.islower():
        return False
    if mark.token in UNITS and mark.language in _NOUNS_ARE_SMALL:
        return True
    if mark.token.lower() in ENDERS:
        return mark.first.isupper() and not _TIME_GOES_ON.match(mark.next)
    return mark.word in STARTERS or (mark.opens and mark.first.isupper())


def _initial(mark: Mark) -> bool | None:
    """A single letter is an initial, unless a starter follows; ``It was I. The`` ends."""
    if len(mark.token) != 1 or not mark.token.isalpha() or mark.opens:
        return None
    if mark.word == "A" and _INITIAL_NEXT.match(mark.next):
        return False
    if mark.before[:-1].endswith(("/", "=")) or mark.before[-2:-1].isdigit():
        return None
    if mark.token == "I" and mark.word in STARTERS:
        return True
    if mark.first.islower():
        return False
    if not (mark.word in STARTERS and mark.token.isupper()):
        return False
    return mark.word in NEVER_NAMES or not _INITIAL_BEFORE.search(mark.before[:-1])


def _hyphened_initials(mark: Mark) -> bool | None:
    """``J.-C.`` is a first name, and in ``av. J.-C.`` it may end."""
    if not _HYPHENED_INITIALS.fullmatch(mark.token):
        return None
    dated = _ERA_BEFORE.search(mark.before[: -len(mark.token)])
    return dated is not None and mark.word in STARTERS


def _german_ordinal(mark: Mark) -> bool | None:
    """``am 3. Oktober`` and ``Karl V. war`` count; ``1945. Danach`` ends."""
    if mark.language != "de":
        return None
    if mark.token.isdigit() and _COUNTS_BEFORE.search(mark.before[: -len(mark.token)]):
        return mark.first.isupper()
    if (mark.token.isdigit() and len(mark.token) <= 2) or _ROMAN_NUMBER.fullmatch(mark.token):
        return mark.word in STARTERS
    return None


def _small_letter(mark: Mark) -> bool | None:
    """Before a small letter only a whole plain word ends a sentence, or ``eBay`` follows."""
    if not mark.first.islower():
        return None
    token = mark.token
    plain = len(token) >= 3 and token.isalpha() and token.islower()
    return (plain and re.search("[aeiouyà-ÿ]", token) is not None) or bool(_CAMEL.match(mark.next))


RULES: tuple[tuple[str, Rule], ...] = (
    ("chinese and japanese", _cjk_mark),
    ("no blank", _no_blank),
    ("list mark", _list_mark),
    ("dash goes on", _dash_goes_on),
    ("ellipsis", _ellipsis),
    ("strong or quoted", _strong_or_quoted),
    ("note number", _note_number),
    ("numbered", _numbered),
    ("bracket", _bracket),
    ("saint or street", _saint),
    ("title", _title),
    ("connecting", _connecting),
    ("unit", _unit),
    ("either way", _either_way),
    ("initial", _initial),
    ("hyphened initials", _hyphened_initials),
    ("german ordinal", _german_ordinal),
    ("small letter", _small_letter),
)
"""In this order; the first opinion counts. A stop on which no rule has one ends the sentence."""
