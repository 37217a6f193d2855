"""From text to what hibari's network is given: phonemes, in chunks of a bearable length.

The pronouncing rules are hibari's own (dictionary, tagger, a small network that guesses unknown
words). Around them stand three guards: text goes through `hibari_text.readable` first; a word that
still comes out without phonemes is refused; and no chunk is longer than `LIMIT`, because memory
grows with the square of the length (8,800 characters took 4.9 GB).
"""

from __future__ import annotations

import json
import re
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hibari import Hibari
from hibari.g2p import G2P, PUNCT_TAGS
from hibari.g2p.normalize import ABBREV, ROMAN_CARDINAL, ROMAN_ORDINAL, normalize
from hibari.g2p.oov import OOV
from hibari.g2p.token import Tok

from engine.narrators import hibari_text
from engine.registry import Refusal

LIMIT = 400
"""The most phonemes of one chunk."""

_MARKUP = re.compile(r"\[([^\[\]()\n]+)\]\(/([^\[\]()/\n]+)/\)")
"""A word with its pronunciation, ``[Harrow](/hˈæɹO/)``; anything less exact is literal text."""

_FIRST_MARK = 0xE000
"""Markup is carried through sentence splitting as one private character, refused in user text."""

_STRENGTHS = (".!?…", ";:—", ",")
"""Where to cut a chunk that is too long: the strongest of these that there is, else at a word."""

_SHORT_END = re.compile(rf"(?<!\w)(?:Nos?\.|{'|'.join(re.escape(short) for short in ABBREV)})$")
"""An abbreviation at the end, such as “vol.”: before a number its point is no full stop."""

_WORDS_NOT_SHORT = re.compile(r"\b(no(?=\.(?!\s?\d))|(?:Sun|fig)(?=\.[\"”’')]*$))\.")
"""Words that hibari takes for abbreviations where they only end a sentence."""

_NUMBERED = "|".join(sorted({*ROMAN_CARDINAL, *ROMAN_ORDINAL}, key=len, reverse=True))
_NUMERAL = r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?<=[IVXLCM])\b(?![.'’]\w)"
_NO_NUMERAL = re.compile(
    rf"\b(?:{_NUMBERED}) (?=[IVXLC])(?!(?=[IVXLC]{{2}}|[VX]\b){_NUMERAL}|I(?:[.,;:!?)]|\s*$))"
)
"""Where hibari reads a number that is none: “King Charles” as “King the zeroth Charles”, “the part
I like” as “the part one like”."""

_CLOSERS = '”") '


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a mark, and its phonemes; a trailing space says that a gap follows."""

    text: str
    phonemes: str


Chunk = tuple[Word, ...]
"""What the network speaks at once."""


class Pronouncer:
    """hibari's pronouncing rules, guarded."""

    def __init__(self, assets: Path) -> None:
        """Load dictionaries and the guessing network (CPU, one thread) from hibari's assets."""
        guesser = _Guesser()
        self._g2p = G2P(oov=guesser)
        self._letters = guesser.letters
        self._ids: dict[str, int] = json.loads((assets / "vocab.json").read_text("utf-8"))

    def chunks(self, text: str) -> list[Chunk]:
        """Pronounce a text.

        Returns:
            What to speak, in order; at least one chunk with at least one phoneme.

        Raises:
            Refusal: Something in it cannot be spoken, which the reason names.
        """
        plain, marked = self._lift_markup(text)
        if not marked and not hibari_text.has_words([plain]):
            raise Refusal("There is nothing to read aloud in this text: it has no word.")
        found: list[Chunk] = []
        for sentence in _sentences(plain):
            words = self._words(sentence, marked)
            if any(self.ids(word.phonemes) for word in words):
                found.extend(cut(words))
        if not found:
            raise Refusal("There is nothing to read aloud in this text: it has no word.")
        return found

    def ids(self, phonemes: str) -> list[int]:
        """The network's numbers of phonemes, without the padding at both ends."""
        return [self._ids[char] for char in phonemes if char in self._ids]

    def _lift_markup(self, text: str) -> tuple[str, dict[str, Word]]:
        """Make text readable; each word with a given pronunciation becomes a private character."""
        marked: dict[str, Word] = {}
        out: list[str] = []
        place = 0
        for match in _MARKUP.finditer(text):
            out.append(self._readable(text[place : match.start()]))
            mark = chr(_FIRST_MARK + len(marked))
            marked[mark] = self._pronounced(match[1], match[2])
            out.append(mark)
            place = match.end()
        out.append(self._readable(text[place:]))
        return "".join(out), marked

    def _readable(self, text: str) -> str:
        """Text without markup, made readable."""
        return hibari_text.readable(text, self._is_known, self._letters)

    def _is_known(self, word: str) -> bool:
        """Whether the dictionaries have a word."""
        lexicon = self._g2p.lexicon
        return word in lexicon.golds or word in lexicon.silvers

    def _pronounced(self, word: str, phonemes: str) -> Word:
        """A word with the pronunciation that somebody gave it."""
        strange = "".join(dict.fromkeys(char for char in phonemes if char not in self._ids))
        if strange or not phonemes.strip():
            raise Refusal(
                f"The pronunciation /{phonemes}/ given for “{word}” holds signs that this voice "
                f"does not know: {strange or 'nothing but spaces'}. Change it in the lexicon."
            )
        return Word(word, phonemes.strip())

    def _words(self, sentence: str, marked: dict[str, Word]) -> list[Word]:
        """Pronounce one sentence as a whole, since its words decide about each other."""
        tokens: list[Any] = []
        for part in _apart(sentence):
            if part in marked:
                tokens.append(Tok(part, "NN", phonemes=marked[part].phonemes, rating=5))
            else:
                if tokens and part[:1].isspace():
                    tokens[-1].whitespace = " "
                tokens.extend(self._g2p.tokenize(normalize(part)))
                if tokens and part[-1:].isspace():
                    tokens[-1].whitespace = " "
        for token in tokens:
            _keep_spoken(token)
        try:
            spoken = self._g2p.phonemize_tokens(tokens)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            raise Refusal(
                f"The pronouncing rules of this voice fail on “{sentence[:60]}”. "
                "Write it differently."
            ) from error
        words = []
        for token in spoken:
            name = marked[token.text].text if token.text in marked else token.text
            phonemes = token.phonemes or ""
            if any(char.isalnum() for char in name) and not self.ids(phonemes):
                raise Refusal(f"This voice cannot pronounce “{name}”. Write it differently.")
            words.append(Word(name, phonemes + (" " if token.whitespace else "")))
        return words


def _apart(sentence: str) -> Iterator[str]:
    """A sentence in pieces that hibari's rules must not see together."""
    for part in re.split("([\ue000-\uf8ff])", sentence):
        start = 0
        for match in _NO_NUMERAL.finditer(part):
            yield part[start : match.end()]
            start = match.end()
        yield part[start:]


def _keep_spoken(token: Any) -> None:
    """Undo the tagger's worst mistake: a number or an accented word taken for a mark is dropped."""
    if token.tag in PUNCT_TAGS and any(char.isalnum() for char in token.text):
        token.tag = "CD" if any(char.isdigit() for char in token.text) else "NN"


class _Guesser:
    """The network for unknown words, without its silent losses."""

    def __init__(self) -> None:
        """Load it."""
        self._network = OOV()
        self.letters = frozenset(self._network.cin)
        """Letters that it has learnt; it skips others."""

    def __call__(self, word: str) -> str:
        """Phonemes of a word; a word longer than the network takes is given in even pieces."""
        count = -(-len(word) // self._network.maxlen)
        size = -(-len(word) // count)
        pieces = [word[start : start + size] for start in range(0, len(word), size)]
        guessed = "".join(self._network(piece) or "" for piece in pieces)
        # The network was taught by espeak, whose language marks, (fr), are no sounds.
        return re.sub(r"\(.*?\)|[()1-]", "", guessed).replace("ʀ", "ɹ")


def _sentences(text: str) -> Iterator[str]:
    """hibari's sentences, joined again where it takes the point of “No. 10” for a full stop."""
    held = ""
    for piece in Hibari.split_sentences(text):
        if held and not (piece[0].isdigit() and _SHORT_END.search(held)):
            yield _with_full_stops(held)
            held = ""
        held = f"{held} {piece}" if held else piece
    if held:
        yield _with_full_stops(held)


def _with_full_stops(sentence: str) -> str:
    """Keep “no.” from being read as “number”, and the like, by a space before the full stop."""
    return _WORDS_NOT_SHORT.sub(r"\1 .", sentence)


def cut(words: list[Word]) -> list[Chunk]:
    """Cut a sentence into chunks of at most `LIMIT` phonemes, of about one length.

    Raises:
        Refusal: One word alone is longer.
    """
    groups = _groups(words)
    chunks: list[Chunk] = []
    while groups:
        sizes = [sum(len(word.phonemes) for word in group) for group in groups]
        if sum(sizes) <= LIMIT:
            count = len(groups)
        else:
            count = _place(groups, sizes)
        chunks.append(tuple(word for group in groups[:count] for word in group))
        groups = groups[count:]
    return chunks


def _groups(words: list[Word]) -> list[list[Word]]:
    """Words with the marks around them: between groups is a gap where a cut may go."""
    groups: list[list[Word]] = []
    for word in words:
        before = groups[-1][-1] if groups else None
        if (
            before is None
            or before.phonemes.endswith(" ")
            or (_is_mark(before) and not _is_mark(word))
        ):
            groups.append([])
        groups[-1].append(word)
    return groups


def _is_mark(word: Word) -> bool:
    """Whether it is a mark that ends something."""
    return bool(word.phonemes) and all(char in "".join(_STRENGTHS) for char in word.phonemes)


def _place(groups: list[list[Word]], sizes: list[int]) -> int:
    """After how many groups to cut: at the strongest mark, nearest to an even share."""
    share = sum(sizes) / -(-sum(sizes) // LIMIT)
    ends: list[tuple[int, int]] = []  # (count, phonemes up to there)
    total = 0
    for count, size in enumerate(sizes, 1):
        total += size
        if total > LIMIT:
            break
        ends.append((count, total))
    if not ends:
        word = max(groups[0], key=lambda word: len(word.phonemes)).text
        raise Refusal(
            f"The word “{word[:40]}…” is too long to be spoken at once. Break it up with spaces."
        )
    for marks in _STRENGTHS:
        strong = [
            (count, total)
            for count, total in ends
            if total >= LIMIT // 4
            and "".join(word.phonemes for word in groups[count - 1]).rstrip(_CLOSERS)[-1:] in marks
            and "".join(word.phonemes for word in groups[count - 1]).strip()
        ]
        if strong:
            ends = strong
            break
    return min(ends, key=lambda end: abs(end[1] - share))[0]
