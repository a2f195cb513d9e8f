"""The walls between modules hold: who may import whom, and what every operation declares."""

import ast
import re
import subprocess
import sys
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


def test_only_stores_and_the_database_touch_the_driver() -> None:
    """`jobs` and `service` name its types for what the owner's connection does before services start."""
    allowed = {
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


# Installations have applied it under this name.
APPLIED = {"0013_preference_entries.sql"}


@pytest.mark.parametrize(
    "folder",
    [*sorted(SOURCE.glob("*/migrations")), SOURCE / "core/database/sql"],
    ids=lambda folder: str(folder.relative_to(SOURCE)),
)
def test_no_two_migrations_of_a_service_have_the_same_number(folder: Path) -> None:
    """They are applied in the order of their names: of two with one number nobody could tell which is meant first."""
    numbers = [file.name[:4] for file in sorted(folder.glob("*.sql")) if file.name not in APPLIED]
    assert numbers == sorted(set(numbers))


def test_a_command_imports_what_an_operator_does_when_it_runs() -> None:
    """But for words and faults, which load nothing. What starts processes is light, too."""
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
    """Yield the modules that a module imports while it is loaded: not within functions, nor for types alone."""
    for statement in module.body:
        if isinstance(statement, ast.ImportFrom):
            yield statement.module or ""
        elif isinstance(statement, ast.Import):
            yield from (name.name for name in statement.names)
