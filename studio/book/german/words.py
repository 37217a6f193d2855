"""The words that German reading rules know."""

from __future__ import annotations

import re

MONTHS = (
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
).split()
MONTH = "|".join(MONTHS)
SHORT_MONTHS = {month[:3]: month for month in MONTHS} | {"Sept": "September"}
DAYS = {
    "Mo": "Montag",
    "Di": "Dienstag",
    "Mi": "Mittwoch",
    "Do": "Donnerstag",
    "Fr": "Freitag",
    "Sa": "Samstag",
    "So": "Sonntag",
}
CURRENCIES = {"€": "Euro", "$": "Dollar", "£": "Pfund", "¥": "Yen"}
CURRENCY_WORDS = "Euro|Mark|Franken|Dollar|Pfund|Kronen|Gulden|Taler|Schilling"
HALVED_FEMININE = (
    "Stunde|Minute|Sekunde|Meile|Tasse|Flasche|Seite|Million|Milliarde|Tonne|Elle|Unze|Drehung|Note"
    "|Portion|Zwiebel|Zitrone|Umdrehung"
)
HALVED_MASCULINE = (
    "Liter|Meter|Kilometer|Zentimeter|Millimeter|Tag|Zentner|Zoll|Fuß|Löffel|Teelöffel|Esslöffel"
    "|Becher|Monat|Quadratmeter|Quadratkilometer|Kubikmeter|Milliliter"
)
HALVED = f"{HALVED_FEMININE}|{HALVED_MASCULINE}|Pfund|Kilo|Jahr|Dutzend|Glas|Hundert|Jahrhundert"
"""What halves are made of: *eine halbe Stunde*, *ein halber Tag*, *ein halbes Pfund*."""
FEMININE = re.compile(
    r"\w*(?:ung|heit|keit|schaft|tion|tät|frau|Stunde|Minute|Sekunde|Woche)$"
    r"|(?:Frau|Nacht|Hand|Mutter|Tochter|Schwester|Stadt|Wand|Bank|Kraft|Maus|Gans|Kuh|Wurst|Axt|"
    r"Insel|Gabel|Nadel|Regel|Zahl|Tür|Person|Welt|Zeit|Arbeit|Figur|Nummer|Feder|Leiter|Mauer|"
    r"Familie|Seite|Tasse|Flasche|Straße|Kirche|Blume|Katze|Dame|Tante|Kugel|Truppe|Stimme)$"
)
UNITS = {
    "km/h": "Kilometer pro Stunde",
    "m/s": "Meter pro Sekunde",
    "km²": "Quadratkilometer",
    "m²": "Quadratmeter",
    "m³": "Kubikmeter",
    "km": "Kilometer",
    "cm": "Zentimeter",
    "mm": "Millimeter",
    "m": "Meter",
    "kg": "Kilogramm",
    "mg": "Milligramm",
    "g": "Gramm",
    "ml": "Milliliter",
    "l": "Liter",
    "t": "Tonnen",
    "kW": "Kilowatt",
    "W": "Watt",
    "V": "Volt",
    "Hz": "Hertz",
    "GB": "Gigabyte",
    "MB": "Megabyte",
    "Std.": "Stunden",
    "Min.": "Minuten",
    "Sek.": "Sekunden",
    "Mio.": "Millionen",
    "Mrd.": "Milliarden",
    "ha": "Hektar",
    "PS": "PS",
    "DM": "D-Mark",
    "RM": "Reichsmark",
    "Pf.": "Pfennig",
    "Pf": "Pfennig",
}
UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
COUNTED_YEARS = (
    "Mann|Männer|Frauen|Menschen|Einwohner|Soldaten|Stück|Meter|Kilometer|Seiten|Tage|Jahre|Euro|"
    "Mark|Franken|Dollar|Pfund|Gulden|Taler|Schafe|Bücher|Tote|Schiffe|Pferde|Stunden|Prozent|Grad"
)
"""Before these a number of four digits counts, and is no year."""
DATIVE = "am|im|zum|zur|vom|beim|dem|den|des|einem|einen|einer|eines|seinem|ihrem|jedem|jeden|ab"
PREPOSITIONS = (
    "in|an|auf|mit|von|zu|nach|bei|seit|aus|vor|hinter|über|unter|neben|zwischen|während|wegen"
)
NEUTER = "Kapitel|Buch|Lied|Bild|Jahr|Jahrhundert|Jahrtausend|Mal|Stück|Gebot|Semester|Quartal"
FEMININE_THINGS = "Szene|Woche|Auflage|Etage|Klasse|Stunde|Reihe|Strophe|Runde|Stufe|Nacht|Station"
MASCULINE_THINGS = (
    "Akt|Teil|Band|Aufzug|Weltkrieg|Tag|Abschnitt|Brief|Stock|Platz|Gesang|Auftritt|Abend"
)
"""Nouns that an ordinal stands before at the head of a text; before others it counts a list."""
QUEENS = "Elisabeth|Katharina|Maria|Isabella|Anna|Viktoria|Margarethe|Margrethe|Christina|Mary"
KINGS = (
    "Karl|Ludwig|Friedrich|Wilhelm|Heinrich|Otto|Leopold|Franz|Joseph|Josef|Philipp|Georg|Jakob|"
    "Eduard|Richard|Johann|Johannes|Paul|Pius|Leo|Benedikt|Gregor|Innozenz|Klemens|Urban|Nikolaus|"
    "Alexander|Peter|Iwan|Gustav|Christian|Rudolf|Maximilian|Ferdinand|Albrecht|Konrad|Napoleon|"
    "August|Ernst|Robert|Alfons|Juan|Carlos|Umberto|Ramses|Ptolemaios|Wenzel|Sigismund|Adolf"
)

ABBREVIATIONS = {
    "z. B.": "zum Beispiel",
    "d. h.": "das heißt",
    "d. i.": "das ist",
    "u. a.": "unter anderem",
    "u. Ä.": "und Ähnliches",
    "o. Ä.": "oder Ähnliches",
    "i. d. R.": "in der Regel",
    "v. Chr.": "vor Christus",
    "n. Chr.": "nach Christus",
    "s. o.": "siehe oben",
    "s. u.": "siehe unten",
    "z. T.": "zum Teil",
    "usw.": "und so weiter",
    "usf.": "und so fort",
    "etc.": "et cetera",
    "bzw.": "beziehungsweise",
    "ca.": "circa",
    "evtl.": "eventuell",
    "ggf.": "gegebenenfalls",
    "vgl.": "vergleiche",
    "Vgl.": "Vergleiche",
    "sog.": "sogenannte",
    "inkl.": "inklusive",
    "geb.": "geboren",
    "gest.": "gestorben",
    "Jh.": "Jahrhundert",
    "Tel.": "Telefon",
    "Str.": "Straße",
    "GmbH": "G m b H",
}
TITLES = {
    "Dr.": "Doktor",
    "Prof.": "Professor",
    "Hr.": "Herr",
    "Hrn.": "Herrn",
    "Fr.": "Frau",
    "Frl.": "Fräulein",
    "St.": "Sankt",
    "Dipl.-Ing.": "Diplomingenieur",
    "Ing.": "Ingenieur",
}
NUMBERED = {
    "Nr.": "Nummer",
    "S.": "Seite",
    "Bd.": "Band",
    "Abb.": "Abbildung",
    "Kap.": "Kapitel",
    "Art.": "Artikel",
    "Abs.": "Absatz",
    "Z.": "Zeile",
    "§§": "Paragrafen",
    "§": "Paragraf",
}
FRACTIONS = {"½": "einhalb", "¼": "ein Viertel", "¾": "drei Viertel", "⅓": "ein Drittel"} | {
    "⅔": "zwei Drittel",
    "⅛": "ein Achtel",
}
SIGNS = {
    "&": " und ",
    "+": " plus ",
    "=": " gleich ",
    "×": " mal ",
    "÷": " geteilt durch ",
    "±": " plus minus ",
    "<": " kleiner als ",
    ">": " größer als ",
    "%": " Prozent",
    "°": " Grad",
    "€": " Euro",
    "$": " Dollar",
    "£": " Pfund",
    "@": " at ",
    "#": " ",
    "*": " ",
    "~": " ",
    "²": " hoch zwei",
    "³": " hoch drei",
    "©": " ",
    "®": "",
    "™": "",
    "†": " ",
}
