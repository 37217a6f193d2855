"""Text that looks like a mark, a heading or a page number, and is text."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.book.kinds import Kind
from studio.book.readers import read

THINGS = ("Mill", "Road", "Sea")
STORY = "The road ran north along the river, past the mill and the old bridge. " * 2 + "It rose."
CASES: dict[str, tuple[str, list[list[str]]]] = {
    "titles in Chinese.txt": (
        "第一章 书\n\n他读过《红楼梦》。他写了一本叫《さくら》的书。\n\n第二章 夜\n\n完。\n",
        [["#第一章 书", "他读过《红楼梦》。他写了一本叫《さくら》的书。"], ["#第二章 夜", "完。"]],
    ),
    "a number ends a page.txt": (
        "It stood there:\n\n1984\n\fShe turned the leaf.\n",
        [["It stood there:", "1984", "She turned the leaf."]],
    ),
    "page numbers begin again.txt": (
        "Before.\n\nii\n\f It was.\n\n1\n\fOn.\n\n2\n\fEnd.\n",
        [["Before.", "It was.", "On.", "End."]],
    ),
    "a story about film.txt": (
        "*** START OF THE PROJECT GUTENBERG EBOOK THE REEL ***\n\n"
        "Produced by Samuel Gold, the film ran for weeks. Nobody saw it.\n\nHe sold it.\n",
        [["Produced by Samuel Gold, the film ran for weeks. Nobody saw it.", "He sold it."]],
    ),
    "a part within a sentence.txt": (
        "It rose.\n\nPart One\n\nhe wrote, and stopped.\n",
        [["It rose.", "Part One", "he wrote, and stopped."]],
    ),
    "a part within a sentence.html": (
        "<p>It rose.</p><p>Part One</p><p>he wrote.</p><p>Part Two</p><p>he never wrote.</p>",
        [
            ["It rose."],
            ["#Part One", "he wrote."],
            ["#Part Two", "he never wrote."],
        ],
    ),
    "small letters throughout.txt": (
        "Chapter 1\n\nit rose.\n\nChapter 2\n\nit fell.\n",
        [["#Chapter 1", "it rose."], ["#Chapter 2", "it fell."]],
    ),
    "sections of chapters.txt": (
        "Chapter One\n\n1\n\nIt rose.\n\n2\n\nOn.\n\nChapter Two\n\n1\n\nIt fell.\n\n2\n\nEnd.\n",
        [
            ["#Chapter One", "1", "It rose.", "2", "On."],
            ["#Chapter Two", "1", "It fell.", "2", "End."],
        ],
    ),
    "chapters of parts.txt": (
        "Part One\n\n1\n\nIt rose.\n\n2\n\nOn.\n\nPart Two\n\n1\n\nIt fell.\n\n2\n\nEnd.\n",
        [
            ["#Part One"],
            ["#1", "It rose."],
            ["#2", "On."],
            ["#Part Two"],
            ["#1", "It fell."],
            ["#2", "End."],
        ],
    ),
    "who speaks.txt": (
        "SCENE I.\n\nANN\n\nIt rose.\n\nTOM\n\nOn.\n\nANN\n\nSo.\n\nANN\n\nYes.\n\n"
        "SCENE II.\n\nANN\n\nIt fell.\n",
        [
            ["#SCENE I.", "ANN", "It rose.", "TOM", "On.", "ANN", "So.", "ANN", "Yes."],
            ["#SCENE II.", "ANN", "It fell."],
        ],
    ),
    "who tells.txt": (
        "".join(f"Chapter {n}\n\n{who}\n\nOn.\n\n" for n, who in enumerate(("Ann", "Tom") * 3, 1)),
        [[f"#Chapter {n}", f"#{who}", "On."] for n, who in enumerate(("Ann", "Tom") * 3, 1)],
    ),
    "who tells.html": (
        "".join(
            f"<p>Chapter {n}</p><p>{who}</p><p>On.</p>"
            for n, who in enumerate(("Ann", "Tom") * 3, 1)
        ),
        [[f"#Chapter {n}", f"#{who}", "On."] for n, who in enumerate(("Ann", "Tom") * 3, 1)],
    ),
    "lines without blanks.txt": (
        "".join(f"Chapter {n}\nIt rose.\n“So,” he said.\n" for n in (1, 2, 3)),
        [[f"#Chapter {n}", "It rose.", "“So,” he said."] for n in (1, 2, 3)],
    ),
    "lines without blanks in Chinese.txt": (
        "".join(f"第{n}章 夜\n河水涨了一夜。\n“你去哪儿？”他问。\n" for n in "一二三"),
        [[f"#第{n}章 夜", "河水涨了一夜。", "“你去哪儿？”他问。"] for n in "一二三"],
    ),
    "prologue and numbers.html": (
        "<p>Prologue</p><p>It rose.</p><p>1</p><p>On.</p><p>2</p><p>So.</p><p>3</p><p>Yes.</p>"
        "<p>Epilogue</p><p>It fell.</p>",
        [
            ["#Prologue", "It rose."],
            ["#1", "On."],
            ["#2", "So."],
            ["#3", "Yes."],
            ["#Epilogue", "It fell."],
        ],
    ),
    "numbers and titles.html": (
        "".join(f"<p>{n}. The {what}</p><p>{STORY}</p>" for n, what in enumerate(THINGS, 1)),
        [[f"#{n}. The {what}", STORY] for n, what in enumerate(THINGS, 1)],
    ),
    "a list of virtues.html": (
        "<p>So:</p><p>1. Kindness</p><p>He was.</p><p>2. Bravery</p><p>He was.</p>"
        "<p>3. Patience</p><p>He was not.</p>",
        [["So:", "1. Kindness", "He was.", "2. Bravery", "He was.", "3. Patience", "He was not."]],
    ),
    "titles that are sentences.txt": (
        "Chapter 1. In which it rises.\n\nIt rose.\n\nChapter 2. In which it falls.\n\nIt fell.\n",
        [
            ["#Chapter 1. In which it rises.", "It rose."],
            ["#Chapter 2. In which it falls.", "It fell."],
        ],
    ),
    "one list.html": (
        "<ul><li>Chapter 1</li><li>Chapter 2</li></ul><p>It rose.</p>",
        [["#Chapter 1", "Chapter 2", "It rose."]],
    ),
    "drawn.html": (
        "<p>== CHAPTER ONE ==</p><p>It rose.</p><p>== CHAPTER TWO ==</p><p>It fell.</p>",
        [["#CHAPTER ONE", "It rose."], ["#CHAPTER TWO", "It fell."]],
    ),
    "all headings.html": (
        "<h1>The Mill</h1><h1>It rose.</h1><h1>“On.”</h1><h1>The Road</h1><h1>It fell.</h1>",
        [["#The Mill", "It rose.", "“On.”"], ["#The Road", "It fell."]],
    ),
    "code.md": (
        "He typed `==a==`, `[[b]]`, `%%c%%`, `H~2~O` and `{.d}`.\n\n```\n[[x|y]]\n```\n\nOn.\n",
        [["He typed ==a==, [[b]], %%c%%, H~2~O and {.d}.", "On."]],
    ),
    "programs.md": (
        "In bash if [[ -f x ]] works, a[[1]] is odd; a==b and c==d, i++; j++; C++ and D++.\n",
        [["In bash if [[ -f x ]] works, a[[1]] is odd; a==b and c==d, i++; j++; C++ and D++."]],
    ),
    "sets.md": (
        "The sets {1, 2}, {x=1} and {.a}, an x[0]{y}, and:\n\n# Sets {#one .two}\n\nOn.\n",
        [["The sets {1, 2}, {x=1} and {.a}, an x[0]{y}, and:"], ["#Sets", "On."]],
    ),
    "ranges and shares.md": (
        "Of 3~4 or 5~6 he took 50%% and 20%% more. %%Ask Ann.%% ==Mind== x~1~.\n",
        [["Of 3~4 or 5~6 he took 50%% and 20%% more. Mind x1."]],
    ),
    "a conversation.md": (
        "Tom: Hello.\nAnn: What of it?\nTitle: none.\n\nOn.\n",
        [["Tom: Hello. Ann: What of it? Title: none.", "On."]],
    ),
    "keys and sighs.md": (
        "He pressed <Enter> and <b>fell</b>. <sigh>\n",
        [["He pressed <Enter> and fell. <sigh>"]],
    ),
    "tex.md": (
        "\\chapter{The Mill}\n\nIt rose.\n\n\\newpage\n\n\\shrug\n\n\\chapter*{The Road}\n\nOn.\n",
        [["#The Mill", "It rose.", "\\shrug"], ["#The Road", "On."]],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_looks_like_a_mark_is_said(tmp_path: Path, name: str) -> None:
    data, expected = CASES[name]
    (tmp_path / name).write_text(data, encoding="utf-8")
    book = read(tmp_path / name)
    said = [
        [("#" if block.kind is Kind.HEADING else "") + block.text for block in chapter.blocks]
        for chapter in book.chapters
    ]
    assert said == expected
    assert book.coverage.unaccounted == 0
    assert all(skipped.characters >= 0 for skipped in book.coverage.skipped)
