"""The lexicon's part of a project: how words are spoken, and which segments that changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from studio.book.lexicon import Rule, tidied
from studio.book.rules import SpokenChange
from studio.project import lexicon, own_lexicon
from studio.project.editable import EditableProject, command
from studio.project.lexicon import AutomaticText, Preview
from studio.project.model import Change
from studio.project.reading import locked


class WordedProject(EditableProject):
    """A project whose words a person can teach it to speak."""

    @locked
    def lexicon(self) -> tuple[Rule, ...]:
        """The book's own rules, by word."""
        return lexicon.rules(self._session.store)

    @locked
    def user_lexicon(self) -> tuple[Rule, ...]:
        """The person's own rules as this book has taken them over, by word."""
        return lexicon.rules(self._session.store, lexicon.USER)

    @locked
    def relexed(self, rules: Iterable[Rule], *, user: bool = False) -> Preview:
        """What would change if these rules were put beside, or over, those there are.

        Raises:
            BadInput: A rule cannot be kept, or takes too long.
        """
        rules = self._with(rules, user)
        return self.previewed(user=rules) if user else self.previewed(book=rules)

    @locked
    def previewed(
        self, *, book: Sequence[Rule] | None = None, user: Sequence[Rule] | None = None
    ) -> Preview:
        """What would change if these were all the rules; None leaves one of the lists as it is.

        Raises:
            BadInput: A rule cannot be kept, or takes too long.
        """
        return lexicon.preview(self._session, book, user)

    @locked
    def automatic_texts(self) -> list[AutomaticText]:
        """What the reading rules have made of each segment, before the lexicon, in order."""
        return lexicon.automatic_texts(self._session.store)

    @locked
    def automatic_text(self, uid: str) -> str:
        """What the reading rules have made of one segment, before the lexicon."""
        return lexicon.automatic_text(self._session, uid)

    @locked
    def rule_hits(self) -> dict[str, int]:
        """How many segments each rule in force hits, by its word; patterns that may be slow are
        not counted."""
        return lexicon.rule_hits(self._session.store)

    @locked
    def explained(self, uid: str) -> tuple[SpokenChange, ...]:
        """What the lexicon changes in a segment, from its beginning to its end."""
        return lexicon.explained(self._session, uid)

    def put_rules(self, rules: Iterable[Rule], *, user: bool = False, label: str = "") -> Change:
        """Add rules, or change those of the same words.

        Args:
            rules: What to put.
            user: Whether they are for all books of the person: kept in this book and in their file.
            label: What the history calls it; the words without.

        Raises:
            BadInput: A rule cannot be kept, or takes too long; nothing was changed.
        """
        put = [tidied(rule) for rule in rules]
        label = label or f"lexicon: {_named([rule.word for rule in put])}"
        after = self._with(put, user)
        if user:
            return self.set_lexicon(user=after, label=f"your {label}")
        return self.set_lexicon(book=after, label=label)

    def remove_rules(self, words: Iterable[str], *, user: bool = False) -> Change:
        """Remove the rules of words; words without a rule are passed over."""
        away = set(words)
        before = self.user_lexicon() if user else self.lexicon()
        after = [rule for rule in before if rule.word not in away]
        label = f"removed from the lexicon: {_named(sorted(away))}"
        if user:
            return self.set_lexicon(user=after, label=label)
        return self.set_lexicon(book=after, label=label)

    @command
    def set_lexicon(
        self,
        *,
        book: Sequence[Rule] | None = None,
        user: Sequence[Rule] | None = None,
        label: str = "lexicon",
    ) -> Change:
        """Make these all the rules; None leaves one of the lists as it is.

        The person's own rules are changed in their file, too. Undoing brings back the book's copy
        of them and leaves the file.

        Raises:
            BadInput: A rule cannot be kept, or takes too long, or the person's file is malformed;
                nothing was changed.
            MachineFault: The person's file cannot be written; nothing was changed.
        """
        before = self.user_lexicon()
        with self._session.command(label) as step:
            step.change = Change(segments=lexicon.rewrite(self._session, book, user))
            if user is not None:
                own_lexicon.follow(self._session.store, before, self.user_lexicon())
        return step.change

    def _with(self, rules: Iterable[Rule], user: bool) -> list[Rule]:
        """One of the lists with rules put into it."""
        before = self.user_lexicon() if user else self.lexicon()
        by_word = {rule.word: rule for rule in (*before, *map(tidied, rules))}
        return list(by_word.values())

    def _look_at_lexicons(self) -> Change:
        """Take over what the person has changed in their own lexicon for all books."""
        session = self._session
        with session.store.transaction():
            followed = own_lexicon.in_use(session.store)
        change = Change()
        if not followed and self.lexicon():
            # A book from before there were lexicons at work: its rules begin to count.
            with session.command("the lexicon is in use") as step:
                step.change = Change(segments=lexicon.rewrite(session, afresh=True))
            change |= step.change
        taken, sentence = own_lexicon.take_over(session)
        if sentence:
            self._notices.append(sentence)
        return change | taken


def _named(words: Sequence[str]) -> str:
    """Words for a label."""
    return words[0] if len(words) == 1 else f"{len(words)} words"
