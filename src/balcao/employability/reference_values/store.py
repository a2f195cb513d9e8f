"""SQL of the reference values."""

from collections.abc import Sequence
from uuid import UUID

import asyncpg
from msgspec import UNSET

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import REFERRED_TO, affected, fetch_page, page_sql
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
    """,  # noqa: S608 - names of our own columns
    "SELECT count(*) FROM employability.reference_value WHERE kind = $1",
)


async def list_page(connection: Connection, kind: Kind, page: Page) -> tuple[list[ReferenceValue], int]:
    """Return the page's values and how many there are in all."""
    rows, total = await fetch_page(connection, _PAGE, kind, page.limit, page.offset)
    return [_to_value(row) for row in rows], total


_READ = f"SELECT {_MEMBERS} FROM employability.reference_value WHERE kind = $1 AND id = $2"  # noqa: S608


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
SELECT $1, $2, $3, coalesce($4, least(max(posicao) + 1, {LAST_POSITION}), 1)
FROM employability.reference_value WHERE kind = $2
RETURNING {_MEMBERS}
"""  # noqa: S608 - names of our own columns


async def create(connection: Connection, kind: Kind, descricao: str, position: int | None) -> ReferenceValue:
    """Insert a value under a new id. Raises Conflict when another value of the kind has the same text, folded."""
    try:
        return await insert(connection, new_id(), kind, descricao, position)
    except asyncpg.UniqueViolationError:
        raise _taken() from None


async def insert(
    connection: Connection, id_: UUID | str, kind: Kind, descricao: str, position: int | None
) -> ReferenceValue:
    """Insert a value; another one with its id or text is for the server to refuse."""
    return _to_value(await connection.fetchrow(_INSERT, id_, kind, descricao, position))


_UPDATE = f"""
UPDATE employability.reference_value
SET descricao = $2, posicao = coalesce($3, posicao), updated_at = clock_timestamp()
WHERE id = $1
RETURNING {_MEMBERS}
"""  # noqa: S608 - names of our own columns


async def update(connection: Connection, id_: UUID, descricao: str, position: int | None) -> ReferenceValue:
    """Update a locked row; None keeps the place. Raises Conflict when another value of the kind has the same text."""
    try:
        return _to_value(await connection.fetchrow(_UPDATE, id_, descricao, position))
    except asyncpg.UniqueViolationError:
        raise _taken() from None


_FIND = """
SELECT id FROM employability.reference_value
WHERE kind = $1 AND (id = $2 OR folded = employability.folded($3)) ORDER BY (id = $2) IS TRUE DESC LIMIT 1
"""


async def find(connection: Connection, kind: Kind, id_: UUID | None, descricao: str) -> UUID | None:
    """Return the id of the kind's value that has this id or, where none has, this text, folded."""
    found: UUID | None = await connection.fetchval(_FIND, kind, id_, descricao)
    return found


_UPDATE_DIFFERING = """
UPDATE employability.reference_value
SET id = $2, descricao = $3, posicao = coalesce($4, posicao), updated_at = clock_timestamp()
WHERE id = $1 AND (id, descricao, posicao) IS DISTINCT FROM ($2, $3, coalesce($4, posicao))
"""


async def update_differing(
    connection: Connection, id_: UUID, wanted: UUID, descricao: str, position: int | None
) -> bool:
    """Give a value another id, text or place; return whether it had others.

    A new id is for the server to refuse while anything refers to the old one.
    """
    return bool(affected(await connection.execute(_UPDATE_DIFFERING, id_, wanted, descricao, position)))


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
