"""What is still to be sent to the CRM of a citizen: marked by own writes, sent by one queued job at a time.

A row and its job belong together by the row's id. Whenever a new job takes over, the row gets a new id, so that a job
that runs a second time (its worker was killed) finds nothing to do, and no two jobs ever send one citizen's changes.
The caller holds the citizen's mirror locked.
"""

from collections.abc import Mapping
from typing import Any

from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import enqueue, withdraw_job
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.registry.mirror import outbox_store as store
from balcao.registry.mirror.fields import PUSH_JOB
from balcao.registry.mirror.records import OutboxRow


async def drop_overridden_fields(connection: Connection, cpf: Cpf) -> None:
    """Clear from the outbox what is no longer the citizen's own word, after the CRM or an erasure has written."""
    row = await store.drop_overridden_fields(connection, cpf)
    if row is None or row.dirty:
        return
    # A job that runs keeps its row, or a new row's job could run beside it; it ends by removing it.
    if await withdraw_job(connection, row.job, also_running=row.given_up):
        await store.delete_outbox_row(connection, row.id)


async def mark_fields_sent(connection: Connection, cpf: Cpf, outbox_id: str, versions: Mapping[str, int]) -> None:
    """Clear these versions, which the CRM has; what was changed meanwhile is sent at once."""
    row = await store.mark_fields_sent(connection, outbox_id, versions)
    if row is not None:
        await _finish(connection, cpf, row)


async def record_push_failure(
    connection: Connection, cpf: Cpf, taken: OutboxRow, attempt: Mapping[str, Any], *, given_up: bool
) -> bool:
    """Record the attempt; return whether the job has anything left to do or to be parked for.

    It has not when nothing is dirty any more, nor when it would be parked with a change that it never tried.
    """
    row = await store.record_push_failure(connection, taken.id, attempt, given_up=given_up)
    if row is None:
        return False
    if row.dirty and not (given_up and row.version > taken.version):
        return True
    await _finish(connection, cpf, row)
    return False


async def _finish(connection: Connection, cpf: Cpf, row: OutboxRow) -> None:
    """End the job of the row: what is dirty yet becomes another job's."""
    if row.dirty:
        outbox_id = new_id()
        job = await enqueue(connection, PUSH_JOB, {"outbox": outbox_id})
        await store.hand_over_outbox_row(connection, cpf, outbox_id, job)
    else:
        await store.delete_outbox_row(connection, row.id)
