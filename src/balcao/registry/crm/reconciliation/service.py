"""The reconciliation: read changes from the CRM, because their events may have been lost (rules: registry 4.12)."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec import UNSET

from balcao.core.context.call import Call, worker_call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound, Unavailable
from balcao.core.jobs.worker import Retry, Wait, enqueue
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import is_uuid, new_id
from balcao.crm import changes
from balcao.crm.changes import Changed, Person
from balcao.crm.circuit import CIRCUIT_OPEN, State
from balcao.crm.client import CrmClient
from balcao.crm.deadline import BUDGET_SECONDS, Deadline
from balcao.crm.failures import CrmAway, CrmRefused
from balcao.registry.crm import iso_time
from balcao.registry.crm.events import service as events
from balcao.registry.crm.events.backlog import Backlog
from balcao.registry.crm.events.service import IngestResult
from balcao.registry.crm.reconciliation import comparison, store
from balcao.registry.crm.reconciliation.schemas import Reconciliation, ReconciliationBody
from balcao.registry.crm.reconciliation.store import Cursor, Run
from balcao.registry.mirror import service as mirror

# This time is shorter than the queue's lease. If a worker loses its job, its CRM calls end before another worker starts
# the job.
PAGE_SECONDS = 20.0
OPERATION = "registry.reconcile_crm"
OFF = timedelta(hours=1)


async def reconcile_crm(call: Call, body: ReconciliationBody) -> Reconciliation:
    """Reconcile one person immediately, or start a run over all people who changed since a given time.

    Raises Invalid for an invalid body, NotFound for a person without an account, and Conflict while a run is active.
    Raises CrmFailed if the CRM fails or rejects the call, and Unavailable if no CRM is configured.
    """
    if (body.cpf is UNSET) == (body.since is UNSET):
        raise Invalid("Envie `cpf` ou `since`, um dos dois.", code="reconcile-scope")
    if not isinstance(body.cpf, msgspec.UnsetType):
        return await _reconcile_person(call, _parse_cpf(body.cpf))
    assert not isinstance(body.since, msgspec.UnsetType)  # exactly one of the two members is set
    return await _open_run(call, _parse_since(body.since))


def _parse_cpf(text: str) -> Cpf:
    cpf = Cpf.parse(text.strip())
    if cpf is None:
        raise Invalid("O campo `cpf` deve ser um CPF válido, com 11 dígitos.", code="cpf-invalid")
    return cpf


def _parse_since(text: str) -> datetime:
    since = iso_time.parse_iso_time(text.strip())
    if since is None or since > utc_now():
        raise Invalid("O campo `since` deve ser uma data com hora em ISO 8601, que já passou.", code="since-invalid")
    return since


async def _reconcile_person(call: Call, cpf: Cpf) -> Reconciliation:
    call.require_reason()
    started = utc_now()
    backlog = call.platform.part(Backlog)
    await backlog.refuse_when_full(call.platform)
    crm, deadline = call.platform.part(CrmClient), Deadline.within(BUDGET_SECONDS)
    people = await changes.read_people(crm, [cpf], deadline)
    if people[0].dados is None:
        raise NotFound("O CRM não tem conta deste cidadão.", code="crm-account-unknown")
    async with call.platform.database.transaction() as connection:
        fed = await _feed(call, connection, people)
    return Reconciliation(None, None, "done", 1, fed.new, fed.refused, started, utc_now())


async def _open_run(call: Call, since: datetime) -> Reconciliation:
    require_reconciliation_configured(call.platform)
    async with call.platform.database.transaction() as connection:
        run = await store.open_reconciliation(connection, new_id(), since, _find_start(since), call.request_id)
        if run is None:
            raise Conflict("Uma releitura já está em andamento: espere que termine.", code="reconcile-running")
        await _enqueue(connection, run.id, 0)
        await call.platform.audit.record(connection, call, "create", fields=["crm_reconciliation"])
    return _to_wire(run)


def require_reconciliation_configured(platform: Platform) -> None:
    """Raise Unavailable if no CRM is configured, so that the caller does not wait for a run that cannot start."""
    if not platform.settings.crm_configured:
        raise Unavailable("A integração com o CRM não está configurada.", code="crm-not-configured")


async def read_reconciliation(call: Call, run_id: str) -> Reconciliation:
    """Return the progress of a run. Raises NotFound if there is no such run."""
    if is_uuid(run_id) and (run := await store.select_reconciliation(call.platform.database, run_id)):
        return _to_wire(run)
    raise NotFound("Não há releitura com este id.", code="reconcile-unknown")


def _to_wire(run: Run) -> Reconciliation:
    return Reconciliation(**msgspec.structs.asdict(run))


async def reconcile_page(platform: Platform, run: str, page: int) -> None:
    """Reconcile the people of one page of a run, and enqueue the next page.

    The CRM is read between two transactions. The page's events, the new cursor and the next page's job are committed
    together, so a job that runs a second time finds that its page is done. Raises Wait if the page cannot start now,
    and Retry if the CRM does not return the page.
    """
    _require_ready(platform)
    async with platform.database.connection() as connection:
        place = await store.find_reconciliation_place(connection, run, page)
    if place is None:
        return
    await _check_backlog(platform)
    found, people = await _read_page(platform, place)
    async with platform.database.transaction() as connection:
        if await store.lock_reconciliation_place(connection, run, page) is None:
            return
        following = find_following(place, found)
        fed = await _feed(worker_call(platform, OPERATION), connection, people)
        await store.advance_reconciliation(connection, run, following or place, len(people), fed.new, fed.refused)
        if following is None:
            await store.finish_reconciliation(connection, run)
        else:
            await _enqueue(connection, run, following.page)


def _require_ready(platform: Platform) -> None:
    """Raise Wait while no CRM is configured, or while the circuit breaker is open."""
    if not platform.settings.crm_configured:
        raise Wait("crm-not-configured", OFF)
    circuit = platform.part(CrmClient).circuit
    if circuit.state is State.OPEN:
        raise Wait(CIRCUIT_OPEN, timedelta(seconds=circuit.seconds_until_probe + 1))


async def _check_backlog(platform: Platform) -> None:
    """Raise Wait while too many events are queued, so that a run never causes the CRM's own events to be rejected."""
    try:
        await platform.part(Backlog).refuse_when_full(platform)
    except Unavailable as full:
        raise Wait(full.code, timedelta(seconds=full.retry_after or 1)) from None


async def _read_page(platform: Platform, place: Cursor) -> tuple[Sequence[Changed], Sequence[Person]]:
    crm, deadline = platform.part(CrmClient), Deadline.within(PAGE_SECONDS)
    try:
        found = await changes.find_changed(crm, place.source, place.moment, place.after_id, deadline)
        people = list(dict.fromkeys(changed.cpf for changed in found if changed.cpf is not None))
        return found, await changes.read_people(crm, people, deadline) if people else []
    except CrmAway as failure:
        raise Retry(failure.error_code, timedelta(seconds=failure.retry_after or 0)) from None
    except CrmRefused as refusal:
        raise Retry(refusal.error_code) from None


def find_following(place: Cursor, found: Sequence[Changed]) -> Cursor | None:
    """Return the cursor after these records, or None at the end of the run.

    A page with fewer records than PAGE ends its source. After a full page, raises Retry if the last record has no valid
    time or does not follow the cursor. Otherwise the run would never end.
    """
    if len(found) < changes.PAGE:
        left = changes.SOURCES[changes.SOURCES.index(place.source) + 1 :]
        return Cursor(place.since, left[0], _find_start(place.since), "", place.page + 1) if left else None
    last = iso_time.parse_iso_time(found[-1].changed)
    if last is None or last < place.moment or (last == place.moment and found[-1].id == place.after_id):
        raise Retry(CrmAway().error_code)
    return Cursor(place.since, place.source, last, found[-1].id, place.page + 1)


def _find_start(since: datetime) -> datetime:
    """Truncate the time to the second.

    The CRM also truncates, so a change within that second may have an earlier time.
    """
    return since.replace(microsecond=0)


async def _feed(call: Call, connection: Connection, people: Sequence[Person]) -> IngestResult:
    consented = await mirror.list_consented(connection, [person.cpf for person in people])
    bodies = [body for person in people for body in comparison.list_missed_events(person, consented[person.cpf])]
    return await events.ingest_events(call, connection, bodies)


async def _enqueue(connection: Connection, run: str, page: int) -> None:
    await enqueue(connection, store.RECONCILE_JOB, {"run": run, "page": page})
