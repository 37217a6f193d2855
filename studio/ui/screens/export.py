"""The export window: which chapters, how, and how far it is."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Checkbox, ProgressBar, RadioButton, RadioSet, Static

from studio.awake import Awake
from studio.errors import StudioError
from studio.project.model import Chapter, Kind, Segment
from studio.ui import formats
from studio.ui.actions import EVERYWHERE, EXPORT, bindings
from studio.ui.keys import Keys
from studio.ui.screens.window import Window
from studio.ui.services import Session
from studio.wording import number_runs

log = logging.getLogger(__name__)

RATES: tuple[tuple[int | None, str], ...] = (
    (None, "the engine’s own"),
    (44_100, "44,100 Hz"),
    (48_000, "48,000 Hz"),
)
Bits: TypeAlias = Literal[16, 24]
BITS: tuple[Bits, ...] = (16, 24)


class Choice(RadioButton):
    """A radio button that is told from its neighbours without colour."""

    def __init__(self, label: str | Content, *, value: bool = False) -> None:
        """A choice, made already or not."""
        super().__init__(label, value=value)
        self.BUTTON_INNER = "●" if value else "○"

    def watch_value(self) -> None:
        """Full for the chosen one, empty for the others."""
        self.BUTTON_INNER = "●" if self.value else "○"
        super().watch_value()


class Tick(Checkbox):
    """A tick that is seen without colour, and an empty box."""

    def __init__(self, label: str, *, id: str) -> None:  # noqa: A002 (Textual's word)
        """A box without a tick."""
        super().__init__(label, id=id)
        self.BUTTON_INNER = " "

    def watch_value(self) -> None:
        """A tick, or nothing."""
        self.BUTTON_INNER = "x" if self.value else " "
        super().watch_value()


class _Stopped(Exception):
    """The person left while it was being written."""


class ExportScreen(Window[None]):
    """Chapters become WAV files, in a thread, while everything else goes on."""

    ACTIONS_OF: ClassVar[str] = EXPORT
    # What is valid everywhere is the application's, which a window over a screen does not see.
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(EXPORT),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
    ]
    CSS_PATH = "export.tcss"

    def __init__(self, session: Session, chapter: Chapter | None, keys: Keys) -> None:
        """Offer the chapter under the cursor, and the book."""
        super().__init__()
        self._session, self._chapter, self._keys = session, chapter, keys
        self._stop: threading.Event | None = None

    def compose(self) -> ComposeResult:
        """The questions, what is missing, the progress."""
        chapter = self._chapter
        count = len(self._session.chapters)
        with VerticalScroll(classes="export", can_focus=False):
            yield Static("Export as WAV", classes="dialog-title")
            with Horizontal(id="choices"):
                with Vertical(classes="choice -what"):
                    yield Static("What", classes="label")
                    with RadioSet(id="what"):
                        if chapter is not None:
                            name = Content(f"chapter {chapter.number}, {chapter.title}")
                            yield Choice(name.truncate(32, ellipsis=True), value=True)
                        book = f"the book, {formats.count(count, 'chapter')}"
                        yield Choice(book, value=chapter is None)
                with Vertical(classes="choice"):
                    yield Static("Rate", classes="label")
                    with RadioSet(id="rate"):
                        for place, (_, label) in enumerate(RATES):
                            yield Choice(label, value=place == 0)
                with Vertical(classes="choice -bits"):
                    yield Static("Depth", classes="label")
                    with RadioSet(id="bits"):
                        for place, bits in enumerate(BITS):
                            yield Choice(f"{bits} bit", value=place == 0)
            yield Static(id="missing")
            yield Tick("leave gaps: a second of silence for each", id="partial")
            with Horizontal(id="buttons"):
                yield Button(f"Write ({self._keys.shown('export.start')})", id="start")
                yield Button(f"Close ({self._keys.shown('export.close')})", id="close")
            yield ProgressBar(total=100, show_eta=False, id="progress")
            yield Static(id="result")

    def on_mount(self) -> None:
        """Begin where enter writes."""
        self._show_missing()
        self.set_interval(1.0, self._show_missing)
        self.query_one("#start").focus()

    @property
    def writing(self) -> bool:
        """Whether files are being written."""
        return self._stop is not None

    def on_unmount(self) -> None:
        """Stop writing, also where the studio is left meanwhile."""
        if self._stop is not None:
            self._stop.set()

    # What is asked.

    def _chosen(self) -> Sequence[Chapter]:
        """The chapters to write."""
        if self._chapter is not None and self.query_one("#what", RadioSet).pressed_index == 0:
            return [self._chapter]
        return self._session.chapters

    def _missing(self) -> list[Segment]:
        """Segments without a take, in what is to be written."""
        wanted = {chapter.id for chapter in self._chosen()}
        return [
            segment
            for segment in self._session.rows.all
            if segment.chapter in wanted
            and segment.chosen is None
            and segment.kind is not Kind.SCENE_BREAK
        ]

    @on(RadioSet.Changed, "#what")
    def show_missing_of_choice(self, event: RadioSet.Changed) -> None:
        """Other chapters lack other segments."""
        event.stop()
        self._show_missing()

    def _show_missing(self) -> None:
        """Say what is missing, and offer gaps only where there would be some."""
        missing = self._missing()
        stale = sum(chapter.stale for chapter in self._chosen())
        lines = []
        if missing:
            numbers = number_runs(segment.number for segment in missing)
            text = f"! {formats.count(len(missing), 'segment')} without a take: {numbers}"
            lines.append(Content.styled(_short(text), "bold $text-warning"))
        if stale:
            text = f"~ {formats.count(stale, 'segment')} stale: what you hear is the older text"
            lines.append(Content.styled(text, "$text-warning"))
        if not lines:
            lines.append(Content.styled("✓ every segment has a current take", "$text-success"))
        self.query_one("#missing", Static).update(Content("\n").join(lines))
        self.query_one("#partial").display = bool(missing)

    # Writing.

    @on(Button.Pressed, "#start")
    def start_from_button(self, event: Button.Pressed) -> None:
        """Write."""
        event.stop()
        self.action_export_start()

    @on(Button.Pressed, "#close")
    def close_from_button(self, event: Button.Pressed) -> None:
        """Close."""
        event.stop()
        self.action_export_close()

    def action_export_start(self) -> None:
        """Write the chosen chapters, unless segments are missing and gaps are not allowed."""
        if self._stop is not None:
            return
        partial = self.query_one("#partial", Checkbox).value
        if self._missing() and not partial:
            self._tell(
                "Segments are missing: narrate them, or tick “leave gaps”.", "bold $text-warning"
            )
            self.query_one("#partial").focus()
            return
        self._stop = threading.Event()
        self.add_class("-writing")
        self.query_one("#start").disabled = True
        self.query_one(ProgressBar).update(progress=0)
        self._tell("Writing…", "")
        rate = RATES[max(0, self.query_one("#rate", RadioSet).pressed_index)][0]
        bits = BITS[max(0, self.query_one("#bits", RadioSet).pressed_index)]
        self._write([chapter.number for chapter in self._chosen()], rate, bits, partial, self._stop)

    @work(thread=True, group="export", exit_on_error=False)
    def _write(
        self,
        numbers: Sequence[int],
        rate: int | None,
        bits: Bits,
        partial: bool,
        stop: threading.Event,
    ) -> None:
        """In a thread, with a reader of its own, so that neither keys nor narration wait."""
        from studio.commands.exporting import ExportOptions, export_chapters
        from studio.project.project import Project

        def progress(fraction: float) -> None:
            if stop.is_set():
                raise _Stopped
            self.app.call_from_thread(self._advance, fraction)

        try:
            with (
                Awake(on=self._session.keep_awake),
                Project.open(self._session.project.folder, read_only=True) as project,
            ):
                chapters = [item for item in project.chapters() if item.number in numbers]
                options = ExportOptions(rate=rate, bits=bits, partial=partial)
                written = export_chapters(project, chapters, options, progress)
        except _Stopped:
            return
        except StudioError as error:
            self.app.call_from_thread(self._finish, str(error), "bold $text-error")
            return
        except Exception:
            log.exception("the export ended")
            if not stop.is_set():  # else there may be nobody left to tell
                sentence = "The export ended by a fault in Rhapsode; the log has the details."
                self.app.call_from_thread(self._finish, sentence, "bold $text-error")
            return
        total = sum(item.seconds for item in written)
        files = _names([item.path for item in written])
        self.app.call_from_thread(
            self._finish, f"✓ {formats.duration(total)} written: {files}", "bold $text-success"
        )

    def _advance(self, fraction: float) -> None:
        if self.is_mounted:
            self.query_one(ProgressBar).update(progress=fraction * 100)

    def _finish(self, sentence: str, style: str) -> None:
        if not self.is_mounted:
            return
        self._stop = None
        self.remove_class("-writing")
        self.query_one("#start").disabled = False
        self._tell(sentence, style)
        self.query_one("#close").focus()

    def _tell(self, sentence: str, style: str) -> None:
        self.query_one("#result", Static).update(Content.styled(sentence, style))

    def action_export_close(self) -> None:
        """Close; what is being written stops and leaves nothing half-written."""
        if self._stop is not None:
            self._stop.set()
        self.dismiss(None)


def _short(text: str, most: int = 140) -> str:
    """A text that may name very many segments."""
    return text if len(text) <= most else text[:most].rsplit(",", 1)[0] + ", …"


def _names(paths: Sequence[Path]) -> str:
    """Where the files are, in one phrase."""
    if len(paths) == 1:
        return str(paths[0])
    return f"{len(paths)} files in {paths[0].parent}"
