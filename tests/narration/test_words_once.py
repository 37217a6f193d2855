"""Numbers are put into words once, by the studio: another engine neither undoes nor repeats it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from narration_helpers import scripted, until

from studio.commands.importing import new
from studio.engines.catalogue import Catalogue
from studio.narration.director import Director
from studio.project.desk import Desk
from studio.project.model import Voice
from studio.project.project import Project

BOOK = "# One\n\nHe paid $3.50 for 21 of them on 4 May 1911.\n\nDr. Harrow took 2.\n"


async def test_each_engine_is_given_the_same_words(tmp_path: Path) -> None:
    (tmp_path / "coins.md").write_text(BOOK, encoding="utf-8")
    new(tmp_path / "coins.md", to=tmp_path / "book", voice=None, language="en")
    tallies = {name: tmp_path / name for name in ("one", "two")}
    catalogue = Catalogue(
        {name: scripted("--tally", str(path), name=name) for name, path in tallies.items()}
    )
    desk = Desk()
    with Project.open(tmp_path / "book") as project:
        uids = [it.uid for it in project.segments()]
        spoken = [it.spoken for it in project.segments()]
        director = Director(project, desk, catalogue, workers=1)
        running = asyncio.create_task(director.run())
        for takes, engine in enumerate(tallies, 1):
            project.put_voice(Voice("ada", engine, speaker="tone", language="en-US"))
            project.set_voice(uids, "ada")
            assert [it.spoken for it in project.segments()] == spoken
            project.enqueue(uids)
            director.wake()
            await until(lambda n=takes: all(it.takes == n for it in project.segments()))
        await director.close()
        await running
    desk.close()
    said = {name: path.read_text(encoding="utf-8").splitlines() for name, path in tallies.items()}
    assert said["one"] == said["two"] == spoken
    assert not any(character.isdigit() for line in spoken for character in line)
    assert "twenty-one of them" in spoken[1]
