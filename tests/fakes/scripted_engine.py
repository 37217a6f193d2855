"""An engine process with a switch for every fault; deterministic sound from text and seed.

Run as a program. It speaks ``engine/wire`` and nothing else of the project. A fault strikes at
the narration numbered ``--at`` (from 1), or where ``--text`` occurs in the text; with ``--once`` it
leaves a marker file and strikes in one process only, so that a restarted engine is healthy.
"""

from __future__ import annotations

import argparse
import array
import hashlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from engine import memory, wire

RATE = 24_000
MB = 1024 * 1024

FAULTS = (
    "exit",  # with --status, --when
    "hang",
    "hang-at-load",
    "exit-at-load",
    "exit-at-start",
    "silent-start",
    "half-line",
    "chatter",
    "stderr-flood",
    "wrong-id",
    "next-id",
    "stages-forever",
    "hang-at-voice",
    "ready-while-draining",
    "no-bytes",
    "too-few",
    "nan",
    "wrong-rate",
    "stereo",
    "endless",
    "silence",
    "silence-at-first",  # the first narration of each text; with another seed it is well
    "short-payload",
    "refuse",
    "transient",
    "fatal",
    "refuse-voice",
    "fail-load",
    "refuse-load",
    "ignore-term",
    "grandchild",
    "unknown-event",
    "protocol",
    "close-stdout",
    "impure",  # in every narration: what it made before can be heard
)


def tokens_for(text: str, seed: int, speed: float) -> list[int]:
    """All that decides a sound: how many syllables, and four bytes of pitch."""
    digest = hashlib.sha256(f"{seed}\0{text}".encode("utf-8", "surrogatepass")).digest()
    return [max(1, round(len(text) / 14 / speed / 0.22)), *digest[:4]]


def sound(tokens: list[int], steps: int, loud: float = 1.0) -> array.array[float]:
    """Syllable-like tones: as long as the text takes to read, clean at both ends."""
    pitch = 110 + int.from_bytes(bytes(tokens[1:]), "little") / 2**32 * 120 + (steps - 10) / 2
    voiced, pause = int(0.18 * RATE), int(0.04 * RATE)
    tone = array.array("f", bytes(4 * (voiced + pause)))
    for n in range(voiced):
        swell = math.sin(math.pi * n / voiced)
        tone[n] = 0.3 * loud * swell * math.sin(2 * math.pi * pitch * n / RATE)
    edge = array.array("f", bytes(4 * int(0.1 * RATE)))
    return edge + tone * tokens[0] + edge


class Engine:
    """One scripted process."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.faults = set(options.fault)
        self.out = os.fdopen(os.dup(1), "wb", buffering=0)
        self.requests: queue.SimpleQueue[wire.Request] = queue.SimpleQueue()
        self.cancelled: set[int] = set()
        self.made = 0
        self.kept: list[bytearray] = []
        self.silenced: set[str] = set()
        self.begun = 0
        self.later: wire.Request | None = None
        """What was read while a batch was put together, and is none of it."""
        self.halves: queue.SimpleQueue[tuple[wire.Narrate, int]] = queue.SimpleQueue()
        self.writing = threading.Lock()

    # ---- the wire

    def say(self, event: wire.Event, payload: bytes = b"") -> None:
        self.write(wire.encode(event, payload) + payload)

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        with self.writing:
            while view:
                view = view[self.out.write(view) :]

    def listen(self) -> None:
        """Read requests for ever; the studio's death is ours."""
        decoder = wire.Decoder()
        while data := os.read(0, 65536):
            for frame in decoder.feed(data):
                request = frame.message
                if isinstance(request, wire.Cancel):
                    self.cancelled.add(request.target)
                elif isinstance(request, wire.Shutdown) and "ready-while-draining" in self.faults:
                    self.boast()
                elif isinstance(request, wire.Shutdown) and not self.deaf:
                    self.say(wire.Bye("asked"))
                    os._exit(0)
                elif not isinstance(request, wire.Shutdown):
                    self.requests.put(request)
        if self.deaf:
            time.sleep(1000)
        os._exit(0)

    def boast(self) -> None:
        """Asked to leave, say again and again how ready this engine is."""
        while True:
            self.say(wire.Loaded(1, self.card(), 0.0))
            self.say(wire.Hello(wire.PROTOCOL, os.getpid(), self.card()))
            time.sleep(0.02)

    @property
    def deaf(self) -> bool:
        return "ignore-term" in self.faults

    def card(self) -> wire.Card:
        return wire.Card(
            engine=self.options.name,
            version="1",
            model=self.options.model,
            sample_rate=RATE,
            languages=tuple(self.options.languages.split(",")),
            max_chars=self.options.max_chars,
            all_words=self.options.all_words,
            backend="python",
            precision="fp32",
            device="cpu",
            build={"script": "1"},
            options=self.sounding(),
            together=self.options.together,
            seedable=not self.options.unseedable,
            replays=self.options.tokens,
            settings=self.options.settings,
        )

    def sounding(self) -> dict[str, wire.JSON]:
        """The options that decide a sound."""
        options: dict[str, wire.JSON] = {}
        if self.options.tokens:
            options["steps"] = self.options.steps
        if self.options.together > 1:
            options[wire.BATCH] = self.options.together
        return options

    def strikes(self, text: str) -> bool:
        """Whether a fault is due at this narration."""
        options = self.options
        due = options.text in text if options.text else self.made + 1 == options.at
        return due and self.first_time()

    def first_time(self) -> bool:
        """Whether no process has struck before; always, without ``--once``."""
        if not self.options.once:
            return True
        try:
            Path(self.options.once).open("x").close()
        except FileExistsError:
            return False
        return True

    # ---- the life

    def run(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if self.deaf:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if "exit-at-start" in self.faults and self.first_time():
            print("no model for you", file=sys.stderr, flush=True)
            os._exit(3)
        if "silent-start" in self.faults:
            time.sleep(1000)
        if "grandchild" in self.faults:
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
            Path(self.options.marker).write_text(str(child.pid))
        if "chatter" in self.faults and self.options.at == 0:
            self.out.write(b"Loading weights... done\n")
        protocol = 99 if "protocol" in self.faults else wire.PROTOCOL
        self.say(wire.Hello(protocol, os.getpid(), self.card()))
        threading.Thread(target=self.listen, daemon=True).start()
        threading.Thread(target=self.finish, daemon=True).start()
        while True:
            request, self.later = self.later or self.requests.get(), None
            if isinstance(request, wire.Load):
                self.load(request)
            elif isinstance(request, wire.PrepareVoice):
                if "hang-at-voice" in self.faults and self.first_time():
                    time.sleep(1000)
                if "refuse-voice" in self.faults:
                    self.say(wire.Refused(request.id, "The reference audio is empty."))
                else:
                    self.say(wire.Prepared(request.id, tuple(self.options.voice_note)))
            elif isinstance(request, wire.Narrate) and self.options.together > 1:
                self.narrate_together(request)
            elif isinstance(request, wire.Narrate) and self.options.overlap:
                self.begin(request)
            elif isinstance(request, wire.Narrate):
                self.narrate(request)
            elif isinstance(request, wire.Measure):
                self.say(wire.Measured(request.id, memory.footprint()))

    def load(self, request: wire.Load) -> None:
        if "fail-load" in self.faults:
            self.say(wire.Failed(request.id, "fatal", "The weights are missing."))
            return
        if "refuse-load" in self.faults:
            self.say(wire.Refused(request.id, "The option “colour” is unknown."))
            return
        if "exit-at-load" in self.faults and self.first_time():
            os._exit(4)
        if "hang-at-load" in self.faults and self.first_time():
            time.sleep(1000)
        started = time.monotonic()
        self.kept.append(bytearray(b"x" * int(self.options.model_mb * MB)))
        for step in range(4):
            self.say(wire.Loading(request.id, step / 4))
            time.sleep(self.options.load_time / 4)
        self.say(wire.Loaded(request.id, self.card(), time.monotonic() - started))

    def work(self, request: wire.Narrate, seconds: float) -> bool:
        """Take as long as a clip takes; returns whether it was not cancelled."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and request.id not in self.cancelled:
            time.sleep(min(left, 0.01))
        return request.id not in self.cancelled

    def begin(self, request: wire.Narrate) -> None:
        """The first of two stages; the second goes on beside the next narration's first."""
        self.begun += 1
        self.say(wire.Stage(request.id, "tokens"))
        self.work(request, self.options.clip_time)
        self.halves.put((request, self.begun))

    def finish(self) -> None:
        """The second stage of every narration, on a thread of its own, in order."""
        while True:
            request, number = self.halves.get()
            self.say(wire.Stage(request.id, "voicing"))
            if "exit" in self.faults and self.options.text in request.text:
                # Not before something else has begun beside it, if anything does.
                until = time.monotonic() + 0.3
                while self.begun == number and time.monotonic() < until:
                    time.sleep(0.005)
                os._exit(self.options.status)
            if self.work(request, self.options.clip_time):
                self.answer(request, "", 1.0)
            else:
                self.say(wire.Failed(request.id, "cancelled", "cancelled"))

    def narrate_together(self, first: wire.Narrate) -> None:
        """A narration and those that wait behind it: all are begun, then all are ended in order."""
        batch = [first]
        while len(batch) < self.options.together and not self.requests.empty():
            request = self.requests.get()
            if not isinstance(request, wire.Narrate):
                self.later = request
                break
            batch.append(request)
        for request in batch:
            self.say(wire.Stage(request.id, "tokens"))
        if self.options.tally:
            with open(self.options.tally, "a", encoding="utf-8") as file:
                file.write("|".join(request.text for request in batch) + "\n")
        self.work(first, self.options.clip_time)
        if "exit" in self.faults and any(self.options.text in it.text for it in batch):
            if self.first_time():
                self.end()
        for request in batch:
            if request.id in self.cancelled:
                self.say(wire.Failed(request.id, "cancelled", "cancelled"))
                continue
            refused = "refuse" in self.faults and self.options.text in request.text
            self.answer(request, "refuse" if refused else "", 1.0, company=len(batch) - 1)

    def narrate(self, request: wire.Narrate) -> None:
        struck = self.strikes(request.text)
        if self.options.tally:
            with open(self.options.tally, "a", encoding="utf-8") as file:
                file.write(f"{request.text}\n")
        fault = next(iter(self.faults & set(FAULTS)), "") if struck else ""
        if fault == "exit" and self.options.when == "before":
            self.end()
        if not self.work(request, 0.0):
            self.say(wire.Failed(request.id, "cancelled", "cancelled"))
            return
        self.say(wire.Stage(request.id, "speaking"))
        if fault == "hang":
            time.sleep(1000)
        while fault == "stages-forever" and request.id not in self.cancelled:
            self.say(wire.Stage(request.id, "speaking", 0.5))
            time.sleep(0.02)
        if fault == "exit" and self.options.when == "during":
            self.end()
        slow = (1 + self.options.slow / 100) ** self.made
        if not self.work(request, self.options.clip_time * slow):
            self.say(wire.Failed(request.id, "cancelled", "cancelled"))
            return
        if self.options.grow_mb:
            self.kept.append(bytearray(b"x" * int(self.options.grow_mb * MB)))
        self.answer(request, fault, slow)
        self.made += 1
        if fault == "exit" and self.options.when == "after":
            self.end()

    def end(self) -> None:
        if self.options.status < 0:
            os.kill(os.getpid(), -self.options.status)
            time.sleep(1000)
        os._exit(self.options.status)

    def answer(self, request: wire.Narrate, fault: str, slow: float, *, company: int = 0) -> None:
        """Send the clip, or what the fault makes of it; others that it was made with are heard."""
        failures = {
            "refuse": wire.Refused(request.id, "The text holds a word in another script."),
            "transient": wire.Failed(request.id, "transient", "The sampler lost its way."),
            "fatal": wire.Failed(request.id, "fatal", "The device is lost."),
        }
        if fault in failures:
            self.say(failures[fault])
            return
        seed = request.seed + company + (self.made if "impure" in self.faults else 0)
        tokens = list(request.tokens) or tokens_for(request.text, seed, request.speed)
        samples = sound(tokens, self.options.steps, self.options.loud)
        if fault == "endless":
            samples = samples * 40
        if fault == "silence-at-first" and request.text not in self.silenced:
            self.silenced.add(request.text)
            fault = "silence"
        if fault == "silence":
            samples = array.array("f", bytes(4 * len(samples)))
        if fault == "nan":
            samples[len(samples) // 2] = math.nan
        payload = b"" if fault == "no-bytes" else samples.tobytes()
        if fault == "too-few":
            payload = payload[: len(payload) // 2]
        kept = b""
        if self.options.attach:
            kept = bytes(self.options.attach)
        elif self.options.tokens:
            kept = array.array("i", tokens).tobytes()
        seconds = len(samples) / RATE
        blobs = [wire.Blob("pcm", len(payload))]
        if kept:
            blobs.append(wire.Blob("speech_tokens", len(kept)))
        clip = wire.Clip(
            id=request.id + {"wrong-id": -1, "next-id": 1}.get(fault, 0),
            rate=22_050 if fault == "wrong-rate" else RATE,
            channels=2 if fault == "stereo" else 1,
            frames=len(samples) // 2 if fault == "stereo" else len(samples),
            seconds=self.options.clip_time * slow,
            cpu_seconds=0.01 * seconds * slow,
            footprint=memory.footprint()
            if self.options.grow_mb or self.options.model_mb
            else 50 * MB,
            blobs=tuple(blobs),
            stages={"speaking": self.options.clip_time * slow},
            notes=tuple(self.options.note) if self.options.note_at in request.text else (),
        )
        self.send(clip, payload + kept, fault)

    def send(self, clip: wire.Clip, payload: bytes, fault: str) -> None:
        """Write the clip, or write it badly."""
        header = wire.encode(clip, payload)
        if fault == "chatter":
            self.out.write(b"tqdm: 100%|##########| 3/3\n")
        if fault == "stderr-flood":
            for _ in range(160):
                os.write(2, b"W0000 a library has much to say\n" * 2048)
        if fault == "unknown-event":
            self.out.write(b'{"kind":"mood","id":1,"bytes":6}\nhappy\n')
        if fault == "half-line":
            self.out.write(header[: len(header) // 2])
            time.sleep(0.2)
            header = header[len(header) // 2 :]
        if fault == "short-payload":
            self.out.write(header + payload[: len(payload) // 2])
            os._exit(0)
        if fault == "close-stdout":
            self.out.close()
            os.close(1)
            time.sleep(1000)
        self.write(header + payload)


def main() -> None:
    """Read the switches and serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="scripted")
    parser.add_argument("--fault", action="append", choices=FAULTS, default=[])
    parser.add_argument("--at", type=int, default=1)
    parser.add_argument("--text", default="")
    parser.add_argument("--once", default="")
    parser.add_argument("--when", choices=("before", "during", "after"), default="during")
    parser.add_argument("--status", type=int, default=1)
    parser.add_argument("--marker", default="")
    parser.add_argument("--clip-time", type=float, default=0.01)
    parser.add_argument("--load-time", type=float, default=0.0)
    parser.add_argument("--grow-mb", type=float, default=0.0)
    parser.add_argument("--model-mb", type=float, default=0.0, help="held once it is loaded")
    parser.add_argument("--model", default="scripted", help="what it calls its model")
    parser.add_argument("--loud", type=float, default=1.0, help="what its samples are times")
    parser.add_argument("--languages", default="en,en-US")
    parser.add_argument("--slow", type=float, default=0.0)
    parser.add_argument("--tally", default="", help="file that gets the text of each narration")
    parser.add_argument("--max-chars", type=int, default=400)
    parser.add_argument("--all-words", action="store_true")
    parser.add_argument("--overlap", action="store_true", help="two stages, of two jobs at once")
    parser.add_argument("--together", type=int, default=1, help="jobs that are made together")
    parser.add_argument("--unseedable", action="store_true", help="says that it repeats nothing")
    parser.add_argument("--tokens", action="store_true", help="gives speech tokens, and takes them")
    parser.add_argument("--steps", type=int, default=10, help="an option that changes the sound")
    parser.add_argument("--settings", type=json.loads, default={}, help="what voices may be set to")
    parser.add_argument("--attach", type=int, default=0, help="bytes of speech tokens, all nought")
    parser.add_argument("--note", action="append", default=[], help="what it says of its clips")
    parser.add_argument("--note-at", default="", help="of those whose text holds this")
    parser.add_argument("--voice-note", action="append", default=[], help="what it says of voices")
    Engine(parser.parse_args()).run()


if __name__ == "__main__":
    main()
