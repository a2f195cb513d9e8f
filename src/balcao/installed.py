"""Whether the packages beside the program are those that it was released with."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_FOLDER = Path(__file__).parent
# A wheel brings the list of versions that it was released with; in the source it stands beside pyproject.toml.
_LOCKS = (_FOLDER / "requirements.lock", _FOLDER.parents[1] / "requirements.lock")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True)
class Locked:
    """A package of the list of versions; `hashes` are the SHA-256 of all files it may be installed from."""

    name: str
    version: str
    hashes: tuple[str, ...]


class Drift(NamedTuple):
    """A package that is installed in another version than the list says, or not at all."""

    name: str
    locked: str
    installed: str | None

    def __str__(self) -> str:
        return f"{self.name} {self.installed or 'falta'} (lista: {self.locked})"


def parse_lock(text: str) -> list[Locked]:
    """Return the packages of a list that pip-compile wrote, but for those that are not meant for this machine."""
    found = []
    for entry in re.split(r"\n(?=[A-Za-z0-9])", text):
        head, _, rest = entry.partition("\\\n")
        requirement = Requirement(head.strip())
        if requirement.marker is None or requirement.marker.evaluate():
            (version,) = (one.version for one in requirement.specifier)
            found.append(Locked(canonicalize_name(requirement.name), version, tuple(_HASH.findall(rest))))
    return found


def load_lock() -> list[Locked]:
    """Return the packages that this program was released with."""
    return parse_lock(next(path for path in _LOCKS if path.exists()).read_text("utf-8"))


def list_drift(lock: Iterable[Locked]) -> list[Drift]:
    """Return what is installed otherwise than the list says."""
    found = ((one, _find_version(one.name)) for one in lock)
    return [Drift(one.name, one.version, installed) for one, installed in found if installed != one.version]


def _find_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
