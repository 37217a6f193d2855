"""A narrator in two halves, each of which does what its word of the text says.

A text is ``FIRST SECOND``: what `begin` does, then what `finish` does. The sound tells everything
that decides it: the request, and what the first half has handed over.
"""

import os
import sys
import threading
import time
from dataclasses import replace

import numpy as np

from engine.registry import Fatal, Narration, Refusal, Staged, Transient
from engine.wire import Card

PATIENCE = 30.0


class Stepwise(Staged):
    """Fake staged narrator; notes down who does what, and when nothing is done."""

    card = Card("staged", "1", "none", 8000, ("en",), max_chars=50)
    overlaps = False

    def __init__(self):
        self.meeting = threading.Barrier(2)
        self.going = threading.Event()
        self.running = []
        self.unfinished = 0

    def device_memory(self):
        return 7

    def load(self, options, progress):
        progress(0.0)
        self.overlaps = bool(options.get("overlap", True))
        self.lazy = bool(options.get("lazy"))
        self.card = replace(self.card, together=int(options.get("together", 1)))

    def prepare_voice(self, voice):
        assert not self.running, "a half is running"
        return ()

    def begin(self, request, stage, cancelled):
        first, second = request.text.split()
        self.unfinished += 1
        with self.half("begin"):
            stage("first", 0.0)
            self.do(first, stage, cancelled)
            chance = np.random.default_rng(request.seed)
            return second, chance.random(100, np.float32)

    def begin_together(self, beginnings):
        say("together: " + " ".join(one.request.text.split()[0] for one in beginnings))
        if any(one.request.text.startswith("break") for one in beginnings):
            raise MemoryError("too much at once")
        return [self.begun(one) for one in beginnings]

    def begun(self, one):
        try:
            return self.begin(one.request, one.stage, one.cancelled)
        except Exception as error:
            return error

    def finish(self, half, stage, cancelled):
        second, drawn = half
        with self.half("finish"):
            self.do(second, stage, cancelled)  # before any check point of its own
            stage("second", 1.0)
            self.unfinished -= 1
            samples = np.cumsum(drawn, dtype=np.float32) / 100
            notes = ("runaway: it did not end",) if second == "note" else ()
            return Narration(samples, 8000, {"first": 0.5, "second": 0.25}, {}, notes)

    def rest(self):
        assert not self.running, "a half is running"
        say("rest")
        if self.lazy:
            raise RuntimeError("too tired to rest")

    def half(self, name):
        return Running(self, name)

    def do(self, command, stage, cancelled):
        getattr(self, "do_" + command.partition(".")[0])(stage, cancelled)

    def do_say(self, stage, cancelled):
        say(f"say on {threading.current_thread().name}")

    do_note = do_say

    def do_meet(self, stage, cancelled):
        """Go on only when another half is here too, at the same time."""
        self.meeting.wait(PATIENCE)

    def do_wait(self, stage, cancelled):
        """Go on when another half says so."""
        say("waiting")
        assert self.going.wait(PATIENCE)
        self.going.clear()

    def do_few(self, stage, cancelled):
        """Complain if this clip was begun while two others were unfinished."""
        assert self.unfinished <= 2, self.unfinished

    def do_wake(self, stage, cancelled):
        """Wait until it is cancelled, then have another half go on."""
        self.do_poll(stage, cancelled)
        self.going.set()

    def do_poll(self, stage, cancelled):
        say("polling")
        while not cancelled():
            time.sleep(0.002)

    def do_stages(self, stage, cancelled):
        say("polling")
        while True:
            stage("on", 0.5)
            time.sleep(0.002)

    def do_work(self, stage, cancelled):
        """Use the processor for a twentieth of a second."""
        end = time.thread_time() + 0.05
        while time.thread_time() < end:
            pass

    def do_hang(self, stage, cancelled):
        say("hanging")
        time.sleep(1000)

    def do_stumble(self, stage, cancelled):
        raise ValueError("boom")

    def do_transient(self, stage, cancelled):
        raise Transient("The device was busy.")

    def do_fatal(self, stage, cancelled):
        raise Fatal("The device is lost.")

    def do_refuse(self, stage, cancelled):
        raise Refusal("This cannot be read.")

    def do_exit(self, stage, cancelled):
        raise SystemExit(3)

    def do_die(self, stage, cancelled):
        os.abort()


class Running:
    """Keeps count of the halves that are running; there are never two of the same name."""

    def __init__(self, narrator, name):
        self.narrator, self.name = narrator, name

    def __enter__(self):
        assert self.name not in self.narrator.running
        self.narrator.running.append(self.name)

    def __exit__(self, *_):
        self.narrator.running.remove(self.name)


def say(text):
    """A line on stderr, whole."""
    os.write(sys.stderr.fileno(), text.encode() + b"\n")
