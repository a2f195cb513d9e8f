"""SQL for areas."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Row, Source
from balcao.core.database.results import read_part
from balcao.core.database.statements import statement
from balcao.health_units.areas.schemas import Area, AreaMembers, Outline


class StoredArea(NamedTuple):
    """An area, in the form that callers see."""

    shown: Area

    @classmethod
    def from_row(cls, row: Row) -> "StoredArea":
        """Create the area from a row with the columns of `_READ`."""
        return cls(Area(row["area"], read_part(Outline, row), read_part(AreaMembers, row)))


_READ = """
SELECT area, nome, contorno ->> 'type' AS type, contorno -> 'coordinates' AS coordinates FROM health_units.areas
"""


@statement(f"{_READ} ORDER BY area")
async def select_areas(connection: Connection) -> list[StoredArea]: ...


@lookup(f"{_READ} WHERE area = :area")
async def select_area(source: Source, area: str) -> StoredArea | None: ...


@statement(f"{_READ} WHERE area = :area FOR UPDATE")
async def lock_area(connection: Connection, area: str) -> StoredArea | None:
    """Lock an area's row until the transaction ends, and return the area."""


# The WHERE clause stops inserts at the maximum. Concurrent inserts can exceed it slightly, which is harmless. `xmax` is
# 0 only for an inserted row.
@statement("""
INSERT INTO health_units.areas (area, nome, contorno)
SELECT :area, :nome, :contorno::jsonb
WHERE EXISTS (SELECT FROM health_units.areas WHERE area = :area)
   OR (SELECT count(*) FROM health_units.areas) < :most
ON CONFLICT (area) DO UPDATE SET nome = excluded.nome, contorno = excluded.contorno
RETURNING xmax = 0 AS is_new
""")
async def upsert_area(
    connection: Connection, area: str, nome: str, contorno: Mapping[str, Any], most: int
) -> bool | None:
    """Insert or replace an area. Return whether it is new, or None if the maximum number of areas is reached."""


@statement("DELETE FROM health_units.areas WHERE area = :area")
async def delete_area(connection: Connection, area: str) -> None: ...
