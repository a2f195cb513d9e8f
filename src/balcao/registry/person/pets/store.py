"""SQL for pets."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from balcao.core.context.audit import record_sql
from balcao.core.context.idempotency import Kept, store_response_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.person.pets.schemas import OWN, Pet, PetRecord, PetRow

# PostgreSQL returns each pet, and each page, as one JSON text, which is decoded in one pass. Pets in the city's records
# have lower numbers than pets that citizens added, so sorting by number lists the city's pets first.
_OF_PERSON = f"""
SELECT id_animal, record || jsonb_build_object('id_animal', id_animal, 'source', 'curated') AS pet
FROM registry.loaded_pet WHERE cpf = :cpf
UNION ALL
SELECT id_animal, record || jsonb_build_object('id_animal', id_animal, 'source', '{OWN}')
FROM registry.own_pet WHERE cpf = :cpf
"""
_AS_ARRAY = "coalesce(jsonb_agg(pet ORDER BY id_animal), '[]')::text AS pets"


class PetPage(NamedTuple):
    """A page of pets, and the number of pets on all pages."""

    pets: list[Pet]
    total: int


@lookup(f"""
SELECT {_AS_ARRAY},
       (SELECT count(*) FROM registry.loaded_pet WHERE cpf = :cpf)
       + (SELECT count(*) FROM registry.own_pet WHERE cpf = :cpf) AS total
FROM ({_OF_PERSON} ORDER BY id_animal LIMIT :limit OFFSET :offset) AS page
""")
async def select_pets(source: Source, cpf: Cpf, page: Page) -> PetPage: ...


@statement(f"SELECT {_AS_ARRAY} FROM ({_OF_PERSON}) AS pet")
async def select_all_pets(connection: Connection, cpf: Cpf) -> Json[list[Pet]]: ...


@lookup(f"SELECT pet::text FROM ({_OF_PERSON}) AS pet WHERE id_animal = :id_animal")
async def select_pet(source: Source, cpf: Cpf, id_animal: int) -> Json[Pet] | None: ...


@lookup("""
SELECT coalesce(registry.folded(record ->> 'especie_nome'), '') AS species, count(*) AS pets
FROM registry.loaded_pet WHERE cpf = :cpf
GROUP BY species
""")
async def count_imported_by_species(source: Source, cpf: Cpf) -> Mapping[str, int]:
    """Count the city's records by the name of the species, ignoring case and accents."""


@lookup("SELECT count(*) FROM registry.own_pet WHERE cpf = :cpf")
async def count_own_pets(source: Source, cpf: Cpf) -> int: ...


# Draw the number before the pet is written, because the stored response contains it. If the pet is not created, its
# number is skipped. The statement is declared as a look-up, so that concurrent calls share one query.
@lookup("SELECT nextval('registry.own_pet_id') WHERE :cpf::text IS NOT NULL")
async def draw_number(source: Source, cpf: Cpf) -> int:
    """Draw a number for this person's new pet."""


class Insertion(NamedTuple):
    """The result of trying to insert a pet.

    Even below the limit, a pet is not inserted if its idempotency key is taken.
    """

    is_below_limit: bool
    is_inserted: bool


# `hold_own_pets` serialises the insertions of one person, so that concurrent insertions cannot exceed the limit. The
# pet, its audit event and the response for the idempotency key are written together. Nothing is written if the limit is
# reached or the key is taken.
@statement(f"""
WITH below_limit AS MATERIALIZED (
    SELECT true FROM registry.hold_own_pets(:cpf) AS held (pets) WHERE pets < :most
), kept AS (
    {store_response_sql("kept", "below_limit")}
), inserted AS (
    INSERT INTO registry.own_pet (cpf, id_animal, record)
    SELECT :cpf, :number, :record::jsonb FROM below_limit WHERE :kept.key::text IS NULL OR EXISTS (SELECT FROM kept)
    RETURNING true
), recorded AS (
    {record_sql(":trail::jsonb", "inserted")}
)
SELECT EXISTS (SELECT FROM below_limit) AS is_below_limit, EXISTS (SELECT FROM inserted) AS is_inserted
""")
async def insert_pet(
    connection: Connection, cpf: Cpf, number: int, record: PetRecord, *, most: int, trail: str, kept: Kept | None
) -> Insertion: ...


@statement(f"""
SELECT (record || jsonb_build_object('id_animal', id_animal, 'source', '{OWN}'))::text
FROM registry.own_pet WHERE cpf = :cpf AND id_animal = :id_animal FOR UPDATE
""")
async def lock_own_pet(connection: Connection, cpf: Cpf, id_animal: int) -> Json[Pet] | None:
    """Lock a pet that the citizen added until the transaction ends, and return it."""


@statement("UPDATE registry.own_pet SET record = :record::jsonb WHERE cpf = :cpf AND id_animal = :id_animal")
async def update_own_pet(connection: Connection, cpf: Cpf, id_animal: int, record: PetRecord) -> None: ...


@statement("DELETE FROM registry.own_pet WHERE cpf = :cpf AND id_animal = :id_animal")
async def delete_own_pet(connection: Connection, cpf: Cpf, id_animal: int) -> None: ...


@statement("SELECT EXISTS (SELECT FROM registry.loaded_pet WHERE cpf = :cpf AND id_animal = :id_animal)")
async def is_imported_pet(connection: Connection, cpf: Cpf, id_animal: int) -> bool: ...


@statement("DELETE FROM registry.own_pet WHERE cpf = :cpf")
async def erase_own_pets(connection: Connection, cpf: Cpf) -> int: ...


@statement("""
INSERT INTO registry.loaded_pet (cpf, id_animal, record)
SELECT pet ->> 'cpf', (pet ->> 'id_animal')::bigint, pet - 'cpf' - 'id_animal'
FROM jsonb_array_elements(:rows::jsonb) AS offered (pet)
ON CONFLICT (cpf, id_animal) DO UPDATE SET record = excluded.record, loaded_at = now()
WHERE loaded_pet.record <> excluded.record
""")
async def upsert_imported_pets(connection: Connection, rows: Sequence[PetRow]) -> int:
    """Store the city's rows, and return the number of new and changed rows.

    `rows` must not list a pet twice for the same person. Only the tables' owner may do this.
    """


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
