"""The words that Spanish reading rules know."""

from __future__ import annotations

import re

MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
).split()
MONTH = "|".join([*MONTHS, "setiembre"])
CURRENCIES = {
    "€": ("euro", "euros", "céntimo", "céntimos"),
    "$": ("dólar", "dólares", "centavo", "centavos"),
    "£": ("libra", "libras", "penique", "peniques"),
    "¥": ("yen", "yenes", "sen", "sen"),
}
PESOS = ("peso", "pesos", "centavo", "centavos")
UNITS = {
    "km/h": ("kilómetro por hora", "kilómetros por hora"),
    "m/s": ("metro por segundo", "metros por segundo"),
    "km²": ("kilómetro cuadrado", "kilómetros cuadrados"),
    "m²": ("metro cuadrado", "metros cuadrados"),
    "m³": ("metro cúbico", "metros cúbicos"),
    "km": ("kilómetro", "kilómetros"),
    "cm": ("centímetro", "centímetros"),
    "mm": ("milímetro", "milímetros"),
    "m": ("metro", "metros"),
    "kg": ("kilogramo", "kilogramos"),
    "mg": ("miligramo", "miligramos"),
    "g": ("gramo", "gramos"),
    "ml": ("mililitro", "mililitros"),
    "cl": ("centilitro", "centilitros"),
    "l": ("litro", "litros"),
    "ha": ("hectárea", "hectáreas"),
    "kW": ("kilovatio", "kilovatios"),
    "W": ("vatio", "vatios"),
    "V": ("voltio", "voltios"),
    "Hz": ("hercio", "hercios"),
    "GB": ("gigabyte", "gigabytes"),
    "MB": ("megabyte", "megabytes"),
    "min": ("minuto", "minutos"),
}
ABBREVIATIONS = {
    "EE. UU.": "Estados Unidos",
    "EE.UU.": "Estados Unidos",
    "p. ej.": "por ejemplo",
    "a. C.": "antes de Cristo",
    "d. C.": "después de Cristo",
    "a. m.": "de la mañana",
    "p. m.": "de la tarde",
    "etc.": "etcétera",
    "aprox.": "aproximadamente",
    "Ud.": "usted",
    "Uds.": "ustedes",
    "Vd.": "usted",
    "Vds.": "ustedes",
    "Avda.": "avenida",
    "Av.": "avenida",
    "Cía.": "compañía",
    "tel.": "teléfono",
    "Tel.": "Teléfono",
    "cf.": "compárese",
    "vs.": "contra",
}
TITLES = {
    "Sr.": "señor",
    "Sra.": "señora",
    "Srta.": "señorita",
    "Sres.": "señores",
    "Sras.": "señoras",
    "Dr.": "doctor",
    "Dra.": "doctora",
    "Prof.": "profesor",
    "Profa.": "profesora",
    "D.": "don",
    "D.ª": "doña",
    "Dña.": "doña",
    "Gral.": "general",
    "Cap.": "capitán",
    "Lic.": "licenciado",
    "Ing.": "ingeniero",
    "Sto.": "santo",
    "Sta.": "santa",
    "Mons.": "monseñor",
}
NUMBERED = {
    "núm.": "número",
    "Núm.": "Número",
    "n.º": "número",
    "nº": "número",
    "n°": "número",
    "N.º": "número",
    "No.": "número",
    "pág.": "página",
    "págs.": "páginas",
    "p.": "página",
    "pp.": "páginas",
    "cap.": "capítulo",
    "vol.": "volumen",
    "fig.": "figura",
    "art.": "artículo",
    "§": "párrafo",
    "S.": "siglo",
    "s.": "siglo",
}
THINGS = (
    "capítulo|libro|tomo|volumen|acto|escena|parte|artículo|página|sección|canto|siglo|título|"
    "número"
)
RULERS = (
    "Felipe|Carlos|Fernando|Alfonso|Juan Carlos|Juan Pablo|Juan|Luis|Enrique|Pedro|Jaime|Sancho|"
    "Napoleón|Pío|León|Benedicto|Gregorio|Inocencio|Clemente|Urbano|Nicolás|Alejandro|Iván|Jorge|"
    "Eduardo|Ricardo|Guillermo|Federico|Maximiliano|Rodolfo|Francisco|Pablo|Isabel|Catalina|María|"
    "Ana|Victoria|Margarita|Cristina|Ramsés|Ptolomeo|Sixto|Adriano|Bonifacio|Leopoldo|Alberto"
)
QUEENS = frozenset("Isabel Catalina María Ana Victoria Margarita Cristina".split())
FRACTIONS = {
    "½": "medio",
    "¼": "un cuarto",
    "¾": "tres cuartos",
    "⅓": "un tercio",
    "⅔": "dos tercios",
    "⅛": "un octavo",
}
SIGNS = {
    "&": " y ",
    "+": " más ",
    "=": " igual a ",
    "×": " por ",
    "÷": " dividido por ",
    "±": " más o menos ",
    "<": " menor que ",
    ">": " mayor que ",
    "%": " por ciento",
    "°": " grados",
    "€": " euros",
    "$": " dólares",
    "£": " libras",
    "@": " arroba ",
    "#": " ",
    "*": " ",
    "~": " ",
    "²": " al cuadrado",
    "³": " al cubo",
    "©": " ",
    "®": "",
    "™": "",
    "†": " ",
}
NO_NOUNS = re.compile(
    r"(?:de|del|y|o|a|al|en|que|por|con|para|se|no|es|son|era|fue|sin|más|menos|hasta|desde|como|"
    r"el|la|los|las|su|sus|le|les|lo|me|te|nos|si|ya|grados|entre|sobre|contra|según|pero|ni|u|e)$"
)
"""Words behind a number that it does not count."""
FEMININE_IN_ES = re.compile(
    r"(?:\w+(?:ciones|siones|dades|tades|tudes)|mujeres|noches|tardes|veces|calles|naves|torres|"
    r"flores|leyes|llaves|clases|partes|frases|nubes|fuentes|luces|voces|cruces|manos|madres|sedes)$"
)
"""Nouns that are feminine although they do not end in -as."""
MASCULINE_IN_A = re.compile(
    r"(?:dí|mapa|problem|program|sistem|planet|tem|clim|idiom|poem|dram|cometa|artist|turist|"
    r"atlas|guardia|poet|colega|pianist|soci|diplom|gram|kilogram|fantasm|patriarc|monarc)\w*s$"
)
"""Nouns in -as that are masculine."""
