"""A breaking change of an operation, a setting or a command is refused, unless it is declared in a new major version.

A breaking change of a table is refused by `tests/invariants/test_migrations.py`.
"""

import json
from pathlib import Path

import pytest

from tests.release.repository import Repository
from tools.compatibility.__main__ import main
from tools.release.components import ROOT

pytestmark = [pytest.mark.oasdiff, pytest.mark.long]

API, SETTINGS, COMMANDS = "openapi/agents.json", "docs/reference/settings.md", "docs/reference/commands.md"
PATH, SETTING = "/api/v1/agent-config", "BALCAO_MAX_HEADER_BYTES"
OPERATION = f"GET {PATH}"
DOCTOR = "| `balcao doctor` | `--json`"


def declare(version: str, *lines: str) -> str:
    return "\n".join(["# Changelog", "", f"## {version}", "", *lines, "", "## 1.0.0", "", "- Everything.", ""])


@pytest.fixture
def released(tmp_path: Path) -> Repository:
    """Return a repository with this tree's interface, released as 1.0.0, and a commit after it."""
    for name in (API, SETTINGS, COMMANDS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "CHANGELOG.md").write_text(declare("1.0.0"))
    repository = Repository(tmp_path)
    repository.commit("Release 1.0.0")
    repository.git("tag", "v1.0.0")
    (tmp_path / "CHANGELOG.md").write_text(declare("1.1.0 (unreleased)"))
    repository.commit("Open 1.1.0")
    return repository


def compare(repository: Repository) -> int:
    return main(["--repository", str(repository.folder)])


def change(repository: Repository, name: str, old: str, new: str) -> None:
    path = repository.folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def edit_api(repository: Repository, **operation: object) -> None:
    """Change members of the operation. Without any, remove it."""
    path = repository.folder / API
    document = json.loads(path.read_text())
    if operation:
        document["paths"][PATH]["get"] |= operation
    else:
        del document["paths"][PATH]["get"]
    path.write_text(json.dumps(document))


def add_parameter(repository: Repository, *, required: bool) -> None:
    path = repository.folder / API
    document = json.loads(path.read_text())
    added = {"name": "novo", "in": "query", "required": required, "schema": {"type": "string"}}
    document["paths"][PATH]["get"]["parameters"].append(added)
    path.write_text(json.dumps(document))


def test_an_unchanged_interface_is_compatible(released: Repository) -> None:
    assert compare(released) == 0


def test_before_the_first_release_there_is_nothing_to_compare(released: Repository) -> None:
    released.git("tag", "--delete", "v1.0.0")
    edit_api(released)
    assert compare(released) == 0


def test_additions_are_compatible(released: Repository) -> None:
    add_parameter(released, required=False)
    change(released, SETTINGS, f"`{SETTING}`", f"`{SETTING}`, `BALCAO_NEW`")
    change(released, COMMANDS, DOCTOR, f"{DOCTOR} `--new`")
    assert compare(released) == 0


def remove_operation(repository: Repository) -> None:
    edit_api(repository)


def require_parameter(repository: Repository) -> None:
    add_parameter(repository, required=True)


def remove_setting(repository: Repository) -> None:
    change(repository, SETTINGS, SETTING, "BALCAO_HEADER_BYTES")


def remove_command(repository: Repository) -> None:
    change(repository, COMMANDS, DOCTOR, DOCTOR.replace("doctor", "check"))


def remove_option(repository: Repository) -> None:
    change(repository, COMMANDS, DOCTOR, DOCTOR.replace(" `--json`", ""))


@pytest.mark.parametrize(
    ("break_it", "name"),
    [
        (remove_operation, OPERATION),
        (require_parameter, OPERATION),
        (remove_setting, SETTING),
        (remove_command, "balcao doctor"),
        (remove_option, "balcao doctor --json"),
    ],
)
def test_a_breaking_change_needs_a_line_of_the_changelog_and_a_new_major_version(
    released: Repository, capsys: pytest.CaptureFixture[str], break_it: object, name: str
) -> None:
    assert callable(break_it)
    break_it(released)
    changelog = released.folder / "CHANGELOG.md"
    assert compare(released) == 1
    assert f"{name}: " in capsys.readouterr().err
    changelog.write_text(declare("2.0.0 (unreleased)"))
    assert compare(released) == 1, "it is not declared"
    changelog.write_text(declare("1.1.0 (unreleased)", f"- **Action**: `{name}` has changed."))
    assert compare(released) == 1, "the version promises compatibility"
    changelog.write_text(declare("2.0.0 (unreleased)", f"- **Action**: `{name}` has changed."))
    assert compare(released) == 0


@pytest.mark.parametrize(("sunset", "status"), [("2026-01-31", 0), ("2999-12-31", 1)])
def test_an_operation_may_be_removed_when_its_announced_sunset_has_passed(
    released: Repository, sunset: str, status: int
) -> None:
    released.git("checkout", "--quiet", "v1.0.0")
    edit_api(released, deprecated=True, **{"x-sunset": sunset})
    released.commit("Announce the removal")
    released.git("tag", "--force", "v1.0.0")
    released.commit("Open 1.1.0")
    edit_api(released)
    (released.folder / "CHANGELOG.md").write_text(declare("1.1.0 (unreleased)"))
    assert compare(released) == status


def test_a_missing_document_is_a_breaking_change(released: Repository) -> None:
    (released.folder / API).unlink()
    assert compare(released) == 1
