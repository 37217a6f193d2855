"""The vocoder: what a reference implementation gave, the same bytes always, and plain refusals."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import golden
import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from engine.narrators.cosyvoice3 import hift
from engine.narrators.cosyvoice3.config import vocoder_config
from engine.narrators.cosyvoice3.hift import folded, reach
from engine.narrators.cosyvoice3.modules import full_precision
from engine.narrators.cosyvoice3.noise import BLOCK, HOP, source_blocks, source_noise
from engine.narrators.cosyvoice3.vocoder import Vocoder
from engine.narrators.cosyvoice3.weights import BadModel, load_state
from engine.registry import Refusal, Transient

TOLERANCE = 1e-5
OURS = golden.own("hift_tiny_io.npz")
CPU = torch.device("cpu")


def weights_of(file: str) -> Path:
    """The weights that a file of goldens was made with."""
    return golden.folder() / golden.weights(file)


def load(path: Path) -> Vocoder:
    """A vocoder out of a file of weights."""
    state = load_state(path, "vocoder")
    return Vocoder.load(state, vocoder_config(state), CPU)


def found(pattern: str) -> list[tuple[str, str, str]]:
    """Every (file, case, field) of the goldens whose field matches."""
    return golden.fields("hift", pattern)


def held(file: str, case: str, field: str) -> Tensor:
    """What a file has of a case."""
    return torch.from_numpy(golden.load(file)[golden.key(case, field)])


def noise(file: str, case: str, frames: int) -> list[Tensor]:
    """The noise that a case was made with: its own, or that of its file, or the constant one."""
    io = golden.load(file)
    rows = io.get(golden.key(case, "sine_noise"), io.get("sine_noise"))
    if rows is None:
        return [source_noise(frames)]
    return [torch.from_numpy(rows[0, : frames * HOP])]


def assert_close(made: Tensor, expected: Tensor, tolerance: float) -> None:
    """The same shape, and nowhere further apart than this."""
    assert made.shape == expected.shape
    assert (made - expected).abs().max() <= tolerance


@pytest.fixture(scope="module")
def vocoder() -> Vocoder:
    """One of ours."""
    return load(weights_of(OURS))


@pytest.fixture(scope="module")
def mel() -> Tensor:
    """A spectrogram of 1.2 s, and never the same twice."""
    return torch.randn(80, 60, generator=torch.Generator().manual_seed(3)) * 2 - 4


@pytest.mark.parametrize(("file", "case", "field"), found("f0_float64(_notfinal)?"))
def test_the_pitch_is_that_of_the_reference(file: str, case: str, field: str) -> None:
    f0 = load(weights_of(file)).f0(held(file, case, "mel")[0], finalize=field == "f0_float64")
    assert f0.dtype == torch.float64
    assert_close(f0, held(file, case, field)[0], 1e-9)


@pytest.mark.parametrize(("file", "case", "field"), found("source"))
def test_the_source_and_what_is_made_of_it_are_those_of_the_reference(
    file: str, case: str, field: str
) -> None:
    vocoder, source = load(weights_of(file)), held(file, case, field)[0, 0]
    mel = held(file, case, "mel")[0]
    f0 = vocoder.f0(mel).float()
    assert_close(vocoder.source(f0, noise(file, case, len(f0))), source, TOLERANCE)
    assert_close(vocoder.decode(mel, source), held(file, case, "wav")[0], TOLERANCE)


@pytest.mark.parametrize(("file", "case", "field"), found("wav(_notfinal|_zero_source)?"))
def test_the_wave_is_that_of_the_reference(file: str, case: str, field: str) -> None:
    vocoder, mel = load(weights_of(file)), held(file, case, "mel")[0]
    final = field != "wav_notfinal"
    f0 = vocoder.f0(mel, final).float()
    source = vocoder.source(f0, noise(file, case, len(f0)))
    if field == "wav_zero_source":
        source = torch.zeros_like(source)
    assert_close(vocoder.decode(mel, source, final), held(file, case, field)[0], TOLERANCE)


def test_a_wave_that_goes_on_is_the_beginning_of_the_final_one(
    vocoder: Vocoder, mel: Tensor
) -> None:
    early, final = vocoder.wave(mel, finalize=False), vocoder.wave(mel)
    assert len(final) == 60 * HOP
    assert len(early) == (60 - 8) * HOP
    assert (early - final[: len(early)]).abs().max() <= 1e-6


def test_the_noise_of_a_wave_is_the_constant_one(vocoder: Vocoder, mel: Tensor) -> None:
    f0 = vocoder.f0(mel).float()
    expected = vocoder.decode(mel, vocoder.source(f0, [source_noise(60)]))
    assert torch.equal(vocoder.wave(mel), expected)


def test_a_source_longer_than_a_block_of_noise_has_no_seam(vocoder: Vocoder) -> None:
    frames = BLOCK + 30
    f0 = 120 + 40 * torch.randn(frames, generator=torch.Generator().manual_seed(1)).abs()
    whole = vocoder.source(f0, [source_noise(frames)])
    assert len(whole) == frames * HOP
    assert torch.equal(vocoder.source(f0, source_blocks(frames)), whole)


def test_where_nothing_is_voiced_there_is_noise_and_no_tone(vocoder: Vocoder) -> None:
    silent, voiced = torch.full((4,), 9.9), torch.full((4,), 10.1)
    none = [torch.zeros(4 * HOP, 9)]
    steps = vocoder.source(silent, none).view(4, HOP)
    assert (steps == steps[0, 0]).all()
    tones = vocoder.source(voiced, none).view(4, HOP)
    assert (tones == tones[:, :1]).all()
    assert len(tones[:, 0].unique()) == 4
    hiss = [source_noise(4)]
    louder = (vocoder.source(silent, hiss) - steps.flatten()).std()
    softer = (vocoder.source(voiced, hiss) - tones.flatten()).std()
    assert louder > 5 * softer > 0


HASH = """
import sys, hashlib
sys.path[:0] = [{repository!r}, {tests!r}]
import torch
torch.set_num_threads(1)
import test_cosy_vocoder as t
mel = torch.randn(80, 60, generator=torch.Generator().manual_seed(3)) * 2 - 4
wave = t.load(t.weights_of(t.OURS)).wave(mel)
print(hashlib.sha256(wave.numpy().tobytes()).hexdigest())
"""


def test_the_same_mel_gives_the_same_bytes_after_others_and_in_another_process(
    vocoder: Vocoder, mel: Tensor
) -> None:
    def digest() -> str:
        return hashlib.sha256(vocoder.wave(mel).numpy().tobytes()).hexdigest()

    alone = digest()
    vocoder.wave(mel[:, :20])
    vocoder.wave(mel.repeat(1, 3), speed=1.3)
    vocoder.wave(mel, finalize=False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(99)
        before = torch.get_rng_state()
        assert digest() == alone
        assert torch.equal(torch.get_rng_state(), before)
    here = Path(__file__).parent
    script = HASH.format(repository=str(here.parents[2]), tests=str(here))
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert process.stdout.split() == [alone]


@pytest.mark.parametrize("speed", [0.5, 0.9, 1.25, 3.0])
def test_speed_stretches_the_mel_along_time(vocoder: Vocoder, mel: Tensor, speed: float) -> None:
    frames = int(60 / speed)
    at = ((np.arange(frames) + 0.5) * (60 / frames) - 0.5).clip(0, 59)
    stretched = np.stack([np.interp(at, np.arange(60), band) for band in mel.numpy()])
    made = vocoder.wave(mel, speed=speed)
    assert len(made) == frames * HOP
    expected = vocoder.wave(torch.from_numpy(stretched.astype(np.float32)))
    # The phase adds up over the clip, so rounding in the mel is heard by nobody but not nothing.
    assert (made - expected).abs().max() <= 1e-3


def test_a_wave_is_finite_within_its_limit_and_the_mel_is_left_alone(vocoder: Vocoder) -> None:
    loud = torch.full((80, 30), 40.0)
    wave = vocoder.wave(loud)
    assert (loud == 40).all()
    assert wave.dtype == torch.float32
    assert torch.isfinite(wave).all()
    assert wave.abs().max() <= 0.99


def test_what_is_no_number_is_never_handed_over(vocoder: Vocoder, mel: Tensor) -> None:
    spoilt = mel.clone()
    spoilt[3, 7] = float("nan")
    with pytest.raises(Transient, match="not numbers"):
        vocoder.wave(spoilt)


@pytest.mark.parametrize("style", ["older names", "out of training", "both"])
def test_other_spellings_of_the_weights_give_the_same_wave(
    style: str, vocoder: Vocoder, mel: Tensor, tmp_path: Path
) -> None:
    state = load_state(weights_of(OURS), "vocoder")
    if style != "out of training":
        halves = {"original0": "weight_g", "original1": "weight_v"}
        state = {
            re.sub(r"parametrizations\.weight\.(original[01])$", lambda m: halves[m[1]], key): value
            for key, value in state.items()
        }
        assert any(key.endswith("weight_g") for key in state)
    if style != "older names":
        state = {f"generator.{key}": value for key, value in state.items()}
        state["discriminator.convs.0.weight"] = torch.ones(2, 2)
    torch.save(state, tmp_path / "hift.pt")
    assert torch.equal(load(tmp_path / "hift.pt").wave(mel), vocoder.wave(mel))


def test_a_weight_norm_is_folded_as_torch_means_it() -> None:
    torch_made = nn.utils.parametrizations.weight_norm(
        nn.Conv1d(5, 7, 3, dtype=torch.float64), "weight"
    )
    with torch.no_grad():
        torch_made.parametrizations.weight.original0.mul_(
            torch.linspace(-2, 3, 7, dtype=torch.float64)[:, None, None]
        )
    state = torch_made.state_dict()
    for prefix, dtype in (("f0_predictor.condnet.0", torch.float64), ("conv_pre", torch.float32)):
        plain = folded({f"{prefix}.{key}": value for key, value in state.items()})
        assert set(plain) == {f"{prefix}.weight", f"{prefix}.bias"}
        assert plain[f"{prefix}.weight"].dtype == dtype
        expected = torch_made.weight.detach().to(dtype)
        assert (plain[f"{prefix}.weight"] - expected).abs().max() <= 1e-6


def test_the_pitch_network_is_float64_on_the_cpu_and_the_rest_float32(vocoder: Vocoder) -> None:
    for name, parameter in vocoder._net.named_parameters():
        wide = name.startswith("f0_predictor.")
        assert parameter.dtype == (torch.float64 if wide else torch.float32), name
        assert parameter.device == CPU
    assert not [name for name in vocoder._net.state_dict() if "original" in name]


REFUSED = [
    pytest.param(torch.zeros(80, 0), {}, "no frames", id="nothing"),
    pytest.param(torch.zeros(80, 8), {"finalize": False}, "no frames", id="context"),
    pytest.param(torch.zeros(80, 3), {"speed": 4.0}, "no frames", id="squeezed"),
    pytest.param(torch.zeros(79, 20), {}, "80 bands by frames, not 79 × 20", id="bands"),
    pytest.param(torch.zeros(1, 80, 20), {}, "not 1 × 80 × 20", id="batch"),
    pytest.param(torch.zeros(80, 20), {"speed": 0.0}, "above 0, not 0.0", id="speed"),
    pytest.param(torch.zeros(80, 20), {"speed": float("nan")}, "not nan", id="not a number"),
    pytest.param(torch.zeros(80, 20), {"speed": 1.5, "finalize": False}, "whole clip", id="part"),
    pytest.param(torch.zeros(80, 15_001), {}, "goes to 300 s. Split the text", id="long"),
    pytest.param(torch.zeros(80, 9_000), {"speed": 0.5}, "would be 360 s long", id="stretched"),
]
"""A spectrogram, arguments, and what is said of them."""


@pytest.mark.parametrize(("given", "arguments", "said"), REFUSED)
def test_what_cannot_be_done_is_refused_in_plain_words(
    vocoder: Vocoder, given: Tensor, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(Refusal, match=said):
        vocoder.wave(given, **arguments)


@pytest.mark.parametrize("fault", golden.MISFITS)
def test_a_state_that_does_not_fit_names_the_file_and_the_tensor(
    fault: str, tmp_path: Path
) -> None:
    state = load_state(weights_of(OURS), "vocoder")
    key = golden.spoil(state, "resblocks.0.activations1.1.alpha", fault)
    save_file(state, tmp_path / "hift.safetensors")
    with pytest.raises(BadModel, match=r"hift\.safetensors.*" + re.escape(key)):
        vocoder_config(load_state(tmp_path / "hift.safetensors", "vocoder"), "hift.safetensors")


@pytest.mark.parametrize("ends", ["well", "badly"])
def test_convolutions_on_cuda_are_not_rounded_and_the_switch_is_put_back(ends: str) -> None:
    cudnn = torch.backends.cudnn

    def switches() -> tuple[Any, ...]:
        return cudnn.enabled, cudnn.allow_tf32, cudnn.deterministic, cudnn.benchmark

    before = switches()
    with full_precision(CPU):
        assert switches() == before
    with (
        pytest.raises(KeyError) if ends == "badly" else nullcontext(),
        full_precision(torch.device("cuda")),
    ):
        assert switches() == (True, False, True, False)
        if ends == "badly":
            raise KeyError
    assert switches() == before


@pytest.mark.parametrize("window", [1, 17, 59, 60, 61])
@pytest.mark.parametrize("finalize", [True, False])
def test_a_wave_that_is_made_in_windows_has_no_seam(
    vocoder: Vocoder, mel: Tensor, window: int, finalize: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hift.WINDOW > 60
    whole = vocoder.wave(mel, finalize=finalize)
    monkeypatch.setattr(hift, "WINDOW", window)
    made = vocoder.wave(mel, finalize=finalize)
    assert made.shape == whole.shape
    assert (made - whole).abs().max() <= 1e-6


def test_a_window_hears_as_far_back_as_the_whole_does(
    vocoder: Vocoder, mel: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vocoder._net.reach == reach(vocoder._config)
    assert 20 < vocoder._net.reach < 50
    whole = vocoder.wave(mel)
    monkeypatch.setattr(hift, "WINDOW", 17)
    monkeypatch.setattr(vocoder._net, "reach", 1)
    assert (vocoder.wave(mel) - whole).abs().max() > 1e-6
