"""SQL of the blocks."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import UUID

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import affected, fetch_count, fetch_page, page_sql
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.employability.selection.blocks.filters import BlockFilters
from balcao.employability.selection.blocks.schemas import Block

_MEMBERS = "block.id, block.cpf, block.id_vaga, block.criterios_nao_atendidos, block.created_at"
_INSERT = f"""
INSERT INTO employability.application_block AS block (id, cpf, id_vaga, dia, criterios_nao_atendidos)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (cpf, id_vaga, dia) DO NOTHING
RETURNING {_MEMBERS}
"""  # noqa: S608 - our own columns
_READ = f"""
SELECT {_MEMBERS} FROM employability.application_block AS block WHERE cpf = $1 AND id_vaga = $2 AND dia = $3
"""  # noqa: S608 - our own columns


async def insert(connection: Connection, cpf: Cpf, job: UUID, day: date, criteria: Sequence[str]) -> tuple[Block, bool]:
    """Insert the block of the day unless there is one; return the one that is there, and whether it is new."""
    row = await connection.fetchrow(_INSERT, UUID(new_id()), cpf.digits, job, day, criteria)
    if row is not None:
        return _to_block(row), True
    found = await connection.fetchrow(_READ, cpf.digits, job, day)
    assert found is not None
    return _to_block(found), False


_SELECTED = """
FROM employability.application_block AS block
JOIN employability.job ON job.id = block.id_vaga
WHERE ($1::text[] IS NULL OR job.id_orgao_parceiro = ANY($1))
    AND ($2::text IS NULL OR block.cpf = $2)
    AND ($3::uuid IS NULL OR block.id_vaga = $3)
"""
_LIST = page_sql(
    f"SELECT {_MEMBERS} {_SELECTED} ORDER BY block.created_at DESC, block.id LIMIT $4 OFFSET $5",
    f"SELECT count(*) {_SELECTED}",
)


async def list_page(
    connection: Connection, departments: Sequence[str] | None, filters: BlockFilters, page: Page
) -> tuple[list[Block], int]:
    """Return the page's blocks on jobs of these departments (None is all), newest first, and the total."""
    cpf = None if filters.cpf is None else filters.cpf.digits
    rows, total = await fetch_page(connection, _LIST, departments, cpf, filters.job, page.limit, page.offset)
    return [_to_block(row) for row in rows], total


async def has_any(connection: Connection) -> bool:
    """Return whether there is any block."""
    return bool(await connection.fetchval("SELECT EXISTS (SELECT FROM employability.application_block)"))


async def export(connection: Connection, cpf: Cpf) -> list[dict[str, Any]]:
    """Return a person's blocks, oldest first."""
    rows = await connection.fetch(
        "SELECT id_vaga, criterios_nao_atendidos, created_at FROM employability.application_block"
        " WHERE cpf = $1 ORDER BY created_at, id",
        cpf.digits,
    )
    return [dict(row) for row in rows]


async def delete(connection: Connection, cpf: Cpf) -> int:
    """Delete a person's blocks and return how many there were."""
    return affected(await connection.execute("DELETE FROM employability.application_block WHERE cpf = $1", cpf.digits))


async def count(connection: Connection) -> int:
    """Return how many blocks there are."""
    return await fetch_count(connection, "SELECT count(*) FROM employability.application_block")


_DELETE_OLD = "DELETE FROM employability.application_block WHERE created_at < now() - make_interval(months => $1)"


async def delete_old(connection: Connection, months: int) -> int:
    """Delete the blocks that are older than that, and return how many. By the owner of the tables only."""
    return affected(await connection.execute(_DELETE_OLD, months))


def _to_block(row: Row | dict[str, Any]) -> Block:
    return Block(row["id"], row["cpf"], row["id_vaga"], row["criterios_nao_atendidos"], row["created_at"])
