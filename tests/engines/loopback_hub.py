"""A model hub on this machine: what the hub's library asks of the real one, and its mishaps."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MISSING = "RevisionNotFound"
LARGE = 1000
"""Files from this size on are kept as large ones, with a SHA-256."""


class Hub:
    """One repository with one commit."""

    def __init__(self, repository: str, files: Mapping[str, bytes]) -> None:
        """Hold some files."""
        self.repository = repository
        self.files = dict(files)
        self.endpoint = ""
        self.commit = COMMIT
        self.revisions = {"main", COMMIT}
        self.breaks: dict[str, list[int]] = {}
        """By file: after how many bytes each further answer breaks off."""
        self.wrong: dict[str, bytes] = {}
        """By file: what is sent in place of it."""
        self.ranges = True
        """Whether it can begin in the middle."""
        self.begins: int | None = None
        """Where it begins when it is asked to begin in the middle, if it does not do as asked."""
        self.says: bytes | None = None
        """What is said of every revision in place of what there is."""
        self.circles = False
        """Whether every file is said to be where it was asked for."""
        self.status = 0
        """An error that every file is answered with; 0 for none."""
        self.closed = 0
        """An error that whoever asks of the model is answered with; 0 for none."""
        self.code = ""
        """The hub's own name of either error."""
        self.requests: list[tuple[str, str]] = []
        """Files that were asked for, with the range."""
        self.hold = ""
        """A file of which half is sent, and no more before `go_on`."""
        self.held = threading.Event()
        self.go_on = threading.Event()

    def info(self, revision: str) -> bytes | None:
        """What is said of a revision."""
        if revision not in self.revisions:
            return None
        if self.says is not None:
            return self.says
        siblings = []
        for path, data in self.files.items():
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            entry = {"rfilename": path, "size": len(data), "blobId": blob}
            if len(data) >= LARGE:
                sha = hashlib.sha256(data).hexdigest()
                entry["lfs"] = {"sha256": sha, "size": len(data), "pointerSize": 130}
            siblings.append(entry)
        about = {
            "_id": "1",
            "id": self.repository,
            "modelId": self.repository,
            "sha": self.commit,
            "private": False,
            "tags": [],
            "siblings": siblings,
        }
        return json.dumps(about).encode()


class _Handler(BaseHTTPRequestHandler):
    """Answers for the hub of its server."""

    protocol_version = "HTTP/1.1"
    hub: Hub

    def do_GET(self) -> None:
        hub = self.hub
        info = re.fullmatch(rf"/api/models/{hub.repository}(?:/revision/([^/?]+))?", self._path())
        if info and hub.closed:
            self._send(hub.closed, b"", code=hub.code)
            return
        if info:
            body = hub.info(info[1] or "main")
            self._send(
                404 if body is None else 200, body or b"", code=MISSING if body is None else ""
            )
            return
        asked = re.fullmatch(rf"/{hub.repository}/resolve/([^/]+)/(.+)", self._path())
        if asked is None or asked[1] not in hub.revisions or asked[2] not in hub.files:
            self._send(404, b"", code=MISSING)
            return
        hub.requests.append((asked[2], self.headers.get("Range", "")))
        if hub.status:
            self._send(hub.status, b"", code=hub.code)
            return
        if hub.circles:
            self.send_response(302)
            self.send_header("Location", self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._file(asked[2])

    def _file(self, name: str) -> None:
        hub = self.hub
        data = hub.wrong.get(name, hub.files[name])
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        first = int(wanted[1]) if wanted and hub.ranges else 0
        if first >= len(data):
            self._send(416, b"")
            return
        partial = first > 0
        if partial and hub.begins is not None:
            first = hub.begins
        body = data[first:]
        self.send_response(206 if partial else 200)
        self.send_header("Content-Length", str(len(body)))
        if partial:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        if hub.breaks.get(name):
            self.wfile.write(body[: hub.breaks[name].pop(0)])
            self.close_connection = True
            return
        if name == hub.hold and not hub.go_on.is_set():
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            hub.held.set()
            hub.go_on.wait(30)
            self.close_connection = True
            return
        self.wfile.write(body)

    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _send(self, status: int, body: bytes, *, code: str = "") -> None:
        self.send_response(status)
        if code and self.hub.repository in self.path:
            self.send_header("X-Error-Code", code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(repository: str, files: Mapping[str, bytes]) -> Iterator[Hub]:
    """A running hub."""
    hub = Hub(repository, files)
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # a client that was killed
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        hub.go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()
