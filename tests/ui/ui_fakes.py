"""Made-up rows for widget tests: every state, every kind, and text that breaks naive columns."""

from __future__ import annotations

from dataclasses import replace

from studio.narration.status import NarrationStatus, WorkerState, WorkerStatus
from studio.project.model import Chapter, Kind, Segment, State, Take

TEXTS = (
    "She had waited eleven years for a letter that nobody in the village believed in.",
    "“Is it true?” he whispered.",
    "Dr. Harrow counted the coins twice, then pushed them across.",
    "Nobody in the village remembered when the mill had stopped turning for good.",
    "窓の外では雪が静かに降り続いていた。彼女は手紙をもう一度読み返した。",
    (
        "A family 👨\u200d👩\u200d👧\u200d👦 of five 👍\U0001f3fd under two flags "
        "\U0001f1eb\U0001f1f7\U0001f1ef\U0001f1f5, with a ❤\ufe0f and a 1\ufe0f\u20e3."
    ),
    "وصلت السفينة إلى الميناء قبل الفجر، ولم يكن أحد في انتظارها على الرصيف.",
    "Z\u0335\u0321a\u0334\u0322l\u0337\u0328g\u0336o\u0338, cafe\u0301, nai\u0308ve, S\u030cimun.",
    "\u202eright to left\u202c and \x1b[31mred\x07\tbell\u200b\u2066isolate\u2069\u00ad.",
    "I 河 mix 中文字 with Latin, のように, and 한국어도 some more of it until it is cut.",
)
KINDS = (Kind.PROSE, Kind.DIALOGUE, Kind.PROSE, Kind.PROSE, Kind.VERSE)

BASE = Segment(
    uid="s1",
    number=1,
    chapter=1,
    kind=Kind.PROSE,
    source=TEXTS[0],
    spoken=TEXTS[0],
    edited=False,
    ends_paragraph=True,
    voice="heart",
    seed=2_840_193_847,
    speed=1.0,
    pause_ms=None,
    mark=False,
    note="",
    failure="",
    takes=2,
    chosen=12,
    approved=None,
    take_number=2,
    seconds=4.1,
    rtf=0.0072,
    findings=(),
    stale=(),
    elsewhere=False,
    queued=False,
)
"""A plain ready segment."""

_IN_STATE: dict[State, dict[str, object]] = {
    State.NARRATING: {"takes": 0, "chosen": None, "take_number": 0, "seconds": 0.0, "rtf": 0.0},
    State.QUEUED: {"queued": True},
    State.FAILED: {"failure": "the engine ran out of memory twice"},
    State.DRAFT: {"takes": 0, "chosen": None, "take_number": 0, "seconds": 0.0, "rtf": 0.0},
    State.STALE: {"stale": ("text",)},
    State.FLAGGED: {"findings": ("0.9 s of silence inside",)},
    State.APPROVED: {"approved": 12},
    State.READY: {},
}
STATES = tuple(_IN_STATE)

MIB = 1 << 20
"""Bytes of one MB of memory."""


def in_state(state: State, segment: Segment = BASE) -> Segment:
    """A segment in a state."""
    return replace(segment, **_IN_STATE[state])  # type: ignore[arg-type]


def segment(number: int) -> Segment:
    """The n-th segment of an endless book: every 41st a heading, every 19th a scene break."""
    state = STATES[(number * 5 + number // 8) % len(STATES)]
    made = in_state(
        state,
        replace(
            BASE,
            uid=f"s{number}",
            number=number,
            source=TEXTS[(number - 1) % len(TEXTS)],
            kind=KINDS[(number - 1) % len(KINDS)],
            seed=(number * 2_654_435_761) % 2**32,
            seconds=1.0 + number % 97 / 7,
            mark=number % 11 == 4,
            note="ask the author" if number % 13 == 5 else "",
        ),
    )
    if number % 41 == 1:
        return replace(made, kind=Kind.HEADING, source=f"Chapter {number // 41 + 1}: Low Water")
    if number % 19 == 12:
        return replace(made, kind=Kind.SCENE_BREAK, source="", spoken="", seconds=0.0, rtf=0.0)
    return made


class Rows:
    """A `RowSource` over made-up segments that counts what it is asked."""

    def __init__(self, count: int) -> None:
        """So many rows."""
        self.uids = [f"s{number}" for number in range(1, count + 1)]
        self.places = {uid: index for index, uid in enumerate(self.uids)}
        self.changed: dict[str, Segment] = {}
        self.revisions: dict[str, int] = {}
        self.narrating: set[str] = set()
        self.chosen: set[str] = set()
        self.reads = 0

    def keep(self, uids: list[str]) -> None:
        """Show only these, in this order."""
        self.uids = uids
        self.places = {uid: index for index, uid in enumerate(uids)}

    def change(self, uid: str, changed: Segment) -> None:
        """Put another segment into a row."""
        self.changed[uid] = changed
        self.revisions[uid] = self.revisions.get(uid, 0) + 1

    def __len__(self) -> int:
        return len(self.uids)

    def row(self, index: int) -> Segment:
        self.reads += 1
        uid = self.uids[index]
        return self.changed.get(uid) or segment(int(uid[1:]))

    def revision(self, index: int) -> int:
        return self.revisions.get(self.uids[index], 0)

    def state(self, index: int) -> State:
        uid = self.uids[index]
        known = self.changed.get(uid) or segment(int(uid[1:]))
        return known.state(narrating=uid in self.narrating)

    def index_of(self, uid: str) -> int | None:
        return self.places.get(uid)

    def selected(self, uid: str) -> bool:
        return uid in self.chosen


TITLES = (
    "The Landing",
    "Low Water",
    "The Bell That Nobody in the Village Would Ring Again",
    "第四章　雪の夜の手紙と古い時計",
    "الفصل الخامس: السفينة",
    "Family 👨\u200d👩\u200d👧 matters",
)


def chapters(count: int) -> tuple[Chapter, ...]:
    """Chapters from finished to untouched, then with problems."""
    made = []
    for number in range(1, count + 1):
        spoken = 48
        done = max(0, spoken - (number - 1) * 12) if number < 8 else 0
        made.append(
            Chapter(
                id=100 + number,
                number=number,
                title=TITLES[(number - 1) % len(TITLES)] if number < 12 else f"Night {number}",
                first=(number - 1) * 50 + 1,
                segments=50,
                spoken=spoken,
                done=done + 2,
                approved=spoken if number == 1 else max(0, done - 5),
                flagged=3 if number in (2, 4) else 0,
                stale=1 if number in (2, 3) else 0,
                failed=2 if number == 4 else 0,
                seconds=done * 4.1,
            )
        )
    return tuple(made)


def take(number: int, **changes: object) -> Take:
    """One take of segment s1."""
    made = Take(
        id=10 + number,
        segment="s1",
        number=number,
        recipe_id=f"r{number}",
        recipe={},
        provenance={},
        seed=(number * 2_654_435_761) % 2**32,
        spoken=TEXTS[0],
        voice="heart",
        pcm_hash=f"h{number}",
        rate=24_000,
        channels=1,
        frames=24_000 * 4 - 2_400 + number * 1_200,
        rtf=0.0068 + number / 1000,
        findings=(),
        star=False,
        made="2026-03-01T10:00:00+00:00",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


WAVE = "▁▂▄▆█▇▅▃▁▁▂▅▇▇▆▄▂▁▁▃▆█▇▅▃▂▁▁▂▃▅▆▄▂▁▁"

WORKER = WorkerStatus(
    number=3,
    engine="hibari",
    state=WorkerState.READY,
    pid=4242,
    footprint=312 * MIB,
    baseline=268 * MIB,
    budget=512 * MIB,
    device_memory=0,
    clips=41,
    loading=1.0,
    device="cpu fp32",
)
STATUS = NarrationStatus(
    workers=(WORKER,),
    queued=12,
    rtf_now=0.0071,
    rtf_rolling=0.0083,
    rtf_chapter=0.0079,
    made=140,
    audio_made=574.0,
    eta=4.2,
    recycles=2,
    crashes=0,
    last_recycle="recycled worker 2: grew 530 MB over 512 MB",
    free_memory=12_698 * MIB,
    swap_used=0,
)
