"""Boundaries between modules: the imports that are allowed, and the declarations that every operation needs."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from balcao import app
from tests.support.operations import all_operations

SOURCE = Path(app.__file__).parent


def test_imports_keep_to_the_contracts() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([linter], cwd=SOURCE.parent.parent, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


# The contracts by name. Each has a module and another module which the first must not import.
HOLES = {
    "The product knows nothing of the trial": ("balcao.version", "balcao_sandbox"),
    "Services never import each other": ("balcao.search.synonyms.service", "balcao.agents.routes"),
    "The core knows no service, nor what stands before them": ("balcao.core.values.clock", "balcao.gateway.wire"),
    "What an operator does is called by the command line, and calls nothing back": (
        "balcao.operate.faults",
        "balcao.cli.serve",
    ),
    "Only the command line and the composition root know all services": (
        "balcao.gateway.limits",
        "balcao.registry.paths",
    ),
    "The panel and the site are clients of the services: they know them by their addresses alone": (
        "balcao.panel.waiting",
        "balcao.search.routes",
    ),
    "The panel and the site share only what is in web": ("balcao.site.facts", "balcao.panel.diff"),
    "The groups of the core build on each other in one direction": ("balcao.core.values.clock", "balcao.core.jobs"),
    "No modules or packages import each other in a circle, not for a type alone either": (
        "balcao.health_units.routes",
        "balcao.health_units.holidays",
    ),
    "The areas of the registry build on each other in one direction": (
        "balcao.registry.paths",
        "balcao.registry.person",
    ),
}


def test_each_contract_is_broken_by_an_import_that_it_forbids(tmp_path: Path) -> None:
    """A contract that no import can break protects nothing, for example because of a misspelt module."""
    root = SOURCE.parent.parent
    shutil.copytree(root / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", tmp_path)
    for importing, imported in HOLES.values():
        add_line(tmp_path / "src" / Path(*importing.split(".")), f"import {imported}")
    linter = Path(sys.executable).with_name("lint-imports")
    words = [str(linter), "--no-logo", "--no-cache"]
    # The installed package is this source tree, so the copy must come first in the path.
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "COLUMNS": "500"}
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    contracts = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    assert {contract["name"] for contract in contracts} == set(HOLES)
    assert {name: f"{name} BROKEN" in run.stdout for name in HOLES} == dict.fromkeys(HOLES, True)
    headings = "|".join(map(re.escape, HOLES))
    _, *told = re.split(rf"^({headings})$", run.stdout.partition("Broken contracts")[2], flags=re.MULTILINE)
    chains = dict(zip(told[::2], told[1::2], strict=True))
    for name, (importing, imported) in HOLES.items():
        # For a cycle, the linter names the modules relative to their package, as in `.routes -> .holidays`.
        around = importing.rpartition(".")[0] if "circle" in name else ""
        assert f"{importing.removeprefix(around)} -> {imported.removeprefix(around)} (" in chains[name], chains[name]


def add_line(module: Path, line: str) -> None:
    """Append a line to a module, or to the `__init__` of a package."""
    file = module.with_suffix(".py")
    with (file if file.exists() else module / "__init__.py").open("a", encoding="utf-8") as text:
        text.write(f"\n{line}\n")


def test_only_stores_and_the_database_touch_the_driver() -> None:
    """Exceptions: `core/jobs` for the job queue, and `core/service.py` for the type of a seed's connection."""
    allowed = {
        "core/jobs/driver.py",
        "core/jobs/tables.py",
        "core/jobs/worker.py",
        "core/service.py",
        "core/errors.py",
    }
    users = {
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        if re.search(r"^\s*(import|from) asyncpg", file.read_text("utf-8"), re.MULTILINE)
    }
    others = {user for user in users if not user.endswith("store.py") and not user.startswith("core/database/")}
    assert others <= allowed


def test_every_operation_has_a_key_of_its_own() -> None:
    keys = [served.operation.key for served in all_operations()]
    assert len(keys) == len(set(keys))
    assert all(re.fullmatch(r"[a-z_]+\.[a-z_0-9]+", key) for key in keys)


@pytest.mark.parametrize(
    "folder",
    [*sorted(SOURCE.glob("*/migrations")), SOURCE / "core/database/sql"],
    ids=lambda folder: str(folder.relative_to(SOURCE)),
)
def test_no_two_migrations_of_a_service_have_the_same_number(folder: Path) -> None:
    """Migrations run in the order of their file names, so the order of two with the same number would be unclear."""
    numbers = [file.name[:4] for file in sorted(folder.glob("*.sql"))]
    assert numbers == sorted(set(numbers))


def test_a_command_imports_what_an_operator_does_when_it_runs() -> None:
    """Exceptions: modules that load almost nothing, and the modules that `balcao serve` needs at its start."""
    starting = {"serve.py", "welcome.py"}
    light = {"balcao.operate.faults", "balcao.operate.names", "balcao.operate.deploy.answers"}
    early = {
        f"{file.name}: {imported}"
        for file in (SOURCE / "cli").glob("*.py")
        for imported in list_early_imports(ast.parse(file.read_text("utf-8")))
        if file.name not in starting and imported.startswith("balcao.operate") and imported not in light
    }
    assert early == set()


def list_early_imports(module: ast.Module) -> Iterator[str]:
    """Yield the modules that are imported when a module loads. Skip imports in functions and imports for types."""
    for statement in module.body:
        if isinstance(statement, ast.ImportFrom):
            yield statement.module or ""
        elif isinstance(statement, ast.Import):
            yield from (name.name for name in statement.names)
