"""Routes for holidays."""

from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import Response, stored, with_etag
from balcao.health_units.holidays import jobs, service, store
from balcao.health_units.holidays.schemas import Holiday, HolidayBody, Holidays, HolidaysQuery
from balcao.health_units.operations import CACHE, MANAGE_UNITS, READ, DayInPath
from balcao.health_units.routes import ROUTES

HolidaysInQuery: TypeAlias = Annotated[HolidaysQuery, in_query(HolidaysQuery)]

routes = ROUTES.extend(tags=["horários"], body_limit=SMALL_BODY)


@routes.get(
    "/feriados",
    "health_units.list_holidays",
    READ,
    "Feriados da cidade",
    errors=[304],
    may_lag=True,
)
async def get_holidays(call: Call, query: HolidaysInQuery) -> Response[Holidays]:
    """Lista os feriados, por data. Qualquer pessoa com token pode ler; uma máquina precisa do escopo `sms:read`."""
    async with call.reader.connection() as connection:
        found = Holidays(await store.list_holidays(connection, query.ano))
    return with_etag(found, call, CACHE)


@routes.get(
    "/feriados/{dia}",
    "health_units.read_holiday",
    READ,
    "Um feriado",
    errors=[304, 422],
    may_lag=True,
)
async def get_holiday(call: Call, dia: DayInPath) -> Response[Holiday]:
    """Devolve o feriado da data. Qualquer pessoa com token pode ler; uma máquina precisa do escopo `sms:read`."""
    return with_etag(await service.read_holiday(call, dia), call, CACHE)


@routes.put(
    "/feriados/{dia}",
    "health_units.put_holiday",
    MANAGE_UNITS,
    "Define o feriado de uma data",
    example={"nome": "São Sebastião", "ambito": "municipal", "facultativo": False, "fecha": True},
    errors=[412],
)
async def put_holiday(call: Call, dia: DayInPath, body: HolidayBody) -> Response[Holiday]:
    """Cria ou substitui o feriado da data. Com `fecha`, só abrem nesse dia as unidades que abrem em feriados ou têm uma
    exceção. Os feriados nacionais já vêm cadastrados; a cidade acrescenta os seus. Com `If-Match`, a mudança só é feita
    se o feriado não mudou desde que foi lido.
    """
    return stored(await service.put_holiday(call, dia, body))


@routes.delete(
    "/feriados/{dia}",
    "health_units.delete_holiday",
    MANAGE_UNITS,
    "Retira um feriado",
    status=204,
    errors=[412, 422],
)
async def delete_holiday(call: Call, dia: DayInPath) -> None:
    """Retira o feriado, e a data volta a ser um dia comum. Com `If-Match`, o feriado só é retirado se não mudou desde
    que foi lido.
    """
    await service.delete_holiday(call, dia)


FEATURE = Feature(
    routes=routes.declared,
    jobs=jobs.JOBS,
    exports=Exports(tables=("health_units.holidays", "health_units.holiday_years")),
)
