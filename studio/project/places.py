"""Whether a folder is a good place for a project: on a disk of this machine, and left alone.

SQLite's log works through memory that the programs of one machine share, so a folder that other
machines write as well can tear a book. What keeps folders in step with a cloud copies files while
they are half-written. Both are said, neither is forbidden.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

MOUNTS = Path("/proc/self/mountinfo")
"""Where Linux tells what is mounted where."""
ASK_SECONDS = 2.0
"""How long macOS may take to tell it."""

NETWORK = frozenset(
    (
        "nfs nfs4 cifs smb smb2 smb3 smbfs afpfs afs ncpfs 9p v9fs ceph glusterfs lustre gpfs"
        " beegfs davfs webdav acfs ocfs2 gfs2 fuse.sshfs fuse.rclone fuse.s3fs fuse.gcsfuse"
        " fuse.davfs2 fuse.glusterfs fuse.ceph fuse.curlftpfs fuse.smbnetfs fuse.gvfsd-fuse"
        " fuse.goofys fuse.juicefs fuse.onedriver fuse.google-drive-ocamlfuse"
    ).split()
)
"""Kinds of file system that other machines write as well."""

_CLOUDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Dropbox", re.compile(r"dropbox( \(.+\))?")),
    ("Google Drive", re.compile(r"google ?drive|googledrive")),
    ("OneDrive", re.compile(r"onedrive( - .+)?")),
    ("iCloud Drive", re.compile(r"icloud ?drive( \(.+\))?|com~apple~clouddocs|mobile documents")),
    ("Nextcloud", re.compile(r"nextcloud\d*|owncloud\d*")),
    ("Box", re.compile(r"box sync")),
    ("pCloud", re.compile(r"pcloud ?drive|pcloudsync")),
    ("MEGA", re.compile(r"megasync")),
    ("Syncthing", re.compile(r"syncthing")),
)
"""Names of folders that are kept in step with a cloud, as their makers call them."""

_MARKERS: tuple[tuple[str, str], ...] = (
    ("Syncthing", ".stfolder"),
    ("Dropbox", ".dropbox"),
    ("Dropbox", ".dropbox.cache"),
    ("Nextcloud", ".sync_journal.db"),
    ("Nextcloud", ".owncloudsync.log"),
    ("OneDrive", ".849C9593-D756-4E56-8D6E-42412F2A707B"),
    ("Resilio Sync", ".sync/ID"),
)
"""What such programs leave in the folder they keep in step."""


@dataclass(frozen=True, slots=True)
class Mount:
    """One file system."""

    place: PurePosixPath
    kind: str


def warning(folder: Path) -> str:
    """What can go wrong with a project in a folder, and what to do; empty where it is well.

    Args:
        folder: The project; it need not exist yet.
    """
    with suppress(OSError, RuntimeError):
        folder = folder.resolve()
    if name := cloud_of(folder, _markers_above(folder)):
        return (
            f"{folder} lies in a folder that {name} keeps in step: it may copy the book while it "
            "is half-written, and two machines may tear it. Keep it on a local disk; rhapsode "
            "pack and unpack carry it elsewhere."
        )
    if kind := network_kind(folder, _mounts()):
        return (
            f"{folder} lies on a network disk ({kind}): SQLite's log works on one machine only, "
            "and a second one would damage the book. Keep it on a local disk; rhapsode pack and "
            "unpack carry it elsewhere."
        )
    return ""


def network_kind(folder: PurePath, mounts: Iterable[Mount]) -> str:
    """The kind of the network file system that a folder lies on, or empty.

    Args:
        folder: An absolute path.
        mounts: What is mounted; where two are mounted at one place the later one counts.
    """
    found = Mount(PurePosixPath("/"), "")
    for mount in mounts:
        inside = folder.is_relative_to(mount.place)
        if inside and len(mount.place.parts) >= len(found.place.parts):
            found = mount
    return found.kind if found.kind.lower() in NETWORK else ""


def parse_mountinfo(text: str) -> tuple[Mount, ...]:
    """What Linux says in ``/proc/self/mountinfo``; a line that cannot be read is passed over."""
    mounts = []
    for line in text.splitlines():
        head, separator, tail = line.partition(" - ")
        fields, kinds = head.split(" "), tail.split(" ")
        if separator and len(fields) >= 5 and kinds[0]:
            mounts.append(Mount(PurePosixPath(_unescaped(fields[4])), kinds[0]))
    return tuple(mounts)


def parse_mount(text: str) -> tuple[Mount, ...]:
    """What macOS's ``mount`` prints, such as ``//me@nas/books on /Volumes/books (smbfs, nodev)``.

    A line that cannot be read is passed over.
    """
    matches = re.finditer(r"^.+? on (/.*) \((\w[\w.]*)[,)].*$", text, re.MULTILINE)
    return tuple(Mount(PurePosixPath(match[1]), match[2]) for match in matches)


def cloud_of(folder: PurePath, markers: Iterable[str] = ()) -> str:
    """The name of what keeps a folder in step with a cloud, or empty.

    Args:
        folder: An absolute path.
        markers: Those of the markers that lie in the folder or in one above it.
    """
    there = frozenset(markers)
    for name, marker in _MARKERS:
        if marker in there:
            return name
    parts = list(folder.parts)
    provider = ""
    if "CloudStorage" in parts[:-1]:
        # macOS keeps every provider of files below one folder, such as GoogleDrive-me@example.org.
        place = parts.index("CloudStorage") + 1
        provider = parts[place] = parts[place].partition("-")[0]
    for part in parts:
        for name, pattern in _CLOUDS:
            if pattern.fullmatch(part.casefold()):
                return name
    return provider


def _markers_above(folder: Path) -> set[str]:
    """The markers in a folder and in those above it."""
    found = set()
    for place in (folder, *folder.parents):
        for _, marker in _MARKERS:
            with suppress(OSError):
                if (place / marker).exists() and place != place.parent:
                    found.add(marker)
    # A home folder holds Dropbox's own settings by the same name.
    home = Path.home() / ".dropbox"
    if ".dropbox" in found and home.is_dir():
        found.discard(".dropbox")
    return found


def _mounts() -> tuple[Mount, ...]:
    """What is mounted on this machine; nothing where it does not say."""
    if sys.platform == "darwin":
        with suppress(OSError, subprocess.SubprocessError):
            told = subprocess.run(
                ["/sbin/mount"], capture_output=True, text=True, timeout=ASK_SECONDS, check=True
            )
            return parse_mount(told.stdout)
        return ()
    with suppress(OSError):
        return parse_mountinfo(MOUNTS.read_text("utf-8", "surrogateescape"))
    return ()


def _unescaped(text: str) -> str:
    """Linux writes a space in a name as ``\\040``."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
