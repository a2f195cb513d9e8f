"""Run the previous release's tests, with its own code, on the schema of this tree: `make previous`.

This shows whether processes of that release still work after the newer migrations. The release is the newest `v*` tag
before this commit. Without a tag, it is the last commit whose migrations match RELEASED.

The release is unpacked into a temporary folder, this tree's migrations are copied over its own, and its tests run
there. Failed tests run again, with and without the new migrations. The migrations have caused a failure if the test
fails each time with them and passes without them.

The tests use the packages that are installed in this environment. Tests with a marker are left out, because they need
more programs than PostgreSQL.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from tools.release.building import ask_git, extract
from tools.release.components import ROOT
from tools.release.licences import Refused

# For each owner, the number of its newest migration in the previous release. There is no release yet. So these are the
# migrations after which a migration may only expand the schema.
RELEASED = {
    "access": 1,
    "agents": 1,
    "employability": 2,
    "health_units": 1,
    "panel": 1,
    "platform": 1,
    "registry": 1,
    "search": 2,
    "site": 1,
}
# Tests of the release that are not run, with the reason.
LEFT_OUT = {
    "tests/release": "builds and names releases from the history, which the unpacked tree does not have",
    "tests/invariants/test_citations.py": "compares the rules that migrations cite with pages, which come later too",
    "tests/registry/rights/test_rights.py::test_every_table_with_a_persons_number_is_declared_by_a_feature": (
        "a table that a migration adds is declared by the code that it comes with"
    ),
}

_MIGRATION = re.compile(r"src/balcao/(?:core/database/sql|(?P<service>\w+)/migrations)/(?P<number>[0-9]{4})_\w+\.sql")
_FUNCTIONS = re.compile(r"src/balcao/(?:core/database/sql|\w+/migrations)/functions/\w+\.sql")
_VERSION = re.compile(r"v([0-9]+)\.([0-9]+)\.([0-9]+)")
# Markers that only say what a test shows.
_DESCRIPTIVE = {"cases", "task"}
_NONE_PASSES = "Nenhum teste da última edição passa: isto nada diz das migrações."
# Variables of an enclosing test run, which the release's tests must not see.
_OURS = ("BALCAO_", "CRM_", "PYTEST_", "COV_")


def main(words: Sequence[str] | None = None) -> int:
    """Run the previous release's tests, and return the exit status. Arguments after `--` are passed to pytest."""
    arguments = argparse.ArgumentParser(prog="python -m tools.previous_release")
    arguments.add_argument("--release", help="a tag or commit, instead of the last release")
    arguments.add_argument("--repository", type=Path, default=ROOT)
    arguments.add_argument("pytest", nargs="*")
    said = arguments.parse_args(words)
    try:
        release = said.release or find_release(said.repository)
        with tempfile.TemporaryDirectory(prefix="balcao-previous-") as name:
            folder, unchanged = Path(name, "release"), Path(name, "unchanged")
            for each in (folder, unchanged):
                extract(said.repository, find_commit(said.repository, release), each)
            laid = lay_migrations(said.repository, folder)
            if not laid:
                print(f"Nada a provar: o esquema desta árvore é o de {release[:12]}.")
                return 0
            print(
                f"Os testes de {release[:12]}, com o código dela, e mais estas migrações:",
                *laid,
                sep="\n  ",
                flush=True,
            )
            return _prove(folder, unchanged, said.pytest)
    except Refused as fault:
        print(fault, file=sys.stderr)
        return 2


def find_commit(repository: Path, name: str) -> str:
    """Return the hash of a commit. Raises Refused if the clone does not contain it."""
    done = subprocess.run(
        ["git", "-C", str(repository), "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Refused(f"Este clone não contém {name}: traga o histórico com `git fetch --tags --unshallow`.")
    return done.stdout.strip()


def find_release(repository: Path) -> str:
    """Return the previous release's tag or, before the first release, the last commit with the migrations of RELEASED.

    Raises Refused if the history does not contain that commit.
    """
    if tag := find_tag(repository):
        return tag
    later = [name for name in _list_migrations(repository) if _is_later(name)]
    if not later:
        return "HEAD"
    if ask_git(repository, "rev-parse", "--is-shallow-repository") == "true":
        raise Refused(
            "Este clone não tem etiqueta de edição (v1.2.0), e o histórico dele foi cortado: traga o resto com "
            "`git fetch --tags --unshallow`, ou diga o commit com --release."
        )
    # Follow only first parents, which form the main branch. A branch's commits arrive there with its merge.
    words = ("--first-parent", "-m", "--diff-filter=A", "--format=%H")
    added = ask_git(repository, "log", *words, "HEAD", "--", *later).split()
    return find_commit(repository, f"{added[-1]}^") if added else "HEAD"


def find_tag(repository: Path) -> str | None:
    """Return the highest release tag before this commit, or None. Raises Refused without a repository or commits."""
    if subprocess.run(["git", "-C", str(repository), "rev-parse"], capture_output=True).returncode:
        raise Refused("Esta pasta não é um repositório git com commits: a última edição só se acha no histórico.")
    tags = ask_git(repository, "tag", "--list", "v*", "--merged", "HEAD", "--no-contains", "HEAD").split()
    versions = [found for tag in tags if (found := _VERSION.fullmatch(tag))]
    newest = max(versions, key=lambda found: tuple(map(int, found.groups())), default=None)
    return newest and newest[0]


def read_released(repository: Path) -> dict[str, int] | None:
    """Return the value that RELEASED should have, or None before the first release."""
    tag = find_tag(repository)
    return last_numbers(ask_git(repository, "ls-tree", "-r", "--name-only", tag).splitlines()) if tag else None


def last_numbers(names: Sequence[str]) -> dict[str, int]:
    """Return the number of each owner's last migration, from a list of paths."""
    numbers: dict[str, int] = {}
    for name in names:
        if found := _MIGRATION.fullmatch(name):
            owner = found["service"] or "platform"
            numbers[owner] = max(numbers.get(owner, 0), int(found["number"]))
    return numbers


def lay_migrations(tree: Path, folder: Path) -> list[str]:
    """Copy a tree's migrations into the folder of an older tree. Return the paths of the new and changed files.

    Only a file of functions may differ, because the platform applies it again. Raises Refused if a numbered migration
    of the older tree was removed or changed, because the platform rejects such a database.
    """
    new, old = _list_migrations(tree), _list_migrations(folder)
    if gone := sorted(name for name in set(old) - set(new) if _MIGRATION.fullmatch(name)):
        raise Refused(f"Migrações da última edição não existem mais: {', '.join(gone)}.")
    changed = [name for name in old if name in new and (tree / name).read_bytes() != (folder / name).read_bytes()]
    if wrong := [name for name in changed if _MIGRATION.fullmatch(name)]:
        raise Refused(f"Migrações da última edição foram alteradas: {', '.join(wrong)}. Crie uma nova em vez disso.")
    laid = [name for name in new if name not in old or name in changed]
    for name in laid:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tree / name, folder / name)
    return laid


def _list_migrations(tree: Path) -> list[str]:
    paths = (path.relative_to(tree).as_posix() for path in tree.glob("src/balcao/**/*.sql"))
    return sorted(name for name in paths if _MIGRATION.fullmatch(name) or _FUNCTIONS.fullmatch(name))


def _is_later(name: str) -> bool:
    return any(number > RELEASED.get(owner, 0) for owner, number in last_numbers([name]).items())


def _prove(folder: Path, unchanged: Path, words: Sequence[str]) -> int:
    """Run the tests. Run the files of failed tests again, with the new migrations and in the `unchanged` release.

    Report which failures the migrations cause, and return the exit status of the command. Tests in a module share a
    database, so a file always runs as a whole. Then a test that fails only after its neighbours have run fails again.
    """
    first = _run_tests(folder, *words)
    if not first.failed:
        if not first.passed:
            raise Refused(_NONE_PASSES)
        print(f"Os {first.passed} testes da última edição passam com o esquema desta árvore.")
        return 0
    options = [word for word in words if not (folder / word.partition("::")[0]).exists()]
    files = sorted({_find_file(folder, name) for name in first.failed})
    print("\nOs arquivos dos que falharam, mais uma vez:", flush=True)
    again = _run_tests(folder, *options, *files)
    print("\nOs mesmos, sem as migrações novas:", flush=True)
    without = _run_tests(unchanged, *options, *files)
    _tell("Falharam uma vez, e repetidos não:", first.failed - again.failed)
    _tell("Falham também sem as migrações novas, e por isso nada dizem delas:", again.failed & without.failed)
    if broken := first.failed & again.failed - without.failed:
        _tell("Falham POR CAUSA das migrações novas:", broken)
        return 1
    if not first.passed:
        raise Refused(_NONE_PASSES)
    print(f"Os outros {first.passed} testes da última edição passam com o esquema desta árvore.")
    return 0


def _tell(heading: str, names: set[str]) -> None:
    if names:
        print(heading, *sorted(names), sep="\n  ")


def _find_file(folder: Path, name: str) -> str:
    """Return the path of a test's module, given the test's name in the report, as in `tests.core.test_text::test_x`."""
    place = Path(*name.partition("::")[0].split("."))
    return next(str(path) for each in (place, *place.parents) if (folder / (path := each.with_suffix(".py"))).exists())


class Outcome(NamedTuple):
    """The number of passed tests, and the names of failed tests."""

    passed: int
    failed: set[str]


def _run_tests(folder: Path, *words: str) -> Outcome:
    """Run the tests. Raises Refused if the run was interrupted, or failed for a reason other than failed tests."""
    report = folder / "report.xml"
    left_out = [f"--deselect={name}" for name in LEFT_OUT]
    command = [sys.executable, "-m", "pytest", "-q", f"--junit-xml={report}", "-m", _without_markers(folder), *left_out]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    environment["PYTHONPATH"] = os.pathsep.join((str(folder / "src"), str(folder)))
    status = subprocess.run([*command, *words], cwd=folder, env=environment).returncode
    if not report.exists() or status not in (
        pytest.ExitCode.OK,
        pytest.ExitCode.TESTS_FAILED,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    ):
        raise Refused("Os testes da última edição não chegaram ao fim: veja acima.")
    outcome = _read_report(report)
    report.unlink()
    if status == pytest.ExitCode.TESTS_FAILED and not outcome.failed:
        raise Refused("Algo falhou ao lado dos testes da última edição: veja acima.")
    return outcome


def _read_report(report: Path) -> Outcome:
    cases = list(ElementTree.parse(report).iter("testcase"))  # noqa: S314 - written by the run of the tests
    failed = {case for case in cases if case.find("failure") is not None or case.find("error") is not None}
    passed = [case for case in cases if case not in failed and case.find("skipped") is None]
    # If a module could not be imported, the report has the module's name as the test's name, and no class.
    return Outcome(len(passed), {"::".join(filter(None, (case.get("classname"), case.get("name")))) for case in failed})


def _without_markers(folder: Path) -> str:
    """Return the expression that leaves out tests that need a tool or take long."""
    options = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    names = [marker.partition(":")[0] for marker in options.get("markers", [])]
    return " and ".join(f"not {name}" for name in names if name not in _DESCRIPTIVE)


if __name__ == "__main__":
    sys.exit(main())
