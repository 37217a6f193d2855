"""Word documents and FB2 books made for one test each."""

from __future__ import annotations

import zipfile
from pathlib import Path

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships'
    '+xml"/><Default Extension="xml" ContentType="application/xml"/><Override '
    'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = f"""<w:styles xmlns:w="{W}">
<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-GB"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
</w:styles>"""


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(inside: str, style: str = "") -> str:
    """A paragraph of runs."""
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{named}{inside}</w:p>"


def make_docx(path: Path, body: str, *, notes: str = "", title: str = "", styles: str = "") -> Path:
    """Write a Word document, with more styles if need be."""
    files = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": f'<Relationships xmlns="{RELS}"><Relationship Id="r1" '
        f'Type="{KIND}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{RELS}">'
        f'<Relationship Id="r2" Type="{KIND}/styles" Target="styles.xml"/>'
        f'<Relationship Id="r3" Type="{KIND}/footnotes" Target="footnotes.xml"/></Relationships>',
        "word/styles.xml": STYLES.replace("</w:styles>", f"{styles}</w:styles>"),
        "word/document.xml": f'<w:document xmlns:w="{W}" xmlns:mc="http://schemas.openxmlformats'
        f'.org/markup-compatibility/2006"><w:body>{body}</w:body></w:document>',
        "word/footnotes.xml": f'<w:footnotes xmlns:w="{W}">{notes}</w:footnotes>',
        "docProps/core.xml": '<cp:coreProperties xmlns:cp="x" xmlns:dc="http://purl.org/dc/'
        f'elements/1.1/"><dc:title>{title}</dc:title><dc:creator>N. Nemo</dc:creator>'
        "</cp:coreProperties>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


FB2 = """<?xml version="1.0" encoding="windows-1251"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"
 xmlns:l="http://www.w3.org/1999/xlink">
<description><title-info><genre>prose</genre><author><first-name>Анна</first-name>
<last-name>Ли</last-name></author><book-title>Паром</book-title><lang>ru</lang></title-info>
</description>
<body><title><p>Паром</p></title><epigraph><p>Вода.</p><text-author>Ли</text-author></epigraph>
<section><title><p>Глава 1</p><p>Берег</p></title><p>Он вышел<a l:href="#n1" type="note">[1]</a>
рано.</p><image l:href="#p"/><empty-line/><poem><title><p>Песня</p></title><stanza>
<v>тихо течёт река</v><v>мимо окна</v></stanza></poem></section>
<section><title><p>Глава 2</p></title><subtitle>Вечер</subtitle><p>Темно.</p></section></body>
<body name="notes"><title><p>Примечания</p></title><section id="n1"><title><p>1</p></title>
<p>То есть утром.</p></section></body>
<binary id="p" content-type="image/png">aGVsbG8gd29ybGQ=</binary></FictionBook>"""
