"""Numbers as people see them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.ui import formats


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0:00"),
        (3.6, "0:04"),
        (59.6, "1:00"),
        (754, "12:34"),
        (3599.7, "1:00:00"),
        (3723, "1:02:03"),
        (None, "·"),
        (-1, "·"),
    ],
)
def test_duration(value: float | None, shown: str) -> None:
    assert formats.duration(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0:00.0"), (1.44, "0:01.4"), (59.99, "0:59.9"), (3661.5, "1:01:01.5")]
)
def test_clock_never_runs_ahead(value: float, shown: str) -> None:
    assert formats.clock(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "·"),
        (0.0072, ".007"),
        (0.0001, ".000"),
        (0.9994, ".999"),
        (0.9996, "1.00"),
        (1.244, "1.24"),
        (9.996, "10.0"),
        (12.34, "12.3"),
        (99.96, "100"),
    ],
)
def test_rtf(value: float, shown: str) -> None:
    assert formats.rtf(value) == shown


@given(st.floats(0, 9999))
def test_an_rtf_has_room_in_its_column(value: float) -> None:
    assert len(formats.rtf(value)) <= 5
    assert value > 999 or len(formats.rtf(value)) <= 4


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "·"), (327_577_600, "312 MB"), (2_161_115_136, "2,061 MB")]
)
def test_megabytes(count: int, shown: str) -> None:
    assert formats.megabytes(count) == shown


def test_growth_shows_its_sign_also_where_there_is_none() -> None:
    assert formats.megabytes(44 << 20, sign=True, unit=False) == "+44"
    assert formats.megabytes(-3 << 20, sign=True) == "-3 MB"
    assert formats.megabytes(0, sign=True) == "+0 MB"


def test_takes_and_counts() -> None:
    assert formats.take(2, 3) == "2/3"
    assert formats.take(0, 3) == "–/3"
    assert formats.take(0, 0) == "–"
    assert formats.count(1, "take") == "1 take"
    assert formats.count(2048, "segment") == "2,048 segments"
    assert formats.count(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        ("2026-03-01T11:59:30+00:00", "now"),
        ("2026-03-01T11:55:00Z", "5 min"),
        ("2026-03-01T13:00:00+05:00", "4 h"),
        ("2026-02-27T12:00:00+00:00", "2 d"),
        ("2026-01-01T12:00:00+00:00", "2026-01-01"),
        ("yesterday", "·"),
        ("2026-03-01T11:59:30", "·"),
    ],
)
def test_age(made: str, shown: str) -> None:
    assert formats.age(made, datetime(2026, 3, 1, 12, tzinfo=UTC)) == shown
