"""The version is defined in one place, and its copies agree with it. Every dependency has a documented reason."""

import re
import shutil
import tomllib
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from balcao import __version__
from balcao.installed import list_drift, load_lock
from tools.release.components import ROOT
from tools.release.licences import Refused
from tools.release.numbering import write_version

HEADING = re.compile(r"^## (\S+) \((unreleased|\d{4}-\d\d-\d\d)\)$")
REASONS = (ROOT / "docs/dependencies.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
TRIAL = tomllib.loads((ROOT / "src/balcao_sandbox/pyproject.toml").read_text("utf-8"))["project"]


def test_the_changelog_begins_with_this_version_and_only_that_one_may_be_unreleased() -> None:
    headings = [line for line in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines() if line.startswith("## ")]
    found = [HEADING.match(line) for line in headings]
    assert None not in found, headings
    versions = [(Version(one[1]), one[2]) for one in found if one]
    assert versions[0][0] == Version(__version__)
    assert all(newer > older for (newer, _), (older, _) in pairwise(versions))
    assert "unreleased" not in [day for _, day in versions[1:]]


def test_the_trial_is_of_the_same_version_and_asks_for_it() -> None:
    assert TRIAL["version"] == __version__
    assert f"balcao=={__version__}" in TRIAL["dependencies"]


@pytest.mark.parametrize("released", [True, False])
def test_a_new_version_reaches_every_file_that_contains_it(tmp_path: Path, released: bool) -> None:
    examples = "src/balcao/agent_docs/response_examples.json"
    copies = ["src/balcao/__init__.py", "src/balcao_sandbox/pyproject.toml", "CHANGELOG.md", "publiccode.yml", examples]
    for name in copies:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    write_version(tmp_path, "7.0.0", "2030-01-31")
    if not released:
        write_version(tmp_path, "7.1.0", None)
    version, day = ("7.0.0", date(2030, 1, 31)) if released else ("7.1.0", None)
    written = {name: (tmp_path / name).read_text("utf-8") for name in copies}
    trial = tomllib.loads(written["src/balcao_sandbox/pyproject.toml"])["project"]
    described = yaml.safe_load(written["publiccode.yml"])
    headings = [line for line in written["CHANGELOG.md"].splitlines() if line.startswith("## ")]
    assert f'__version__ = "{version}"' in written["src/balcao/__init__.py"].splitlines()
    assert trial["version"] == version
    assert f'"version": "{version}"' in written[examples]
    assert __version__ not in written[examples]
    assert f"balcao=={version}" in trial["dependencies"]
    assert described["softwareVersion"] == version
    assert str(described.get("releaseDate")) == str(day)
    assert described["developmentStatus"] == ("stable" if released else "beta")
    newest = ["## 7.0.0 (2030-01-31)"] if released else ["## 7.1.0 (unreleased)", "## 7.0.0 (2030-01-31)"]
    assert headings[: len(newest)] == newest


def test_a_version_that_cannot_be_written_everywhere_is_written_nowhere(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="não é uma versão"):
        write_version(ROOT, "one", None)
    (tmp_path / "src/balcao").mkdir(parents=True)
    (tmp_path / "src/balcao_sandbox").mkdir()
    (tmp_path / "src/balcao/__init__.py").write_text('__version__ = "1.0.0"\n')
    (tmp_path / "src/balcao_sandbox/pyproject.toml").write_text('version = "1.0.0"\n')
    with pytest.raises(Refused, match="falta uma linha"):
        write_version(tmp_path, "7.0.0", None)
    assert "1.0.0" in (tmp_path / "src/balcao/__init__.py").read_text()


def test_what_the_tests_run_on_is_what_a_release_installs() -> None:
    assert list_drift(load_lock()) == []


def test_every_package_that_is_asked_for_has_its_reason_and_nothing_else_has_one() -> None:
    asked = {canonicalize_name(Requirement(one).name) for one in PROJECT["dependencies"] + TRIAL["dependencies"]}
    cells = [line.split("|")[1] for line in REASONS.splitlines() if line.startswith("| ") and "| Package" not in line]
    named = {canonicalize_name(part.split()[0]) for cell in cells for part in cell.split(",")}
    assert named == asked - {"balcao"} | {"swagger-ui", "htmx", "idiomorph"}  # the bundled files come in addition


def test_every_package_for_some_installations_and_for_development_is_named() -> None:
    asked = {
        canonicalize_name(Requirement(one).name) for group in PROJECT["optional-dependencies"].values() for one in group
    }
    words = {canonicalize_name(word) for word in re.findall(r"[A-Za-z][A-Za-z0-9-]*[A-Za-z]", REASONS)}
    assert asked - words == set()
