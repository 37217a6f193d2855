"""Numbers as Spanish words."""

from __future__ import annotations

import re

_ONES = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro "
    "veinticinco veintiséis veintisiete veintiocho veintinueve"
).split()
_TENS = "- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
_HUNDREDS = (
    "- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos "
    "novecientos"
).split()
_ORDINALS = (
    "- primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo "
    "decimotercero decimocuarto decimoquinto decimosexto decimoséptimo decimoctavo decimonoveno "
    "vigésimo"
).split()
_ORDINAL_TENS = (
    "- - vigésimo trigésimo cuadragésimo quincuagésimo sexagésimo septuagésimo octogésimo "
    "nonagésimo"
).split()
_ORDINAL_HUNDREDS = (
    "- centésimo ducentésimo tricentésimo cuadringentésimo quingentésimo sexcentésimo "
    "septingentésimo octingentésimo noningentésimo"
).split()


def cardinal(number: int) -> str:
    """``42`` → ``cuarenta y dos``; up to 15 digits."""
    if number < 0:
        return f"menos {cardinal(-number)}"
    for scale, one, many in ((10**12, "billón", "billones"), (10**6, "millón", "millones")):
        if number >= scale:
            count, rest = divmod(number, scale)
            head = f"un {one}" if count == 1 else f"{before_noun(cardinal(count))} {many}"
            return head + (f" {cardinal(rest)}" if rest else "")
    if number >= 1000:
        count, rest = divmod(number, 1000)
        head = "mil" if count == 1 else f"{before_noun(_hundreds(count))} mil"
        return head + (f" {_hundreds(rest)}" if rest else "")
    return _hundreds(number)


def _hundreds(number: int) -> str:
    """Numbers below a thousand."""
    if number == 100:
        return "cien"
    if number >= 100:
        count, rest = divmod(number, 100)
        return _HUNDREDS[count] + (f" {_hundreds(rest)}" if rest else "")
    if number < 30:
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f" y {_ONES[ones]}" if ones else "")


def before_noun(words: str) -> str:
    """The form before a masculine noun: ``un``, ``veintiún``."""
    if words.endswith("veintiuno"):
        return f"{words[:-3]}ún"
    return words[:-1] if words == "uno" or words.endswith(" uno") else words


def feminine(words: str) -> str:
    """The form before a feminine noun: ``una``, ``doscientas``."""
    words = re.sub(r"uno$", "una", words)
    # What stands before millones counts them, and they are masculine.
    head, million, tail = words.rpartition("illones")
    return head + million + re.sub(r"(cient|quinient)os\b", r"\1as", tail)


def ordinal(number: int) -> str:
    """``3`` → ``tercero``; empty for 0 and from 1001 on, which nobody says."""
    if not 0 < number <= 1000:
        return ""
    if number == 1000:
        return "milésimo"
    hundreds, rest = divmod(number, 100)
    words = [_ORDINAL_HUNDREDS[hundreds]] if hundreds else []
    if rest < len(_ORDINALS):
        words += [_ORDINALS[rest]] if rest else []
    else:
        words.append(_ORDINAL_TENS[rest // 10])
        words += [_ORDINALS[rest % 10]] if rest % 10 else []
    return " ".join(words)


def feminine_ordinal(words: str) -> str:
    """``vigésimo primero`` → ``vigésima primera``."""
    return " ".join(f"{word[:-1]}a" for word in words.split())


def digits(text: str) -> str:
    """``007`` → ``cero cero siete``."""
    return " ".join(_ONES[int(character)] for character in text if character.isdecimal())
