"""How words are spoken: a person's rules, applied to text that the reading rules have made.

Words and phrases come first, in one pass: at each place the longest wins. Patterns come after, in
the order of their keys, and take what is left. Every rule sees the text as it was written, so what
one rule puts in is never hit by another.

Where case does not matter, a text is *folded* for the search: character by character, so that a
place in the folded text is the same place in the text.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from studio.book.marks import fold as one_line
from studio.book.marks import speakable
from studio.book.patterns import check_replacement, compiled, may_be_slow
from studio.book.pronunciation import NOT_IN_A_WORD, NOT_IN_PHONEMES, marked
from studio.book.rules import SpokenChange
from studio.errors import BadInput

LONGEST = 400
"""Characters that a word, a pattern or what is spoken for it may have."""

_BLANKS = [code for code in range(0x3001) if chr(code).isspace()]
_SAME = {ord("’"): "'", **dict.fromkeys(_BLANKS, " ")}
# To translate is slow, and most texts have nothing but apostrophes to be translated.
_FOLDED_OTHERWISE = re.compile(r"[^\S ]|[Σςİ]")
_FOLD = {**_SAME, ord("Σ"): "σ", ord("ς"): "σ", ord("İ"): "i"}

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f"
)
"""Scripts that put no blanks between words: their letters bound nothing."""
_BEGINNING = 8
"""Letters by which parts of words are looked for."""
_PLAIN_WORD = re.compile(rf"[^\W_{_UNSPACED}]+")
_CONTRACTED = frozenset("s t d m ll re ve".split())
"""What an apostrophe joins to the word before it; the m of “I’m” is no word by itself."""
_UNUSUAL = re.compile("[^\x00-\u02ff\u2000-\u20cf]")
"""Outside these there may be combining marks, which belong to their word."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of a lexicon."""

    word: str
    """A word or a phrase; or a regular expression, where `regex` says so. The entry's key."""
    spoken: str
    """What is said for it: other letters, or phonemes."""
    regex: bool = False
    phonemes: bool = False
    match_case: bool = False
    whole: bool = True
    """Whether a word must stand by itself. A pattern says so with ``\\b``."""

    @property
    def simple(self) -> bool:
        """Whether there is nothing to it but a word and another spelling."""
        return self == Rule(self.word, self.spoken)


@dataclass(frozen=True, slots=True)
class Hit:
    """One place that a rule changes."""

    start: int
    end: int
    after: str
    rule: Rule


def tidied(rule: Rule) -> Rule:
    """A rule as it is kept: composed letters, single blanks, no slashes about phonemes."""
    word = unicodedata.normalize("NFC", rule.word)
    spoken = unicodedata.normalize("NFC", rule.spoken)
    if not rule.regex:
        # What a pattern puts in may begin or end with a blank that its match had.
        word, spoken = one_line(word), one_line(spoken)
    return replace(rule, word=word, spoken=spoken.strip("/ ") if rule.phonemes else spoken)


def check(rule: Rule) -> None:
    """See whether a rule can be kept.

    Raises:
        BadInput: It cannot; the sentence says why.
    """
    word, spoken = rule.word, rule.spoken
    for text in (word, spoken):
        if len(text) > LONGEST:
            raise BadInput(
                f"“{text[:40]}…” has {len(text)} characters, and a rule has at most {LONGEST}; "
                "edit the segment's text instead."
            )
        if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
            raise BadInput(f"“{word!a}” holds half a character or none; type it again.")
    if not word.strip():
        raise BadInput("The rule has no word; type the word or phrase that it is for.")
    if rule.regex:
        _check_pattern(rule)
    elif not speakable(word):
        raise BadInput(f"“{word}” has no letter or digit; a rule is for a word or a phrase.")
    elif not spoken.strip():
        raise BadInput(
            f"Nothing is given to be spoken for “{word}”; to leave words out, edit the text of the "
            "segment instead."
        )
    if rule.phonemes:
        _check_phonemes(rule)


def _check_pattern(rule: Rule) -> None:
    """A pattern must compile, and its replacement must fit its groups."""
    check_replacement(compiled(rule.word, match_case=rule.match_case), rule.spoken)


def _check_phonemes(rule: Rule) -> None:
    strange = NOT_IN_PHONEMES.intersection(rule.spoken)
    if strange or not rule.spoken.strip():
        raise BadInput(
            f"The phonemes of “{rule.word}” "
            + (f"hold “{min(strange)}”" if strange else "are empty")
            + "; write them as in hˈæɹO, without slashes and brackets."
        )
    if not rule.regex and NOT_IN_A_WORD.intersection(rule.word):
        raise BadInput(f"“{rule.word}” holds a bracket; phonemes are for words without.")


class Lexicon:
    """Rules, ready to be applied. Of two that hit the same letters, the first given wins."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Take rules that `check` accepts."""
        self.rules = tuple(map(tidied, rules))
        self._patterns = [
            (rule, compiled(rule.word, match_case=rule.match_case))
            for rule in sorted(self.rules, key=lambda rule: rule.word)
            if rule.regex
        ]
        self._heads: dict[str, list[_Literal]] = {}
        self._loose: dict[str, list[_Literal]] = {}
        literals: dict[str, list[Rule]] = {}
        for rule in self.rules:
            if not rule.regex:
                literals.setdefault(folded(rule.word), []).append(rule)
        for key in sorted(literals, key=len, reverse=True):
            self._put(_Literal(key, literals[key]))
        self._locator = _locator(self._loose)
        self.at_work: tuple[str, str] | None = None
        """The pattern that is being tried, and on which text: what to blame for a long wait."""

    def _put(self, literal: _Literal) -> None:
        """File a word under what is looked for first."""
        head = _word(literal.key).match(literal.key)
        whole = [rule for rule in literal.rules if rule.whole]
        loose = [rule for rule in literal.rules if not rule.whole]
        if head is None:
            whole, loose = [], literal.rules
        if whole:
            assert head is not None
            self._heads.setdefault(head[0], []).append(literal.only(whole))
        if loose:
            self._loose.setdefault(literal.key.partition(" ")[0][:_BEGINNING], []).append(
                literal.only(loose)
            )

    @property
    def slow(self) -> tuple[Rule, ...]:
        """Patterns that may take long on some text; where there are any, bound the time."""
        return tuple(rule for rule, _ in self._patterns if may_be_slow(rule.word))

    def apply(self, text: str) -> str:
        """What is spoken for a text; the same text where no rule hits it.

        Args:
            text: What the reading rules have made, or any other text.
        """
        hits = self.hits(text)
        if not hits:
            return text
        text = _composed(text)
        out: list[str] = []
        place = 0
        for hit in hits:
            out += (text[place : hit.start], hit.after)
            place = hit.end
        return "".join(out) + text[place:]

    def changes(self, text: str) -> tuple[SpokenChange, ...]:
        """What the rules change in a text, from its beginning to its end."""
        composed = _composed(text)
        return tuple(
            SpokenChange(f"lexicon: {hit.rule.word}", composed[hit.start : hit.end], hit.after)
            for hit in self.hits(text)
            if composed[hit.start : hit.end] != hit.after
        )

    def touches(self, text: str) -> bool:
        """Whether any rule hits a text."""
        return bool(self.hits(text))

    def hits(self, text: str) -> list[Hit]:
        """Every place that a rule changes, from the beginning to the end of the composed text."""
        text = _composed(text)
        hits = self._literal_hits(text) if self._heads or self._locator else []
        for rule, pattern in self._patterns:
            self.at_work = (rule.word, text)
            found = list(_pattern_hits(text, rule, pattern, hits))
            if found:
                hits = sorted([*hits, *found], key=lambda hit: hit.start)
        self.at_work = None
        return hits

    def _literal_hits(self, text: str) -> list[Hit]:
        flat = folded(text)
        word = _word(flat)
        # Most texts have no word of the lexicon: this is all that is done for them.
        headed = self._heads and not self._heads.keys().isdisjoint(word.findall(flat))
        if not headed and (self._locator is None or self._locator.search(flat) is None):
            return []
        hits: list[Hit] = []
        place = 0
        for start, literals in self._candidates(flat, word):
            if start < place:
                continue
            for literal in literals:
                end = literal.end(flat, start)
                rule = end and literal.rule(text, flat, start, end, word)
                if rule:
                    hits.append(Hit(start, end, _said(rule, text[start:end]), rule))
                    place = end
                    break
        return hits

    def _candidates(self, flat: str, word: re.Pattern[str]) -> Iterable[tuple[int, list[_Literal]]]:
        """Where words may begin, and which ones, the longest first."""
        found: dict[int, list[_Literal]] = {}
        for match in word.finditer(flat):
            literals = self._heads.get(match[0])
            if literals and not _ends_contraction(flat, match):
                found[match.start()] = literals
        if self._locator is None:
            return found.items()
        for match in self._locator.finditer(flat):
            start = match.start()
            both = [*found.get(start, ()), *self._prefixed(flat, start)]
            found[start] = sorted(both, key=lambda literal: len(literal.key), reverse=True)
        return sorted(found.items())

    def _prefixed(self, flat: str, start: int) -> Iterator[_Literal]:
        for length in range(1, _BEGINNING + 1):
            yield from self._loose.get(flat[start : start + length], ())


class _Literal:
    """A word or phrase and its rules: more than one where their case differs."""

    def __init__(self, key: str, rules: Sequence[Rule]) -> None:
        self.key = key
        self.rules = list(rules)
        self._exact = [rule.word.translate(_SAME) for rule in rules]
        self._blank = re.compile(re.escape(key).replace("\\ ", " +")) if " " in key else None
        self._word_ends = _word(key).match(key, len(key) - 1) is not None or _is_mark(key[-1])

    def only(self, rules: Sequence[Rule]) -> _Literal:
        """The same word with some of its rules."""
        return _Literal(self.key, rules)

    def end(self, flat: str, start: int) -> int:
        """Where the word ends that begins here, 0 where another one does."""
        if self._blank is None:
            return start + len(self.key) if flat.startswith(self.key, start) else 0
        match = self._blank.match(flat, start)
        return match.end() if match else 0

    def rule(
        self, text: str, flat: str, start: int, end: int, word: re.Pattern[str]
    ) -> Rule | None:
        """The first rule that takes these letters."""
        if word is not _PLAIN_WORD and _is_mark(flat[end : end + 1]):
            return None
        bounded = not self._word_ends or _ends_word(flat, end, word)
        for rule, exact in zip(self.rules, self._exact, strict=True):
            if rule.whole and not bounded:
                continue
            if not rule.match_case or one_line(text[start:end].translate(_SAME)) == exact:
                return rule
        return None


def _ends_word(flat: str, end: int, word: re.Pattern[str]) -> bool:
    """Whether a word ends here. The ’t of “don’t” is a part of it; the ’s of “Tom’s” is none."""
    if word.match(flat, end):
        return False
    contracted = flat.startswith("'t", end) and word.match(flat, end + 2) is None
    return not contracted or _is_mark(flat[end + 2 : end + 3])


def _ends_contraction(flat: str, word: re.Match[str]) -> bool:
    """Whether letters that stand like a word are the end of another one: “I’m”, “Tom’s”."""
    before = flat[word.start() - 2 : word.start()]
    if word[0] not in _CONTRACTED or before[1:] != "'":
        return False
    return word.re.match(before) is not None or _is_mark(before[0])


def _said(rule: Rule, word: str) -> str:
    """What a rule puts in the place of a word."""
    if not rule.phonemes:
        return rule.spoken
    return word if NOT_IN_A_WORD.intersection(word) else marked(word, rule.spoken)


def _pattern_hits(
    text: str, rule: Rule, pattern: re.Pattern[str], taken: Sequence[Hit]
) -> Iterator[Hit]:
    """Where a pattern matches letters that no earlier rule has taken."""
    place = 0
    while place <= len(text) and (match := pattern.search(text, place)):
        start, end = match.span()
        over = next((hit for hit in taken if hit.start < end and start < hit.end), None)
        if over is not None:
            place = over.end
        elif start == end:
            place = end + 1
        else:
            # To expand is slow, and most spellings have no group to be put in.
            said = match.expand(rule.spoken) if "\\" in rule.spoken else rule.spoken
            if rule.phonemes:
                fits = said.strip() and not NOT_IN_PHONEMES.intersection(said)
                fits = fits and not NOT_IN_A_WORD.intersection(match[0])
                said = marked(match[0], said) if fits else match[0]
            yield Hit(start, end, said, rule)
            place = end


def _composed(text: str) -> str:
    """A text in composed letters; most are already."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)


def folded(text: str) -> str:
    """A text without case, with one kind of apostrophe and of blank, of the same length.

    Args:
        text: Any text.
    """
    text = text.replace("’", "'")
    if _FOLDED_OTHERWISE.search(text):
        text = text.translate(_FOLD)
    return text.lower()


def _word(text: str) -> re.Pattern[str]:
    """What a word looks like in a text: letters, digits and combining marks."""
    return _PLAIN_WORD if _UNUSUAL.search(text) is None else _word_with_marks()


@functools.cache
def _word_with_marks() -> re.Pattern[str]:
    # Combining marks stand in the first two planes, and the last few far behind them.
    codes = (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0))
    runs: list[list[int]] = []
    for code in codes:
        if _is_mark(chr(code)):
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
    marks = "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)
    return re.compile(rf"[^\W_{_UNSPACED}](?:[^\W_{_UNSPACED}]|[{marks}])*")


def _is_mark(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] == "M"


def _locator(loose: Iterable[str]) -> re.Pattern[str] | None:
    """Finds where one of many beginnings stands: they branch letter by letter, which is fast."""
    beginnings = sorted(loose)
    return re.compile(f"(?={_branches(beginnings)})") if beginnings else None


def _branches(beginnings: Sequence[str]) -> str:
    """A pattern for any of these texts; one that begins another one stands for both."""
    if "" in beginnings:
        return ""
    parts = [
        re.escape(letter) + _branches([text[1:] for text in same])
        for letter, same in groupby(beginnings, key=lambda text: text[0])
    ]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def reworded(changed: Lexicon, whole: Lexicon, texts: Sequence[str]) -> dict[int, str]:
    """What a lexicon makes of the texts that some of its rules hit.

    Args:
        changed: The rules that came, went or became others: in their old form and in their new.
        whole: All rules in force.
        texts: What the reading rules have made.

    Returns:
        By place in ``texts``; texts that no changed rule hits are not in it, for they stay.
    """
    return {place: whole.apply(text) for place, text in enumerate(texts) if changed.touches(text)}
