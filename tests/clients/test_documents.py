"""The OpenAPI documents are as the linters of other projects want them."""

from pathlib import Path

import pytest

from tests.support import node

FOLDER = Path(__file__).parents[2] / "openapi"


@pytest.mark.node
@pytest.mark.parametrize(
    ("tool", "options"),
    [
        ("spectral", ["lint", "--fail-severity", "hint", "--ruleset", ".spectral.yaml"]),
        ("redocly", ["lint", "--max-problems", "1000"]),
    ],
)
def test_the_documents_are_as_the_linters_want_them(tool: str, options: list[str]) -> None:
    done = node.run(tool, *options, *sorted(path.name for path in FOLDER.glob("*.json")), folder=FOLDER)
    assert done.returncode == 0, done.stdout
    assert "warning" not in (done.stdout + done.stderr).lower().replace("deprecation warning", ""), done.stderr
