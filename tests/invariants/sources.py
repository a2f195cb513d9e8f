"""The source code as strings and as an import graph, for tests of module boundaries."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import grimp

import balcao
from balcao.web.database import SCHEMAS

SOURCE = Path(balcao.__file__).parent
_STATEMENT = re.compile(
    r"\s*(--[^\n]*\n\s*)*(WITH\s+\w+(\s*\([^)]*\))?\s+AS\s|SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w|DELETE\s+FROM\s|TRUNCATE\s|"
    r"LOCK\s+TABLE\s|COPY\s+\w|LISTEN\s|NOTIFY\s|CREATE\s+\w+\s|ALTER\s+\w+\s|DROP\s+\w+\s)"
)
_WRITTEN = re.compile(
    r"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|TRUNCATE|MERGE\s+INTO|COPY)\s+(?:ONLY\s+)?([a-z_]+\.[a-z_]+)"
)


class Text(NamedTuple):
    """A string in the code, with `{}` for each interpolated value."""

    file: str
    line: int
    value: str

    @property
    def is_sql(self) -> bool:
        return _STATEMENT.match(self.value) is not None

    @property
    def written(self) -> set[str]:
        """Return the tables that this statement inserts into, updates or deletes from.

        Our code always writes a table's name with its schema.
        """
        return set(_WRITTEN.findall(self.value))


@functools.cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("balcao", cache_dir=None)


@functools.cache
def texts() -> list[Text]:
    """Return every string in the code except docstrings."""
    files = sorted(SOURCE.rglob("*.py"))
    return [text for file in files for text in texts_of(file.read_text("utf-8"), str(file.relative_to(SOURCE)))]


def texts_of(code: str, file: str) -> Iterator[Text]:
    nodes = list(ast.walk(ast.parse(code)))
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    left_out = parts | {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if id(node) in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            yield Text(file, node.lineno, "".join(_part(part) for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # Surfaces share statements that have a placeholder for the schema. Yield such a string once for each
            # schema.
            schemas = SCHEMAS if "{schema}." in node.value else ("",)
            for schema in schemas:
                yield Text(file, node.lineno, node.value.replace("{schema}", schema))


def _part(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "{}"


def is_store(module: str) -> bool:
    """Return whether a module or file is a store, judging by its name. Only stores may contain SQL."""
    return module.removesuffix(".py").endswith("store")


def folder_of(module: str) -> str:
    return module.rpartition(".")[0]


def code_of(module: str) -> str:
    """Return the source code of our module with this name."""
    path = SOURCE.joinpath(*module.split(".")[1:])
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8")
