"""The parts of a bench: its pictures, its sets, and what it says of two lines."""

from __future__ import annotations

import errno
import json
import re
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engines.catalogue import Catalogue, EngineSpec
from studio.errors import BadInput, MachineFault
from studio.project.recipe import pcm_hash
from studio.tools.bench import inside
from studio.tools.bench.drawing import WIDTH, Bar, Group, chart, check
from studio.tools.bench.engines import model_bytes
from studio.tools.bench.hearing import distance, word_errors
from studio.tools.bench.identity import (
    first_difference,
    log_spectral_distance,
    sampler_changes,
)
from studio.tools.bench.recorded import CONTENTS, Recorded, Recording
from studio.tools.bench.recorded import check as check_set
from studio.tools.bench.recorded import load as load_set
from studio.tools.bench.recorded import save as save_set
from studio.tools.bench.sentences import SENTENCES, read
from studio.tools.bench.speaking import entry
from studio.tools.pictures import save

SVG = "{http://www.w3.org/2000/svg}"


# ---- pictures ------------------------------------------------------------------------------------


def drawn(*values: float) -> ElementTree.Element:
    bars = [Bar(f"backend <{n}>", value, f"{value:g} &", n) for n, value in enumerate(values)]
    return ElementTree.fromstring(
        chart("Side & side", "one run", [Group("Speed", "tokens/s", bars), Group("None", "", [])])
    )


def test_a_chart_has_title_axis_unit_and_a_bar_for_each_figure() -> None:
    root = drawn(1.0, 4.0, 2.0)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts[:2] == ["Side & side", "one run"]
    assert {"Speed", "tokens/s", "backend <1>", "4 &", "0"} <= set(texts)
    assert "None" not in texts, "a group without bars"
    wide = [float(it.get("width", 0)) for it in root.iter(f"{SVG}rect") if it.get("x")]
    assert [round(it / wide[0], 2) for it in wide] == [1, 4, 2]


def test_a_chart_is_legible_on_dark_pages_too() -> None:
    root = drawn(1.0)
    style = root.find(f"{SVG}style")
    assert style is not None
    light, _, dark = (style.text or "").partition("@media (prefers-color-scheme:dark)")
    for name in ("page", "ink", "faint", "grid", "axis", "b0", "b1", "b2", "b3"):
        colours = [re.search(rf"\.{name}{{\w+:(#\w+)}}", part) for part in (light, dark)]
        assert all(colours), name
        assert colours[0][1] != colours[1][1], name  # type: ignore[index]
    used = {name for it in root.iter() for name in (it.get("class") or "").split()}
    assert used <= {"page", "ink", "faint", "grid", "axis", "b0", "b1", "b2", "b3"}


@given(st.lists(st.floats(0, 1e12, allow_subnormal=False), min_size=1, max_size=12))
def test_no_bar_leaves_the_page(values: list[float]) -> None:
    for it in drawn(*values).iter(f"{SVG}rect"):
        assert 0 <= float(it.get("x", 0)) + float(it.get("width", 0)) <= WIDTH


def test_a_chart_that_cannot_be_written_is_said_before_or_at_last(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\.svg"):
        check(tmp_path / "bars.png")
    check(None)
    with pytest.raises(BadInput, match="There is no folder"):
        check(tmp_path / "none" / "bars.svg")
    with pytest.raises(MachineFault, match="another file"):
        save(tmp_path / "no" / "bars.svg", "")


# ---- words and spectra ---------------------------------------------------------------------------


def test_words_that_sound_the_same_are_the_same() -> None:
    assert word_errors("It’s 12 o’clock, isn’t it?", "it is twelve oclock isn't it", "en")[0] == 0
    assert word_errors("The lamp went out.", "the lamb went", "en") == (2, 4)
    assert word_errors("No.", "", "en") == (1, 1)


@given(st.lists(st.integers(0, 3), max_size=8), st.lists(st.integers(0, 3), max_size=8))
def test_a_distance_is_one(a: list[int], b: list[int]) -> None:
    apart = distance(a, b)
    assert apart == distance(b, a)
    assert (apart == 0) == (a == b) == (first_difference(a, b) is None)
    assert abs(len(a) - len(b)) <= apart <= max(len(a), len(b))


def test_the_first_token_that_is_another_one() -> None:
    assert first_difference([1, 2, 3], [1, 5, 3]) == 1
    assert first_difference([1, 2], [1, 2, 3]) == 2


def tone(hertz: float, gain: float = 0.3) -> np.ndarray[Any, np.dtype[np.int16]]:
    time = np.arange(24_000) / 24_000
    return (gain * 32767 * np.sin(2 * np.pi * hertz * time)).astype(np.int16).reshape(-1, 1)


def test_spectra_are_as_far_apart_as_they_are() -> None:
    assert log_spectral_distance(tone(200), tone(200)) == 0
    noise = np.random.default_rng(1).normal(0, 3000, (24_000, 1)).astype(np.int16)
    # All bins are down by as much: this is what a distance in dB has to say.
    assert log_spectral_distance(noise, noise // 2) == pytest.approx(6.02, abs=0.2)
    assert log_spectral_distance(tone(200), tone(900)) > 10
    assert log_spectral_distance(tone(200)[:100], tone(200)) >= 0, "shorter than a frame"


def test_changes_of_a_sampler_are_named_by_their_first_stage() -> None:
    then = {"a": {"p": "1", "ids": [1, 2], "draws": [7]}, "b": {"p": "1"}}
    now = {"a": {"p": "1", "ids": [1, 3], "draws": [8]}, "c": {"p": "1"}}
    assert sampler_changes(then, then) == []
    assert sampler_changes(then, now) == [
        {"case": "a", "stage": "ids", "at": 1},
        {"case": "b", "stage": "the case itself", "at": None},
        {"case": "c", "stage": "the case itself", "at": None},
    ]


# ---- sets ----------------------------------------------------------------------------------------


def made_set() -> Recording:
    pcm = tone(200)
    recipe = {"spoken": "One.", "language": "en", "seed": 7, "speed": 1.0}
    line = Recorded(recipe, "id", pcm_hash(pcm, 24_000), 24_000, pcm, (3, 1, 4))
    voice = {"speaker": "", "transcript": "x", "language": "en"}
    return Recording("one:steps=4", {"cpu": "z"}, voice, b"RIFF", (line,), {"a": {"p": "1"}})


def test_a_set_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "lines.set"
    path.write_text("an older one")
    made = made_set()
    save_set(path, made)
    found = load_set(path)
    assert (found.lines[0].pcm == made.lines[0].pcm).all()
    assert pcm_hash(found.lines[0].pcm, found.lines[0].rate) == made.lines[0].pcm_hash
    assert found.lines[0].tokens == (3, 1, 4)
    assert (found.engine, found.reference, found.sampler) == (
        made.engine,
        made.reference,
        made.sampler,
    )
    assert [it.name for it in tmp_path.iterdir()] == ["lines.set"]


def test_damaged_sets_are_told_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "lines.set"
    with pytest.raises(BadInput, match="--record makes one"):
        load_set(path)
    save_set(path, made_set())
    whole = path.read_bytes()
    for damaged in (b"", b"PK", whole[: len(whole) // 2], b"x" * 300):
        path.write_bytes(damaged)
        with pytest.raises(BadInput, match="record it anew"):
            load_set(path)
    for contents in ({}, {"format": 1}, {"format": 99}, [], {"format": 1, "lines": 3}):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(CONTENTS, json.dumps(contents))
        with pytest.raises(BadInput, match="record it anew"):
            load_set(path)
    with pytest.raises(MachineFault, match="another file"):
        save_set(tmp_path / "no" / "lines.set", made_set())
    for place, told in ((tmp_path, "is a folder"), (tmp_path / "no" / "x.set", "no folder")):
        with pytest.raises(BadInput, match=told):
            check_set(place)
    check_set(path)


def test_a_set_that_finds_no_room_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "lines.set"
    path.write_bytes(b"an older one")
    monkeypatch.setattr("studio.tools.bench.recorded.os.fsync", full)
    with pytest.raises(MachineFault, match="No space left on device"):
        save_set(path, made_set())
    assert [it.name for it in tmp_path.iterdir()] == ["lines.set"]
    assert path.read_bytes() == b"an older one"


def test_sentences_that_cannot_be_read_are_told_without_jargon(tmp_path: Path) -> None:
    (tmp_path / "sound.wav").write_bytes(b"RIFF\xc0\xff")
    for name, told in (("sound.wav", "is no text in UTF-8"), ("none", "No such file")):
        with pytest.raises(BadInput, match=told) as error:
            read(tmp_path / name, None)
        assert not {"[Errno", "codec"} & set(str(error.value).split())


# ---- what takes part -----------------------------------------------------------------------------


def test_an_engine_takes_part_with_settings_of_its_own() -> None:
    spec = EngineSpec("one", ("one",), options={"steps": 10, "model": "/m"})
    catalogue = Catalogue({"one": spec})
    assert entry(catalogue, "one").spec.options == spec.options
    told = entry(catalogue, "one:steps=4,overlap=false,device=cpu,model=/a b")
    assert told.spec.options == {
        "steps": 4,
        "overlap": False,
        "device": "cpu",
        "model": "/a b",
    }
    assert told.label.startswith("one:steps=4")
    with pytest.raises(BadInput, match="sets nothing"):
        entry(catalogue, "one:steps")
    with pytest.raises(MachineFault, match="no engine named two"):
        entry(catalogue, "two")


def test_sentences_come_from_a_file_or_are_our_own(tmp_path: Path) -> None:
    assert read(None, 2) == list(SENTENCES[:2])
    (tmp_path / "lines.txt").write_text("One.\n\n  Two. \n", encoding="utf-8")
    assert read(tmp_path / "lines.txt", None) == ["One.", "Two."]
    (tmp_path / "lines.txt").write_text("\n")
    with pytest.raises(BadInput, match="holds no sentence"):
        read(tmp_path / "lines.txt", None)
    with pytest.raises(BadInput, match="cannot be read"):
        read(tmp_path / "none.txt", None)


def test_a_model_is_as_large_as_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 1000)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "again").symlink_to(tmp_path / "a")
    assert model_bytes(EngineSpec("one", ("one",), options={"model": str(tmp_path)})) == 1000
    assert model_bytes(EngineSpec("one", ("one",))) == 0


def test_the_embedded_model_is_weighed_only_where_it_speaks() -> None:
    from studio.engines.catalogue import built_in

    assert model_bytes(built_in()) > 5_000_000
    assert model_bytes(EngineSpec("hibari", ("python", "-P", "/elsewhere/other.py"))) == 0


def test_weights_by_chance_need_an_interpreter_alone(home: Path) -> None:
    with pytest.raises(MachineFault, match="rhapsode engines install cosyvoice3"):
        inside.interpreter(Catalogue.of_user(), "cosyvoice3", weights=False)
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "config.toml").write_text('[engines.cosyvoice3]\npython = "/my/python"\n')
    found = inside.interpreter(Catalogue.of_user(), "cosyvoice3", weights=False)
    assert found.command[0] == "/my/python"
    with pytest.raises(MachineFault, match="rhapsode engines pull cosyvoice3"):
        inside.interpreter(Catalogue.of_user(), "cosyvoice3", weights=True)


def test_an_interpreter_that_cannot_measure_is_told(tmp_path: Path) -> None:
    with pytest.raises(MachineFault, match=r"Check \[engines.one\]"):
        inside.measure(EngineSpec("one", (str(tmp_path / "none"),)), ["probe"])
    wrong = tmp_path / "python"
    wrong.write_text("#!/bin/sh\necho '{\"progress\": 0.5}'\necho half\necho gone >&2\nexit 3\n")
    wrong.chmod(0o755)
    told: list[float] = []
    with pytest.raises(MachineFault, match="without a result: gone"):
        inside.measure(EngineSpec("one", (str(wrong),)), ["probe"], told.append)
    assert told == [0.5]
