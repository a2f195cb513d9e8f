"""An export as a feature declares it: which rows leave as lines of which kind, and which tables stay out of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from balcao.core.database.pool import Connection


@dataclass(frozen=True)
class Rows:
    """Rows of a table in the order of its primary key, or of other columns that no two rows have alike.

    `line` is an SQL expression of the row `stored` that makes its jsonb, `condition` one that chooses rows.
    """

    table: str
    line: str = "to_jsonb(stored)"
    condition: str = "true"
    key: Sequence[str] = ()


@dataclass(frozen=True)
class Export:
    """One kind of lines. Where an import has the same kind, it takes the lines as they are.

    `rows` are found when the export begins where they do not always stand in the same table.
    """

    kind: str
    rows: Rows | Callable[[Connection], Awaitable[Rows]]


@dataclass(frozen=True)
class Exports:
    """What a feature brings to the export of its service.

    `tables` leave whole, each as the kind of its name; `derived` are those that are made again from others, or whose
    rows live for minutes: they stay out.
    """

    kinds: Sequence[Export] = ()
    tables: Sequence[str] = ()
    derived: Sequence[str] = ()

    def list_kinds(self) -> list[Export]:
        """Return every kind, those of whole tables last."""
        names = {table: table.partition(".")[2].replace("_", "-") for table in self.tables}
        return [*self.kinds, *(Export(name, Rows(table)) for table, name in names.items())]


NO_EXPORTS = Exports()
