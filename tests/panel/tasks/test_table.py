"""The table of the forty tasks names the tests of each task, and these tests have the task's mark."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.support.task_modes import ALL

HERE = Path(__file__).parent
ROW = re.compile(r"^\| (\d+) \|.*\| (`[^|]*`) \|$", re.M)


def list_marks(function: ast.FunctionDef) -> Iterator[int]:
    """Yield the task numbers in a test's marks."""
    for mark in function.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.task":
            yield from (ast.literal_eval(number) for number in mark.args)


def test_every_task_is_done_by_the_tests_that_its_row_names() -> None:
    page = (HERE.parents[2] / "docs" / "proofs" / "panel.md").read_text("utf-8")
    written = {int(number): re.findall(r"`(\w+)`", names) for number, names in ROW.findall(page)}
    done = defaultdict[int, list[str]](list)
    for file in sorted(HERE.glob("test_*.py")):
        for each in ast.parse(file.read_text("utf-8")).body:
            if isinstance(each, ast.FunctionDef):
                for number in list_marks(each):
                    done[number].append(each.name)
                    assert "person_of" in {argument.arg for argument in each.args.args}, (
                        f"{each.name} does not use `person_of`"
                    )
    assert written == done
    assert sorted(done) == list(range(1, 41))


def test_the_ways_are_those_that_the_page_promises() -> None:
    promised = {(1280, True, False), (360, True, False), (1280, True, True), (1280, False, False)}
    assert {(way.width, way.has_script, way.by_keyboard) for way in ALL} == promised
