"""Seeded mutations of EPUBs, and a process that reads many of them and tells what it took.

Run as a program: ``python fuzzing.py FIRST COUNT`` prints one line of JSON.
"""

from __future__ import annotations

import io
import json
import os
import random
import sys
import time
import zipfile
from pathlib import Path

from peaks import peak_mb

from studio.book.policies import Matter, Notes, Policies, Said
from studio.book.readers import read_bytes
from studio.book.segmenting import Limits, cut
from studio.errors import BadInput, MachineFault

CASES = Path(os.environ.get("RHAPSODE_CASES", Path(__file__).parent / "cases"))
CASES = CASES / "books" if (CASES / "books").is_dir() else CASES
SLOWEST = 5.0
"""Seconds of CPU that one book may take."""
SPOKEN = Policies(Notes.INLINE, Said.SKIPPED, Said.SPOKEN, Said.SPOKEN, Matter.TICKED)
ATTRIBUTES = [
    *('hidden=""', 'epub:type="footnote"', 'href="#x"', 'id="x"', 'class="dropcap"', "lang='fr'"),
    *('style="display:none"', 'linear="no"', 'href="../../../etc/passwd"', 'idref="d0"'),
]
TAGS = "p div span a sup li table td h1 br svg script ruby q aside nav body html title pre".split()
TEXTS = [
    *("&unknown;", "&#0;", "&#xD800;", "&amp;amp;lt;", "\x00", "\ufdd0x\ufdd1", "<![CDATA[", "]]>"),
    *("<!--", "-->", "<?x", "\ufeff", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "[[pause: 1 s]]", "É" * 99),
    *("\u202e\u0301", "-\n", "[[chapter: x]]", "</p>", "<p", "'", '"', "&", ">" * 50, "<b>" * 300),
]


def books() -> list[Path]:
    """The EPUBs that are mutated; the largest is left to other tests."""
    found = sorted(path for path in CASES.rglob("*.epub") if zipfile.is_zipfile(path))
    return [path for path in found if path.stat().st_size < 20_000]


def mutated(seed: int) -> bytes:
    """One EPUB with a few things wrong."""
    rnd = random.Random(seed)
    path = rnd.choice(books())
    with zipfile.ZipFile(path) as book:
        members = [(info.filename, book.read(info)) for info in book.infolist()]
    for _ in range(rnd.randint(1, 4)):
        rnd.choice(_WAYS)(rnd, members)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", rnd.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as out:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = out.compression
            if rnd.random() < 0.01:
                info.external_attr = 0o120777 << 16
            out.writestr(info, data)
    raw = bytearray(made.getvalue())
    for _ in range(rnd.choice([*[0] * 12, 1, 3, 20])):
        raw[rnd.randrange(len(raw))] = rnd.randrange(256)
    if rnd.random() < 0.04:
        del raw[rnd.randrange(len(raw)) :]
    if rnd.random() < 0.03:
        at = rnd.randrange(len(raw))
        raw[at:at] = rnd.randbytes(rnd.randint(1, 2000))
    return bytes(raw)


def _delete(rnd: random.Random, members: list[tuple[str, bytes]]) -> None:
    if len(members) > 1:
        members.pop(rnd.randrange(len(members)))


def _duplicate(rnd: random.Random, members: list[tuple[str, bytes]]) -> None:
    name, data = rnd.choice(members)
    _, other = rnd.choice(members)
    members.append((name, rnd.choice([data, other])))


def _swap(rnd: random.Random, members: list[tuple[str, bytes]]) -> None:
    one, two = rnd.randrange(len(members)), rnd.randrange(len(members))
    (a, first), (b, second) = members[one], members[two]
    members[one], members[two] = (a, second), (b, first)


def _rename(rnd: random.Random, members: list[tuple[str, bytes]]) -> None:
    at = rnd.randrange(len(members))
    name, data = members[at]
    names = [f"/{name}", f"../{name}", name.upper(), f"{name}/", "", "a" * 300, f"C:\\{name}", "."]
    members[at] = (rnd.choice(names), data)


def _bytes(rnd: random.Random, members: list[tuple[str, bytes]]) -> None:
    at = rnd.randrange(len(members))
    name, data = members[at]
    raw = bytearray(data)
    for _ in range(rnd.randint(1, 30)):
        if raw:
            raw[rnd.randrange(len(raw))] = rnd.randrange(256)
    if rnd.random() < 0.2:
        del raw[rnd.randrange(len(raw) + 1) :]
    members[at] = (name, bytes(raw))


def _text(rnd: random.Random, members: list[tuple[str, bytes]]) -> None:
    """Change the markup of one member: tags, attributes, texts, the order of its parts."""
    marked = [at for at, (_, data) in enumerate(members) if b"<" in data]
    if not marked:
        return
    at = rnd.choice(marked)
    name, data = members[at]
    parts = data.decode("utf-8", "replace").split("<")
    for _ in range(rnd.randint(1, 6)):
        place = rnd.randrange(len(parts))
        what = rnd.randrange(6)
        if what == 0:
            parts.insert(place, rnd.choice([f"{t}>" for t in TAGS] + [f"/{t}>" for t in TAGS]))
        elif what == 1:
            parts.pop(place)
            parts = parts or [""]
        elif what == 2:
            parts[place] = parts[place].replace(">", f" {rnd.choice(ATTRIBUTES)}>", 1)
        elif what == 3:
            parts[place] += rnd.choice(TEXTS)
        elif what == 4:
            other = rnd.randrange(len(parts))
            parts[place], parts[other] = parts[other], parts[place]
        else:
            parts[place:place] = parts[place : place + 3] * rnd.choice([1, 2, 200])
    members[at] = (name, "<".join(parts).encode("utf-8", "replace"))


_WAYS = [_delete, _duplicate, _swap, _rename, _bytes, *[_text] * 12]


def read_one(seed: int) -> tuple[bool, float]:
    """Read one mutated book and cut it; whether it was read, and the seconds it took.

    Raises:
        AssertionError: It was read, and its account does not hold.
    """
    data = mutated(seed)
    started = time.process_time()
    said = ""
    try:
        book = read_bytes(data, "mutated.epub", SPOKEN if seed % 3 == 0 else None)
        assert book.coverage.unaccounted == 0, f"seed {seed}: {book.coverage.unaccounted}"
        cut(book, Limits(), book.language or "en")
    except (BadInput, MachineFault) as refused:
        said = str(refused)
    seconds = time.process_time() - started
    assert not said or (said.endswith(".") and "\n" not in said), f"seed {seed}: {said}"
    return not said, seconds


def main() -> None:
    """Read a run of mutated books and print what it took."""
    first, number = map(int, sys.argv[1:])
    results = [read_one(seed) for seed in range(first, first + number)]
    report = {
        "books": number,
        "read": sum(read for read, _ in results),
        "slowest": max(seconds for _, seconds in results),
        "peak_mb": peak_mb(),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
