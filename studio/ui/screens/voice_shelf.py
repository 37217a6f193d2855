"""The voices of the person's library: one is heard, brought into the book, or taken out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.widgets import OptionList

from studio.errors import StudioError
from studio.project import voice_library
from studio.project.model import Voice
from studio.project.voice_library import Shelf
from studio.ui.screens.voice_pick import VoicePick
from studio.ui.trying import Tell


class VoiceShelf(VoicePick):
    """Answers with a voice's id, or None; what is taken out comes back with `u`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "remove", show=False, id="voices.remove"),
        Binding("u", "restore", show=False, id="voices.undo"),
    ]
    HINT = "space hears it · d takes it out · u brings back · enter chooses · esc leaves"

    def __init__(self, shelf: Shelf, hear: Callable[[Voice, Tell], Awaitable[None]]) -> None:
        """Offer what is in the library."""
        note = " ".join(shelf.troubles)
        super().__init__("A voice of your library", [*shelf.voices.values()], hear, note=note)
        self._gone: list[str] = []

    @property
    def voices(self) -> dict[str, Voice]:
        """What is offered, by id."""
        return {voice.id: voice for voice in self._voices}

    @work(exclusive=True, group="shelf")
    async def action_remove(self) -> None:
        """Take the voice under the cursor out of the library."""
        place = self.query_one(OptionList).highlighted
        if place is None or place >= len(self._voices):
            return
        name = self._voices[place].id
        if await self._do(voice_library.remove, name):
            self._gone.append(name)
            self._tell(f"{name} is out of your library; u brings it back. Books keep theirs.", "")

    @work(exclusive=True, group="shelf")
    async def action_restore(self) -> None:
        """Bring back what was taken out last."""
        if not self._gone:
            self._tell(
                "Nothing was taken out here; rhapsode voices restore knows earlier ones.", ""
            )
        elif await self._do(voice_library.restore, self._gone[-1]):
            self._tell(f"{self._gone.pop()} is in your library again.", "")

    async def _do(self, change: Callable[[str], None], name: str) -> bool:
        """Change the library, and show it as it is then; what cannot be is said."""
        try:
            await asyncio.to_thread(change, name)
            shelf = await asyncio.to_thread(voice_library.shelf)
        except StudioError as error:
            self._tell(str(error), "error")
            return False
        place = self.query_one(OptionList).highlighted or 0
        self.show([*shelf.voices.values()])
        ids = [voice.id for voice in self._voices]
        place = ids.index(name) if name in ids else min(place, len(ids) - 1)
        self.query_one(OptionList).highlighted = place if ids else None
        return True
