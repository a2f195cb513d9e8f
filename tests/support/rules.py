"""The rules pages as data. Tests read inputs and expected results from the pages, so tests and pages always agree.

A test names the rows of a page's Cases that it shows, and the row names the test:

    @pytest.mark.cases("registry", "W3", "W4")

A table of values starts with the number of its case, `| W4: evento | Status |`. A code span is JSON, or a plain string
if it is not valid JSON. `"x" × 256` repeats the string. If a cell has several spans, each of them is combined with the
other cells of the row.
"""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
PAGES = TESTS.parent / "docs/reference/rules"

_CELLS = re.compile(r"(?<!\\)\|")
_SPANS = re.compile(r"`([^`]+)`")


@cache
def read_page(page: str) -> str:
    return (PAGES / f"{page}.md").read_text("utf-8")


def read_numbers(page: str, sentence: str) -> list[float]:
    """Return the numbers in the groups of the regular expression `sentence`, which must match the page exactly once."""
    found = re.findall(sentence, read_page(page))
    assert len(found) == 1, f"{page}: {len(found)} places with {sentence!r}"
    groups = found[0] if isinstance(found[0], tuple) else (found[0],)
    return [float(group.replace(",", "").replace(" ", "")) for group in groups]


def read_table(page: str, header: str) -> list[list[str]]:
    """Return the rows of the table whose first header cell starts with `header`. Only one table may match."""
    tables = re.findall(rf"^\| {re.escape(header)}.*\n\|[-|]+\n((?:\|.*\n?)+)", read_page(page), re.MULTILINE)
    assert len(tables) == 1, f"{page}: {len(tables)} tables that begin with {header!r}"
    return [[cell.strip() for cell in _CELLS.split(row)[1:-1]] for row in tables[0].splitlines()]


def read_values(page: str, case: str) -> list[Any]:
    """Return the rows of the case's table. A cell with several values yields one row for each of them."""
    rows = read_table(page, f"{case}: ")
    found = [values for row in rows for values in product(*(list(_read_cell(cell)) for cell in row))]
    return [values if len(values) > 1 else values[0] for values in found]


def read_list(page: str, header: str, name: str) -> list[str]:
    """Return the code spans in the second cell of the row `name` of the table."""
    (values,) = [cells[1] for cells in read_table(page, header) if cells[0] == name]
    return _SPANS.findall(values)


def _read_cell(cell: str) -> Iterator[Any]:
    """Yield the values in a cell: its code spans, a number, `...` for "absent", or None for an empty cell."""
    if spans := _SPANS.findall(cell):
        yield from (_parse(span.replace("\\|", "|")) for span in spans)
    elif cell == "absent":
        yield ...
    else:
        yield int(cell) if cell else None


def _parse(span: str) -> Any:
    text, _, times = span.partition(" × ")
    try:
        value = json.loads(text)
    except ValueError:
        return span
    return value * int(times) if times else value


def read_cases(page: str) -> dict[str, set[str]]:
    """Return the tests that are named in each row of the page's Cases."""
    return {row[0]: set(re.findall(r"`(test_\w+)`", row[-1])) for row in read_table(page, "# | Given") if row[0]}


@cache
def find_marked() -> dict[tuple[str, str], set[str]]:
    """Return the tests that are marked with each case, by page and case. The source of all tests is read."""
    marked: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file in TESTS.rglob("test_*.py"):
        if "mark.cases(" not in (source := file.read_text("utf-8")):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for page, case in _list_cases(node):
                    marked[page, case].add(node.name)
    return marked


def _list_cases(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, str]]:
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.cases":
            page, *cases = (ast.literal_eval(argument) for argument in decorator.args)
            yield from ((page, case) for case in cases)
