"""How a reader of Chinese says numbers, dates, measures and signs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from studio.book.chinese.numerals import cardinal, digits
from studio.book.numerals import ROMAN, roman_value
from studio.book.rules import Rule, rule

_LONGEST_READ_AS_NUMBER = 16
_NUMBER = r"\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?|\d{1,400}(?:\.\d{1,20})?"
_MINUS = "[-−–]"
_COUNTED = (
    "个個只隻条條张張本位名件把头頭匹辆輛座间間家次回遍趟杯碗瓶盒箱包袋双雙对對套块塊片朵棵颗顆粒支枝"
    "根所层層口户戶岁歲封份幅门門首句节節章段篇种種样樣排群队隊点點天年周週倍米尺寸斤克吨噸升元里两"
)
"""Measure words, before which 2 is 两; some of them also name what is numbered."""
_COUNTED_LONG = "小时|小時|分钟|分鐘|公里|公斤|厘米|毫米|千克|星期|礼拜|禮拜|英里|世纪|世紀|平方"
_NUMBERED = "月|日|号|號|楼|樓|路|班|线|線|中|年级|年級|月份|班|室|房"
"""Before these 2 is 二, and names something."""
_UNITS = {
    "km/h": "公里每小时",
    "m/s": "米每秒",
    "km²": "平方公里",
    "m²": "平方米",
    "km": "公里",
    "cm": "厘米",
    "mm": "毫米",
    "m": "米",
    "kg": "公斤",
    "mg": "毫克",
    "g": "克",
    "ml": "毫升",
    "L": "升",
    "℃": "摄氏度",
    "℉": "华氏度",
}
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_CURRENCIES = {"¥": "元", "￥": "元", "$": "美元", "＄": "美元", "€": "欧元", "£": "英镑"}
_SCALES = "[万萬亿億千百]{1,2}"
_SIGNS = {
    "&": "和",
    "+": "加",
    "=": "等于",
    "×": "乘",
    "÷": "除以",
    "<": "小于",
    ">": "大于",
    "%": "百分号",
    "‰": "千分号",
    "°": "度",
    "@": "艾特",
    "#": "",
    "*": "",
    "~": "到",
    "～": "到",
    "±": "正负",
    "²": "的平方",
    "³": "的立方",
    "©": "",
    "®": "",
    "™": "",
}
_TRADITIONAL = str.maketrans("点两万亿负摄华镑欧时于号个从", "點兩萬億負攝華鎊歐時於號個從")


def _read(text: str, *, two: bool = False) -> str:
    """A number as it is written."""
    if text[:1] in ("-", "−", "–"):
        return f"负{_read(text[1:], two=two)}"
    before, _, after = text.replace(",", "").partition(".")
    if after:
        return f"{_whole(before)}点{digits(after)}"
    return _whole(before, two=two)


def _whole(text: str, *, two: bool = False) -> str:
    """A whole number; long ones and ones that begin with 0 are read digit by digit."""
    if len(text) > _LONGEST_READ_AS_NUMBER or (len(text) > 1 and text[0] == "0"):
        return digits(text)
    return cardinal(int(text), two=two)


def _date(match: re.Match[str]) -> str:
    """``2024-05-03``, ``2024/5/3``."""
    month, day = int(match[3]), int(match[4])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match[0]
    return f"{digits(match[1])}年{cardinal(month)}月{cardinal(day)}日"


def _time(match: re.Match[str]) -> str:
    """``10:05`` and ``10:05:30``."""
    hour, minute, second = int(match[1]), match[2], match[3]
    words = f"{cardinal(hour, two=True)}点"
    if int(minute) or second:
        words += f"{'零' if minute[0] == '0' and minute != '00' else ''}{cardinal(int(minute))}分"
    return words + (f"{cardinal(int(second))}秒" if second else "")


def _year(match: re.Match[str]) -> str:
    """``2024年`` and ``98年``."""
    return f"{digits(match[1])}年"


def _percent(match: re.Match[str]) -> str:
    """``5%``."""
    of = "千分之" if match[2] == "‰" else "百分之"
    return f"{of}{_read(match[1])}"


def _temperature(match: re.Match[str]) -> str:
    """``-5℃``."""
    below = "零下" if match[1][0] in "-−–" else ""
    return below + _read(match[1].lstrip("-−–")) + _UNITS[match[2]]


def _money(match: re.Match[str]) -> str:
    """``¥3.5`` and ``$5万``."""
    words = _read(match[2], two=True) + (match[3] or "")
    return words + _CURRENCIES[match[1]]


def _counted(match: re.Match[str]) -> str:
    """``2个``: 两个."""
    return _read(match[1], two=match[1] == "2")


_ADDRESS_SIGNS = {
    ".": "点",
    "/": "斜杠",
    "@": "艾特",
    "_": "下划线",
    "-": "杠",
    "?": "问号",
    "=": "等于",
}


def _address(match: re.Match[str]) -> str:
    """``www.example.com`` and ``a@b.cn``, their signs as words."""
    address = re.sub(r"^(?:https?|ftp)://(?:www\.)?", "", match[0].rstrip(".,;:!?)"))
    tail = match[0][len(match[0].rstrip(".,;:!?)")) :]
    return re.sub(r"[./@_?=-]", lambda sign: _ADDRESS_SIGNS[sign[0]], address.rstrip("/")) + tail


def _telephone(match: re.Match[str]) -> str:
    """``13800138000``: digit by digit, with 幺."""
    plus = "加" if match[0][0] == "+" else ""
    return plus + digits(match[0], telephone=True)


_RULES: tuple[Rule, ...] = (
    rule("link", r"(?:\b(?:https?|ftp)://|\bwww\.)[!#-;=?-~]{1,2000}", _address, re.ASCII),
    rule(
        "mail address",
        r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",
        _address,
        re.ASCII,
    ),
    rule("wide digits", "[０-９．％－]", lambda match: chr(ord(match[0]) - 0xFEE0)),
    rule("temperature sign", "° ?C", "℃"),
    rule("blank before a measure", rf"(?<=\d) (?=(?:{_UNIT}|%)(?![A-Za-z]))", ""),
    rule("date", r"(?<![\d-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d/-])", _date),
    rule("years", r"(?<!\d)(\d{4})[-–~～至](?=\d{4}年)", lambda match: f"{digits(match[1])}到"),
    rule(
        "years",
        r"(?<![\d.])(1[0-9]\d\d|20\d\d)[-–~～—](1[0-9]\d\d|20\d\d)(?![\d.])",
        lambda match: f"{digits(match[1])}到{digits(match[2])}",
    ),
    rule("year", r"(?<![\d.])(\d{4}|[89]\d|0\d)年(?!级|級|代|[前后後])", _year),
    rule("year", r"(?<![\d.])(\d{4})(?=年[前后後代])", lambda match: digits(match[1])),
    rule(
        "times",
        r"(?<![\d:])((?:[01]?\d|2[0-4])[:：][0-5]\d) ?[-–—~～至到] ?"
        r"(?=(?:[01]?\d|2[0-4])[:：][0-5]\d)",
        lambda match: f"{match[1]}到",
    ),
    rule(
        "time",
        r"(?<![\d:])([01]?\d|2[0-4])[:：]([0-5]\d)(?:[:：]([0-5]\d))?(?![\d:：])",
        _time,
    ),
    rule(
        "telephone",
        r"(?<![\d.,])(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{4}[- ]?\d{4}(?!\d)"
        r"|(?<!\d)0\d{2,3}[- ]\d{7,8}(?!\d)|(?<!\d)[48]00[- ]\d{3,4}[- ]\d{3,4}(?!\d)",
        _telephone,
    ),
    rule(
        "telephone",
        r"((?:拨打|撥打|拨|撥|打|电话|電話|热线|熱線|号码|號碼|是)[：: ]?)"
        r"(1[012]\d|\d{5,12})(?![\d.,%]|[万亿元个])",
        lambda match: match[1] + digits(match[2], telephone=True),
    ),
    rule(
        "by digits",
        r"(?<![\d.])(\d{3,4})(?=室|房|号房|號房|路公交|路车|路車|次列车|次列車|航班)",
        lambda match: digits(match[1], telephone=True),
    ),
    rule("by digits", r"(?<=[A-Z])(\d{3,6})(?![\d.])", lambda match: digits(match[1])),
    rule(
        "roman number",
        rf"第((?=[IVXLC]){ROMAN})(?=[章卷部节節回])",
        lambda m: f"第{cardinal(roman_value(m[1]))}",
    ),
    rule("per", r"(?<=[一-鿿])/(?=小时|小時|秒|分钟|分鐘|天|人|年|月|次)", "每"),
    rule(
        "born in",
        r"(?<!\d)([5-9]0|00)(?=[后後](?:[的们們女男，。、！？”和与與是也都]|一代|世代|青年|年轻|$))",
        lambda m: digits(m[1]),
    ),
    rule("ordinal", r"第(\d{1,9})", lambda match: f"第{cardinal(int(match[1]))}"),
    rule(
        "per cent",
        rf"((?<![\dA-Za-z.])(?:{_NUMBER}))%?[-–~～至](?=\d{{1,9}}(?:\.\d{{1,9}})?%)",
        lambda m: f"百分之{_read(m[1])}到",
    ),
    rule("per cent", rf"(?<![\d.,])({_MINUS}?(?:{_NUMBER}))([%‰])", _percent),
    rule("temperature", rf"((?<!\d){_MINUS}?(?:{_NUMBER}))(℃|℉)", _temperature),
    rule("money", rf"([¥￥$＄€£]) ?({_NUMBER})({_SCALES})?(?:元|美元)?", _money),
    rule(
        "fraction",
        r"(?<![\d/])([1-9]\d{0,2})/([1-9]\d{0,3})(?![\d/])",
        lambda m: f"{cardinal(int(m[2]))}分之{cardinal(int(m[1]))}",
    ),
    rule(
        "fraction",
        "[½¼¾⅓⅔]",
        lambda m: {
            "½": "二分之一",
            "¼": "四分之一",
            "¾": "四分之三",
            "⅓": "三分之一",
            "⅔": "三分之二",
        }[m[0]],
    ),
    rule(
        "ratio",
        r"(?<![\d:：])(\d{1,4})[:：](\d{1,4})(?![\d:：])",
        lambda m: f"{cardinal(int(m[1]))}比{cardinal(int(m[2]))}",
    ),
    rule(
        "score",
        r"((?:比分|以|比赛|赢|輸|输|胜|勝|负|負)[^\d，。]{0,6})(\d{1,3})[-–](\d{1,3})(?!\d)",
        lambda m: f"{m[1]}{cardinal(int(m[2]))}比{cardinal(int(m[3]))}",
    ),
    rule(
        "range",
        rf"(?<![\dA-Za-z.–-])({_NUMBER}) ?[-–~～—] ?(?=\d)(?!\d+-)",
        lambda match: f"{_read(match[1])}到",
    ),
    rule(
        "measure",
        rf"(?<![\d.])({_MINUS}?(?:{_NUMBER}))({_UNIT})(?![A-Za-z])",
        lambda m: _read(m[1], two=True) + _UNITS[m[2]],
    ),
    rule("scale", rf"(?<![\d.])({_NUMBER})(?={_SCALES})", lambda match: _read(match[1], two=True)),
    rule(
        "counted",
        rf"(?<![\d.])({_NUMBER})(?!(?:{_NUMBERED}))(?=[{_COUNTED}]|{_COUNTED_LONG})",
        _counted,
    ),
    rule("minus", rf"(?<![\dA-Za-z.)]){_MINUS}(?=\d)", "负"),
    rule("minus", r"(?<=\d) ?[-−] ?(?=\d)", "减"),
    rule("sign", "[" + re.escape("".join(_SIGNS)) + "]", lambda match: _SIGNS[match[0]]),
    rule("number", rf"(?<![\d.])(?:{_NUMBER})(?!\d)", lambda match: _read(match[0])),
    rule("digits", r"\d{1,400}", lambda match: digits(match[0])),
    rule("blank", r"(?<=[一-鿿]) (?=[一-鿿])", ""),
)


@lru_cache(maxsize=4)
def rules(language: str) -> tuple[Rule, ...]:
    """The rules for simplified or traditional characters.

    Args:
        language: BCP 47 tag in small letters.
    """
    if not re.search(r"-(?:hant|tw|hk|mo)\b", language):
        return _RULES
    return tuple(Rule(step.name, step.pattern, _in_traditional(step.replace)) for step in _RULES)


def _in_traditional(replace: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
    """A rule's function that writes traditional characters."""
    return lambda match: replace(match).translate(_TRADITIONAL)
