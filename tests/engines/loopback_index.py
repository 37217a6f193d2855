"""A package index on this machine: wheels that are made here, served as PEP 503 asks for it."""

from __future__ import annotations

import base64
import hashlib
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CPU_TORCH = {"torch/__init__.py": "class version:\n    cuda = None\n"}
CUDA_TORCH = {"torch/__init__.py": "class version:\n    cuda = '13.0'\n"}
TORCHAUDIO = {
    "torchaudio/__init__.py": "import pathlib\n"
    "if list((pathlib.Path(__file__).parent / 'lib').glob('*.so')):\n"
    "    raise OSError('libc10_cuda.so: cannot open shared object file')\n",
    "torchaudio/lib/_torchaudio.abi3.so": "native",
    "torchaudio/lib/libtorchaudio.abi3.so": "native",
    "torchaudio/lib/torchaudio_prefixctc.abi3.so": "native",
}


def wheel(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """Make a wheel of some files."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    everything = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    record = []
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in everything.items():
            archive.writestr(inside, text)
            raw = hashlib.sha256(text.encode()).digest()
            digest = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
            record.append(f"{inside},sha256={digest},{len(text.encode())}")
        archive.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,"]) + "\n")
    return path


class Index:
    """The wheels of a folder."""

    def __init__(self, folder: Path) -> None:
        """Serve nothing yet."""
        self.folder = folder
        self.url = ""
        self.asked = threading.Event()
        """Set once a wheel was asked for."""
        self.go_on = threading.Event()
        """Cleared, a wheel is not sent before it is set again."""
        self.go_on.set()

    def add(self, name: str, version: str, files: Mapping[str, str]) -> None:
        """Have one more wheel."""
        wheel(self.folder, name, version, files)

    def page(self, path: str) -> bytes | None:
        """What is at a path."""
        parts = [part for part in path.split("/") if part]
        if parts[:1] == ["simple"] and len(parts) == 2:
            links = [
                f'<a href="/files/{file.name}">{file.name}</a>'
                for file in sorted(self.folder.glob(f"{parts[1].replace('-', '_')}-*.whl"))
            ]
            return f"<html><body>{''.join(links)}</body></html>".encode() if links else None
        if parts[:1] == ["files"] and (self.folder / parts[-1]).is_file():
            self.asked.set()
            self.go_on.wait(30)
            return (self.folder / parts[-1]).read_bytes()
        return None


@contextmanager
def serving(folder: Path) -> Iterator[Index]:
    """A running index."""
    index = Index(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = index.page(self.path)
            kind = "text/html" if self.path.startswith("/simple") else "application/octet-stream"
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # a client that was killed
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    index.url = f"http://127.0.0.1:{server.server_port}/simple/"
    try:
        yield index
    finally:
        index.go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()
