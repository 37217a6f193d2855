"""Reading rules for every language: what print needs and a voice does not."""

from __future__ import annotations

import re
import unicodedata

from studio.book.marks import INVISIBLE
from studio.book.rules import Rule, rule

_LIGATURES = {
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
}
_EMOJI = (
    "\U0001f000-\U0001faff\U0001fb00-\U0001fbff\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\ufe00-\ufe0f\u20d0-\u20f0\U000e0000-\U000e007f\ufffc\ufffd"
)
"""Pictures, arrows, boxes, dingbats, and the marks that modify them."""
_MARKUP = (
    "a|abbr|audio|b|bdi|big|blockquote|bookmark|br|break|breath|center|cite|code|dd|div|dl|dt|em|"
    "emphasis|font|h[1-6]|hr|html|body|i|img|laughter|laugh|lexicon|li|mark|mstts|noise|ol|p|par|"
    "phoneme|pre|prosody|q|s|say-as|script|section|sigh|small|span|speak|strike|strong|style|sub|"
    "sup|table|td|th|tr|tt|u|ul|voice|w"
)
"""Names of HTML and SSML elements, and of sounds that engines mark like elements."""
_FIELD_OF_OTHER_QUOTES = "«»„‟‹›"

ODD = re.compile(
    f"[{re.escape(''.join(sorted(INVISIBLE | _LIGATURES.keys())))}{_EMOJI}"
    rf"<>\[\]•●▪◦{{}}|*_~=#`«»„‟‹›\u0300-\u036f\u00a0\u2002-\u200a\u202f\u205f\u3000]"
    r"|--|\.\s?\.|- |  |[\t\n]"
)
"""Whether any rule of this page could have work to do; plain prose has none."""


def _dash(match: re.Match[str]) -> str:
    """Hyphens as a dash, with the blanks that were about them."""
    return " — " if match[0].startswith(" ") else "—"


TYPOGRAPHY: tuple[Rule, ...] = (
    rule("invisible mark", f"[{re.escape(''.join(sorted(INVISIBLE - {chr(0x200D)})))}]+", ""),
    rule("ligature", f"[{''.join(_LIGATURES)}]", lambda match: _LIGATURES[match[0]]),
    rule("engine token", r"<\|[^<>\n]{0,80}?\|>", " "),
    rule("markup", rf"</?(?:{_MARKUP})\b[^<>\n]{{0,200}}>", " ", re.IGNORECASE),
    rule("angle brackets", r"<(/?[A-Za-z][^<>\n]{0,80})>", lambda match: match[1].strip("/ ")),
    rule("note mark", r"(?<=[\w.,;:!?”’\"'»)])\[(?:\d{1,3}|[a-z*†‡])\](?![\w(])", ""),
    rule(
        "editor's bracket",
        r"(?<![\w\]])\[([A-Za-z])\](?=[a-z])|(?<=[a-z])\[([a-z]{2,12})\](?!\()",
        lambda match: match[1] or match[2],
    ),
    rule("square bracket", r"\[", "("),
    rule("square bracket", r"\]", ")"),
    rule("braces", r"[{}]+", " "),
    rule(
        "circled number",
        "[\u2460-\u249b\u24b6-\u24ff]",
        lambda match: f" {unicodedata.normalize('NFKC', match[0])} ",
    ),
    # A joiner between letters shapes Arabic and Indic script; elsewhere it joins pictures.
    rule("picture", rf"[{_EMOJI}](?:[{_EMOJI}\u200d\s]{{0,40}}[{_EMOJI}\u200d])?", " "),
    rule("invisible mark", "\u200d", ""),
    rule("other blank", "[\u00a0\u2002-\u200a\u202f\u205f\u3000\t\n]", " "),
    # Three hyphens between words are a dash; a line of them by itself is an ornament.
    rule("dash", r"(?<=[^\s-])(?: ---? (?=[^\s-])|---(?=[^\s-]))", _dash),
    rule("rule line", r"(?<!\S)[-–—―=_*~#.·•+]{3,400}(?!\S)(?<!\.\.\.)", " "),
    rule("emphasis mark", r"(?<![\w*])\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}(?![\w*])", ""),
    rule("emphasis mark", r"(?<![\w_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\w_])", ""),
    rule("other quotation mark", f"[{_FIELD_OF_OTHER_QUOTES}]", '"'),
    rule("dots", r"\.(?:\s?\.){2,20}|…{2,20}", "…"),
    rule("dash", r"(?<!-)--(?!-)", "—"),
    rule("opening dash", r"^\s{0,9}[-•·]\s{1,9}(?=\S)", ""),
    rule("bullet", "[•●▪◦]", " "),
    rule("blanks", r" {2,}", " "),
)
"""For every language, in this order."""
