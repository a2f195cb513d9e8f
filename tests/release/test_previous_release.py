"""Tests of `make previous`, which runs the previous release's tests on this tree's schema.

Most tests use a small project on SQLite. At full size (`make prove`), the real release runs on PostgreSQL, and its
tests must detect a migration that removes something.
"""

from pathlib import Path

import pytest

from tests.release.repository import Repository, run
from tools import previous_release
from tools.previous_release import find_release, lay_migrations, read_released
from tools.release.components import ROOT
from tools.release.licences import Refused

pytestmark = pytest.mark.long

PETS = "src/balcao/registry/migrations/0001_pets.sql"
NAMES = "src/balcao/registry/migrations/0002_names.sql"
LATER = "src/balcao/registry/migrations/9999_later.sql"
AUDIT = "src/balcao/core/database/sql/0001_audit.sql"
PLAIN = "--disable-plugin-autoload"  # such a short run takes half the time with this option
# A small project. One test needs the schema, and the others pass, always fail, fail only once, or need a browser.
PROGRAM = {
    PETS: "CREATE TABLE pet (name text);",
    AUDIT: "CREATE TABLE event (at text);",
    "pyproject.toml": '[tool.pytest.ini_options]\nmarkers = ["page: needs a browser", "cases: rows of a table"]\n',
    "src/balcao/__init__.py": "",
    "src/balcao/pets.py": """
import sqlite3
from pathlib import Path

def name_pet(name):
    database = sqlite3.connect(":memory:")
    for path in sorted(Path(__file__).parent.rglob("*.sql")):
        database.executescript(path.read_text())
    database.execute("INSERT INTO pet (name) VALUES (?)", (name,))
""",
    "tests/test_pets.py": """
from pathlib import Path
import pytest
from balcao.pets import name_pet

def test_a_pet_has_a_name():
    name_pet("Rex")

@pytest.mark.cases("pets", "1")
def test_a_name_is_a_text():
    assert "Rex".isalpha()

def test_a_day_long_ago():
    assert False

def test_once_in_a_while():
    assert Path("seen").exists() or Path("seen").touch()

@pytest.mark.page
def test_a_page():
    assert False
""",
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return a repository without tags, which has one released migration of the platform and one of the registry."""
    monkeypatch.setattr(previous_release, "RELEASED", {"platform": 1, "registry": 1})
    folder = tmp_path / "repository"
    write(folder, PROGRAM)
    made = Repository(folder)
    made.commit("First")
    return made


def prove(repository: Repository, *words: str) -> int:
    return previous_release.main(["--repository", str(repository.folder), *words])


def test_the_last_release_is_the_highest_version_before_this_commit(repository: Repository) -> None:
    for tag in ("v1.9.0", "v1.10.0", "v1.10.1-rc1", "vision"):
        repository.git("tag", tag)
        repository.commit(f"After {tag}")
    repository.git("tag", "v1.11.0")
    assert find_release(repository.folder) == "v1.10.0"
    repository.git("checkout", "--quiet", "v1.10.0")
    assert find_release(repository.folder) == "v1.9.0"


def test_before_the_first_release_it_is_the_last_commit_without_a_later_migration(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "-b", "names")
    write(repository.folder, {NAMES: "CREATE TABLE nickname (name text);"})
    assert find_release(repository.folder) == "HEAD", "it is not committed yet"
    repository.commit("Add names")
    repository.git("checkout", "--quiet", "-")
    repository.commit("Change something else")
    main = repository.git("rev-parse", "HEAD")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge names", "names")
    repository.commit("Change something else again")
    assert find_release(repository.folder) == main


def test_a_history_that_does_not_tell_is_said_in_a_sentence(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(repository.folder, {NAMES: "CREATE TABLE nickname (name text);"})
    repository.commit("Add names")
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.folder}", str(tmp_path / "shallow"))
    assert previous_release.main(["--repository", str(tmp_path / "shallow")]) == 2
    assert "--unshallow" in capsys.readouterr().err
    assert prove(repository, "--release", "v7.0.0") == 2
    assert "não contém v7.0.0" in capsys.readouterr().err
    write(tmp_path / "plain", PROGRAM)
    assert previous_release.main(["--repository", str(tmp_path / "plain")]) == 2
    assert "não é um repositório git" in capsys.readouterr().err


def test_the_numbers_of_a_release_are_those_in_its_tree(repository: Repository) -> None:
    assert read_released(repository.folder) is None
    repository.git("tag", "v1.0.0")
    write(repository.folder, {NAMES: "CREATE TABLE nickname (name text);"})
    repository.commit("Add names")
    assert read_released(repository.folder) == {"platform": 1, "registry": 1}


def test_the_numbers_that_are_kept_are_those_of_the_last_release() -> None:
    """The developer who tags a release must update these numbers together with the version."""
    found = read_released(ROOT)
    assert found is None or found == previous_release.RELEASED


def test_only_what_the_release_lacks_is_laid_over_it(repository: Repository, tmp_path: Path) -> None:
    older = tmp_path / "older"
    write(older, PROGRAM)
    assert lay_migrations(repository.folder, older) == []
    boats = "src/balcao/boats/migrations/0001_boats.sql"
    later = {NAMES: "CREATE TABLE nickname (name text);", boats: "CREATE TABLE boat (name text);"}
    write(repository.folder, later | {"src/balcao/operate/deploy/roles.sql": "", "src/balcao/pets.py": "changed"})
    assert lay_migrations(repository.folder, older) == [boats, NAMES]
    assert {name: (older / name).read_text() for name in later} == later
    assert (older / "src/balcao/pets.py").read_text() == PROGRAM["src/balcao/pets.py"]


def test_a_file_of_functions_may_change_or_disappear(repository: Repository, tmp_path: Path) -> None:
    name_of, gone = (f"src/balcao/registry/migrations/functions/{name}.sql" for name in ("name_of", "gone"))
    write(tmp_path / "older", PROGRAM | {name_of: "SELECT 1;", gone: "SELECT 2;"})
    write(repository.folder, {name_of: "SELECT 3;"})
    assert lay_migrations(repository.folder, tmp_path / "older") == [name_of]
    assert (tmp_path / "older" / name_of).read_text() == "SELECT 3;"


def test_a_released_migration_that_changed_or_went_is_refused(repository: Repository, tmp_path: Path) -> None:
    write(tmp_path / "older", PROGRAM)
    write(repository.folder, {PETS: "CREATE TABLE pet (name text, age int);"})
    with pytest.raises(Refused, match="0001_pets"):
        lay_migrations(repository.folder, tmp_path / "older")
    (repository.folder / PETS).unlink()
    with pytest.raises(Refused, match=r"não existem mais: .*0001_pets"):
        lay_migrations(repository.folder, tmp_path / "older")


def test_tests_that_fail_because_of_a_migration_are_told_from_others(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    """This must also work if every test fails."""
    write(repository.folder, {NAMES: "ALTER TABLE pet RENAME COLUMN name TO called;"})
    assert prove(repository, "--", PLAIN, "-k", "pet_has or ago or once") == 1
    said = capsys.readouterr().out
    assert NAMES in said
    assert said.partition("Falharam uma vez, e repetidos não:\n")[2].splitlines() == [
        "  tests.test_pets::test_once_in_a_while",
        "Falham também sem as migrações novas, e por isso nada dizem delas:",
        "  tests.test_pets::test_a_day_long_ago",
        "Falham POR CAUSA das migrações novas:",
        "  tests.test_pets::test_a_pet_has_a_name",
    ]


@pytest.mark.parametrize(("chosen", "status"), [("name", 0), ("long_ago", 2), ("nothing", 2)])
def test_a_migration_that_expands_passes_where_a_test_passes(
    repository: Repository, capsys: pytest.CaptureFixture[str], chosen: str, status: int
) -> None:
    write(repository.folder, {NAMES: "ALTER TABLE pet ADD COLUMN age int;"})
    assert prove(repository, "--", PLAIN, "-k", chosen) == status
    said = capsys.readouterr()
    assert "Os 2 testes" in said.out if status == 0 else "Nenhum teste" in said.err
    assert ("mais uma vez" in said.out) == (chosen == "long_ago")  # only files of failed tests run again


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("change", "status"),
    [
        ("ADD COLUMN purpose text", 0),
        ("DROP COLUMN attempts", 1),
        ("RENAME COLUMN sent_at TO moment", 1),
        ("ADD COLUMN purpose text NOT NULL", 1),
    ],
)
def test_the_real_release_misses_what_a_migration_takes_away(tmp_path: Path, change: str, status: int) -> None:
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", "--shared", ROOT, clone)
    write(clone, {LATER: f"ALTER TABLE registry.phone_verification {change};"})
    tests = "tests/registry/person/phones/test_verification.py"
    assert previous_release.main(["--repository", str(clone), "--", tests, "-k", "counts_once"]) == status
