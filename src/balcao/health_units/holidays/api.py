"""Routes of the holidays."""

from typing import Annotated, TypeAlias

from balcao.core.context.call import Call
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import SMALL_BODY, Routes
from balcao.core.http.responses import Response, stored, with_etag
from balcao.health_units.holidays import service
from balcao.health_units.holidays.schemas import Holiday, HolidayBody, Holidays, HolidaysQuery
from balcao.health_units.operations import CACHE, MANAGE_UNITS, RATES, READ, DayInPath, in_query

HolidaysInQuery: TypeAlias = Annotated[HolidaysQuery, in_query(HolidaysQuery)]

routes = Routes(tags=["horários"], dialect=DETAIL, body_limit=SMALL_BODY)


@routes.get(
    "/feriados",
    "health_units.list_holidays",
    READ,
    "Feriados da cidade",
    description="Lista os feriados por data. Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`.",
    errors=[304, 422],
    **RATES,
    may_lag=True,
)
async def list_holidays(call: Call, query: HolidaysInQuery) -> Response[Holidays]:
    """List holidays."""
    return with_etag(await service.list_holidays(call, query.ano), call, CACHE)


@routes.get(
    "/feriados/{data}",
    "health_units.read_holiday",
    READ,
    "Um feriado",
    description="Devolve o feriado da data. Toda pessoa com token lê; uma máquina precisa do escopo `sms:read`.",
    errors=[304, 404, 422],
    **RATES,
    may_lag=True,
)
async def read_holiday(call: Call, data: DayInPath) -> Response[Holiday]:
    """Return the holiday on a date."""
    return with_etag(await service.read_holiday(call, data), call, CACHE)


@routes.put(
    "/feriados/{data}",
    "health_units.put_holiday",
    MANAGE_UNITS,
    "Define o feriado de uma data",
    description=(
        "Cria ou substitui o feriado da data; com `fecha`, nesse dia só abrem as unidades que abrem em feriado ou têm "
        "exceção. Os nacionais vêm cadastrados; a cidade acrescenta os seus. Exige a ação `health_unit:manage`."
    ),
    example={"nome": "São Sebastião", "ambito": "municipal", "facultativo": False, "fecha": True},
    errors=[422],
    **RATES,
)
async def put_holiday(call: Call, data: DayInPath, body: HolidayBody) -> Response[Holiday]:
    """Create or replace the holiday on a date."""
    return stored(await service.put_holiday(call, data, body))


@routes.delete(
    "/feriados/{data}",
    "health_units.delete_holiday",
    MANAGE_UNITS,
    "Retira um feriado",
    description="A data volta a ser um dia comum. Exige a ação `health_unit:manage`.",
    status=204,
    errors=[404, 422],
    **RATES,
)
async def delete_holiday(call: Call, data: DayInPath) -> Response[None]:
    """Make a date an ordinary day again."""
    await service.delete_holiday(call, data)
    return Response(status=204)
