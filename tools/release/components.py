"""The components of a release, each with its licence: locked packages and bundled third-party files."""

import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from balcao.installed import Locked, parse_lock
from tools.release.licences import Refused, check_licence, read_licence

ROOT = Path(__file__).parents[2]
_OWN_DATA = tomllib.loads(Path(__file__).with_name("licences.toml").read_text("utf-8"))


class Scope(Enum):
    """Why a package is listed: it is required, required only for optional parts, or used only for the build."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    BUILD = "excluded"


@dataclass(frozen=True)
class Component:
    """A package, or bundled third-party files. `licence` is an SPDX expression, and `requires` are component names.

    `hashes` are SHA-256 values: of the files from which a package may be installed, or of the bundled files.
    The `purl` of bundled files names the package that they come from.
    """

    name: str
    version: str
    licence: str
    purl: str
    scope: Scope
    hashes: tuple[str, ...]
    requires: tuple[str, ...] = ()
    description: str = ""
    is_bundled: bool = False


def list_packages(root: Path = ROOT) -> list[Component]:
    """Return the packages in the lists of versions, as installed in this environment.

    Raises Refused for a package that differs from its list, or whose licence is unknown or not accepted.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    graphs = {
        Scope.REQUIRED: _follow(project["project"]["dependencies"]),
        Scope.OPTIONAL: _follow(project["project"]["optional-dependencies"]["traces"]),
        Scope.BUILD: _follow(project["build-system"]["requires"]),
    }
    lock = parse_lock((root / "requirements-traces.lock").read_text("utf-8"))
    return [_describe(one, graphs) for one in lock]


def _describe(locked: Locked, graphs: dict[Scope, dict[str, set[str]]]) -> Component:
    distribution = _distribution(locked.name)
    if distribution.version != locked.version:
        raise Refused(
            f"{locked.name} {distribution.version} está instalado, a lista diz {locked.version}: `make test`."
        )
    licence = check_licence(
        locked.name, _OWN_DATA["read"].get(locked.name) or read_licence(distribution.metadata), _OWN_DATA["accepted"]
    )
    # A package that no other package requires belongs to the build of the editable installation.
    scope = next((scope for scope, graph in graphs.items() if locked.name in graph), Scope.BUILD)
    return Component(
        locked.name,
        locked.version,
        licence,
        f"pkg:pypi/{locked.name}@{locked.version}",
        scope,
        locked.hashes,
        tuple(sorted(graphs[scope].get(locked.name, ()))),
        str(distribution.metadata["Summary"] or ""),
    )


def list_bundled(root: Path = ROOT) -> list[Component]:
    """Return the third-party components in our package. Raises Refused if a licence is not accepted."""
    return [
        Component(
            part["name"],
            part["version"],
            check_licence(part["name"], part["licence"], _OWN_DATA["accepted"]),
            part["purl"],
            Scope.REQUIRED,
            tuple(hashlib.sha256((root / path).read_bytes()).hexdigest() for path in part["paths"]),
            description=part["description"],
            is_bundled=True,
        )
        for part in _OWN_DATA["bundled"]
    ]


def list_direct(root: Path = ROOT) -> tuple[str, ...]:
    """Return the names of the packages that the platform itself requires."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return tuple(sorted(canonicalize_name(Requirement(one).name) for one in project["dependencies"]))


def _follow(requirements: list[str]) -> dict[str, set[str]]:
    """Return all direct and indirect requirements on this machine, each with the names of its own requirements."""
    waiting = [(Requirement(one), "") for one in requirements]
    found: dict[str, set[str]] = {}
    seen = set()
    while waiting:
        requirement, asked_by = waiting.pop()
        name = canonicalize_name(requirement.name)
        if asked_by:
            found[asked_by].add(name)
        found.setdefault(name, set())
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += [(one, name) for one in _list_requirements(name, extra)]
    return found


def _list_requirements(name: str, extra: str) -> Iterator[Requirement]:
    for line in _distribution(name).requires or []:
        requirement = Requirement(line)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": extra})
        # For an extra, skip the requirements that also apply without the extra.
        if applies and (not extra or (requirement.marker and not requirement.marker.evaluate({"extra": ""}))):
            yield requirement


@cache
def _distribution(name: str) -> metadata.Distribution:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise Refused(f"{name} está na lista e não está instalado: `make test` instala tudo.") from None
