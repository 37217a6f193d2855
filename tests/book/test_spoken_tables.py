"""Our own tables of written and spoken text, one for each language with rules of its own."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_cases import bare, own

from studio.book.chinese import numerals as chinese
from studio.book.french import numerals as french
from studio.book.german import numerals as german
from studio.book.kinds import Kind
from studio.book.spanish import numerals as spanish
from studio.book.speaking import changes, speak

TABLES = {
    "en": "english.json",
    "de": "german.json",
    "fr": "french.json",
    "es": "spanish.json",
    "zh": "chinese.json",
}
LEAST = {"en": 200, "de": 40, "fr": 40, "es": 40, "zh": 40}
PAIRS = [(language, pair) for language, name in TABLES.items() for pair in own(name)]


@pytest.mark.parametrize("language", TABLES)
def test_the_tables_are_long_enough(language: str) -> None:
    assert len({pair["in"] for pair in own(TABLES[language])}) >= LEAST[language]


@pytest.mark.parametrize(
    ("language", "pair"), PAIRS, ids=[f"{language}:{pair['in']}" for language, pair in PAIRS]
)
def test_text_is_said_as_the_table_has_it(language: str, pair: dict[str, Any]) -> None:
    tag = pair.get("language", language)
    spoken = speak(pair["in"], Kind.PROSE, tag)
    if language == "zh":
        accepted = [re.sub(r"[\W_]", "", text) for text in pair["accept"]]
        assert re.sub(r"[\W_]", "", spoken) in accepted, spoken
    else:
        assert bare(spoken) in map(bare, pair["accept"]), spoken
    assert not re.search(r"\d", spoken)
    assert speak(spoken, Kind.PROSE, tag) == spoken  # Nothing is left to do.
    if spoken != pair["in"]:
        assert changes(pair["in"], Kind.PROSE, tag)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (german.cardinal(401_338), "vierhunderteintausenddreihundertachtunddreißig"),
        (german.cardinal(1_000_001), "eine Million eins"),
        (german.cardinal(2_000_000), "zwei Millionen"),
        (german.ordinal(7, "e"), "siebte"),
        (german.ordinal(21, "en"), "einundzwanzigsten"),
        (german.ordinal(103, "er"), "einhundertdritter"),
        (german.year(1905), "neunzehnhundertfünf"),
        (german.year(2005), "zweitausendfünf"),
        (french.cardinal(71), "soixante et onze"),
        (french.cardinal(80), "quatre-vingts"),
        (french.cardinal(81), "quatre-vingt-un"),
        (french.cardinal(200), "deux cents"),
        (french.cardinal(203_000), "deux cent trois mille"),
        (french.cardinal(200_000), "deux cent mille"),
        (french.cardinal(80_000_000), "quatre-vingts millions"),
        (french.ordinal(80), "quatre-vingtième"),
        (french.ordinal(5), "cinquième"),
        (french.ordinal(21), "vingt et unième"),
        (spanish.cardinal(31_108), "treinta y un mil ciento ocho"),
        (spanish.cardinal(21_000_000), "veintiún millones"),
        (spanish.cardinal(101), "ciento uno"),
        (spanish.feminine(spanish.cardinal(200_501)), "doscientas mil quinientas una"),
        (spanish.feminine(spanish.cardinal(200_000_200)), "doscientos millones doscientas"),
        (chinese.cardinal(10_001), "一万零一"),
        (chinese.cardinal(20_020), "两万零二十"),
        (chinese.cardinal(1_234_567_890), "十二亿三千四百五十六万七千八百九十"),
        (chinese.cardinal(100_010_000), "一亿零一万"),
        # Where the libraries that were compared differ from each other or from these.
        (german.cardinal(501_501), "fünfhunderteintausendfünfhunderteins"),
        (german.ordinal(100, "e"), "einhundertste"),
        (german.year(2100), "zweitausendeinhundert"),
        (french.ordinal(99), "quatre-vingt-dix-neuvième"),
        (french.cardinal(71_000), "soixante et onze mille"),
        (spanish.cardinal(21_000), "veintiún mil"),
        (spanish.cardinal(91_091), "noventa y un mil noventa y uno"),
        (spanish.cardinal(401_000), "cuatrocientos un mil"),
        (spanish.ordinal(11), "undécimo"),
        (spanish.ordinal(19), "decimonoveno"),
        (chinese.cardinal(200), "两百"),
        (chinese.cardinal(1_200), "一千二百"),
        (chinese.cardinal(22_222), "两万二千二百二十二"),
        (chinese.cardinal(102_020_200), "一亿零二百零二万零二百"),
        (chinese.cardinal(1_000_000_000_001), "一万亿零一"),
    ],
)
def test_number_words(said: str, words: str) -> None:
    assert said == words


@pytest.mark.parametrize(
    ("source", "language", "spoken"),
    [
        ("IV. Der Sturm", "de", "Vier. Der Sturm."),
        ("DER LANGE WEG", "de", "Der lange weg."),
        ("Kapitel XII", "de", "Kapitel zwölf."),
        ("CHAPITRE IV", "fr", "Chapitre quatre."),
        ("III", "fr", "Trois."),
        ("CAPÍTULO II", "es", "Capítulo dos."),
        ("第3章", "zh", "第三章."),
    ],
)
def test_headings(source: str, language: str, spoken: str) -> None:
    assert speak(source, Kind.HEADING, language) == spoken


NUMERIC = st.text(
    st.sampled_from(list("0123456789.,:/-–%€$ °'’\"²½hIVXkms第年月個个er.ªº")), max_size=60
)


@given(NUMERIC, st.sampled_from(list(TABLES)), st.sampled_from([Kind.PROSE, Kind.HEADING]))
def test_no_digit_is_left(text: str, language: str, kind: Kind) -> None:
    assert not re.search(r"[0-9]", speak(text, kind, language))


HOSTILE = {
    "commas": "1," * 20_000,
    "digits": "1" * 40_000,
    "blanks": "1 000 " * 8_000,
    "dates": "1.1." * 10_000,
    "ranges": "1-" * 20_000,
    "romans": "Karl I. Louis I " * 3_000,
    "titles": "Dr. M. Sr. " * 5_000,
    "times": "1:00 " * 8_000,
    "addresses": "a@" * 20_000,
    "measures": "1 km " * 8_000,
    "money": "1 € $1 " * 6_000,
    "one word": "a" * 40_000,
    "dots": "a." * 20_000,
    "counted": "2个" * 15_000,
    "percents": "1%-" * 13_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("language", ["de", "fr", "es", "zh"])
def test_time_grows_with_length_alone(name: str, language: str) -> None:
    started = time.process_time()
    speak(HOSTILE[name], Kind.PROSE, language)
    assert time.process_time() - started < 3.0
