"""The application: one window onto the library and the open book."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.binding import BindingType
from textual.command import CommandPalette, Provider
from textual.driver import Driver
from textual.screen import Screen
from textual.theme import ThemeProvider

from studio.errors import StudioError
from studio.lean import return_big_blocks
from studio.project.folders import log_folder
from studio.sound.terminal import own_terminal
from studio.ui import outside_editor
from studio.ui.actions import ACTIONS, EVERYWHERE, bindings
from studio.ui.commands import ActionCommands
from studio.ui.directors import MakeDirector, real_director
from studio.ui.keys import resolve
from studio.ui.listening import Sound
from studio.ui.messages import LeaveProject, OpenProject
from studio.ui.palette import Palette
from studio.ui.preferences import Preferences
from studio.ui.screens.help import HelpScreen
from studio.ui.screens.library import LibraryScreen
from studio.ui.screens.prompt import Confirm
from studio.ui.screens.studio import StudioScreen
from studio.ui.services import Session
from studio.ui.themes import THEMES, unknown_theme
from studio.ui.typed_ahead import SETTLE_SECONDS, TypedAhead

log = logging.getLogger(__name__)

LOG_NAME = "studio.log"
LOG_BYTES = 1_000_000
"""Size at which the log begins a new file."""


def real_player() -> Sound:
    """The player over this machine's sound device; nothing is opened yet."""
    from studio.sound.player import Player

    return Player()


class StudioApp(TypedAhead, inherit_bindings=False):
    """Rhapsode on the terminal."""

    TITLE = "Rhapsode"
    CSS_PATH = "theme.tcss"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionCommands}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EVERYWHERE)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-broad")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]  # noqa: RUF012

    def __init__(
        self,
        folder: Path | None = None,
        *,
        make_director: MakeDirector = real_director,
        make_player: Callable[[], Sound] = real_player,
    ) -> None:
        """A studio on a project's folder, or on the library where there is none."""
        super().__init__()
        self._folder = folder
        self._make_director = make_director
        self._make_player = make_player
        self._preferences = Preferences.load()
        self.keys = resolve(ACTIONS, self._preferences.keys)
        self.session: Session | None = None
        self.refused: StudioError | None = None
        """Why the folder named at the start could not be opened."""
        for theme in THEMES:
            self.register_theme(theme)

    # Beginning and end.

    def get_driver_class(self) -> type[Driver]:
        """What paints: Textual's choice, but for terminals one that they cannot stop."""
        chosen = super().get_driver_class()
        if chosen.__name__ != "LinuxDriver":
            return chosen
        from studio.ui.terminal_driver import TerminalDriver

        return TerminalDriver

    async def on_mount(self) -> None:
        """Show the book, or the library."""
        self.set_keymap(self.keys.changed)
        if self._preferences.theme in self.available_themes:
            self.theme = self._preferences.theme
        if self._folder is None:
            await self._show(LibraryScreen(self.keys))
        else:
            self.open_first(self._folder)
        theme = unknown_theme(self._preferences.theme)
        problems = [*self._preferences.problems, theme, *self.keys.problems]
        for problem in filter(None, problems):
            self.notify(problem, severity="warning", timeout=20, markup=False)

    @work(exit_on_error=False)
    async def open_first(self, folder: Path) -> None:
        """Open the folder named at the start; where that fails, the command says why."""
        try:
            await self.open_project(folder)
        except StudioError as error:
            self.refused = error
            self.exit(error.exit_code)

    async def open_project(self, folder: Path) -> None:
        """Open a book and show it, in place of the one that is open.

        Raises:
            StudioError: It cannot be opened; what was open stays.
        """
        session = await Session.open(folder, self._make_director)
        session.keep_awake = self._preferences.keep_awake
        await self.close_session()
        self.session = session
        await self._show(
            StudioScreen(session, self._make_player, self.keys, wishes=self._preferences)
        )
        # A long book is a million objects that stay; looking through them would be felt as a jerk.
        gc.freeze()

    @on(OpenProject)
    def open_wanted(self, event: OpenProject) -> None:
        """The library names a project."""
        event.stop()
        self.open_from_library(event.folder)

    @work(exclusive=True, group="open", exit_on_error=False)
    async def open_from_library(self, folder: Path) -> None:
        """Open it; where that fails, the library says why."""
        try:
            await self.open_project(folder)
        except StudioError as error:
            if isinstance(self.screen, LibraryScreen):
                self.screen.tell(str(error), error=True)

    async def close_session(self) -> None:
        """End the engines and close the book; no process is left behind."""
        session, self.session = self.session, None
        if session is not None:
            session.listener = lambda message: None
            await session.close()
            gc.unfreeze()

    @on(LeaveProject)
    async def leave_project(self) -> None:
        """Close the open book and show the library."""
        await self._show(LibraryScreen(self.keys))
        await self.close_session()

    async def _show(self, screen: Screen[None]) -> None:
        """Put a screen in place of the one that is shown."""
        if len(self.screen_stack) > 1:
            await self.switch_screen(screen)
        else:
            await self.push_screen(screen)
        gc.enable()  # the command has switched it off while everything is loaded

    # What can be done everywhere.

    async def action_app_keys(self) -> None:
        """Every key of the screen below."""
        if not isinstance(self.screen, HelpScreen):
            screen = str(getattr(self.screen, "ACTIONS_OF", ""))
            await self.push_screen(HelpScreen(screen, self.keys))

    async def action_app_palette(self) -> None:
        """The command palette."""
        if not isinstance(self.screen, CommandPalette):
            await self.push_screen(Palette(placeholder="What would you like to do?"))

    async def action_app_theme(self) -> None:
        """Choose the colours."""
        themes = Palette(providers=[ThemeProvider], placeholder="What colours would you like?")
        await self.push_screen(themes)

    def action_app_log(self) -> None:
        """Say where the logs are."""
        self._tell(f"The logs are in {log_folder()}")

    def action_app_interrupt(self) -> None:
        """Ctrl-c does not quit: too much is lost by one slip."""
        self._tell(f"{self.keys.shown('app.quit') or 'ctrl-q'} quits.")

    def _tell(self, sentence: str) -> None:
        """One sentence where the screen has its place for such, or over it."""
        if isinstance(self.screen, StudioScreen):
            self.screen.say(sentence)
        else:
            self.notify(sentence, markup=False)

    @work(exit_on_error=False)
    async def leave(self, number: int) -> None:
        """Quit on a signal without a question; what is being typed is kept."""
        if number == signal.SIGINT and outside_editor.is_open():
            return  # ctrl-c in an editor goes to all that share the terminal
        with contextlib.suppress(Exception):
            async with asyncio.timeout(SETTLE_SECONDS):
                await self.keep_edits()
        self.exit(128 + number)

    async def keep_edits(self) -> bool:
        """Keep what is being typed; False where that could not be done."""
        kept = [
            await screen.keep_edit()
            for screen in self.screen_stack
            if isinstance(screen, StudioScreen)
        ]
        return all(kept)

    @work
    async def action_app_quit(self) -> None:
        """Quit; asks only while work is running, or where some would be lost."""
        if not await self.keep_edits():
            return
        running = []
        if any(getattr(screen, "writing", False) for screen in self.screen_stack):
            running.append("An export is being written; stopped, it leaves nothing half-written.")
        if self.session is not None and self.session.busy:
            waiting = self.session.waiting
            running.append(
                f"Narration is running, {waiting:,} segment{'s' * (waiting != 1)} to go."
                " What is finished is kept, and the queue waits for next time."
            )
        yes = "stop and quit" if running else "quit, and lose it"
        running += [lost for it in self.screen_stack if (lost := getattr(it, "unkept", ""))]
        question = Confirm(" ".join(running), yes=yes, no="go on working")
        if not running or await self.push_screen_wait(question):
            self.exit(0)

    def _handle_exception(self, error: Exception) -> None:
        """A fault of ours: the log gets the traceback, a person gets a sentence."""
        if self._exit:
            # What was on its way to windows that go; nobody waits for it any more.
            log.info("while leaving", exc_info=error)
            return
        log.error("fault in the interface", exc_info=error)
        super()._handle_exception(error)
        if not log.isEnabledFor(logging.DEBUG):
            place = log_folder() / LOG_NAME
            sentence = f"This is a fault in Rhapsode; the details are in {place}."
            self._exit_renderables[:] = [Text(sentence)]


async def _run(app: StudioApp) -> None:
    """Run until it ends, by a key or by a signal, and leave no process behind."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, app.leave, number)
    try:
        await app.run_async()
    finally:
        await app.close_session()


def _log_to_file() -> None:
    """Send the log to its file: standard error is where the screen is drawn."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, logging.StreamHandler):
            root.removeHandler(handler)
    with contextlib.suppress(OSError):
        log_folder().mkdir(parents=True, exist_ok=True)
        file = RotatingFileHandler(
            log_folder() / LOG_NAME, maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8"
        )
        file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root.addHandler(file)


def run_studio(folder: Path | None) -> int:
    """Open the studio on a project, or the library without one.

    Args:
        folder: The project's folder.

    Returns:
        The exit code.

    Raises:
        StudioError: The folder cannot be opened; the sentence says why.
    """
    _log_to_file()
    return_big_blocks()
    with own_terminal():  # what native libraries print would stand on the screen
        app = StudioApp(folder)
        asyncio.run(_run(app))
    if app.refused is not None:
        raise app.refused
    result: Any = app.return_value
    return app.return_code or 0 if result is None else int(result)
