"""SQL of the pets."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import fetch_count
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.http.idempotency import keep_sql
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.registry.person.pets.schemas import Pet, PetRecord, PetRow

# Each pet comes as one JSON text, and so does the page: the text is decoded in one pass.
# The city's numbers lie below the citizens' own: one order serves "the city's first, then by number".
_OF_PERSON = """
SELECT id_animal, record || jsonb_build_object('id_animal', id_animal, 'source', 'curated') AS pet
FROM registry.loaded_pet WHERE cpf = $1
UNION ALL
SELECT id_animal, record || jsonb_build_object('id_animal', id_animal, 'source', 'self_registered')
FROM registry.own_pet WHERE cpf = $1
"""
_AS_ARRAY = "coalesce(jsonb_agg(pet ORDER BY id_animal), '[]')::text AS pets"
_PAGE = f"""
SELECT {_AS_ARRAY},
       (SELECT count(*) FROM registry.loaded_pet WHERE cpf = $1)
       + (SELECT count(*) FROM registry.own_pet WHERE cpf = $1) AS total
FROM ({_OF_PERSON} ORDER BY id_animal LIMIT $2 OFFSET $3) AS page
"""
_PETS = msgspec.json.Decoder(list[Pet])


async def list_page(connection: Connection, cpf: Cpf, page: Page) -> tuple[list[Pet], int]:
    """Return the page's pets, and how many there are on all pages."""
    row = await connection.fetchrow(_PAGE, cpf.digits, page.limit, page.offset)
    assert row is not None  # an aggregate without GROUP BY
    return _PETS.decode(row["pets"]), row["total"]


_ALL = f"SELECT {_AS_ARRAY} FROM ({_OF_PERSON}) AS pet"


async def list_all(connection: Connection, cpf: Cpf) -> list[Pet]:
    return _PETS.decode(await connection.fetchval(_ALL, cpf.digits))


_READ = f"SELECT pet::text FROM ({_OF_PERSON}) AS pet WHERE id_animal = $2"


async def read(connection: Connection, cpf: Cpf, id_animal: int) -> Pet | None:
    found = await connection.fetchval(_READ, cpf.digits, id_animal)
    return None if found is None else msgspec.json.decode(found, type=Pet)


_SPECIES = """
SELECT coalesce(registry.folded(record ->> 'especie_nome'), '') AS species, count(*) AS pets
FROM registry.loaded_pet WHERE cpf = $1
GROUP BY species
"""


async def count_imported_by_species(connection: Connection, cpf: Cpf) -> Mapping[str, int]:
    """Count the city's records by the species' name, without case and accents."""
    return {row["species"]: row["pets"] for row in await connection.fetch(_SPECIES, cpf.digits)}


_COUNT_OWN = "SELECT count(*) FROM registry.own_pet WHERE cpf = $1"


async def count_own(connection: Connection, cpf: Cpf) -> int:
    return await fetch_count(connection, _COUNT_OWN, cpf.digits)


# Drawn beforehand, because the stored response names it; a number that is not used is never used.
_DRAW_NUMBER = "SELECT nextval('registry.own_pet_id')"


async def draw_number(connection: Connection) -> int:
    return await fetch_count(connection, _DRAW_NUMBER)


# The function makes two new pets of one person come one after the other, so that each counts the other. The pet, its
# trace and the response stored for its key are written together or, beyond the limit or for a key that is taken, not.
_INSERT = f"""
WITH below_limit AS MATERIALIZED (
    SELECT true FROM registry.hold_own_pets($1) AS held (pets) WHERE pets < $4
), kept AS (
    {keep_sql(6, "below_limit")}
), inserted AS (
    INSERT INTO registry.own_pet (cpf, id_animal, record)
    SELECT $1, $2, $3::jsonb FROM below_limit WHERE $7::text IS NULL OR EXISTS (SELECT FROM kept)
    RETURNING true
), recorded AS (
    {record_sql("$5::jsonb", "inserted")}
)
SELECT EXISTS (SELECT FROM below_limit) AS is_below_limit, EXISTS (SELECT FROM inserted) AS is_inserted
"""


class PetLimit(Exception):
    """The person has as many pets of their own as one may have."""


async def insert(
    connection: Connection, cpf: Cpf, number: int, record: PetRecord, *, most: int, trail: str, kept: Sequence[Any]
) -> bool:
    """Return whether the key was free. Raises PetLimit. `kept` is what `keep_sql` takes."""
    row = await connection.fetchrow(_INSERT, cpf.digits, number, json_text(record), most, trail, *kept)
    assert row is not None  # a row of two tests
    if not row["is_below_limit"]:
        raise PetLimit
    return bool(row["is_inserted"])


_ERASE = "DELETE FROM registry.own_pet WHERE cpf = $1 RETURNING true"


async def erase_own(connection: Connection, cpf: Cpf) -> int:
    return len(await connection.fetch(_ERASE, cpf.digits))


_UPSERT_IMPORTED = """
INSERT INTO registry.loaded_pet (cpf, id_animal, record)
SELECT pet ->> 'cpf', (pet ->> 'id_animal')::bigint, pet - 'cpf' - 'id_animal'
FROM jsonb_array_elements($1::jsonb) AS offered (pet)
ON CONFLICT (cpf, id_animal) DO UPDATE SET record = excluded.record, loaded_at = now()
WHERE loaded_pet.record <> excluded.record
RETURNING true
"""


async def upsert_imported(connection: Connection, rows: Sequence[PetRow]) -> int:
    """Write the city's rows as the owner of the tables; of rows of one pet and person the last counts."""
    last = {(row.cpf, row.id_animal): row for row in rows}
    return len(await connection.fetch(_UPSERT_IMPORTED, json_text(list(last.values()))))


EXPORTS = Exports(
    [
        Export(
            "pets",
            Rows(
                "registry.loaded_pet",
                "stored.record || jsonb_build_object('cpf', stored.cpf, 'id_animal', stored.id_animal)",
            ),
        )
    ],
    tables=("registry.own_pet",),
)
