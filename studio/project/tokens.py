"""Attachments of takes: the speech tokens that a clip was voiced from, and whatever else."""

from __future__ import annotations

import hashlib
import re
import sys
from array import array

from studio.errors import BadInput

TOKENS_BLOB = "speech_tokens"
"""Name of the attachment that holds speech tokens: int32, little-endian."""

MOST_ATTACHED = 1 << 20
"""Bytes of attachments that a take keeps; the tokens of five minutes are 30,000."""

MOST_BLOBS = 8
"""Attachments of one take."""

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
"""What an attachment may be called."""

TOKEN_BYTES = 4
"""Of one speech token."""


def tokens_hash(content: bytes) -> str:
    """SHA-256 of speech tokens as they are kept; what a recipe names them by."""
    return hashlib.sha256(content).hexdigest()


def are_tokens(content: bytes | memoryview) -> bool:
    """Whether an attachment can be speech tokens: whole numbers, none of them negative."""
    # The highest byte of a little-endian number has the sign.
    return len(content) % TOKEN_BYTES == 0 and max(content[3::TOKEN_BYTES], default=0) < 0x80


def tokens_of(content: bytes) -> tuple[int, ...]:
    """Speech tokens out of an attachment.

    Raises:
        BadInput: It is damaged.
    """
    if not content or not are_tokens(content):
        raise BadInput("The speech tokens of this take are damaged; narrate the segment anew.")
    numbers = array("i", content)
    if sys.byteorder == "big":
        numbers.byteswap()
    return tuple(numbers)
