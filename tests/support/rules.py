"""The pages of rules as data: the tests read from them what they send and what they expect, so that neither can part.

A test says which rows of a page's Cases it shows, and the row names the test:

    @pytest.mark.cases("registry", "W3", "W4")

A table of values begins with the number of its case, `| W4: evento | Status |`. A code span is JSON, or a text where it
is none; several in one cell are tried one after the other.
"""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
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
    """Return the numbers in the groups of `sentence`, a pattern that the page holds exactly once."""
    found = re.findall(sentence, read_page(page))
    assert len(found) == 1, f"{page}: {len(found)} places with {sentence!r}"
    groups = found[0] if isinstance(found[0], tuple) else (found[0],)
    return [float(group.replace(",", "").replace(" ", "")) for group in groups]


def read_table(page: str, header: str) -> list[list[str]]:
    """Return the cells of the rows of the one table whose first header cell begins with `header`."""
    tables = re.findall(rf"^\| {re.escape(header)}.*\n\|[-|]+\n((?:\|.*\n?)+)", read_page(page), re.MULTILINE)
    assert len(tables) == 1, f"{page}: {len(tables)} tables that begin with {header!r}"
    return [[cell.strip() for cell in _CELLS.split(row)[1:-1]] for row in tables[0].splitlines()]


def read_values(page: str, case: str, parse: Callable[[str], Any] | None = None) -> list[tuple[Any, ...]]:
    """Return the rows of the table of a case, each value of a cell combined with those of the other cells."""
    return [
        values
        for row in read_table(page, f"{case}: ")
        for values in product(*(list(_read_cell(cell, parse or _parse)) for cell in row))
    ]


def _read_cell(cell: str, parse: Callable[[str], Any]) -> Iterator[Any]:
    """Yield the code spans of a cell, the number that stands there alone, or nothing known (None)."""
    if spans := _SPANS.findall(cell):
        yield from (parse(span.replace("\\|", "|")) for span in spans)
    else:
        yield int(cell) if cell else None


def _parse(span: str) -> Any:
    try:
        return json.loads(span)
    except ValueError:
        return span


def read_cases(page: str) -> dict[str, set[str]]:
    """Return the tests that each row of the page's Cases names."""
    return {row[0]: set(re.findall(r"`(test_\w+)`", row[-1])) for row in read_table(page, "# | Given") if row[0]}


@cache
def find_marked() -> dict[tuple[str, str], set[str]]:
    """Return the tests that say which case they show, by page and case, from the text of all tests."""
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
