"""What of the manuscript is narrated, chosen again for a book that is there; new editions, too."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from textual import work

from studio.errors import StudioError
from studio.typed_paths import typed_path
from studio.ui.screens.prompt import Confirm, Prompt
from studio.ui.screens.studio_base import StudioBase

if TYPE_CHECKING:
    from studio.project.manuscripts import Choice, Source
    from studio.project.renewing import Renewal

HINT = "the path of the manuscript: the same file, or a newer edition of it"


class Pieces(StudioBase):
    """The manuscript is read again; what is unchanged keeps its takes."""

    manuscript = ""
    """The path that was typed last."""

    @work(exclusive=True, group="pieces", exit_on_error=False)
    async def action_book_pieces(self) -> None:
        """Ask for the manuscript, what of it is narrated, and whether the book shall change so."""
        prompt = Prompt("The manuscript", value=self.manuscript, hint=HINT, empty=False)
        typed = await self.app.push_screen_wait(prompt)
        if typed is None:
            return
        self.manuscript = typed
        try:
            await self._choose_again(typed)
        except StudioError as error:
            self.say(str(error), kind="error")

    async def _choose_again(self, typed: str) -> None:
        from studio.project import renewing
        from studio.project.manuscripts import Choice, Source
        from studio.ui.screens.picking import PickingScreen

        source = Source(typed_path(typed))
        self.say(f"Reading {source.name}…", lasting=True)
        known = await self.session.read(self.session.project.choice)
        manuscript = await asyncio.to_thread(source.offered, Choice(known.policies))
        picking = PickingScreen(manuscript, source.offered, self.keys, known)
        choice = await self.app.push_screen_wait(picking)
        if choice is None:
            self.say("The book was left as it is.")
            return
        self.say(f"Comparing {source.name} with the book…", lasting=True)
        renewal = await self._compared(source, choice)
        if not renewal.update and choice == known:
            self.say("The book says all of it already, in this order.")
        elif await self._is_wanted(renewal):
            await self.session.do(renewing.apply, self.session.project, renewal)
            self.say("The book was changed, as one step.")
        else:
            self.say("The book was left as it is.")

    async def _compared(self, source: Source, choice: Choice) -> Renewal:
        """The manuscript as it would be taken in; reading it keeps nobody else from the book."""
        from studio.commands.fitting import fitting_of
        from studio.project.manuscripts import prepare
        from studio.project.renewing import Renewal

        project = self.session.project
        info = await self.session.read(lambda: project.info)
        fit = await asyncio.to_thread(fitting_of, project)
        prepared = await asyncio.to_thread(
            partial(prepare, limits=fit.limits, by_voice=fit.by_voice),
            source,
            choice,
            spoken_language=info.language,
            language=info.language,
        )
        kept = {"import": choice.values()}
        found = await self.session.read(project.compared, prepared.chapters, kept)
        return Renewal(source, choice, prepared, found, (*prepared.notices, *fit.notices))

    async def _is_wanted(self, renewal: Renewal) -> bool:
        """Whether a person wants what they are told."""
        from studio.commands.updating import summary

        info = await self.session.read(lambda: self.session.project.info)
        told = summary(info.title, renewal)[0]
        yes, no = "changes the book, as one step", "leaves the book as it is"
        answer: bool | None = await self.app.push_screen_wait(Confirm(told, yes=yes, no=no))
        return bool(answer)
