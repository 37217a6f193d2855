"""Which folders are no good place for a project, by what systems really say."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.project import places
from studio.project.places import cloud_of, network_kind, parse_mount, parse_mountinfo

MOUNTINFO = r"""22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw
28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
90 28 0:52 / /mnt/nas rw,relatime shared:48 - nfs4 nas:/export rw,vers=4.2
91 28 0:53 / /mnt/my\040share rw,relatime - cifs //nas/books rw,vers=3.1.1
92 28 0:54 / /home/ann/remote rw - fuse.sshfs ann@far: rw,user_id=1000
93 28 0:55 / /host rw,relatime - 9p drvfs rw
94 90 259:3 / /mnt/nas/scratch rw,relatime - xfs /dev/sdb1 rw
95 28 0:56 / /mnt/twice rw - ext4 /dev/sdc1 rw
96 28 0:57 / /mnt/twice rw - fuse.rclone drive: rw
97 28 0:58 / /mnt/fuse rw - fuse.encfs enc rw
a line that says nothing
"""
MACOS = """/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)
//ann@nas._smb._tcp.local/books on /Volumes/books (smbfs, nodev, nosuid, mounted by ann)
nas:/export on /Volumes/two words (1) (nfs, nodev, nosuid, mounted by ann)
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/ann/book", ""),
        ("/mnt/nas/book", "nfs4"),
        ("/mnt/nas", "nfs4"),
        ("/mnt/nasty/book", ""),
        ("/mnt/my share/book", "cifs"),
        ("/home/ann/remote/a/b", "fuse.sshfs"),
        ("/host/c", "9p"),
        ("/mnt/nas/scratch/book", ""),
        ("/mnt/twice/book", "fuse.rclone"),
        ("/mnt/fuse/book", ""),
    ],
)
def test_linux(folder: str, kind: str) -> None:
    assert network_kind(PurePosixPath(folder), parse_mountinfo(MOUNTINFO)) == kind


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/Users/ann/book", ""),
        ("/Volumes/books/ferry", "smbfs"),
        ("/Volumes/two words (1)/ferry", "nfs"),
    ],
)
def test_macos(folder: str, kind: str) -> None:
    assert network_kind(PurePosixPath(folder), parse_mount(MACOS)) == kind


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/home/ann/Dropbox/book", "Dropbox"),
        ("/home/ann/Dropbox (Work)/book", "Dropbox"),
        ("/home/ann/OneDrive - Company/book", "OneDrive"),
        ("/Users/ann/Library/Mobile Documents/com~apple~CloudDocs/book", "iCloud Drive"),
        ("/Users/ann/Library/CloudStorage/GoogleDrive-ann@x.org/book", "Google Drive"),
        ("/Users/ann/Library/CloudStorage/OneDrive-Personal/book", "OneDrive"),
        ("/Users/ann/Library/CloudStorage/ProtonDrive-ann/book", "ProtonDrive"),
        ("/home/ann/Google Drive/book", "Google Drive"),
        ("/home/ann/Nextcloud/book", "Nextcloud"),
        ("/home/ann/Nextcloud2/book", "Nextcloud"),
        ("/home/ann/books/dropbox-thief", ""),
        ("/home/ann/books/the-dropbox", ""),
        ("/home/ann/books/one-drive-home", ""),
        ("/home/ann/books/box", ""),
        ("/home/ann/Library/CloudStorage", ""),
        ("/", ""),
    ],
)
def test_names_of_clouds(folder: str, name: str) -> None:
    assert cloud_of(PurePosixPath(folder)) == name


def test_markers(tmp_path: Path) -> None:
    book = tmp_path / "shared" / "books" / "ferry"
    book.mkdir(parents=True)
    assert places.warning(book) == ""
    (tmp_path / "shared" / ".stfolder").mkdir()
    said = places.warning(book)
    assert said.startswith(f"{book} lies in a folder that Syncthing keeps in step")
    assert "rhapsode pack" in said
    assert places.warning(book / "not" / "yet") != ""
    assert places.warning(tmp_path) == ""
    (tmp_path / "link").symlink_to(book)
    assert "Syncthing" in places.warning(tmp_path / "link"), "where it really lies counts"


def test_what_this_machine_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    line = f"90 28 0:52 / {os.fspath(tmp_path)} rw - nfs nas:/x rw\n"
    mounts.write_text(line, encoding="utf-8")
    monkeypatch.setattr(places, "MOUNTS", mounts)
    monkeypatch.setattr(places.sys, "platform", "linux")
    said = places.warning(tmp_path / "book")
    assert "lies on a network disk (nfs)" in said
    assert said.endswith("rhapsode pack and unpack carry it elsewhere.")
    monkeypatch.setattr(places, "MOUNTS", tmp_path / "none")
    assert places.warning(tmp_path / "book") == ""


@given(st.text())
def test_whatever_a_system_says_can_be_read(text: str) -> None:
    for mount in (*parse_mountinfo(text), *parse_mount(text)):
        network_kind(PurePosixPath("/a"), [mount])
