"""A small form: kind, pause and speed of some segments; only what is changed is applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from studio.project.model import Kind, Segment
from studio.project.settings_file import LONGEST_PAUSE
from studio.ui import formats
from studio.ui.screens.window import Window
from studio.ui.typing_fields import FormLine

SPOKEN_KINDS = tuple(kind for kind in Kind if kind is not Kind.SCENE_BREAK)
BOOKS = "book"
"""What stands for the book's own pause where the segments differ."""
VARIOUS = "various"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a person changed in the form."""

    kind: Kind | None = None
    """The new kind, None where it stays."""
    pause_changed: bool = False
    pause_ms: int | None = None
    """The new pause, None for the book's; only where `pause_changed`."""
    speed: float | None = None
    """The new speed, None where it stays."""

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return self.kind is not None or self.pause_changed or self.speed is not None


class KindField(Widget, can_focus=True):
    """One of a few kinds: ← → choose another."""

    DEFAULT_CSS = """
    KindField { height: 1; width: 1fr; padding: 0 1; }
    KindField:focus { text-style: reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,space", "turn(1)", show=False, id="form.after"),
        Binding("left,h", "turn(-1)", show=False, id="form.before"),
    ]

    def __init__(self, kind: Kind | None, *, enabled: bool) -> None:
        """Begin with ``kind``, None where the segments differ."""
        super().__init__(id="form-kind", disabled=not enabled)
        self.kind = kind

    def action_turn(self, step: int) -> None:
        """The next kind, or the one before."""
        place = -1 if self.kind is None and step > 0 else 0
        if self.kind is not None:
            place = SPOKEN_KINDS.index(self.kind)
        self.kind = SPOKEN_KINDS[(place + step) % len(SPOKEN_KINDS)]
        self.refresh()

    def render(self) -> Content:
        """The kind between arrows."""
        if self.disabled:
            return Content(Kind.SCENE_BREAK.value)
        return Content(f"‹ {self.kind.value if self.kind else VARIOUS} ›")


class ShapeForm(Window[Shape | None]):
    """Answers with what was changed, or None when it is left with escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False, id="dialog.close"),
        Binding("enter", "done", show=False, id="form.done"),
        Binding("down", "app.focus_next", show=False, id="form.down"),
        Binding("up", "app.focus_previous", show=False, id="form.up"),
    ]
    CSS_PATH = "dialogs.tcss"

    def __init__(self, segments: Sequence[Segment]) -> None:
        """Ask for the shape of ``segments``, of which there is at least one."""
        super().__init__()
        spoken = [it for it in segments if it.kind is not Kind.SCENE_BREAK]
        self._segments = segments
        self._spoken = bool(spoken)
        kinds = {it.kind for it in spoken}
        pauses = {it.pause_ms for it in segments}
        speeds = {it.speed for it in spoken}
        self._kind = kinds.pop() if len(kinds) == 1 else None
        self._one_pause = len(pauses) == 1
        pause = next(iter(pauses)) if self._one_pause else None
        self._pause = "" if pause is None else str(pause)
        self._speed = f"{speeds.pop():g}" if len(speeds) == 1 else ""

    def compose(self) -> ComposeResult:
        """Three lines, what is wrong, what to press."""
        one = len(self._segments) == 1
        title = (
            f"Segment {self._segments[0].number}"
            if one
            else formats.count(len(self._segments), "segment")
        )
        pause = "the book’s" if self._one_pause else f"{VARIOUS}; “{BOOKS}” is the book’s own"
        with Vertical(classes="dialog"):
            yield Static(Content(title), classes="dialog-title")
            with Horizontal(classes="form-row"):
                yield Static("kind", classes="form-label")
                yield KindField(self._kind, enabled=self._spoken)
            with Horizontal(classes="form-row"):
                yield Static("pause after, ms", classes="form-label")
                yield FormLine(self._pause, placeholder=pause, id="form-pause", compact=True)
            with Horizontal(classes="form-row"):
                yield Static("speed, 0.5 to 2", classes="form-label")
                yield FormLine(
                    self._speed,
                    placeholder=VARIOUS if self._spoken else "a scene break has none",
                    id="form-speed",
                    compact=True,
                    disabled=not self._spoken,
                )
            yield Static(id="form-told", markup=False)
            yield Static(
                Content("tab next · ← → another kind · enter applies · esc leaves"),
                classes="dialog-hint",
            )

    def on_mount(self) -> None:
        """Begin where there is most to choose."""
        self.set_focus(self.query_one("#form-kind" if self._spoken else "#form-pause"))

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        """Enter in a line applies all of them."""
        event.stop()
        self.action_done()

    def action_done(self) -> None:
        """Hand over what was changed; what cannot be is said, and the form stays."""
        try:
            self.dismiss(self._shape() or None)
        except ValueError as error:
            self.query_one("#form-told", Static).update(Content(str(error)))

    def _shape(self) -> Shape:
        """What was changed.

        Raises:
            ValueError: A number is none, or out of range; the sentence says which are possible.
        """
        kind = self.query_one(KindField).kind
        pause = self.query_one("#form-pause", FormLine).value.strip()
        speed = self.query_one("#form-speed", FormLine).value.strip()
        changed = pause != self._pause and not (
            pause == BOOKS and self._pause == "" and self._one_pause
        )
        return Shape(
            kind=kind if kind is not self._kind else None,
            pause_changed=changed,
            pause_ms=_pause(pause) if changed else None,
            speed=_speed(speed) if speed != self._speed and speed else None,
        )

    def action_close(self) -> None:
        """Leave everything as it was."""
        self.dismiss(None)


def _pause(typed: str) -> int | None:
    if typed in ("", BOOKS):
        return None
    if not typed.isascii() or not typed.isdecimal() or int(typed) > LONGEST_PAUSE:
        raise ValueError(
            f"A pause is a whole number of milliseconds up to {LONGEST_PAUSE:,};"
            " empty is the book’s own."
        )
    return int(typed)


def _speed(typed: str) -> float:
    try:
        speed = float(typed.replace(",", "."))
    except ValueError:
        speed = 0.0
    if not 0.5 <= speed <= 2.0:
        raise ValueError("A speed lies between 0.5 and 2; 1 is the voice’s own pace.")
    return speed
