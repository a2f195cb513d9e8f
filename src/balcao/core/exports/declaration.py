"""The export that a feature declares: which rows become lines of which kind, and which tables are left out."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection


@dataclass(frozen=True)
class Rows:
    """A table's rows, ordered by its primary key or by other columns that are unique together.

    `line` and `condition` are SQL expressions: they convert the row `stored` to jsonb, and select rows. `key` lists the
    other columns, if the rows are ordered by them.
    """

    table: str
    line: str = "to_jsonb(stored)"
    condition: str = "true"
    key: Sequence[str] = ()


# A function that returns a line with data that are stored outside of the database.
Complete = Callable[[Platform, str], Awaitable[str]]


@dataclass(frozen=True)
class Export:
    """One kind of lines. An import of the same kind accepts these lines unchanged.

    `rows` is a function if the table is known only when the export starts.
    """

    kind: str
    rows: Rows | Callable[[Connection], Awaitable[Rows]]
    complete: Complete | None = None


@dataclass(frozen=True)
class Exports:
    """A feature's part of its service's export.

    `tables` are exported completely, each as a kind with the table's name. `derived` tables are not exported, because
    they are rebuilt from others or their rows exist only for minutes.
    """

    kinds: Sequence[Export] = ()
    tables: Sequence[str] = ()
    derived: Sequence[str] = ()

    def list_kinds(self) -> list[Export]:
        """Return every kind. The kinds of complete tables come last."""
        names = {table: table.partition(".")[2].replace("_", "-") for table in self.tables}
        return [*self.kinds, *(Export(name, Rows(table)) for table, name in names.items())]


NO_EXPORTS = Exports()
