"""Every case of the rules is shown by a test (rules: health_units 6)."""

import re
from pathlib import Path

TESTS = Path(__file__).parent
RULES = TESTS.parents[1] / "docs/reference/rules/health_units.md"


def test_every_case_names_a_test_that_is_there() -> None:
    cases = re.findall(r"^\| (\d+) \|.*\| `(test_\w+)` \|$", RULES.read_text("utf-8"), re.MULTILINE)
    assert [int(number) for number, _ in cases] == list(range(1, 57))
    code = "".join(path.read_text("utf-8") for path in TESTS.glob("test_*.py"))
    assert [name for _, name in cases if f"def {name}(" not in code] == []
