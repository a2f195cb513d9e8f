"""Older jobs: a separate listing, which existed before the jobs of `hiring` (rules: employability 2.10, 3.5, 4.7)."""

from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.access.caller import TokenRefused
from balcao.core.context.call import Call
from balcao.core.context.headers import AUTHORIZATION
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound, Unavailable
from balcao.core.values.clock import utc_now
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.page import Page
from balcao.employability.legacy_jobs import states, store
from balcao.employability.legacy_jobs.filters import LegacyJobFilters
from balcao.employability.legacy_jobs.schemas import LegacyJob, LegacyJobBody, LegacyJobs
from balcao.employability.legacy_jobs.states import LegacyJobStatus
from balcao.employability.lists import ListMeta
from balcao.employability.schemas import Nothing
from balcao.employability.texts import clean_line, clean_optional_line, clean_optional_prose

FIELDS = ["emprego"]
MANAGE = "legacy_job:manage"
PROSE = ("descricao", "beneficios", "pre_requisitos", "contato_duvidas")
LONGEST_PROSE = 10_000


async def list_job_ids(call: Call) -> list[int]:
    """Return the ids of the jobs that were not removed, newest first."""
    async with call.platform.database.connection() as connection:
        return await store.list_legacy_job_ids(connection)


async def list_legacy_jobs(call: Call, filters: LegacyJobFilters, page: Page) -> LegacyJobs:
    """Return a page of jobs, newest first. Jobs in CRIADO are included only for callers who manage the older jobs."""
    sees_all = await _manages(call)
    async with call.reader.connection() as connection:
        jobs, total = await store.select_legacy_jobs(connection, filters, page, sees_all=sees_all)
    return LegacyJobs(jobs, ListMeta.of(page, total))


async def read_legacy_job(call: Call, id_: int) -> LegacyJob:
    """Return a job. Only callers who manage the older jobs see a job in CRIADO.

    Raises NotFound if the caller can see no such job.
    """
    sees_all = await _manages(call)
    job = _require(await store.select_legacy_job(call.reader, id_))
    return job if sees_all or job.status is not LegacyJobStatus.CREATED else _require(None)


async def create_legacy_job(call: Call, body: LegacyJobBody) -> bytes:
    """Create a job and return it as JSON.

    Raises Invalid if a member is not valid or a new job cannot have this status. Raises Conflict if the idempotency key
    was used for another request.
    """
    checked = _clean(body, call.zone)
    states.check_first(checked.status)

    async def insert() -> LegacyJob:
        await _require_schooling(connection, checked.escolaridade_id)
        id_ = await store.insert_legacy_job(connection, checked)
        await call.platform.audit.record(connection, call, "create", fields=FIELDS)
        return _require(await store.select_legacy_job(connection, id_))

    async with call.platform.database.transaction() as connection:
        return await run_once(connection, call, None, [body], insert)


async def replace_legacy_job(call: Call, id_: int, body: LegacyJobBody) -> LegacyJob:
    """Replace a job and return the stored job.

    Raises Invalid if a member is not valid, NotFound if the job is unknown or removed, PreconditionFailed if `If-Match`
    does not match, and Conflict if the status may not change in this way.
    """
    checked = _clean(body, call.zone)
    async with call.platform.database.transaction() as connection:
        current = await _lock_job(connection, call, id_)
        states.check_move(current.status, checked.status, checked.data_limite_candidatura, utc_now())
        await _require_schooling(connection, checked.escolaridade_id)
        await store.update_legacy_job(connection, id_, checked)
        await call.platform.audit.record(connection, call, "update", fields=FIELDS)
        return _require(await store.select_legacy_job(connection, id_))


async def remove_job(call: Call, id_: int) -> Nothing:
    """Mark a job as removed.

    Raises NotFound if the job is unknown or already removed, and PreconditionFailed if `If-Match` does not match.
    """
    async with call.platform.database.transaction() as connection:
        await _lock_job(connection, call, id_)
        await store.mark_legacy_job_deleted(connection, id_)
        await call.platform.audit.record(connection, call, "delete", fields=FIELDS)
    return Nothing()


async def _lock_job(connection: Connection, call: Call, id_: int) -> LegacyJob:
    current = _require(await store.lock_legacy_job(connection, id_))
    require_match(call.if_match, etag_of(msgspec.json.encode(current)))
    return current


def _require(job: LegacyJob | None) -> LegacyJob:
    if job is None:
        raise NotFound("Não há emprego com este `id`.", code="legacy-job-unknown")
    return job


async def _manages(call: Call) -> bool:
    """Return whether the caller manages the older jobs.

    This function checks the token, because the platform does not check the tokens of public operations.
    """
    header = call.headers.get(AUTHORIZATION)
    if call.caller is not None or header is None:
        return call.holds(MANAGE)
    try:
        caller = call.platform.tokens.known(header) or await call.platform.tokens.caller(header)
    except (TokenRefused, Unavailable):
        return False  # public operations treat an invalid token like no token
    return call.platform.catalogue.snapshot.grants(caller, MANAGE)


async def _require_schooling(connection: Connection, level: int | None) -> None:
    if level is not None and not await store.is_schooling(connection, level):
        raise Invalid("O campo `escolaridade_id` não é a ordem de uma escolaridade.", code="schooling-unknown")


def _clean(body: LegacyJobBody, zone: ZoneInfo) -> LegacyJobBody:
    checked = msgspec.structs.replace(
        body,
        titulo=clean_line("titulo", body.titulo, 500),
        orgao_id=clean_optional_line("orgao_id", body.orgao_id, 50),
        data_inicio_prevista=_assume_zone(body.data_inicio_prevista, zone),
        data_limite_candidatura=_assume_zone(body.data_limite_candidatura, zone),
        **{field: clean_optional_prose(field, getattr(body, field), LONGEST_PROSE) for field in PROSE},
    )
    low, high = checked.salario_min, checked.salario_max
    if low is not None and high is not None and low > high:
        raise Invalid("O campo `salario_min` é maior que `salario_max`.", code="salary-range")
    return checked


def _assume_zone(given: datetime | None, zone: ZoneInfo) -> datetime | None:
    """Return the instant with an offset. An instant without an offset is in `zone`."""
    return given.replace(tzinfo=zone) if given is not None and given.tzinfo is None else given
