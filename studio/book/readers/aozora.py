"""Marks of Japanese text archives: readings in 《》, remarks for typesetters in ［＃…］."""

from __future__ import annotations

import re

from studio.book.coverage import Ledger, count

_KANJI = "々〆〇ヶ\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_REMARK = re.compile("［＃[^［］\n]{1,200}］")
_READING = re.compile(f"(?<=[{_KANJI}])《[\u3040-\u30ff・]{{1,40}}》")
_MARKED = re.compile("[｜|]([^｜|《》\n]{1,40})《([^《》\n]{1,60})》")
_LEGEND = re.compile(r"^-{20,}\n【テキスト中に現れる記号について】.{0,3000}?\n-{20,}$", re.M | re.S)
_SOURCE = re.compile(r"\n底本：.{1,200}\n")
_SOURCE_REACH = 5_000
_NAMED = re.compile("[《［][^《》［］\n]{0,200}[》］]")
_KANA = re.compile("[\u3041-\u309f\u30a1-\u30ff]")
_JAPANESE_SHARE = 10
"""Of the characters of a Japanese text more than one in so many are kana."""


def without_readings(text: str, ledger: Ledger) -> str:
    """Take off readings of characters and remarks for typesetters.

    Args:
        text: The whole text.
        ledger: Takes the account of what was taken off.
    """
    if ("《" not in text and "［＃" not in text) or not _is_japanese(text):
        return text

    def drop(rule: str, match: re.Match[str], kept: str = "") -> str:
        ledger.skip(rule, count(match[0]) - count(kept))
        return kept

    text = _LEGEND.sub(lambda match: drop("archive's notices", match), text)
    source = _SOURCE.search(text, max(0, len(text) - _SOURCE_REACH))
    if source:
        ledger.skip("archive's notices", count(text[source.start() :]))
        text = text[: source.start()]
    text = _REMARK.sub(lambda match: drop("typesetting mark", match), text)
    text = _MARKED.sub(lambda match: drop("ruby reading", match, match[1]), text)
    return _READING.sub(lambda match: drop("ruby reading", match), text)


def _is_japanese(text: str) -> bool:
    """Whether a text is Japanese beside what stands in brackets: in Chinese, 《》 name books."""
    bare = _NAMED.sub("", text)
    return len(_KANA.findall(bare)) * _JAPANESE_SHARE > count(bare)
