"""The rules by which `make structure` counts helpers, bodies and comments."""

from pathlib import Path

from tools.figures import (
    count_body,
    count_operations,
    describe,
    find_used_once,
    is_private,
    is_short_by_form,
    list_functions,
    read_sources,
)

_CODE = '''"""A module."""

# Why.
LIMIT = 3  # of both


@statement("SELECT 1")
async def read_one(connection: Connection) -> int: ...


@lookup("SELECT 1")
async def look_up_one(source: Source) -> int: ...


def double(number: int) -> int:
    """Return twice the number."""
    return _add(number, number)


class Counter:
    def __init__(self) -> None:
        self.count = _add(0, 0)
        self.most = LIMIT

    def _grow(self) -> None:
        self.count = _add(self.count, 1)
        self.count = min(self.count, self.most)
        if self.count == self.most:
            self._end()
        self._end()


def _add(one: int, other: int) -> int:
    return one + other


def _spare() -> None:
    Counter()._grow()
'''


def test_helpers_and_bodies_are_counted_without_docstrings_and_statements(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(_CODE, "utf-8")
    (tmp_path / "__init__.py").write_text("", "utf-8")
    sources = read_sources([tmp_path])
    assert [(source.path.name, source.lines, source.comments) for source in sources] == [
        ("__init__.py", 0, 0),
        ("one.py", 38, 2),
    ]
    functions = {function.name: function for function in list_functions(sources[1])}
    assert {name: count_body(function) for name, function in functions.items()} == {
        "double": 1, "__init__": 2, "_grow": 5, "_add": 1, "_spare": 1
    }  # fmt: skip
    assert [name for name, function in functions.items() if is_private(function)] == ["_add", "_spare", "_grow"]
    assert [function.name for function in find_used_once(sources[1])] == ["_grow"]
    assert [name for name, function in functions.items() if is_short_by_form(function)] == ["__init__"]


def test_the_table_counts_each_operation_of_the_descriptions(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"paths": {"/a": {"get": {}, "put": {}, "parameters": []}, "/b": {"get": {}}}}')
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text(_CODE, "utf-8")
    assert count_operations(tmp_path) == 3
    table = dict(describe(read_sources([tmp_path]), read_sources([tmp_path]), 2))
    assert table["functions"] == "10, and 4 signatures of statements"
    assert table["bodies of up to 3 lines"] == "8 (80 %)"
    assert table["... not by their form"] == "6 (75 %)"
    assert table["private helpers"] == "6 (60 %), 2 used once, 0 of these of up to 3 lines"
    assert table["tests"] == "76 lines, 1.00 to one of source"
    assert table["operations"].startswith("2: 38 lines")
