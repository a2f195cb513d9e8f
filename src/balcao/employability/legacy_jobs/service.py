"""Older jobs: the earlier, independent listing (rules: employability 2.10, 3.5, 4.7)."""

from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound
from balcao.core.http.responses import etag_of, require_match
from balcao.core.values.clock import utc_now
from balcao.employability.legacy_jobs import states, store
from balcao.employability.legacy_jobs.schemas import LegacyJobBody
from balcao.employability.legacy_jobs.store import Held
from balcao.employability.schemas import Nothing
from balcao.employability.texts import line, optional_line, optional_prose

FIELDS = ["emprego"]
PROSE = ("descricao", "beneficios", "pre_requisitos", "contato_duvidas")
LONGEST_PROSE = 10_000


async def present_jobs(call: Call) -> list[int]:
    """The ids of the jobs that were not removed, newest first."""
    async with call.platform.database.connection() as connection:
        return await store.present(connection)


async def create_job(call: Call, body: LegacyJobBody) -> int:
    """The new id. Raises Invalid, also for a status in which no job begins."""
    checked = _checked(body, call.zone)
    states.start(checked.status)
    async with call.platform.database.transaction() as connection:
        await _require_schooling(connection, checked.escolaridade_id)
        id_ = await store.insert(connection, checked)
        await call.platform.audit.record(connection, call, "create", fields=FIELDS)
    return id_


async def replace_job(call: Call, id_: int, body: LegacyJobBody) -> None:
    """Raises NotFound, PreconditionFailed, and Conflict for a move of status that is not allowed."""
    checked = _checked(body, call.zone)
    async with call.platform.database.transaction() as connection:
        held = await _held(connection, call, id_)
        states.move(held.status, checked.status, checked.data_limite_candidatura, utc_now())
        await _require_schooling(connection, checked.escolaridade_id)
        await store.replace(connection, id_, checked)
        await call.platform.audit.record(connection, call, "update", fields=FIELDS)


async def remove_job(call: Call, id_: int) -> Nothing:
    """The row stays, so that the id is never used again. Raises NotFound, PreconditionFailed."""
    async with call.platform.database.transaction() as connection:
        await _held(connection, call, id_)
        await store.delete(connection, id_)
        await call.platform.audit.record(connection, call, "delete", fields=FIELDS)
    return Nothing()


async def _held(connection: Connection, call: Call, id_: int) -> Held:
    held = await store.lock(connection, id_)
    if held is None:
        raise NotFound("Não há emprego com este `id`.", code="legacy-job-unknown")
    require_match(call.if_match, etag_of(f"{id_}:{held.row_version}".encode()))
    return held


async def _require_schooling(connection: Connection, level: int | None) -> None:
    if level is not None and not await store.is_schooling(connection, level):
        raise Invalid("O campo `escolaridade_id` não é a ordem de uma escolaridade.", code="schooling-unknown")


def _checked(body: LegacyJobBody, zone: ZoneInfo) -> LegacyJobBody:
    checked = msgspec.structs.replace(
        body,
        titulo=line("titulo", body.titulo, 500),
        orgao_id=optional_line("orgao_id", body.orgao_id, 50),
        data_inicio_prevista=_instant(body.data_inicio_prevista, zone),
        data_limite_candidatura=_instant(body.data_limite_candidatura, zone),
        **{field: optional_prose(field, getattr(body, field), LONGEST_PROSE) for field in PROSE},
    )
    low, high = checked.salario_min, checked.salario_max
    if low is not None and high is not None and low > high:
        raise Invalid("O campo `salario_min` é maior que `salario_max`.", code="salary-range")
    return checked


def _instant(given: datetime | None, zone: ZoneInfo) -> datetime | None:
    """Without an offset it is meant in the platform's zone."""
    return given.replace(tzinfo=zone) if given is not None and given.tzinfo is None else given
