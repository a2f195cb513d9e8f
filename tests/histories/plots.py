"""Line plots over time as SVG, with marks for events. They are drawn without a library."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple, TypeAlias

Line: TypeAlias = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 960, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 34, 30
COLOURS = ("#1f6f8b", "#c8553d", "#588157", "#8e5ea2", "#b8860b", "#555555")
STEPS = 4  # number of labels on the vertical axis


class Mark(NamedTuple):
    """An event, and the second of the run at which it occurred."""

    second: float
    what: str


def plot(title: str, unit: str, lines: Mapping[str, Line], marks: Sequence[Mark] = ()) -> str:
    """Return an SVG image with one line for each name, and a labelled tick for each mark."""
    longest = max((second for line in lines.values() for second, _ in line), default=1.0) or 1.0
    highest = max((value for line in lines.values() for _, value in line), default=1.0) or 1.0

    def x(second: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * second / longest

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / highest

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="sans-serif" '
        f'font-size="12"><title>{escape(title)}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="16" font-weight="bold">{escape(title)} ({escape(unit)})</text>',
    ]
    for step in range(STEPS + 1):
        value = highest * step / STEPS
        parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    for minute in range(0, int(longest // 60) + 1, max(1, int(longest // 600))):
        parts.append(f'<text x="{x(60 * minute):.1f}" y="{HEIGHT - 10}" text-anchor="middle">{minute} min</text>')
    for mark in marks:
        tick = f"M{x(mark.second):.1f} {TOP}V{HEIGHT - BOTTOM}"
        parts.append(
            f'<path d="{tick}" stroke="#bbbbbb" stroke-dasharray="2 3"><title>{escape(mark.what)}</title></path>'
        )
    for place, (name, line) in enumerate(lines.items()):
        colour = COLOURS[place % len(COLOURS)]
        points = " ".join(f"{x(second):.1f},{y(value):.1f}" for second, value in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<text x="{WIDTH - 130 * (len(lines) - place)}" y="16" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>\n"])
