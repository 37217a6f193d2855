"""Keys that are typed ahead act on what the keys before them lead to; sequences of two keys."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from textual import events
from textual.app import App
from textual.widget import Widget
from textual.worker import Worker

from studio.ui.actions import BY_ID, EVERYWHERE, for_screen
from studio.ui.keys import Keys
from studio.ui.screens.studio import StudioScreen
from studio.ui.services import Session
from studio.ui.typing_fields import is_typing, to_other_field

READ_SECONDS = 10.0
"""How long a key waits at most for the rest of a long book, on a disk that hangs."""
ASKING = frozenset({"narrate", "seeds", "recording", "voice", "device"})
"""Groups of work that a key begins beside the loop, and that may ask something first."""
ASKED_SECONDS = 1.0
"""How long a key waits at most for a question that the key before it leads to."""
ASKED_LOOKS = 200
"""How often it is looked whether it is there."""
SETTLE_SECONDS = 3.0
"""How long a key waits at most for the text before it to be kept, on a disk that hangs."""


class TypedAhead(App[int]):
    """Lets no key act before what it is meant for is there, and loses none."""

    keys: Keys
    session: Session | None

    def __init__(self) -> None:
        """Nothing was pressed yet."""
        super().__init__()
        self._prefix = ""
        self._aimed: WeakKeyDictionary[events.Key, Widget | None] = WeakKeyDictionary()
        self._waited_for: WeakSet[Worker[Any]] = WeakSet()

    async def on_event(self, event: events.Event) -> None:
        """Act on sequences of two keys; lose no letter while a text field opens.

        A key is first sent to what has the focus and comes back here if that had no use for it.
        """
        if isinstance(event, events.Key):
            pressed = event.time
            await self._typed_text_settles()
            await self._book_is_read()
            await self._question_is_asked()
            await self._window_is_whole()
            if isinstance(self.screen, StudioScreen):
                self.screen.pressed = pressed
            if not event.is_forwarded:
                if isinstance(self.screen, StudioScreen):
                    self.screen.forget_answer()
                    self.screen.end_tour()
                if move := to_other_field(self.focused, event.key):
                    await self.run_action(move)
                    return
                self._aimed[event] = self.focused
            elif is_typing(self.focused) and self._aimed.get(event) is not self.focused:
                # Typed behind the key that opened the field, and sent to what had the focus then.
                event = events.Key(event.key, event.character)
                self._aimed[event] = self.focused
            elif await self._sequence(event.key):
                return
        await super().on_event(event)

    async def _typed_text_settles(self) -> None:
        """What is typed behind the key that keeps a text acts on the text that was kept."""
        if isinstance(self.screen, StudioScreen) and self.screen.is_mounted:
            settled = self.screen.panel.settled
            if not settled.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(settled.wait(), SETTLE_SECONDS)

    async def _book_is_read(self) -> None:
        """What is typed while the rest of a long book is being read acts on all of it."""
        session = self.session
        if session is not None and not session.complete.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(session.complete.wait(), READ_SECONDS)

    async def _question_is_asked(self) -> None:
        """What is typed behind a key that leads to a question answers it.

        Each such work is waited for once: when its window is closed, keys act while it goes on.
        """
        screen = self.screen
        if not isinstance(screen, StudioScreen):
            return
        begun = {it for it in self.workers if it.node is screen and it.group in ASKING}
        for worker in begun - set(self._waited_for):
            self._waited_for.add(worker)
            # A worker tells nobody that it has opened a window, so there is nothing to wait on.
            for _ in range(ASKED_LOOKS):
                if self.screen is not screen or worker.is_finished:
                    break
                await asyncio.sleep(ASKED_SECONDS / ASKED_LOOKS)

    async def _window_is_whole(self) -> None:
        """What is typed while a window is put together acts on all of it, or closes all of it."""
        screen = self.screen
        for _ in range(ASKED_LOOKS):
            if screen.is_mounted or screen is not self.screen:
                break
            await asyncio.sleep(ASKED_SECONDS / ASKED_LOOKS)

    async def _sequence(self, key: str) -> bool:
        """Whether the key begins or ends a sequence; what a sequence stands for is done."""
        screen = str(getattr(self.screen, "ACTIONS_OF", ""))
        waiting, self._prefix = self._prefix, ""
        if not waiting and key in self._sequences(screen):
            self._prefix = key
            self._hint(key)
        elif waiting:
            self._hint("")
            # Any other key ends the sequence; it must not act as if g had not been pressed.
            if action_id := self._sequences(screen).get(waiting, {}).get(key):
                action = BY_ID[action_id]
                where = "app" if action.screen == EVERYWHERE else "screen"
                await self.run_action(f"{where}.{action.method}")
        else:
            return False
        return True

    def _sequences(self, screen: str) -> dict[str, dict[str, str]]:
        return self.keys.sequences(action.id for action in for_screen(screen) if not action.pane)

    def _hint(self, prefix: str) -> None:
        """Show what may follow the first key, or nothing."""
        if isinstance(self.screen, StudioScreen):
            screen = StudioScreen.ACTIONS_OF
            self.screen.show_sequences(prefix, self._sequences(screen).get(prefix, {}))
