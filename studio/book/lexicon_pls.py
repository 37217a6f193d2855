"""A lexicon as other programs know it: the W3C's Pronunciation Lexicon Specification 1.0 (XML).

A lexeme is one or more spellings and how they are said: an ``alias`` in letters or a ``phoneme``.
The format has no patterns and nothing to say of case or whole words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from studio.book.lexicon import Rule, check, tidied
from studio.errors import BadInput

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

NAMESPACE = "http://www.w3.org/2005/01/pronunciation-lexicon"

_ALPHABETS = frozenset({"ipa", "x-hibari"})
"""Alphabets of phonemes that are understood; the second is the embedded voice's own."""
_NOT_IPA = frozenset("AIOQSTWY")
"""Signs by which the embedded voice's phonemes differ from the international ones."""


def to_pls(rules: Iterable[Rule], language: str) -> bytes:
    """Rules as the content of a file; patterns are left out.

    Args:
        rules: Those that are said alike become one lexeme.
        language: BCP 47 tag of the book.

    Raises:
        BadInput: A rule holds a character that XML cannot.
    """
    from lxml import etree

    root = etree.Element(f"{{{NAMESPACE}}}lexicon", nsmap={None: NAMESPACE})  # type: ignore[dict-item]
    root.set("version", "1.0")
    root.set("alphabet", "ipa")
    root.set("{http://www.w3.org/XML/1998/namespace}lang", language or "und")
    said: dict[tuple[str, bool], list[Rule]] = {}
    for rule in rules:
        if not rule.regex:
            said.setdefault((rule.spoken, rule.phonemes), []).append(rule)
    for (spoken, phonemes), alike in said.items():
        lexeme = etree.SubElement(root, f"{{{NAMESPACE}}}lexeme")
        for rule in alike:
            _add(lexeme, "grapheme", rule.word)
        how = _add(lexeme, "phoneme" if phonemes else "alias", spoken)
        if phonemes and _NOT_IPA.intersection(spoken):
            how.set("alphabet", "x-hibari")
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)


def _add(lexeme: Element, tag: str, text: str) -> Element:
    from lxml import etree

    child = etree.SubElement(lexeme, f"{{{NAMESPACE}}}{tag}")
    try:
        child.text = text
    except ValueError as error:
        raise BadInput(
            f"“{text!a}” holds a character that XML cannot; write the lexicon as CSV."
        ) from error
    return child


def from_pls(content: bytes, name: str) -> tuple[Rule, ...]:
    """Read the content of a file; lexemes without a pronunciation are passed over.

    Args:
        content: The document, in any encoding that it declares.
        name: What to call the file in the sentence of an error.

    Returns:
        The rules in the order of the file; of several pronunciations the preferred one, else the
        first.

    Raises:
        BadInput: It is no such document, or holds a rule that cannot be.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        # The parser adds its own name of the file; some of its faults have no words.
        fault = getattr(error, "msg", "") or error
        raise BadInput(f"{name} is no XML that can be read: {fault}; mend it there.") from error
    if root.tag != f"{{{NAMESPACE}}}lexicon":
        raise BadInput(
            f"{name} is no pronunciation lexicon; its first element must be “lexicon” "
            f"of {NAMESPACE}."
        )
    rules: dict[str, Rule] = {}
    alphabet = root.get("alphabet", "ipa")
    for lexeme in root.iterfind(f"{{{NAMESPACE}}}lexeme"):
        for rule in _rules(lexeme, name, alphabet):
            rules.setdefault(rule.word, rule)
    return tuple(rules.values())


def _rules(lexeme: Element, name: str, alphabet: str) -> Iterator[Rule]:
    """A rule for each spelling of a lexeme; ``alphabet`` is that of the document's phonemes."""
    ways = [
        child
        for child in lexeme
        if child.tag in (f"{{{NAMESPACE}}}alias", f"{{{NAMESPACE}}}phoneme")
    ]
    if not ways:
        return
    way = next((child for child in ways if child.get("prefer") == "true"), ways[0])
    where = f"{name}, line {lexeme.sourceline}"
    signs = way.get("alphabet", alphabet)
    if way.tag.endswith("}phoneme") and signs.lower() not in _ALPHABETS:
        raise BadInput(
            f"{where}: the phonemes are written in “{signs}”, which would be read as other sounds; "
            "write them in ipa, or take them out."
        )
    for grapheme in lexeme.iterfind(f"{{{NAMESPACE}}}grapheme"):
        word, spoken = _text(grapheme, where), _text(way, where)
        rule = tidied(Rule(word, spoken, phonemes=way.tag.endswith("}phoneme")))
        try:
            check(rule)
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from error
        yield rule


def _text(element: Element, where: str) -> str:
    """An element's text, which must be nothing but text."""
    if len(element):
        raise BadInput(f"{where} holds an entity or an element where text belongs; write the text.")
    return element.text or ""
