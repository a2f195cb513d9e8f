"""The style sheet variables that a city may change, and a check of their contrast.

A city may change eight variables, separately for light and for dark pages. The other colours are fixed, because they
have a meaning, as in warnings.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
# WCAG 2.2 AA: text needs a contrast of 4.5 to 1. Shapes, such as the focus ring, need 3 to 1.
TEXT, SHAPE = 4.5, 3.0


class Pair(NamedTuple):
    """A foreground and a background variable, and the minimum contrast between them."""

    front: str
    ground: str
    contrast: float


# The variables that a city may change, with their default values.
LIGHT: Mapping[str, str] = {
    "brand": "#1351b4", "brand2": "#0c326f", "on": "#ffffff", "navy": "#071d41",
    "tint": "#eaf1fc", "warm": "#fdf2df", "bg": "#faf8f4", "focus": "#b87503",
}  # fmt: skip
DARK: Mapping[str, str] = {
    "brand": "#93bbff", "brand2": "#bcd5ff", "on": "#06142e", "navy": "#060f20",
    "tint": "#17294a", "warm": "#2c2415", "bg": "#0c1420", "focus": "#ffcf66",
}  # fmt: skip
# Colours that a city cannot change.
_LIGHT_FIXED = {"ink": "#14213a", "mut": "#505b6c", "card": "#ffffff", "foot": "#ffffff"}
_DARK_FIXED = {"ink": "#e8edf5", "mut": "#a9b5c6", "card": "#141e2e", "foot": "#ffffff"}
_PAIRS = (
    *(Pair(front, ground, TEXT) for front in ("brand", "brand2") for ground in ("bg", "card", "tint")),
    *(Pair("on", ground, TEXT) for ground in ("brand", "brand2")),
    *(Pair(front, ground, TEXT) for front in ("ink", "mut") for ground in ("bg", "warm")),
    Pair("ink", "tint", TEXT),
    Pair("foot", "navy", TEXT),
    *(Pair("focus", ground, SHAPE) for ground in ("bg", "card")),
)


class InvalidPalette(ValueError):
    """A palette with an unknown or invalid colour, or with too little contrast."""


def write_sheet(light: Mapping[str, str], dark: Mapping[str, str]) -> str:
    """Return the style rules for the city's colours, or an empty string if the city changes none.

    Raises the same error as `check_palette`.
    """
    check_palette(light, LIGHT, _LIGHT_FIXED, "claras")
    check_palette(dark, DARK, _DARK_FIXED, "escuras")
    rules = []
    if light:
        rules.append(f":root{{{_declare(light)}}}")
    if dark:
        rules.append(
            f"@media (prefers-color-scheme:dark){{:root:not([data-aparencia=clara]){{{_declare(dark)}}}}}"
            f":root[data-aparencia=escura]{{{_declare(dark)}}}"
        )
    return "\n".join(rules)


def _declare(colors: Mapping[str, str]) -> str:
    return ";".join(f"--{name}:{color}" for name, color in colors.items())


def check_palette(colors: Mapping[str, str], defaults: Mapping[str, str], fixed: Mapping[str, str], pages: str) -> None:
    """Check that the colours are known, valid and have enough contrast. Raises InvalidPalette if they do not."""
    if unknown := colors.keys() - defaults.keys():
        raise InvalidPalette(f"não há a cor {', '.join(sorted(unknown))}; há {', '.join(defaults)}")
    if invalid := [name for name, color in colors.items() if not _COLOR.fullmatch(color)]:
        raise InvalidPalette(f"a cor {invalid[0]} deve ter a forma #1351b4")
    if faults := list(_list_faults({**defaults, **fixed, **colors}, colors)):
        raise InvalidPalette(f"nas páginas {pages}, {faults[0]}")


def _list_faults(colors: Mapping[str, str], changed: Mapping[str, str]) -> Iterator[str]:
    for pair in _PAIRS:
        contrast = measure_contrast(colors[pair.front], colors[pair.ground])
        if contrast < pair.contrast and {pair.front, pair.ground} & changed.keys():
            yield (f"{pair.front} sobre {pair.ground} tem contraste {contrast:.1f}, e precisa de {pair.contrast:.1f}")


def measure_contrast(first: str, second: str) -> float:
    """Return the contrast between two colours as WCAG defines it, from 1 to 21."""
    lighter, darker = sorted((_measure_luminance(first), _measure_luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _measure_luminance(color: str) -> float:
    red, green, blue = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
