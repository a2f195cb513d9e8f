"""Every case of the rules is shown by a test (rules: agents 7)."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
RULES = TESTS.parent / "docs/reference/rules/agents.md"


def test_every_case_names_a_test_that_is_there() -> None:
    cases = re.findall(r"^\| (\d+) \|.*\| `(test_\w+)` \|$", RULES.read_text(), re.MULTILINE)
    assert [int(number) for number, _ in cases] == list(range(1, 54))
    code = "".join(path.read_text() for name in ("agents", "agent_docs") for path in (TESTS / name).glob("test_*.py"))
    assert [name for _, name in cases if f"def {name}(" not in code] == []
