"""SQL for reference values."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import asyncpg

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import STILL_REFERENCED, page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.values.ids import new_id
from balcao.core.values.page import Page
from balcao.employability.reference_values.kinds import Kind, ValueKey
from balcao.employability.reference_values.schemas import LAST_POSITION, ReferenceValue

_MEMBERS = "id, descricao, created_at, updated_at, kind, posicao"


@statement(
    page_sql(
        f"""
        SELECT {_MEMBERS} FROM employability.reference_value
        WHERE kind = :kind ORDER BY posicao, id LIMIT :limit OFFSET :offset
        """,
        "SELECT count(*) FROM employability.reference_value WHERE kind = :kind",
    )
)
async def select_values(connection: Connection, kind: Kind, page: Page) -> Paged[ReferenceValue]:
    """Return one page of values, and the number of values on all pages."""


_READ = f"SELECT {_MEMBERS} FROM employability.reference_value WHERE kind = :kind AND id = :id_"


@lookup(_READ)
async def select_value(source: Source, kind: Kind, id_: UUID) -> ReferenceValue | None: ...


@statement("""
SELECT wanted.kind, wanted.id FROM unnest(:wanted.kind::text[], :wanted.id::uuid[]) AS wanted (kind, id)
WHERE NOT EXISTS (
    SELECT FROM employability.reference_value AS value WHERE value.id = wanted.id AND value.kind = wanted.kind)
""")
async def list_unknown_values(connection: Connection, wanted: Sequence[ValueKey]) -> set[ValueKey]:
    """Return the keys for which there is no value."""


@statement(f"{_READ} FOR UPDATE")
async def lock_value(connection: Connection, kind: Kind, id_: UUID) -> ReferenceValue | None:
    """Read a value and lock it until the transaction ends."""


async def insert_value(connection: Connection, kind: Kind, descricao: str, position: int | None) -> ReferenceValue:
    """Insert a value with a new id. Raises Conflict if another value of the kind has the same folded text."""
    try:
        return await _insert_value(connection, UUID(new_id()), kind, descricao, position)
    except asyncpg.UniqueViolationError:
        raise _name_taken() from None


# Without a given position, a new value becomes the last one. If two concurrent inserts get the same position, lists
# sort them by id.
@statement(f"""
INSERT INTO employability.reference_value (id, kind, descricao, posicao)
SELECT :id_, :kind, :descricao, coalesce(:position, least(coalesce(max(posicao), 0) + 1, {LAST_POSITION}))
FROM employability.reference_value WHERE kind = :kind
RETURNING {_MEMBERS}
""")
async def _insert_value(
    connection: Connection, id_: UUID, kind: Kind, descricao: str, position: int | None
) -> ReferenceValue: ...


async def update_value(connection: Connection, id_: UUID, descricao: str, position: int | None) -> ReferenceValue:
    """Update a locked value. If `position` is None, the position does not change.

    Raises Conflict if another value of the kind has the same folded text.
    """
    try:
        return await _update_value(connection, id_, descricao, position)
    except asyncpg.UniqueViolationError:
        raise _name_taken() from None


@statement(f"""
UPDATE employability.reference_value
SET descricao = :descricao, posicao = coalesce(:position, posicao), updated_at = clock_timestamp()
WHERE id = :id_
RETURNING {_MEMBERS}
""")
async def _update_value(connection: Connection, id_: UUID, descricao: str, position: int | None) -> ReferenceValue: ...


class ImportedValue(NamedTuple):
    """A value in a file. If `id` or `position` is None, an existing value keeps its id or position."""

    kind: Kind
    id: UUID | None
    descricao: str
    position: int | None


class ImportMatch(NamedTuple):
    """How an imported value matches stored values, by id and by text.

    `folded` is the imported text in its comparable form.
    """

    folded: str
    has_id: bool  # a value of the same kind has this id
    by_text: UUID | None


@statement("""
SELECT employability.folded(offered.descricao) AS folded, coalesce(by_id.kind = offered.kind, false) AS has_id,
       by_text.id AS by_text
FROM unnest(:values.kind::text[], :values.id::uuid[], :values.descricao::text[])
    WITH ORDINALITY AS offered (kind, id, descricao, number)
LEFT JOIN employability.reference_value AS by_id ON by_id.id = offered.id
LEFT JOIN employability.reference_value AS by_text
    ON by_text.kind = offered.kind AND by_text.folded = employability.folded(offered.descricao)
ORDER BY number
""")
async def match_imported_values(connection: Connection, values: Sequence[ImportedValue]) -> list[ImportMatch]:
    """Return the matches of each value, in the same order."""


async def write_imported_values(
    connection: Connection, values: Sequence[ImportedValue], matches: Sequence[ImportMatch]
) -> int:
    """Write the new and changed values, and return their number. The values must be independent of each other.

    An existing value gets the id from the file. PostgreSQL rejects an id or text that another value has, and a new id
    while records refer to the old id.
    """
    found = [value.id if one.has_id else one.by_text for value, one in zip(values, matches, strict=True)]
    identified = [
        value._replace(id=value.id or known or UUID(new_id())) for value, known in zip(values, found, strict=True)
    ]
    return await _write_imported_values(connection, identified, found)


# UPDATE and INSERT see the state of the table before the statement. New values without a position come last, in the
# order of the file.
@statement(f"""
WITH offered AS MATERIALIZED (
    SELECT * FROM unnest(:found::uuid[], :values.kind::text[], :values.id::uuid[], :values.descricao::text[],
        :values.position::integer[]) WITH ORDINALITY AS offered (found, kind, id, descricao, posicao, number)
), changed AS (
    UPDATE employability.reference_value AS stored
    SET id = offered.id, descricao = offered.descricao, posicao = coalesce(offered.posicao, stored.posicao),
        updated_at = clock_timestamp()
    FROM offered
    WHERE stored.id = offered.found AND (stored.id, stored.descricao, stored.posicao)
        IS DISTINCT FROM (offered.id, offered.descricao, coalesce(offered.posicao, stored.posicao))
    RETURNING 1
), lasts AS (
    SELECT kind, (SELECT max(posicao) FROM employability.reference_value AS stored WHERE stored.kind = offered.kind)
    FROM offered WHERE found IS NULL GROUP BY kind
), added AS (
    INSERT INTO employability.reference_value (id, kind, descricao, posicao)
    SELECT id, kind, descricao, coalesce(posicao, least(
        coalesce(lasts.max, 0) + row_number() OVER (PARTITION BY kind ORDER BY number), {LAST_POSITION}))
    FROM offered JOIN lasts USING (kind) WHERE found IS NULL
    RETURNING 1
)
SELECT (SELECT count(*) FROM changed) + (SELECT count(*) FROM added)
""")
async def _write_imported_values(
    connection: Connection, values: Sequence[ImportedValue], found: Sequence[UUID | None]
) -> int: ...


async def delete_value(connection: Connection, id_: UUID) -> None:
    """Delete a locked value. Raises Conflict if a record refers to it."""
    try:
        await _delete_value(connection, id_)
    except STILL_REFERENCED:
        raise Conflict(
            "Este registro está em uso por vagas ou currículos e não pode ser excluído.", code="reference-in-use"
        ) from None


@statement("DELETE FROM employability.reference_value WHERE id = :id_")
async def _delete_value(connection: Connection, id_: UUID) -> None: ...


def _name_taken() -> Conflict:
    return Conflict("Já existe outro registro com esta `descricao`.", code="descricao-taken")


_LINE = """
jsonb_build_object('tabela', stored.kind, 'id', stored.id, 'descricao', stored.descricao, 'ordem', stored.posicao)
"""
EXPORTS = Exports([Export("reference-values", Rows("employability.reference_value", _LINE))])


OFFERED = (list_unknown_values,)
