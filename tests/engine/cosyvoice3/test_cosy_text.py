"""What reaches the model as text, and what never does."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import golden
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.narrators.cosyvoice3 import chinese, saying, splitting
from engine.narrators.cosyvoice3.text import (
    PAIRS,
    SOUNDS,
    Mode,
    guard,
    mode_of,
    prompt,
    spoken,
)
from engine.narrators.cosyvoice3.tokenizer import END_OF_PROMPT, SPECIALS, Tokenizer
from engine.registry import Refusal
from engine.wire import Narrate
from studio.book.kinds import Kind
from studio.book.speaking import speak

TOKENIZER = Tokenizer.of(Path(__file__).parent / "golden" / "tokenizer_tiny")
SPECIAL_IDS = {TOKENIZER.special(token): token for token in SPECIALS}
TAGS = tuple(f"<{slash}{pair}>" for pair in PAIRS for slash in ("", "/"))
PIECES = SPECIALS[SPECIALS.index("<|endofsystem|>") + 1 :]


def commands(text: str) -> list[str]:
    """The special tokens that a text becomes."""
    return [SPECIAL_IDS[number] for number in TOKENIZER.encode(text) if number in SPECIAL_IDS]


bits = st.one_of(
    st.sampled_from(SPECIALS),
    st.sampled_from([*SOUNDS, *TAGS, "[j][ǐ]", "[HH][AH0]", "[T]he", "[a]nd", "<|im_start|>"]),
    st.sampled_from([*"[]<>|{}()/ \n", "[[", "]]", "<|", "|>", "](/", "/)"]),
    st.text(max_size=6),
)
texts = st.lists(bits, max_size=12).map("".join)
plain = st.lists(
    st.one_of(
        st.sampled_from([t for t in SPECIALS if t not in SOUNDS + TAGS and not t.startswith("[")]),
        st.sampled_from(PIECES).map(lambda piece: piece + "word"),
        st.sampled_from([*"[]<>|{}()/ \n", "[[", "]]", "<|", "|>", "[breath", "sigh]", "strong>"]),
        st.text(max_size=6),
    ),
    max_size=12,
).map("".join)


# ---- no command that was not written -------------------------------------------------------------


@given(texts)
def test_only_commands_that_are_written_as_such_reach_the_model(text: str) -> None:
    guarded = guard(text.encode("utf-8", "ignore").decode())
    written = unicodedata.normalize("NFC", text)
    for command in commands(guarded):
        assert command in SOUNDS + TAGS + PIECES
        assert command in written
    for run in re.findall(r"(?:\[[^\[\]]*\])+", guarded):
        pieces = re.findall(r"\[[^\[\]]*\]", run)
        phones = [piece for piece in pieces if piece in PIECES]
        assert len(phones) != 1
        assert set(pieces) <= set(SOUNDS + PIECES)


@given(texts)
def test_guarding_twice_changes_nothing(text: str) -> None:
    assert guard(guard(text)) == guard(text)


@given(texts)
def test_pairs_reach_the_model_as_pairs(text: str) -> None:
    opened: list[str] = []
    for tag in (c for c in commands(guard(text.encode("utf-8", "ignore").decode())) if "<" in c):
        if tag.startswith("</"):
            assert opened.pop() == tag.replace("/", "")
        else:
            opened.append(tag)
    assert opened == []


@given(plain)
def test_text_without_commands_has_none(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    if not re.search(r"\[(?:breath|sigh)\]|</?strong>", text):
        assert not [c for c in commands(guard(text)) if c not in PIECES]


@pytest.mark.parametrize("piece", PIECES)
def test_one_phone_or_piece_of_pinyin_is_a_book_s_bracket(piece: str) -> None:
    for text in (f"{piece}he end", f"the {piece} end", f"the{piece}", piece + piece.lower()[:-1]):
        assert commands(guard(text)) == []


@pytest.mark.parametrize("token", [t for t in SPECIALS if t.startswith("<|")])
def test_a_token_of_the_model_s_own_is_never_taken_from_a_text(token: str) -> None:
    assert commands(guard(f"He wrote {token} on the wall.")) == []
    assert guard(f"He wrote {token} on the wall.") == "He wrote on the wall."
    assert commands(guard(f"<{token}>{token[1:-1]}")) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[T]he man [a]nd his dog", "The man and his dog"),
        ("He walk[ed] on.", "He walked on."),
        ("[sic] and [12]", "(sic) and (12)"),
        ("[Harrow](/hˈæɹO/) said", "Harrow said"),
        ("a <strong>b", "a b"),
        ("a</strong> b", "a b"),
        ("<strong>a</laughter>", "a"),
        ("<b>bold</b> text", "bold text"),
        ("3 < 4 | {x}", "3 4 x"),
        ("[a][b] [c]", "(a)(b) (c)"),
        ("[B][AH]", "(B)(AH)"),
        ("line\none", "line one"),
    ],
)
def test_other_brackets_are_folded(text: str, expected: str) -> None:
    assert guard(text) == expected


@pytest.mark.parametrize("sound", SOUNDS)
def test_a_sound_is_a_command(sound: str) -> None:
    assert commands(guard(f"Well {sound} then.")) == [sound]
    assert guard(f"Well {sound} then.") == f"Well {sound} then."


@pytest.mark.parametrize(
    "text",
    [
        "a <strong>word</strong> in",
        "<laughter>you <strong>know</strong></laughter>",
        "[HH][AH0][L][OW1], he said",
        "他[j][ǐ]高",
    ],
)
def test_pairs_and_pronunciations_are_commands(text: str) -> None:
    assert guard(text) == text
    assert commands(text)


def test_a_pronunciation_may_come_decomposed() -> None:
    assert commands(guard(unicodedata.normalize("NFD", "[j][ǐ]"))) == ["[j]", "[ǐ]"]


def test_every_named_command_is_known_to_the_tokenizer() -> None:
    named = SPECIALS[SPECIALS.index("[breath]") : SPECIALS.index("<|endofsystem|>")]
    assert sorted(named) == sorted(SOUNDS + TAGS)


@given(texts)
def test_nothing_of_a_book_is_a_command(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    for language in ("en", "de", "zh", "pl"):
        assert commands(guard(speak(text, Kind.PROSE, language))) == []


# ---- a line as it is read ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "…", "[]", "<|endofprompt|>", "“—”", "[ | ]", "€"])
def test_nothing_to_say_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="nothing to say"):
        spoken(text, "en")


def test_half_a_character_is_refused() -> None:
    with pytest.raises(Refusal, match=r"Character 4 of the text is broken"):
        spoken("a b\ud800c", "en")


@pytest.mark.parametrize("text", ["彼は来た。", "ひらがな", "カタカナ と 漢字"])
def test_japanese_that_would_be_read_as_chinese_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="Japanese in katakana only"):
        spoken(text, "ja")


def test_katakana_is_read() -> None:
    assert spoken("カレワ キタ。", "ja-JP") == "カレワ キタ。"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("你 好 world foo", "zh", "你好world foo"),
        ("他说 - 好.", "zh-CN", "他说，好。"),
        ("三 m²，", "zh", "三m平方。"),
        ("（笑）好【x】", "", "笑好x"),
        ("价格是3.5元", "zh", "价格是3.5元"),
        ("He said 你 好 to us.", "en", "He said 你 好 to us."),
        ("12 men, 7 boats", "en", "twelve men, seven boats"),
        ("In 1999, 2.5 of 007 at 12:30, $5 and 3,000", "en-GB", None),
        ("12 Männer", "de", None),
        ("A line of prose.", "fr", None),
    ],
)
def test_a_line_is_cleaned_by_its_language(text: str, language: str, expected: str | None) -> None:
    assert spoken(text, language) == (text if expected is None else expected)


# ---- modes ---------------------------------------------------------------------------------------


def test_zero_shot_goes_on_from_the_transcript() -> None:
    made = prompt(Mode.ZERO_SHOT, "What was [T]old.", "")
    assert made.text == "You are a helpful assistant.<|endofprompt|>What was Told."
    assert made.preface == ""
    assert made.speech


def test_cross_lingual_knows_nothing_of_the_reference() -> None:
    made = prompt(Mode.CROSS_LINGUAL, "What was told.", "")
    assert made.text == ""
    assert made.preface == "You are a helpful assistant.<|endofprompt|>"
    assert not made.speech


def test_instruct_is_told_how_to_read() -> None:
    made = prompt(Mode.INSTRUCT, "What was told.", "请用广东话表达。")
    assert made.text == "You are a helpful assistant. 请用广东话表达。<|endofprompt|>"
    assert made.preface == ""
    assert not made.speech


def test_a_style_gives_no_command_but_what_is_said() -> None:
    made = prompt(Mode.INSTRUCT, "", "[T]ell it <|endofprompt|>softly<|im_end|>")
    assert made.text == "You are a helpful assistant. Tell it softly<|endofprompt|>"


@given(st.sampled_from(list(Mode)), texts, texts)
def test_there_is_one_end_of_prompt_whatever_is_written(
    mode: Mode, transcript: str, style: str
) -> None:
    transcript, style = (s.encode("utf-8", "ignore").decode() for s in (transcript, style))
    made = prompt(mode, transcript, style)
    assert commands(made.text + made.preface).count(END_OF_PROMPT) == 1


@pytest.mark.parametrize(
    ("settings", "style", "mode"),
    [
        ({}, "", Mode.ZERO_SHOT),
        ({}, "softly", Mode.INSTRUCT),
        ({"mode": "zero_shot"}, "", Mode.ZERO_SHOT),
        ({"mode": "cross_lingual"}, "", Mode.CROSS_LINGUAL),
        ({"mode": "instruct"}, "softly", Mode.INSTRUCT),
    ],
)
def test_the_mode_of_a_voice(settings: dict[str, str], style: str, mode: Mode) -> None:
    assert mode_of(settings, style) is mode


@pytest.mark.parametrize(
    ("settings", "style", "reason"),
    [
        ({"pitch": 2}, "", "no voice setting named “pitch”"),
        ({"mode": "sft"}, "", "cannot be “sft”; it is one of “zero_shot”, “cross_lingual”"),
        ({"mode": 3}, "", "cannot be “3”"),
        ({"mode": ["instruct"]}, "", "cannot be"),
        ({"mode": "instruct"}, "  ", "does not say how to read"),
        ({"mode": "zero_shot"}, "softly", "cannot follow"),
        ({"mode": "cross_lingual"}, "softly", "cannot follow"),
    ],
)
def test_settings_that_do_not_fit(settings: dict[str, object], style: str, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        mode_of(settings, style)  # type: ignore[arg-type]


# ---- what nobody sees ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("wa\u00adter and\u200b house", "water and house"),
        ("\ufeffHe \x1b[31msaid\x00 so\x7f.", "He (31msaid so."),
        ("He\u202e said\u2066 so", "He said so"),
        ("a\tb\x1fc\x85d", "a b c d"),
        ("e\u200b\u0301t\ue000\U0010ffff", "\u00e9t"),
        ("\u2764\ufe0f good", "\u2764 good"),
        ("[si\u00adgh] he said", "(si gh) he said"),
        ("[sigh]\u200b he said", "[sigh] he said"),
    ],
)
def test_what_nobody_sees_is_not_read(text: str, seen: str) -> None:
    assert guard(text) == seen
    assert prompt(Mode.ZERO_SHOT, text, "").text.endswith(f"{END_OF_PROMPT}{seen}")


@pytest.mark.parametrize(
    "text",
    [
        *("\x00\x01", "\u200b\u200b", "\ufeff", "\ue000", "\u0301\u0301", "\u2764\ufe0f"),
        *("\U0001f468\u200d\U0001f469\u200d\U0001f467", "<strong></strong>", "<strong>…</strong>"),
    ],
)
def test_nothing_that_can_be_said_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="nothing to say"):
        spoken(text, "en")


@pytest.mark.parametrize("text", ["[breath]", "[laughter] [sigh]", "<strong>a</strong>", "〇", "5"])
def test_a_sound_a_letter_or_a_digit_is_enough(text: str) -> None:
    assert spoken(text, "zh")


def test_half_of_a_character_is_refused_wherever_it_stands() -> None:
    with pytest.raises(Refusal, match="Character 2 of the transcript is broken"):
        prompt(Mode.ZERO_SHOT, "a\ud800", "")
    with pytest.raises(Refusal, match="Character 1 of the style is broken"):
        prompt(Mode.INSTRUCT, "", "\udfff")


def test_each_piece_of_a_text_without_a_prompt_has_the_preface() -> None:
    """The model has to find it in what it reads; the reference never cuts such a text, we do."""
    crossing = prompt(Mode.CROSS_LINGUAL, "", "")
    speaker = saying.Speaker(crossing, [], [], SimpleNamespace())
    request = Narrate(1, "The old man was in the house by the water. " * 12, "en", "v", seed=0)
    pieces = saying._pieces(SimpleNamespace(tokenizer=TOKENIZER), speaker, request)
    preface = TOKENIZER.encode(crossing.preface)
    assert len(pieces) > 1
    for ids in pieces:
        assert ids[: len(preface)] == preface
        assert ids.count(TOKENIZER.end_of_prompt) == 1


# ---- the reference front end's own rules ---------------------------------------------------------

FILES = golden.names("text")
RULES = {
    "spell": splitting.spell_out,
    "blank": chinese.without_blanks,
    "bracket": chinese.without_brackets,
    "corner": chinese.with_powers,
    "only_punct": chinese.only_signs,
}


@pytest.mark.parametrize("file", FILES)
def test_paragraphs_are_split_as_the_reference_splits_them(file: str) -> None:
    held = golden.load(file)
    token = re.compile(held.get("tokenizer_regex", r"\w+|[^\w\s]"))
    for case in held.get("split", []):
        parts = splitting.split_paragraph(
            case["text"],
            lambda text: len(token.findall(text)),
            case["lang"],
            at_commas=case["comma_split"],
        )
        assert parts == case["out"], case["text"]


@pytest.mark.parametrize(("file", "name"), [(file, name) for file in FILES for name in RULES])
def test_text_is_cleaned_as_the_reference_cleans_it(file: str, name: str) -> None:
    for text, expected in golden.load(file).get(name, []):
        assert RULES[name](text) == expected, text


@pytest.mark.parametrize(
    ("digits", "words"),
    [
        ("1000", "one thousand"),
        ("1001", "one thousand and one"),
        ("1100", "one thousand, one hundred"),
        ("1000000", "one million"),
        ("1000100", "one million, one hundred"),
        ("1001001", "one million, one thousand and one"),
        ("100000000000000000000000000000000000", "one hundred decillion"),
        ("1" + "0" * 36, "one" + " zero" * 36),
        ("000", "zero"),
        ("٣٤", "thirty-four"),
    ],
)
def test_numbers_in_words(digits: str, words: str) -> None:
    assert splitting.spell_out(digits) == words


def test_a_quote_after_a_lone_mark_opens_the_first_piece() -> None:
    assert splitting.split_paragraph('."Go." he said', len, "en") == ['"Go." he said.']
    assert splitting.split_paragraph("", len, "en") == []
