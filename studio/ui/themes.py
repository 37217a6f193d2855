"""The studio's own colours: a dark and a light theme, readable on their grounds (4.5 to 1)."""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

DARK = Theme(
    name="rhapsode-dark",
    primary="#7FB4CA",
    secondary="#9CABCA",
    accent="#E6C384",
    foreground="#DCD7C9",
    background="#16161D",
    surface="#1D1D26",
    panel="#2A2A37",
    success="#98BB6C",
    warning="#E6A65C",
    error="#E8707A",
    dark=True,
    variables={
        "block-cursor-background": "#2F4454",
        "block-cursor-foreground": "#F2EFE6",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": "#252D38",
        "block-cursor-blurred-foreground": "#DCD7C9",
        "block-cursor-blurred-text-style": "none",
        "border": "#7FB4CA",
        "border-blurred": "#363646",
        "footer-key-foreground": "#E6C384",
        "footer-background": "#1D1D26",
        "input-cursor-background": "#E6C384",
        "input-cursor-foreground": "#16161D",
        "input-selection-background": "#7FB4CA 30%",
        "scrollbar": "#363646",
        "scrollbar-hover": "#54546D",
        "scrollbar-active": "#7FB4CA",
        "scrollbar-background": "#16161D",
        "scrollbar-background-hover": "#16161D",
        "scrollbar-background-active": "#16161D",
        "scrollbar-corner-color": "#16161D",
    },
)

LIGHT = Theme(
    name="rhapsode-light",
    primary="#2F5D7C",
    secondary="#4A5A78",
    accent="#8A5A00",
    foreground="#2B2B2B",
    background="#FAF8F2",
    surface="#F1EEE4",
    panel="#E6E2D5",
    success="#3D6B21",
    warning="#9A5200",
    error="#B3263A",
    dark=False,
    variables={
        "block-cursor-background": "#C9DCE8",
        "block-cursor-foreground": "#10202B",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": "#E3E6E4",
        "block-cursor-blurred-foreground": "#2B2B2B",
        "block-cursor-blurred-text-style": "none",
        "border": "#2F5D7C",
        "border-blurred": "#CFCABA",
        "footer-key-foreground": "#8A5A00",
        "footer-background": "#F1EEE4",
        "input-selection-background": "#2F5D7C 25%",
        "scrollbar": "#CFCABA",
        "scrollbar-hover": "#A9A391",
        "scrollbar-active": "#2F5D7C",
        "scrollbar-background": "#FAF8F2",
        "scrollbar-background-hover": "#FAF8F2",
        "scrollbar-background-active": "#FAF8F2",
        "scrollbar-corner-color": "#FAF8F2",
    },
)

THEMES: tuple[Theme, ...] = (DARK, LIGHT)


def unknown_theme(name: str) -> str:
    """What to say of a theme that a person wants and nobody has; empty where it is there."""
    known = [*(theme.name for theme in THEMES), *BUILTIN_THEMES]
    if name in known:
        return ""
    some = ", ".join(known[:6])
    return f"config.toml [ui]: There is no theme “{name}”; there are {some} and others."
