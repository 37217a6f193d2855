"""What a model hub is asked for: the files of one commit, and their bytes from anywhere on.

The hub's own library finds the endpoint, the token and the proxy of the user's configuration and
knows what the hub answers. Its downloads, though, begin anew after an interruption (huggingface_hub
2.4 keeps nothing of one that was broken off), which for a model of gigabytes is not good enough;
so the bytes are read here, through the library's session, and a part that is there is gone on with.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from studio import __version__
from studio.errors import BadInput, MachineFault

# Read by the library when it is imported. Its other protocol (Xet) fetches pieces from elsewhere
# and cannot go on with a part of a file; and nothing is reported to anybody.
os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import httpx2
from huggingface_hub import HfApi, get_session, get_token, hf_hub_url
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

PATIENCE = 30.0
"""Seconds without a byte after which a connection counts as dropped."""

WAITS = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each further try; the count begins anew whenever a byte has come."""

COMMIT = re.compile(r"[0-9a-f]{40}")

_REFUSED = {401, 403}
"""Answers that are for this person, or for one without a name."""

_PASSING = {408, 425, 429, 500, 502, 503, 504}
"""Answers after which another try may help."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of a commit."""

    path: str
    size: int
    sha256: str
    """Of a large file; empty for a small one."""
    git: str
    """Git's own SHA-1 of a small file's blob."""


class Hub:
    """One repository at one revision."""

    def __init__(self, repository: str, revision: str, waits: Sequence[float] = WAITS) -> None:
        """Ask nothing yet.

        Args:
            repository: Owner and name.
            revision: Commit, branch or tag.
            waits: Seconds before each further try.
        """
        self._repository = repository
        self._revision = revision
        self._waits = waits
        self._api = HfApi(library_name="rhapsode", library_version=__version__)

    @property
    def host(self) -> str:
        """Whom it asks."""
        return urlsplit(self._api.endpoint).netloc or self._api.endpoint

    def files(self, wanted: Sequence[str]) -> tuple[str, list[HubFile]]:
        """The commit that the revision is, and what the hub says of the files in it.

        Raises:
            BadInput: It has no such revision.
            MachineFault: It cannot be reached, or has not all of the files.
        """
        try:
            info = self._api.model_info(
                self._repository, revision=self._revision, files_metadata=True, timeout=PATIENCE
            )
        except RevisionNotFoundError as error:
            raise BadInput(
                f"{self._repository} has no revision {self._revision} at {self.host}; "
                "leave --revision out for the one that this version was written for."
            ) from error
        except RepositoryNotFoundError as error:
            if (why := self._refused(error)) is not None:
                raise why from error
            raise MachineFault(
                f"{self.host} has no {self._repository}, or not for you; "
                "HF_ENDPOINT names the hub that is asked."
            ) from error
        except OfflineModeIsEnabled as error:
            raise MachineFault(
                "HF_HUB_OFFLINE is set, so no hub is asked; unset it, or take the weights "
                "--from a folder."
            ) from error
        except (HfHubHTTPError, httpx2.HTTPError, OSError, ValueError) as error:
            raise self._unreachable(error) from error
        except Exception as error:  # the library takes what was answered apart as it comes
            raise self._no_hub() from error
        commit = info.sha or self._revision
        if not COMMIT.fullmatch(commit):  # it becomes the name of a folder, too
            raise self._no_hub()
        known = {it.rfilename: it for it in info.siblings or ()}
        found = []
        for path in wanted:
            it = known.get(path)
            size = None if it is None else it.size
            large = it.lfs.sha256 if it is not None and it.lfs is not None else ""
            small = (it.blob_id or "") if it is not None else ""
            if not isinstance(size, int) or size < 0 or not (large or small):
                raise MachineFault(
                    f"{self._repository} at {self._revision} has no {path}, or no checksum for it; "
                    "another --revision may."
                )
            found.append(HubFile(path, size, large, small))
        return commit, found

    def fetch(self, commit: str, file: HubFile, into: Path, came: Callable[[int], None]) -> None:
        """Read a file to its end, from where the part that is there ends.

        Args:
            commit: Of the file.
            file: Which.
            into: The part; made where it is not there.
            came: Told how many bytes more there are; fewer, below 0, where it begins anew.

        Raises:
            MachineFault: The connection drops again and again, or the hub refuses.
            OSError: The part cannot be written.
        """
        failures = 0
        while True:
            have = into.stat().st_size if into.exists() else 0
            if have == file.size and into.exists():
                return
            if have > file.size:
                have = _anew(into, have, came)
            why: Exception | None = None
            try:
                self._read(commit, file, into, have, came)
            except (httpx2.RequestError, httpx2.InvalidURL) as error:
                why = error
            except HfHubHTTPError as error:
                if error.response.status_code not in _PASSING:
                    raise self._unreachable(error) from error
                why = error
            now = into.stat().st_size if into.exists() else 0
            failures = 0 if now > have else failures + 1
            if now == file.size and into.exists():
                return
            if failures > len(self._waits):
                raise self._unreachable(why) from why
            time.sleep(self._waits[max(failures, 1) - 1])

    def _read(
        self, commit: str, file: HubFile, into: Path, have: int, came: Callable[[int], None]
    ) -> None:
        """Read once, as far as it goes."""
        url = hf_hub_url(self._repository, file.path, revision=commit)
        headers = build_hf_headers(library_name="rhapsode", library_version=__version__)
        headers["Accept-Encoding"] = "identity"  # a position in what was packed would be useless
        if have:
            headers["Range"] = f"bytes={have}-"
        with get_session().stream("GET", url, headers=headers, timeout=PATIENCE) as response:
            if response.status_code == 416 and have:
                _anew(into, have, came)
                return
            hf_raise_for_status(response)
            begins = _begins(response, have)
            if begins > have:
                return  # what lies between would be missing
            into.parent.mkdir(parents=True, exist_ok=True)
            with into.open("r+b" if have else "wb") as part:
                part.truncate(begins)
                part.seek(begins)
                came(begins - have)
                for chunk in response.iter_bytes():  # as they come: none is lost with a connection
                    # More than was promised is no file of ours; the checksum would tell too late.
                    room = file.size - part.tell()
                    part.write(chunk[:room])
                    came(min(len(chunk), room))
                    if len(chunk) > room:
                        return

    def _refused(self, error: HfHubHTTPError) -> MachineFault | None:
        """Whether the hub gives the model to others only, and what to do then.

        It answers so where a licence was not agreed to, and without a token, or with one that is
        wrong, also where there is no such repository, so as not to tell of those that are private.
        """
        status = error.response.status_code
        gated = isinstance(error, GatedRepoError)
        if not gated and status not in _REFUSED:
            return None
        hub = self._api.endpoint.rstrip("/")
        page = f"{hub}/{self._repository}"
        terms = f"agree to its licence at {page}" if gated else f"see its licence page, {page}"
        token = (
            "see that HF_TOKEN is a token that may read it"
            if get_token()
            else "set HF_TOKEN to a token of yours"
        )
        return MachineFault(
            f"{self.host} does not give {self._repository} to you ({status}): {terms}, and {token} "
            f"({hub}/settings/tokens). What has come already is kept."
        )

    def _no_hub(self) -> MachineFault:
        """Something answered that is no hub of models."""
        return MachineFault(
            f"What {self.host} answers of {self._repository} makes no sense; "
            "HF_ENDPOINT names the hub that is asked, and a proxy may answer in its place."
        )

    def _unreachable(self, error: Exception | None) -> MachineFault:
        """The hub did not answer, or not as a hub does."""
        if isinstance(error, HfHubHTTPError):
            if (why := self._refused(error)) is not None:
                return why
            status = error.response.status_code
            return MachineFault(
                f"{self.host} answered with an error ({status}); try again later: "
                "what has come already is kept."
            )
        return MachineFault(
            f"{self.host} cannot be reached, or the connection drops ({_short(error)}); "
            "try again: what has come already is kept. Without a network, --from FOLDER takes "
            "weights that were fetched on another machine."
        )


def _begins(response: httpx2.Response, asked: int) -> int:
    """Where in the file an answer begins, which need not be where it was asked to."""
    if response.status_code != 206:
        return 0
    said = re.match(r"\s*bytes\s+(\d+)-", response.headers.get("Content-Range", ""), re.IGNORECASE)
    return int(said[1]) if said else asked


def _anew(into: Path, have: int, came: Callable[[int], None]) -> int:
    """Throw a part away that cannot be gone on with; returns what is left of it: nothing."""
    into.unlink()
    came(-have)
    return 0


def _short(error: Exception | None) -> str:
    """The gist of an error."""
    lines = str(error).strip().splitlines() if error is not None else []
    return lines[0][:120] if lines else type(error).__name__ if error else "it ended early"
