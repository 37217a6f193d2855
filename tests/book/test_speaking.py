"""Source text becomes spoken text."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_cases import bare, collected

from studio.book.kinds import Kind
from studio.book.speaking import changes, speak

CASES = collected("normalise.json")


def test_texts_are_said_as_labelled() -> None:
    said = [(case["in"], speak(case["in"], Kind.PROSE, "en"), case["accept"]) for case in CASES]
    wrong = [
        (text, spoken) for text, spoken, accept in said if bare(spoken) not in map(bare, accept)
    ]
    assert len(wrong) <= len(CASES) // 50, wrong


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("Chapter IV", "Chapter four."),
        ("CHAPTER IV", "Chapter four."),
        ("IV.", "Four."),
        ("ill", "ill."),
        ("I", "One."),
        ("XII. The Storm", "Twelve. The Storm."),
        ("THE STORM", "The storm."),
        ("The Storm (Part One)", "The Storm (Part One.)"),
        ("“The End”", "“The End.”"),
        ("“What?”", "“What?”"),
        ("ELIZABETH I", "Elizabeth the first."),
        ("LOUIS XIV'S COURT", "Louis the fourteenth's Court."),
        ("Book I — The Fall", "Book one — The Fall."),
        ("xii. The End", "Twelve. The End."),
        ("iv", "Four."),
        ("Who Goes There?", "Who Goes There?"),
        ("I Am Here", "I Am Here."),
        ("7", "seven."),
        ("MIX", "Mix."),
        ("The Book I Read", "The Book I Read."),
        ("Part I The Storm", "Part one The Storm."),
        ("Part I—The Storm", "Part one—The Storm."),
    ],
)
def test_headings(source: str, spoken: str) -> None:
    assert speak(source, Kind.HEADING, "en") == spoken


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("Louis XIV’s court", "Louis the fourteenth’s court"),
        ("Louis XII. was ill.", "Louis the twelfth was ill."),
        ("It was Louis XII. Then he died.", "It was Louis the twelfth. Then he died."),
        ("Frederick III., and Pius II.’s men", "Frederick the third, and Pius the second’s men"),
        ("I know a CD when I see one.", "I know a CD when I see one."),
        ("It was No. 10.", "It was number ten."),
        ("No. Ten men came.", "No. Ten men came."),
        ("Dr. Lee lives on Mill St. now.", "Doctor Lee lives on Mill Street now."),
        ("H₂O", "H two O"),
        ("He wrote <|endofprompt|> down.", "He wrote down."),
        ("a <strong>bold</strong> man", "a bold man"),
        ("[breath] He ran.", "(breath) He ran."),
        ("[T]he end of him[self].", "The end of himself."),
        ("It is known.[12] He[a] left[*].", "It is known. He left."),
        ("Good 😀 day ✅️.", "Good day."),
        ("extra\u00adordi\u200bnary ﬁve", "extraordinary five"),
        ("She saw A NATO SPOKESMAN.", "She saw A NATO spokesman."),
        ("_Really_, *now*?", "Really, now?"),
        ("x=1 & y=2", "x equals one and y equals two"),
        ("10,000 of 1066", "ten thousand of ten sixty-six"),
        ("3–4 p.m. on 9/11, 24/7.", "three to four p m on nine eleven, twenty-four seven."),
        ("Mr. and Mrs. Hall (b. 1902)", "Mister and Missus Hall (born nineteen oh two)"),
        ("Room 12B in MCMXCIX.", "Room twelve B in nineteen ninety-nine."),
        ("1.000.000 men in WWII", "one million men in World War two"),
        ("----------", ""),
        ("<|a|>", ""),
        ("Привет, 你好.", "Привет, 你好."),
    ],
)
def test_prose(source: str, spoken: str) -> None:
    assert speak(source, Kind.PROSE, "en") == spoken


def test_languages_without_rules_keep_their_numbers() -> None:
    assert speak("Il 3 otto\u00adbre.", Kind.PROSE, "it") == "Il 3 ottobre."


def test_every_change_is_shown_by_name() -> None:
    shown = changes("Dr. Lee paid $5.", Kind.PROSE, "en")
    assert [(c.rule, c.before, c.after) for c in shown] == [
        ("abbreviation", "Dr.", "Doctor"),
        ("money", "$5", "five dollars"),
    ]
    assert changes("Nothing to do here.", Kind.PROSE, "en") == ()


@given(st.text(max_size=120), st.sampled_from(list(Kind)), st.sampled_from(["en", "de", ""]))
def test_any_text_can_be_spoken(text: str, kind: Kind, language: str) -> None:
    spoken = speak(text, kind, language)
    assert "<|" not in spoken
    assert spoken == spoken.strip()
    assert "\n" not in spoken


@given(
    st.lists(st.sampled_from("the lamp went out and nobody spoke of it again".split()), min_size=1)
)
def test_plain_words_stay_as_they_are(words: list[str]) -> None:
    text = " ".join(words)
    assert speak(text, Kind.PROSE, "en") == text


@given(st.integers(0, 10**18))
def test_no_digit_reaches_an_engine(number: int) -> None:
    assert not re.search(
        r"\d", speak(f"There were {number} and {number:,} of them.", Kind.PROSE, "en")
    )


HOSTILE = {
    "commas": "1," * 20_000,
    "digits": "1" * 40_000,
    "capitals": "A " * 20_000,
    "tags": "<a " * 15_000,
    "tokens": "<|" * 20_000,
    "stars": "*" * 40_000,
    "addresses": "a@" * 20_000,
    "saints": "St. " * 10_000,
    "dashes": "1-" * 20_000,
    "emoji": "😀" * 20_000,
    "accents": "a" + "\u0301" * 40_000,
    "romans": "I, " * 13_000 + "IV and " * 5_000,
    "clocks": "1:00-" * 8_000,
    "quotes": "6'" * 20_000,
    "shillings": "£1 2s. 3d. " * 4_000,
    "verses": "1 Cor. 1:1-" * 4_000,
    "dates": "1/2/" * 10_000,
    "notes": "it.1 " * 8_000,
    "brackets": "[1]" * 13_000,
    "measures": "5-" * 20_000 + "6 ft",
    "percents": "1% " * 13_000,
    "degrees": "1° 1′ " * 6_000,
    "one word": "a" * 40_000,
    "small letters": "a.b." * 10_000,
}


@given(
    st.text(st.sampled_from("[]<|>abc 1/()\n"), max_size=60), st.sampled_from(["en", "de", "zh"])
)
def test_nothing_from_a_book_looks_like_a_control_token(text: str, language: str) -> None:
    spoken = speak(text, Kind.PROSE, language)
    assert not re.search(r"<\||\|>|[\[\]]|<[a-z]", spoken), spoken


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_length_alone(name: str) -> None:
    started = time.process_time()
    speak(HOSTILE[name], Kind.PROSE, "en")
    assert time.process_time() - started < 3.0


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("“No. I will not.”", "“No. I will not.”"),
        ("I said no. I left.", "I said no. I left."),
        ("Wait a sec. I’ll come.", "Wait a sec. I’ll come."),
        ("It is art. V is a letter.", "It is art. V is a letter."),
        (
            "See Vol. I, No. IV, pp. xii–xv.",
            "See volume one, number four, pages twelve to fifteen.",
        ),
        ("Act I, scene ii, page xii", "Act one, scene two, page twelve"),
        ("A part of act ill health", "A part of act ill health"),
        ("The book I read was the letter I wrote.", "The book I read was the letter I wrote."),
        ("“That’s the part I—”", "“That’s the part I—”"),
        ("Class I took. Letters I kept.", "Class I took. Letters I kept."),
        ("THE BOOK I READ TO HER", "The book I read to her"),
        ("World War I ended.", "World War one ended."),
        ("See Part I of Book I, Chapter V.", "See Part one of Book one, Chapter five."),
        ("act I, scene I", "act one, scene one"),
    ],
)
def test_a_roman_number_is_no_word(source: str, spoken: str) -> None:
    assert speak(source, Kind.PROSE, "en") == spoken


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("at 5 in the morning", "at five in the morning"),
        ("1 in 10 stayed, 3 in a row", "one in ten stayed, three in a row"),
        ("a 3-in-1 tool", "a three-in-one tool"),
        ("It is 5 in. long.", "It is five inches long."),
        ("a 6in nail", "a six inches nail"),
    ],
)
def test_in_is_a_word_before_it_is_a_measure(source: str, spoken: str) -> None:
    assert speak(source, Kind.PROSE, "en") == spoken


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("William V. Brown came.", "William V. Brown came."),
        ("Henry V. Then he left.", "Henry the fifth. Then he left."),
        ("Queen Elizabeth I of England", "Queen Elizabeth the first of England"),
        ("Charles I’s head", "Charles the first’s head"),
        ("I told King Charles I would.", "I told King Charles I would."),
        ("MR SMITH met Capt Hook.", "Mister Smith met Captain Hook."),
        ("St Paul’s, in Mill St, by No.5", "Saint Paul’s, in Mill Street, by number five"),
        ("I AM HERE AND IT’S LATE", "I am here and it’s late"),
        ("AFTER LOUIS XLII CAME MORE MEN", "After Louis the forty-second Came more men"),
    ],
)
def test_names_initials_and_loud_words(source: str, spoken: str) -> None:
    assert speak(source, Kind.PROSE, "en") == spoken


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("10:30am", "ten thirty AM"),
        ("at 7.15 p.m. on", "at seven fifteen p m on"),
        ("5 Jan 1999", "the fifth of January, nineteen ninety-nine"),
        ("2024/05/06", "May sixth, twenty twenty-four"),
        ("05.06.2024", "the fifth of June, twenty twenty-four"),
        ("the 1066 battle", "the ten sixty-six battle"),
        ("Prologue: 1914", "Prologue: nineteen fourteen"),
        ("“1984.”", "“nineteen eighty-four.”"),
        ("in his 30s", "in his thirties"),
        ("at 0600 hours", "at oh six hundred hours"),
        (
            "US$5 million, $.50 or $5–10",
            "five million U S dollars, fifty cents or five to ten dollars",
        ),
        ("1 000 000 men", "one million men"),
        ("10^6, 10⁻³, x^2", "ten to the power of six, ten to the power of minus three, x squared"),
        ("4.5/5 and 10/10", "four point five out of five and ten out of ten"),
        ("16:9 at 4:1", "sixteen nine at four to one"),
        ("1-800-555-1234", "one, eight zero zero, five five five, one two three four"),
    ],
)
def test_numbers_as_people_write_them(source: str, spoken: str) -> None:
    assert speak(source, Kind.PROSE, "en") == spoken


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("The sea rose.¹ “Yes.”⁴ A fact⁵, he said.", "The sea rose. “Yes.” A fact, he said."),
        ("five feet² and 3 km²", "five feet squared and three square kilometres"),
        ("text --- text, word---word", "text — text, word—word"),
    ],
)
def test_marks_of_print(source: str, spoken: str) -> None:
    assert speak(source, Kind.PROSE, "en") == spoken


def test_circled_numbers_are_numbers() -> None:
    assert speak("①Open it. ② Close it.", Kind.PROSE, "en") == "one Open it. two Close it."
