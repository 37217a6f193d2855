"""Qwen3-TTS as a narrator, on mlx-audio: voices that are cloned, built in, or described.

Which of the three a voice can be depends on the model in the folder: Base clones, CustomVoice has
speakers, VoiceDesign makes a voice out of words. The model is loaded and used on one thread, which
MLX insists on where there is a GPU.

What mlx-audio lets pass in silence is refused here: see `model` (half a model), `voices` (half a
voice), `text` (commands in a text), `saying` (half a clip) and `chance` (seeds).

Nothing of mlx, mlx_audio, numpy or scipy is imported before `Qwen3Tts.load`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.build import build
from engine.narrators import digests
from engine.narrators.qwen3_tts import options
from engine.registry import Fatal, Narration, Progress, Refusal, Stage, Transient
from engine.wire import JSON, Card, Narrate, Voice

if TYPE_CHECKING:
    from engine.narrators.qwen3_tts.model import Loaded
    from engine.narrators.qwen3_tts.voices import Speaker

NAME = "qwen3-tts"
ENGINE_VERSION = "1"
"""Raised with every change after which a recipe may give other bytes."""
RATE = 24000
LANGUAGES = ("zh", "en", "ja", "ko", "de", "fr", "ru", "pt", "es", "it")
MAX_CHARS = 500
"""Half a minute of English; in longer ones timbre and pace drift."""
SEEDS = 1 << 32
PACKAGES = ("mlx-audio", "mlx", "transformers", "tokenizers", "numpy", "scipy", "soundfile")


class Qwen3Tts:
    """The narrator; see `engine.registry.Narrator`."""

    def __init__(self) -> None:
        """Know who we are; load nothing."""
        self._card = Card(
            engine=NAME,
            version=ENGINE_VERSION,
            model="",
            sample_rate=RATE,
            languages=LANGUAGES,
            max_chars=MAX_CHARS,
            backend="mlx",
            all_words=True,
            build={**build(PACKAGES), **_preloaded()},
            settings=options.possible(),
        )
        self._loaded: Loaded | None = None
        self._speakers: dict[str, Speaker] = {}

    @property
    def card(self) -> Card:
        """What this narrator is; after the load with its model, and on what it runs."""
        return self._card

    def device_memory(self) -> int:
        """Bytes that MLX holds, where there is a GPU."""
        if self._loaded is None or self._loaded.device == "cpu":
            return 0
        import mlx.core as mx

        return int(mx.get_active_memory() + mx.get_cache_memory())

    def load(self, given: Mapping[str, JSON], progress: Progress) -> None:
        """Load the model; options are those of `options.Options`."""
        from engine.narrators.qwen3_tts import model, options
        from engine.narrators.qwen3_tts.voices import Kind

        chosen = options.read(given)
        if chosen.model is None:
            raise Fatal(
                f"The engine {NAME} has no model yet: its option “model” names no folder. Fetch it "
                f"with “rhapsode engines pull {NAME}”."
            )
        progress(0.0)
        names = model.files(chosen.model)
        model.kind_of(chosen.model)
        name = _fingerprint(chosen.model, names, chosen.cache, lambda done: progress(0.3 * done))
        loaded = model.load(chosen.model, chosen.device, lambda done: progress(0.3 + 0.6 * done))
        self._loaded = loaded
        self._card = replace(
            self._card,
            model=name,
            languages=tuple(loaded.languages),
            speakers=loaded.kind.speakers,
            describes=loaded.kind.kind is Kind.VOICE_DESIGN,
            precision=loaded.precision,
            device=loaded.device,
            usual=options.usual(loaded.kind.kind, loaded.kind.sampling),
            # What the model asks for; a voice's own settings are part of the voice.
            options={"kind": str(loaded.kind.kind), **asdict(loaded.kind.sampling)},
        )
        progress(1.0)

    def prepare_voice(self, voice: Voice) -> tuple[str, ...]:
        """Make a voice ready; says what may spoil it."""
        from engine.narrators.qwen3_tts import voices

        loaded = self._ready()
        if voice.language:
            self._language(voice.language, "the voice is")
        speaker, notes = voices.prepare(voice, loaded.kind)
        self._speakers[voice.fingerprint] = speaker
        return notes

    def narrate(self, request: Narrate, stage: Stage, cancelled: Callable[[], bool]) -> Narration:
        """Speak a text; says what it took where it did not come out at once."""
        from engine.narrators.qwen3_tts import text
        from engine.narrators.qwen3_tts.saying import Saying

        loaded = self._ready()
        language = self._language(request.language, "this segment is")
        _check(request)
        spoken = text.spoken(request.text, loaded.kind.controls)
        if loaded.control_ids.intersection(loaded.encode(spoken)):
            raise Refusal("The text holds a command of the model; write it in other words.")
        saying = Saying(loaded, self._speakers[request.voice], language, stage, cancelled)
        with _memory():
            samples = saying.say(spoken, request.seed)
        return Narration(samples, RATE, dict(saying.effort.stages), notes=saying.notes())

    def _ready(self) -> Loaded:
        """The model."""
        if self._loaded is None:
            raise Transient("The engine has not loaded its model yet; it must be loaded first.")
        return self._loaded

    def _language(self, tag: str, what: str) -> str:
        """The model's own name of a language, so that none is left for it to guess."""
        known = self._ready().languages
        name = known.get(tag.replace("_", "-").partition("-")[0].lower())
        if name is None:
            *names, last = (name.capitalize() for name in known.values())
            spoken = f"{', '.join(names)} and {last}" if names else last
            raise Refusal(
                f"{NAME} speaks {spoken}, and {what} marked as “{tag}”. Choose a voice of another "
                "engine."
            )
        return name


def _check(request: Narrate) -> None:
    """Refuse numbers that are out of range."""
    if request.speed != 1:
        raise Refusal(
            f"{NAME} reads at its own pace only, and this segment asks for a speed of "
            f"{request.speed:g}. Set it to 1; a voice can be described as slow or quick where its "
            "model takes a style or a description."
        )
    if not 0 <= request.seed < SEEDS:
        raise Refusal(f"The seed {request.seed} is not a number from 0 to {SEEDS - 1}.")


def _fingerprint(
    folder: Path, names: list[str], cache: Path | None, progress: Callable[[float], None]
) -> str:
    """Which weights these are."""
    try:
        return digests.fingerprint(folder, names, cache, progress)
    except OSError as error:
        raise Fatal(f"“{error.filename}” cannot be read: {error.strerror}.") from error


@contextmanager
def _memory() -> Iterator[None]:
    """Count memory for this clip alone, and hand back what it does not need any more.

    Raises:
        Transient: There was not enough.
    """
    import mlx.core as mx

    mx.reset_peak_memory()
    try:
        yield
    except RuntimeError as error:
        if not any(word in str(error).lower() for word in ("memory", "alloc", "buffer size")):
            raise
        raise Transient(
            f"The memory is full: this clip had taken {mx.get_peak_memory() / 1e6:.0f} MB when it "
            "could get no more. Close what else uses it, or split the segment."
        ) from error
    finally:
        mx.clear_cache()


def _preloaded() -> dict[str, str]:
    """Another library of arithmetic put in front of MLX's, which changes the bytes."""
    names = [Path(path).name for path in os.environ.get("LD_PRELOAD", "").split(":") if path]
    return {"preloaded": " ".join(names)} if names else {}
