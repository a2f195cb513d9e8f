"""What the platform's error codes mean and how to fix them, from the `errors.toml` of each package."""

import tomllib
from pathlib import Path

from clients.generator.documents import ROOT

PACKAGES = ROOT / "src" / "balcao"


def read_remedies() -> dict[str, str]:
    """Return the remedy of each code, in English; a code of two packages has that of the platform's core."""
    remedies: dict[str, str] = {}
    for path in sorted(PACKAGES.rglob("errors.toml"), key=_core_last):
        remedies |= {code: entry["fix"] for code, entry in tomllib.loads(path.read_text("utf-8")).items()}
    return dict(sorted(remedies.items()))


def _core_last(path: Path) -> tuple[bool, str]:
    return path.parent.name == "core", path.as_posix()
