"""`bench stages`: what of a clip goes where, made one after the other and side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import torch

from engine.memory import footprint
from engine.narrators.cosyvoice3 import devices
from engine.narrators.cosyvoice3.bench import backends, model
from engine.narrators.cosyvoice3.flow import Flow
from engine.narrators.cosyvoice3.saying import TOKENS_PER_SECOND
from engine.narrators.cosyvoice3.vocoder import Vocoder

SEED = 13
STAGES = ("prefill", "decode", "flow", "vocoder")
CLIPS = 3
"""Clips of one turn: side by side, the first and the last have a half to themselves."""

Spent = dict[str, float]


class Clips:
    """The three networks, and clips of one length made with them."""

    def __init__(
        self,
        source: model.Source,
        device: torch.device,
        backend: str,
        *,
        tokens: int,
        prefix: int,
        reference: int,
        steps: int,
    ) -> None:
        """Load everything.

        Raises:
            Absent: This machine has no such backend.
        """
        state, config = source.llm()
        runners, absent = backends.there(state, config, device, [backend])
        if not runners:
            why = absent[0]["why"]
            raise backends.Absent(f"The backend “{backend}” is not here: {why}.")
        self.runner = runners[0]
        if self.runner.lines > 1:
            raise backends.Absent(f"“{backend}” says several lines, and a clip is one of them.")
        self.device, self.tokens, self.steps = device, tokens, steps
        self.flow = Flow.load(*source.flow(), device)
        self.vocoder = Vocoder.load(*source.vocoder(), device)
        self.line = model.line(config, prefix, reference)
        chance = torch.Generator().manual_seed(SEED)
        heard = self.line.prompt_speech
        self.mel = torch.randn(2 * len(heard), 80, generator=chance) * 2 - 5
        self.speaker = torch.randn(192, generator=chance)
        self.lane = devices.lane(device)

    def speak(self, seed: int) -> tuple[list[int], Spent]:
        """The first half: speech tokens, and seconds."""
        turn = self.runner.say(self.line, self.tokens, seed)
        return turn.tokens, {"prefill": turn.prefill, "decode": turn.decode}

    def sound(self, tokens: list[int]) -> Spent:
        """The second half, in a queue of its own as the narrator has it: seconds."""
        with devices.on_lane(self.lane):
            begun = time.perf_counter()
            mel = self.flow.mel(
                tokens,
                prompt_tokens=self.line.prompt_speech,
                prompt_mel=self.mel,
                speaker=self.speaker,
                steps=self.steps,
            )
            devices.wait(self.device)
            between = time.perf_counter()
            self.vocoder.wave(mel)
        return {"flow": between - begun, "vocoder": time.perf_counter() - between}

    def alone(self) -> tuple[list[Spent], float]:
        """Clips one after the other: seconds by stage of each, and of all."""
        begun = time.perf_counter()
        spent = []
        for seed in range(CLIPS):
            tokens, first = self.speak(seed)
            spent.append(first | self.sound(tokens))
        return spent, time.perf_counter() - begun

    def overlapped(self) -> tuple[list[Spent], float]:
        """The same with the second half of one beside the first half of the next."""
        begun = time.perf_counter()
        halves: list[tuple[Spent, Future[Spent]]] = []
        with ThreadPoolExecutor(1, "sound") as pool:
            for seed in range(CLIPS):
                tokens, first = self.speak(seed)
                halves.append((first, pool.submit(self.sound, tokens)))
            spent = [first | second.result() for first, second in halves]
        return spent, time.perf_counter() - begun


def measure(clips: Clips, rounds: int, progress: Callable[[float], None]) -> dict[str, Any]:
    """Make clips both ways, in turns.

    Args:
        clips: What makes them.
        rounds: Turns of each way; figures are medians over their clips.
        progress: Told how far it is, 0 to 1.
    """
    ways = {"alone": clips.alone, "overlapped": clips.overlapped}
    clips.sound(clips.speak(0)[0])
    spent: dict[str, list[Spent]] = {way: [] for way in ways}
    whole: dict[str, list[float]] = {way: [] for way in ways}
    done = 0
    for turn in range(rounds):
        for way in list(ways) if turn % 2 == 0 else list(ways)[::-1]:
            some, seconds = ways[way]()
            spent[way] += some
            whole[way].append(seconds / CLIPS)
            done += 1
            progress(done / (rounds * len(ways)))
    audio = clips.tokens / TOKENS_PER_SECOND
    return {
        "backend": clips.runner.name,
        "audio_s": audio,
        "reference_s": len(clips.line.prompt_speech) / TOKENS_PER_SECOND,
        "steps": clips.steps,
        "rounds": rounds,
        "clips_per_turn": CLIPS,
        "ways": [
            {
                "way": way,
                "seconds": {
                    stage: statistics.median(it[stage] for it in spent[way]) for stage in STAGES
                },
                "share_of_audio": {
                    stage: statistics.median(it[stage] for it in spent[way]) / audio
                    for stage in STAGES
                },
                "clip_s": statistics.median(whole[way]),
                "rtf": statistics.median(whole[way]) / audio,
            }
            for way in ways
        ],
        "footprint": footprint(),
        "device_memory": devices.held(clips.device),
    }
