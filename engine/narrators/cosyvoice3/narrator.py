"""CosyVoice3 as a narrator: a voice from a few seconds of speech, clips in two halves.

The first half is the language model, which makes speech tokens; the second is flow and vocoder,
which make sound of them. They share nothing but the voice, which both only read, so the second half
of one clip can be made beside the first half of the next. The only chance is in the language model,
from a generator that each take has for itself: a recipe gives the same bytes whatever was made
before or beside it.

The speech tokens that were voiced come with each clip (blob ``speech_tokens``), 960 samples each
where the speed is 1. Given back in `Narrate.tokens`, they are voiced again as they are: with other
steps, or on another device.

Nothing of torch, tokenizers or onnxruntime is imported before `CosyVoice3.load`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.build import build
from engine.narrators.cosyvoice3 import devices, fingerprint, llms, options, saying
from engine.narrators.cosyvoice3.saying import MAX_SECONDS, TOKENS_PER_SECOND, Saying, Speaker
from engine.narrators.cosyvoice3.text import NORMALISES, Mode
from engine.narrators.cosyvoice3.untouched import Untouched
from engine.registry import (
    Beginning,
    Cancelled,
    Fatal,
    Half,
    Narration,
    Progress,
    Refusal,
    Stage,
    Together,
)
from engine.wire import JSON, Card, Narrate, Voice

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

    from engine.narrators.cosyvoice3.parts import Parts

NAME = "cosyvoice3"
ENGINE_VERSION = "1"
"""Raised with every change after which a recipe may give other bytes."""
RATE = 24000
LANGUAGES = {
    "zh": "Chinese",
    "en": "English",
    "ja": "Japanese",
    "ko": "Korean",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ru": "Russian",
}
MAX_CHARS = 400
"""About a hundred tokens of English; the model was trained on lines of up to two hundred."""
SPEEDS = (0.5, 2.0)
SEEDS = 1 << 32
PACKAGES = ("torch", "torchaudio", "tokenizers", "onnxruntime", "numpy", "soundfile")
PULL = "Fetch it with “rhapsode engines pull cosyvoice3”."


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """What goes from the first half of a clip to the second."""

    speaker: Speaker
    tokens: list[int]
    speed: float
    stages: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class CosyVoice3(Together):
    """The narrator; see `engine.registry.Together`."""

    def __init__(self) -> None:
        """Know who we are; load nothing."""
        self._card = Card(
            engine=NAME,
            version=ENGINE_VERSION,
            model="",
            sample_rate=RATE,
            languages=tuple(LANGUAGES),
            max_chars=MAX_CHARS,
            backend="torch",
            build=build(PACKAGES),
            max_seconds=MAX_SECONDS,
            replays=True,
            normalises=NORMALISES,
            settings={"mode": [str(mode) for mode in Mode]},
            usual={"mode": [str(Mode.ZERO_SHOT), str(Mode.INSTRUCT)]},
        )
        self._options: options.Options
        self._parts: Parts
        self._device: torch.device | None = None
        self._lane: Any = None
        self._speakers: dict[str, Speaker] = {}

    @property
    def card(self) -> Card:
        """What this narrator is; after the load with its model, and on what it runs."""
        return self._card

    @property
    def overlaps(self) -> bool:
        """As the option says."""
        return self._options.overlap

    def device_memory(self) -> int:
        """Bytes that torch and MLX hold on the GPU."""
        if self._device is None:  # it is set last: up to then there are no parts to ask
            return 0
        return devices.held(self._device) + self._parts.llm.held()

    def rest(self) -> None:
        """Hand back device memory that nothing uses, where it is much."""
        if self._device is not None:
            devices.tidy(self._device)

    # ---- getting ready ---------------------------------------------------------------------------

    def load(self, given: Mapping[str, JSON], progress: Progress) -> None:
        """Load the model; options are those of `options.Options`."""
        chosen = options.read(given)
        devices.forbid_fallback()
        devices.share_the_processor()
        folder = _model_folder(chosen.model)
        progress(0.0)
        try:
            import torch

            from engine.narrators.cosyvoice3 import parts
            from engine.narrators.cosyvoice3.config import BadModel
        except ImportError as error:
            raise Fatal(
                f"The engine {NAME} cannot start, because a Python package is missing or broken: "
                f"{error}. Install it again with “rhapsode engines install {NAME}”."
            ) from error
        device = devices.choose(chosen.device)
        devices.settle(device)
        backend = llms.choose(chosen, device.type)
        torch.set_num_threads(chosen.threads)
        try:
            files = Untouched(folder)
            model = fingerprint.fingerprint(folder, chosen.cache, lambda done: progress(0.3 * done))
            with devices.faults(device.type):
                loaded = parts.load(
                    folder, device, chosen, backend, model, lambda d: progress(0.3 + 0.6 * d)
                )
                lane = devices.lane(device)
                devices.wait(device)
                files.loaded()
                self._options, self._parts, self._device, self._lane = chosen, loaded, device, lane
                with devices.on_lane(lane):
                    loaded.warm_up(chosen.steps)
                    devices.wait(device)
        except BadModel as error:
            raise Fatal(str(error)) from error
        batched = chosen.batch > 1
        self._card = replace(
            self._card,
            model=model,
            backend=loaded.backend,
            precision=loaded.precision,
            device=loaded.device,
            threads=torch.get_num_threads(),
            build={**self._card.build, **devices.facts(device), **loaded.llm.built_with},
            options={"steps": chosen.steps, **({"batch": chosen.batch} if batched else {})},
            together=chosen.batch,
        )
        progress(1.0)

    def prepare_voice(self, voice: Voice) -> tuple[str, ...]:
        """Hear a voice's reference and keep what the model needs of it; says what may spoil it."""
        from engine.narrators.cosyvoice3 import reference, text
        from engine.narrators.cosyvoice3.config import BadModel

        mode = text.mode_of(voice.settings, voice.style)
        _check_voice(voice)
        heard = reference.read(Path(voice.reference))
        notes = reference.check(heard.samples, heard.rate, voice.transcript, voice.language, mode)
        try:
            features = self._parts.features(heard)
        except BadModel as error:
            raise Fatal(str(error)) from error
        prompt = text.prompt(mode, voice.transcript, voice.style)
        self._speakers[voice.fingerprint] = Speaker(
            prompt=prompt,
            prompt_ids=self._parts.tokenizer.encode(prompt.text) if prompt.text else [],
            speech=[int(token) for token in features.speech_tokens],
            features=features,
        )
        return tuple(notes)

    # ---- a clip ----------------------------------------------------------------------------------

    def begin(self, request: Narrate, stage: Stage, cancelled: Callable[[], bool]) -> Spoken:
        """Make speech tokens of the text, or take those that are given."""
        speaker = self._speaker(request)
        if request.tokens:
            return Spoken(speaker, list(request.tokens), request.speed)
        stage("llm", 0.0)
        spent: dict[str, float] = {}
        with self._saying(spent):
            said = saying.say(self._parts, speaker, request, stage, cancelled)
        return _half(said, spent)

    def begin_together(self, beginnings: Sequence[Beginning]) -> list[Half | Exception]:
        """Make speech tokens of several texts at once; those that are given need no model.

        The time of the language model is shared out evenly.
        """
        begun = [self._begun(one) for one in beginnings]
        sayings = [it for it in begun if isinstance(it, Saying)]
        spent: dict[str, float] = {}
        try:
            with self._saying(spent):
                faults = saying.say_together(self._parts, sayings)
        except Exception as error:
            faults = [error] * len(sayings)
        share = {name: seconds / len(sayings) for name, seconds in spent.items() if sayings}
        why = dict(zip(map(id, sayings), faults, strict=True))
        return [(why[id(it)] or _half(it, share)) if isinstance(it, Saying) else it for it in begun]

    def _begun(self, one: Beginning) -> Saying | Spoken | Exception:
        """A text that is to be said, or its half where tokens are given, or what is wrong."""
        request = one.request
        try:
            speaker = self._speaker(request)
            if request.tokens:
                return Spoken(speaker, list(request.tokens), request.speed)
            one.stage("llm", 0.0)
            return Saying(self._parts, speaker, request, one.stage, one.cancelled)
        except Exception as error:
            return error

    def _speaker(self, request: Narrate) -> Speaker:
        """Who says it, where it can be said."""
        _check_request(request)
        speaker = self._speakers[request.voice]
        if request.tokens:
            self._check_tokens(request.tokens, speaker)
        return speaker

    @contextmanager
    def _saying(self, spent: dict[str, float]) -> Iterator[None]:
        """The language model at work; notes how long it takes."""
        # Here and not in `rest`, which runs on either thread, and a library may know but one.
        self._parts.llm.tidy()
        with devices.faults(self._card.device), _timed(spent, "llm"):
            yield

    def finish(self, half: Spoken, stage: Stage, cancelled: Callable[[], bool]) -> Narration:
        """Make sound of speech tokens."""
        spent = dict(half.stages)
        features = half.speaker.features

        def on_step(done: int, steps: int) -> None:
            if done < steps:
                stage("flow", done / steps)
            elif cancelled():
                raise Cancelled

        with devices.faults(self._card.device), devices.on_lane(self._lane):
            stage("flow", 0.0)
            with _timed(spent, "flow"):
                mel = self._parts.flow.mel(
                    half.tokens,
                    prompt_tokens=half.speaker.speech,
                    prompt_mel=features.mel24,
                    speaker=features.speaker,
                    steps=self._options.steps,
                    on_step=on_step,
                )
                self._wait()
            stage("vocoder", 0.0)
            with _timed(spent, "vocoder"):
                samples = self._parts.vocoder.wave(mel, half.speed).numpy()
        return Narration(samples, RATE, spent, {"speech_tokens": _blob(half.tokens)}, half.notes)

    def _check_tokens(self, tokens: tuple[int, ...], speaker: Speaker) -> None:
        """Refuse speech tokens of another model, and more than fit."""
        known = self._parts.llm.config.speech_tokens
        strange = next((token for token in tokens if not 0 <= token < known), None)
        if strange is not None:
            raise Refusal(
                f"The take’s speech token {strange} is none of this model’s, which are 0 to "
                f"{known - 1}: the take is of another model."
            )
        seconds = (len(tokens) + len(speaker.speech)) / TOKENS_PER_SECOND
        if seconds > MAX_SECONDS:
            raise Refusal(
                f"The take and its reference are {seconds:.0f} s long together; CosyVoice3 goes "
                f"to {MAX_SECONDS:.0f} s."
            )

    def _wait(self) -> None:
        """Wait for the device, so that a stage's time is its own."""
        if self._device is not None:
            devices.wait(self._device)


def _half(said: Saying, spent: Mapping[str, float]) -> Spoken:
    """What the language model has made of a text."""
    tokens, notes = said.result()
    return Spoken(said.speaker, tokens, said.request.speed, {**spent}, notes)


def _model_folder(folder: Path | None) -> Path:
    """The model's folder, with all its files."""
    if folder is None:
        raise Fatal(
            f"The engine {NAME} has no model yet: its option “model” names no folder. {PULL}"
        )
    missing = fingerprint.missing(folder)
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise Fatal(f"The model folder “{folder}” lacks “{missing[0]}”{more}. {PULL}")
    return folder


def _check_voice(voice: Voice) -> None:
    """Refuse what this engine cannot make a voice of."""
    if voice.speaker:
        raise Refusal(
            f"{NAME} has no built-in speakers, so none named “{voice.speaker}”; give the voice "
            "reference audio, 5 to 10 s of it."
        )
    if voice.description:
        raise Refusal(
            f"{NAME} cannot make a voice out of a description; give it reference audio, 5 to 10 s "
            "of it."
        )
    if not voice.reference:
        raise Refusal(
            f"{NAME} has no voice of its own: the voice needs reference audio, 5 to 10 s of it, "
            "and what is said in it, word for word."
        )
    _check_language(voice.language or "en", "the voice is")


def _check_request(request: Narrate) -> None:
    """Refuse numbers and languages that are out of range."""
    _check_language(request.language, "this segment is")
    slowest, fastest = SPEEDS
    if not slowest <= request.speed <= fastest:
        raise Refusal(
            f"The speed {request.speed:g} is out of reach: {NAME} reads at {slowest:g} to "
            f"{fastest:g} times its own pace."
        )
    if not 0 <= request.seed < SEEDS:
        raise Refusal(f"The seed {request.seed} is not a number from 0 to {SEEDS - 1}.")


def _check_language(tag: str, what: str) -> None:
    """Refuse a language that the model was not trained for."""
    if tag.replace("_", "-").partition("-")[0].lower() not in LANGUAGES:
        *names, last = LANGUAGES.values()
        raise Refusal(
            f"{NAME} speaks {', '.join(names)} and {last}, and {what} marked as “{tag}”. "
            "Choose a voice of another engine."
        )


def _blob(tokens: list[int]) -> bytes:
    """Speech tokens as they are kept: int32, little-endian."""
    import numpy as np

    kept: NDArray[np.int32] = np.asarray(tokens, "<i4")
    return kept.tobytes()


@contextmanager
def _timed(spent: dict[str, float], name: str) -> Iterator[None]:
    """Note down the wall seconds of what is done inside."""
    started = time.perf_counter()
    yield
    spent[name] = time.perf_counter() - started
