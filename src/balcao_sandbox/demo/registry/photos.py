"""The photos in the demo city's requests. They are drawn here, so no picture needs a licence."""

import io
from collections.abc import Callable, Mapping

from PIL import Image, ImageDraw

_WIDTH, _HEIGHT = 960, 720
# Draw at twice the size and shrink the result, because Pillow draws edges without smoothing.
_SCALE = 2
_QUALITY = 85
_SIDEWALK, _CURB, _STREET = "#b9b2a6", "#8d877d", "#5b5f66"


class _Scene:
    """A drawing whose coordinates are those of the finished photo."""

    def __init__(self, sky: str) -> None:
        self.image = Image.new("RGB", (_WIDTH * _SCALE, _HEIGHT * _SCALE), sky)
        self._draw = ImageDraw.Draw(self.image)

    def box(self, color: str, left: int, top: int, right: int, bottom: int, radius: int = 0) -> None:
        corners = [side * _SCALE for side in (left, top, right, bottom)]
        self._draw.rounded_rectangle(corners, radius * _SCALE, fill=color)

    def oval(self, color: str, left: int, top: int, right: int, bottom: int) -> None:
        self._draw.ellipse([side * _SCALE for side in (left, top, right, bottom)], fill=color)

    def line(self, color: str, width: int, *points: tuple[int, int]) -> None:
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._draw.line(scaled, fill=color, width=width * _SCALE, joint="curve")

    def ground(self, top: int) -> None:
        """Draw a sidewalk with its curb, and the street in front of it."""
        self.box(_SIDEWALK, 0, top, _WIDTH, top + 90)
        self.box(_CURB, 0, top + 90, _WIDTH, top + 104)
        self.box(_STREET, 0, top + 104, _WIDTH, _HEIGHT)


def _draw_lamp() -> Image.Image:
    """Draw a street at night with two lit lamps and a dark one."""
    scene = _Scene("#101a33")
    for x, y in ((90, 80), (260, 150), (430, 60), (610, 120), (800, 70), (900, 190), (170, 230)):
        scene.oval("#c9d3ea", x, y, x + 4, y + 4)
    for left, top, color in ((0, 330, "#1d2947"), (210, 290, "#172240"), (430, 350, "#202d4d"), (680, 300, "#1a2644")):
        scene.box(color, left, top, left + 240, 540)
        for window in range(3):
            scene.box(
                "#e9c46a" if window != 1 else "#31405f",
                left + 34 + 66 * window,
                top + 50,
                left + 70 + 66 * window,
                top + 96,
            )
    scene.ground(540)
    for x, is_lit in ((150, True), (480, False), (810, True)):
        if is_lit:
            scene.oval("#5a5638", x + 14, 130, x + 134, 250)
            scene.oval("#8a7f47", x + 39, 155, x + 109, 225)
        scene.line("#7c8596", 12, (x, 600), (x, 170), (x + 12, 160), (x + 58, 160))
        scene.box("#aab3c4", x + 44, 152, x + 104, 176, 8)
        scene.oval("#ffe9a3" if is_lit else "#3b4254", x + 54, 166, x + 94, 196)
    return scene.image


def _draw_sofa() -> Image.Image:
    """Draw an old sofa and a mattress in front of a wall."""
    scene = _Scene("#d9c8a9")
    for row in range(9):
        for column in range(-1, 9):
            left = column * 120 + (60 if row % 2 else 0)
            scene.box("#cfbc9a", left + 4, row * 58 + 4, left + 116, row * 58 + 54)
    scene.ground(510)
    scene.box("#eceae4", 640, 190, 760, 580, 22)
    for stripe in range(6):
        scene.line("#b7c3cf", 6, (658 + 17 * stripe, 206), (658 + 17 * stripe, 566))
    scene.box("#7a3b3b", 150, 300, 600, 480, 26)
    scene.box("#5d2b2b", 180, 460, 572, 556)
    for seat in range(3):
        scene.box("#8f4848", 196 + 120 * seat, 320, 308 + 120 * seat, 430, 16)
        scene.box("#9c5353", 196 + 120 * seat, 432, 308 + 120 * seat, 500, 14)
    scene.box("#6b3232", 130, 380, 196, 560, 24)
    scene.box("#6b3232", 556, 380, 622, 560, 24)
    scene.line("#e8dcc0", 5, (330, 445), (352, 470), (344, 490), (372, 496))
    for foot in (150, 572):
        scene.box("#3a2a20", foot, 556, foot + 30, 584)
    return scene.image


_DRAWINGS: Mapping[str, Callable[[], Image.Image]] = {"lamp": _draw_lamp, "sofa": _draw_sofa}


def draw_photo(name: str) -> bytes:
    """Return the photo with this name as a JPEG."""
    written = io.BytesIO()
    _DRAWINGS[name]().resize((_WIDTH, _HEIGHT), Image.Resampling.LANCZOS).save(written, "JPEG", quality=_QUALITY)
    return written.getvalue()
