"""The language spoken between the studio and an engine process.

Each message is one line of JSON. A message that says ``"bytes": n`` is followed by exactly ``n``
raw bytes, so a reader can skip a kind it does not know. What can be said stands in `messages`, how
it is written and read in `stream`; both sides say ``wire.Clip``, ``wire.encode``. The package is
stdlib only and does no input or output: both sides feed it what they read and write what it
returns.
"""

from engine.wire.messages import (
    BATCH,
    JSON,
    PROTOCOL,
    Blob,
    Bye,
    Cancel,
    Card,
    Clip,
    Event,
    Failed,
    Hear,
    Heard,
    Hello,
    Load,
    Loaded,
    Loading,
    Measure,
    Measured,
    Message,
    Narrate,
    Prepared,
    PrepareVoice,
    Refused,
    Request,
    Shutdown,
    Stage,
    Unknown,
    Voice,
    Word,
)
from engine.wire.stream import Decoder, Frame, WireError, encode, split_blobs

__all__ = [
    "BATCH",
    "JSON",
    "PROTOCOL",
    "Blob",
    "Bye",
    "Cancel",
    "Card",
    "Clip",
    "Decoder",
    "Event",
    "Failed",
    "Frame",
    "Hear",
    "Heard",
    "Hello",
    "Load",
    "Loaded",
    "Loading",
    "Measure",
    "Measured",
    "Message",
    "Narrate",
    "PrepareVoice",
    "Prepared",
    "Refused",
    "Request",
    "Shutdown",
    "Stage",
    "Unknown",
    "Voice",
    "WireError",
    "Word",
    "encode",
    "split_blobs",
]
