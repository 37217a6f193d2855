"""Where sentences end: our own rules, versioned, because clips hang on the cuts.

A pattern finds every mark that could end a sentence. Named rules then judge it in a fixed order;
the first that has an opinion decides. Text is never altered: the pieces joined are the text.

The languages are English, German, French, Spanish, Chinese and Japanese, and as far as
abbreviations go Italian and Russian.
"""

from __future__ import annotations

import re

from studio.book.boundary_rules import CAPITAL, RULES, SPEECH_TAG, WINDOW, Mark
from studio.book.marks import CLOSING_QUOTES

SENTENCES_VERSION = 7

_CLOSERS = re.escape(CLOSING_QUOTES + ")]】」』）")
_OPENERS = re.escape("\"“‘«»„‚'([「『‹›¿¡*_")
_NUMERALS = "０-９零〇一二三四五六七八九十百"
_CJK = f"(?![{_NUMERALS}第])[\u3041-\u30ff\u3400-\u9fff]"
_CJK_NEXT = "[“「『\u3041-\u30ff\u3400-\u9fff]"
_CANDIDATE = re.compile(
    rf"""
    (?:
      (?P<ellipsis>…{{1,200}}\.{{0,200}}|\.…|\.(?:[ \u00a0]?\.){{2,3}})
      (?P<after_ellipsis>[!?]{{0,20}})
      | (?P<plain>[.!?](?<={_CJK}[.!?])[.!?]{{0,19}}(?=[”’」』"]{{0,2}}{_CJK_NEXT}))
      | (?P<stop>[.!?]{{1,200}})
      | (?P<cjk>[。！？｡]{{1,200}}|……(?=[”」』])|．(?<={_CJK}．)(?![\d{_NUMERALS}]))
    )
    (?P<closers>(?:
        [\u00a0\u202f ]?»(?!\w)
      | (?<=[’”])[\u00a0\u202f\u2006\u2009\u200a ](?:”|’(?=[\s”]|$))(?!\w)
      | (?<=[。！？｡．…])[”’」』）]
      | (?<![。！？｡．])(?<![。！？｡．][”’」』）])(?<![。！？｡．][”’」』）]{{2}})[{_CLOSERS}]
        (?<!“(?=[\u3041-\u30ff\u3400-\u9fff]))
      | (?<=[.!?])—(?=\s)
    ){{0,20}})
    (?P<note>
        \d{{1,3}}(?=\s)|(?:\[\d{{1,3}}\]){{1,5}}|[¹²³⁰⁴-⁹]{{1,3}}(?!\w)|[*_†‡]{{1,3}}(?=\s|$)
    )?
    (?P<space>\s+|$)?
    """,
    re.VERBOSE,
)

_LETTER = re.compile(r"[^\W_]")
_FIRST_LETTER = re.compile(rf"[\s{_OPENERS}–—…-]{{0,{WINDOW}}}(\w)")
_FIRST_WORD = re.compile(rf"[{_OPENERS}–—-]{{0,9}}\s{{0,9}}([\w’']{{1,{WINDOW}}})")
_OPENER = re.compile(f"[{_OPENERS}]")
_QUOTE = re.compile(f"[{re.escape(CLOSING_QUOTES)}]")
_DASH_IN_QUOTES = re.compile(rf"[—–-][”’\"»]\s{{1,9}}(?=[“‘\"«{CAPITAL}])")
_NEW_LINE = re.compile(
    r"\n[^\S\n]{0,40}\n\s*|\n(?=[^\S\n]{0,20}(?:[–—―]|(?:[-•*]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]))"
)


def _token_before(text: str, end: int) -> str:
    """The word that ends at ``end``, inner dots, apostrophes and hyphens included."""
    at = end
    floor = max(0, end - WINDOW)
    while at > floor and (text[at - 1].isalnum() or text[at - 1] in "_.’'-"):
        at -= 1
    return text[at:end].lstrip("'’-.")


def _mark(text: str, language: str, start: int, match: re.Match[str]) -> Mark:
    """Gather what the rules need to know about a candidate."""
    following = text[match.end() : match.end() + WINDOW]
    letter = _FIRST_LETTER.match(following)
    word = _FIRST_WORD.match(following)
    closers = match["closers"] or ""
    before = text[max(start, match.start() - WINDOW) : match.start()]
    # The dots of an ellipsis may stand apart from the word: "Oh . . . Oh, no."
    end = match.start() - (len(before) - len(before.rstrip()) if match["ellipsis"] else 0)
    return Mark(
        text=text,
        language=language,
        start=start,
        match=match,
        stop=match["stop"] or "",
        closers=closers,
        before=before,
        next=following,
        first=letter[1] if letter else "",
        quoted=_QUOTE.search(closers) is not None,
        opens=_OPENER.match(following) is not None,
        token=_token_before(text, end),
        word=word[1] if word else "",
    )


def _worth_judging(text: str, match: re.Match[str]) -> bool:
    """Whether a mark could end anything; most marks inside numbers and initials could not."""
    if match["space"] or match["cjk"] or match["plain"]:
        return True
    return text[match.start() - 1 : match.start()].islower() and text[match.end()].isupper()


def _ends(mark: Mark) -> bool:
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
        if not SPEECH_TAG.match(text, match.end())
    }
    waiting = sorted(fixed, reverse=True)
    found = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        while waiting and waiting[-1] <= match.start():
            start = waiting.pop()
            found.append(start)
        if (
            match.end() < len(text)
            and _worth_judging(text, match)
            and _ends(_mark(text, language, start, match))
        ):
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
