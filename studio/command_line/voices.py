"""The command line of `rhapsode voices`: its parts, their options, and what runs for each."""

from __future__ import annotations

import argparse

from studio.command_line import options
from studio.command_line.parser import Adder, Parser, adder
from studio.commands.reply import Reply
from studio.errors import BadInput


def add(command: Adder) -> None:
    """Add `rhapsode voices`."""
    _parts(command("voices", _listing, "who reads the book; add, change and check voices"))


def _parts(parser: argparse.ArgumentParser) -> None:
    assert isinstance(parser, Parser)
    part = adder(parser.add_subparsers(title="commands", metavar="COMMAND"))
    listed = part(
        "list", _listing, "who reads the book, also without this word; give segments another voice"
    )
    options.folder(listed)
    listed.add_argument("--assign", metavar="VOICE", help="let this voice read what is chosen")
    options.chapters(listed)
    options.segments(listed)
    listed.add_argument("--kind", choices=["dialogue", "narration"], help="only these segments")
    added = part("add", _add, "add a voice to the book")
    changed = part("set", _set, "change a voice of the book")
    checked = part("check", _check, "have the engine prepare a voice, and say what of it")
    part("library", _library, "the voices of your own library, for all books")
    taken = part("take", _take, "bring a voice of your library into the book")
    kept = part("keep", _keep, "put a voice of the book into your library")
    renamed = part("rename", _rename, "call a voice of the book otherwise; no take becomes stale")
    removed = part("remove", _remove, "take a voice out of the book, or out of your own library")
    restored = part("restore", _restore, "bring back what was taken out of your own library")
    for one in (changed, checked, taken, kept, renamed):
        options.folder(one)
    for one in (added, removed):
        options.folder(one, "the project's folder; or --library", needed=False)
    for one in (added, changed, checked, taken, kept, renamed, removed, restored):
        one.add_argument("voice", metavar="ID", help="the voice, such as miller")
    renamed.add_argument("new", metavar="NEW", help="what it is called from now on")
    added.add_argument(
        "--library", action="store_true", help="put it into your own library, for all books"
    )
    removed.add_argument(
        "--library", action="store_true", help="take it out of your own library, not out of a book"
    )
    for one in (taken, kept, restored):
        one.add_argument(
            "--as", dest="new", metavar="ID", help="what it is called there, where not the same"
        )
    kept.add_argument("--replace", action="store_true", help="over another one of that name there")
    options.voice(added, engine_needed=True)
    options.voice(changed)
    for one in (added, changed):
        options.preparing(one)
    parser.unnamed = "list"
    parser.named = (
        *("list", "add", "set", "check", "rename", "remove"),
        *("library", "take", "keep", "restore"),
    )


def _listing(given: argparse.Namespace) -> Reply:
    from studio.commands.voices import assign, listing

    if given.assign is None:
        return listing(given.folder, given.chapter, given.segments, given.kind)
    return assign(given.folder, given.assign, given.chapter, given.segments, given.kind)


def _add(given: argparse.Namespace) -> Reply:
    from studio.commands import voice_library
    from studio.commands.changing_voices import Wishes, add
    from studio.commands.preparing_voices import prepared

    _one_place(given)
    said = Wishes(**options.said_of_voice(given))
    with prepared(said, given.trim, given.transcribe) as (wishes, told):
        if given.library:
            return voice_library.add(given.voice, wishes, told)
        return add(given.folder, given.voice, wishes, told)


def _set(given: argparse.Namespace) -> Reply:
    from studio.commands.changing_voices import Wishes, change
    from studio.commands.preparing_voices import prepared

    said = Wishes(**options.said_of_voice(given))
    with prepared(said, given.trim, given.transcribe) as (wishes, told):
        return change(given.folder, given.voice, wishes, told)


def _check(given: argparse.Namespace) -> Reply:
    from studio.commands.changing_voices import check

    return check(given.folder, given.voice)


def _rename(given: argparse.Namespace) -> Reply:
    from studio.commands.changing_voices import rename

    return rename(given.folder, given.voice, given.new)


def _remove(given: argparse.Namespace) -> Reply:
    from studio.commands import changing_voices, voice_library

    _one_place(given)
    if given.library:
        return voice_library.remove(given.voice)
    return changing_voices.remove(given.folder, given.voice)


def _restore(given: argparse.Namespace) -> Reply:
    from studio.commands.voice_library import restore

    return restore(given.voice, given.new)


def _one_place(given: argparse.Namespace) -> None:
    if given.library == (given.folder is not None):
        raise BadInput("Name a project’s folder, or --library for your own voices, one of the two.")


def _library(given: argparse.Namespace) -> Reply:
    from studio.commands.voice_library import listing

    return listing()


def _take(given: argparse.Namespace) -> Reply:
    from studio.commands.voice_library import take

    return take(given.folder, given.voice, given.new)


def _keep(given: argparse.Namespace) -> Reply:
    from studio.commands.voice_library import keep

    return keep(given.folder, given.voice, given.new, over=given.replace)
