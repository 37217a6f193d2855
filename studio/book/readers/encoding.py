"""Bytes become text: marks first, then UTF-8, then what the bytes look like."""

from __future__ import annotations

import re
import unicodedata

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_SAMPLE = 4000
_WESTERN = frozenset(
    "àâäáãåæçèéêëìíîïñòóôöõøœùúûüýÿßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜÝ"
    "‘’‚“”„«»‹›–—…•€£¥§©°®™·½¼¾¿¡ºª\xa0´×\xad"
)
"""High characters that Western books in Windows-1252 use; anything else points elsewhere."""
_MISPLACED = re.compile(r"[a-zà-ÿ][¿¡½¼¾£ºª«»](?=[a-zà-ÿ])|[à-ÿÀ-Ü]{4}")
"""What another alphabet looks like when it is read as Windows-1252."""
_CANDIDATES = [
    *("utf_8", "cp1252", "gb18030", "big5", "shift_jis", "euc_jp", "cp1251", "koi8_r", "cp1250"),
    *("utf_16_le", "utf_16_be", "mac_roman"),
]
_STRAY = re.compile("[\udc80-\udcff]+")
_DECLARED = (
    re.compile(rb"encoding\s{0,9}=\s{0,9}[\"']([\w.-]{1,40})"),
    re.compile(rb"charset\s{0,9}=\s{0,9}[\"']?([\w.-]{1,40})", re.IGNORECASE),
)

_MISREAD = str.maketrans(
    {
        code: character
        for code in range(0x80, 0xA0)
        if (character := bytes([code]).decode("cp1252", "ignore"))
    }
)
"""Control codes that nobody writes; they are Windows-1252 taken for Latin-1."""

CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f\ue0f0\ue0f1]")
"""What is no character of a text: control codes, and the two that readers use as marks."""


def as_meant(text: str) -> str:
    """The text in normal form C, with Windows-1252 signs in place of the codes they were read as.

    This is the form in which a book's characters are counted.
    """
    if text.isascii():
        return text
    if any(map(text.__contains__, map(chr, _MISREAD))):
        text = text.translate(_MISREAD)
    return unicodedata.normalize("NFC", text)


def _by_mark(data: bytes) -> str | None:
    """Decode by a byte order mark, or by the NUL pattern of UTF-16 without one."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    sample = data[:_SAMPLE]
    if sample.count(0) > len(sample) * 0.2:
        little = sample[1::2].count(0) > sample[0::2].count(0)
        return data.decode("utf-16-le" if little else "utf-16-be", "replace")
    return None


def _strict(data: bytes, encoding: str) -> str | None:
    """Decode, or None where the bytes do not fit."""
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeError):
        return None


def _stray(data: bytes) -> str | None:
    """Decode UTF-8 with a few bytes of Windows-1252 in it, as pasted texts have; else None."""
    text = data.decode("utf-8", "surrogateescape")
    strays = len(text) - len(_STRAY.sub("", text))
    others = len(text) - len(text.encode("ascii", "ignore")) - strays
    if others < strays * 2:
        return None
    return _STRAY.sub(
        lambda match: match[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace"), text
    )


def decode_text(data: bytes) -> str:
    """Decode a plain text file, which says nothing about its encoding.

    Args:
        data: The whole file.

    Returns:
        Its text. Bytes that fit nothing become replacement characters.
    """
    text = _by_mark(data)
    if text is None:
        text = _strict(data, "utf-8") or _stray(data)
    if text is not None:
        return text
    western = data.decode("cp1252", "replace")
    high = {character for character in set(western) if ord(character) > 127}
    if high <= _WESTERN and not _MISPLACED.search(western):
        return western
    # Imported here because only files in old encodings need it.
    from charset_normalizer import from_bytes

    best = from_bytes(data, cp_isolation=_CANDIDATES).best()
    return str(best) if best else western


def decode_markup(data: bytes) -> str:
    """Decode XML or HTML: mark, declaration, UTF-8, Windows-1252.

    Args:
        data: The whole file.

    Returns:
        Its text, the declaration still in it.
    """
    text = _by_mark(data)
    if text is not None:
        return text
    head = data[:1024]
    declared = next((found[1] for pattern in _DECLARED if (found := pattern.search(head))), b"")
    for encoding in (declared.decode("ascii", "ignore"), "utf-8", "cp1252"):
        # A file read byte by byte this far is no UTF-16, whatever it declares.
        if encoding and not encoding.lower().startswith(("utf-16", "utf16", "utf-32", "ucs")):
            text = _strict(data, encoding)
            if text is None and encoding.lower() in {"utf-8", "utf8"}:
                text = _stray(data)
            if text is not None:
                return text
    return data.decode("cp1252", "replace")
