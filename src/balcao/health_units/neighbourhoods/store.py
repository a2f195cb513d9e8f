"""SQL for neighbourhoods."""

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.health_units.neighbourhoods.schemas import Neighbourhood

_READ = "SELECT bairro, latitude, longitude FROM health_units.neighbourhoods"


@statement(_READ)
async def select_neighbourhoods(connection: Connection) -> list[Neighbourhood]: ...


@lookup(f"{_READ} WHERE chave = :key")
async def select_neighbourhood(source: Source, key: str) -> Neighbourhood | None: ...


@statement(f"{_READ} WHERE chave = :key FOR UPDATE")
async def lock_neighbourhood(connection: Connection, key: str) -> Neighbourhood | None:
    """Lock a neighbourhood's row until the transaction ends, and return the neighbourhood."""


# The WHERE clause stops inserts at the maximum. Concurrent inserts can exceed the maximum slightly, which is harmless.
# `xmax` is 0 only for an inserted row.
@statement("""
INSERT INTO health_units.neighbourhoods (chave, bairro, latitude, longitude)
SELECT :key, :bairro, :latitude, :longitude
WHERE EXISTS (SELECT FROM health_units.neighbourhoods WHERE chave = :key)
   OR (SELECT count(*) FROM health_units.neighbourhoods) < :most
ON CONFLICT (chave) DO UPDATE
SET bairro = excluded.bairro, latitude = excluded.latitude, longitude = excluded.longitude
RETURNING xmax = 0 AS is_new
""")
async def upsert_neighbourhood(
    connection: Connection, key: str, neighbourhood: Neighbourhood, most: int
) -> bool | None:
    """Insert or replace a neighbourhood. Return whether it is new, or None if the maximum number is reached."""


@statement("DELETE FROM health_units.neighbourhoods WHERE chave = :key")
async def delete_neighbourhood(connection: Connection, key: str) -> None: ...
