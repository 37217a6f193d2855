"""A narrator that does what its text says: to see how the process around it behaves."""

import ctypes
import os
import subprocess
import sys
import time

import numpy as np

from engine.registry import Fatal, Narration, Refusal, Transient
from engine.wire import Card


class Scripted:
    """Fake narrator; the first word of the text is the command."""

    card = Card("scripted", "1", "none", 8000, ("en",), max_chars=50)

    def device_memory(self):
        return 7

    def load(self, options, progress):
        progress(0.5)
        match options.get("fail"):
            case "missing":
                import a_package_that_is_not_there  # noqa: F401
            case "broken":
                raise RuntimeError("bad magic")
            case "fatal":
                raise Fatal("The disk is on fire.")
        progress(1.0)

    def prepare_voice(self, voice):
        if voice.speaker == "nobody":
            raise Refusal("There is no speaker “nobody”.")
        return ("It hisses.",) if voice.speaker == "hissing" else ()

    def narrate(self, request, stage, cancelled):
        stage("speech", 0.0)
        getattr(self, "do_" + request.text.split()[0])(stage, cancelled)
        samples = np.full((80, 2), request.seed / 100, np.float32)
        return Narration(samples, 8000, {"speech": 0.25}, {"extra": b"\n{}\n"})

    def do_say(self, stage, cancelled):
        stage("speech", 1.0)

    def do_chatter(self, stage, cancelled):
        print("a chatty library")
        sys.stdout.buffer.write(b'{"kind":"bye"}\n')
        sys.stdout.flush()
        os.write(1, b"straight to one\n")
        subprocess.run(["echo", "native echo"], check=True)
        assert subprocess.run(["cat"], stdout=subprocess.PIPE, check=True).stdout == b""

    def do_stumble(self, stage, cancelled):
        raise ValueError("boom")

    def do_transient(self, stage, cancelled):
        raise Transient("The device was busy.")

    def do_refuse(self, stage, cancelled):
        raise Refusal("This cannot be read.")

    def do_poll(self, stage, cancelled):
        sys.stderr.write("polling\n")
        sys.stderr.flush()
        while not cancelled():
            time.sleep(0.005)

    def do_stages(self, stage, cancelled):
        while True:
            stage("speech", 0.5)
            time.sleep(0.005)

    def do_seize(self, stage, cancelled):
        """Hold the interpreter in native code: no thread of this process runs Python any more."""
        silent, self.other_end = os.pipe()
        sys.stderr.write("seized\n")
        sys.stderr.flush()
        ctypes.PyDLL(None).read(silent, ctypes.create_string_buffer(1), 1)

    def do_bear(self, stage, cancelled):
        """Start a process that nobody ends."""
        child = subprocess.Popen(["sleep", "1000"])
        sys.stderr.write(f"child {child.pid}\n")
        sys.stderr.flush()

    def do_hang(self, stage, cancelled):
        sys.stderr.write("hanging\n")
        sys.stderr.flush()
        time.sleep(60)
