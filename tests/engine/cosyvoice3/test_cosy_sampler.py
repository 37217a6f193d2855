"""The sampler beside a literal restatement of the reference algorithm, and beside its records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import golden
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.narrators.cosyvoice3.sampler import (
    BadLogits,
    Chance,
    Floats,
    Greedy,
    Sampler,
    log_softmax,
)

V = 6761
ROUNDING = 4e-6
"""How far apart two softmaxes may be: torch's own exponential is off by up to 20 units in the last
place, and by others on another processor. A nucleus whose sum lands so near to ``top_p`` has one
token more or fewer by rounding alone."""
NEVER = -np.inf


def reference(
    w: torch.Tensor, history: list[int], top_p: float, top_k: int, window: int, tau: float
) -> tuple[int, int | None, bool]:
    """The algorithm as it is described: tensors throughout, torch's global generator.

    Returns:
        What the nucleus gave; what is returned, None where the reference fails because nothing is
        left; and whether the second draw was made.
    """
    p, order = w.softmax(dim=0).sort(descending=True, stable=True)
    total = torch.tensor(0.0)
    kept: list[torch.Tensor] = []
    while len(kept) < len(p) and total < top_p and len(kept) < top_k:
        kept.append(p[len(kept)])
        total = total + kept[-1]
    first = int(order[torch.multinomial(torch.stack(kept), 1, replacement=True)])
    repeated = (torch.tensor(history[-window:], dtype=torch.long) == first).sum()
    if repeated < window * tau:
        return first, first, False
    w[first] = NEVER
    try:
        return first, int(torch.multinomial(w.softmax(dim=0), 1, replacement=True)), True
    except RuntimeError:
        return first, None, True


@dataclass
class Case:
    """What the sampler is given."""

    what: str
    logp: Floats
    seed: int
    history: list[int] = field(default_factory=list)
    top_p: float = 0.8
    top_k: int = 25
    window: int = 10
    tau: float = 0.1


def _masked(logp: Floats, ids: list[int]) -> Floats:
    """All but these ids ruled out."""
    left = np.full_like(logp, NEVER)
    left[ids] = logp[ids]
    return left


def _cases() -> Iterator[Case]:
    """Ordinary steps, and every boundary that a rewrite could get wrong."""
    chance = np.random.default_rng(20)

    def logits(spread: float, n: int = 300) -> Floats:
        return log_softmax((chance.standard_normal(n) * spread).astype(np.float32))

    def likely(logp: Floats, k: int) -> list[int]:
        return np.argsort(-logp, kind="stable")[:k].tolist()

    for seed in range(16):
        for spread in (0.5, 2.0, 6.0):
            logp = logits(spread)
            yield Case(f"spread {spread}", logp, seed)
            yield Case(f"spread {spread}, all recent", logp, seed, likely(logp, 10))
        sharp = logits(2.0)
        sharp[7] = 9.0
        sharp = log_softmax(sharp)
        assert np.exp(sharp[7]) > 0.8
        yield Case("first above top_p", sharp, seed)
        yield Case("first above top_p, repeated", sharp, seed, [7])
        ties = log_softmax(np.round(chance.standard_normal(300) * 2).astype(np.float32))
        yield Case("ties", ties, seed)
        yield Case("ties across top_k", ties, seed, top_k=3)
        yield Case("all alike", log_softmax(np.zeros(300, np.float32)), seed)
        # Sixteen of one sixteenth, exactly: the sum of eight is top_p, and is not below it.
        alike = _masked(np.zeros(300, np.float32), [3 * i for i in range(16)])
        yield Case("sum exactly top_p", alike, seed, top_p=0.5)
        yield Case("top_k within the nucleus", logits(0.5), seed, top_k=5)
        yield Case("top_k wider than the nucleus", logits(2.0), seed, top_k=200)
        yield Case("top_k wider than everything", logits(1.0, 12), seed, top_k=50, top_p=0.99)
        yield Case("one candidate", logits(1.0), seed, top_k=1)
        flat = logits(3.0)
        best = likely(flat, 1)
        yield Case("repeated at the window's edge", flat, seed, [*best, *[299] * 9], top_k=1)
        yield Case("repeated before the window", flat, seed, [*best, *[299] * 10], top_k=1)
        yield Case("below the share", flat, seed, best * 2, top_k=1, tau=0.3)
        yield Case("at the share", flat, seed, best * 3, top_k=1, tau=0.3)
        yield Case("a window of one", flat, seed, [*best, 299], top_k=1, window=1, tau=1.0)
        yield Case("one left, repeated", _masked(flat, best), seed, best)
        yield Case("one left, new", _masked(flat, best), seed)
        yield Case("two left, one repeated", _masked(flat, likely(flat, 2)), seed, best, top_k=1)
        masked = logits(2.0)
        masked[200:] = NEVER
        yield Case("specials masked", masked, seed, likely(masked, 10))
    for seed in (0, 1, 2**31, 2**32 - 1):
        logp = logits(3.0, V)
        yield Case("full size", logp, seed)
        yield Case("full size, repeated", logp, seed, likely(logp, 10))


CASES = list(_cases())


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 200


@pytest.mark.parametrize("what", dict.fromkeys(case.what for case in CASES))
def test_the_same_token_and_the_same_use_of_chance_as_the_reference(what: str) -> None:
    for case in (case for case in CASES if case.what == what):
        chance = Chance(case.seed)
        sampler = Sampler(case.top_p, case.top_k, case.window, case.tau)
        before = case.logp.copy(), list(case.history)
        got = sampler.sample(case.logp, case.history, chance)
        assert (case.logp == before[0]).all()
        assert case.history == before[1]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(case.seed)
            logp = torch.from_numpy(case.logp.copy())
            first, want, _ = reference(
                logp, case.history, case.top_p, case.top_k, case.window, case.tau
            )
            if want is None:
                # The guard: where the reference fails, the token is kept.
                assert what == "one left, repeated"
                assert got == first
                continue
            assert got == want
            # Not one number more or fewer: the next of both streams is the same.
            assert chance.uniform(1)[0] == torch.rand(1, dtype=torch.float64).item()


def test_the_boundaries_are_where_they_are_meant_to_be() -> None:
    """The harness would agree about anything; that its cases do what they say is another matter."""
    seen = {what: set[tuple[int, bool]]() for what in (case.what for case in CASES)}
    for case in CASES:
        if case.what == "one left, repeated":
            continue
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(case.seed)
            logp = torch.from_numpy(case.logp.copy())
            _, _, again = reference(
                logp, case.history, case.top_p, case.top_k, case.window, case.tau
            )
        kept, _ = Sampler(case.top_p, case.top_k, case.window, case.tau).nucleus(case.logp)
        seen[case.what].add((len(kept), again))
    assert seen["first above top_p"] == {(1, False)}
    assert seen["first above top_p, repeated"] == {(1, True)}
    assert seen["sum exactly top_p"] == {(8, False)}
    assert seen["all alike"] == {(25, False)}
    assert seen["repeated at the window's edge"] == {(1, True)}
    assert seen["repeated before the window"] == {(1, False)}
    assert seen["below the share"] == {(1, False)}
    assert seen["at the share"] == {(1, True)}
    assert seen["a window of one"] == {(1, False)}
    assert all(1 < kept < 200 for kept, _ in seen["top_k wider than the nucleus"])
    assert {again for _, again in seen["specials masked"]} >= {True}


def _records() -> list[tuple[str, str]]:
    """File and group of every set of recorded cases."""
    return [(name, group) for name, group, _ in golden.fields("sampler", "logp")]


@pytest.mark.parametrize(("name", "group"), _records())
def test_recorded_draws_are_the_same(name: str, group: str) -> None:
    at = golden.key(group, "")
    held = {
        key.removeprefix(at): value
        for key, value in golden.load(name).items()
        if key.startswith(at)
    }
    for i, logp in enumerate(held["logp"]):
        seed = int(held["seed"][i])
        sampler = Sampler(
            float(held["top_p"][i]),
            int(held["top_k"][i]),
            int(held["win_size"][i]),
            float(held["tau_r"][i]),
        )
        ids, probs = sampler.nucleus(logp)
        n = int(held["n_cand"][i])
        # The last bit of a logarithm may differ from one processor's library to the next.
        waits = held["exp_draw1"][i][:n]  # of a wide nucleus only the beginning is recorded
        np.testing.assert_allclose(Chance(seed).exponential(n)[: len(waits)], waits, rtol=2e-7)
        both = min(len(ids), n, len(held["cand_ids"][i]))
        assert ids[:both].tolist() == held["cand_ids"][i][:both].tolist()
        np.testing.assert_allclose(probs[:both], held["cand_probs"][i][:both], rtol=ROUNDING)
        if len(ids) != n:
            assert abs(np.cumsum(probs[: min(len(ids), n)])[-1] - sampler.top_p) <= ROUNDING
            continue
        # Without a history the nucleus decides alone; with it, so does the second draw.
        alone = Sampler(sampler.top_p, sampler.top_k, window=1, tau=1.0)
        assert alone.sample(logp, [], Chance(seed)) == int(held["nucleus_id"][i])
        history = held["history"][i][: int(held["history_len"][i])].tolist()
        got, want = sampler.sample(logp, history, Chance(seed)), int(held["ras_id"][i])
        # Where the reference fails, since nothing else is left, a repetition is kept.
        assert got == (want if want >= 0 else int(held["nucleus_id"][i]))


@pytest.mark.parametrize("seed", [0, 1, 1986, 2**31, 2**32 - 1])
def test_chance_is_the_stream_of_a_torch_generator(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    ours = Chance(seed)
    np.testing.assert_array_equal(
        ours.uniform(700), torch.rand(700, generator=generator, dtype=torch.float64).numpy()
    )
    waits = torch.empty(V).exponential_(generator=generator).numpy()
    np.testing.assert_allclose(ours.exponential(V), waits, rtol=2e-7)


def test_chance_is_one_stream_however_it_is_asked() -> None:
    whole = Chance(9).uniform(100)
    parts = Chance(9)
    np.testing.assert_array_equal(whole, np.concatenate([parts.uniform(n) for n in (1, 0, 24, 75)]))


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_has_32_bits(seed: int) -> None:
    with pytest.raises(ValueError, match="between 0 and 4294967295"):
        Chance(seed)


def test_tokens_come_as_often_as_they_are_likely() -> None:
    p = np.array([0.4, 0.3, 0.2, 0.1], np.float32)
    chance = Chance(3)
    sampler = Sampler(top_p=0.999)
    drawn = [sampler.sample(np.log(p), [], chance) for _ in range(4000)]
    share = np.bincount(drawn, minlength=4) / 4000
    assert np.abs(share - p).max() < 0.03  # four standard deviations of the likeliest


def test_a_repeated_token_is_drawn_from_everything_else() -> None:
    """Not from the nucleus: what is far too unlikely for it does come, as often as it should."""
    p = np.array([0.9, 0.04, 0.03, 0.02, 0.01], np.float32)
    chance = Chance(3)
    drawn = [Sampler(top_k=1).sample(np.log(p), [0], chance) for _ in range(4000)]
    share = np.bincount(drawn, minlength=5) / 4000
    assert share[0] == 0
    assert np.abs(share[1:] - p[1:] * 10).max() < 0.04


def test_nothing_left_is_told() -> None:
    nothing = np.full(5, NEVER, np.float32)
    for draw in (Sampler(), Greedy()):
        with pytest.raises(BadLogits, match="no token"):
            draw.sample(nothing, [], Chance(0))


@pytest.mark.parametrize("bad", [{"top_p": 0.0}, {"top_k": 0}, {"window": 0}])
def test_settings_without_a_meaning(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="top_p"):
        Sampler(**bad)  # type: ignore[arg-type]


def test_log_probabilities_add_up() -> None:
    logits = (np.random.default_rng(1).standard_normal(V) * 9).astype(np.float32)
    logp = log_softmax(logits)
    assert logp.dtype == np.float32
    want = torch.from_numpy(logits).double().log_softmax(0).numpy()
    assert np.abs(logp - want).max() < 4e-6
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(BadLogits, match="not numbers"):
            log_softmax(np.array([0.0, bad], np.float32))


logps = st.lists(
    st.one_of(st.just(NEVER), st.integers(-12, 12).map(float)), min_size=1, max_size=60
).filter(lambda values: max(values) > NEVER)
"""Logits a whole number apart, or ruled out: ties are exact, and nothing is a rounding apart."""


@given(
    logps,
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.3, 0.5, 0.8, 0.95]),
    st.integers(1, 70),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    st.data(),
)
def test_any_step_is_the_references(
    values: list[float],
    seed: int,
    top_p: float,
    top_k: int,
    window: int,
    tau: float,
    data: st.DataObject,
) -> None:
    history = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=15))
    logp = np.array(values, np.float32)
    sampler, chance = Sampler(top_p, top_k, window, tau), Chance(seed)
    got = sampler.sample(logp, history, chance)
    assert values[got] > NEVER
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        given_logp = torch.from_numpy(logp.copy())
        first, want, again = reference(given_logp, history, top_p, top_k, window, tau)
        if want is None:
            assert got == first
            return
        assert got == want
        assert chance.uniform(1)[0] == torch.rand(1, dtype=torch.float64).item()
    assert (got != first) == again


@given(logps, st.sampled_from([0.3, 0.8, 0.95]), st.integers(1, 70))
def test_a_nucleus_is_the_shortest_that_is_likely_enough(
    values: list[float], top_p: float, top_k: int
) -> None:
    logp = np.array(values, np.float32)
    ids, probs = Sampler(top_p, top_k).nucleus(logp)
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    assert ids.tolist() == order[: len(ids)]
    assert 1 <= len(ids) <= top_k
    assert probs[:-1].sum() < top_p + 1e-6
    if len(ids) < min(top_k, len(values)):
        assert probs.sum() > top_p - 1e-6


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 3, 40]), st.integers(1, 70))
def test_the_likeliest_of_many_are_those_of_a_full_sort(seed: int, levels: int, top_k: int) -> None:
    """As many tokens as there are, few of which are looked at; the fewer levels, the more ties."""
    chance = np.random.default_rng(seed)
    logp = chance.standard_normal(V).astype(np.float32)
    if levels:
        logp = np.round(logp * levels).astype(np.float32)
    logp[chance.integers(V, size=200)] = NEVER
    ids, probs = Sampler(top_p=0.999, top_k=top_k).nucleus(logp)
    order = np.argsort(-logp, kind="stable")[:top_k]
    assert ids.tolist() == order[: len(ids)].tolist()
    assert len(ids) == top_k or probs.sum() > 0.998
