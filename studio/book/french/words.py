"""The words that French reading rules know."""

from __future__ import annotations

MONTHS = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
).split()
MONTH = "|".join(MONTHS)
SHORT_MONTHS = {
    "janv": "janvier",
    "févr": "février",
    "avr": "avril",
    "juil": "juillet",
    "sept": "septembre",
    "oct": "octobre",
    "nov": "novembre",
    "déc": "décembre",
}
CURRENCIES = {
    "€": ("euro", "euros"),
    "$": ("dollar", "dollars"),
    "£": ("livre", "livres"),
    "¥": ("yen", "yens"),
    "F": ("franc", "francs"),
}
UNITS = {
    "km/h": ("kilomètre à l’heure", "kilomètres à l’heure"),
    "m/s": ("mètre par seconde", "mètres par seconde"),
    "km²": ("kilomètre carré", "kilomètres carrés"),
    "m²": ("mètre carré", "mètres carrés"),
    "m³": ("mètre cube", "mètres cubes"),
    "km": ("kilomètre", "kilomètres"),
    "cm": ("centimètre", "centimètres"),
    "mm": ("millimètre", "millimètres"),
    "m": ("mètre", "mètres"),
    "kg": ("kilogramme", "kilogrammes"),
    "mg": ("milligramme", "milligrammes"),
    "g": ("gramme", "grammes"),
    "ml": ("millilitre", "millilitres"),
    "cl": ("centilitre", "centilitres"),
    "l": ("litre", "litres"),
    "ha": ("hectare", "hectares"),
    "kW": ("kilowatt", "kilowatts"),
    "W": ("watt", "watts"),
    "V": ("volt", "volts"),
    "Hz": ("hertz", "hertz"),
    "Go": ("gigaoctet", "gigaoctets"),
    "Mo": ("mégaoctet", "mégaoctets"),
    "min": ("minute", "minutes"),
    "s": ("seconde", "secondes"),
}
FEMININE_UNITS = frozenset(("livre", "minute", "seconde"))
ABBREVIATIONS = {
    "av. J.-C.": "avant Jésus-Christ",
    "apr. J.-C.": "après Jésus-Christ",
    "p. ex.": "par exemple",
    "c.-à-d.": "c’est-à-dire",
    "etc.": "et cetera",
    "cf.": "confer",
    "env.": "environ",
    "tél.": "téléphone",
    "Tél.": "téléphone",
    "bd": "boulevard",
    "éd.": "édition",
    "Cie": "compagnie",
}
TITLES = {
    "M.": "Monsieur",
    "MM.": "Messieurs",
    "Mme": "Madame",
    "Mmes": "Mesdames",
    "Mlle": "Mademoiselle",
    "Mlles": "Mesdemoiselles",
    "Dr": "docteur",
    "Dr.": "docteur",
    "Pr": "professeur",
    "Me": "Maître",
    "Mgr": "Monseigneur",
    "St": "Saint",
    "Ste": "Sainte",
}
NUMBERED = {
    "n°": "numéro",
    "n os": "numéros",
    "nº": "numéro",
    "N°": "numéro",
    "p.": "page",
    "pp.": "pages",
    "chap.": "chapitre",
    "vol.": "volume",
    "t.": "tome",
    "fig.": "figure",
    "art.": "article",
    "§": "paragraphe",
}
THINGS = (
    "chapitre|livre|tome|volume|acte|scène|partie|article|page|section|chant|annexe|titre|numéro"
)
RULERS = (
    "Louis|Henri|Charles|François|Philippe|Napoléon|Jean|Paul|Pie|Léon|Benoît|Grégoire|Innocent|"
    "Clément|Urbain|Nicolas|Alexandre|Pierre|Ivan|Gustave|Christian|Rodolphe|Maximilien|Ferdinand|"
    "Frédéric|Guillaume|Édouard|Edouard|Richard|Jacques|Georges|Léopold|Albert|Baudouin|Robert|"
    "Élisabeth|Elisabeth|Elizabeth|Catherine|Marie|Isabelle|Anne|Victoria|Marguerite|Christine|Ramsès|"
    "Ptolémée|Alphonse|Amédée|Othon|Jean-Paul"
)
QUEENS = frozenset(
    "Élisabeth Elisabeth Elizabeth Catherine Marie Isabelle Anne Victoria Marguerite "
    "Christine".split()
)
HALVED_FEMININE = frozenset(
    "heure livre année lieue journée douzaine bouteille tasse page minute seconde tonne semaine "
    "cuillère cuillerée once ration mesure part pomme orange baguette portion".split()
)
"""Feminine words that are counted by halves: *deux heures et demie*."""
FRACTIONS = {
    "½": "un demi",
    "¼": "un quart",
    "¾": "trois quarts",
    "⅓": "un tiers",
    "⅔": "deux tiers",
    "⅛": "un huitième",
}
SIGNS = {
    "&": " et ",
    "+": " plus ",
    "=": " égale ",
    "×": " fois ",
    "÷": " divisé par ",
    "±": " plus ou moins ",
    "<": " inférieur à ",
    ">": " supérieur à ",
    "%": " pour cent",
    "°": " degrés",
    "€": " euros",
    "$": " dollars",
    "£": " livres",
    "@": " arobase ",
    "#": " ",
    "*": " ",
    "~": " ",
    "²": " au carré",
    "³": " au cube",
    "©": " ",
    "®": "",
    "™": "",
    "†": " ",
}
