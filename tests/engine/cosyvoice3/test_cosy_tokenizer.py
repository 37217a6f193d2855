"""Text to ids, against what two generations of the reference tokenizer gave."""

from __future__ import annotations

import json
import shutil
import unicodedata
from functools import cache
from pathlib import Path

import golden
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.narrators.cosyvoice3.config import BadModel
from engine.narrators.cosyvoice3.tokenizer import SPECIALS, Tokenizer

FILES, OURS = golden.names("tokenizer"), golden.own("tokenizer_tiny.json")


def _texts() -> list[tuple[str, str]]:
    """Every file and text in it."""
    return [(file, text) for file in FILES for text in golden.load(file)["texts"]]


@cache
def _tokenizer(file: str) -> Tokenizer:
    """The tokenizer whose folder lies beside a file of goldens."""
    return Tokenizer.of((golden.folder() / file).with_suffix(""))


@pytest.mark.parametrize(("file", "text"), _texts())
def test_a_text_has_the_references_ids(file: str, text: str) -> None:
    assert _tokenizer(file).encode(text) == golden.load(file)["texts"][text]


@pytest.mark.parametrize("file", FILES)
def test_every_special_token_has_the_references_id(file: str) -> None:
    held, tokenizer = golden.load(file), _tokenizer(file)
    for token, number in held["ids"].items():
        assert tokenizer.special(token) == held["base"] + number
        assert tokenizer.encode(token) == [held["base"] + number]
    # Those and <|endoftext|>, in this order and no others: a gap would shift all that follow.
    ids = {"<|endoftext|>": 0} | held["ids"]
    assert list(SPECIALS) == sorted(ids, key=ids.__getitem__)
    assert sorted(ids.values()) == list(range(len(SPECIALS)))
    assert tokenizer.size == held["base"] + len(SPECIALS)
    assert tokenizer.end_of_prompt == held["base"] + held["ids"]["<|endofprompt|>"]


def test_the_official_ids_follow_from_the_order() -> None:
    """The real vocabulary has 151643 tokens, and the text embedding rows for these and a few."""
    ids = {token: 151643 + number for number, token in enumerate(SPECIALS)}
    assert ids["<|endofprompt|>"] == 151646
    assert ids["<|endofsystem|>"] == 151663
    assert (ids["[AA]"], ids["[ZH]"], ids["[a]"], ids["[ǜ]"]) == (151664, 151747, 151748, 151923)
    assert len(ids) == len(SPECIALS) == 281


def test_a_name_that_is_no_special_token() -> None:
    with pytest.raises(KeyError):
        _tokenizer(OURS).special("the")


@given(st.text())
def test_any_text_has_ids_and_is_taken_in_its_composed_form(text: str) -> None:
    tokenizer = _tokenizer(OURS)
    ids = tokenizer.encode(text)
    assert all(0 <= number < tokenizer.size for number in ids)
    assert bool(ids) == bool(text)
    if not any(token in text or token in unicodedata.normalize("NFC", text) for token in SPECIALS):
        assert tokenizer.encode(unicodedata.normalize("NFC", text)) == ids


@given(st.text(max_size=8), st.sampled_from(SPECIALS), st.text(max_size=8))
def test_a_special_token_parts_the_text_around_it(before: str, token: str, after: str) -> None:
    tokenizer = _tokenizer(OURS)
    if any(mark in before + after for mark in "[]<>|"):
        return
    assert tokenizer.encode(before + token + after) == [
        *tokenizer.encode(before),
        tokenizer.special(token),
        *tokenizer.encode(after),
    ]


def test_half_a_character_is_told() -> None:
    with pytest.raises(ValueError, match="Character 3"):
        _tokenizer(OURS).encode("ab\ud800")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A tokenizer's folder to damage."""
    source = (golden.folder() / OURS).with_suffix("")
    return Path(shutil.copytree(source, tmp_path / "CosyVoice-BlankEN"))


def _vocab(folder: Path) -> dict[str, int]:
    """The table of a folder."""
    table: dict[str, int] = json.loads((folder / "vocab.json").read_text("utf-8"))
    return table


def test_a_missing_file_is_named(copied: Path) -> None:
    (copied / "merges.txt").unlink()
    with pytest.raises(BadModel, match=r"“merges\.txt” is not in the model folder"):
        Tokenizer.of(copied)
    (copied / "vocab.json").unlink()
    with pytest.raises(BadModel, match=r"“vocab\.json” is not in the model folder"):
        Tokenizer.of(copied)


def test_a_damaged_table_is_named(copied: Path) -> None:
    table = copied / "vocab.json"
    whole = table.read_text("utf-8")
    for text, told in (
        (whole[: len(whole) // 2], "cannot be read as JSON"),
        ("[1, 2]", "not a table"),
        ("{}", "not a table"),
        ('{"a": "b"}', "not a table"),
        ('{"a": 1}', "leaves ids out"),
    ):
        table.write_text(text, "utf-8")
        with pytest.raises(BadModel, match=told):
            Tokenizer.of(copied)


def test_merges_of_another_table_are_told(copied: Path) -> None:
    merges = copied / "merges.txt"
    whole = merges.read_text("utf-8")
    merges.write_text(whole + "qq zz\n", "utf-8")
    with pytest.raises(BadModel, match=r"does not belong to “vocab\.json”"):
        Tokenizer.of(copied)
    merges.write_text("#version: 0.2\n", "utf-8")
    with pytest.raises(BadModel, match="holds no merges"):
        Tokenizer.of(copied)
    merges.write_text(whole + "a b c\n", "utf-8")
    with pytest.raises(BadModel, match="no pair of tokens as merge"):
        Tokenizer.of(copied)


def test_a_table_that_holds_special_tokens_is_told(copied: Path) -> None:
    """Their ids would not be those that the model learnt."""
    table = _vocab(copied)
    (copied / "vocab.json").write_text(json.dumps(table | {"[breath]": len(table)}), "utf-8")
    with pytest.raises(BadModel, match=r"holds the special token “.+” already"):
        Tokenizer.of(copied)


def test_special_tokens_are_looked_for_in_the_text_as_it_is() -> None:
    """Before it is composed: what has its mark apart is text, as in the reference."""
    tokenizer = _tokenizer(OURS)
    apart = unicodedata.normalize("NFD", "[ǜ]")
    assert tokenizer.encode("[ǜ]") == [tokenizer.special("[ǜ]")]
    assert tokenizer.special("[ǜ]") not in tokenizer.encode(apart)
