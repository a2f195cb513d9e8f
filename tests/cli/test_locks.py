"""The lock files: whole, hashed, and without the address of any package index."""

import ast
import contextlib
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PROJECT = Path(__file__).parents[2]
# Each with the extra that it is of.
LOCKS = {"requirements.lock": None, "requirements-dev.lock": "dev", "requirements-traces.lock": "traces"}


def pinned(lock: str) -> dict[str, str]:
    lines = (PROJECT / lock).read_text().splitlines()
    return dict(re.findall(r"^([\w.-]+)==(\S+)", line)[0] for line in lines if re.match(r"[\w.-]+==", line))


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    return {normal(re.split(r"[\[<>=!~; ]", line)[0]) for line in lines}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported() -> Iterator[str]:
    for path in (PROJECT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.split(".")[0]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes_and_no_line_names_an_address(lock: str) -> None:
    text = (PROJECT / lock).read_text()
    assert "://" not in text
    assert not re.search(r"^\s*-", text.replace("    --hash=", ""), re.MULTILINE)
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_what_is_declared_is_pinned_and_all_locks_agree() -> None:
    runtime, development, traces = (pinned(lock) for lock in LOCKS)
    assert declared() <= {normal(name) for name in runtime}
    assert declared("traces") <= {normal(name) for name in traces}
    assert runtime.items() <= traces.items() <= development.items()


def test_the_build_backend_is_pinned_too() -> None:
    assert {"hatchling", "editables"} <= set(pinned("requirements.lock"))


def test_every_imported_package_is_declared() -> None:
    homes = packages_distributions()
    foreign = {name for name in imported() if name not in sys.stdlib_module_names and name != "balcao"}
    comes_with = {"pydantic_core": "pydantic"}
    known = declared("traces")
    missing = {
        name
        for name in foreign
        if comes_with.get(name) not in known and not {normal(home) for home in homes.get(name, ())} & known
    }
    assert missing == set()


SYSTEMS = [
    {"sys_platform": name, "platform_system": system, "platform_machine": machine, "os_name": "posix"}
    for name, system, machine in (
        ("linux", "Linux", "x86_64"),
        ("linux", "Linux", "aarch64"),
        ("darwin", "Darwin", "arm64"),
    )
]
PYTHONS = [
    {"python_version": full.rpartition(".")[0], "python_full_version": full}
    for full in ("3.11.0", "3.11.9", "3.12.3", "3.13.1")
]


@pytest.mark.parametrize("lock", LOCKS)
def test_it_holds_for_every_supported_python_and_system(lock: str) -> None:
    """What pip would demand there and does not find pinned: it resolves markers, the lock was made on one machine."""
    pins = {normal(name) for name in pinned(lock)}
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    extra = LOCKS[lock]
    roots = project["dependencies"] + (project["optional-dependencies"][extra] if extra else [])
    for surroundings in (python | system for python in PYTHONS for system in SYSTEMS):
        assert demanded(roots, surroundings) - pins == set(), surroundings


def demanded(roots: list[str], surroundings: dict[str, str]) -> set[str]:
    waiting, seen = [Requirement(root) for root in roots], set()
    while waiting:
        wanted = waiting.pop()
        for extra in ("", *sorted(wanted.extras)):
            key = (normal(wanted.name), extra)
            if key in seen:
                continue
            seen.add(key)
            with contextlib.suppress(PackageNotFoundError):
                needs = [Requirement(line) for line in requires(wanted.name) or ()]
                waiting += [n for n in needs if not n.marker or n.marker.evaluate(surroundings | {"extra": extra})]
    return {name for name, _ in seen}
