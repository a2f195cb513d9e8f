"""Declare a feature's export: which rows become lines of which kind, and which tables are not exported."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection


@dataclass(frozen=True)
class Rows:
    """A table's rows, ordered by its primary key or by other columns that are unique together.

    `line` is an SQL expression that converts the row `stored` to jsonb, and `condition` one that selects rows. `key`
    lists the columns that order the rows, unless the primary key does.
    """

    table: str
    line: str = "to_jsonb(stored)"
    condition: str = "true"
    key: Sequence[str] = ()


# A function that returns a line completed with the data that are stored outside the database.
Complete = Callable[[Platform, str], Awaitable[str]]


@dataclass(frozen=True)
class Export:
    """One kind of line in an export. An import of the same kind accepts these lines unchanged.

    `rows` is a function if the table is known only when the export starts.
    """

    kind: str
    rows: Rows | Callable[[Connection], Awaitable[Rows]]
    complete: Complete | None = None


@dataclass(frozen=True)
class Exports:
    """The part of a service's export that one feature declares.

    `tables` are exported completely, each as a kind with the table's name. `derived` tables are not exported, because
    they can be rebuilt from other tables or their rows exist only for minutes.
    """

    kinds: Sequence[Export] = ()
    tables: Sequence[str] = ()
    derived: Sequence[str] = ()

    def list_kinds(self) -> list[Export]:
        """Return all kinds. The kinds for completely exported tables come last."""
        names = {table: table.partition(".")[2].replace("_", "-") for table in self.tables}
        return [*self.kinds, *(Export(name, Rows(table)) for table, name in names.items())]


NO_EXPORTS = Exports()
