"""SQL for blocks."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.database.queries import Conditions, fetch_page, page_sql
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.core.values.page import Page
from balcao.employability.selection.blocks.filters import BlockFilters
from balcao.employability.selection.blocks.schemas import Block, ExportedBlock

_MEMBERS = "block.id, block.cpf, block.id_vaga, block.criterios_nao_atendidos, block.created_at"


async def insert_block(
    connection: Connection, cpf: Cpf, job: UUID, day: date, criteria: Sequence[str]
) -> tuple[Block, bool]:
    """Insert the day's block if it does not exist. Return the stored block, and whether it is new."""
    inserted = await _insert_block(connection, UUID(new_id()), cpf, job, day, criteria)
    return (inserted, True) if inserted is not None else (await _read_block(connection, cpf, job, day), False)


@statement(f"""
INSERT INTO employability.application_block AS block (id, cpf, id_vaga, dia, criterios_nao_atendidos)
VALUES (:id_, :cpf, :job, :day, :criteria)
ON CONFLICT (cpf, id_vaga, dia) DO NOTHING
RETURNING {_MEMBERS}
""")
async def _insert_block(
    connection: Connection, id_: UUID, cpf: Cpf, job: UUID, day: date, criteria: Sequence[str]
) -> Block | None: ...


@statement(f"""
SELECT {_MEMBERS} FROM employability.application_block AS block WHERE cpf = :cpf AND id_vaga = :job AND dia = :day
""")
async def _read_block(connection: Connection, cpf: Cpf, job: UUID, day: date) -> Block: ...


# Compare with an array of jobs, so that PostgreSQL uses the index of blocks by job.
_OF_DEPARTMENTS = """block.id_vaga = ANY (ARRAY(
    SELECT id FROM employability.job WHERE id_orgao_parceiro = ANY({}::text[])))"""


async def list_blocks(
    connection: Connection, departments: Sequence[str] | None, filters: BlockFilters, page: Page
) -> tuple[list[Block], int]:
    """Return one page of the blocks for jobs of these departments, newest first, and the total number of matches.

    If `departments` is None, the blocks for all jobs match. The statement contains only the requested conditions, so
    each combination has its own plan.
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
    text = page_sql(
        f"SELECT {_MEMBERS} {selected} ORDER BY block.created_at DESC, block.id LIMIT ${end + 1} OFFSET ${end + 2}",
        f"SELECT count(*) {selected}",
    )
    rows, total = await fetch_page(connection, text, *conditions.values, page.limit, page.offset)
    return [Block(**row) for row in rows], total


@statement("SELECT EXISTS (SELECT FROM employability.application_block)")
async def has_blocks(connection: Connection) -> bool: ...


@statement("""
SELECT id_vaga, criterios_nao_atendidos, created_at FROM employability.application_block
WHERE cpf = :cpf ORDER BY created_at, id
""")
async def list_exported_blocks(connection: Connection, cpf: Cpf) -> list[ExportedBlock]:
    """Return a person's blocks, oldest first."""


@statement("SELECT count(*) FROM employability.application_block")
async def count_blocks(connection: Connection) -> int: ...


@statement("DELETE FROM employability.application_block WHERE created_at < now() - make_interval(months => :months)")
async def delete_old_blocks(connection: Connection, months: int) -> int:
    """Delete the blocks that are older than `months` months. Return the number of deleted blocks.

    Only the owner of the tables may run this.
    """
