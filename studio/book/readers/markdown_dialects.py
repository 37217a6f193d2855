"""What writers of Markdown use beside CommonMark: marks of Pandoc, MultiMarkdown and Obsidian."""

from __future__ import annotations

import re

from studio.book.coverage import Ledger, count

_ATTRIBUTE_LIST = (
    r"\{(?:-|(?:[#.][\w-]{1,60}+|[ \t]"
    r"|[\w-]{1,40}+=(?:\"[^\"{}\n]{0,80}+\"|[^{}\s\"]{1,60}+)){1,20}+)\}"
)
_ATTRIBUTES = re.compile(
    rf"^([ \t]{{0,3}}#{{1,6}}[ \t].{{0,300}}?)[ \t]{{0,4}}{_ATTRIBUTE_LIST}(?=[ \t]{{0,9}}$)"
    rf"|(?<=\S)()[ \t]{{0,4}}{_ATTRIBUTE_LIST}(?=[ \t]{{0,9}}\n(?:=+|-+)[ \t]{{0,9}}$)"
    rf"|(\]\([^()\n]{{0,300}}\)|[\]\ue0f3]){_ATTRIBUTE_LIST}",
    re.MULTILINE,
)
"""What stands behind headings, spans and pictures for the program that sets the page."""
_SPAN = re.compile(rf"(?<![!\]\w])\[([^\[\]\n^]{{1,400}})\]{_ATTRIBUTE_LIST}")
_FENCED_PART = re.compile(r"^:{3,}[^\n]{0,100}$", re.MULTILINE)
_INLINE_MARKS = re.compile(
    r"(?<![A-Za-z\d_=+)\]])(==|\+\+)(?=[^\s=+])([^\n=+]{1,400}?)(?<=\S)\1(?![A-Za-z\d_=+(])"
)
"""Not in ``a==b and c==d`` or ``C++ and D++``."""
_LOWERED = re.compile(r"(?<=[A-Za-z)])~([A-Za-z\d,+−-]{1,20})~(?!~)")
"""Not in ``5~6 or 7~8``, which are ranges."""
_RAISED = re.compile(r"(?<=[\w)])\^([^\s^\[\]]{1,20})\^")
_LAYOUT = (
    "newpage|pagebreak|clearpage|cleardoublepage|[vh]space|[vh]fill|bigskip|medskip|smallskip|"
    "noindent|indent|centering|begin|end|tableofcontents|maketitle|frontmatter|mainmatter|"
    "backmatter|appendix|pagenumbering|pagestyle|thispagestyle|setcounter|addtocounter|"
    "addcontentsline|label|input|include|includegraphics|usepackage|documentclass|newcommand|"
    "renewcommand|setlength|linebreak|newline|par|ragged(?:right|left)|flushbottom|"
    "(?:one)?(?:single|onehalf|double)spacing|null|phantomsection|index|mark(?:both|right)|"
    "[hv]?rule|hrulefill|dotfill|parindent|parskip|fontsize|selectfont|large|small|normalsize|"
    "break|scenebreak|plainbreak|fancybreak|sectionbreak|epigraphwidth|lettrine|openany|openright"
)
_COMMAND = re.compile(
    rf"^\\(?:{_LAYOUT})\*?(?:\[[^\]\n]{{0,80}}\]|\{{[^{{}}\n]{{0,80}}\}}){{0,5}}[ \t]{{0,9}}$",
    re.MULTILINE | re.IGNORECASE,
)
"""A line that is a command of TeX for the layout of pages and nothing else."""
_TITLED = re.compile(
    r"^\\(part|chapter|(?:sub){0,2}section)\*?(?:\[[^\]\n]{0,80}\])?"
    r"\{([^{}\n]{1,200})\}[ \t]{0,9}$",
    re.MULTILINE,
)
_TITLE_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4}
_DEFINITION = re.compile(r"^:[ \t]{1,8}(?=[^\s:|-])", re.MULTILINE)
_TASK = re.compile(r"^([ \t]{0,20}[-*+][ \t]{1,4})\[[ xX]\](?=[ \t])", re.MULTILINE)
_COMMENT = re.compile(r"(?<![\w%])%%(?!%)((?:[^%]|%(?!%)){1,20000}?)%%(?![\w%])")
"""Not in ``20%% and 30%%``."""
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]{1,300}\]\]")
_WIKI_LINK = re.compile(
    r"(?<![A-Za-z\d_])\[\[(?!\s|[A-Za-z]{1,20}\s{0,9}:)(?:[^\[\]|\n]{1,300}\|)?([^\[\]|\n]{1,300})\]\]"
)
"""A link to another note; what looks like a marker of ours (``[[pause: 2 s]]``) is none."""
_VERSE_LINE = re.compile(r"\|(?:[ \t](.*))?")
_RULED = re.compile(r"\|[ \t]{0,9}:?-{2,}")
"""What stands below the heads of a table's columns."""
_LONGEST_LINE = 2_000
_FENCE = re.compile(r"[ \t>]{0,20}(?P<sign>`{3,}|~{3,})")
_SPOKEN_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]{1,300})\1(?!`)")
_KEPT = re.compile("\ue0f2(\\d{1,7})\ue0f3")
"""Stands for code while the text around it is looked at."""
_TAG = re.compile(r"<(?=/?([A-Za-z][A-Za-z\d]{0,20})[\s/>])")
_TAGS = frozenset(
    "a abbr acronym address area article aside audio b base bdi bdo big blink blockquote body br "
    "button canvas caption center cite code col colgroup data datalist dd del details dfn dialog "
    "dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 "
    "h5 h6 head header hgroup hr html i iframe image img input ins kbd label legend li link main "
    "map mark math menu menuitem meta meter nav nobr noframes noscript object ol optgroup option "
    "output p param picture pre progress q rb rbc rp rt rtc ruby s samp script search section "
    "select slot small source span strike strong style sub summary sup svg table tbody td template "
    "textarea tfoot th thead time title tr track tt u ul var video wbr xmp".split()
)
_BLOCK = re.compile(r"\s{0,9}%[ \t](.{1,300})\n(?:%[ \t]?(.{0,300})\n)?(?:%[ \t]?(.{0,300})\n)?")
_FIELDS = re.compile(
    r"(?=(?:.{1,300}\n){0,9}?title:)"
    r"(?:[A-Za-z][A-Za-z ]{0,30}:[ \t]{1,20}\S.{0,300}\n){1,20}(?=\n)",
    re.IGNORECASE,
)
_FIELD = re.compile(r"^(title|author|language|lang):[ \t]*(.{1,300}?)[ \t]*$", re.M | re.I)
_KEY = re.compile(r"^([A-Za-z][A-Za-z ]{0,30}):", re.MULTILINE)
_KEYS = frozenset(
    "title subtitle author authors date language lang series volume edition copyright rights "
    "licence license publisher keywords tags category categories css format affiliation layout "
    "isbn status summary abstract description slug version genre draft comment web email "
    "translator editor illustrator cover".split()
) | {"base header level", "word count", "cover image", "latex mode", "quotes language"}


def as_commonmark(text: str, ledger: Ledger) -> str:
    """A text whose marks are those that the parser knows.

    Args:
        text: Part of a manuscript.
        ledger: Takes the account of remarks that are taken off; other marks are told as such.
    """

    def drop(match: re.Match[str]) -> str:
        ledger.skip("comment", count(match[0]))
        return ""

    text, code = _code_apart(text)
    if "%%" in text:
        text = _COMMENT.sub(drop, text)
    text = _SPAN.sub(r"\1", text)
    text = _ATTRIBUTES.sub(lambda match: match[1] or match[3] or "", text)
    text = _FENCED_PART.sub("", _INLINE_MARKS.sub(r"\2", text))
    text = _RAISED.sub(r"<sup>\1</sup>", _LOWERED.sub(r"<sub>\1</sub>", text))
    text = _TITLED.sub(lambda match: f"\n{'#' * _TITLE_LEVELS[match[1]]} {match[2]}\n", text)
    text = _DEFINITION.sub("\n", _COMMAND.sub("", text))
    text = _WIKI_LINK.sub(r"\1", _EMBEDDED.sub("", _TASK.sub(r"\1", text)))
    text = _TAG.sub(lambda match: "<" if match[1].lower() in _TAGS else "\\<", text)
    text = _with_verse(text)
    return _KEPT.sub(lambda match: code[int(match[1])], text) if code else text


def _code_apart(text: str) -> tuple[str, list[str]]:
    """A text without its code, the places marked; and the code, in which nothing is a mark."""
    if ("`" not in text and "~~~" not in text) or "\ue0f2" in text:
        return text, []
    code: list[str] = []

    def keep(said: str) -> str:
        code.append(said)
        return f"\ue0f2{len(code) - 1}\ue0f3"

    made: list[str] = []
    fence = ""
    fenced: list[str] = []
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if fence:
            fenced.append(line)
            if match and match["sign"].startswith(fence) and not line[match.end() :].strip():
                made.append(keep("\n".join(fenced)))
                fence, fenced = "", []
        elif match and "`" not in line[match.end() :]:
            fence, fenced = match["sign"], [line]
        else:
            made.append(line)
    if fenced:
        made.append(keep("\n".join(fenced)))
    return _SPOKEN_CODE.sub(lambda match: keep(match[0]), "\n".join(made)), code


def _with_verse(text: str) -> str:
    """A text whose line blocks (``| a line``) are stanzas."""
    if "\n|" not in text and not text.startswith("|"):
        return text
    made: list[str] = []
    stanza: list[str] = []
    table = False
    for line in [*text.split("\n"), ""]:
        match = _VERSE_LINE.fullmatch(line) if len(line) <= _LONGEST_LINE else None
        table = line.startswith("|") and (table or _RULED.match(line) is not None)
        if match and not table and not line[1:].rstrip().endswith("|"):
            stanza.append((match[1] or "").strip())
            continue
        if stanza and line.startswith("|"):
            # A row of a table: so are those before it.
            made += [f"| {one}" for one in stanza]
        elif stanza:
            lines = [one for one in stanza if one]
            made += ["", '<div class="verse">', "", "\\\n".join(lines), "", "</div>", ""]
        stanza = []
        made.append(line)
    return "\n".join(made[:-1])


def title_block(text: str, ledger: Ledger) -> tuple[str, dict[str, str]]:
    """Take off the lines at the top that state title and author: ``% Title`` or ``Title: It``.

    Args:
        text: The manuscript.
        ledger: Takes the account of what was taken off.

    Returns:
        The rest, and what was stated.
    """
    if match := _BLOCK.match(text):
        fields = {"title": match[1].strip(), "author": (match[2] or "").strip()}
    elif (match := _FIELDS.match(text)) and _are_fields(match[0]):
        fields = {key.lower(): value for key, value in _FIELD.findall(match[0])}
    else:
        return text, {}
    ledger.skip("data about the book", count(match[0]))
    return text[match.end() :], {key: value for key, value in fields.items() if value}


def _are_fields(lines: str) -> bool:
    """Whether lines are fields about a book; those of a conversation are text."""
    return all(" ".join(key.lower().split()) in _KEYS for key in _KEY.findall(lines))
