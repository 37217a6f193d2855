"""Words in capitals, which engines spell out letter by letter."""

from __future__ import annotations

import re

from studio.book.numerals import roman_value
from studio.book.rules import Rule, rule

_SAID_AS_WORDS = frozenset("NASA NATO UNESCO UNICEF AIDS OPEC ASCII LASER RADAR SCUBA".split())
"""Acronyms that are words already; engines know them in capitals."""
_SPELLED = frozenset(
    "FBI CIA BBC USA UK UN EU TV CD DVD PC AM PM BC AD CE BCE ISBN HTML HTTP HTTPS URL GPS DNA "
    "RNA MP RAF USSR NYPD LAPD ABC NBC CBS CNN KGB SS HMS USS RMS VIP CEO MD PHD JFK FDR UFO OK ID "
    "RSVP IQ AC DC BMW IBM XML PDF USB SUV ATM HIV MRI NHS IRA UAE GDP SOS RIP TNT PVC LED CPU "
    "ASAP NAACP YMCA YWCA NCAA UCLA ACLU ESPN USAF USMC USDA USPS USAAF RAAF OECD IAEA UNHCR ICBM "
    "LGBT ASPCA HMSO IEEE EEOC".split()
)
"""Said letter by letter, even among words in capitals."""
_SMALL_LOUD = frozenset(
    "NO NOT YES YOU HE SHE AND THE ALL WHY HOW WHO NOW GO DO BUT MY ME WE OUR HIS HER HIM THEY ARE "
    "WAS DID GET OUT OFF BIG BAD ONE TWO OH AH HA NEW OLD RUN SIR WAR DIE GOD".split()
)
"""Short words that stand in capitals for loudness."""
_VOWEL = re.compile(r"[AEIOUYÀ-ÖØ-Ý]")
_ROMAN_LOOK = re.compile(r"[IVXL]+")
_CONTRACTED = re.compile(
    r"(?:I|YOU|HE|SHE|IT|WE|THEY|THAT|THERE|WHAT|WHO|WHERE|HOW|LET|[A-Z]{2,9}N)"
    r"[’'](?:S|T|M|D|LL|RE|VE)"
)
"""Contractions are words whatever their letters: IT'S, I'LL, DON'T."""
_COUNTRIES = frozenset(("UK", "EU", "UN"))
"""Letters that are said one by one, and that no word is spelled like."""
_WORD_LENGTH = 4
_RUN_LENGTH = 3
"""From this many words in capitals on, a run is a loud sentence and not a list of letters."""

_WORD = r"[A-ZÀ-ÖØ-Þ][A-ZÀ-ÖØ-Þ’']{0,40}"
_RUN = rf"(?<![\w’'.]){_WORD}(?:[,;:—–-]?[ —–-]{_WORD}){{0,400}}(?![\w]|\.[A-Z])"


def _run(match: re.Match[str], loud_from: int) -> str:
    """A run of words in capitals: loud words in small letters, letters as they are."""
    words = re.findall(_WORD, match[0])
    loud = len(words) >= loud_from and sum(len(word) > 1 for word in words) >= min(2, loud_from)
    # Two words suffice where one is loud by itself: STOP IT.
    shouted = len(words) == 2 and any(_is_loud(word, in_loud_run=False) for word in words)

    def quieter(found: re.Match[str]) -> str:
        word = found[0]
        if shouted and word in ("IT", "ME", "IF", "TO", "UP"):
            return word.lower() if found.start() else word.capitalize()
        if word in _COUNTRIES and not loud:
            ends = match.string[match.end() : match.end() + 1] == "." and match[0].endswith(word)
            return ".".join(word) + ("" if ends else ".")
        if word == "I" or not _is_loud(word, loud):
            return word
        return word.capitalize() if found.start() == 0 or not loud else word.lower()

    return re.sub(_WORD, quieter, match[0])


def _is_loud(word: str, in_loud_run: bool) -> bool:
    """Whether a word in capitals is an ordinary word."""
    letters = re.sub(r"[’'].*$", "", word)
    if _CONTRACTED.fullmatch(word):
        return True
    if in_loud_run and word == "AM":
        return True
    if len(letters) > 1 and _ROMAN_LOOK.fullmatch(letters) and roman_value(letters):
        return False
    if letters in _SAID_AS_WORDS or letters in _SPELLED or not _VOWEL.search(letters):
        return False
    if len(letters) >= _WORD_LENGTH:
        # MCMXCIX is a number; CIVIL and MILD are not, because no number is written so.
        return True
    return letters in _SMALL_LOUD or (in_loud_run and not _ROMAN_LOOK.fullmatch(letters))


_LEFT: tuple[Rule, ...] = (
    rule("capitals", r"(?<=[a-z])(['’])S\b", lambda match: f"{match[1]}s"),
    rule("organisation", r"(?<=\b[Tt]he )WHO\b", "W.H.O."),
)
"""What other rules left in capitals, and the one organisation that is called like a loud word."""

CAPITALS: tuple[Rule, ...] = (
    *_LEFT,
    rule("capitals", _RUN, lambda match: _run(match, _RUN_LENGTH)),
)
HEADING_CAPITALS: tuple[Rule, ...] = (
    *_LEFT,
    rule("capitals", _RUN, lambda match: _run(match, 1)),
)
"""For headings, where capitals are a matter of print and not of sound."""
