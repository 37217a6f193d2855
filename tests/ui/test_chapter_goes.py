"""A chapter that goes with its last segment, under the cursor, and comes back."""

from __future__ import annotations

from pathlib import Path

from screens_text import screen_text
from studio_rig import make_project, open_rig


async def test_a_chapter_goes_with_its_segments_and_comes_back(tmp_path: Path) -> None:
    async with open_rig(make_project(tmp_path / "ferry")) as rig:
        session = rig.screen.session
        first, second = session.chapters[:2]
        gone = [segment.uid for segment in session.rows.all if segment.chapter == first.id]
        await rig.press("j")
        await session.do(session.project.delete, gone)
        await rig.until(lambda: session.chapters[0].id == second.id)
        await rig.until(lambda: rig.line.chapter == second.id)
        assert f" 1 {second.title[:5]}" in screen_text(rig.app)
        assert f" 1 {first.title[:5]}" not in screen_text(rig.app)
        await rig.press("G", "[", "u")
        await rig.until(lambda: len(session.chapters) > 1 and session.chapters[0].id == first.id)
        assert [it.uid for it in session.rows.all][: len(gone)] == gone
        assert f" 1 {first.title[:5]}" in screen_text(rig.app)
