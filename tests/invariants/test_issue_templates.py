"""The templates for issues and merge requests are the same on GitHub and GitLab, which read different forms."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
TEMPLATES = ROOT / ".gitlab" / "issue_templates"
MERGE_REQUESTS = [ROOT / ".github/pull_request_template.md", ROOT / ".gitlab/merge_request_templates/Default.md"]


def write_template(form: dict[str, Any]) -> str:
    """Return the template for GitLab that asks the same as a form of GitHub. Hints become comments."""
    parts = []
    for part in form["body"]:
        attributes = part["attributes"]
        if part["type"] == "markdown":
            parts.append(f"<!--\n{attributes['value'].strip()}\n-->")
        else:
            parts.append(f"## {attributes['label']}")
            if "description" in attributes:
                parts.append(f"<!-- {attributes['description']} -->")
    return "\n\n".join([*parts, *(f'/label ~"{label}"' for label in form["labels"])]) + "\n"


def test_both_hosts_have_the_same_templates() -> None:
    assert FORMS
    assert [file.stem for file in FORMS] == sorted(file.stem for file in TEMPLATES.glob("*.md"))


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.stem)
def test_a_template_asks_the_same_on_both_hosts(file: Path) -> None:
    form = yaml.safe_load(file.read_text("utf-8"))
    assert (TEMPLATES / f"{file.stem}.md").read_text("utf-8") == write_template(form)


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.stem)
def test_a_form_has_what_github_requires(file: Path) -> None:
    """GitHub ignores a form without a name, description or body, and a form with equal or missing ids."""
    form = yaml.safe_load(file.read_text("utf-8"))
    assert {"name", "description", "labels", "body"} == set(form)
    fields = [part for part in form["body"] if part["type"] != "markdown"]
    assert {part["type"] for part in fields} <= {"textarea", "input"}
    assert all(re.fullmatch(r"[a-z]+", part["id"]) and part["attributes"]["label"] for part in fields)
    assert len({part["id"] for part in fields}) == len(fields)
    assert len({part["attributes"]["label"] for part in fields}) == len(fields)


def test_merge_requests_have_the_same_template_on_both_hosts() -> None:
    first, second = (file.read_text("utf-8") for file in MERGE_REQUESTS)
    assert first == second


def test_every_file_that_a_template_names_exists() -> None:
    texts = [file.read_text("utf-8") for file in (*FORMS, MERGE_REQUESTS[0])]
    named = [name for text in texts for name in re.findall(r"\b(?:docs/[\w/.-]+|[A-Z]+)\.md\b", text)]
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).is_file()] == []
