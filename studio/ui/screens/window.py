"""A window over the studio that is closed once, however fast the keys come that close it."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, ClassVar, TypeVar

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.css.query import NoMatches
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea
from textual.worker import Worker

T = TypeVar("T")


class Window(ModalScreen[T]):
    """A window that answers with a result."""

    UNKEPT: ClassVar[str] = ""
    """A sentence: what is lost with what was typed in its fields; empty where that is nothing."""
    _begun: tuple[str, ...] = ()

    @on(events.Mount)
    def remember_what_stood_there(self) -> None:
        """What stands in the fields before a person types."""
        self._begun = self._in_fields()

    @property
    def unkept(self) -> str:
        """A sentence: what is lost if the window goes now; empty where that is nothing."""
        return self.UNKEPT if self.UNKEPT and self._in_fields() != self._begun else ""

    def _in_fields(self) -> tuple[str, ...]:
        lines = (it.value for it in self.query(Input))
        return (*lines, *(it.text for it in self.query(TextArea)))

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close the window; where it is closed already, or another lies over it, do nothing.

        Textual would close whatever is on top: for a second enter that was on its way, the studio.
        """
        if self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(result)

    def run_worker(self, work: Any, *args: Any, **wishes: Any) -> Worker[Any]:
        """Run work beside the window's keys; it may be overtaken by the window's end."""
        if wishes.get("thread"):
            return super().run_worker(work, *args, **wishes)
        return super().run_worker(partial(self._while_it_stands, work), *args, **wishes)

    async def _while_it_stands(self, work: Any) -> Any:
        """Do work; what it misses in a window that has been closed meanwhile is nobody's fault."""
        try:
            result = work() if callable(work) else work
            return await result if inspect.isawaitable(result) else result
        except NoMatches:
            if self in self.app.screen_stack:
                raise
            return None
