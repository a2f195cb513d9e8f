"""The outbox: one row for each citizen with changes to push to the CRM, sent by one job at a time.

A job finds its row by the row's id. When a new job takes over the row, the row gets a new id. If the previous job runs
again, it finds no row. Therefore two jobs never push the same citizen's changes. Callers of these functions must hold
the lock on the citizen's mirror.
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
    """Remove from the citizen's outbox row the fields that the CRM or an erasure has overridden."""
    row = await store.drop_overridden_fields(connection, cpf)
    if row is None or row.dirty:
        return
    # A running job deletes its row itself. If we deleted it now, a new row could get a second job that runs in
    # parallel. A job that has given up makes no further call, even if the queue still lists it as running, so its row
    # can be deleted here.
    if await withdraw_job(connection, row.job, also_running=row.given_up):
        await store.delete_outbox_row(connection, row.id)


async def mark_fields_sent(connection: Connection, cpf: Cpf, outbox_id: str, versions: Mapping[str, int]) -> None:
    """Remove the sent field versions from the row. Enqueue a new job for fields that changed during the push."""
    row = await store.mark_fields_sent(connection, outbox_id, versions)
    if row is not None:
        await _finish(connection, cpf, row)


async def record_push_failure(
    connection: Connection, cpf: Cpf, taken: OutboxRow, attempt: Mapping[str, Any], *, given_up: bool
) -> bool:
    """Record a failed attempt. Return whether the job must be retried or, if `given_up`, dead-lettered.

    Return False if another job has taken over the row, or if no dirty fields are left. If the job gives up, return
    False also if the row has changed since the attempt: a new job then sends the newer change.
    """
    row = await store.record_push_failure(connection, taken.id, attempt, given_up=given_up)
    if row is None:
        return False
    if row.dirty and not (given_up and row.version > taken.version):
        return True
    await _finish(connection, cpf, row)
    return False


async def _finish(connection: Connection, cpf: Cpf, row: OutboxRow) -> None:
    """Hand the remaining dirty fields over to a new job, or delete the row if there are none."""
    if row.dirty:
        outbox_id = new_id()
        job = await enqueue(connection, PUSH_JOB, {"outbox": outbox_id})
        await store.hand_over_outbox_row(connection, cpf, outbox_id, job)
    else:
        await store.delete_outbox_row(connection, row.id)
