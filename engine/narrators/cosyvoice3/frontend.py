"""Reference audio as CosyVoice3 wants it: mel frames, speech tokens, a speaker vector.

Source: the CosyVoice3 front end (Du et al., “CosyVoice 3”, arXiv 2505.17589); the log-mel of
Whisper (Radford et al., arXiv 2212.04356) before the speech tokenizer, Kaldi's filter bank before
CAM++ (Wang et al., arXiv 2303.00332).

The reference is resampled from its own rate twice, to 24 kHz for the mel and to 16 kHz for the two
ONNX models; resampling one from the other would give other features. Resampling and the filter bank
are torchaudio's pure functions. The mel banks are made here in float64, because torchaudio's own
float32 edges are 3e-4 off. Libraries are imported where they are used: the module costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.narrators.cosyvoice3.weights import AGAIN, BadModel
from engine.registry import Fatal

if TYPE_CHECKING:
    from torch import Tensor

MEL_RATE, MEL_FFT, MEL_HOP, MEL_BANDS = 24000, 1920, 480, 80
TOKEN_RATE, TOKEN_FFT, TOKEN_HOP, TOKEN_BANDS = 16000, 400, 160, 128
SPEAKER = 192
FRAMES_PER_TOKEN = 2
"""Mel frames (50 a second) for one speech token (25 a second)."""

MODELS = {"speech_tokenizer_v3.onnx": 2, "campplus.onnx": 1}
"""Files of the two ONNX models and how many inputs each takes."""


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """All that the model hears of a reference. The first two are cut to one length."""

    mel24: NDArray[np.float32]
    """Natural log of the mel magnitudes, shape (2n, 80)."""
    speech_tokens: NDArray[np.int32]
    """Shape (n,), 25 a second."""
    speaker: NDArray[np.float32]
    """Shape (192,), not normalised."""


@dataclass(frozen=True, slots=True, eq=False)
class Sessions:
    """The two ONNX models, each on one thread, because more give other bytes."""

    speech_tokenizer: Any
    speaker: Any


def open_sessions(folder: Path) -> Sessions:
    """Load the speech tokenizer and the speaker model of a model folder, and torchaudio.

    Raises:
        BadModel: A file is missing, damaged or another model than its name says.
        Fatal: torchaudio does not work here.
    """
    try:
        import torchaudio.compliance.kaldi
        import torchaudio.functional  # noqa: F401
    except (ImportError, OSError) as error:
        # Its native files, which nothing here needs, load beside the torch they were made for only.
        raise Fatal(
            "torchaudio cannot be loaded beside this torch; run “rhapsode engines install "
            f"cosyvoice3” again. ({error})"
        ) from error
    return Sessions(*(_session(folder / name, inputs) for name, inputs in MODELS.items()))


def _session(path: Path, inputs: int) -> Any:
    """One ONNX model on one thread of the CPU."""
    import onnxruntime

    if not path.is_file():
        raise BadModel(f"“{path.name}” is not in the model folder “{path.parent}”.")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's own classes share no base below Exception
        raise BadModel(f"“{path.name}” cannot be loaded; {AGAIN}. ({error})") from error
    if len(session.get_inputs()) != inputs:
        raise BadModel(
            f"“{path.name}” takes {len(session.get_inputs())} inputs, not {inputs}: it is another "
            f"model than CosyVoice3's; {AGAIN}."
        )
    return session


def features(samples: NDArray[np.floating[Any]], rate: int, sessions: Sessions) -> Features:
    """What the model hears of a reference.

    Args:
        samples: Within -1..1; shape (frames,) or (frames, channels), which are averaged. Checked
            by `reference.check` before.
        rate: Samples per second, at least 16000.
        sessions: The ONNX models.

    Raises:
        BadModel: A model's output is not what CosyVoice3's gives.
    """
    import torch

    with torch.inference_mode():
        wave = _mono(samples)
        mel = mel24(resample(wave, rate, MEL_RATE)).T.numpy()  # [T, 80]
        wave16 = resample(wave, rate, TOKEN_RATE)
        log_mel = whisper_mel(wave16).numpy()  # [128, T']
        bank = filter_bank(wave16)  # [T'', 80]
        bank = (bank - bank.mean(dim=0, keepdim=True)).numpy()
    tokens = _speech_tokens(sessions.speech_tokenizer, log_mel)
    count = min(len(mel) // FRAMES_PER_TOKEN, len(tokens))
    return Features(
        mel24=np.ascontiguousarray(mel[: FRAMES_PER_TOKEN * count]),
        speech_tokens=np.ascontiguousarray(tokens[:count]),
        speaker=_speaker(sessions.speaker, bank),
    )


def _mono(samples: NDArray[np.floating[Any]]) -> Tensor:
    """One channel, float32 [n]: the mean of all."""
    import torch

    if samples.ndim > 1:
        samples = samples.mean(axis=1, dtype=samples.dtype)
    return torch.from_numpy(np.ascontiguousarray(samples, dtype=np.float32))


def resample(wave: Tensor, rate: int, to: int) -> Tensor:
    """Another sample rate, by a windowed sinc (Hann, width 6, rolloff 0.99).

    Args:
        wave: float32, [n] or [1, n].
        rate: Its samples per second.
        to: Samples per second of the result; the wave comes back as it is if they are equal.
    """
    from torchaudio.functional import resample as windowed_sinc

    return windowed_sinc(wave, rate, to)


def mel24(wave: Tensor) -> Tensor:
    """Log-mel of the flow: magnitudes over 0 to 12 kHz, natural log.

    Args:
        wave: float32 [n] at 24 kHz, longer than 720 samples.

    Returns:
        float32 [80, n // 480].
    """
    import torch

    edge = (MEL_FFT - MEL_HOP) // 2
    padded = torch.nn.functional.pad(wave[None], (edge, edge), mode="reflect")[0]
    spectrum = torch.stft(
        padded,
        MEL_FFT,
        MEL_HOP,
        window=torch.hann_window(MEL_FFT),
        center=False,
        return_complex=True,
    )  # [961, T]
    parts = torch.view_as_real(spectrum)  # [961, T, 2]
    magnitude = torch.sqrt(parts.pow(2).sum(-1) + 1e-9)
    bank = torch.from_numpy(mel_bank(MEL_RATE, MEL_FFT, MEL_BANDS))  # [80, 961]
    return torch.log(torch.clamp(bank @ magnitude, min=1e-5))


def whisper_mel(wave: Tensor) -> Tensor:
    """Log-mel of the speech tokenizer: Whisper's, 128 bands, not padded to 30 seconds.

    Args:
        wave: float32 [n] at 16 kHz, longer than 200 samples.

    Returns:
        float32 [128, n // 160], about -1 to 2.
    """
    import torch

    window = torch.hann_window(TOKEN_FFT)
    spectrum = torch.stft(wave, TOKEN_FFT, TOKEN_HOP, window=window, return_complex=True)
    power = spectrum[:, :-1].abs() ** 2  # [201, T]
    bank = torch.from_numpy(mel_bank(TOKEN_RATE, TOKEN_FFT, TOKEN_BANDS))  # [128, 201]
    log = torch.clamp(bank @ power, min=1e-10).log10()
    return (torch.maximum(log, log.max() - 8.0) + 4.0) / 4.0


def filter_bank(wave: Tensor) -> Tensor:
    """Kaldi's log filter bank of the speaker model, before its mean is taken off.

    Args:
        wave: float32 [n] at 16 kHz, at least 400 samples, within -1..1.

    Returns:
        float32 [1 + (n - 400) // 160, 80].
    """
    from torchaudio.compliance import kaldi

    return kaldi.fbank(wave[None], num_mel_bins=80, dither=0.0, sample_frequency=TOKEN_RATE)


@cache
def mel_bank(rate: int, size: int, bands: int) -> NDArray[np.float32]:
    """Triangles on Slaney's mel scale from 0 Hz to half the rate, each of area one.

    The scale is linear to 1000 Hz (15 mel) and logarithmic above; source: Slaney, “Auditory
    Toolbox”, Interval Research TR 1998-010.

    Args:
        rate: Samples per second.
        size: Length of the transform.
        bands: How many triangles.

    Returns:
        Shape (bands, size // 2 + 1).
    """
    knee, per_mel, step = 1000.0, 200.0 / 3, np.log(6.4) / 27
    top = knee / per_mel + np.log(rate / 2 / knee) / step
    mels = np.linspace(0.0, top, bands + 2)
    above = knee * np.exp(step * (mels - knee / per_mel))
    edges = np.where(mels < knee / per_mel, mels * per_mel, above)  # (bands + 2,) in Hz
    bins = np.linspace(0.0, rate / 2, size // 2 + 1)
    slopes = edges[:, None] - bins[None]  # (bands + 2, bins)
    widths = np.diff(edges)[:, None]
    rising, falling = -slopes[:-2] / widths[:-1], slopes[2:] / widths[1:]
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    triangles *= (2.0 / (edges[2:] - edges[:-2]))[:, None]
    return triangles.astype(np.float32)


def _speech_tokens(session: Any, log_mel: NDArray[np.float32]) -> NDArray[np.int32]:
    """Speech tokens of a log-mel [128, T]: int32 (about T / 4,)."""
    mel, length = (entry.name for entry in session.get_inputs())
    given = {mel: log_mel[None], length: np.array([log_mel.shape[1]], np.int32)}
    tokens = np.asarray(session.run(None, given)[0]).reshape(-1)
    if tokens.dtype.kind not in "iu" or not len(tokens):
        raise BadModel(f"“speech_tokenizer_v3.onnx” gives no speech tokens; {AGAIN}.")
    return tokens.astype(np.int32)


def _speaker(session: Any, bank: NDArray[np.float32]) -> NDArray[np.float32]:
    """Speaker vector of a filter bank [T, 80]: float32 (192,)."""
    given = {session.get_inputs()[0].name: bank[None]}
    vector = np.asarray(session.run(None, given)[0], np.float32).reshape(-1)
    if vector.shape != (SPEAKER,) or not np.isfinite(vector).all():
        raise BadModel(f"“campplus.onnx” does not give {SPEAKER} numbers for a speaker; {AGAIN}.")
    return vector
