"""The lexicon in a project: what it touches, what it leaves, and the way back."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bookmaking import drafts, make, narrate_all

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.book.lexicon import Rule
from studio.errors import BadInput
from studio.project import own_lexicon
from studio.project.lexicon import lexed
from studio.project.project import Project

HARROW = Rule("Harrow", "Harro")


def texts(project: Project) -> list[str]:
    return [segment.spoken for segment in project.segments()]


def image(project: Project) -> dict[str, list[tuple[object, ...]]]:
    """Everything that the history has to bring back."""
    store = project._session.store
    return {
        table: store.rows(f"SELECT * FROM {table} ORDER BY 1")
        for table in ("segments", "lexicon", "user_lexicon", "settings", "voices", "chapters")
    }


@pytest.fixture
def lines(tmp_path: Path) -> Iterator[Project]:
    """A book of plain lines."""
    said = (
        "Doctor Harrow came.",
        "Nobody else did.",
        "Harrow’s coins lay there.",
        "The harrow of the field.",
    )
    chapter = ChapterDraft(
        "One", tuple(SegmentDraft(Kind.PROSE, text, text, True, n) for n, text in enumerate(said))
    )
    with make(tmp_path / "lines", chapters=[chapter]) as project:
        yield project


def test_saving_a_rule_touches_the_hit_segments_and_is_one_step(lines: Project) -> None:
    before = image(lines)
    uids = [segment.uid for segment in lines.segments()]
    found = lines.relexed([HARROW])
    assert [(row.number, row.before, row.after) for row in found.changed] == [
        (1, "Doctor Harrow came.", "Doctor Harro came."),
        (3, "Harrow’s coins lay there.", "Harro’s coins lay there."),
        (4, "The harrow of the field.", "The Harro of the field."),
    ]
    assert image(lines) == before, "a preview changes nothing"
    change = lines.put_rules([HARROW])
    assert change.segments == {uids[0], uids[2], uids[3]}
    assert change.settings
    assert lines.lexicon() == (HARROW,)
    changed = lines.put_rules([Rule("Harrow", "Harro", match_case=True)])
    assert changed.segments == {uids[3]}, "the others are spoken as before"
    assert [entry.label for entry in lines.history()] == ["lexicon: Harrow", "lexicon: Harrow"]
    after = image(lines)
    lines.undo()
    lines.undo()
    assert image(lines) == before
    lines.redo()
    lines.redo()
    assert image(lines) == after
    assert lines.remove_rules(["Harrow"]).segments == {uids[0], uids[2]}
    assert texts(lines) == [segment.source for segment in lines.segments()]


def test_typed_texts_stay_and_are_counted(lines: Project) -> None:
    typed = lines.segments()[0].uid
    lines.edit_spoken(typed, "Harrow, I say.")
    assert lines.relexed([HARROW]).typed == 1
    assert len(lines.relexed([HARROW]).changed) == 2
    lines.put_rules([HARROW])
    assert texts(lines)[0] == "Harrow, I say."
    lines.edit_spoken(typed, None)
    assert texts(lines)[0] == "Doctor Harro came.", "the automatic text has followed meanwhile"


def test_takes_of_hit_segments_are_stale_and_no_others(project: Project, uids: list[str]) -> None:
    project.enqueue(uids)
    narrate_all(project)
    project.put_rules([Rule("Line 1", "Line the second")])
    stale = [segment for segment in project.segments() if segment.stale]
    assert stale
    assert all("Line 1" in segment.source for segment in stale)
    assert {segment.stale for segment in stale} == {("text",)}
    project.remove_rules(["Line 1"])
    assert not any(segment.stale for segment in project.segments())


def test_a_failure_is_forgotten_when_the_words_change(lines: Project) -> None:
    uid = lines.segments()[0].uid
    lines._session.store.execute("UPDATE segments SET failure = 'x' WHERE uid = ?", (uid,))
    change = lines.put_rules([HARROW])
    assert uid in change.segments
    assert lines.segments()[0].failure == ""


def test_the_books_rule_goes_before_the_persons(lines: Project) -> None:
    lines.put_rules([Rule("harrow", "theirs"), Rule("coins", "koins")], user=True)
    assert texts(lines)[2] == "theirs’s koins lay there."
    lines.put_rules([HARROW])
    assert texts(lines)[2] == "Harro’s koins lay there."
    lines.remove_rules(["Harrow"])
    assert texts(lines)[2] == "theirs’s koins lay there."


def test_a_rule_can_move_to_all_books_in_one_step(lines: Project) -> None:
    lines.put_rules([HARROW])
    change = lines.set_lexicon(book=[], user=[HARROW], label="Harrow for all books")
    assert not change.segments, "it is spoken as before"
    assert (lines.lexicon(), lines.user_lexicon()) == ((), (HARROW,))
    lines.undo()
    assert (lines.lexicon(), lines.user_lexicon()) == ((HARROW,), ())


def test_what_cannot_be_a_rule_changes_nothing(lines: Project) -> None:
    before = image(lines)
    for rule in (Rule("...", "x"), Rule("(a+)+", "x", regex=True), Rule("word", "")):
        with pytest.raises(BadInput):
            lines.put_rules([HARROW, rule])
        with pytest.raises(BadInput):
            lines.relexed([rule])
    assert image(lines) == before


def test_a_pattern_that_never_ends_is_stopped_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.project.bounded.CPU_SECONDS", 0.3)
    text = "a" * 64 + "!"
    chapter = ChapterDraft("One", (SegmentDraft(Kind.PROSE, text, text, True, 1),))
    with make(tmp_path / "slow", chapters=[chapter]) as project:
        before = image(project)
        with pytest.raises(
            BadInput, match=re.escape("The pattern “(a|aa)+$” takes too long on “aaaa")
        ):
            project.put_rules([Rule("x+y+", "z", regex=True), Rule("(a|aa)+$", "b", regex=True)])
        assert image(project) == before


def test_patterns_that_may_be_slow_give_the_same_texts(lines: Project) -> None:
    lines.put_rules([Rule(r"(\w+) of (\w+)", r"\2’s \1", regex=True), HARROW])
    assert texts(lines)[3] == "The Harro of the field."
    lines.remove_rules(["Harrow"])
    assert texts(lines)[3] == "The the’s harrow field."
    assert lexed(lines._session, "a cup of tea") == "a tea’s cup"
    assert lexed(lines._session, "a cup") is None


def test_a_text_is_never_emptied(lines: Project) -> None:
    lines.put_rules([Rule(".+", "", regex=True)])
    assert texts(lines) == [segment.source for segment in lines.segments()]


# ---- project.toml --------------------------------------------------------------------------------


def test_rules_stand_in_the_settings_file_and_are_read_from_it(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    with make(folder) as project:
        project.put_rules([HARROW, Rule("Line", "lˈIn", phonemes=True, match_case=True)])
        before = image(project)
    file = folder / "project.toml"
    text = file.read_text()
    assert 'Harrow = "Harro"\n' in text
    assert "[lexicon.Line]" in text or "Line = {" in text
    file.write_text(
        text.replace('Harrow = "Harro"', 'Harrow = { spoken = "Hairy", whole = false }')
    )
    with Project.open(folder) as project:
        assert project.notices == ()
        assert project.reopened_edits is not None
        hit = {s.uid for s in project.segments() if "Harrow" in s.source}
        assert project.reopened_edits.segments == hit
        assert all("Hairy" in s.spoken for s in project.segments() if s.uid in hit)
        assert project.can_undo == "edited outside"
        project.undo()
        assert image(project) == before


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("Harrow = 7", "must say in quotation marks"),
        ('Harrow = { spoken = "x", hole = true }', "“hole” means nothing for “Harrow”"),
        ('Harrow = { spoken = "x", whole = "yes" }', "write true or false"),
        ('"(a" = { spoken = "x", regex = true }', "at character 1"),
        ('Harrow = ""', "edit the text"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_its_line(
    tmp_path: Path, entry: str, sentence: str
) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    file = folder / "project.toml"
    file.write_text(f"{file.read_text()}\n[lexicon]\n{entry}\n")
    with Project.open(folder) as project:
        assert any(sentence in notice for notice in project.notices), project.notices
        assert project.lexicon() == ()
        assert not project.history()


# ---- the person's own ----------------------------------------------------------------------------


def test_a_new_book_speaks_the_persons_words_from_the_start(tmp_path: Path) -> None:
    with make(tmp_path / "one") as project:
        project.put_rules([HARROW], user=True)
    assert own_lexicon.read() == (HARROW,)
    with make(tmp_path / "two") as project:
        assert project.user_lexicon() == (HARROW,)
        assert not project.history()
        assert project.notices == ()
        for segment in project.segments():
            assert "Harrow" not in segment.spoken


def test_another_book_follows_as_one_step_and_undo_is_respected(tmp_path: Path) -> None:
    with make(tmp_path / "one") as one, make(tmp_path / "two") as two:
        before = image(two)
        one.put_rules([HARROW], user=True)
    with Project.open(tmp_path / "two") as two:
        assert two.notices == (
            "Your lexicon changed: 4 segments of this book are spoken otherwise; u undoes it.",
        )
        assert two.can_undo == "your lexicon changed"
        assert two.reopened_edits is not None
        assert len(two.reopened_edits.segments) == 4
        two.undo()
        assert image(two) == before
    with Project.open(tmp_path / "two") as two:
        assert two.notices == ()
        assert image(two) == before, "what was undone stays undone"
    with Project.open(tmp_path / "one") as one:
        assert one.notices == (), "the book it was typed in knows it already"
        one.put_rules([Rule("Line", "Lion")], user=True)
    with Project.open(tmp_path / "two") as two:
        assert {rule.word for rule in two.user_lexicon()} == {"Harrow", "Line"}


def test_undo_leaves_the_file_and_later_rules_do_not_drop_it(tmp_path: Path) -> None:
    with make(tmp_path / "one") as project:
        project.put_rules([HARROW], user=True)
        project.undo()
        assert own_lexicon.read() == (HARROW,)
        project.put_rules([Rule("Line", "Lion")], user=True)
        assert {rule.word for rule in own_lexicon.read()} == {"Harrow", "Line"}
        assert {rule.word for rule in project.user_lexicon()} == {"Line"}
    with Project.open(tmp_path / "one") as project:
        assert project.notices == ()
        assert {rule.word for rule in project.user_lexicon()} == {"Line"}


def test_a_file_that_cannot_be_read_stands_in_nobodys_way(tmp_path: Path) -> None:
    own_lexicon.path().parent.mkdir(parents=True, exist_ok=True)
    own_lexicon.path().write_text("word,spoken\nHarrow,\n")
    with make(tmp_path / "one") as project:
        assert len(project.notices) == 1
        assert "lexicon.csv, line 2: Nothing is given" in project.notices[0]
        before = image(project)
        with pytest.raises(BadInput, match="line 2"):
            project.put_rules([HARROW], user=True)
        assert image(project) == before
    assert own_lexicon.path().read_text() == "word,spoken\nHarrow,\n"


def test_a_book_without_its_file_keeps_its_copy(tmp_path: Path) -> None:
    with make(tmp_path / "one") as project:
        project.put_rules([HARROW], user=True)
        said = texts(project)
    own_lexicon.path().unlink()
    with Project.open(tmp_path / "one") as project:
        assert texts(project) == said
        assert project.notices == ()


def test_a_book_from_before_follows_its_rules_once(tmp_path: Path) -> None:
    with make(tmp_path / "old") as project:
        store = project._session.store
        store.execute("DELETE FROM internal WHERE name = 'lexicon in use'")
        store.execute("INSERT INTO lexicon (word, spoken) VALUES ('Harrow', 'Harro')")
    with Project.open(tmp_path / "old") as project:
        assert sum("Harro," in text or "Harro." in text for text in texts(project)) == 4
        project.undo()
    with Project.open(tmp_path / "old") as project:
        assert not any("Harro." in text for text in texts(project))


# ---- twenty thousand -----------------------------------------------------------------------------

NAMES = ("Harrow", "Pym", "Low Water", "Tam", "Quine", "O’Brien", "St Just", "雪子")
FILLER = "She had waited eleven years for a letter that never came to the ferry at".split()


def long_book(count: int, chance: random.Random) -> list[ChapterDraft]:
    """Lines of which about one in fifty holds a name, in one form or another."""
    lines = []
    for number in range(count):
        words = chance.choices(FILLER, k=12)
        if chance.random() < 0.02:
            name = chance.choice(NAMES)
            form = chance.choice((name, name.upper(), f"{name}’s", f"{name}gate", f"“{name},”"))
            words.insert(chance.randrange(len(words)), form)
        text = f"{' '.join(words)}, {number}."
        lines.append(SegmentDraft(Kind.PROSE, text, text, True, number))
    return [
        ChapterDraft(f"Chapter {place}", tuple(lines[start : start + 500]))
        for place, start in enumerate(range(0, count, 500))
    ]


def by_hand(rules: list[Rule], text: str) -> str:
    """What these rules make of a text of these tests, without a line of the lexicon's code."""
    out = []
    place = 0
    while place < len(text):
        best = None
        for rule in sorted(rules, key=lambda rule: -len(rule.word)):
            end = place + len(rule.word)
            same = text[place:end].replace("’", "'").lower() == rule.word.replace("’", "'").lower()
            free = not rule.whole or not (
                (place and text[place - 1].isalnum() and text[place].isascii())
                or (end < len(text) and text[end].isalnum() and text[end].isascii())
            )
            if same and free and (not rule.match_case or text[place:end] == rule.word):
                best = rule
                break
        out.append(best.spoken if best else text[place])
        place += len(best.word) if best else 1
    return "".join(out)


def test_five_thousand_segments_against_brute_force(tmp_path: Path) -> None:
    chance = random.Random(11)
    steps: list[list[Rule]] = [
        [Rule("Harrow", "Harro")],
        [Rule("Harrow", "Harro"), Rule("Pym", "Pim", match_case=True)],
        [Rule("Harrow", "Hair oh", whole=False), Rule("low water", "Lo Wotter")],
        [Rule("low water", "Lo Wotter"), Rule("low", "high"), Rule("O'Brien", "Oh Bryan")],
        [],
    ]
    with make(tmp_path / "long", chapters=long_book(5_000, chance)) as project:
        uids = [segment.uid for segment in project.segments()]
        sources = [segment.source for segment in project.segments()]
        now = sources
        for rules in steps:
            wanted = [by_hand(rules, text) for text in sources]
            differ = {uid for uid, a, b in zip(uids, now, wanted, strict=True) if a != b}
            found = project.previewed(book=rules)
            assert {row.uid for row in found.changed} == differ
            assert {row.uid: row.after for row in found.changed} == {
                uid: text for uid, text in zip(uids, wanted, strict=True) if uid in differ
            }
            assert project.set_lexicon(book=rules).segments == differ
            assert 0 < len(differ) < 250
            now = wanted
            assert texts(project) == now


def test_drafts_are_what_the_tests_take_them_for() -> None:
    assert sum("Harrow" in s.source for c in drafts() for s in c.segments) == 4
