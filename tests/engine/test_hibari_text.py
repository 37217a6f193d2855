"""What hibari is given to read: everything is spoken or refused by name, nothing is lost."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import hibari
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import examples

from engine.narrators import hibari_speech, hibari_text
from engine.narrators.hibari_speech import LIMIT, Pronouncer, Word, cut
from engine.registry import Refusal


@pytest.fixture(scope="module")
def pronouncer() -> Pronouncer:
    return Pronouncer(Path(hibari.__file__).parent / "assets")


def said(pronouncer: Pronouncer, text: str) -> str:
    """All phonemes of a text, chunks apart by a bar."""
    chunks = pronouncer.chunks(text)
    return "|".join("".join(word.phonemes for word in chunk).strip() for chunk in chunks)


def plain(text: str) -> str:
    """Readable text without a dictionary."""
    return hibari_text.readable(text, lambda word: False, "")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("He said 你好 to us.", ["“你好” (Chinese characters)"]),
        ("Привет, мир!", ["“Привет” (Cyrillic)", "“мир” (Cyrillic)"]),
        ("In the beginning was the λόγος.", ["“λόγος” (Greek)"]),
        ("مرحبا there", ["“مرحبا” (Arabic)"]),
        ("नमस्ते there", ["“नमस्ते” (Devanagari"]),
        ("ひらがな", ["Japanese"]),
        ("한국 사람", ["“한국” (Korean)", "“사람” (Korean)"]),
        ("a Моsсоw mule", ["“Моsсоw” (Cyrillic)"]),
        ("שלום", ["Hebrew"]),
        ("room ٣", ["“٣” (Arabic)"]),
        ("the sound ʃ", ["“ʃ” (a phonetic letter)"]),
        ("so happy 😀 today", ["“😀” (grinning face)"]),
        ("👩\u200d👧", ["woman"]),
        ("1\ufe0f\u20e3", ["combining enclosing keycap"]),
        ("10⁵", ["“10⁵” (superscript five)"]),
        ("note¹", ["superscript one"]),
        ("❦", ["floral heart"]),
        ("x ∈ y", ["“∈” (element of)"]),
        ("x ≮ y", ["“≮” (not less-than)"]),
        ("a\ue000b", ["a broken character, U+E000"]),
        ("a\ud800b", ["a broken character, U+D800"]),
        ("\u0301", ["combining acute accent"]),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(text: str, named: list[str]) -> None:
    with pytest.raises(Refusal) as refused:
        plain(text)
    reason = str(refused.value)
    reason.encode("utf-8")
    for name in named:
        assert name in reason
    assert "take it out" in reason


def test_many_unreadable_words_are_not_all_listed() -> None:
    with pytest.raises(Refusal, match=r"and 3 more\. Write"):
        plain("раз два три четыре пять шесть семь восемь")
    with pytest.raises(Refusal) as refused:
        plain("字" * 500)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("text", ["", "   ", "\n", "…", "— “” —", "?!", "(…)", "\u200b", "'"])
def test_text_without_a_word_is_refused(pronouncer: Pronouncer, text: str) -> None:
    with pytest.raises(Refusal, match="nothing to read aloud"):
        pronouncer.chunks(text)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("ＡＢＣ　１２", "ABC 12"),
        ("ﬁne 𝐀nd Ⅳ", "fine And IV"),
        ("co\u00adop\u200bera\u2060tion\ufeff", "cooperation"),
        ("Zoe\u0308 Ħal ŋ", "Zoey Hal ng"),
        ("x\u0336 q\u0303", "x q"),
        ("non‑breaking ‘a’ „b“", "non-breaking ‘a’ “b“"),
        ("a [note] {x}", "a (note) (x)"),
        ("AT&T 50%", "AT and T 50 percent "),
        ("2 + 2 = 4 × 1", "2 plus 2 equals 4 times 1"),
        ("−3 ≠ 5, a ≤ b", " minus 3 does not equal 5, a less than or equal to b"),
        ("5½ cups, ⅔", "5 and 1/2 cups, 2/3 "),
        ("H₂O x²", "H 2 O x squared "),
        ("© 2020 ™ § 5 †", " copyright 2020 trademark section 5 dagger "),
        ("#1 #tag № 3", " number 1 hash tag number 3"),
        ("~5 ~ *a*", " about 5 tilde asterisk a asterisk "),
        ("20°C 5 µm", "20°C 5 µm"),
        ("$9.99, $1 and $0.50", "9 dollars and 99 cents, 1 dollar and 50 cents"),
        ("5€ 100 ₹ €5,50 a ¢", "5 euros 100 rupees 5 euros and 50 cents a cent "),
        ("5-10€ from 5 $10", "5 to 10 euros from 5 10 dollars"),
        ("-$5 $5-$10 $5–10", "minus 5 dollars 5 dollars to 10 dollars 5 to 10 dollars"),
        ("US$5 £5bn $1.5 million", "5 U.S. dollars 5 billion pounds 1.5 million dollars"),
        ("$ € ₿", " dollar euro bitcoin "),
        ("£0.01 £1.00 $0.00", "1 penny 1 pound 0 dollars"),
        ("12345678901234567", "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7"),
        ("one\r\ntwo\u2029three\tfour", "one\n\ntwo\nthree four"),
    ],
)
def test_signs_become_words(text: str, spoken: str) -> None:
    assert plain(text) == spoken


ALLOWED = set("".join(hibari_text.PUNCTUATION | hibari_text.LEFT_ALONE))


@given(st.text(max_size=30))
@settings(max_examples=examples(500), deadline=None)
def test_any_text_is_refused_or_made_of_what_can_be_read(text: str) -> None:
    try:
        spoken = plain(text)
    except Refusal:
        return
    for char in spoken:
        assert char in ALLOWED or (char.isascii() and char.isalnum()), (char, text)
    for char in text:
        if unicodedata.category(char)[0] in "LN" and char not in "ʹʻʼ":  # typed for apostrophes
            assert any(c.isalnum() for c in spoken), text


@given(st.sampled_from("&%+=<>@#*_\\|^©®™§¶†‡•→±×÷≠≈≤≥√∞∑−‰′″²³№°µ$£€¥₹₩₽₿฿₪₺₴₦₫₱¢~"))
@settings(deadline=None)
def test_every_sign_adds_phonemes_wherever_it_stands(pronouncer: Pronouncer, sign: str) -> None:
    bare = len(said(pronouncer, "a b 5 c"))
    for text in (f"a {sign} b 5 c", f"a{sign}b 5 c", f"a b {sign}5 c", f"a b 5{sign} c"):
        assert len(said(pronouncer, text).replace(" ", "")) > bare - 3, text


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("café", "kæfˈA"),
        ("cafe\u0301", "kæfˈA"),
        ("Zoë", "zˈOi"),
        ("naïve", "nɑˈiv"),
        ("Łódź", "lˈɑdz"),
        ("façade", "fəsˈɑd"),
        ("résumé", "ɹˌAsumˈA"),
        ("œuvre", "ˈʊvɹə"),
        ("ŒUVRE", "ˈʊvɹə"),
        ("Ħal", "hˈæl"),
        ("Smørrebrød", "smˈɔɹɪbɹˌɑd"),
    ],
)
def test_accented_latin_is_spoken(pronouncer: Pronouncer, text: str, phonemes: str) -> None:
    assert said(pronouncer, text) == phonemes


def test_no_latin_letter_is_silent(pronouncer: Pronouncer) -> None:
    """Alone, phonemes come out or it is refused by name; in a word, it is heard."""
    for letter in filter(str.isalpha, map(chr, range(0xC0, 0x250))):
        try:
            alone = said(pronouncer, letter)
        except Refusal as refusal:
            assert letter in str(refusal)  # noqa: PT017
            continue
        assert pronouncer.ids(alone), letter
        around = ("p", "t") if plain(letter).strip(" ’")[0].lower() in "aeiouy" else ("a", "a")
        assert said(pronouncer, letter.join(around)) != said(pronouncer, "".join(around)), letter


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("She said no.", "ʃˌi sˈɛd nˈO."),
        ("Oh no. He left.", "ˈO nˈO.|hˌi lˈɛft."),
        ("No. 10 is no. 5", "nˈʌmbəɹ tˈɛn ɪz nˈʌmbəɹ fˈIv"),
        ("In the Sun.", "ɪn ðə sˈʌn."),
        ("vol. 3. Then", "vˈɑljˌum θɹˈi.|ðˈɛn"),
        ("King Charles", "kˈɪŋ ʧˈɑɹlz"),
        ("the part I like", "ðə pˈɑɹt ˌI lˈIk"),
        ("Chapter IV. King Charles II and Part I.", None),
        ("1990s °C 3/4 -3 St. O'", None),
        ("A number (1990", None),
    ],
)
def test_words_stay_words_and_numbers_are_spoken(
    pronouncer: Pronouncer, text: str, phonemes: str | None
) -> None:
    spoken = said(pronouncer, text)
    assert phonemes is None or spoken == phonemes


def test_a_number_taken_for_a_mark_is_spoken_all_the_same(pronouncer: Pronouncer) -> None:
    assert "mˈInəs θɹˈi" in said(pronouncer, "St. 3/4 -3 —")


def test_a_very_long_word_keeps_its_end(pronouncer: Pronouncer) -> None:
    word = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"
    assert said(pronouncer, word).endswith("ɑɡɑk")


def test_markup_gives_a_word_its_phonemes(pronouncer: Pronouncer) -> None:
    text = "[Dr. Quine](/kwˈIn/), said [Tom](/tˈɑm/)’s friend."
    (chunk,) = pronouncer.chunks(text)
    assert chunk[:3] == (Word("Dr. Quine", "kwˈIn"), Word(",", ", "), Word("said", "sˈɛd "))
    assert chunk[3] == Word("Tom", "tˈɑm")
    assert said(pronouncer, "[你好](/nˌihˈW/) to you").startswith("nˌihˈW t")


@pytest.mark.parametrize(
    "text", ["[word](wˈɜɹd)", "[word](/x", "[wor[d](/x/)", "[word] (/x/)", "[](/x/)", "[a](b)"]
)
def test_anything_less_than_exact_markup_is_literal(pronouncer: Pronouncer, text: str) -> None:
    try:
        spoken = said(pronouncer, text)
    except Refusal as refusal:
        assert "phonetic letter" in str(refusal)  # noqa: PT017
    else:
        assert "(" in spoken
        assert "[" not in spoken


@pytest.mark.parametrize("phonemes", ["wˈɜ7d", "🙂", " ", "w'ord"])
def test_markup_with_unknown_phonemes_is_refused(pronouncer: Pronouncer, phonemes: str) -> None:
    with pytest.raises(Refusal, match="given for “word”"):
        pronouncer.chunks(f"A [word](/{phonemes}/).")


@given(
    st.text(
        st.sampled_from("abeiAIO  0123456789.,;:!?…'\"‘’“”()-–—/%&+$£°µ½éłß[]*_~^\n"), max_size=30
    )
)
@settings(max_examples=examples(300), deadline=None)
def test_any_readable_text_is_pronounced(pronouncer: Pronouncer, text: str) -> None:
    """The rules fail on nothing that they are given, and no word comes out without phonemes."""
    try:
        chunks = pronouncer.chunks(text)
    except Refusal as refusal:
        assert "nothing to read aloud" in str(refusal)  # noqa: PT017
        return
    words = [word for chunk in chunks for word in chunk]
    assert all(pronouncer.ids(w.phonemes) for w in words if any(c.isalnum() for c in w.text))


def groups(*sizes: int, ends: dict[int, str] | None = None) -> list[Word]:
    """Words of so many phonemes with gaps between, some with a mark at the end."""
    ends = ends or {}
    return [
        Word(f"w{index}", "a" * (size - 1) + ends.get(index, "a") + " ")
        for index, size in enumerate(sizes)
    ]


def sizes(chunks: list[tuple[Word, ...]]) -> list[int]:
    return [sum(len(word.phonemes) for word in chunk) for chunk in chunks]


def test_a_short_sentence_is_one_chunk() -> None:
    words = groups(*[99] * 4)
    assert cut(words) == [tuple(words)]


def test_a_long_sentence_is_cut_into_even_chunks_at_gaps() -> None:
    chunks = cut(groups(*[9] * 100))
    assert sizes(chunks) == pytest.approx([334] * 3, abs=20)
    assert sum(chunks, ()) == tuple(groups(*[9] * 100))


def test_the_strongest_mark_is_where_it_is_cut() -> None:
    words = groups(*[9] * 60, ends={29: ",", 20: ";", 40: ","})
    assert [len(chunk) for chunk in cut(words)] == [21, 39]
    words = groups(*[9] * 60, ends={29: ",", 20: ",", 35: ","})
    assert [len(chunk) for chunk in cut(words)] == [30, 30]


def test_a_mark_at_the_very_start_is_no_place_to_cut() -> None:
    words = groups(*[9] * 60, ends={0: ";"})
    assert [len(chunk) for chunk in cut(words)] == [30, 30]


def test_one_word_over_the_limit_is_refused() -> None:
    with pytest.raises(Refusal, match="“w1…” is too long"):
        cut(groups(50, LIMIT + 1, 50))


@given(st.lists(st.integers(1, LIMIT - 1), max_size=40), st.data())
@settings(max_examples=examples(200), deadline=None)
def test_no_chunk_is_over_the_limit_and_nothing_is_lost(lengths: list[int], data: object) -> None:
    marks = st.dictionaries(st.integers(0, 39), st.sampled_from(",;.!—"))
    words = groups(*lengths, ends=data.draw(marks))
    chunks = cut(words)
    assert [word for chunk in chunks for word in chunk] == words
    assert all(0 < size <= LIMIT for size in sizes(chunks))


def test_real_text_over_the_limit_is_cut(pronouncer: Pronouncer) -> None:
    text = "and then they went on " * 27
    chunks = pronouncer.chunks(text)
    assert len(chunks) > 1
    assert max(sizes(chunks)) <= LIMIT
    assert sum(len(chunk) for chunk in chunks) == 27 * 5
    with pytest.raises(Refusal, match="too long to be spoken at once"):
        pronouncer.chunks("W" * 300)


def test_dashes_without_spaces_are_gaps_too(pronouncer: Pronouncer) -> None:
    assert max(sizes(pronouncer.chunks("—".join(["certainly"] * 60)))) <= LIMIT


def test_a_failure_of_the_rules_is_a_refusal(
    pronouncer: Pronouncer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hibari_speech, "normalize", lambda part: part)

    def fail(tokens: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr(pronouncer._g2p, "phonemize_tokens", fail)
    with pytest.raises(Refusal, match=r"fail on “Some words\."):
        pronouncer.chunks("Some words.")
    assert "IndexError" in capsys.readouterr().err
