"""Where sentences end: our own rules, versioned, because clips hang on the cuts.

A pattern finds every mark that could end a sentence. Named rules then judge it in a fixed order;
the first that has an opinion decides. Text is never altered: the pieces joined are the text.

The languages are English, German, French, Spanish, Chinese and Japanese. Each rule looks at no
more than `WINDOW` characters on either side, so that time grows with the length of the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from studio.book.abbreviations import (
    CONNECTING,
    EITHER_WAY,
    ENDERS,
    SPEECH_VERBS,
    STARTERS,
    TITLES,
    UNITS,
    takes_number,
)
from studio.book.marks import CLOSING_QUOTES

SENTENCES_VERSION = 2
WINDOW = 80
"""How far a rule looks to either side of a mark, in characters."""

_CLOSERS = re.escape(CLOSING_QUOTES + ")]】」』）")
_OPENERS = re.escape("\"“‘«»„‚'([「『‹›¿¡*_")
_CAPITAL = "A-ZÀ-ÖØ-ÞŒŠŽ"
_SMALL = "a-zß-öø-ÿœšž"

_CANDIDATE = re.compile(
    rf"""
    (?:
      (?P<ellipsis>…{{1,200}}\.{{0,200}}|\.…|\.(?:[ \u00a0]?\.){{2,3}})
      (?P<after_ellipsis>[!?]{{0,20}})
      | (?P<stop>[.!?]{{1,200}})
      | (?P<cjk>[。！？｡]{{1,200}}|……(?=[”」』]))
    )
    (?P<closers>(?:
        [\u00a0\u202f ]?»(?!\w)
      | (?<=[。！？｡…])[”’」』）]
      | (?<![。！？｡])[{_CLOSERS}]
    ){{0,20}})
    (?P<note>\d{{1,3}}(?=\s)|(?:\[\d{{1,3}}\]){{1,5}})?
    (?P<space>\s+|$)?
    """,
    re.VERBOSE,
)
_LETTER = re.compile(r"[^\W_]")
_FIRST_LETTER = re.compile(rf"[\s{_OPENERS}–—…-]{{0,{WINDOW}}}(\w)")
_FIRST_WORD = re.compile(rf"[{_OPENERS}–—-]{{0,9}}\s{{0,9}}([\w’']{{1,{WINDOW}}})")
_OPENER = re.compile(f"[{_OPENERS}]")
_QUOTE = re.compile(f"[{re.escape(CLOSING_QUOTES)}]")
_LEADING_DASH = re.compile(r"[–—-]{1,9}\s{0,9}")
_ROMAN_NUMBER = re.compile(r"[IVXLC]{1,9}\b")
_I = re.compile(r"I(?:['’]|$)")
_DOTTED_LETTERS = re.compile(r"(?:[^\W\d_]\.){1,8}[^\W\d_]")
_HYPHENED_INITIALS = re.compile(rf"[{_CAPITAL}]\.-[{_CAPITAL}]")
_INITIAL_BEFORE = re.compile(rf"\b[{_CAPITAL}]\.\s?$")
_MEASURED = re.compile(r"[\d½¼¾⅓⅔]\s?$")
_TIME_GOES_ON = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:GMT|UTC|EST|EDT|PST|PDT|CET|CEST|BST)\b"
)
_RUN_ON = re.compile(rf"[{_CAPITAL}][{_SMALL}]{{1,{WINDOW}}}[ ,]")
_PLAIN_WORD = re.compile(rf"(?<![\w.@/\\:])[{_SMALL}]{{2,{WINDOW}}}$")
_CAMEL = re.compile(rf"[ei][{_CAPITAL}]")
_LIST_MARK = re.compile(
    r"""\s{0,20}(?:[-–—•*]\s{0,4})?(?:
        \(?(?:\d{1,3}|[A-Za-z]|[ivxlIVXL]{1,6})[.)]
      | (?:Step|Chapter|Part|Section|Rule|Lesson|Act|Scene|Question|Book|Figure|Table|Note|Item|Day
          |Kapitel|Teil|Chapitre|Partie|Capítulo|Parte|No|Vol|Fig)\.?[ ]?(?:\d{1,4}|[IVXLC]{1,7})\.
    )""",
    re.VERBOSE,
)
_LIST_MARK_REACH = 40

_NOT_A_NAME = r"(?!(?:He|She|They|We|It|You|Nobody|No|The|A|An|Then|And|But|There|What|Who|How)\b)"
_NAME = rf"[{_CAPITAL}][\w’'-]{{1,40}}"
_HONORIFIC = (
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Capt|Sgt|Lt|Fr|St|Rev|Col|Gen)\.? |(?:Miss|Lady|Lord|Sir|Aunt|Uncle|"
    r"Father|Mother|Brother|Sister|Captain|Doctor|Professor|King|Queen|Old|Young|Little|Poor) )?"
    rf"(?:[{_CAPITAL}]\.[ -]?){{0,3}}"
)
_SPEECH_TAG = re.compile(
    rf"(?:I|{_HONORIFIC}{_NOT_A_NAME}{_NAME}(?: (?:and )?{_NAME})?"
    rf"|The [a-z-]{{1,30}}(?: [a-z-]{{1,30}})?)"
    rf" (?:[a-z]{{2,20}}ly )?(?:{'|'.join(SPEECH_VERBS)}|went on|put in)\b"
)
_CJK_TAG = re.compile(r"[^。！？，“”「」]{0,7}(?:说|說|道|问|問|喊|叫|想|答|笑|言)|と|って")
_ANNOUNCED_SPEECH = re.compile("[：:][“「『][^“「『]{0,80}$")
_CJK_CLOSER_NEXT = re.compile("[”’」』）]")
_CJK_CLOSED_SPEECH_NEXT = re.compile(
    f"[{re.escape(CLOSING_QUOTES.replace('“', '').replace('«', ''))}）]"
)
_DASH_IN_QUOTES = re.compile(rf"[—–-][”’\"»]\s{{1,9}}(?=[“‘\"«{_CAPITAL}])")
_NEW_LINE = re.compile(
    r"\n[^\S\n]{0,40}\n\s*|\n(?=[^\S\n]{0,20}(?:[–—―]|(?:[-•*]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]))"
)


@dataclass(slots=True)
class _Mark:
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
        """What stands after the token's last inner dot."""
        return self.token.rpartition(".")[2]


_Rule = Callable[[_Mark], bool | None]


def _cjk_mark(mark: _Mark) -> bool | None:
    """A Chinese or Japanese stop ends, unless its speech goes on with a tag."""
    if not mark.match["cjk"]:
        return None
    if not mark.closers:
        return not _CJK_CLOSER_NEXT.match(mark.next)
    if _CJK_CLOSED_SPEECH_NEXT.match(mark.next):
        return False
    if _ANNOUNCED_SPEECH.search(mark.before):
        return True
    return not _CJK_TAG.match(mark.next)


def _no_blank(mark: _Mark) -> bool | None:
    """Without a blank after it a mark ends nothing, but for two words run together."""
    if mark.match["space"]:
        return None
    if mark.match["note"] or mark.stop != "." or mark.closers:
        return False
    tail = mark.before.rpartition(" ")[2]
    return bool(_PLAIN_WORD.search(tail) and _RUN_ON.match(mark.next))


def _list_mark(mark: _Mark) -> bool | None:
    """``1.``, ``a)`` and ``Step 2.`` belong to what they count."""
    if mark.closers or not mark.stop or mark.match.end() - mark.start >= _LIST_MARK_REACH:
        return None
    return False if _LIST_MARK.fullmatch(mark.text, mark.start, mark.match.end("stop")) else None


def _dash_goes_on(mark: _Mark) -> bool | None:
    """A dash and a small letter continue the sentence."""
    return False if mark.first.islower() and _LEADING_DASH.match(mark.next) else None


def _ellipsis(mark: _Mark) -> bool | None:
    """Dots end a sentence where a capital follows that does not repeat the word before."""
    if not mark.match["ellipsis"]:
        return None
    if mark.match["after_ellipsis"]:
        return not mark.first.islower()
    if mark.first.islower() or mark.first.isdigit():
        return False
    if mark.quoted:
        return not _SPEECH_TAG.match(mark.next)
    # "I" has its capital wherever it stands: "Well… I suppose so."
    return not (_I.match(mark.word) or (mark.last and mark.last.lower() == mark.word.lower()))


def _strong_or_quoted(mark: _Mark) -> bool | None:
    """``!``, ``?`` and a closed quotation end, unless a tag or a small letter follows."""
    if mark.stop == "." and not mark.quoted:
        return None
    if mark.first.islower():
        return False
    return not (mark.quoted and _SPEECH_TAG.match(mark.next))


def _note_number(mark: _Mark) -> bool | None:
    """A note's number after the stop does not hide the end."""
    note = mark.match["note"]
    if not note:
        return None
    if note.startswith("["):
        return True
    return (mark.first.isupper() or mark.opens) and mark.before[-1:].isalpha()


def _numbered(mark: _Mark) -> bool | None:
    """``No. 10`` and ``Vol. II`` are one."""
    return False if takes_number(mark.last, mark.next) else None


def _bracket(mark: _Mark) -> bool | None:
    """A stop inside closing brackets ends before a capital."""
    return None if not mark.closers else not mark.first.islower() or mark.opens


def _saint(mark: _Mark) -> bool | None:
    """``St. John`` is one; ``Mill St. Then`` is not."""
    return False if mark.last == "St" and mark.word not in STARTERS else None


def _title(mark: _Mark) -> bool | None:
    """``Dr. Finch`` is one."""
    if mark.last not in TITLES.get(mark.language, TITLES["en"]):
        return None
    if mark.language == "en" and not (mark.last[:1].isupper() or mark.first.islower()):
        return None
    return mark.language == "de" and mark.word in STARTERS


def _connecting(mark: _Mark) -> bool | None:
    """``e.g.`` leads on."""
    return False if mark.token in CONNECTING else None


def _unit(mark: _Mark) -> bool | None:
    """``Come in.`` ends: a measure needs a number before it."""
    if mark.token not in UNITS or _MEASURED.search(mark.before[: -len(mark.token)]):
        return None
    return mark.first.isupper() or mark.opens


def _either_way(mark: _Mark) -> bool | None:
    """``etc.``, ``p.m.``, ``U.S.``: the next word decides."""
    if mark.token not in EITHER_WAY and not _DOTTED_LETTERS.fullmatch(mark.token):
        return None
    if mark.first.islower():
        return False
    if mark.token.lower() in ENDERS:
        return mark.first.isupper() and not _TIME_GOES_ON.match(mark.next)
    return mark.word in STARTERS or (mark.opens and mark.first.isupper())


def _initial(mark: _Mark) -> bool | None:
    """A single letter is an initial, unless a starter follows; ``It was I. The`` ends."""
    if len(mark.token) != 1 or not mark.token.isalpha() or mark.opens:
        return None
    if mark.before[:-1].endswith(("/", "=")) or mark.before[-2:-1].isdigit():
        return None
    if mark.token == "I" and mark.word in STARTERS:
        return True
    if mark.first.islower():
        return False
    if not (mark.word in STARTERS and mark.token.isupper()):
        return False
    return not _INITIAL_BEFORE.search(mark.before[:-1])


def _hyphened_initials(mark: _Mark) -> bool | None:
    """``J.-C.`` is a first name."""
    return False if _HYPHENED_INITIALS.fullmatch(mark.token) else None


def _german_ordinal(mark: _Mark) -> bool | None:
    """``am 3. Oktober`` and ``Karl V. war`` count; ``1945. Danach`` ends."""
    if mark.language != "de":
        return None
    if (mark.token.isdigit() and len(mark.token) <= 2) or _ROMAN_NUMBER.fullmatch(mark.token):
        return mark.word in STARTERS
    return None


def _small_letter(mark: _Mark) -> bool | None:
    """Before a small letter only a whole plain word ends a sentence, or ``eBay`` follows."""
    if not mark.first.islower():
        return None
    token = mark.token
    plain = len(token) >= 3 and token.isalpha() and token.islower()
    return (plain and re.search("[aeiouyà-ÿ]", token) is not None) or bool(_CAMEL.match(mark.next))


RULES: tuple[tuple[str, _Rule], ...] = (
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


def _token_before(text: str, end: int) -> str:
    """The word that ends at ``end``, inner dots, apostrophes and hyphens included."""
    at = end
    floor = max(0, end - WINDOW)
    while at > floor and (text[at - 1].isalnum() or text[at - 1] in "_.’'-"):
        at -= 1
    return text[at:end].lstrip("'’-.")


def _mark(text: str, language: str, start: int, match: re.Match[str]) -> _Mark:
    """Gather what the rules need to know about a candidate."""
    following = text[match.end() : match.end() + WINDOW]
    letter = _FIRST_LETTER.match(following)
    word = _FIRST_WORD.match(following)
    closers = match["closers"] or ""
    return _Mark(
        text=text,
        language=language,
        start=start,
        match=match,
        stop=match["stop"] or "",
        closers=closers,
        before=text[max(start, match.start() - WINDOW) : match.start()],
        next=following,
        first=letter[1] if letter else "",
        quoted=_QUOTE.search(closers) is not None,
        opens=_OPENER.match(following) is not None,
        token=_token_before(text, match.start()),
        word=word[1] if word else "",
    )


def _ends(mark: _Mark) -> bool:
    """Whether a sentence ends at this mark."""
    for _, rule in RULES:
        opinion = rule(mark)
        if opinion is not None:
            return opinion
    return True


def _cuts(text: str, language: str) -> list[int]:
    """Where new sentences start, in order."""
    # New lines that end a paragraph, and speech broken off by a dash, cut by themselves.
    fixed = {match.end() for match in _NEW_LINE.finditer(text)}
    fixed |= {
        match.end()
        for match in _DASH_IN_QUOTES.finditer(text)
        if not _SPEECH_TAG.match(text, match.end())
    }
    waiting = sorted(fixed, reverse=True)
    found = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        while waiting and waiting[-1] <= match.start():
            start = waiting.pop()
            found.append(start)
        if match.end() < len(text) and _ends(_mark(text, language, start, match)):
            start = match.end()
            found.append(start)
    return sorted({*found, *waiting})


def split(text: str, language: str) -> list[str]:
    """Cut a text into sentences.

    Args:
        text: Any text; blank lines and lines that open with a list mark or dash end a sentence.
        language: BCP 47 tag; unknown languages are cut by the English rules.

    Returns:
        The pieces, each with the white space that follows it. Joined they are the text.
    """
    pieces: list[str] = []
    start = 0
    letter = _LETTER.search(text)
    for cut in _cuts(text, language.partition("-")[0].lower()):
        # A piece without a letter is no sentence; it stays with what follows.
        if letter and letter.start() < cut:
            pieces.append(text[start:cut])
            start = cut
            letter = _LETTER.search(text, cut)
    rest = text[start:]
    if rest and pieces and not letter:
        pieces[-1] += rest
    elif rest:
        pieces.append(rest)
    return pieces
