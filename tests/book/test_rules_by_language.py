"""Each paragraph is read by its own language's rules, and dates in the order of the country."""

from __future__ import annotations

from pathlib import Path

import pytest
from epub_files import make_epub, page

from studio.book.drafts import SegmentDraft
from studio.book.kinds import Kind
from studio.book.languages import foreign
from studio.book.manuscript import Block, ChapterText, Manuscript
from studio.book.policies import Dates, Policies
from studio.book.readers import read
from studio.book.segmenting import Limits, cut
from studio.book.speaking import changes, speak

FRENCH = "Il y avait 21 bateaux le 14 juillet 1789."


def drafts(*blocks: Block, language: str = "en-US", **more: Dates) -> list[SegmentDraft]:
    book = Manuscript("T", "", language, (ChapterText("One", blocks),))
    return [each for chapter in cut(book, Limits(), language, **more) for each in chapter.segments]


def test_a_french_paragraph_of_an_english_book_is_read_by_french_rules() -> None:
    english, french = drafts(
        Block(Kind.PROSE, "There were 21 boats."), Block(Kind.PROSE, FRENCH, language="fr-FR")
    )
    assert english.spoken == "There were twenty-one boats."
    assert french.spoken == speak(FRENCH, Kind.PROSE, "fr-FR") != speak(FRENCH, Kind.PROSE, "en")
    assert french.spoken.startswith("Il y avait vingt et un bateaux")
    assert (english.language, french.language) == ("", "fr-FR")


def test_its_sentences_end_by_its_own_rules() -> None:
    text = "Das war am 3. Oktober, sagte er. " * 12
    german = drafts(Block(Kind.PROSE, text, language="de"))
    assert len(german) > 1
    assert not any(draft.source.endswith(" 3.") for draft in german)


def test_what_one_cannot_say_goes_with_its_neighbour_in_that_ones_language() -> None:
    (joined,) = drafts(Block(Kind.PROSE, "***?"), Block(Kind.PROSE, FRENCH, language="fr"))
    assert joined.language == "fr"
    assert "vingt et un" in joined.spoken


@pytest.mark.parametrize(
    ("tag", "book", "expected"),
    [
        ("fr", "en-US", "fr"),
        ("en-GB", "en-US", ""),
        ("EN", "en", ""),
        ("", "en", ""),
        ("zh-Hant", "en", "zh-Hant"),
        ("fr", "", "fr"),
    ],
)
def test_another_country_is_no_other_language(tag: str, book: str, expected: str) -> None:
    assert foreign(tag, book) == expected


def test_a_foreign_word_stays_with_its_paragraph(tmp_path: Path) -> None:
    inside = (
        '<p>He said <i lang="fr">“Le 14”</i> and rose at 6.</p>'
        f'<p lang="fr">{FRENCH}</p><blockquote lang="fr"><p>Il est 17h30.</p></blockquote>'
    )
    book = read(make_epub(tmp_path / "b.epub", {"a.xhtml": page(inside)}))
    segments = [each for chapter in cut(book, Limits(), "en-US") for each in chapter.segments]
    assert [segment.language for segment in segments] == ["", "fr", "fr"]
    assert segments[0].spoken == "He said “Le fourteen” and rose at six."
    assert segments[2].spoken == speak("Il est 17h30.", Kind.PROSE, "fr")


@pytest.mark.parametrize(
    ("language", "dates", "rule", "expected"),
    [
        ("en-US", Dates.BY_LANGUAGE, "date, month first", "March fourth, twenty twenty-one"),
        ("en-GB", Dates.BY_LANGUAGE, "date, day first", "the third of April, twenty twenty-one"),
        ("en-US", Dates.DAY_FIRST, "date, day first", "the third of April, twenty twenty-one"),
        ("en-GB", Dates.MONTH_FIRST, "date, month first", "March fourth, twenty twenty-one"),
    ],
)
def test_the_order_of_a_date(language: str, dates: Dates, rule: str, expected: str) -> None:
    text = "It was 03/04/2021."
    assert speak(text, Kind.PROSE, language, dates) == f"It was {expected}."
    assert changes(text, Kind.PROSE, language, dates)[0].rule == rule
    (draft,) = drafts(Block(Kind.PROSE, text), language=language, dates=dates)
    assert draft.spoken == f"It was {expected}."


@pytest.mark.parametrize("dates", list(Dates))
def test_a_date_with_one_reading_has_it_in_any_order(dates: Dates) -> None:
    for text, month in (("25/12/2024", "December"), ("12/25/2024", "December")):
        assert month in speak(text, Kind.PROSE, "en-US", dates)
        assert changes(text, Kind.PROSE, "en-US", dates)[0].rule == "date"
    assert speak("13/13/2024", Kind.PROSE, "en-US", dates) == speak(
        "13/13/2024", Kind.PROSE, "en-US"
    )


def test_other_languages_write_the_day_first() -> None:
    said = {speak("Am 03/04/2021.", Kind.PROSE, "de", dates) for dates in Dates}
    assert len(said) == 1


def test_the_order_is_a_policy_by_name() -> None:
    assert Policies.of({"dates": "day-first"}).dates is Dates.DAY_FIRST
    assert Policies.offered()["dates"] == ("by language", "day first", "month first")
