"""Which lines of a plain text are chapter headings. Conservative: a doubtful line is prose."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from studio.book.marks import OPENING_QUOTES
from studio.book.numerals import cardinal, roman_value

TITLE_LENGTH = 80
"""A heading's line is no longer than this, in characters."""

ARCHIVE_START = re.compile(
    r"\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG EBOOK.{0,300}\*\*\*", re.IGNORECASE
)
ARCHIVE_END = re.compile(r"\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG EBOOK", re.IGNORECASE)
"""Lines between which a well-known archive puts its books."""
_MADE_BY = re.compile(
    r"\s{0,400}(?:(?:e-?text |e-?book )?"
    r"(?:produced|prepared|transcribed|scanned|digitized) (?:by|from)"
    r"|this e-?(?:text|book) was (?:produced|prepared))\b"
    r"(?P<who>(?:.*\S.*(?:\n|$)){1,12})",
    re.IGNORECASE,
)
_FILES = re.compile(
    r"\be-?(?:text|book)|proofread|internet|https?:|www\.|\bfiles?\b|\bimages?\b|html|volunteer"
    r"|\bdigiti|\bscan|edition\b|\w@\w",
    re.IGNORECASE,
)
_LONGEST_NAMES = 160

_NUMBER = (
    r"(?:\d{1,4}|[IVXLCDM]{1,9}|[ivxlcdm]{1,9}|"
    r"(?:the )?(?:(?:one |two |three )?hundred(?: and)? ?)?"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|"
    r"thirty|forty|fifty|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|"
    r"eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|premier|première|deux|trois|quatre|"
    r"cinq|six|sept|huit|neuf|dix|deuxième|troisième|quatrième|cinquième|"
    r"primero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|primer[ao]?|segund[ao]|"
    r"tercer[ao]?|cuart[ao]|quint[ao]|sext[ao]|séptim[ao]|octav[ao]|noven[ao]|décim[ao]|"
    r"prim[ao]|second[ao]|terz[ao]|quart[ao]|перв\w{2}|втор\w{2}|треть\w|четв[её]рт\w{2}|пят\w{2})"
    r"(?:[ -](?:one|two|three|four|five|six|seven|eight|nine|"
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth))?)"
)
_NAMED = re.compile(
    r"(?:chapter|chap\.|part|book|volume|canto|stave|letter|act|scene|section|episode|day|night|"
    r"kapitel|teil|buch|abschnitt|akt|chapitre|partie|livre|acte|cap[ií]tulo|parte|libro|acto|"
    r"capitolo|atto|глава|часть|книга|hoofdstuk|deel)"
    rf" {{1,4}}{_NUMBER}(?P<title>\s{{0,4}}[.:–—-]\s{{0,4}}.{{0,{TITLE_LENGTH}}})?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"(?:erstes|drittes|[a-zäöüß]{4,20}tes) (?:kapitel|buch|teil|abschnitt)\.?"
    r"|\d{1,3}\. {1,2}(?:kapitel|buch|teil|abschnitt|akt|szene)\.?"
    r"|\d{1,3}(?:er|re|e|ère|ème) (?:chapitre|partie|livre|acte)\.?"
    r"|第.{1,6}[章回部卷節节話话](?:[ \u3000:：、.．—–-]{1,4}[^。，！？；、]{1,40})?"
    r"|(?:序章|楔子|尾声|尾聲|终章|終章|后记|後記|前言|序幕|プロローグ|エピローグ|あとがき|まえがき)",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"(?:prologue|epilogue|preface|foreword|introduction|afterword|interlude|postscript|"
    r"acknowledge?ments|dedication|author[’']s note|appendix(?: [A-Z\d]{1,4})?|"
    r"prolog|epilog|vorwort|nachwort|einleitung|prologue|épilogue|préface|avant-propos|"
    r"prólogo|epílogo|prefacio|introducción)[.:]?",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?P<number>\d{1,3}|[IVXLCDM]{1,9})(?P<mark>[.)]?)(?P<title> {1,4}\S.{0,80})?"
)
_IN_WORDS = {
    **{cardinal(number): number for number in range(1, 100)},
    **{cardinal(number).replace("-", " "): number for number in range(21, 100)},
}
_ORNAMENTED = re.compile(
    r"(?!\[\[\s{0,9}[A-Za-z]{1,20}\s{0,9}:)"  # no marker, such as [[pause: 2 s]]
    r"(?P<sign>[=~*_#|\[<+–—-])(?:(?P=sign)|\s){0,40}(?P<line>[^\W_](?:.{0,200}[^\W_][.!?]?)?)"
    r"\s{0,9}(?:(?P=sign)|[\]>]|\s){1,40}"
)
_LEADERS = re.compile(r"(?:\.\s?){4,}\s?\d{1,4}\s*$|\s{3,}\d{1,4}\s*$|\t\d{1,4}\s*$")
_LEADERS_REACH = 200
_PARTS = re.compile(
    r"(?:part|book|volume|teil|buch|partie|livre|parte|libro|часть|книга|deel) |第.{1,6}[部卷]",
    re.IGNORECASE,
)
_CHAPTERS = re.compile(
    r"(?:chapter|chap\.|kapitel|chapitre|cap[ií]tulo|capitolo|глава|hoofdstuk) "
    r"|\d{1,3}\. {1,2}kapitel|第.{1,6}[章回]",
    re.IGNORECASE,
)
_FIGURED = re.compile(
    r"(?i:chapter|chap\.|kapitel|chapitre|cap[ií]tulo) (?:\d{1,3}|[IVXLC]{1,9})[.:–— -]{1,4}"
    r"[^.!?]{1,80}\.$"
)
"""A chapter's number and one sentence."""
_END_MARKS = ".,;:!?…"
_SMALL_WORDS = frozenset(
    "a an and as at but by for from in into nor of on or over the to up upon with de la le du des "
    "von und der die das den y el los las en".split()
)


def is_chapter_line(line: str) -> bool:
    """Whether a line names a chapter by a word for it: ``CHAPTER IV. The Storm``."""
    line = without_ornament(line.strip())
    if len(line) > TITLE_LENGTH:
        return False
    if _STANDING.fullmatch(line) or _ORDINAL.fullmatch(line):
        return True
    match = _NAMED.fullmatch(line)
    if not match:
        return False
    title = (match["title"] or "").lstrip(" .:–—-")
    # "Part two. He went on" in running text is a sentence; a title does not end like one.
    if not title or line.isupper():
        return True
    loud = line[:3].isupper() and title[0].isupper() and title[-1] not in ",;"
    small = line.islower() and title[-1] not in _END_MARKS
    if loud or small or (not title[0].islower() and title[-1] not in ".,;"):
        return True
    # "Chapter 3. In which he falls." ends like one, though.
    return title[-1] == "." and title[0].isupper() and _FIGURED.match(line) is not None


def makers_end(text: str, start: int, stop: int) -> int:
    """Where the paragraph that says who made an archive's file ends; ``start`` without one.

    It speaks of files, or is nothing but names; a story may begin with such a word too.

    Args:
        text: The whole text.
        start: Where the archive's first notices end.
        stop: Where its last ones begin.
    """
    match = _MADE_BY.match(text, start, stop)
    if not match:
        return start
    who = match["who"].strip()
    words = re.findall(r"[^\W\d_][\w’']*", who)
    names = (
        len(who) <= _LONGEST_NAMES
        and all(word[0].isupper() or word in _SMALL_WORDS for word in words)
        and not re.search(r"\w{4}\. \S", who)
    )
    return match.end() if names or _FILES.search(match[0]) else start


def names_part(line: str) -> bool:
    """Whether a chapter line names a part of a book, in which chapters may be counted anew."""
    return _PARTS.match(without_ornament(line.strip())) is not None


def names_chapter(line: str) -> bool:
    """Whether a chapter line says that it names a chapter."""
    return _CHAPTERS.match(without_ornament(line.strip())) is not None


def without_ornament(line: str) -> str:
    """A line without what is drawn on both sides of it: ``== CHAPTER TWO ==``."""
    match = _ORNAMENTED.fullmatch(line)
    return match["line"] if match else line


def only_number(line: str) -> bool:
    """Whether a chapter line has a number and no title."""
    match = _NAMED.fullmatch(without_ornament(line.strip()))
    return match is not None and not (match["title"] or "").strip(" .:–—-")


def counted(line: str) -> int:
    """The number of a line such as ``IV.``, ``12`` or ``3. The Mill``; 0 where it has none."""
    line = line.strip()
    match = _COUNTED.fullmatch(line)
    if not match:
        return _IN_WORDS.get(line.lower(), 0)
    title = (match["title"] or "").strip()
    if title and (not match["mark"] or title[-1] in ".,;?!" or not looks_like_title(title)):
        return 0
    number = match["number"]
    return int(number) if number.isdigit() else roman_value(number)


def is_number(line: str) -> bool:
    """Whether a line is a bare number, such as ``IV.`` or ``12``."""
    match = _COUNTED.fullmatch(line.strip())
    return match is not None and not match["title"] and counted(line) > 0


def looks_like_title(line: str) -> bool:
    """Whether a line reads like a title: short, without an end mark, its words with capitals."""
    line = line.strip()
    if not line or len(line) > TITLE_LENGTH or line[-1] in ".,;:" or line[0] in OPENING_QUOTES:
        return False
    words = [
        word for word in re.findall(r"[^\W\d_][\w’']*", line) if word.lower() not in _SMALL_WORDS
    ]
    return bool(words) and all(word[0].isupper() for word in words)


def said_often(lines: Iterable[str]) -> Collection[str]:
    """Short lines that stand in a text again and again, as the names of who speaks in a play.

    Args:
        lines: Lines or paragraphs of the whole text.

    Returns:
        Those lines in small letters, but for what stands below chapters' numbers.
    """
    counts: Counter[str] = Counter()
    below = False
    for line in lines:
        if not below and len(line) <= TITLE_LENGTH:
            counts[line.strip().casefold()] += 1
        # Whoever tells a chapter is named below its number, often the same few.
        below = only_number(line) or is_number(line)
    return {line for line, times in counts.items() if times > 1}


def is_loud(line: str) -> bool:
    """Whether a line is a title in capitals: ``THE STORM``."""
    line = line.strip()
    return (
        line.isupper()
        and 3 <= len(line) <= TITLE_LENGTH
        and line[-1] not in _END_MARKS
        and sum(map(str.isalpha, line)) >= 3
    )


def is_contents_line(line: str) -> bool:
    """Whether a line of a contents list ends in dots and a page number."""
    return len(line) <= _LEADERS_REACH and _LEADERS.search(line) is not None
