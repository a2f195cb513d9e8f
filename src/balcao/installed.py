"""Check whether the installed packages match the release's list of versions."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_FOLDER = Path(__file__).parent
# A wheel contains the list. In the source tree, the list is next to pyproject.toml.
_LOCKS = (_FOLDER / "requirements.lock", _FOLDER.parents[1] / "requirements.lock")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True)
class Locked:
    """A package in the list of versions. `hashes` are the SHA-256 hashes of the files that may be installed."""

    name: str
    version: str
    hashes: tuple[str, ...]


class Drift(NamedTuple):
    """A package that is missing or has another version than the list requires."""

    name: str
    locked: str
    installed: str | None

    def __str__(self) -> str:
        return f"{self.name} {self.installed or 'falta'} (lista: {self.locked})"


def parse_lock(text: str) -> list[Locked]:
    """Return the packages of a pip-compile list, without packages for other machines."""
    found = []
    for entry in re.split(r"\n(?=[A-Za-z0-9])", text):
        head, _, rest = entry.partition("\\\n")
        requirement = Requirement(head.strip())
        if requirement.marker is None or requirement.marker.evaluate():
            (version,) = (one.version for one in requirement.specifier)
            found.append(Locked(canonicalize_name(requirement.name), version, tuple(_HASH.findall(rest))))
    return found


def load_lock() -> list[Locked]:
    """Return the packages in the list of this release."""
    return parse_lock(next(path for path in _LOCKS if path.exists()).read_text("utf-8"))


def list_drift(lock: Iterable[Locked]) -> list[Drift]:
    """Return the packages that are missing or have another version than the list."""
    found = ((one, _find_version(one.name)) for one in lock)
    return [Drift(one.name, one.version, installed) for one, installed in found if installed != one.version]


def _find_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
