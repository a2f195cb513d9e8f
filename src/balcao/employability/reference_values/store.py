"""SQL of the reference values."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import asyncpg
from msgspec import UNSET

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import REFERRED_TO, fetch_count, fetch_page, page_sql
from balcao.core.errors import Conflict
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.http.paging import Page
from balcao.core.values.ids import new_id
from balcao.employability.reference_values.kinds import RANKED, Kind
from balcao.employability.reference_values.schemas import LAST_POSITION, ReferenceValue

_MEMBERS = "id, descricao, created_at, updated_at, kind, posicao"
_PAGE = page_sql(
    f"""
    SELECT {_MEMBERS} FROM employability.reference_value
    WHERE kind = $1 ORDER BY posicao, id LIMIT $2 OFFSET $3
    """,
    "SELECT count(*) FROM employability.reference_value WHERE kind = $1",
)


async def list_page(connection: Connection, kind: Kind, page: Page) -> tuple[list[ReferenceValue], int]:
    """Return the page's values and how many there are in all."""
    rows, total = await fetch_page(connection, _PAGE, kind, page.limit, page.offset)
    return [_to_value(row) for row in rows], total


_READ = f"SELECT {_MEMBERS} FROM employability.reference_value WHERE kind = $1 AND id = $2"


async def read(connection: Connection, kind: Kind, id_: UUID) -> ReferenceValue | None:
    row = await connection.fetchrow(_READ, kind, id_)
    return _to_value(row) if row else None


_UNKNOWN = """
SELECT wanted.kind, wanted.id FROM unnest($1::text[], $2::uuid[]) AS wanted (kind, id)
WHERE NOT EXISTS (
    SELECT FROM employability.reference_value AS value WHERE value.id = wanted.id AND value.kind = wanted.kind)
"""


async def list_unknown(connection: Connection, wanted: Sequence[tuple[Kind, UUID]]) -> set[tuple[Kind, UUID]]:
    """Return those of the wanted values that are not there under their kind."""
    rows = await connection.fetch(_UNKNOWN, [kind for kind, _ in wanted], [id_ for _, id_ in wanted])
    return {(Kind(row["kind"]), row["id"]) for row in rows}


_LOCK = f"{_READ} FOR UPDATE"


async def lock(connection: Connection, kind: Kind, id_: UUID) -> ReferenceValue | None:
    """Read a value and keep others from changing it until the transaction ends."""
    row = await connection.fetchrow(_LOCK, kind, id_)
    return _to_value(row) if row else None


# Without a place of its own a new value goes last; two that come at once may share that place, and stand by their ids.
_INSERT = f"""
INSERT INTO employability.reference_value (id, kind, descricao, posicao)
SELECT $1, $2, $3, coalesce($4, least(coalesce(max(posicao), 0) + 1, {LAST_POSITION}))
FROM employability.reference_value WHERE kind = $2
RETURNING {_MEMBERS}
"""


async def create(connection: Connection, kind: Kind, descricao: str, position: int | None) -> ReferenceValue:
    """Insert a value under a new id. Raises Conflict when another value of the kind has the same text, folded."""
    try:
        return _to_value(await connection.fetchrow(_INSERT, new_id(), kind, descricao, position))
    except asyncpg.UniqueViolationError:
        raise _taken() from None


_UPDATE = f"""
UPDATE employability.reference_value
SET descricao = $2, posicao = coalesce($3, posicao), updated_at = clock_timestamp()
WHERE id = $1
RETURNING {_MEMBERS}
"""


async def update(connection: Connection, id_: UUID, descricao: str, position: int | None) -> ReferenceValue:
    """Update a locked row; None keeps the place. Raises Conflict when another value of the kind has the same text."""
    try:
        return _to_value(await connection.fetchrow(_UPDATE, id_, descricao, position))
    except asyncpg.UniqueViolationError:
        raise _taken() from None


class ImportedValue(NamedTuple):
    """A value as a file has it; without `id` the one that is there keeps its own, without `position` its place."""

    kind: Kind
    id: UUID | None
    descricao: str
    position: int | None


_MATCH = """
SELECT employability.folded(offered.descricao) AS folded, by_id.kind = offered.kind AS has_id, by_text.id AS by_text
FROM unnest($1::text[], $2::uuid[], $3::text[]) WITH ORDINALITY AS offered (kind, id, descricao, number)
LEFT JOIN employability.reference_value AS by_id ON by_id.id = offered.id
LEFT JOIN employability.reference_value AS by_text
    ON by_text.kind = offered.kind AND by_text.folded = employability.folded(offered.descricao)
ORDER BY number
"""


class Match(NamedTuple):
    """What is stored under the id of an imported value, or under its text; `folded` is that text as it is compared."""

    folded: str
    has_id: bool  # its kind has a value of this id
    by_text: UUID | None


async def match(connection: Connection, values: Sequence[ImportedValue]) -> list[Match]:
    """Return what is stored of each of these."""
    kinds, ids, texts, _ = map(list, zip(*values, strict=True))
    rows = await connection.fetch(_MATCH, kinds, ids, texts)
    return [Match(row["folded"], bool(row["has_id"]), row["by_text"]) for row in rows]


# Both read what was stored before the statement. Values that come without a place go last, in the order of the file.
_WRITE = f"""
WITH offered AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::integer[]) WITH ORDINALITY
        AS offered (found, kind, id, descricao, posicao, number)
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
"""


async def write(connection: Connection, values: Sequence[ImportedValue], matches: Sequence[Match]) -> int:
    """Write values of which none has to do with another, unless they are so already; return how many were written.

    One that is there takes the id of the file. Another value's id or text, or a new id while anything refers to the old
    one, is for the server to refuse.
    """
    found = [value.id if one.has_id else one.by_text for value, one in zip(values, matches, strict=True)]
    kinds, ids, texts, positions = map(list, zip(*values, strict=True))
    ids = [id_ or known or new_id() for id_, known in zip(ids, found, strict=True)]
    return await fetch_count(connection, _WRITE, found, kinds, ids, texts, positions)


_DELETE = "DELETE FROM employability.reference_value WHERE id = $1"


async def delete(connection: Connection, id_: UUID) -> None:
    """Delete a locked row. Raises Conflict while another row refers to it."""
    try:
        await connection.execute(_DELETE, id_)
    except REFERRED_TO:
        raise Conflict(
            "Este registro está em uso por vagas ou currículos e não pode ser excluído.", code="reference-in-use"
        ) from None


def _taken() -> Conflict:
    return Conflict("Já existe outro registro com esta `descricao`.", code="descricao-taken")


def _to_value(row: Row) -> ReferenceValue:
    ranked = row["kind"] in RANKED
    return ReferenceValue(
        row["id"], row["descricao"], row["created_at"], row["updated_at"], row["posicao"] if ranked else UNSET
    )


_LINE = """
jsonb_build_object('tabela', stored.kind, 'id', stored.id, 'descricao', stored.descricao, 'ordem', stored.posicao)
"""
EXPORTS = Exports([Export("reference-values", Rows("employability.reference_value", _LINE))])
