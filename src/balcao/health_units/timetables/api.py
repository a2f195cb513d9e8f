"""Routes of the units' openings."""

from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import Response, stored, with_etag
from balcao.health_units.operations import CACHE, MANAGE_UNITS, READ, CnesInPath, DayInPath
from balcao.health_units.routes import ROUTES
from balcao.health_units.timetables import service
from balcao.health_units.timetables.schemas import DayException, Days, DaysQuery, ExceptionBody, Week, WeekBody

DaysInQuery: TypeAlias = Annotated[DaysQuery, in_query(DaysQuery)]
_WORKDAY = [{"inicio": "08:00", "fim": "17:00"}]

routes = ROUTES.extend(tags=["horários"], body_limit=SMALL_BODY)


@routes.get(
    "/unidade/{cnes}/horarios",
    "health_units.list_opening_days",
    READ,
    "Quando uma unidade abre, dia a dia",
    errors=[304],
)
async def list_opening_days(call: Call, cnes: CnesInPath, query: DaysInQuery) -> Response[Days]:
    """Devolve as aberturas reais de cada dia do período, contados feriados e exceções. O risco não entra: veja
    `atendimento` na unidade. Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`.
    """
    return with_etag(await service.list_days(call, cnes, query), call, CACHE)


@routes.put(
    "/unidade/{cnes}/horarios",
    "health_units.put_week",
    MANAGE_UNITS,
    "Define a semana de uma unidade",
    example={"semana": {"1": _WORKDAY, "2": _WORKDAY, "3": _WORKDAY, "4": _WORKDAY, "5": _WORKDAY, "6": [], "7": []}},
)
async def put_week(call: Call, cnes: CnesInPath, body: WeekBody) -> Response[Week]:
    """Substitui os horários da semana inteira; um dia que faltar fica fechado. Até quatro intervalos por dia, sem
    sobreposição; o que passa da meia-noite se escreve nos dois dias, com `24:00` e `00:00`.
    """
    return stored(await service.put_week(call, cnes, body))


@routes.put(
    "/unidade/{cnes}/excecoes/{data}",
    "health_units.put_exception",
    MANAGE_UNITS,
    "Define as aberturas de um dia",
    example={"intervalos": [{"inicio": "08:00", "fim": "12:00"}], "motivo": "véspera de Natal"},
)
async def put_exception(call: Call, cnes: CnesInPath, data: DayInPath, body: ExceptionBody) -> Response[DayException]:
    """Neste dia valem estas aberturas em lugar das da semana, também em feriado; sem nenhuma a unidade fecha. O motivo
    aparece ao público.
    """
    return stored(await service.put_exception(call, cnes, data, body))


@routes.delete(
    "/unidade/{cnes}/excecoes/{data}",
    "health_units.delete_exception",
    MANAGE_UNITS,
    "Desfaz a exceção de um dia",
    status=204,
    errors=[422],
)
async def delete_exception(call: Call, cnes: CnesInPath, data: DayInPath) -> Response[None]:
    """Neste dia volta a valer a semana."""
    await service.delete_exception(call, cnes, data)
    return Response(status=204)


FEATURE = Feature(
    routes=routes.declared,
    exports=Exports(tables=("health_units.unit_exceptions",), derived=("health_units.unit_weekly_hours",)),
)
