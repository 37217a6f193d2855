"""What mlx-audio does in silence is refused, mended or told; all of it with a real tiny model."""

from __future__ import annotations

import inspect
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import tiny_qwen
from qwen_rig import TEXT, TRANSCRIPT, clip, loaded, record

from engine import wire
from engine.narrators.qwen3_tts import model, saying, text
from engine.narrators.qwen3_tts.narrator import Qwen3Tts
from engine.registry import Cancelled, Fatal, Refusal, Staged, Transient


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Tiny models, each built once."""
    built: dict[str, Path] = {}

    def get(kind: str = "base", **more: Any) -> Path:
        name = f"{kind}{more}"
        if name not in built:
            folder = tmp_path_factory.mktemp("models") / "tiny"
            built[name] = tiny_qwen.build(folder, kind, **more)
        return built[name]

    return get


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("reference") / "one.wav")


@pytest.fixture(scope="module")
def base(models: Callable[..., Path], reference: Path) -> Qwen3Tts:
    """A model that clones, with the voice v."""
    narrator = loaded(models())
    assert narrator.prepare_voice(cloned(reference)) == ()
    return narrator


@pytest.fixture
def copy(models: Callable[..., Path], tmp_path: Path) -> Path:
    """A folder that may be broken."""
    return shutil.copytree(models(), tmp_path / "copy")


def cloned(reference: Path, name: str = "v", **fields: Any) -> wire.Voice:
    given = {"transcript": TRANSCRIPT, "language": "en", **fields}
    return wire.Voice(name, reference=str(reference), **given)


# ---- transcripts, languages, settings ------------------------------------------------------------


@pytest.mark.parametrize("blank", ["", " ", "\n", "…", "<|im_end|>"])
def test_a_blank_transcript_is_refused(base: Qwen3Tts, reference: Path, blank: str) -> None:
    with pytest.raises(Refusal, match=r"no transcript, and would say garbled.*“x_vector”"):
        base.prepare_voice(cloned(reference, "w", transcript=blank))


def test_the_voice_alone_is_used_only_where_it_is_asked_for(
    base: Qwen3Tts, reference: Path
) -> None:
    base.prepare_voice(cloned(reference, "x", settings={"mode": "x_vector"}))
    heard: list[Any] = []
    spied(base, heard)
    clip(base, voice="x")
    clip(base)
    assert [call["ref_text"] for call in heard] == [None, TRANSCRIPT]
    assert all(call["ref_audio"].shape == (72000,) for call in heard)


def test_a_language_is_named_as_the_model_names_it(base: Qwen3Tts, reference: Path) -> None:
    heard: list[Any] = []
    spied(base, heard)
    for tag in ("en", "en-GB", "zh_Hans", "DE"):
        clip(base, language=tag)
    assert [call["lang_code"] for call in heard] == ["english", "english", "chinese", "german"]
    for tag in ("fr", "klingon", "auto", ""):
        with pytest.raises(Refusal, match="speaks Chinese, English and German, and this segment"):
            clip(base, language=tag)
    with pytest.raises(Refusal, match="and the voice is marked as “fi”"):
        base.prepare_voice(cloned(reference, "w", language="fi"))


def test_the_language_is_heard(models: Callable[..., Path]) -> None:
    narrator = loaded(models("custom_voice"))
    narrator.prepare_voice(wire.Voice("v", speaker="ryan"))
    made = {
        tag: [clip(narrator, language=tag, seed=seed).samples.tobytes() for seed in range(4)]
        for tag in ("en", "de")
    }
    assert made["en"] != made["de"]


def test_mlx_audio_gets_nothing_that_it_does_not_know(base: Qwen3Tts) -> None:
    heard: list[Any] = []
    spied(base, heard)
    clip(base)
    model = base._loaded.model  # type: ignore[union-attr]
    known = inspect.signature(type(model).generate).parameters
    assert set(heard[0]) <= set(known) - {"kwargs"}
    assert heard[0]["split_pattern"] == ""
    assert heard[0]["stream"] is False
    assert heard[0]["max_tokens"] == text.most_frames(TEXT)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"temperature": 0}, "goes from 0.05 to 2. Without any chance"),
        ({"temperature": "hot"}, "must be a number"),
        ({"top_k": 2.5}, "must be a whole number"),
        ({"top_p": 0}, "goes from 0.01 to 1"),
        ({"min_p": 0.1}, "no voice setting named “min_p”"),
        ({"seed": 5}, "no voice setting named “seed”"),
        ({"repetition_penalty": 1.05}, "goes from 1.5 to 3. For a voice that is cloned with its"),
    ],
)
def test_a_setting_that_would_be_ignored_is_refused(
    base: Qwen3Tts, reference: Path, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(Refusal, match=words):
        base.prepare_voice(cloned(reference, "w", settings=settings))


def test_the_penalty_of_a_cloned_voice_is_the_one_that_mlx_audio_uses(
    base: Qwen3Tts, reference: Path
) -> None:
    own = {"mode": "x_vector", "repetition_penalty": 1.1, "temperature": 0.7, "top_k": 9}
    base.prepare_voice(cloned(reference, "x", settings=own))
    heard: list[Any] = []
    spied(base, heard)
    clip(base)
    clip(base, voice="x")
    names = ("temperature", "top_k", "top_p", "repetition_penalty")
    assert [tuple(call[name] for name in names) for call in heard] == [
        (0.9, 50, 1.0, 1.5),
        (0.7, 9, 1.0, 1.1),
    ]


def test_a_small_model_that_would_drop_a_style_refuses_it(models: Callable[..., Path]) -> None:
    narrator = loaded(models("custom_voice", size="0b6"))
    with pytest.raises(Refusal, match=r"0\.6B model cannot follow"):
        narrator.prepare_voice(wire.Voice("v", speaker="ryan", style="slow"))


def test_another_pace_is_refused_for_it_would_be_ignored(base: Qwen3Tts) -> None:
    with pytest.raises(Refusal, match=r"own pace only.*1\.2"):
        clip(base, speed=1.2)


# ---- chance --------------------------------------------------------------------------------------


def test_nothing_that_draws_elsewhere_matters_and_nothing_is_left_behind(base: Qwen3Tts) -> None:
    mx.random.seed(5)
    before = np.array(mx.random.uniform(shape=(3,)))
    one = clip(base, seed=8)
    mx.random.seed(5)
    assert np.array_equal(np.array(mx.random.uniform(shape=(3,))), before)

    def stage(name: str, fraction: float) -> None:
        mx.random.seed(9)
        mx.eval(mx.random.normal((4,)))

    request = wire.Narrate(1, TEXT, "en", "v", 8)
    two = base.narrate(request, stage, lambda: bool(stage("", 0)))
    assert np.array_equal(one.samples, two.samples)
    mx.random.seed(5)
    clip(base, seed=8)
    after = np.array(mx.random.uniform(shape=(3,)))
    assert np.array_equal(after, before), "a clip moved the global state"


def test_seeds_of_all_32_bits_differ(base: Qwen3Tts) -> None:
    made = {clip(base, seed=seed).samples.tobytes() for seed in (0, 1, 2**31, 2**31 + 1, 2**32 - 1)}
    assert len(made) == 5
    with pytest.raises(Refusal, match="not a number from 0 to 4294967295"):
        clip(base, seed=2**32)


def test_load_and_clips_are_on_one_thread() -> None:
    assert not isinstance(Qwen3Tts(), Staged), "the second half would be on another thread"


# ---- clips that come loose -----------------------------------------------------------------------


def spied(narrator: Qwen3Tts, heard: list[Any]) -> None:
    """Note down what mlx-audio is given, for the time of one test."""
    model = narrator._loaded.model  # type: ignore[union-attr]
    real = type(model).generate.__get__(model)

    def generate(**given: Any) -> Any:
        heard.append(given)
        return real(**given)

    model.generate = generate


class Loose:
    """Makes chosen attempts go wrong: by the text they are given."""

    def __init__(self, narrator: Qwen3Tts, wrong: Callable[[str], str]) -> None:
        self.texts: list[str] = []
        model = narrator._loaded.model  # type: ignore[union-attr]
        real = type(model).generate.__get__(model)

        def generate(**given: Any) -> Any:
            self.texts.append(given["text"])
            results = list(real(**given))
            how = wrong(given["text"])
            if how == "nothing":
                return []
            for result in results:
                if how == "endless":
                    result.token_count = given["max_tokens"]
                elif how == "silence":
                    tone = mx.sin(mx.arange(24000) / 20)
                    result.audio = mx.concatenate([tone, mx.zeros(24000 * 3), tone])
            return results

        model.generate = generate


@pytest.fixture
def calm(base: Qwen3Tts) -> Any:
    """The narrator, put right again afterwards."""
    yield base
    model = base._loaded.model  # type: ignore[union-attr]
    model.__dict__.pop("generate", None)


WHOLE = "The old man came home by the water. He said so, and then he went away again."


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("endless", "had not ended after"),
        ("nothing", "gave no sound"),
        ("silence", "fell silent for 3.0 s"),
    ],
)
def test_what_comes_loose_is_said_in_pieces_with_seeds_of_their_own(
    calm: Qwen3Tts, how: str, words: str
) -> None:
    halves = ("The old man came home by the water.", "He said so, and then he went away again.")

    def plain(seed: int) -> bool:
        """Whether nothing goes wrong by itself, with a seed or those that follow from it."""
        said = [(WHOLE, seed), *((it, saying.derived(seed, n)) for n, it in enumerate(halves, 1))]
        return not any(clip(calm, words, seed=chance).notes for words, chance in said)

    seed = next(filter(plain, range(200)))
    loose = Loose(calm, lambda said: how if said == WHOLE else "")
    made = clip(calm, WHOLE, seed=seed)
    assert loose.texts == [WHOLE, *halves]
    first, second = (saying.derived(seed, number) for number in (1, 2))
    assert made.notes == (
        f"said anew: the text {words}{made.notes[0].partition(words)[2].partition('.')[0]}. "
        f"It was said in 2 pieces, with the seeds {first}, {second}; listen to it.",
    )
    assert np.array_equal(clip(calm, WHOLE, seed=seed).samples, made.samples)


def test_what_stays_loose_is_a_failure_that_another_seed_may_mend(calm: Qwen3Tts) -> None:
    loose = Loose(calm, lambda said: "endless")
    with pytest.raises(Transient, match=r"could not say “.*”: it had not ended after .* \(R\)"):
        clip(calm, WHOLE)
    assert len(loose.texts) <= 1 + 2 + 4 + 1
    assert min(map(len, loose.texts)) < len(WHOLE) / 3


def test_a_short_text_is_tried_again_whole(calm: Qwen3Tts) -> None:
    attempts = iter(["nothing", ""])
    seed = next(s for s in range(50) if not clip(calm, "No.", seed=saying.derived(s, 0)).notes)
    Loose(calm, lambda said: next(attempts))
    made = clip(calm, "No.", seed=seed)
    assert f"again, with the seed {saying.derived(seed, 0)}" in made.notes[0]


def test_a_model_that_never_ends_is_stopped_by_the_length_of_the_text(
    models: Callable[..., Path],
) -> None:
    narrator = loaded(models("voice_design", endless=True))
    narrator.prepare_voice(wire.Voice("v", description="An old man."))
    given: list[Any] = []
    spied(narrator, given)
    with pytest.raises(Transient, match="had not ended after 3 s"):
        clip(narrator, "A")
    # It is not let go on for minutes, to be told of afterwards.
    assert {it["max_tokens"] for it in given} == {text.most_frames("A")}


def test_a_pause_is_no_fault_and_a_silent_end_neither() -> None:
    tone = np.sin(np.arange(24000) / 20).astype(np.float32)
    for gap, ends in ((1.5, 0.0), (0.0, 5.0)):
        silence = np.zeros(int(24000 * gap), np.float32)
        tail = np.zeros(int(24000 * ends), np.float32)
        made = np.concatenate([tone, silence, tone, tail])
        assert saying.longest_silence(made) == pytest.approx(gap, abs=0.05)
        assert saying.fault_of(made, 10, 100) == ""
    assert saying.longest_silence(np.zeros(0, np.float32)) == 0
    broken = np.array([0.1, np.nan], np.float32)
    assert "no sound" in saying.fault_of(broken, 10, 100)


# ---- lengths -------------------------------------------------------------------------------------


def zeros(narrator: Qwen3Tts) -> tuple[Any, mx.array]:
    """The speech tokenizer, and ten frames of which three have the code 0 first."""
    codes = np.random.default_rng(1).integers(1, tiny_qwen.CODES, (1, 10, tiny_qwen.GROUPS))
    codes[0, [2, 5, 9], 0] = 0
    return narrator._loaded.model.speech_tokenizer, mx.array(codes)  # type: ignore[union-attr]


def test_the_end_of_a_clip_is_not_cut_off(base: Qwen3Tts) -> None:
    tokenizer, codes = zeros(base)
    sound, lengths = tokenizer.decode(codes)
    assert int(lengths[0]) == sound.shape[1] == 10 * tiny_qwen.SAMPLES


def test_mlx_audio_still_cuts_the_end_off(base: Qwen3Tts) -> None:
    """Where this fails, mlx-audio counts right, and `model._whole_length` can go."""
    tokenizer, codes = zeros(base)
    _, lengths = type(tokenizer).decode(tokenizer, codes)
    assert int(lengths[0]) == 7 * tiny_qwen.SAMPLES


def test_each_frame_of_a_clip_is_heard(calm: Qwen3Tts) -> None:
    model = calm._loaded.model  # type: ignore[union-attr]
    real = type(model).generate.__get__(model)
    counted: list[int] = []

    def generate(**given: Any) -> Any:
        results = list(real(**given))
        counted.append(sum(result.token_count for result in results))
        return results

    model.generate = generate
    for seed in range(6):
        made = clip(calm, seed=seed)
        if not made.notes:
            assert len(made.samples) == counted[-1] * tiny_qwen.SAMPLES


def test_what_is_left_of_the_reference_is_not_heard(calm: Qwen3Tts) -> None:
    """mlx-audio rounds where it cuts the reference off, and leaves one of its samples sometimes."""
    seed = next(s for s in range(50) if not clip(calm, seed=s).notes)
    whole = clip(calm, seed=seed).samples
    model = calm._loaded.model  # type: ignore[union-attr]
    real = type(model).generate.__get__(model)

    def generate(**given: Any) -> Any:
        (result,) = real(**given)
        sound = result.audio[-len(whole) :]
        result.audio = mx.concatenate([mx.array([0.9]), sound])
        return [result]

    model.generate = generate
    assert np.array_equal(clip(calm, seed=seed).samples, whole)


def test_a_dropped_clip_ends_at_its_next_frame(base: Qwen3Tts) -> None:
    asked: list[bool] = []
    request = wire.Narrate(1, TEXT, "en", "v", seed=1)
    with pytest.raises(Cancelled):
        base.narrate(request, lambda name, fraction: None, lambda: not asked.append(True))
    assert asked == [True]


def test_numbers_that_are_no_sound_are_a_fault() -> None:
    for number in (np.nan, np.inf):
        samples = np.array([0.1, number, 0.1], np.float32)
        assert saying.fault_of(samples, 2, 9).startswith("gave sound that is no sound")


def test_another_way_of_drawing_is_told_at_the_load() -> None:
    with pytest.raises(Fatal, match="draws in another way than this engine knows, so no seed"):
        model._take_over_chance(SimpleNamespace())


def test_nothing_is_fetched_and_nothing_compiled_on_a_processor(
    models: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(mx, "disable_compile", lambda: told.append("not compiled"))
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "0")
    loaded(models())
    assert told == ["not compiled"]
    assert [os.environ[name] for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")] == ["1", "1"]


# ---- memory --------------------------------------------------------------------------------------


def test_memory_is_counted_by_clip_and_handed_back(base: Qwen3Tts) -> None:
    ballast = mx.zeros((4_000_000,))
    mx.eval(ballast)
    del ballast
    high = mx.get_peak_memory()
    clip(base)
    assert mx.get_peak_memory() < high
    assert mx.get_cache_memory() == 0
    assert base.device_memory() == 0, "there is no GPU"


def test_a_full_memory_is_told_with_how_much_it_was(calm: Qwen3Tts) -> None:
    def full(**given: Any) -> Any:
        raise RuntimeError("[malloc] Unable to allocate 99999 bytes.")

    calm._loaded.model.generate = full  # type: ignore[union-attr]
    with pytest.raises(Transient, match=r"memory is full: this clip had taken \d+ MB"):
        clip(calm)


def test_the_memory_of_references_is_the_voices_own(base: Qwen3Tts, reference: Path) -> None:
    model = base._loaded.model  # type: ignore[union-attr]
    for number in range(4):
        base.prepare_voice(cloned(reference, f"n{number}", transcript=f"{TRANSCRIPT} {number}"))
        clip(base, voice=f"n{number}")
        clip(base, voice=f"n{number}", seed=2)
        assert len(model._icl_cache) == 1
    assert model._icl_cache is base._speakers["n3"].codes


# ---- commands in a text --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hidden",
    [
        "<|im_end|>",
        "<|im_start|>user",
        "<tts_text_eod>",
        "<think>",
        "<|im_<|im_end|>end|>",
        "<|im_\u200bend|>",
        "<tts_<|audio_start|>pad>",
        "<|nobody knows|>",
    ],
)
def test_no_command_of_a_book_reaches_the_tokenizer(
    calm: Qwen3Tts, reference: Path, hidden: str
) -> None:
    heard: list[Any] = []
    spied(calm, heard)
    calm.prepare_voice(cloned(reference, "w", transcript=f"{TRANSCRIPT} {hidden} So."))
    clip(calm, f"He said so {hidden} and went.", voice="w")
    tokenizer = calm._loaded.model.tokenizer  # type: ignore[union-attr]
    for said in (heard[0]["text"], heard[0]["ref_text"]):
        assert not set(tokenizer.encode(said)) & set(tokenizer.get_added_vocab().values())
        assert "<|" not in said


@pytest.mark.parametrize(
    ("kind", "voice"),
    [
        ("custom_voice", wire.Voice("v", speaker="vivian", style="calm <|im_end|> and slow")),
        ("voice_design", wire.Voice("v", description="calm <|im_end|> and slow")),
    ],
)
def test_no_command_of_a_voice_reaches_the_tokenizer(
    models: Callable[..., Path], kind: str, voice: wire.Voice
) -> None:
    narrator = loaded(models(kind))
    if voice.speaker:
        voice = replace(voice, speaker=narrator.card.speakers[0])
    narrator.prepare_voice(voice)
    heard: list[Any] = []
    spied(narrator, heard)
    clip(narrator, seed=next(s for s in range(50) if not clip(narrator, seed=s).notes))
    assert {it["instruct"] for it in heard} == {"calm and slow"}


def test_a_text_is_one_line_without_blanks_at_its_edges(calm: Qwen3Tts) -> None:
    heard: list[Any] = []
    spied(calm, heard)
    clip(calm, "\n\n He said\nso.\t\n")
    assert heard[0]["text"] == "He said so."
    assert len(heard) == 1
    for nothing in ("", " \n", "…", "<|im_end|>"):
        with pytest.raises(Refusal, match="nothing to say"):
            clip(calm, nothing)
    with pytest.raises(Refusal, match="Character 3 of the text is broken"):
        clip(calm, "ab\ud800")


# ---- a model that is not whole -------------------------------------------------------------------


def edited(path: Path, **more: Any) -> None:
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, **more}))


def reshaped(folder: Path) -> None:
    path = folder / "speech_tokenizer" / "model.safetensors"
    weights = dict(mx.load(str(path)))
    weights["decoder.pre_conv.conv.bias"] = mx.zeros((5,))
    mx.save_safetensors(str(path), weights)


def emptied(folder: Path) -> None:
    path = folder / "speech_tokenizer" / "model.safetensors"
    weights = dict(mx.load(str(path)))
    del weights["encoder.encoder.layers.0.conv.weight"]
    mx.save_safetensors(str(path), weights)


def without_encoder(folder: Path) -> None:
    path = folder / "speech_tokenizer" / "config.json"
    data = json.loads(path.read_text())
    del data["encoder_config"]
    path.write_text(json.dumps(data))


def other_words(folder: Path) -> None:
    (folder / "merges.txt").write_text("#version: 0.2\n")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda at: shutil.rmtree(at / "speech_tokenizer"), "lacks “speech_tokenizer/config.json”"),
        (lambda at: (at / "model.safetensors").unlink(), r"lacks “model\*.safetensors”"),
        (lambda at: (at / "merges.txt").unlink(), "lacks its tokenizer: “tokenizer.json”, or"),
        (lambda at: (at / "vocab.json").write_text("{"), r"tokenizer in .* cannot be loaded \("),
        (
            lambda at: (at / "speech_tokenizer" / "config.json").write_text("{"),
            r"speech tokenizer in .* cannot be loaded \(Could not load speech tokenizer",
        ),
        (without_encoder, "has no encoder"),
        (reshaped, "“decoder.pre_conv.conv.bias” has the shape 5 and not 32"),
        (emptied, "lacks “encoder_model.encoder.init_conv1d.conv.conv.weight”"),
        (other_words, "tokenizer is not this model's"),
        (lambda at: (at / "config.json").write_text("["), "cannot be read"),
        (lambda at: edited(at / "config.json", model_type="llama"), "the kind “llama”"),
        (lambda at: edited(at / "config.json", tts_model_type="x"), "the kind “x”, which is not"),
        (lambda at: edited(at / "generation_config.json", top_p=7), "config.json” cannot be used"),
        (lambda at: (at / "model.safetensors").write_bytes(b"no"), "cannot be loaded: "),
    ],
)
def test_a_broken_folder_is_told_at_the_load(
    copy: Path, damage: Callable[[Path], object], words: str
) -> None:
    damage(copy)
    with pytest.raises(Fatal, match=words):
        loaded(copy)


def test_a_load_can_be_dropped_and_tells_how_far_it_is(models: Callable[..., Path]) -> None:
    seen: list[float] = []

    def progress(fraction: float) -> None:
        seen.append(fraction)
        if fraction > 0.4:
            raise Cancelled

    with pytest.raises(Cancelled):
        Qwen3Tts().load({"model": str(models())}, progress)
    assert seen == sorted(seen)


def test_a_gpu_that_is_not_there_is_told(models: Callable[..., Path]) -> None:
    if mx.metal.is_available() or mx.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(Fatal, match="no GPU that MLX"):
        loaded(models(), device="gpu")


@pytest.mark.parametrize(
    ("more", "precision"),
    [
        ({"dtype": mx.bfloat16}, "bf16"),
        ({"bits": 8, "dtype": mx.bfloat16}, "bf16+8-bit group 64"),
        ({}, "fp32"),
    ],
)
def test_precision_is_read_off_the_arrays(
    models: Callable[..., Path], more: dict[str, Any], precision: str
) -> None:
    narrator = loaded(models("voice_design", **more))
    assert set(narrator.card.precision.split("+")) - {"fp32"} == set(precision.split("+")) - {
        "fp32"
    }
    narrator.prepare_voice(wire.Voice("v", description="An old man."))
    assert clip(narrator, seed=3).samples.size > 0


def test_the_fingerprint_is_that_of_all_that_decides_the_sound(
    models: Callable[..., Path], copy: Path
) -> None:
    one = loaded(models()).card.model
    assert loaded(copy).card.model == one
    (copy / "README.md").write_text("no matter")
    assert loaded(copy).card.model == one
    edited(copy / "generation_config.json", temperature=0.8)
    two = loaded(copy).card
    assert two.model != one
    assert two.options["temperature"] == 0.8
