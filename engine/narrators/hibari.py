"""The embedded narrator: hibari's bundled voice, with takes that differ audibly.

hibari-tts 0.2.1 (Apache-2.0, code and weights): one American English voice, 24 kHz, 8 MB of weights
in the wheel. What differs from its own pipeline: the graph is opened up (`hibari_graph`), the seed
decides tempo, pitch and breath (`hibari_takes`), a voice may lie some semitones off, and text is
refused rather than lost (`hibari_text`, `hibari_speech`). One thread, because two are slower and
give other bytes.

A clip is its chunks, one per sentence, end to end. Each fades in over 4 ms and out over 12 ms to
exact zero. The blob ``durations`` holds word times: a UTF-8 JSON list of [word, start, end], in the
order of the clip, in seconds from its first sample; marks and silences are left out.

Nothing is imported from hibari, numpy or onnxruntime before `Hibari.load`.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.build import build
from engine.registry import Cancelled, Fatal, Narration, Progress, Refusal, Stage
from engine.wire import JSON, Card, Narrate, Voice

if TYPE_CHECKING:
    from engine.narrators import hibari_speech

ENGINE_VERSION = "2"
"""Raised with every change after which a recipe may give other bytes."""

MODEL = "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8"
"""SHA-256 of the bundled weights; `hibari_graph` was made for these."""
RATE = 24000
FRAME = 0.025
"""Seconds of one frame of the network's durations."""
MAX_CHARS = 600
SPEEDS = (0.5, 2.0)
NORMALISES = ("numbers", "dates", "times", "money", "measures", "abbreviations", "signs")
"""What hibari's rules would say in words; spoken text comes in words, so that they find nothing."""
PACKAGES = ("hibari-tts", "onnxruntime", "numpy", "scipy", "onnx")
SPEAKER = "heart"
MAX_STRENGTH = 4.0
"""How much takes may differ at most; 0 lets every seed read alike."""
MAX_PITCH = 6.0
"""Semitones that a voice may lie above or below the bundled speaker's own."""


class Hibari:
    """The narrator; see `engine.registry.Narrator`."""

    def __init__(self) -> None:
        """Know who we are; load nothing."""
        self._card = Card(
            engine="hibari",
            version=ENGINE_VERSION,
            model=MODEL,
            sample_rate=RATE,
            languages=("en-US", "en"),
            max_chars=MAX_CHARS,
            speakers=(SPEAKER,),
            seedable=True,
            backend="onnxruntime",
            precision="int8",
            device="cpu",
            threads=1,
            build=build(PACKAGES),
            phonemes=True,
            all_words=True,
            normalises=NORMALISES,
            settings={
                "strength": {"least": 0.0, "most": MAX_STRENGTH},
                "pitch": {"least": -MAX_PITCH, "most": MAX_PITCH},
            },
            usual={"strength": 2.0, "pitch": 0.0},
        )
        self._readings: dict[str, tuple[float, float]] = {}
        self._session: Any = None
        self._pronouncer: hibari_speech.Pronouncer

    @property
    def card(self) -> Card:
        """What this narrator is; after the load with a digest of the pronouncing data."""
        return self._card

    def device_memory(self) -> int:
        """Nothing is on an accelerator."""
        return 0

    def load(self, options: Mapping[str, JSON], progress: Progress) -> None:
        """Load and open up the network, and the pronouncing rules; there are no options."""
        if options:
            raise Refusal(f"hibari has no option named {_listed(options)}.")
        progress(0.0)
        assets = _assets()
        from engine.narrators import hibari_graph

        network = hibari_graph.open_up(hibari_graph.read_weights(assets / "hibari.onnx", MODEL))
        progress(0.4)
        self._session = _session(network)
        progress(0.6)
        from engine.narrators import hibari_speech

        self._pronouncer = hibari_speech.Pronouncer(assets)
        self._card = replace(
            self._card, build={**self._card.build, "pronunciation": _digest(assets)}
        )
        progress(0.9)
        self._speak(
            "wˈɔɹm ˈʌp.", 0, 0, 1.0, (0.0, 0.0)
        )  # the first run allocates; not on a clip's time
        progress(1.0)

    def prepare_voice(self, voice: Voice) -> tuple[str, ...]:
        """Check a voice: the bundled speaker, how high it reads, how far its takes may differ."""
        if voice.speaker not in ("", SPEAKER):
            raise Refusal(f"hibari has no speaker {voice.speaker!r}; its only one is {SPEAKER!r}.")
        if voice.reference or voice.description or voice.style:
            raise Refusal(
                "hibari reads with its own voice only: reference audio, a description or a style "
                "need another engine."
            )
        if voice.language and not _is_english(voice.language):
            raise Refusal(f"hibari speaks English only, not {voice.language!r}.")
        self._readings[voice.fingerprint] = _reading(voice.settings)
        return ()

    def narrate(self, request: Narrate, stage: Stage, cancelled: Callable[[], bool]) -> Narration:
        """Speak a text; see the module for what comes back."""
        import numpy as np

        self._check(request)
        reading = self._readings[request.voice]
        stage("text", 0.0)
        started = time.perf_counter()
        chunks = self._pronouncer.chunks(request.text)
        spent = {"text": time.perf_counter() - started, "network": 0.0, "waveform": 0.0}
        spoken, times, frames = [], [], 0
        for number, chunk in enumerate(chunks):
            stage("speech", number / len(chunks))
            phonemes = "".join(word.phonemes for word in chunk)
            samples, owned, took = self._speak(
                phonemes, request.seed, number, request.speed, reading
            )
            if cancelled():
                raise Cancelled
            times += self._times(chunk, owned, frames / RATE)
            frames += len(samples)
            spoken.append(samples)
            spent["network"] += took[0]
            spent["waveform"] += took[1]
        words = json.dumps(times, ensure_ascii=False, separators=(",", ":")).encode()
        return Narration(np.concatenate(spoken), RATE, spent, {"durations": words})

    def _check(self, request: Narrate) -> None:
        """Refuse numbers and languages that are out of range."""
        if not _is_english(request.language):
            raise Refusal(
                f"hibari speaks English only, and this segment is marked as {request.language!r}. "
                "Choose a voice of another engine."
            )
        slowest, fastest = SPEEDS
        if not slowest <= request.speed <= fastest:
            raise Refusal(
                f"The speed {request.speed:g} is out of reach: hibari reads at {slowest:g} to "
                f"{fastest:g} times its own pace."
            )
        if not 0 <= request.seed < 2**32:
            raise Refusal(f"The seed {request.seed} is not a number from 0 to 4294967295.")

    def _speak(
        self, phonemes: str, seed: int, number: int, speed: float, reading: tuple[float, float]
    ) -> tuple[Any, Any, tuple[float, float]]:
        """Speak one chunk.

        Returns:
            Samples, float32 (n,); seconds that belong to each phoneme, float (L,), with the padding
            at both ends; seconds spent in the network and on the waveform.
        """
        import numpy as np
        from hibari import dsp

        from engine.narrators import hibari_takes

        started = time.perf_counter()
        ids = np.asarray([[0, *self._pronouncer.ids(phonemes), 0]], np.int64)  # (1, L)
        rng = hibari_takes.generator(seed, number)
        bend = hibari_takes.draw(rng, ids.shape[1], speed, *reading)
        outputs = self._session.run(None, {"ids": ids, "speed": bend.speed, "pitch": bend.pitch})
        *spectra, owned = outputs  # five (1, 601, F) and f0 (1, F), then (L,)
        between = time.perf_counter()
        samples = dsp.synth(*(part[0] for part in spectra), rng)
        samples = np.clip(hibari_takes.soften(samples, RATE), -1.0, 1.0)
        took = (between - started, time.perf_counter() - between)
        return samples, owned.reshape(-1) * FRAME, took

    def _times(
        self, chunk: hibari_speech.Chunk, owned: Any, offset: float
    ) -> list[list[str | float]]:
        """When each word of a chunk is spoken, in seconds of the clip."""
        ends = owned.cumsum()  # the first is the end of the padding
        place = 0
        times: list[list[str | float]] = []
        for word in chunk:
            first = place
            place += len(self._pronouncer.ids(word.phonemes))
            last = first + len(self._pronouncer.ids(word.phonemes.rstrip()))
            if any(char.isalnum() for char in word.text):
                start, end = float(ends[first]), float(ends[last])
                times.append([word.text, round(offset + start, 3), round(offset + end, 3)])
        return times


def _assets() -> Path:
    """hibari's data folder.

    Raises:
        Fatal: The package is not installed.
    """
    try:
        return Path(str(importlib.resources.files("hibari"))) / "assets"
    except ModuleNotFoundError as error:
        raise Fatal(
            "The engine hibari is not installed in this environment: the package hibari-tts is "
            "missing. Install it again with “rhapsode engines install hibari”."
        ) from error


def _session(network: bytes) -> Any:
    """A session on one thread: more are slower here, and give other bytes.

    Without onnxruntime's memory arena, which keeps the largest sizes it ever saw: measured over 200
    texts of mixed length that is no faster and 50 to 90 MB larger.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def _digest(assets: Path) -> str:
    """A short digest of everything that decides how words are pronounced."""
    digest = hashlib.sha256()
    for path in sorted(assets.iterdir()):
        if path.is_file() and path.name not in ("hibari.onnx", "voices.json"):
            digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _reading(settings: Mapping[str, JSON]) -> tuple[float, float]:
    """A voice's settings: how much its takes differ, and how many semitones it lies off."""
    from engine.narrators.hibari_takes import STRENGTH

    unknown = [name for name in settings if name not in ("strength", "pitch")]
    if unknown:
        raise Refusal(
            f"hibari has no voice setting named {_listed(unknown)}; it has “strength” and “pitch”."
        )
    strength = _number(settings, "strength", STRENGTH)
    if not 0 <= strength <= MAX_STRENGTH:
        raise Refusal(
            f"The setting “strength” is {strength:g}; it goes from 0 (every seed reads alike) to "
            f"{MAX_STRENGTH:g}."
        )
    pitch = _number(settings, "pitch", 0.0)
    if not -MAX_PITCH <= pitch <= MAX_PITCH:
        raise Refusal(
            f"The setting “pitch” is {pitch:g}; it goes from {-MAX_PITCH:g} to {MAX_PITCH:g} "
            "semitones, 0 being the speaker’s own."
        )
    return strength, pitch


def _number(settings: Mapping[str, JSON], name: str, default: float) -> float:
    """A setting that must be a number."""
    value = settings.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Refusal(f"The setting “{name}” must be a number, not {value!r}.")
    return float(value)


def _is_english(tag: str) -> bool:
    """Whether a language tag is English, of whatever country."""
    return tag.replace("_", "-").split("-")[0].lower() == "en"


def _listed(names: Any) -> str:
    """Names for a person."""
    return ", ".join(f"“{name}”" for name in names)
