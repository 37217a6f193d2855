"""How sound is heard in the studio: speed, volume, device. The export knows nothing of it."""

from __future__ import annotations

import asyncio

from textual import work

from studio.errors import StudioError
from studio.ui.listening import MOST_VOLUME, SPEEDS
from studio.ui.preferences import Preferences
from studio.ui.screens.prompt import Choose
from studio.ui.screens.studio_base import StudioBase
from studio.ui.state import UserState

VOLUME_STEP = 0.1
KEEP_SECONDS = 0.5
"""How long a person may go on turning before it is written down."""
OWN = "the system's own device"


class Tuning(StudioBase):
    """The actions that change how sound is heard."""

    wishes: Preferences
    """What config.toml says."""
    _state: UserState

    def begin_sound(self) -> None:
        """Take speed, volume and device from the last time."""
        self._state = state = UserState()
        listening = self.listening
        speed = state.number("speed", 1.0, SPEEDS[0], SPEEDS[-1])
        listening.speed = min(SPEEDS, key=lambda each: abs(each - speed))
        listening.volume = state.number("volume", 1.0, 0.0, MOST_VOLUME)
        listening.device = state.text("device", self.wishes.device) or None

    async def end_sound(self) -> None:
        """Be silent for good."""
        await self.listening.close()
        await asyncio.to_thread(self._state.write)

    @work(exclusive=True, group="state")
    async def _keep(self) -> None:
        """Write down what was turned, once it rests."""
        await asyncio.sleep(KEEP_SECONDS)
        await asyncio.to_thread(self._state.write)

    # Speed and volume.

    def action_listen_slower(self) -> None:
        """One step slower."""
        self._change_speed(-1)

    def action_listen_faster(self) -> None:
        """One step faster."""
        self._change_speed(1)

    def _change_speed(self, step: int) -> None:
        place = SPEEDS.index(self.listening.speed) + step
        if not 0 <= place < len(SPEEDS):
            self.say(f"×{self.listening.speed:g} is as far as the speed goes.")
            return
        # At once, for the next key may be on its way; the player follows as fast as it can.
        self.listening.speed = speed = SPEEDS[place]
        self._state.put(speed=speed)
        self._hurry()
        self._keep()
        self.say(f"Speed ×{speed:g}.")

    @work(exclusive=True, group="speed")
    async def _hurry(self) -> None:
        await self.listening.set_speed(self.listening.speed)
        self.show_sound()

    def action_listen_softer(self) -> None:
        """A tenth softer."""
        self._change_volume(-VOLUME_STEP)

    def action_listen_louder(self) -> None:
        """A tenth louder."""
        self._change_volume(VOLUME_STEP)

    def _change_volume(self, step: float) -> None:
        volume = round(min(MOST_VOLUME, max(0.0, self.listening.volume + step)), 2)
        self.listening.set_volume(volume)
        self._state.put(volume=volume)
        self._keep()
        self.say(f"Volume {volume:.0%}.")
        self.show_sound()

    # The device.

    @work(exclusive=True, group="device")
    async def action_listen_device(self) -> None:
        """Choose what sound is played on."""
        try:
            names = await self.listening.devices()
        except StudioError as error:
            self.say(str(error), kind="warning")
            return
        now = self.listening.device
        if now is not None and now not in names:
            names = (*names, now)
        if not names:
            self.say("No sound device was found; connect one or start the sound server.")
            return
        choices: list[str | None] = [None, *names]
        chosen = await self.app.push_screen_wait(
            Choose(
                "Play sound on",
                [OWN if name is None else name for name in choices],
                current=choices.index(now),
            )
        )
        if chosen is not None and choices[chosen] != now:
            await self._play_on(choices[chosen])

    async def _play_on(self, name: str | None) -> None:
        self._state.put(device=name or "")
        self._keep()
        try:
            await self.listening.set_device(name)
        except StudioError as error:
            self.say(str(error), kind="warning")
            return
        self.say(f"Sound is played on {OWN if name is None else f'“{name}”'}.")
