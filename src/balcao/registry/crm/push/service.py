"""The push: a job reads a citizen's changes, sends them to the CRM, and stores the outcome (rules: registry 4.5)."""

import random
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from balcao.core.context.call import worker_call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import PermanentFailure, Retry, Wait, this_try
from balcao.core.logs import log, request_id
from balcao.core.telemetry import counter
from balcao.crm.circuit import CIRCUIT_OPEN, State
from balcao.crm.client import CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway, CrmRefused
from balcao.registry.crm.push.delivery import Change, deliver_change
from balcao.registry.mirror import outbox
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.fields import EMAIL
from balcao.registry.mirror.outbox_store import find_outbox_owner, take_outbox_row
from balcao.registry.mirror.records import OutboxRow
from balcao.registry.mirror.store import lock_mirror, read_clock, record_pushed_fields

# This time is shorter than the queue's lease. If a worker loses its job, its CRM call ends before another worker starts
# the job.
BUDGET_SECONDS = 20.0
LONGEST_REQUESTED_SECONDS = 3_600
LIMIT_EXCEEDED_SECONDS = 60
LOGIN_WRITES = "crm-login-writes"
OFF = timedelta(hours=1)  # how often a job checks whether pushing is enabled again
_pushes = counter("balcao_crm_push", "Tries to tell the CRM what citizens changed", "outcome")


@dataclass(frozen=True)
class Push:
    """One attempt: the outbox row, the values to write, and the start of the attempt."""

    row: OutboxRow
    change: Change
    begun_at: datetime


async def push_outbox_row(platform: Platform, outbox_id: str) -> None:
    """Try once to push an outbox row. Do nothing if another job has taken over the row or nothing is left to send.

    The CRM is called between two transactions, so no lock is held during the call. The queue handles the exceptions:
    Wait if the push cannot start now, Retry after a failed call, and PermanentFailure if the call was the last attempt
    or the CRM rejected it.
    """
    require_push_ready(platform)
    pushed = await _mark_sent(platform, outbox_id)
    if pushed is None:
        return
    request_id.set(pushed.row.request_id)
    started = time.monotonic()
    try:
        delivered = await deliver_change(platform, pushed.change, Deadline.within(BUDGET_SECONDS, tries=1))
    except (CrmAway, CrmRefused) as failure:
        await _fail(platform, pushed, failure, time.monotonic() - started)
    else:
        await _finish(platform, pushed, delivered=delivered)


def require_push_ready(platform: Platform) -> None:
    """Raise Wait while pushing is switched off, no CRM is configured, or the circuit breaker is open."""
    if not (platform.settings.crm_push and platform.settings.crm_configured):
        raise Wait("crm-push-off", OFF)
    circuit = platform.part(CrmClient).circuit
    if circuit.state is State.OPEN:
        raise make_wait(circuit.seconds_until_probe)


def make_wait(seconds: float) -> Wait:
    """Return a Wait with jitter, so that the waiting jobs do not all run again at the same moment."""
    return Wait(CIRCUIT_OPEN, timedelta(seconds=seconds + random.uniform(0, 2)))  # noqa: S311 - jitter, no secret


async def _mark_sent(platform: Platform, outbox_id: str) -> Push | None:
    """Mark the current values as sent and return the push, or return None if there is nothing to send.

    Lock order: the mirror before the outbox row, as in every write of the person's data. Raises Wait while a login
    writes the e-mail into the CRM, because the login must not overwrite the e-mail of this push.
    """
    async with platform.database.transaction() as connection:
        cpf = await find_outbox_owner(connection, outbox_id)
        if cpf is None:
            return None
        erased = await lock_mirror(connection, cpf)
        row = await take_outbox_row(connection, outbox_id)
        if row is None:
            return None
        if EMAIL in row.dirty and (seconds := await mirror.find_login_write_seconds(connection, cpf)):
            raise Wait(LOGIN_WRITES, timedelta(seconds=seconds))
        values = await record_pushed_fields(connection, cpf, list(row.dirty))
        if not values:
            await outbox.mark_fields_sent(connection, cpf, outbox_id, row.dirty)
            return None
        change = Change(cpf, values, erased.anonymised_at is not None)
        return Push(row, change, await read_clock(connection))


async def _finish(platform: Platform, pushed: Push, *, delivered: bool) -> None:
    cpf = pushed.change.cpf
    async with platform.database.transaction() as connection:
        await lock_mirror(connection, cpf)
        await outbox.mark_fields_sent(connection, cpf, pushed.row.id, pushed.row.dirty)
        if delivered:
            await mirror.confirm_sent(connection, cpf, list(pushed.change.values), pushed.begun_at)
        await _audit(platform, connection, pushed, "delivered" if delivered else "skipped")
    _count("delivered" if delivered else "skipped", pushed)


async def _fail(platform: Platform, pushed: Push, failure: CrmAway | CrmRefused, seconds: float) -> None:
    if failure.code == CIRCUIT_OPEN:
        raise make_wait(failure.retry_after or 0)
    final = isinstance(failure, CrmRefused) or this_try.get() >= platform.settings.crm_push_attempts
    cpf, tried = pushed.change.cpf, _describe_failure(failure, seconds)
    async with platform.database.transaction() as connection:
        await lock_mirror(connection, cpf)
        goes_on = await outbox.record_push_failure(connection, cpf, pushed.row, tried, given_up=final)
        dead = final and goes_on
        if dead:
            await _audit(platform, connection, pushed, "dead")
    _count("dead" if dead else "retried", pushed, **tried)
    if goes_on:
        raise PermanentFailure(failure.error_code) if dead else Retry(failure.error_code, find_requested_delay(failure))


def _describe_failure(failure: CrmAway | CrmRefused, seconds: float) -> dict[str, Any]:
    """Return the details of a failed attempt to store: names of rejected fields, but never their values."""
    fields = list(failure.fields) if isinstance(failure, CrmRefused) else []
    return {
        "status": failure.http_status,
        "code": failure.error_code,
        "fields": fields,
        "duration": round(seconds, 3),
    }


def find_requested_delay(failure: CrmAway | CrmRefused) -> timedelta:
    """Return the delay that the CRM requested, at most `LONGEST_REQUESTED_SECONDS`.

    If the request limit is exceeded, return at least `LIMIT_EXCEEDED_SECONDS`. The queue uses its own delay if that is
    longer.
    """
    seconds = min(failure.retry_after or 0, LONGEST_REQUESTED_SECONDS)
    limited = (failure.http_status, failure.error_code) == (403, "REQUEST_LIMIT_EXCEEDED")
    return timedelta(seconds=max(seconds, LIMIT_EXCEEDED_SECONDS) if limited else seconds)


async def _audit(platform: Platform, connection: Connection, pushed: Push, outcome: str) -> None:
    call = worker_call(platform, "registry.push_to_crm", pushed.row.request_id)
    fields = sorted(pushed.change.values)
    await platform.audit.record(connection, call, "push", subject=pushed.change.cpf, fields=fields, outcome=outcome)


def _count(outcome: str, pushed: Push, **tried: Any) -> None:
    _pushes.inc(outcome)
    log.info(f"crm_push.{outcome}", **{"fields": sorted(pushed.change.values), "tries": this_try.get()} | tried)
