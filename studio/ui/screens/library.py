"""The library: recent projects and how far each is; new books, and the sample on a first start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from studio.errors import StudioError
from studio.project.library import Recent, recent
from studio.project.project import Project
from studio.project.store import DATABASE_NAME
from studio.typed_paths import typed_path
from studio.ui import cells, formats, inks
from studio.ui.actions import BY_ID, LIBRARY, for_screen
from studio.ui.actions import bindings as bindings_of
from studio.ui.keys import Keys
from studio.ui.messages import OpenProject
from studio.ui.screens.prompt import Prompt, Report
from studio.ui.widgets.choices import Choices
from studio.ui.widgets.key_footer import KeyFooter

if TYPE_CHECKING:
    from studio.project.manuscripts import Choice, Source

READABLE = "EPUB, Word, HTML, FB2, Markdown or text"
"""What a manuscript may be, in a few words."""
BAR = 12
"""Cells of a project's bar."""
BESIDE_FOLDER = 67
"""Cells that are not the folder's: edges, title, progress and age."""


class LibraryScreen(Screen[None]):
    """Recent projects; the way to new ones."""

    ACTIONS_OF: ClassVar[str] = LIBRARY
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of(LIBRARY)]
    CSS_PATH = "library.tcss"

    def __init__(self, keys: Keys) -> None:
        """Show the projects that were opened lately."""
        super().__init__()
        self._keys = keys
        self._unread = ""
        """The path of a manuscript that could not be read: to be mended, not to be typed again."""
        self._recent: tuple[Recent, ...] = ()

    def compose(self) -> ComposeResult:
        """The title, the list, what to press, the footer."""
        yield Static(Content.assemble((" Rhapsode", "bold $accent"), " · library"), id="header")
        with Vertical(id="shelf"):
            yield Choices(id="projects")
            yield Static(id="advice")
        yield Static(id="telling")
        yield KeyFooter(id="footer")

    def on_mount(self) -> None:
        """Read the list, then each project's progress."""
        self._recent = recent()
        projects = self.query_one(OptionList)
        projects.display = bool(self._recent)
        projects.add_options(
            Option(self._line(item, None), disabled=item.missing) for item in self._recent
        )
        if self._recent:
            first = next((i for i, item in enumerate(self._recent) if not item.missing), None)
            projects.highlighted = first
            projects.focus()
        self.query_one("#advice", Static).update(self._advice())
        shown = sorted(
            (action for action in for_screen(LIBRARY) if action.footer), key=lambda it: it.footer
        )
        if not self._recent:
            shown.remove(BY_ID["library.open"])
        self.query_one(KeyFooter).show(
            [
                (self._keys.shown(action.id), action.label)
                for action in shown
                if self._keys.shown(action.id) and action.id != "app.keys"
            ],
            help_key=(self._keys.shown("app.keys"), "keys"),
        )
        self._read_progress()

    def _advice(self) -> Content:
        """What to press, in at most five lines."""
        lines = [
            (self._keys.shown("library.sample"), "opens the sample book, to try everything out"),
            (self._keys.shown("library.new"), f"makes a project of {READABLE}"),
            (self._keys.shown("library.folder"), "opens a project that is not listed here"),
        ]
        head = [] if self._recent else [Content.styled("No project was opened here yet.", "bold")]
        return Content("\n").join(
            [
                *head,
                *[Content.assemble((f" {key}  ", "bold $accent"), text) for key, text in lines],
            ]
        )

    def _line(self, item: Recent, progress: tuple[int, int] | None) -> Content:
        """One project: title, progress, when, where."""
        age = formats.age(item.opened, datetime.now(UTC))
        if age.endswith((" min", " h", " d")):
            age += " ago"  # a bare “6 min” reads as the length of the book here
        title = cells.fit(item.title or item.folder.name, 30)
        folder = _shown(item.folder, self.size.width - BESIDE_FOLDER)
        if item.missing:
            return Content.styled(f"{title} {'not there now':<20}{age:<12}{folder}", inks.MUTED)
        bar = " " * 20
        if progress is not None:
            done, total = progress
            filled = done * BAR // max(1, total)
            percent = f"{done * 100 // max(1, total):>3} %"
            bar = f"{'█' * filled}{'░' * (BAR - filled)} {percent}".ljust(20)
        return Content.assemble(
            (title, "bold"),
            " ",
            (bar, "$text-success"),
            (f"{age:<12}", inks.MUTED),
            (folder, inks.MUTED),
        )

    @work(exclusive=True, group="progress", exit_on_error=False)
    async def _read_progress(self) -> None:
        """Look into each project, one after the other, without keeping anybody waiting."""
        projects = self.query_one(OptionList)
        for place, item in enumerate(self._recent):
            if item.missing:
                continue
            progress = await asyncio.to_thread(_progress, item.folder)
            if progress is not None:
                projects.replace_option_prompt_at_index(place, self._line(item, progress))

    # What can be done.

    def action_library_down(self) -> None:
        """One down."""
        self.query_one(OptionList).action_cursor_down()

    def action_library_up(self) -> None:
        """One up."""
        self.query_one(OptionList).action_cursor_up()

    @on(OptionList.OptionSelected, "#projects")
    def open_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click on a project."""
        event.stop()
        self.post_message(OpenProject(self._recent[event.option_index].folder))

    def action_library_open(self) -> None:
        """Open the project under the cursor."""
        place = self.query_one(OptionList).highlighted
        if place is not None and not self._recent[place].missing:
            self.post_message(OpenProject(self._recent[place].folder))
        else:
            self.tell(f"{self._keys.shown('library.sample')} opens the sample book.")

    async def action_library_folder(self) -> None:
        """Ask for a project's folder."""

        def take(text: str | None) -> None:
            if text is not None:
                try:
                    path = typed_path(text)
                except StudioError as error:
                    self.tell(str(error), error=True)
                    return
                if complaint := self._no_project(path):
                    self.tell(complaint, error=True)
                else:
                    self.post_message(OpenProject(path))

        prompt = Prompt("Open which project?", hint="the path of its folder", empty=False)
        await self.app.push_screen(prompt, take)

    def _no_project(self, path: Path) -> str:
        """Why a path that was typed cannot be opened, and what to press instead; or nothing."""
        new = self._keys.shown("library.new")
        if path.is_file():
            return f"{path} is a file; {new} makes a project of a book."
        if not path.is_dir():
            return f"There is no folder {path}. Check the name."
        if not (path / DATABASE_NAME).exists():
            return f"{path} holds no project; {new} makes one of a book."
        return ""

    @work(exclusive=True, group="dialog", exit_on_error=False)
    async def action_library_sample(self) -> None:
        """Copy the sample book, unless that was done before, and open it."""
        from studio.commands.sample import copy_sample

        self.tell("Copying the sample book…")
        try:
            folder = await asyncio.to_thread(copy_sample)
        except StudioError as error:
            self.tell(str(error), error=True)
            return
        self.post_message(OpenProject(folder))

    async def action_library_new(self) -> None:
        """Ask for a manuscript."""

        def take(text: str | None) -> None:
            if text is not None:
                self.take_in(text)

        hint = f"the path of a manuscript: {READABLE}"
        prompt = Prompt("A new book", value=self._unread, hint=hint, empty=False)
        await self.app.push_screen(prompt, take)

    @work(exclusive=True, group="dialog", exit_on_error=False)
    async def take_in(self, text: str) -> None:
        """Read a manuscript, ask what of it is narrated, import it, say what was taken, open it."""
        from studio.project.manuscripts import Choice, Source
        from studio.ui.screens.picking import PickingScreen

        self.tell(f"Reading {text}…")
        self._unread = text
        try:
            source = Source(typed_path(text))
            manuscript = await asyncio.to_thread(source.offered, Choice())
            picking = PickingScreen(manuscript, source.offered, self._keys)
            choice = await self.app.push_screen_wait(picking)
            if choice is None:
                self.tell(f"{source.name} was not imported.")
                return
            folder, lines = await asyncio.to_thread(_import, source, choice, self._far(source.name))
        except StudioError as error:
            self.tell(str(error), error=True)
            return
        self._unread = ""
        self.tell("")
        await self.app.push_screen_wait(Report(lines[0], lines[1:], hint="enter opens the book"))
        self.post_message(OpenProject(folder))

    def _far(self, name: str) -> Callable[[float], None]:
        """What a thread may call to say how far an import is; each percent is told once."""
        loop = asyncio.get_running_loop()
        told = -1

        def show(fraction: float) -> None:
            nonlocal told
            if int(fraction * 100) > told:
                told = int(fraction * 100)
                loop.call_soon_threadsafe(self._tell_far, f"Importing {name}… {told} %")

        return show

    def _tell_far(self, sentence: str) -> None:
        """How far it is, unless the library was left: the import goes on."""
        if self.is_attached:
            self.tell(sentence)

    def tell(self, sentence: str, *, error: bool = False) -> None:
        """One sentence above the footer."""
        style = inks.ERROR if error else inks.MUTED
        text = f" {'✗ ' if error else ''}{sentence}"
        self.query_one("#telling", Static).update(Content.styled(text, style))


def _shown(folder: Path, columns: int) -> str:
    """A folder by the end of its path, which tells projects apart."""
    path = cells.clean(str(folder))
    if cells.width(path) <= max(8, columns):
        return path
    while path and cells.width(path) >= max(8, columns):
        path = path[1:]
    return f"…{path}"


def _progress(folder: Path) -> tuple[int, int] | None:
    """Segments that are ready, and all that need a take; None where it cannot be read."""
    try:
        with Project.open(folder, read_only=True) as project:
            chapters = project.chapters()
    except StudioError:
        return None
    return sum(item.ready for item in chapters), sum(item.spoken for item in chapters)


def _import(
    source: Source, choice: Choice, progress: Callable[[float], None]
) -> tuple[Path, Sequence[str]]:
    """Import a manuscript as `rhapsode new` does; the project's folder, and the report."""
    from studio.commands.importing import free_folder, take_in

    reply = take_in(source, choice, default=free_folder, progress=progress)
    # The last line names the command to type next; here the book is opened anyway.
    return Path(reply.data["project"]), list(reply.lines)[:-1]
