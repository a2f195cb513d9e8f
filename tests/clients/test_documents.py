"""The OpenAPI documents pass two independent linters.

In an ordinary run, the slower linter reads only one document, which has a stream and operations of every method. In a
proof it reads all documents.
"""

from pathlib import Path

import pytest

from tests.support import npm_tools
from tests.support.proof_sizes import FULL

pytestmark = pytest.mark.long

FOLDER = Path(__file__).parents[2] / "openapi"
ALL = sorted(path.name for path in FOLDER.glob("*.json"))
FEW = ALL if FULL else ["health_units.json"]


@pytest.mark.node
@pytest.mark.parametrize(
    ("tool", "options", "names"),
    [
        ("spectral", ["lint", "--fail-severity", "hint", "--ruleset", ".spectral.yaml"], FEW),
        ("redocly", ["lint", "--max-problems", "1000"], ALL),
    ],
)
def test_the_documents_are_as_the_linters_want_them(tool: str, options: list[str], names: list[str]) -> None:
    done = npm_tools.run(tool, *options, *names, folder=FOLDER)
    assert done.returncode == 0, done.stdout
    assert "warning" not in (done.stdout + done.stderr).lower().replace("deprecation warning", ""), done.stderr
