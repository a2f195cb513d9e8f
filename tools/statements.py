"""Write `docs/reference/statements.md`: every statement with its tables, under the name that a DBA sees.

Git ignores the page, `make docs` writes it, and a release contains it.
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from pglast import ast, parse_sql
from pglast.visitors import Visitor

import balcao
from balcao.core.database.statements import STATEMENTS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "statements.md"

_HEAD = """# Statements

<!-- Written by `make docs` from the stores. Do not edit. -->

Each statement has its name in a comment after its first word, so that `pg_stat_statements`, the server's log and
`pg_stat_activity` show it: `SELECT /* health_units.holidays.select_holiday */ data, nome, ...`. The name leads to the
code: `health_units.holidays` is the folder below `src/balcao`, `select_holiday` the function in its store.

If several callers look up a row at the same time, one statement answers all of them. Its comment ends with `shared`.

A statement locks the rows that it writes. The column "Calls" names the functions of our schemas that it calls, because
they may lock or write more. If the conditions of a statement depend on the request, it is composed at run time and has
no name.
"""


class Relations(NamedTuple):
    """The tables that a statement reads and writes, and our own SQL functions that it calls."""

    read: set[str]
    written: set[str]
    called: set[str]


class _Reader(Visitor):
    def __init__(self) -> None:
        self.found = Relations(set(), set(), set())

    def visit(self, ancestors: Any, node: Any) -> None:
        """Record the names in one node of the syntax tree of a statement."""
        kind = type(node)  # unlike `isinstance`, does not narrow the node's type
        if kind is ast.RangeVar and node.schemaname:
            self.found.read.add(f"{node.schemaname}.{node.relname}")
        elif kind in {ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt}:
            self.found.written.add(f"{node.relation.schemaname}.{node.relation.relname}")
        elif kind is ast.FuncCall:
            schema, *names = [part.sval for part in node.funcname]
            if names and schema != "pg_catalog":
                self.found.called.add(f"{schema}.{names[0]}")


def find_relations(text: str) -> Relations:
    """Return the tables that a statement reads and writes, and our own SQL functions that it calls.

    A table that the statement both reads and writes is listed only as written.
    """
    reader = _Reader()
    reader(parse_sql(text))
    return reader.found._replace(read=reader.found.read - reader.found.written)


def load_statements() -> dict[str, str]:
    """Return the SQL text of every statement in all modules, by name."""
    for module in pkgutil.walk_packages(balcao.__path__, f"{balcao.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    texts = {name: found.sql for name, found in STATEMENTS.items()}
    return {
        name: text
        for name, text in sorted(texts.items())
        if "." in name and not name.startswith(("balcao_sandbox.", "tests."))
    }


def write_page() -> str:
    """Return the content of the page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield _HEAD
    texts = load_statements()
    for feature, names in groupby(texts, lambda name: name.rpartition(".")[0]):
        yield f"## {feature}\n"
        yield "| Statement | Reads | Writes | Calls |"
        yield "|---|---|---|---|"
        for name in names:
            cells = (", ".join(sorted(relations)) for relations in find_relations(texts[name]))
            yield f"| `{name.rpartition('.')[2]}` | {' | '.join(cells)} |"
        yield ""


if __name__ == "__main__":
    (Path(sys.argv[1]) if sys.argv[1:] else PAGE).write_text(write_page(), "utf-8")
