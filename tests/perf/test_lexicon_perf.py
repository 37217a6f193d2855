"""The lexicon over 20,000 segments: figures are printed, counts and ratios are asserted."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "project"))

from bookmaking import make

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.book.lexicon import Lexicon, Rule

pytestmark = pytest.mark.perf

SYLLABLES = "lo ter mar an bel cor din fen gal hor il jas kel".split()


def words(count: int, chance: random.Random) -> list[str]:
    """Made-up words of two to four syllables."""
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(count)]


def lines(count: int) -> list[str]:
    """Lines of twelve words, about 120 characters, with marks as print has them."""
    chance = random.Random(5)
    common, rare = words(600, chance), [word.title() for word in words(3_000, chance)]
    made = []
    for _ in range(count):
        picked = chance.choices(common, k=12)
        if chance.random() < 0.3:
            picked[chance.randrange(12)] = chance.choice(rare)
        made.append(f"“{' '.join(picked[:5])},” {' '.join(picked[5:])} — don’t.")
    return made


def cpu(what: str, call: Callable[[], object], times: int = 3) -> float:
    """Best CPU time of a few calls, in seconds; printed."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    print(f"{what:<56}{best * 1000:9.1f} ms CPU")
    return best


def test_many_rules_cost_little_more_than_one() -> None:
    texts = lines(20_000)
    chance = random.Random(7)
    found = sorted({word for word in words(900, chance) if len(word) > 6})[:500]
    one = Lexicon([Rule(found[0], "x")])
    many = Lexicon([Rule(word, "x", match_case=n % 5 == 0) for n, word in enumerate(found)])
    loose = Lexicon([Rule(word, "x", whole=False) for word in found])
    print(f"\n{sum(map(len, texts)) / 1e6:.2f} MB of text, {len(found)} rules")
    single = cpu("one rule over the book", lambda: [one.apply(text) for text in texts])
    several = cpu("500 rules over the book", lambda: [many.apply(text) for text in texts])
    cpu("500 rules for parts of words", lambda: [loose.apply(text) for text in texts])
    hits = sum(map(many.touches, texts))
    print(f"{hits:,} of {len(texts):,} lines are hit")
    assert several < 8 * single + 0.2


def test_a_preview_of_twenty_thousand_segments(tmp_path: Path) -> None:
    texts = lines(20_000)
    chapters = [
        ChapterDraft(
            f"Chapter {start}",
            tuple(
                SegmentDraft(Kind.PROSE, text, text, True, n)
                for n, text in enumerate(texts[start : start + 500], start)
            ),
        )
        for start in range(0, len(texts), 500)
    ]
    rare = max((word for word in words(100, random.Random(9))), key=len).title()
    name = next(word.strip("“”,.") for word in texts[3].split() if len(word) > 8)
    with make(tmp_path / "long", chapters=chapters) as project:
        print()
        nothing = cpu(
            "preview of a word that is not there", lambda: project.relexed([Rule(rare, "x")])
        )
        rule = Rule(name, "x")
        found = project.relexed([rule])
        cpu(
            f"preview of a word in {len(found.changed):,} segments", lambda: project.relexed([rule])
        )
        everywhere = cpu(
            "preview of a word in every segment", lambda: project.relexed([Rule("don’t", "do not")])
        )
        assert len(project.relexed([Rule("don’t", "do not")]).changed) == 20_000
        pattern = Rule(r"\b(\w+)gal\b", r"\1 gal", regex=True)
        cpu("preview of a pattern", lambda: project.relexed([pattern]))
        start = time.monotonic()
        change = project.put_rules([rule])
        print(f"{'saving it (wall)':<56}{(time.monotonic() - start) * 1000:9.1f} ms")
        assert change.segments == {row.uid for row in found.changed}
        assert everywhere < 25 * nothing
