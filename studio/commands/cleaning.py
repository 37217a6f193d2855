"""`rhapsode clean`: the one command that deletes clips, and says which."""

from __future__ import annotations

from pathlib import Path

from studio.commands.notices import tell
from studio.commands.reply import Reply
from studio.project.project import Project
from studio.wording import in_shell


def clean(folder: Path, *, yes: bool) -> Reply:
    """Delete takes that nobody chose, approved or starred; without ``yes`` only say which."""
    with Project.open(folder) as project:
        tell(project)
        report = project.clean(dry_run=not yes)
        numbers = {segment.uid: segment.number for segment in project.segments()}
    count = len(report.takes)
    # In the order of the book; takes of deleted segments come last.
    last = len(numbers) + 1
    takes = sorted(report.takes, key=lambda it: (numbers.get(it.segment, last), it.number))
    lines = [
        f"{numbers.get(take.segment, '–')}: take {take.number}, seed {take.seed}, "
        f"{take.seconds:.1f} s"
        for take in takes
    ]
    size = f"{report.bytes / 1_000_000:.1f} MB"
    if not count and not report.bytes:
        lines.append("Nothing to clean: every take is chosen, approved or starred.")
    elif yes:
        lines.append(f"Deleted {count} takes, {size}; what was done before cannot be undone now.")
    else:
        lines.append(
            f"These {count} takes ({size}) would be deleted, and undo would end here; "
            f"to do it: rhapsode clean {in_shell(folder)} --yes"
        )
    data = {
        "deleted": yes,
        "bytes": report.bytes,
        "takes": [
            {
                "number": numbers.get(take.segment),
                "take": take.number,
                "seed": take.seed,
                "pcm_hash": take.pcm_hash,
            }
            for take in takes
        ],
    }
    return Reply(data, lines)
