"""The two constant noises: number for number those of the reference implementation."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import golden
import numpy as np
import pytest
import torch

from engine.narrators.cosyvoice3 import noise

CHECKS = golden.load(golden.own("full_size_costs.json"))["rng"]


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing drawn yet, as in a new process."""
    noise.flow_noise.cache_clear()
    monkeypatch.setattr(noise, "_KEPT", noise._Prefix())


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("name", "case", "field"), golden.fields("noise", r"flow_noise_row\d+|sine_noise")
)
def test_the_noise_is_that_of_the_reference(name: str, case: str, field: str) -> None:
    expected = golden.load(name)[golden.key(case, field)]
    if field == "sine_noise":
        expected = expected.reshape(-1, noise.HARMONICS)
        made = noise.source_noise(-(-len(expected) // noise.HOP))
    else:
        made = noise.flow_noise()[0, int(field.removeprefix("flow_noise_row"))]
    assert np.array_equal(made[: len(expected)].numpy(), expected)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("name", golden.names("costs"))
def test_the_noise_of_300_seconds_is_that_of_the_reference(name: str) -> None:
    made, checks = noise.flow_noise(), golden.load(name)["rng"]
    assert made.shape == (1, 80, 15_000)
    assert made.dtype == torch.float32
    first = checks["rand_noise"]["first"]
    assert made[0, 0, : len(first)].tolist() == first
    assert made.abs().double().sum().item() == pytest.approx(
        checks["rand_noise"]["abs_sum"], abs=0.1
    )
    checks = checks["sine_waves"]
    row, at = 0, {0: checks["first9"], 100_000: checks["at100000"]}
    at[checks["shape"][1] - 1] = checks["last"]
    found = {}
    for piece in noise.source_blocks(noise.MAX_FRAMES):
        assert len(piece) <= noise.BLOCK * noise.HOP
        for wanted in at:
            if row <= wanted < row + len(piece):
                found[wanted] = piece[wanted - row].tolist()
        row += len(piece)
    assert row == checks["shape"][1]
    assert found == at


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    "asked",
    [
        [1, 3, 2, 7],
        [noise.BLOCK - 1, noise.BLOCK + 2],
        [noise.BLOCK + 1, 5, noise.BLOCK],
        [2 * noise.BLOCK + 1, 2 * noise.BLOCK],
        [0, 4],
    ],
)
def test_a_prefix_is_the_same_whatever_was_asked_for_before(asked: list[int]) -> None:
    whole = torch.rand(
        max(asked) * noise.HOP, noise.HARMONICS, generator=noise._behind_the_modules()
    )
    for frames in asked:
        assert torch.equal(noise.source_noise(frames), whole[: frames * noise.HOP])


@pytest.mark.usefixtures("fresh")
def test_no_more_is_drawn_than_is_asked_for_and_no_more_kept_than_a_block() -> None:
    noise.source_noise(12)
    assert len(noise._KEPT._rows) == 12 * noise.HOP
    noise.source_noise(noise.BLOCK + 40)
    assert len(noise._KEPT._rows) == noise.BLOCK * noise.HOP


@pytest.mark.usefixtures("fresh")
def test_the_global_generator_is_neither_read_nor_moved() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4711)
        before = torch.get_rng_state()
        flow, source = noise.flow_noise(), noise.source_noise(3)
        assert torch.equal(torch.get_rng_state(), before)
    assert flow[0, 0, 0].item() == CHECKS["rand_noise"]["first"][0]
    assert source[0].tolist() == CHECKS["sine_waves"]["first9"]


@pytest.mark.usefixtures("fresh")
def test_two_threads_that_ask_at_once_get_the_same_noise() -> None:
    sizes = [1 + (n * 7) % 40 for n in range(60)]
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(noise.source_noise, sizes))
    whole = noise.source_noise(max(sizes))
    for size, piece in zip(sizes, made, strict=True):
        assert torch.equal(piece, whole[: size * noise.HOP])
