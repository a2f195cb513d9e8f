"""Routes for the units' timetables."""

from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import PERSONAL, Response, stored, with_etag
from balcao.health_units.operations import CACHE, MANAGE_UNITS, READ, CnesInPath, DayInPath
from balcao.health_units.routes import ROUTES
from balcao.health_units.timetables import service
from balcao.health_units.timetables.schemas import (
    DayException,
    DayExceptions,
    Days,
    DaysQuery,
    ExceptionBody,
    ExceptionsQuery,
    PreviewBody,
    Week,
    WeekBody,
)

DaysInQuery: TypeAlias = Annotated[DaysQuery, in_query(DaysQuery)]
ExceptionsInQuery: TypeAlias = Annotated[ExceptionsQuery, in_query(ExceptionsQuery)]
_WORKDAY = [{"inicio": "08:00", "fim": "17:00"}]

routes = ROUTES.extend(tags=["horários"], body_limit=SMALL_BODY)


@routes.get(
    "/unidade/{cnes}/horarios",
    "health_units.list_opening_days",
    READ,
    "Quando uma unidade abre, dia a dia",
    errors=[304],
)
async def get_opening_days(call: Call, cnes: CnesInPath, query: DaysInQuery) -> Response[Days]:
    """Devolve os horários de cada dia do período, já considerando feriados e exceções. O risco não é considerado: veja
    `atendimento` na unidade. Qualquer pessoa com token pode ler; uma máquina precisa do escopo `sms:read`.
    """
    return with_etag(await service.list_opening_days(call, cnes, query), call, CACHE)


@routes.post(
    "/unidade/{cnes}/horarios/previa",
    "health_units.preview_opening_days",
    MANAGE_UNITS,
    "Como ficariam os dias com outros horários",
    example={"excecoes": [{"data": "2026-12-24", "intervalos": [], "motivo": "véspera de Natal"}]},
    idempotent=True,
)
async def preview_opening_days(call: Call, cnes: CnesInPath, query: DaysInQuery, body: PreviewBody) -> Days:
    """Devolve o que `GET` devolveria depois de gravar a semana e as exceções do corpo, mas não grava nada. O que não
    for enviado fica como está. Uma exceção com `intervalos` nulo é considerada retirada.
    """
    return await service.preview_days(call, cnes, query, body)


@routes.get(
    "/unidade/{cnes}/semana",
    "health_units.read_week",
    READ,
    "A semana de uma unidade, como foi gravada",
    errors=[304, 422],
)
async def get_week(call: Call, cnes: CnesInPath) -> Response[Week]:
    """Devolve os horários da semana, sem considerar feriados e exceções, com o `ETag` que o `PUT` de
    `/unidade/{cnes}/horarios` aceita em `If-Match`. Se a unidade não tem horário cadastrado, a resposta é 404. Qualquer
    pessoa com token pode ler; uma máquina precisa do escopo `sms:read`.
    """
    return with_etag(await service.read_week(call, cnes), call, PERSONAL)


@routes.put(
    "/unidade/{cnes}/horarios",
    "health_units.put_week",
    MANAGE_UNITS,
    "Define a semana de uma unidade",
    example={"semana": {"1": _WORKDAY, "2": _WORKDAY, "3": _WORKDAY, "4": _WORKDAY, "5": _WORKDAY, "6": [], "7": []}},
    errors=[412],
)
async def put_week(call: Call, cnes: CnesInPath, body: WeekBody) -> Response[Week]:
    """Substitui os horários da semana inteira. Um dia que faltar fica fechado. São até quatro intervalos por dia, sem
    sobreposição. Divida entre os dois dias um intervalo que passa da meia-noite, com `24:00` e `00:00`. Com `If-Match`,
    a mudança só é feita se a semana não mudou desde que foi lida em `/unidade/{cnes}/semana`.
    """
    return stored(await service.put_week(call, cnes, body))


@routes.get(
    "/unidade/{cnes}/excecoes",
    "health_units.list_exceptions",
    READ,
    "Os dias em que uma unidade abre de outro modo",
    errors=[304],
)
async def get_exceptions(call: Call, cnes: CnesInPath, query: ExceptionsInQuery) -> Response[DayExceptions]:
    """Lista as exceções em ordem de data. Sem filtro, as do próximo ano a partir de hoje. Qualquer pessoa com token
    pode ler; uma máquina precisa do escopo `sms:read`.
    """
    return with_etag(await service.list_exceptions(call, cnes, query), call, PERSONAL)


@routes.get(
    "/unidade/{cnes}/excecoes/{dia}",
    "health_units.read_exception",
    READ,
    "A exceção de um dia",
    errors=[304, 422],
)
async def get_exception(call: Call, cnes: CnesInPath, dia: DayInPath) -> Response[DayException]:
    """Devolve a exceção da data. Qualquer pessoa com token pode ler; uma máquina precisa do escopo `sms:read`."""
    return with_etag(await service.read_exception(call, cnes, dia), call, PERSONAL)


@routes.put(
    "/unidade/{cnes}/excecoes/{dia}",
    "health_units.put_exception",
    MANAGE_UNITS,
    "Define as aberturas de um dia",
    example={"intervalos": [{"inicio": "08:00", "fim": "12:00"}], "motivo": "véspera de Natal"},
    errors=[412],
)
async def put_exception(call: Call, cnes: CnesInPath, dia: DayInPath, body: ExceptionBody) -> Response[DayException]:
    """Define os horários de um dia, no lugar dos horários da semana, mesmo que o dia seja feriado. Sem nenhum
    intervalo, a unidade fecha. O público vê o motivo. Com `If-Match`, a mudança só é feita se a exceção não mudou desde
    que foi lida.
    """
    return stored(await service.put_exception(call, cnes, dia, body))


@routes.delete(
    "/unidade/{cnes}/excecoes/{dia}",
    "health_units.delete_exception",
    MANAGE_UNITS,
    "Desfaz a exceção de um dia",
    status=204,
    errors=[412, 422],
)
async def delete_exception(call: Call, cnes: CnesInPath, dia: DayInPath) -> None:
    """Apaga a exceção: os horários da semana voltam a valer no dia. Com `If-Match`, ela só é apagada se não mudou desde
    que foi lida.
    """
    await service.delete_exception(call, cnes, dia)


FEATURE = Feature(
    routes=routes.declared,
    exports=Exports(tables=("health_units.unit_exceptions",), derived=("health_units.unit_weekly_hours",)),
)
