"""What the documents promise is there."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from studio.engines.catalogue import Catalogue, EngineSpec, built_in
from studio.ui.actions import ACTIONS
from studio.ui.keys import resolve

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("projects/sample/*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("picture", [*ROOT.glob("docs/*.svg")], ids=lambda path: path.name)
def test_pictures_need_no_network(picture: Path) -> None:
    text = picture.read_text(encoding="utf-8")
    assert "@font-face" not in text
    assert "url(http" not in text


def example(number: int) -> dict[str, object]:
    """The n-th TOML block of the page on configuration."""
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    return tomllib.loads(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[number])


def test_the_documented_configuration_can_be_used(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    block = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "config.toml").write_text(block, encoding="utf-8")
    spec = Catalogue.load(tmp_path / "config.toml")["hibari"]
    own = built_in()
    for name in (
        "budget_mb",
        "ceiling_mb",
        "max_clips",
        "spare",
        "grace",
        "load_deadline",
        "stall_seconds",
        "idle_seconds",
        "drift",
        "recycle_on_drift",
    ):
        assert getattr(spec, name) == getattr(own, name), f"{name} is not the default"
    keys = resolve(ACTIONS, example(0)["keys"])  # type: ignore[arg-type]
    assert keys.problems == ()


def test_every_setting_of_an_engine_is_documented() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    for item in fields(EngineSpec):
        if item.name != "name":
            assert re.search(rf"\b{item.name}\b", page), item.name


def test_the_page_on_reviewing_names_every_key_of_the_studio_and_no_other() -> None:
    page = (ROOT / "docs" / "reviewing.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([^`\n]+)`", page))
    keys = resolve(ACTIONS, {})
    real = {shown for it in ACTIONS for shown in keys.shown(it.id).split(" · ")}
    like_keys = {text for text in named if re.fullmatch(r"\S|g \S|ctrl-\S", text)}
    assert like_keys - real == {"↑", "↓", "≠", "◆"}, "signs, and the arrows of a list"
    for it in ACTIONS:
        if it.screen == "studio" and it.keys and not it.pane and it.group != "Move":
            assert named & set(keys.shown(it.id).split(" · ")), f"{it.id} is not named"


def test_nothing_is_told_to_anybody(tmp_path: Path) -> None:
    """The engine's arithmetic library reports its use unless it is told not to before it loads."""
    script = (
        "import runpy, sys, os\n"
        "sys.argv = ['engine', '--help']\n"
        "try:\n    runpy.run_path(os.environ['ENGINE'], run_name='__main__')\n"
        "except SystemExit:\n    pass\n"
        "import onnxruntime\n"
        "sys.stderr.write(os.environ.get('ORT_DISABLE_TELEMETRY', 'unset'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={
            "HOME": str(tmp_path),
            "ENGINE": str(ROOT / "engine" / "__main__.py"),
            "PATH": "/usr/bin:/bin",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr.endswith("1"), done.stderr
    assert list(tmp_path.rglob("*onnxruntime*")) == []
