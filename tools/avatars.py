"""Convert the built-in avatars from SVG to PNG: `python -m tools.avatars`.

The PNG files are committed next to their sources. A test compares the two.
"""

import sys
from pathlib import Path

import resvg_py

FOLDER = Path(__file__).parent.parent / "src" / "balcao" / "registry" / "person" / "avatars" / "images"
# Twice the size at which a portal shows an avatar, for high-resolution screens.
SIZE = 256


def draw(source: Path) -> bytes:
    """Return the SVG as a PNG of SIZE x SIZE pixels. The bytes are always the same."""
    return resvg_py.svg_to_bytes(svg_path=str(source), width=SIZE, height=SIZE)


def main() -> int:
    for source in sorted(FOLDER.glob("*.svg")):
        source.with_suffix(".png").write_bytes(draw(source))
    return 0


if __name__ == "__main__":
    sys.exit(main())
