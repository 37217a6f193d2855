"""What hibari can read, and how everything else is refused instead of lost.

hibari's own rules drop in silence what they do not know: other scripts, most signs, a combining
accent, a currency after its number. So each character is looked at before they are: a letter must
be Latin, a sign must have a word in the tables below, and anything else is refused by name. What is
silent by its nature is punctuation: dashes, hyphens, slashes between words, quotes, brackets,
ellipses. Invisible characters (soft hyphens, zero-width joiners) are removed, because they break
words. No model is needed here; this module is stdlib only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterable

from engine.registry import Refusal

PUNCTUATION = frozenset(" \n.,;:!?…'\"‘’“”()-–—/¿¡")
"""Marks that are not spoken, or only as a pause."""

ALIKE = str.maketrans(
    {
        **dict.fromkeys("‐‑‒⁃﹣－", "-"),
        **dict.fromkeys("―﹘⸺⸻", "—"),
        **dict.fromkeys("ʼʻʹ´＇", "’"),
        **dict.fromkeys("`‛‚", "‘"),
        **dict.fromkeys("„«‹「『《〈", "“"),
        **dict.fromkeys("»›」』》〉", "”"),
        **dict.fromkeys("[{【〔", "("),
        **dict.fromkeys("]}】〕", ")"),
        **dict.fromkeys("‥⋯", "…"),
        "。": ".",
        "、": ",",
        "℃": "°C",
        "℉": "°F",
        "\u2126": "ohm",
        "\u212b": "Å",
        "μ": "µ",
    }
)
"""Marks in other shapes → the shape that the rules know. A bracket must not look like markup."""

SIGNS = {
    "%": "percent",
    "‰": "per thousand",
    "&": "and",
    "+": "plus",
    "−": "minus",
    "±": "plus or minus",
    "×": "times",
    "÷": "divided by",
    "=": "equals",
    "≠": "does not equal",
    "≈": "is about",
    "<": "less than",
    ">": "greater than",
    "≤": "less than or equal to",
    "≥": "greater than or equal to",
    "√": "square root of",
    "∞": "infinity",
    "∑": "sum",
    "~": "tilde",
    "@": "at",
    "#": "hash",
    "*": "asterisk",
    "_": "underscore",
    "\\": "backslash",
    "|": "vertical bar",
    "^": "to the power of",
    "©": "copyright",
    "®": "registered",
    "™": "trademark",
    "§": "section",
    "¶": "paragraph",
    "†": "dagger",
    "‡": "double dagger",
    "•": "bullet",
    "·": "dot",
    "→": "to",
    "№": "number",
    "²": "squared",
    "³": "cubed",
    "′": "prime",
    "″": "double prime",
}
"""Sign → word."""

MONEY = {
    "$": ("dollar", "dollars", "cent", "cents"),
    "£": ("pound", "pounds", "penny", "pence"),
    "€": ("euro", "euros", "cent", "cents"),
    "¥": ("yen", "yen", "", ""),
    "₹": ("rupee", "rupees", "paisa", "paise"),
    "₩": ("won", "won", "", ""),
    "₽": ("ruble", "rubles", "kopeck", "kopecks"),
    "₿": ("bitcoin", "bitcoins", "", ""),
    "฿": ("baht", "baht", "", ""),
    "₪": ("shekel", "shekels", "", ""),
    "₺": ("lira", "lira", "", ""),
    "₴": ("hryvnia", "hryvnias", "", ""),
    "₦": ("naira", "naira", "", ""),
    "₫": ("dong", "dong", "", ""),
    "₱": ("peso", "pesos", "", ""),
    "¢": ("cent", "cents", "", ""),
}
"""Currency sign → one, many, one hundredth, many hundredths."""

LEFT_ALONE = frozenset("°µ")
"""Signs that hibari's own rules always speak, and better, because they know the units around."""

FOLDED = {
    "æ": "ae",
    "œ": "oe",
    "ß": "ss",
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ð": "th",
    "þ": "th",
    "ħ": "h",
    "ŧ": "t",
    "ŋ": "ng",
    "ı": "i",
    "ȷ": "j",
    "ĸ": "k",
    "ſ": "s",
    "ƒ": "f",
    "ə": "e",
    "ɓ": "b",
    "ɗ": "d",
    "ƙ": "k",
}
"""Latin letters that have no accent to take off."""

SCRIPTS = {
    "CJK": "Chinese characters",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "LATIN": "a phonetic letter",
}

_WORD = re.compile(r"[^\W\d_]+")
_LONG_NUMBER = re.compile(r"\d(?:,?\d){15,}")
_SIGNS = re.compile("|".join(f"(?:{re.escape(sign)})" for sign in SIGNS))
_ENGLISH_MARKS = re.compile("[ëïæœ]|(?<=o)ö", re.IGNORECASE)
_FINAL_OE = re.compile("(?<=\\w)oë$")  # Zoë, Chloë
_RUN = re.compile(r"([*_])\1+")
_COIN = "[" + "".join(MONEY) + "]"
_AMOUNT = r"(?:\d+(?:,\d{3})*(?:,\d\d(?!\d)|\.\d+)?|\.\d+)"
_SCALE = r"(?:\s(hundred|thousand|million|billion|trillion)\b|(bn|[kKmMbB])\b)?"
_COUNTRY = {
    "US": "U.S. ",
    "A": "Australian ",
    "AU": "Australian ",
    "C": "Canadian ",
    "CA": "Canadian ",
    "NZ": "New Zealand ",
    "HK": "Hong Kong ",
}
_SCALES = {"k": "thousand", "m": "million", "b": "billion", "bn": "billion"}
_COIN_RANGE = re.compile(rf"(?<=\d)\s?[-–]\s?(?={_COIN}\s?\d)")
_COIN_FIRST = re.compile(
    rf"((?<!\w)[-−])?(?:(?<!\w)(US|AU?|CA?|NZ|HK))?({_COIN})\s?({_AMOUNT})(?:[-–]({_AMOUNT}))?{_SCALE}"
)
_COIN_LAST = re.compile(rf"({_AMOUNT})(?:[-–]({_AMOUNT}))?\s?({_COIN})(?!\d)")


def readable(text: str, known: Callable[[str], bool], letters: Container[str]) -> str:
    """Turn a text into one that hibari's rules read without losing anything.

    Args:
        text: As a person wrote it, without markup.
        known: Whether a word, written exactly so, is in the pronouncing dictionary.
        letters: The letters that the network which guesses unknown words has learnt.

    Returns:
        Text of Latin letters, ASCII digits, `PUNCTUATION` and `LEFT_ALONE`, with its spaces.

    Raises:
        Refusal: It holds something that cannot be read, which the reason names.
    """
    text = visible(text)
    check(text)
    text = _plain(text)
    text = _money(text)
    text = _LONG_NUMBER.sub(lambda m: " ".join(c for c in m[0] if c.isdigit()), text)
    text = re.sub(r"#(?=\d)", " number ", text)
    text = re.sub(r"~(?=\s?\d)", " about ", text)
    text = _SIGNS.sub(lambda m: f" {SIGNS[m[0]]} ", _RUN.sub(r"\1", text))
    text = _WORD.sub(lambda m: _latin(m[0], known, letters), text)
    return re.sub(r" +(?=[.,;:!?])", "", re.sub(r" {2,}", " ", text))


def visible(text: str) -> str:
    """Compose accents, remove what cannot be seen, and leave space and line end as only blanks."""
    kept = []
    for char in unicodedata.normalize("NFC", text):
        category = unicodedata.category(char)
        if char in "\n\r\x0b\x0c\x85\u2028\u2029":
            kept.append("\n")
        elif category in ("Zs", "Cc"):
            kept.append(" ")
        elif category != "Cf" and not _is_selector(char):
            kept.append(char)
    return "".join(kept)


def _is_selector(char: str) -> bool:
    """Whether it only chooses between shapes of the character before it."""
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" or char == "\u034f"


def check(text: str) -> None:
    """Look at every character of every word.

    Raises:
        Refusal: Naming the words that cannot be read, and why.
    """
    bad = {word: _why_not(word) for word in text.split() if _why_not(word)}
    if not bad:
        return
    named = [f"“{_short(word)}” ({why})" for word, why in list(bad.items())[:5]]
    more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
    raise Refusal(
        f"This voice cannot read {', '.join(named)}{more}. "
        "Write it in English letters, or take it out of the spoken text."
    )


def _why_not(word: str) -> str:
    """What in a word cannot be read, in words; empty if everything can."""
    reasons = []
    base = ""
    for char in word:
        if unicodedata.category(char) == "Mn":
            if not base.isalpha():
                reasons.append(_name(char))
            continue  # an accent that its letter has no composed form for
        base = char
        if not _is_readable(char):
            reasons.append(_name(char))
    return ", ".join(dict.fromkeys(reasons))


def _is_readable(char: str) -> bool:
    """Whether a character is spoken, or silent by its nature."""
    if char.isascii() or char in PUNCTUATION or char in LEFT_ALONE:
        return char.isprintable()
    if char in SIGNS or char in MONEY or ord(char) in ALIKE:
        return True
    plain = _compatible(char)
    if plain:
        return plain.isascii()
    return char.isalpha() and fold(char).isascii()


def _name(char: str) -> str:
    """A script for a letter or digit, a name for a sign."""
    name = unicodedata.name(char, "")
    if char.isalnum() and name and not _is_raised(char):
        script = re.split("[ -]", name)[0]
        return SCRIPTS.get(script, script.capitalize())
    return name.lower() or f"a broken character, U+{ord(char):04X}"


def _is_raised(char: str) -> bool:
    """Whether it is a superscript or another letter that only modifies its neighbour."""
    return unicodedata.decomposition(char).startswith("<super>") or (
        unicodedata.category(char) == "Lm" and "MODIFIER" in unicodedata.name(char, "")
    )


def _short(word: str) -> str:
    """A word as it is shown: without the marks around it, and not endless."""
    word = word.strip("".join(PUNCTUATION)) or word
    shown = word if len(word) <= 24 else word[:23] + "…"
    return "".join(char if char.isprintable() else "\ufffd" for char in shown)


def _plain(text: str) -> str:
    """Bring everything that `check` let pass to letters, digits, known marks and signs."""
    out: list[str] = []
    for char in text.translate(ALIKE):
        kept = char in PUNCTUATION or char in SIGNS or char in LEFT_ALONE
        plain = "" if kept else _compatible(char)
        if "/" in plain:
            out.append(" and " if out and out[-1].isdigit() else " ")
        out.append(plain or char)
    return "".join(c for c in "".join(out) if unicodedata.category(c) != "Mn")


def _compatible(char: str) -> str:
    """The plain spelling of a compatibility character (fullwidth, ligature, Ⅳ, ½, ₂), or empty.

    Raised characters have none: in “10⁵” and “word¹” they mean different things.
    """
    kind = unicodedata.decomposition(char)
    if char.isascii() or not kind.startswith("<") or _is_raised(char):
        return ""
    plain = unicodedata.normalize("NFKC", char).replace("\u2044", "/").replace("ʼ", "’")
    if unicodedata.category(char) == "No":
        return f" {plain} "  # its digits must not run into those around it
    return plain if plain.isalnum() or plain in PUNCTUATION or plain in SIGNS else ""


def _money(text: str) -> str:
    """Amounts of money in words; a currency sign without an amount is named."""
    text = _COIN_LAST.sub(lambda m: _amount(m[1], m[3], m[2]), text)
    text = _COIN_RANGE.sub(" to ", text)
    text = _COIN_FIRST.sub(
        lambda m: (
            ("minus " if m[1] else "")
            + _amount(m[4], m[3], m[5], m[6] or _SCALES.get((m[7] or "").lower(), ""), m[2])
        ),
        text,
    )
    return re.sub(_COIN, lambda m: f" {MONEY[m[0]][0]} ", text)


def _amount(
    number: str, sign: str, upper: str | None = None, scale: str = "", country: str | None = None
) -> str:
    """One amount, or a range of them, in words that the number rules go on with."""
    one, many, cent, cents = MONEY[sign]
    where = _COUNTRY[country] if country else ""
    number = re.sub(r",(?=\d\d$)", ".", number)
    if scale or upper:
        size = f"{number} to {upper}" if upper else number
        return " ".join(f"{size} {scale} {where}{many}".split())
    whole, _, part = number.partition(".")
    if len(part) != 2 or not cents:
        return f"{number} {where}{one if number == '1' else many}"
    spoken = []
    if int(whole.replace(",", "") or 0):
        spoken.append(f"{whole} {where}{one if whole == '1' else many}")
    if int(part):
        spoken.append(f"{int(part)} {cent if int(part) == 1 else cents}")
    return " and ".join(spoken) or f"0 {where}{many}"


def fold(word: str) -> str:
    """A Latin word in ASCII letters: accents off, ligatures and special letters spelt out.

    A letter that has no such form stays as it is.
    """
    out = []
    for char in word:
        base = FOLDED.get(char.lower()) or unicodedata.normalize("NFD", char.lower())[0]
        base = FOLDED.get(base, base)
        if not base.isascii():
            base = char
        elif char.isupper():
            base = base.upper() if word.isupper() and len(word) > 1 else base.capitalize()
        out.append(base)
    return "".join(out)


def _latin(word: str, known: Callable[[str], bool], letters: Container[str]) -> str:
    """A word in the spelling that is pronounced best.

    The dictionary has no accents. The marks of English spelling (“naïve”, “coöperate”, “œuvre”)
    come off if that makes it a word of the dictionary. Borrowed accents stay, since the guesser
    knows them: without, “résumé” and “lamé” would be other words. What it would skip is folded.
    """
    if word.isascii() or known(word):
        return word
    word = _FINAL_OE.sub("oey", word)
    english = _ENGLISH_MARKS.sub(lambda m: fold(m[0]), word)
    if word.isupper():
        english = english.upper()
    if word.isascii() or known(english) or (word.isupper() and known(english.lower())):
        return english
    return "".join(char if char in letters else fold(char) for char in word)


def has_words(texts: Iterable[str]) -> bool:
    """Whether there is anything to pronounce."""
    return any(char.isalnum() for text in texts for char in text)
