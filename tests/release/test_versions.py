"""The version is defined in one place, and its copies agree with it. Every dependency has a documented reason."""

import re
import tomllib
from itertools import pairwise

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from balcao import __version__
from balcao.installed import list_drift, load_lock
from tools.release.components import ROOT

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
