"""publiccode.yml follows version 0.4 of its standard and agrees with the project.

No package index offers the standard's own checker, so these tests read the standard's rules for each key that we use
(https://yml.publiccode.tools).
"""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from balcao import __version__
from balcao.operate.postgresql.programs import OLDEST_VERSION

ROOT = Path(__file__).parents[2]
FILE = yaml.safe_load((ROOT / "publiccode.yml").read_text("utf-8"))
DESCRIPTIONS = FILE["description"]
READMES = {"en": "README.md", "pt-BR": "README.pt-BR.md"}

MANDATORY = [
    "publiccodeYmlVersion",
    "name",
    "url",
    "platforms",
    "categories",
    "developmentStatus",
    "softwareType",
    "description",
    "legal/license",
    "maintenance/type",
    "maintenance/contacts",
    "localisation/localisationReady",
    "localisation/availableLanguages",
]
OPTIONAL = ["softwareVersion", "releaseDate", "intendedAudience", "dependsOn", "legal", "maintenance", "localisation"]
VALUES = {
    "publiccodeYmlVersion": {"0.4"},
    "developmentStatus": {"concept", "development", "beta", "stable", "obsolete"},
    "softwareType": {"standalone/web", "standalone/backend", "standalone/other"},
    "maintenance/type": {"community"},
    "platforms": {"web", "windows", "mac", "linux", "ios", "android"},
    # The terms of the standard's vocabularies that fit a platform for citizens. The standard has no "e-government".
    "categories": {"customer-service-and-support", "digital-citizenship", "applicant-tracking", "content-management"},
    "intendedAudience/scope": {"local-authorities", "employment", "healthcare", "society", "welfare"},
    "intendedAudience/countries": {"BR"},
}


def read_key(path: str) -> Any:
    """Return the value of a key, such as `legal/license`, or None if the key is missing."""
    value: Any = FILE
    for part in path.split("/"):
        value = value.get(part) if isinstance(value, dict) else None
    return value


@pytest.mark.parametrize("path", MANDATORY)
def test_every_mandatory_key_has_a_value(path: str) -> None:
    assert read_key(path) not in (None, "", [], {})


def test_no_key_is_unknown() -> None:
    assert set(FILE) - {path.partition("/")[0] for path in MANDATORY} - set(OPTIONAL) == set()


@pytest.mark.parametrize("path", VALUES)
def test_a_key_with_a_vocabulary_has_only_its_terms(path: str) -> None:
    value = read_key(path)
    assert set(value if isinstance(value, list) else [value]) - VALUES[path] == set()


def test_the_address_is_that_of_a_repository() -> None:
    address = urlsplit(FILE["url"])
    assert (address.scheme, bool(address.hostname), address.path.endswith(".git")) == ("https", True, True)


@pytest.mark.parametrize("language", READMES)
def test_a_description_has_the_lengths_of_the_standard_and_names_every_service(language: str) -> None:
    description = DESCRIPTIONS[language]
    assert len(description["shortDescription"].strip()) <= 150
    assert 150 <= len(description["longDescription"].strip()) <= 10_000
    assert 5 <= len(description["features"]) <= 20
    services = re.findall(r"^\| ([^|]+) \| `/[^`]+` \|", (ROOT / READMES[language]).read_text("utf-8"), re.MULTILINE)
    text = description["longDescription"].casefold()
    assert len(services) == 7
    assert [name for name in services if name.casefold() not in text] == []


def test_the_descriptions_are_translations_of_each_other() -> None:
    assert set(DESCRIPTIONS) == set(READMES)
    assert len({len(description["features"]) for description in DESCRIPTIONS.values()}) == 1


def test_every_picture_exists_in_a_format_of_the_standard() -> None:
    pictures = [picture for description in DESCRIPTIONS.values() for picture in description["screenshots"]]
    assert pictures
    assert [picture for picture in pictures if not (ROOT / picture).is_file()] == []
    assert {Path(picture).suffix for picture in pictures} <= {".png", ".jpg"}


def test_the_pictures_are_those_of_the_readmes_and_load_fast() -> None:
    """README shows them, so a slow connection must load each of them in about a second."""
    for language, readme in READMES.items():
        shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / readme).read_text("utf-8"))
        assert shown == DESCRIPTIONS[language]["screenshots"]
        assert [picture for picture in shown if (ROOT / picture).stat().st_size > 150_000] == []


def test_every_maintainer_and_every_dependency_has_a_name() -> None:
    named = [*FILE["maintenance"]["contacts"], *(one for kind in FILE["dependsOn"].values() for one in kind)]
    assert [one for one in named if not one.get("name")] == []


def test_the_facts_about_the_release_are_those_of_the_project() -> None:
    """The newest heading of the changelog has the version, and its date once the version is released."""
    heading = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert heading
    released = None if heading[2] == "unreleased" else heading[2]
    assert (FILE["softwareVersion"], str(FILE.get("releaseDate"))) == (__version__, str(released))
    assert (FILE["developmentStatus"] == "stable") == bool(released and not __version__.startswith("0."))
    assert (ROOT / "LICENSE").read_text("utf-8").startswith(f"{FILE['legal']['license']} License")


def test_the_oldest_postgresql_is_the_one_that_the_program_accepts() -> None:
    [postgresql] = [one for one in FILE["dependsOn"]["open"] if one["name"] == "PostgreSQL"]
    assert postgresql["versionMin"] == str(OLDEST_VERSION)
