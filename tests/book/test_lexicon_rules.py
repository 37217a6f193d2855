"""Rules of a lexicon over text: what they hit, what they leave, and what cannot be a rule."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.book.lexicon import Lexicon, Rule, check, tidied
from studio.book.patterns import may_be_slow
from studio.book.pronunciation import marked, plain
from studio.errors import BadInput

HARROW = Rule("Harrow", "Harro")


def spoken(text: str, *rules: Rule) -> str:
    return Lexicon(rules).apply(text)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("“Harrow’s coins,” said Harrow.", "“Harro’s coins,” said Harro."),
        ("Harrowgate is not Sharrow.", "Harrowgate is not Sharrow."),
        ("HARROW, harrow and hArRoW", "Harro, Harro and Harro"),
        ("the Harrow-Pym line", "the Harro-Pym line"),
        ("Harrow2 and 2Harrow", "Harrow2 and 2Harrow"),
        ("Harrow\u0335 has a stroke", "Harrow\u0335 has a stroke"),
        ("_Harrow_", "_Harro_"),
    ],
)
def test_a_word_is_hit_where_it_stands_by_itself(text: str, after: str) -> None:
    assert spoken(text, HARROW) == after


@pytest.mark.parametrize(
    ("rule", "text", "after"),
    [
        (Rule("Reading", "Redding", match_case=True), "Reading and reading", "Redding and reading"),
        (Rule("ell", "L", whole=False), "hello, spell", "hLo, spL"),
        (Rule("O'Brien", "Oh Bryan"), "O’Brien’s and O'Brien", "Oh Bryan’s and Oh Bryan"),
        (Rule("Low Water", "Lo Wotter"), "at low \u00a0 water", "at Lo Wotter"),
        (Rule("café", "caffay"), "a cafe\u0301.", "a caffay."),
        (Rule("Don", "Dawn"), "Don’t tell Don, Don’s wife", "Don’t tell Dawn, Dawn’s wife"),
        (Rule("M", "Monsieur"), "I’m with M. Jean, I'M", "I’m with Monsieur. Jean, I'M"),
        (Rule("Re", "Ray"), "Re said they’re here", "Ray said they’re here"),
        (Rule("S", "Ess"), "Tom’s S, ’s", "Tom’s Ess, ’Ess"),
        (Rule("Brien", "Bryan"), "O’Brien", "O’Bryan"),
        (Rule("雪", "ゆき"), "窓の外では雪が降る", "窓の外ではゆきが降る"),
        (Rule("Σίσυφος", "Sisyphus"), "ΣΊΣΥΦΟΣ, σίσυφος", "Sisyphus, Sisyphus"),
        (Rule("İzmir", "Izmeer"), "in İzmir", "in Izmeer"),
        (Rule("Mr.", "Mister"), "Mr. Pym, Mr.Pym", "Mister Pym, MisterPym"),
        (Rule("Harrow", "hˈæɹO", phonemes=True), "HARROW’s", "[HARROW](/hˈæɹO/)’s"),
        (Rule(r"(\d+)nd\b", r"\1 second", regex=True), "22nd", "22 second"),
        (Rule(r"p\. ?(?=\d)", "page ", regex=True), "P.12", "page 12"),
        (Rule(r"[A-Z]{3}", "x", regex=True, match_case=True), "abc ABC", "abc x"),
        (Rule(r"Tam|Tom", "tˈɑm", regex=True, phonemes=True), "Tam", "[Tam](/tˈɑm/)"),
        (Rule(r"\(.\)", "x", regex=True, phonemes=True), "an (a)", "an (a)"),
    ],
)
def test_what_rules_hit(rule: Rule, text: str, after: str) -> None:
    check(tidied(rule))
    assert spoken(text, rule) == after


def test_the_longest_wins_and_what_is_put_in_is_not_hit_again() -> None:
    rules = (
        Rule("Low", "High"),
        Rule("Low Water", "Low Tide"),
        Rule("High", "Low"),
        Rule("Tide", "Time"),
        Rule("Low|Tide", "never", regex=True),
    )
    assert spoken("Low Water, low, high tide", *rules) == "Low Tide, High, Low Time"


def test_an_exact_word_is_tried_where_a_longer_one_does_not_fit() -> None:
    rules = (Rule("Reading Room", "Redding", match_case=True), Rule("reading", "reeding"))
    assert spoken("the reading room, the Reading Room", *rules) == "the reeding room, the Redding"


def test_patterns_come_after_words_in_the_order_of_their_keys() -> None:
    rules = (
        Rule("b+", "2", regex=True),
        Rule("ab", "word"),
        Rule("a", "1", regex=True),
        Rule("[ab]+", "0", regex=True),
    )
    assert spoken("ab aabb", *rules) == "word 0"


def test_a_pattern_takes_what_words_have_left() -> None:
    rules = (Rule("cat", "dog"), Rule(r"\w+ \w+", "pair", regex=True))
    assert spoken("cat one two cat", *rules) == "dog pair dog"


def test_of_two_rules_for_the_same_letters_the_first_counts() -> None:
    assert spoken("Tam", Rule("Tam", "one"), Rule("tam", "two")) == "one"


def test_changes_name_the_rule_and_both_texts() -> None:
    changes = Lexicon([HARROW, Rule("coins", "coins")]).changes("HARROW’s coins")
    assert [(c.rule, c.before, c.after) for c in changes] == [
        ("lexicon: Harrow", "HARROW", "Harro")
    ]


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (Rule(" ", "x"), "has no word"),
        (Rule("…", "x"), "no letter or digit"),
        (Rule("word", " "), "edit the text"),
        (Rule("(a", "x", regex=True), "at character 1"),
        (Rule("a*", "x", regex=True), "nothing at all"),
        (Rule(r"\b", "x", regex=True), "nothing at all"),
        (Rule("(a+)+", "x", regex=True), "take for ever"),
        (Rule(r"(?:\w+\s*)+!", "x", regex=True), "take for ever"),
        (Rule("(a)", r"\2", regex=True), "invalid group reference"),
        (Rule("a", r"\g<n>", regex=True), "groups are written"),
        (Rule("[[a]", "x", regex=True), "simplify it"),
        (Rule("Tam", "t/m", phonemes=True), "hold “/”"),
        (Rule("Tam", " ", phonemes=True), "edit the text"),
        (Rule("Tam (a)", "tm", phonemes=True), "bracket"),
        (Rule("w" * 500, "x"), "500 characters"),
        (Rule("\ud800a", "x"), "half a character"),
    ],
)
def test_what_cannot_be_a_rule(rule: Rule, sentence: str) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)):
        check(rule)


def test_patterns_that_may_be_slow_are_told_from_others() -> None:
    assert not any(
        map(may_be_slow, (r"\bSt\. (?=[A-Z])", r"\d+nd", "colou?r", "[ivx]{1,4}", "a|b"))
    )
    assert all(map(may_be_slow, (r"(a|aa)+$", r"\w+ \w+", r"(ab?)+", ".*x.*")))
    # No single part of these is open; all of them together take longer than anybody lives.
    bombs = ("a?" * 30 + "a" * 29, "((((a{1,9}){1,9}){1,9}){1,9}){1,9}b", "(a|a)" * 30 + "b")
    assert all(map(may_be_slow, (*bombs, "(?:(?:a?){9})" * 4, "(?:a|ab){2,40}c")))
    list_of_words = "|".join(f"word{number}" for number in range(50))
    assert not may_be_slow(rf"\b(?:{list_of_words})s?\b")
    assert not may_be_slow(r"\d{1,3}(?:,\d{3})*(?:\.\d)?")


WORDS = ("low", "Low", "water", "tide", "’s", "'s", "’t", "雪", "é", "e\u0301", "\u0335", "Σ", "9")
TEXTS = st.lists(st.sampled_from([*WORDS, " ", "  ", ", ", "-", ".", "\u00a0"]), max_size=14).map(
    "".join
)
RULES = st.lists(
    st.builds(
        lambda word, flags, number: Rule(word, f"⟨{number}⟩", False, False, *flags),
        TEXTS.map(lambda text: " ".join(text.split())).filter(
            lambda text: any(char.isalnum() for char in text)
        ),
        st.tuples(st.booleans(), st.booleans()),
        st.integers(0, 99),
    ),
    max_size=6,
    unique_by=lambda rule: rule.word,
)


def is_word(char: str) -> bool:
    """Letters, marks and digits of scripts that are written with blanks."""
    return unicodedata.category(char)[0] in "LMN" and not "\u3040" <= char <= "\u9fff"


def naive(rules: list[Rule], text: str) -> str:
    """The same by trying every rule at every place: no index, no quick test."""

    def letters(word: str) -> str:
        word = unicodedata.normalize("NFC", word).replace("’", "'").replace("\u00a0", " ")
        return word.replace("Σ", "σ").replace("ς", "σ")

    whole = unicodedata.normalize("NFC", text)
    same = letters(whole)
    out = ""
    place = 0
    while place < len(whole):
        found: list[tuple[int, int, Rule]] = []
        for rank, rule in enumerate(rules):
            key = letters(rule.word)
            for end in range(place + 1, len(whole) + 1):
                here = same[place:end]
                if here[-1] == " " or re.sub(" +", " ", here).lower() != key.lower():
                    continue
                if rule.match_case and re.sub(
                    " +", " ", whole[place:end].replace("’", "'").replace("\u00a0", " ")
                ) != (unicodedata.normalize("NFC", rule.word).replace("’", "'")):
                    continue
                after = whole[end : end + 1]
                if after and unicodedata.category(after)[0] == "M":
                    continue
                if rule.whole:
                    before = whole[:place].rstrip("\u0335")[-1:]  # a mark on a blank is no word
                    if before and is_word(before) and is_word(whole[place]):
                        continue
                    joined = re.search(r"[^\W\u3040-\u9fff]\u0335*'$|\u0335'$", same[:place])
                    tail = re.match(r"s|t|d|m|ll|re|ve", same[place:].lower())
                    past = same[place + len(tail[0]) :][:1] if tail else ""
                    if joined and tail and not (past and is_word(past)):
                        continue
                    if is_word(whole[end - 1]) and after and is_word(after):
                        continue
                    contracted = same[end : end + 2].lower() == "'t"
                    past = whole[end + 2 : end + 3]
                    if contracted and is_word(whole[end - 1]) and not (past and is_word(past)):
                        continue
                found.append((end, -rank, rule))
        if found:
            end, _, rule = max(found, key=lambda hit: hit[:2])
            out += rule.spoken
            place = end
        else:
            out += whole[place]
            place += 1
    return out if out != whole else text


@given(RULES, TEXTS)
def test_a_slow_and_plain_reading_of_the_rules_agrees(rules: list[Rule], text: str) -> None:
    rules = [tidied(rule) for rule in rules]
    assert spoken(text, *rules) == naive(rules, text)


PIECES = ("low", "Low", " ", "tide", "’t", "\u0335", "雪", "-")
SETS = (
    [Rule("low tide", "1"), Rule("low", "2"), Rule("tide", "3"), Rule("tid", "4", whole=False)],
    [Rule("Low tide", "1", match_case=True), Rule("low", "2", match_case=True), Rule("雪", "3")],
    [Rule("lowlow", "1"), Rule("low", "2", whole=False), Rule("lowt", "3", whole=False)],
    [Rule("tide't", "1"), Rule("low-low", "2"), Rule("Low", "3", match_case=True, whole=False)],
    [Rule("low 雪", "1"), Rule("雪low", "2"), Rule("t", "3"), Rule("e", "4", whole=False)],
)


@pytest.mark.parametrize("rules", SETS, ids=range(len(SETS)))
def test_every_short_text_is_read_as_by_the_slow_and_plain_reading(rules: list[Rule]) -> None:
    lexicon = Lexicon(rules)
    changed = 0
    for parts in product(PIECES, repeat=4):
        text = "".join(parts)
        wanted = naive(rules, text)
        assert lexicon.apply(text) == wanted, text
        changed += wanted != text
    assert changed > 300, "hardly anything was tried"


@given(RULES, TEXTS)
def test_nothing_is_replaced_twice(rules: list[Rule], text: str) -> None:
    """Letters that stand in no key are put in, so whatever is hit again would show."""
    hits = Lexicon(rules).hits(text)
    for first, second in pairwise(hits):
        assert first.end <= second.start
    again = Lexicon([*rules, Rule("⟨|⟩", "lost", regex=True)])
    assert again.apply(text) == spoken(text, *rules)


@given(RULES, TEXTS)
def test_phonemes_leave_the_words_as_they_are(rules: list[Rule], text: str) -> None:
    text = unicodedata.normalize("NFC", text)
    as_phonemes = [Rule(r.word, "x", False, True, r.match_case, r.whole) for r in rules]
    assert plain(spoken(text, *as_phonemes)) == text


SIGNS = st.text(st.characters(exclude_characters="[]()\n/", codec="utf-8"), min_size=1)


@given(SIGNS, SIGNS, TEXTS)
def test_plain_is_the_way_back_from_marked(word: str, phonemes: str, text: str) -> None:
    assert plain(f"{text}{marked(word, phonemes)}{text}") == f"{text}{word}{text}"
    with pytest.raises(ValueError, match="cannot be given"):
        marked(f"{word}]", phonemes)


@pytest.mark.parametrize("text", ["[a](b)", "[a](/b", "[](/b/)", "[a] (/b/)", "a](/b/)"])
def test_what_only_looks_like_phonemes_stays(text: str) -> None:
    assert plain(text) == text
