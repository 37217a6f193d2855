"""What is playing, where it is, and a bar to see it on."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from studio.ui import cells, formats, inks

_BAR_LEAST = 8
"""Cells below which a bar tells nothing and is left out."""


class PlayerLine(Widget):
    """One line: sign, elapsed, bar with the playhead, total, speed, what it is."""

    DEFAULT_CSS = """
    PlayerLine { height: 1; width: 1fr; }
    """

    @dataclass
    class SeekRequested(Message):
        """A click on the bar: go there."""

        seconds: float

    def __init__(
        self,
        *,
        empty: str = "Nothing is playing. space plays this segment, p from here on.",
        id: str | None = None,  # noqa: A002 (Textual's word)
        classes: str | None = None,
    ) -> None:
        """A silent player; see `show`."""
        super().__init__(id=id, classes=classes)
        self._empty = empty
        self._position = self._duration = 0.0
        self._playing = self._paused = False
        self._label = ""
        self._speed = self._volume = 1.0
        self._waits = ""
        self._bar = range(0)
        self._shown: tuple[object, ...] = ()

    def show(
        self,
        position: float,
        duration: float,
        playing: bool,
        label: str,
        *,
        paused: bool = False,
        speed: float = 1.0,
        volume: float = 1.0,
        waits: str = "",
    ) -> None:
        """Say what is playing; call it as often as you like.

        Args:
            position: Seconds from the start.
            duration: Seconds in all; 0 for nothing to play.
            playing: Whether it sounds.
            label: What it is: ``take 2 of 16``, ``from 16 on``.
            paused: Whether it is held, to go on.
            speed: Playing speed.
            volume: How loud; said where it is not as it is in the file.
            waits: What the sound waits for, in a few words; nothing while it sounds.
        """
        self._position, self._duration = min(max(0.0, position), duration), duration
        self._playing, self._paused = playing, paused
        self._label, self._speed = label, speed
        self._volume, self._waits = volume, waits
        # Ten times a second the same tenth is common: nothing to paint then.
        shown = (int(self._position * 10), duration, playing, paused, label, speed, volume, waits)
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def set_empty(self, text: str) -> None:
        """Say something else while nothing plays, such as why there is no sound."""
        self._empty = text
        self.refresh()

    def render(self) -> Content:
        """The line."""
        columns = self.content_size.width
        if self._waits:
            line = f" … {self._waits}"
            if cells.width(line) + 2 + cells.width(self._label) <= columns:
                line = f"{line}  {self._label}"
            return Content.styled(cells.fit(line, columns), inks.WARNING)
        if self._duration <= 0:
            return Content.styled(cells.fit(" " + self._empty, columns), inks.MUTED)
        if self._playing and not self._paused:
            sign, style = "▶", "bold $text-success"
        else:
            sign, style = ("❚❚" if self._paused else "■"), inks.WARNING
        word = "paused" if self._paused else "playing" if self._playing else "stopped"
        head = f" {sign} {word}".ljust(12) + f"{formats.clock(self._position)} "
        tail = f" {formats.clock(self._duration)} {_speed(self._speed)}"
        if self._volume != 1.0:
            tail += f" vol {self._volume:.0%}"
        room = columns - cells.width(head) - cells.width(tail)
        label = cells.crop(self._label, max(0, min(32, room - _BAR_LEAST - 3)))
        label = f"  {label} " if label else " "
        length = room - cells.width(label)
        if length < _BAR_LEAST:
            self._bar = range(0)
            return Content.styled(cells.fit(head + "/" + tail, columns), style)
        self._bar = range(cells.width(head), cells.width(head) + length)
        at = min(length - 1, int(self._position / self._duration * length))
        return Content.assemble(
            (head, style),
            ("━" * at, inks.ACCENT),
            ("●", "bold $text-accent"),
            ("─" * (length - at - 1), inks.FAINT),
            tail,
            (label, inks.MUTED),
        )

    def on_click(self, event: Click) -> None:
        """Seek to where the bar was clicked."""
        if event.x in self._bar:
            event.stop()
            part = (event.x - self._bar.start) / len(self._bar)
            self.post_message(self.SeekRequested(part * self._duration))


def _speed(speed: float) -> str:
    """A speed with as many places as it needs, one at the least: ``×1.0``, ``×1.25``."""
    text = f"{speed:.2f}"
    return f"×{text[:-1] if text.endswith('0') else text}"
