"""The long run upgrades from a commit whose database the present program can upgrade."""

from pathlib import Path

import pytest

from tests.histories import hours
from tests.release.repository import Repository

BASELINE = "src/balcao/registry/migrations/0001_baseline.sql"
ADDITION = "src/balcao/registry/migrations/0002_pets.sql"
FUNCTION = "src/balcao/registry/migrations/functions/pets.sql"
CORE = "src/balcao/core/database/sql/0001_baseline.sql"
PROGRAM = "src/balcao/registry/pets.py"


class History:
    """A repository in which each commit writes one file."""

    def __init__(self, folder: Path) -> None:
        self._repository = Repository(folder)
        self._texts = 0

    def commit(self, path: str) -> str:
        """Write a new text into the file, commit it, and return the commit's hash."""
        self._texts += 1
        file = self._repository.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"-- {self._texts}\n")
        self._repository.commit(path)
        return self._repository.git("rev-parse", "HEAD")


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """Return a repository with a program and both baselines."""
    monkeypatch.setattr(hours, "ROOT", tmp_path)
    created = History(tmp_path)
    for path in (PROGRAM, CORE, BASELINE):
        created.commit(path)
    return created


def test_the_run_upgrades_from_the_commit_before_the_newest_migration(history: History) -> None:
    history.commit(PROGRAM)
    before = history.commit(FUNCTION)
    history.commit(ADDITION)
    history.commit(FUNCTION)
    assert hours.find_former_release() == before


@pytest.mark.parametrize("path", [BASELINE, CORE])
def test_before_the_first_release_it_upgrades_from_the_present_baselines(history: History, path: str) -> None:
    changed = history.commit(path)
    history.commit(FUNCTION)
    history.commit(PROGRAM)
    assert hours.find_former_release() == changed
