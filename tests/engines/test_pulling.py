"""Weights from a hub on this machine: whole and checked, whatever happens on the way."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import loopback_hub
import pytest
from loopback_hub import COMMIT, Hub
from needs import skip_or_fail
from tiny_engine import REPOSITORY, start, tiny

BIG = random.Random(1).randbytes(3_000_000)
SMALL = b'{"of": "the model"}'


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub that has the tiny engine's model."""
    files = {"big.bin": BIG, "folder/small.json": SMALL, "unused.bin": b"x" * 5000}
    with loopback_hub.serving(REPOSITORY, files) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


def model(home: Path) -> Path:
    """Where the model lies in the end."""
    return home / "data" / "models" / "tiny"


def is_whole(home: Path, beside: str = "") -> None:
    """The model is there, right, and nothing else beside it, or one folder."""
    assert (model(home) / "big.bin").read_bytes() == BIG
    assert (model(home) / "folder" / "small.json").read_bytes() == SMALL
    note = json.loads((model(home) / "pulled.json").read_text())
    assert note["files"]["big.bin"] == hashlib.sha256(BIG).hexdigest()
    assert sorted(path.name for path in model(home).rglob("*")) == [
        "big.bin",
        "folder",
        "pulled.json",
        "small.json",
    ]
    folders = {path.name for path in model(home).parent.iterdir() if path.is_dir()}
    assert folders == {"tiny", beside} - {""}


def test_a_model_is_pulled_once(home: Path, tmp_path: Path, hub: Hub) -> None:
    process = start("pull", "tiny", cwd=tmp_path, revision=COMMIT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "every file checked" in out
    assert err.splitlines()[0] == "Tiny by Nobody, for tests.", "the licence comes first"
    assert "3.0 MB" in err
    is_whole(home)
    asked = len(hub.requests)
    again = tiny("pull", "tiny", cwd=tmp_path, revision=COMMIT)
    assert not again["pulled"]
    assert len(hub.requests) == asked == 2
    assert tiny("pull", "tiny", cwd=tmp_path, revision="main")["revision"] == COMMIT
    assert len(hub.requests) == 2


def test_a_dropped_connection_is_gone_on_with(home: Path, tmp_path: Path, hub: Hub) -> None:
    hub.breaks["big.bin"] = [1_000_000, 500_000, 0]
    tiny("pull", "tiny", cwd=tmp_path, hub_waits=[0.01])
    is_whole(home)
    ranges = [asked for name, asked in hub.requests if name == "big.bin"]
    assert ranges == ["", "bytes=1000000-", "bytes=1500000-", "bytes=1500000-"]


def test_one_that_drops_for_good_keeps_what_came(home: Path, tmp_path: Path, hub: Hub) -> None:
    hub.breaks["big.bin"] = [1_000_000, 0, 0, 0]
    failed = tiny("pull", "tiny", cwd=tmp_path, code=6, hub_waits=[0.01, 0.01])
    assert "what has come already is kept" in failed["error"]
    assert "--from FOLDER" in failed["error"]
    assert not model(home).exists()
    state = tiny(cwd=tmp_path)["engines"]
    assert next(it for it in state if it["name"] == "tiny")["weights"] == "missing"
    hub.breaks.clear()
    tiny("pull", "tiny", cwd=tmp_path)
    is_whole(home)
    assert hub.requests[-2] == ("big.bin", "bytes=1000000-")


def test_a_killed_pull_goes_on_where_it_was(home: Path, tmp_path: Path, hub: Hub) -> None:
    hub.hold = "big.bin"
    process = start("pull", "tiny", cwd=tmp_path)
    assert hub.held.wait(30)
    part = None
    while part is None or part.stat().st_size < 1_000_000:
        assert process.poll() is None
        part = next(model(home).parent.glob(".tiny-*/big.bin.part"), None)
    process.kill()
    process.communicate(timeout=30)
    assert not model(home).exists()
    hub.go_on.set()
    tiny("pull", "tiny", cwd=tmp_path)
    is_whole(home)
    first, second = [asked for name, asked in hub.requests if name == "big.bin"]
    assert (first, second[:7]) == ("", "bytes=1")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_pull_says_that_it_goes_on(
    home: Path, tmp_path: Path, hub: Hub, number: signal.Signals
) -> None:
    hub.hold = "big.bin"
    process = start("pull", "tiny", cwd=tmp_path)
    assert hub.held.wait(30)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "rhapsode engines pull tiny goes on where it was" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ["big.bin", "folder/small.json"])
def test_a_wrong_checksum_is_said_and_the_file_deleted(
    home: Path, tmp_path: Path, hub: Hub, name: str
) -> None:
    right = hub.files[name]
    hub.wrong[name] = bytes([right[0] ^ 1]) + right[1:]
    failed = tiny("pull", "tiny", cwd=tmp_path, code=6)
    assert failed["error"].startswith(f"{name} from 127.0.0.1")
    assert "checksum differs" in failed["error"]
    assert not [path for path in model(home).parent.rglob(Path(name).name + "*")]
    hub.wrong.clear()
    tiny("pull", "tiny", cwd=tmp_path)
    is_whole(home)


def test_a_part_that_was_spoilt_is_not_believed(home: Path, tmp_path: Path, hub: Hub) -> None:
    part = model(home).parent / f".tiny-{COMMIT[:12]}" / "big.bin.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"\0" * 1_000_000)
    assert "checksum differs" in tiny("pull", "tiny", cwd=tmp_path, code=6)["error"]
    tiny("pull", "tiny", cwd=tmp_path)
    is_whole(home)


@pytest.mark.parametrize("size", [3_000_001, 5_000_000])
def test_a_part_that_is_too_long_is_begun_anew(
    home: Path, tmp_path: Path, hub: Hub, size: int
) -> None:
    part = model(home).parent / f".tiny-{COMMIT[:12]}" / "big.bin.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"\0" * size)
    tiny("pull", "tiny", cwd=tmp_path)
    is_whole(home)


def test_a_hub_that_cannot_begin_in_the_middle(home: Path, tmp_path: Path, hub: Hub) -> None:
    hub.ranges = False
    hub.breaks["big.bin"] = [1_000_000]
    tiny("pull", "tiny", cwd=tmp_path, hub_waits=[0.01])
    is_whole(home)


@pytest.mark.parametrize("begins", [0, 400_000])
def test_a_hub_that_begins_before_where_it_was_asked_to(
    home: Path, tmp_path: Path, hub: Hub, begins: int
) -> None:
    """It says where: nothing of a gigabyte that came is thrown away for it."""
    hub.begins = begins
    hub.breaks["big.bin"] = [1_000_000]
    tiny("pull", "tiny", cwd=tmp_path, hub_waits=[0.01])
    is_whole(home)
    assert [name for name, _ in hub.requests].count("big.bin") == 2


def test_a_hub_that_leaves_something_out_is_not_believed(
    home: Path, tmp_path: Path, hub: Hub
) -> None:
    hub.begins = 2_000_000
    hub.breaks["big.bin"] = [1_000_000]
    failed = tiny("pull", "tiny", cwd=tmp_path, code=6, hub_waits=[0.01])
    assert "the connection drops" in failed["error"]
    hub.begins = None
    tiny("pull", "tiny", cwd=tmp_path)
    is_whole(home)
    assert hub.requests[-2] == ("big.bin", "bytes=1000000-")


ABOUT = {"_id": "1", "id": REPOSITORY, "modelId": REPOSITORY, "private": False, "tags": []}


@pytest.mark.parametrize(
    "says",
    [
        "null",
        "[1]",
        "{}",
        json.dumps({**ABOUT, "sha": "../../elsewhere", "siblings": []}),
        json.dumps({**ABOUT, "sha": COMMIT, "siblings": [{"rfilename": "big.bin", "size": "x"}]}),
        json.dumps(
            {
                **ABOUT,
                "sha": COMMIT,
                "siblings": [{"rfilename": "big.bin", "size": -1, "blobId": "1"}],
            }
        ),
        "<html>Log in</html>",
    ],
)
def test_what_is_no_hub_is_one_sentence(home: Path, tmp_path: Path, hub: Hub, says: str) -> None:
    hub.says = says.encode()
    failed = tiny("pull", "tiny", cwd=tmp_path, code=6, hub_waits=[0.01])
    assert "127.0.0.1" in failed["error"] or REPOSITORY in failed["error"]
    assert not model(home).exists()
    assert not [path for path in model(home).parent.rglob("*") if path.is_dir()]


def test_files_that_are_never_there_are_one_sentence(home: Path, tmp_path: Path, hub: Hub) -> None:
    hub.circles = True
    failed = tiny("pull", "tiny", cwd=tmp_path, code=6, hub_waits=[0.01])
    assert "redirects" in failed["error"]


def test_more_than_was_promised_is_not_the_file(home: Path, tmp_path: Path, hub: Hub) -> None:
    hub.wrong["big.bin"] = b"\1" + BIG
    assert "checksum differs" in tiny("pull", "tiny", cwd=tmp_path, code=6)["error"]
    assert not model(home).exists()


def test_another_revision_replaces_the_model_in_one_step(
    home: Path, tmp_path: Path, hub: Hub
) -> None:
    tiny("pull", "tiny", cwd=tmp_path)
    newer = bytes(reversed(BIG))
    hub.files["big.bin"] = newer
    hub.commit = "f" * 40
    hub.revisions = {"main", hub.commit, "v2"}
    hub.breaks["big.bin"] = [5, 0, 0]
    tiny("pull", "tiny", "--revision", "v2", cwd=tmp_path, code=6, hub_waits=[0.01])
    is_whole(home, f".tiny-{'f' * 12}")
    tiny("pull", "tiny", "--revision", "v2", cwd=tmp_path)
    assert (model(home) / "big.bin").read_bytes() == newer
    assert json.loads((model(home) / "pulled.json").read_text())["revision"] == "f" * 40


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"revisions": {"main"}}, 5, "has no revision v9"),
        ({"status": 410}, 6, "answered with an error (410)"),
        ({"status": 500}, 6, "answered with an error (500)"),
        ({"files": {"big.bin": BIG}}, 6, "has no folder/small.json"),
    ],
)
def test_what_a_hub_may_refuse(
    home: Path, tmp_path: Path, hub: Hub, change: dict[str, object], code: int, words: str
) -> None:
    for name, value in change.items():
        setattr(hub, name, value)
    given = ["--revision", "v9"] if "revisions" in change else []
    failed = tiny("pull", "tiny", *given, cwd=tmp_path, code=code, hub_waits=[0.01])
    assert words in failed["error"]
    assert not model(home).exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        # The files of a model with a licence are refused, not what is said of it.
        ({"status": 403, "code": "GatedRepo"}, "agree to its licence at {page}, and set HF_TOKEN"),
        ({"status": 401}, "see its licence page, {page}, and set HF_TOKEN"),
        ({"closed": 401, "code": "GatedRepo"}, "agree to its licence at {page}, and set HF_TOKEN"),
        ({"closed": 401, "code": "RepoNotFound"}, "see its licence page, {page}, and set HF_TOKEN"),
        ({"closed": 403}, "see its licence page, {page}, and set HF_TOKEN"),
        ({"closed": 404, "code": "RepoNotFound"}, "or not for you"),
    ],
)
def test_who_may_not_have_it_is_told_of_the_licence_and_the_token(
    home: Path, tmp_path: Path, hub: Hub, change: dict[str, object], words: str
) -> None:
    for name, value in change.items():
        setattr(hub, name, value)
    words = words.format(page=f"{hub.endpoint}/{REPOSITORY}")
    failed = tiny("pull", "tiny", cwd=tmp_path, env={"HF_TOKEN": ""}, code=6, hub_waits=[0.01])
    assert words in failed["error"]
    if change.get("closed") != 404:
        given = {"HF_TOKEN": "hf_x"}
        failed = tiny("pull", "tiny", cwd=tmp_path, env=given, code=6, hub_waits=[0.01])
        assert "see that HF_TOKEN is a token that may read it" in failed["error"]
    assert not model(home).exists()


def test_no_hub_at_all_is_one_sentence(home: Path, tmp_path: Path) -> None:
    gone = {"HF_ENDPOINT": "http://127.0.0.1:1"}
    failed = tiny("pull", "tiny", cwd=tmp_path, env=gone, code=6)
    assert "127.0.0.1:1 cannot be reached" in failed["error"]
    offline = {**gone, "HF_HUB_OFFLINE": "1"}
    failed = tiny("pull", "tiny", cwd=tmp_path, env=offline, code=6)
    assert "HF_HUB_OFFLINE is set" in failed["error"]


def test_weights_of_a_folder_are_linked(home: Path, tmp_path: Path) -> None:
    source = tmp_path / "had"
    (source / "folder").mkdir(parents=True)
    (source / "big.bin").write_bytes(BIG)
    lacking = tiny("pull", "tiny", "--from", source, cwd=tmp_path, code=5)
    assert "has no folder/small.json" in lacking["error"]
    (source / "small").write_bytes(SMALL)
    (source / "folder" / "small.json").symlink_to(source / "small")  # as a hub's cache has it
    taken = tiny("pull", "tiny", "--from", source, cwd=tmp_path)
    assert taken["linked"]
    is_whole(home)
    assert not (model(home) / "folder" / "small.json").is_symlink()
    assert os.stat(source / "big.bin").st_nlink == 2
    own = tiny("pull", "tiny", "--from", model(home), cwd=tmp_path, code=5)
    assert "own folder" in own["error"]
    both = tiny("pull", "tiny", "--from", source, "--revision", "x", cwd=tmp_path, code=5)
    assert "leave --revision or --from out" in both["error"]
    removed = tiny("remove", "tiny", "--weights", "--yes", cwd=tmp_path)
    assert removed["removed"] == ["weights"]
    assert (source / "big.bin").read_bytes() == BIG
    assert not model(home).exists()


def test_weights_of_another_disk_are_copied(home: Path, tmp_path: Path) -> None:
    elsewhere = Path("/dev/shm")
    if not elsewhere.is_dir() or elsewhere.stat().st_dev == home.stat().st_dev:
        skip_or_fail("there is no second disk here")
    with tempfile.TemporaryDirectory(dir=elsewhere) as place:
        source = Path(place)
        (source / "folder").mkdir()
        (source / "big.bin").write_bytes(BIG)
        (source / "folder" / "small.json").write_bytes(SMALL)
        taken = tiny("pull", "tiny", "--from", source, cwd=tmp_path)
    assert not taken["linked"]
    is_whole(home)


def test_only_one_pulls_at_a_time(home: Path, tmp_path: Path, hub: Hub) -> None:
    hub.hold = "big.bin"
    process = start("pull", "tiny", cwd=tmp_path)
    assert hub.held.wait(30)
    second = tiny("pull", "tiny", cwd=tmp_path, code=6)
    assert "Another rhapsode is fetching" in second["error"]
    process.kill()
    process.communicate(timeout=30)


def test_no_room_is_said_before_anything_comes(home: Path, tmp_path: Path, hub: Hub) -> None:
    hub.files["big.bin"] = b""
    info = hub.info

    def huge(revision: str) -> bytes | None:
        told = json.loads(info(revision) or b"{}")
        told["siblings"][0] |= {
            "size": 1 << 60,
            "lfs": {"sha256": "0" * 64, "size": 1 << 60, "pointerSize": 1},
        }
        return json.dumps(told).encode()

    hub.info = huge  # type: ignore[method-assign]
    failed = tiny("pull", "tiny", cwd=tmp_path, code=6)
    assert "needs about 1,152,921,505 GB" in failed["error"]
    assert "RHAPSODE_HOME" in failed["error"]
    assert not hub.requests
