"""Every case of the rules is named by the test that shows it (rules: search 6)."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
RULES = TESTS.parents[1] / "docs" / "reference" / "rules" / "search.md"
_ROW = re.compile(r"^\| (\d+) \| ", re.MULTILINE)
_NAMED = re.compile(r"[Cc]ases? (\d+(?:(?:, | and |-)\d+)*)")


def test_every_case_is_named_by_a_test() -> None:
    cases = {int(number) for number in _ROW.findall(RULES.read_text("utf-8"))}
    assert cases == set(range(1, max(cases) + 1))
    files = [*TESTS.glob("test_*.py"), TESTS.parent / "crash" / "test_migration_kill.py"]
    named = {number for file in files for text in list_docstrings(file) for number in list_cases(text)}
    assert cases - named == set()


def list_docstrings(file: Path) -> list[str]:
    """What the tests of a file say of themselves; what the file says does not count."""
    tests = [
        node
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    return [ast.get_docstring(test) or "" for test in tests]


def list_cases(text: str) -> set[int]:
    found: set[int] = set()
    for numbers in _NAMED.findall(text):
        for part in re.split(", | and ", numbers):
            first, _, last = part.partition("-")
            found |= set(range(int(first), int(last or first) + 1))
    return found
