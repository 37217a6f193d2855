"""What decides the sound of a take has one name everywhere."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from bookmaking import CARD, HEART
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import BadInput, MachineFault
from studio.project.model import Voice
from studio.project.project import Project
from studio.project.recipe import (
    build_id,
    build_of,
    canonical,
    here,
    recipe_for,
    recipe_id,
    voice_fingerprint,
    wire_voice,
)

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(max_size=5)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), values, max_size=5),
    st.randoms(),
)
def test_the_order_of_keys_does_not_matter(
    recipe: dict[str, object], chance: random.Random
) -> None:
    items = list(recipe.items())
    chance.shuffle(items)
    try:
        name = recipe_id(recipe)
    except Exception:  # Half a character cannot be written, in any order.
        return
    assert recipe_id(dict(items)) == name


def test_the_name_of_a_recipe_never_changes() -> None:
    recipe = {
        "spoken": "Ferry — “£1”",
        "seed": 4294967295,
        "speed": 1.0,
        "settings": {"b": 0.1, "a": []},
    }
    assert (
        canonical(recipe)
        == (
            '{"seed":4294967295,"settings":{"a":[],"b":0.1},"speed":1,"spoken":"Ferry — “£1”"}'
        ).encode()
    )
    assert recipe_id(recipe) == recipe_id(json.loads(json.dumps(recipe)))


def test_a_recipe_of_an_engine_without_options_keeps_its_name(project: Project) -> None:
    segment = replace(project.segments()[1], spoken="The ferry was late.")
    voice = replace(project.voices()["heart"], fingerprint="f" * 64)
    named = "cceb0949baa24b9add059de47ca4fce1302d4bb0baf811f2567facdc2323b215"
    assert recipe_id(recipe_for(segment, voice, CARD, 5)) == named
    steps = replace(CARD, options={"steps": 10})
    told = recipe_for(segment, voice, steps, 5)
    assert told == {**recipe_for(segment, voice, CARD, 5), "options": {"steps": 10}}
    assert recipe_id(told) != named
    again = recipe_for(segment, voice, steps, 5, b"\1\0\0\0")
    assert again == {**told, "tokens": hashlib.sha256(b"\1\0\0\0").hexdigest()}
    assert here(told, CARD) == recipe_for(segment, voice, CARD, 5)
    assert here(recipe_for(segment, voice, CARD, 5), steps) == told


def test_everything_that_decides_the_sound_is_in_the_recipe(project: Project) -> None:
    segment = project.segments()[1]
    voice = project.voices()["heart"]
    base = recipe_for(segment, voice, CARD, 5)
    others = [
        recipe_for(replace(segment, spoken="x"), voice, CARD, 5),
        recipe_for(replace(segment, speed=1.5), voice, CARD, 5),
        recipe_for(segment, replace(voice, language="en-GB"), CARD, 5),
        recipe_for(segment, replace(voice, fingerprint="f"), CARD, 5),
        recipe_for(segment, replace(voice, settings={"a": 1}), CARD, 5),
        recipe_for(segment, voice, CARD, 6),
        *(
            recipe_for(segment, voice, replace(CARD, **{name: value}), 5)
            for name, value in (
                ("engine", "x"),
                ("version", "x"),
                ("model", "x"),
                ("backend", "x"),
                ("precision", "x"),
                ("threads", 2),
            )
        ),
    ]
    assert len({recipe_id(recipe) for recipe in (base, *others)}) == 1 + len(others)
    elsewhere = replace(CARD, build={"onnxruntime": "9"})
    assert recipe_for(segment, voice, elsewhere, 5) == base
    assert build_id("hibari", build_of(elsewhere)) != build_id("hibari", build_of(CARD))
    assert build_id("hibari", build_of(replace(CARD, device="cuda"))) != build_id(
        "hibari", build_of(CARD)
    )


def test_everything_about_a_voice_is_in_its_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"a")
    (tmp_path / "copy.wav").write_bytes(b"a")
    (tmp_path / "b.wav").write_bytes(b"b")
    voices = [
        HEART,
        *(
            replace(HEART, **{name: value})
            for name, value in (
                ("engine", "x"),
                ("speaker", "x"),
                ("reference", "a.wav"),
                ("reference", "b.wav"),
                ("transcript", "x"),
                ("description", "x"),
                ("style", "x"),
                ("language", "x"),
                ("settings", {"a": 1}),
            )
        ),
    ]
    assert len({voice_fingerprint(voice, tmp_path) for voice in voices}) == len(voices)
    same = voice_fingerprint(replace(HEART, id="other", fingerprint="old"), tmp_path)
    assert same == voice_fingerprint(HEART, tmp_path)
    assert voice_fingerprint(replace(HEART, reference="copy.wav"), tmp_path) == voice_fingerprint(
        replace(HEART, reference="a.wav"), tmp_path
    )
    with pytest.raises(MachineFault, match="cannot be read"):
        voice_fingerprint(replace(HEART, reference="gone.wav"), tmp_path)
    with pytest.raises(MachineFault, match="it is no file"):
        voice_fingerprint(replace(HEART, reference="/dev/zero"), tmp_path)
    for endless in (float("inf"), float("nan"), 10**30):
        with pytest.raises(BadInput, match="cannot be kept"):
            voice_fingerprint(replace(HEART, settings={"pitch": endless}), tmp_path)


def test_an_engine_is_told_the_whole_path(tmp_path: Path) -> None:
    voice = Voice(id="me", engine="clone", reference="voices/a.wav", fingerprint="f")
    assert wire_voice(voice, tmp_path).reference == str(tmp_path.resolve() / "voices/a.wav")
    assert wire_voice(HEART, tmp_path).reference == ""
