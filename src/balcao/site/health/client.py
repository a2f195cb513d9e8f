"""The health unit operations that the area calls. The types contain only the members that its pages use."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

import msgspec

from balcao.site.reading.reader import HOUR, NEVER, Reader
from balcao.web.api import RateLimited, ServiceUnavailable, quoted
from balcao.web.city_map import Outline

_BASE = "/health-units"
# The service's largest page size, and the maximum number of pages to read: no city has more than 600 units.
_PAGE_SIZE, _MOST_PAGES = 200, 3


class Effects(msgspec.Struct):
    atividades_externas: str
    atendimento_interno: str


class Risk(msgspec.Struct):
    risco: str
    desde: datetime | None
    efeitos: Effects


class Attendance(msgspec.Struct):
    situacao: str
    proxima_abertura: datetime | None
    proximo_fechamento: datetime | None
    calculado_em: datetime


class WholeHours(msgspec.Struct):
    inicio: int
    fim: int


class Unit(msgspec.Struct):
    cnes: str
    nome: str
    tipo: str
    ativa: bool
    area: str | None
    bairro: str | None
    logradouro: str | None
    numero: str | None
    complemento: str | None
    cep: str | None
    telefone: str | None
    celular: str | None
    latitude: float | None
    longitude: float | None
    funcionamento_dia_util: WholeHours | None
    funcionamento_sabado: WholeHours | None
    risco_atual: Risk
    atendimento: Attendance


class Interval(msgspec.Struct):
    inicio: str
    fim: str


class OpenDay(msgspec.Struct):
    data: date
    intervalos: list[Interval]
    motivo: str | None


class OpenDays(msgspec.Struct):
    dias: list[OpenDay]


class AreaMembers(msgspec.Struct):
    area: str
    nome: str


class Area(msgspec.Struct):
    properties: AreaMembers
    geometry: Outline


class AreaMap(msgspec.Struct):
    features: list[Area]


class Pagination(msgspec.Struct):
    total_pages: int


class Units(msgspec.Struct):
    data: list[Unit]
    pagination: Pagination


class Notification(msgspec.Struct):
    """A past or present notification of a unit, with the members that are public."""

    aberta_em: datetime
    encerrada_em: datetime | None
    risco_maximo: str


class Notifications(msgspec.Struct):
    itens: list[Notification]


@dataclass(frozen=True)
class Board:
    """All active units. Pages may show colours and openings only if `is_current` is True (rules: site 4)."""

    units: Sequence[Unit]
    is_current: bool


async def read_board(reader: Reader) -> Board:
    """Return all active units.

    If the service fails, return cached records that are at most an hour old, with `is_current` set to False.
    """
    try:
        return Board(await _list_units(reader, NEVER), is_current=True)
    except (ServiceUnavailable, RateLimited):
        return Board(await _list_units(reader, HOUR), is_current=False)


async def _list_units(reader: Reader, stale: float) -> list[Unit]:
    """Read all pages of units. Most cities need only one page."""
    first = await reader.get(f"{_BASE}/unidades", Units, {"per_page": _PAGE_SIZE}, stale=stale)
    more = range(2, min(first.pagination.total_pages, _MOST_PAGES) + 1)
    others = await asyncio.gather(
        *(reader.get(f"{_BASE}/unidades", Units, {"per_page": _PAGE_SIZE, "page": page}, stale=stale) for page in more)
    )
    return [unit for page in (first, *others) for unit in page.data]


class OpenUnit(msgspec.Struct):
    cnes: str
    intervalos_no_dia: list[Interval]


class OpenUnits(msgspec.Struct):
    data: list[OpenUnit]
    pagination: Pagination


class Neighbourhood(msgspec.Struct):
    """A neighbourhood and a point inside it."""

    bairro: str
    latitude: float
    longitude: float


class Neighbourhoods(msgspec.Struct):
    itens: list[Neighbourhood]


async def list_openings(reader: Reader, day: date) -> dict[str, list[Interval]]:
    """Return the opening hours of the units that open on a day, by `cnes`. Holidays and exceptions are included."""
    path, query = f"{_BASE}/unidades", {"per_page": _PAGE_SIZE, "abre_em": day.isoformat()}
    first = await reader.get(path, OpenUnits, query)
    more = range(2, min(first.pagination.total_pages, _MOST_PAGES) + 1)
    others = await asyncio.gather(*(reader.get(path, OpenUnits, {**query, "page": page}) for page in more))
    return {unit.cnes: unit.intervalos_no_dia for page in (first, *others) for unit in page.data}


async def list_neighbourhoods(reader: Reader) -> list[Neighbourhood]:
    """Return the city's neighbourhoods, sorted by name."""
    return (await reader.get(f"{_BASE}/bairros", Neighbourhoods)).itens


async def read_unit(reader: Reader, cnes: str) -> Board:
    """Return one unit, which may be deactivated. Raises NotFound if it does not exist.

    If the service fails, return a cached record that is at most an hour old, with `is_current` set to False.
    """
    try:
        return Board([await reader.get(f"{_BASE}/unidade/{quoted(cnes)}", Unit, stale=NEVER)], is_current=True)
    except (ServiceUnavailable, RateLimited):
        return Board([await reader.get(f"{_BASE}/unidade/{quoted(cnes)}", Unit, stale=HOUR)], is_current=False)


async def list_areas(reader: Reader) -> list[Area]:
    """Return the outlines of the city's areas."""
    return (await reader.get(f"{_BASE}/areas", AreaMap)).features


async def list_days(reader: Reader, cnes: str) -> list[OpenDay]:
    """Return a unit's opening hours for the next 14 days, including holidays and exceptions."""
    return (await reader.get(f"{_BASE}/unidade/{quoted(cnes)}/horarios", OpenDays)).dias


async def list_notifications(reader: Reader, cnes: str) -> list[Notification]:
    """Return the five newest notifications of a unit."""
    return (await reader.get(f"{_BASE}/unidade/{quoted(cnes)}/notificacoes", Notifications, {"limit": 5})).itens
