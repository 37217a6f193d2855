"""What two sequences have in common, in order."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_PAIRS = 400_000_000
"""Sequences whose lengths have a larger product are not compared item by item: 50 MB of bits."""


def in_order(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of equal items, as many as can be without crossing; none where it would take too long.

    The longest common subsequence by bits: a row is one number, so a step of the classical table
    is a few operations on numbers of any length.
    """
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    pairs = [(place, place) for place in range(head)]
    inner = (old[head : len(old) - tail], new[head : len(new) - tail])
    if len(inner[0]) * len(inner[1]) <= _MOST_PAIRS:
        pairs += [(left + head, right + head) for left, right in _longest(*inner)]
    return pairs + [(len(old) - tail + place, len(new) - tail + place) for place in range(tail)]


def _longest(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    where: dict[str, int] = {}
    for place, key in enumerate(old):
        where[key] = where.get(key, 0) | 1 << place
    if not where.keys() & set(new):
        return []
    whole = (1 << len(old)) - 1
    row = whole
    rows = []
    for key in new:
        hits = row & where.get(key, 0)
        row = ((row + hits) | (row - hits)) & whole
        rows.append(row)
    pairs = []
    left, right = len(old) - 1, len(new) - 1
    while left >= 0 and right >= 0:
        if rows[right] >> left & 1:
            left -= 1
        elif right > 0 and not rows[right - 1] >> left & 1:
            right -= 1
        else:
            pairs.append((left, right))
            left, right = left - 1, right - 1
    return pairs[::-1]
