"""Every citation of a rule, of the specification or of an ADR refers to something that exists."""

import re
from pathlib import Path

import pytest

from tests.invariants.citations import ROOT, Text, count, faults, texts

_EXAMPLES = {Path(__file__), ROOT / "tests" / "invariants" / "citations.py"}


def test_every_citation_resolves() -> None:
    read = [text for text in texts() if text.file not in _EXAMPLES]
    assert [fault for text in read for fault in faults(text)] == []
    assert sum(map(count, read)) > 150


@pytest.mark.parametrize(
    "citation",
    [
        "rules: registry 4.1",
        "rules: registry 4.1 rows 5-12",
        "rules: registry 2.2, 3.2, cases A2-A5, W1",
        "rules: employability 2.0.5",
        "rules: search 4.4 steps 1-2",
        "rules: agents cases 1, 2",
        "spec: webhook rule 4",
        "spec: authentication 2-5",
        "spec: GET /auth/validate",
        "ADR 0002",
    ],
)
def test_what_exists_can_be_cited(citation: str) -> None:
    assert faults(Text(Path(__file__), f"Explained there ({citation}).")) == []
    assert count(Text(Path(__file__), f"Explained there ({citation}).")) == 1


@pytest.mark.parametrize(
    "citation",
    [
        "rules: registry 4.99",
        "rules: registry 4.1 row 77",
        "rules: registry 4.1, case W99",
        "rules: search 4.4 step 77",
        "rules: registry, section 4",
        "rules: registrar 4.1",
        "spec: webhook rule 8",
        "spec: something else",
        "ADR 0999",
        "registry document, 4.1",
        "design, section 5",
        "issue A",
        "G.21",
    ],
)
def test_what_does_not_exist_is_found_out(citation: str) -> None:
    assert len(faults(Text(Path(__file__), f"Explained there ({citation})."))) == 1


def test_descriptions_for_integrators_cite_nothing() -> None:
    """Integrators see the OpenAPI documents but not the pages of this repository."""
    documents = [file.read_text("utf-8") for file in sorted((ROOT / "openapi").glob("*.json"))]
    assert documents
    assert [found for text in documents for found in re.findall(r"(?:rules|[Ss]pec): [^\"]*", text)] == []
