"""Read and change the mirror. The result does not depend on the order of events, or on repeated events."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from balcao.core.context.audit import guard_audit_write
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import NewJob, encode_payload
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.registry.mirror import login_write_store, outbox, outbox_store, own_write_store, store
from balcao.registry.mirror.fields import EMAIL, PUSH_JOB
from balcao.registry.mirror.login_write_store import LoginWrite
from balcao.registry.mirror.records import Head, Written
from balcao.registry.mirror.writes import Consent, OwnWrite, Value, Writes

# This time is longer than a login's time budget. If the login's process is killed, pushes of the e-mail wait at most
# this long.
LOGIN_WRITE_SECONDS = 10.0


async def read_mirror_head(connection: Connection, cpf: Cpf) -> Head:
    """Return the current consents and the times of the most recent erasures. For an unknown citizen, Head is empty."""
    return await store.select_mirror_head(connection, cpf) or Head()


async def list_consented(connection: Connection, people: Sequence[Cpf]) -> Mapping[Cpf, set[tuple[str, str]]]:
    """Return each person's current consents as pairs of category and channel."""
    found: dict[Cpf, set[tuple[str, str]]] = {cpf: set() for cpf in people}
    for cpf, category, channel in await store.list_consent_keys(connection, people):
        found[cpf].add((category, channel))
    return found


class Result(StrEnum):
    """The effect of a CRM event on the mirror."""

    APPLIED = "applied"
    PARTLY_OLDER = "partly_older"
    OLDER = "older"
    NO_EFFECT = "no_effect"
    ANONYMISED = "anonymised"


async def apply_delta(connection: Connection, cpf: Cpf, writes: Writes, at: datetime) -> Result:
    """Merge the writes of one event (rules: registry 4.2). An event without writes creates no row."""
    if not writes:
        return Result.NO_EFFECT
    erased = await store.lock_mirror(connection, cpf)
    if erased.anonymised_at is not None and at <= erased.anonymised_at:
        return Result.ANONYMISED
    won = await _merge_fields(connection, cpf, writes.fields, at)
    won += await _merge_consents(connection, cpf, writes, at, erased.consents_cleared_at)
    await store.stamp_last_event(connection, cpf, at)
    if won == len(writes.fields) + len(writes.consents) + writes.clears_consents:
        return Result.APPLIED
    return Result.PARTLY_OLDER if won else Result.OLDER


async def anonymise_mirror(connection: Connection, cpf: Cpf, at: datetime) -> Result:
    """Apply an `anonimizacao` event: set the tombstone, even for an unknown citizen."""
    await store.lock_mirror(connection, cpf)
    await store.set_tombstone(connection, cpf, at)
    await outbox.drop_overridden_fields(connection, cpf)
    await store.stamp_last_event(connection, cpf, at)
    return Result.APPLIED


async def write_own_fields(
    connection: Connection,
    call: Call,
    cpf: Cpf,
    write: OwnWrite,
    *,
    trail: str = "[]",
    expected: int | None = None,
    verification: str | None = None,
) -> Written:
    """Write a change by the citizen, or by staff on their behalf.

    It overrides every event that has already been applied.

    One statement writes the change, its outbox row (rules: registry 4.5), the push job and the audit `trail`. It writes
    nothing if the mirror's version differs from `expected`: the caller must then read and decide again. With a phone
    `verification`, it writes only if the verification is still valid, and consumes it.
    """
    outbox_id = new_id()
    return await own_write_store.apply_own_write(
        connection,
        cpf,
        write,
        outbox_id,
        NewJob(PUSH_JOB, encode_payload({"outbox": outbox_id})),
        origin="citizen" if call.is_owner else "staff",
        request_id=call.request_id,
        trail=trail,
        expected=expected,
        verification=verification,
    )


async def confirm_sent(connection: Connection, cpf: Cpf, fields: Sequence[str], sent_at: datetime) -> None:
    """Record that a call that began at `sent_at` delivered these fields. Skip fields that now contain the CRM's value.

    CRM values older than the call can no longer override the citizen's values, but later changes by CRM staff can.
    """
    await store.stamp_pushed_fields(connection, cpf, fields, sent_at)
    if EMAIL in fields:
        await login_write_store.forget_login_write(connection, cpf)


async def begin_login_write(connection: Connection, cpf: Cpf, offered: str | None) -> LoginWrite | None:
    """Return the e-mail that a login must write into the CRM, and record the write. Return None if there is no e-mail.

    The declared e-mail takes precedence over `offered`. Until the login's call ends, no push of an e-mail starts, so
    the login cannot overwrite a newer e-mail. The echo of the written e-mail is recognised and does not count as a
    change by the CRM.
    """
    return await login_write_store.begin_login_write(connection, cpf, offered, LOGIN_WRITE_SECONDS)


async def end_login_write(connection: Connection, cpf: Cpf, write: LoginWrite, *, delivered: bool) -> None:
    """Record the end of the login's call. If the call delivered the declared e-mail, confirm it as after a push."""
    confirmed = delivered and write.is_own
    if confirmed:
        await store.lock_mirror(connection, cpf)
    await login_write_store.end_login_write(connection, cpf)
    if confirmed:
        await confirm_sent(connection, cpf, [EMAIL], write.begun_at)


async def find_login_write_seconds(connection: Connection, cpf: Cpf) -> float:
    """Return for how many seconds a login may still be writing the e-mail. Return 0 if no login is writing it."""
    return await login_write_store.select_login_write_seconds(connection, cpf) or 0.0


async def _merge_fields(connection: Connection, cpf: Cpf, offered: Mapping[str, Value], at: datetime) -> int:
    """Merge the fields of an event. Return how many fields it changed or confirmed.

    An echo of a push or a login never overrides the citizen's value.
    """
    marked = await outbox_store.find_marked_fields(connection, cpf, offered)
    echoes = [field for field, is_echo in marked.items() if is_echo]
    won = await store.merge_fields(connection, cpf, offered, at, echoes)
    if marked:
        await outbox.drop_overridden_fields(connection, cpf)
    return won


async def confirm_consent(connection: Connection, cpf: Cpf, consent: Consent, trail: str) -> datetime:
    """Store a consent of the citizen that the CRM has confirmed. Return its time (rules: registry 2.10)."""
    with guard_audit_write():
        return await store.confirm_consent(connection, cpf, consent, trail)


async def _merge_consents(
    connection: Connection, cpf: Cpf, writes: Writes, at: datetime, cleared_at: datetime | None
) -> int:
    if writes.clears_consents:
        await store.clear_consents(connection, cpf, at)
        return 1
    if not writes.consents or (cleared_at is not None and at <= cleared_at):
        return 0
    return await store.merge_consents(connection, cpf, writes.consents, at, "crm")


async def release_future_fields(connection: Connection, cpf: Cpf) -> list[str] | None:
    """Reset times that are in the future to now. Return the changed fields, or None for an unknown citizen."""
    if not await store.lock_known_mirror(connection, cpf):
        return None
    return sorted(await store.release_future_fields(connection, cpf))
