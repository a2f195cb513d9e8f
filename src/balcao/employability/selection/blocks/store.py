"""SQL of the blocks."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import UUID

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import Conditions, affected, fetch_count, fetch_page, page_sql
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.employability.selection.blocks.filters import BlockFilters
from balcao.employability.selection.blocks.schemas import Block, ExportedBlock

_MEMBERS = "block.id, block.cpf, block.id_vaga, block.criterios_nao_atendidos, block.created_at"
_INSERT = f"""
INSERT INTO employability.application_block AS block (id, cpf, id_vaga, dia, criterios_nao_atendidos)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (cpf, id_vaga, dia) DO NOTHING
RETURNING {_MEMBERS}
"""
_READ = f"""
SELECT {_MEMBERS} FROM employability.application_block AS block WHERE cpf = $1 AND id_vaga = $2 AND dia = $3
"""


async def insert(connection: Connection, cpf: Cpf, job: UUID, day: date, criteria: Sequence[str]) -> tuple[Block, bool]:
    """Insert the block of the day unless there is one; return the one that is there, and whether it is new."""
    row = await connection.fetchrow(_INSERT, UUID(new_id()), cpf.digits, job, day, criteria)
    if row is not None:
        return _to_block(row), True
    found = await connection.fetchrow(_READ, cpf.digits, job, day)
    assert found is not None
    return _to_block(found), False


# The jobs first, so that theirs are found by the index of a job's blocks.
_OF_DEPARTMENTS = """block.id_vaga = ANY (ARRAY(
    SELECT id FROM employability.job WHERE id_orgao_parceiro = ANY({}::text[])))"""


async def list_page(
    connection: Connection, departments: Sequence[str] | None, filters: BlockFilters, page: Page
) -> tuple[list[Block], int]:
    """Return the page's blocks on jobs of these departments (None is all), newest first, and the total.

    The statement holds only the conditions that were asked for, for its own plan.
    """
    conditions = Conditions()
    conditions.add("true")
    if departments is not None:
        conditions.add(_OF_DEPARTMENTS, departments)
    if filters.cpf is not None:
        conditions.add("block.cpf = {}::text", filters.cpf.digits)
    if filters.job is not None:
        conditions.add("block.id_vaga = {}::uuid", filters.job)
    selected = f"FROM employability.application_block AS block WHERE {conditions}"
    end = len(conditions.values)
    statement = page_sql(
        f"SELECT {_MEMBERS} {selected} ORDER BY block.created_at DESC, block.id LIMIT ${end + 1} OFFSET ${end + 2}",
        f"SELECT count(*) {selected}",
    )
    rows, total = await fetch_page(connection, statement, *conditions.values, page.limit, page.offset)
    return [_to_block(row) for row in rows], total


async def has_any(connection: Connection) -> bool:
    """Return whether there is any block."""
    return bool(await connection.fetchval("SELECT EXISTS (SELECT FROM employability.application_block)"))


async def export(connection: Connection, cpf: Cpf) -> list[ExportedBlock]:
    """Return a person's blocks, oldest first."""
    rows = await connection.fetch(
        "SELECT id_vaga, criterios_nao_atendidos, created_at FROM employability.application_block"
        " WHERE cpf = $1 ORDER BY created_at, id",
        cpf.digits,
    )
    return [ExportedBlock(**row) for row in rows]


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
