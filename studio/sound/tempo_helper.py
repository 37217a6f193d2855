"""Plays sound faster or slower at its own pitch, as a process of its own.

PyAV brings all of FFmpeg: some sixty megabytes that a studio playing at normal speed need not
carry, and native code whose fault would take the studio with it. Run by path; knows nothing of it.

Each request is `HEADER` (what, stream, rate, speed, bytes that follow) and mono float32 samples;
each is answered by `LENGTH` and as many bytes of samples. Ends with its standard input.
"""

from __future__ import annotations

import contextlib
import struct
import sys
from collections import OrderedDict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, BinaryIO

HEADER = struct.Struct("<cIIdI")
"""What is asked (s: begin a stream, d: more samples, e: its end), and of which stream."""
LENGTH = struct.Struct("<I")
MOST_STREAMS = 4
"""Streams that are remembered: a sound that is left has no way to say so."""


class Stream:
    """One sound on its way through the filter."""

    def __init__(self, rate: int, speed: float) -> None:
        """Build the filter."""
        import av
        import av.filter

        self._av: Any = av
        self._rate = rate
        self._at = 0
        self._graph: Any = av.filter.Graph()
        source = self._graph.add_abuffer(
            sample_rate=rate, format="flt", layout="mono", time_base=Fraction(1, rate)
        )
        tempo = self._graph.add("atempo", f"{speed:.6f}")
        sink = self._graph.add("abuffersink")
        source.link_to(tempo)
        tempo.link_to(sink)
        self._graph.configure()

    def put(self, samples: bytes) -> bytes:
        """Take samples in; give what has come out by now."""
        if samples:
            frame = self._av.AudioFrame(format="flt", layout="mono", samples=len(samples) // 4)
            frame.sample_rate = self._rate
            frame.time_base = Fraction(1, self._rate)
            frame.pts = self._at
            self._at += frame.samples
            plane = frame.planes[0]
            plane.update(samples.ljust(plane.buffer_size, b"\0"))
            self._graph.push(frame)
        return b"".join(self._pull())

    def end(self) -> bytes:
        """Give what is left."""
        if self._at:
            self._graph.push(None)
        return b"".join(self._pull())

    def _pull(self) -> Iterator[bytes]:
        # The graph says in its own way that there is nothing more, now or ever.
        with contextlib.suppress(BlockingIOError, EOFError):
            while True:
                frame = self._graph.pull()
                yield bytes(frame.planes[0])[: frame.samples * 4]


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the requests end."""
    streams: OrderedDict[int, Stream] = OrderedDict()
    while len(header := requests.read(HEADER.size)) == HEADER.size:
        what, number, rate, speed, length = HEADER.unpack(header)
        samples = requests.read(length)
        made = b""
        if what == b"s":
            streams[number] = Stream(rate, speed)
            while len(streams) > MOST_STREAMS:
                streams.popitem(last=False)
        elif number in streams:
            stream = streams[number]
            made = stream.put(samples) if what == b"d" else stream.end()
        answers.write(LENGTH.pack(len(made)) + made)
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
