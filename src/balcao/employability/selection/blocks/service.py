"""Refused attempts to apply, recorded for each job's statistics (rules: employability 2.7, 4.4)."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Forbidden, Invalid, NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import parse_uuid
from balcao.core.values.page import Page
from balcao.employability.hiring.departments.scope import find_scope
from balcao.employability.hiring.listings.store import find_published_job
from balcao.employability.lists import ListMeta
from balcao.employability.selection.blocks import store
from balcao.employability.selection.blocks.filters import BlockFilters
from balcao.employability.selection.blocks.schemas import (
    LONGEST_CRITERION,
    MOST_CRITERIA,
    Block,
    BlockBody,
    Blocks,
)
from balcao.employability.texts import clean_line

FIELDS = ["bloqueio"]


async def record_block(call: Call, cpf: Cpf, job_id: UUID, criteria: Sequence[str]) -> None:
    """Store a refused attempt to apply, at most one for each person, job and local day.

    The block has its own transaction, because the attempt itself stored nothing or was rolled back.
    """
    async with call.platform.database.transaction() as connection:
        await _record(connection, call, cpf, job_id, criteria)


async def has_blocks(call: Call) -> bool:
    """Return whether any block is stored."""
    async with call.platform.database.connection() as connection:
        return await store.has_blocks(connection)


async def create_block(call: Call, cpf: Cpf, body: BlockBody) -> bytes:
    """Store a refused attempt to apply that a portal reports, and return the day's block as JSON.

    Raises Invalid if the body is not valid, Forbidden for another person's CPF, NotFound if the job was never published
    or is deleted, and Conflict if the idempotency key was used for another request.
    """
    if body.cpf is not None and body.cpf.strip() and Cpf.parse_claim(body.cpf) != cpf:
        raise Forbidden("O campo `cpf` não é o de quem chama.", code="cpf-foreign")
    job_id = parse_uuid(body.id_vaga.strip())
    if job_id is None:
        raise Invalid("O campo `id_vaga` deve ser um UUID.", code="id_vaga-invalid")
    if not 1 <= len(body.criterios_nao_atendidos) <= MOST_CRITERIA:
        text = f"O campo `criterios_nao_atendidos` deve ter de 1 a {MOST_CRITERIA} itens."
        raise Invalid(text, code="criterios_nao_atendidos-invalid")
    criteria = [clean_line("criterios_nao_atendidos", text, LONGEST_CRITERION) for text in body.criterios_nao_atendidos]

    async def insert() -> Block:
        if await find_published_job(connection, job_id, utc_now()) is None:
            raise NotFound("Não há vaga com este `id_vaga`.", code="job-unknown")
        return await _record(connection, call, cpf, job_id, list(dict.fromkeys(criteria)))

    async with call.platform.database.transaction() as connection:
        return await run_once(connection, call, cpf, [body], insert)


async def list_blocks(call: Call, filters: BlockFilters, page: Page) -> Blocks:
    """Return a page of the blocks for jobs within the caller's reach, newest first.

    The audit trail records the reads.
    """
    scope = await find_scope(call)
    departments = None if scope.departments is None else sorted(scope.departments)
    call.require_reason()
    async with call.platform.database.transaction() as connection:
        blocks, total = await store.list_blocks(connection, departments, filters, page)
        people = dict.fromkeys(Cpf(block.cpf) for block in blocks)
        await call.platform.audit.record_each(connection, call, "read", people, fields=FIELDS)
    shown = [msgspec.structs.replace(block, cpf=Cpf(block.cpf).masked) for block in blocks]
    return Blocks(shown, ListMeta.of(page, total))


async def _record(connection: Connection, call: Call, cpf: Cpf, job_id: UUID, criteria: Sequence[str]) -> Block:
    day = utc_now().astimezone(call.zone).date()
    block, is_new = await store.insert_block(connection, cpf, job_id, day, criteria)
    if is_new:
        await call.platform.audit.record(connection, call, "create", subject=cpf, fields=FIELDS)
    return block
