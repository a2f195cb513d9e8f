"""The lock files are complete, contain hashes, and contain no package index address."""

import ast
import contextlib
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PROJECT = Path(__file__).parents[2]
PRODUCT, TRIAL = PROJECT / "pyproject.toml", PROJECT / "src/balcao_sandbox/pyproject.toml"
# The lock files, each with the extra that it belongs to.
LOCKS = {"requirements.lock": None, "requirements-dev.lock": "dev", "requirements-traces.lock": "traces"}
SANDBOX = "requirements-sandbox.lock"
PIN = re.compile(r"^([\w.-]+)(\[[\w.,-]+\])?==(\S+)", re.MULTILINE)


def pinned(lock: str) -> dict[str, str]:
    return {name: version for name, _, version in PIN.findall((PROJECT / lock).read_text())}


def declared(*extras: str, by: Path = PRODUCT) -> set[str]:
    return {normal(Requirement(line).name) for line in requirements(*extras, by=by)} - {"balcao"}


def requirements(*extras: str, by: Path = PRODUCT) -> list[str]:
    project = tomllib.loads(by.read_text())["project"]
    return [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(package: str) -> Iterator[str]:
    for path in (PROJECT / "src" / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.split(".")[0]


@pytest.mark.parametrize("lock", [*LOCKS, SANDBOX])
def test_every_pin_has_hashes_and_no_line_names_an_address(lock: str) -> None:
    text = (PROJECT / lock).read_text()
    assert "://" not in text
    assert not re.search(r"^\s*-", text.replace("    --hash=", ""), re.MULTILINE)
    starts = [pin.start() for pin in PIN.finditer(text)]
    entries = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_what_is_declared_is_pinned_and_all_locks_agree() -> None:
    runtime, development, traces = (pinned(lock) for lock in LOCKS)
    assert declared() <= {normal(name) for name in runtime}
    assert declared("traces") <= {normal(name) for name in traces}
    assert runtime.items() <= traces.items() <= development.items()


def test_what_the_trial_needs_is_pinned_in_a_lock_of_its_own_that_agrees() -> None:
    sandbox = pinned(SANDBOX)
    assert declared(by=TRIAL) <= {normal(name) for name in sandbox}
    for lock in LOCKS:
        assert {name: pinned(lock).get(name, version) for name, version in sandbox.items()} == sandbox


def test_what_the_trial_alone_needs_is_not_installed_in_production() -> None:
    alone = declared(by=TRIAL) - declared("traces")
    assert alone
    assert alone & {normal(name) for lock in LOCKS if lock != "requirements-dev.lock" for name in pinned(lock)} == set()


def test_the_build_backend_is_pinned_too() -> None:
    assert {"hatchling", "editables"} <= set(pinned("requirements.lock"))


@pytest.mark.parametrize(
    ("package", "known"),
    [("balcao", declared("traces")), ("balcao_sandbox", declared() | declared(by=TRIAL))],
    ids=["balcao", "balcao_sandbox"],
)
def test_every_imported_package_is_declared(package: str, known: set[str]) -> None:
    homes = packages_distributions()
    ours = {*sys.stdlib_module_names, "balcao", package}
    comes_with = {"pydantic_core": "pydantic"}
    missing = {
        name
        for name in set(imported(package)) - ours
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


@pytest.mark.parametrize("lock", [*LOCKS, SANDBOX])
def test_it_holds_for_every_supported_python_and_system(lock: str) -> None:
    """On each supported system, the lock file pins everything that pip would install.

    The lock file was made on one machine, but markers make the requirements depend on the system.
    """
    pins = {normal(name) for name in pinned(lock)}
    extra = LOCKS.get(lock)
    found = requirements(*([extra] if extra else []), by=TRIAL if lock == SANDBOX else PRODUCT)
    roots = [line for line in found if not line.startswith("balcao==")]
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


def test_the_list_of_the_tests_names_the_extras_that_an_installed_distribution_asks_for() -> None:
    """The lock file must list extras.

    Otherwise pip before 23.3 looks for `coverage[toml]` in the index instead of using the pinned version.
    """
    pins = PIN.finditer((PROJECT / "requirements-dev.lock").read_text())
    lines = [Requirement(pin[0]) for pin in pins]
    named = {normal(line.name): line.extras for line in lines}
    bare = {
        f"{name} needs {wanted.name}[{extra}]"
        for name, extras in named.items()
        for wanted in asked(name, extras)
        for extra in wanted.extras - named.get(normal(wanted.name), set())
    }
    assert any(named.values())
    assert bare == set()


def asked(name: str, extras: set[str]) -> list[Requirement]:
    """Return the distribution's requirements on this system, with these extras."""
    try:
        needs = [Requirement(line) for line in requires(name) or ()]
    except PackageNotFoundError:
        return []
    return [n for n in needs if not n.marker or any(n.marker.evaluate({"extra": extra}) for extra in ("", *extras))]
