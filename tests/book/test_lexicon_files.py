"""Lexicons as files: what is written is read, and what cannot be used is named with its line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from studio.book.lexicon import Rule, check, tidied
from studio.book.lexicon_csv import from_csv, to_csv
from studio.book.lexicon_pls import NAMESPACE, from_pls, to_pls
from studio.errors import BadInput


def usable(rule: Rule) -> bool:
    try:
        check(rule)
    except BadInput:
        return False
    return True


LETTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cn"))
TEXT = st.text(LETTERS, min_size=1, max_size=12) | st.sampled_from(
    ['a "b", c', "a;b", "x\ty", "=1+1", "O’Brien", "雪", "x, y", "hˈæɹO"]
)
RULES = st.lists(
    st.builds(Rule, TEXT, TEXT, st.just(False), st.booleans(), st.booleans(), st.booleans())
    .map(tidied)
    .filter(usable),
    max_size=6,
    unique_by=lambda rule: rule.word,
)
PATTERNS = st.sampled_from(
    [Rule(r"(\d+)nd", r"\1 second ", regex=True), Rule("a\nb", "x", regex=True, match_case=True)]
)


@given(RULES, st.lists(PATTERNS, max_size=2, unique=True), st.booleans())
def test_csv_gives_back_what_was_written(rules: list[Rule], more: list[Rule], bom: bool) -> None:
    content = (b"\xef\xbb\xbf" if bom else b"") + to_csv([*rules, *more])
    assert from_csv(content, "x.csv") == (*rules, *more)


@given(RULES)
def test_pls_gives_back_words_and_how_they_are_said(rules: list[Rule]) -> None:
    read = from_pls(to_pls(rules, "en-GB"), "x.pls")
    assert {(r.word, r.spoken, r.phonemes) for r in read} == {
        (r.word, r.spoken, r.phonemes) for r in rules
    }


@pytest.mark.parametrize(
    ("content", "rules"),
    [
        ("spoken;word\r\nHarro;Harrow\r\n\r\n", [Rule("Harrow", "Harro")]),
        ("word\tspoken\tphonemes\nTam\t/tˈæm/\tx\n", [Rule("Tam", "tˈæm", phonemes=True)]),
        ("Word,Spoken,whole\n a  b ,c,NO\n", [Rule("a b", "c", whole=False)]),
        ('word,spoken\n"a\nb",c\n', [Rule("a b", "c")]),
        ("word,spoken,regex\nx+,y,\n", [Rule("x+", "y")]),
        ("word,spoken\n", []),
    ],
)
def test_tables_of_other_hands_are_read(content: str, rules: list[Rule]) -> None:
    assert list(from_csv(content.encode(), "x.csv")) == rules


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "x.csv is empty; its first line names the columns"),
        (b"word,spoken,note\na,b,c\n", "x.csv, line 1: there is no column “note”"),
        (b"word,regex\n", "x.csv, line 1: one column must be called “spoken”"),
        (b"word,word,spoken\n", "one column must be called “word”"),
        (b"word,spoken\na,b\n\na,c\n", "x.csv, line 4: “a” stands here a second time"),
        (b"word,spoken\na,b,c\n", "x.csv, line 2 has 3 cells for 2 columns"),
        (b"word,spoken\na,\n", "x.csv, line 2: Nothing is given to be spoken"),
        (b"word,spoken,regex\na,b,perhaps\n", "x.csv, line 2: “regex” is “perhaps”"),
        (b"word,spoken,regex\n(a+)+,b,yes\n", "x.csv, line 2: The pattern “(a+)+” repeats"),
        (b"word,spoken\na,\xff\n", "x.csv is not UTF-8 text (byte 14)"),
        (b'word,spoken\n"a"b,c\n', "x.csv, line 2"),
    ],
)
def test_a_table_that_cannot_be_used_is_named_with_its_line(content: bytes, sentence: str) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)):
        from_csv(content, "x.csv")


PLS = f"""<?xml version="1.0" encoding="UTF-8"?>
<lexicon version="1.0" xmlns="{NAMESPACE}" alphabet="ipa" xml:lang="en">
  <meta name="author" content="somebody"/>
  <lexeme><!-- a comment --><grapheme>Harrow</grapheme><grapheme>Harow</grapheme>
    <alias>Harro</alias></lexeme>
  <lexeme role="noun"><grapheme>Tam</grapheme><phoneme>tom</phoneme>
    <phoneme prefer="true"> tæm </phoneme><example>Tam &amp; others</example></lexeme>
  <lexeme><grapheme>silent</grapheme></lexeme>
</lexeme_end>"""


def test_other_programs_lexicons_are_read() -> None:
    content = PLS.replace("</lexeme_end>", "</lexicon>").encode()
    assert from_pls(content, "x.pls") == (
        Rule("Harrow", "Harro"),
        Rule("Harow", "Harro"),
        Rule("Tam", "tæm", phonemes=True),
    )
    assert len(from_pls(content.decode().replace("UTF-8", "UTF-16").encode("utf-16"), "x")) == 3


def test_what_is_written_is_as_the_specification_has_it() -> None:
    rules = [
        Rule("Tam", "tˈæm", phonemes=True),
        Rule("Harrow", "Harro"),
        Rule("Harow", "Harro"),
        Rule("no", "nˈO", phonemes=True),
        Rule("a+", "x", regex=True),
    ]
    root = etree.fromstring(to_pls(rules, "en-GB"))
    names = {"p": NAMESPACE}
    assert root.tag == f"{{{NAMESPACE}}}lexicon"
    assert root.get("version") == "1.0"
    assert root.get("alphabet") == "ipa"
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "en-GB"
    assert [len(lexeme.findall("p:grapheme", names)) for lexeme in root] == [1, 2, 1]
    assert [lexeme[-1].tag.rpartition("}")[2] for lexeme in root] == ["phoneme", "alias", "phoneme"]
    alphabets = [p.get("alphabet") for p in root.iterfind(".//p:phoneme", names)]
    assert alphabets == [None, "x-hibari"], "signs of the embedded voice are not called IPA"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("<lexicon>", "x.pls is no XML that can be read"),
        ("", "x.pls is no XML that can be read"),
        ("<lexicon/>", "is no pronunciation lexicon"),
        (PLS, "x.pls is no XML"),
        (
            f'<lexicon xmlns="{NAMESPACE}"><lexeme><grapheme>a</grapheme>'
            "<alias/></lexeme></lexicon>",
            "x.pls, line 1: Nothing is given to be spoken",
        ),
        (
            f'<lexicon xmlns="{NAMESPACE}" alphabet="x-sampa"><lexeme><grapheme>a</grapheme>'
            '<phoneme>"A:</phoneme></lexeme></lexicon>',
            "x.pls, line 1: the phonemes are written in “x-sampa”",
        ),
        (
            f'<lexicon xmlns="{NAMESPACE}"><lexeme><grapheme>a</grapheme>'
            '<phoneme alphabet="x-arpabet">AH</phoneme></lexeme></lexicon>',
            "the phonemes are written in “x-arpabet”",
        ),
    ],
)
def test_xml_that_cannot_be_used_is_named(content: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)):
        from_pls(content.encode(), "x.pls")


@pytest.mark.parametrize(
    "entity",
    ['SYSTEM "file:///etc/hostname"', 'SYSTEM "http://127.0.0.1:9/x"', '"grown"'],
)
def test_entities_are_never_looked_up(entity: str) -> None:
    content = (
        f'<!DOCTYPE lexicon [<!ENTITY e {entity}>]><lexicon xmlns="{NAMESPACE}">'
        "<lexeme><grapheme>a&e;</grapheme><alias>b</alias></lexeme></lexicon>"
    )
    with pytest.raises(BadInput, match="holds an entity"):
        from_pls(content.encode(), "x.pls")


def test_a_character_that_xml_cannot_hold_is_named() -> None:
    with pytest.raises(BadInput, match="XML cannot"):
        to_pls([Rule("a\x01", "b")], "en")
