"""The API operations that the area calls. The types contain only the members that its pages use."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Generic, TypeVar

import httpx
import msgspec

from balcao.web.api import Api, Read, decode_body, quoted
from balcao.web.city_map import Outline
from balcao.web.envelopes import Page

_BASE = "/health-units"

T = TypeVar("T")


class Items(msgspec.Struct, Generic[T]):
    """A list as the service returns it."""

    itens: list[T]


class Risk(msgspec.Struct):
    risco: str
    desde: datetime | None
    ultima_atualizacao: datetime | None


class Service(msgspec.Struct):
    situacao: str
    proxima_abertura: datetime | None
    proximo_fechamento: datetime | None


class Unit(msgspec.Struct):
    cnes: str
    nome: str
    tipo: str
    area: str | None
    bairro: str | None
    logradouro: str | None
    numero: str | None
    telefone: str | None
    ativa: bool
    risco_atual: Risk
    atendimento: Service
    latitude: float | None
    longitude: float | None


class Feature(msgspec.Struct):
    properties: Unit


class UnitMap(msgspec.Struct):
    features: list[Feature]


class AreaMembers(msgspec.Struct):
    area: str
    nome: str


class NamedArea(msgspec.Struct):
    properties: AreaMembers


class NamedAreas(msgspec.Struct):
    features: list[NamedArea]


class Area(NamedArea):
    geometry: Outline


class AreaMap(msgspec.Struct):
    features: list[Area]


class NamedUnit(msgspec.Struct):
    cnes: str
    nome: str
    area: str | None
    bairro: str | None


class Notification(msgspec.Struct):
    id: str
    risco: str
    status: str
    aberta_em: datetime
    ultima_atualizacao: datetime
    versao: int
    motivo: str | None
    ocorrencia: str | None
    consequencias: list[str]
    autor_nome: str

    @property
    def etag(self) -> str:
        return f'"v{self.versao}"'


class OpenNotification(Notification, kw_only=True):
    unidade: NamedUnit
    ultimo_evento: str
    risco_antes: str | None
    minutos_aberta: int
    minutos_sem_confirmacao: int


class OpenNotifications(Items[OpenNotification]):
    gerado_em: datetime


class Event(msgspec.Struct):
    tipo: str
    risco_antes: str | None
    risco_depois: str
    causa: str | None
    motivo: str | None
    autor_nome: str
    em: datetime


class CityEvent(msgspec.Struct):
    id: str
    notificacao: str
    unidade: NamedUnit
    engano: bool
    evento: Event


class Value(msgspec.Struct):
    codigo: str
    nome: str
    ativo: bool


class Sequence(msgspec.Struct):
    sequencia: int


class Interval(msgspec.Struct):
    inicio: str
    fim: str


class OpenDay(msgspec.Struct):
    data: date
    intervalos: list[Interval]
    motivo: str | None


class Days(msgspec.Struct):
    dias: list[OpenDay]


class Week(msgspec.Struct):
    semana: dict[str, list[Interval]]
    abre_feriado: bool


class DayException(msgspec.Struct):
    data: date
    intervalos: list[Interval]
    motivo: str


class Holiday(msgspec.Struct):
    data: date
    nome: str
    ambito: str
    facultativo: bool
    fecha: bool


class Count(msgspec.Struct):
    periodo: str
    inicio: date
    area: str | None
    cnes: str | None
    nome: str | None
    abertas: int
    por_cor: dict[str, int]


class Counts(msgspec.Struct):
    de: date
    ate: date
    itens: list[Count]


Body = Mapping[str, Any]


def _unit(cnes: str) -> str:
    return f"{_BASE}/unidade/{quoted(cnes)}"


def _notification(cnes: str, id: str) -> str:
    return f"{_unit(cnes)}/notificacoes/{quoted(id)}"


async def list_open(api: Api) -> OpenNotifications:
    return await api.get(f"{_BASE}/notificacoes/ativas", OpenNotifications)


async def list_events(
    api: Api, *, cnes: str | None = None, since: datetime | None = None, limit: int = 20
) -> Items[CityEvent]:
    query = {"cnes": cnes, "de": None if since is None else since.isoformat(timespec="seconds"), "limit": limit}
    return await api.get(f"{_BASE}/notificacoes/eventos", Items[CityEvent], query)


async def read_sequence(api: Api) -> int:
    return (await api.get(f"{_BASE}/unidades/risco", Sequence)).sequencia


async def list_units(api: Api, filters: Body) -> Page[Unit]:
    return await api.get(f"{_BASE}/unidades", Page[Unit], filters)


async def map_units(api: Api) -> list[Unit]:
    found = await api.get(f"{_BASE}/unidades/mapa", UnitMap, {"limit": 1000})
    return [feature.properties for feature in found.features]


async def list_areas(api: Api) -> list[NamedArea]:
    return (await api.get(f"{_BASE}/areas", NamedAreas)).features


async def download_areas(api: Api) -> httpx.Response:
    """Return the areas with their outlines. They may have a hundred thousand positions, so decode them in a thread."""
    return await api.download(f"{_BASE}/areas")


def decode_areas(answer: httpx.Response) -> list[Area]:
    return decode_body(answer, AreaMap).features


async def list_values(api: Api, name: str) -> list[Value]:
    return (await api.get(f"{_BASE}/listas/{name}", Items[Value])).itens


async def read_unit(api: Api, cnes: str) -> Unit:
    return await api.get(_unit(cnes), Unit)


async def read_record(api: Api, cnes: str) -> Read[dict[str, Any]]:
    return await api.read(f"{_unit(cnes)}/registro", dict[str, Any])


async def put_unit(api: Api, cnes: str, body: Body, etag: str) -> dict[str, Any]:
    return await api.send("PUT", _unit(cnes), dict[str, Any], body, etag=etag)


async def read_notification(api: Api, cnes: str, id: str) -> Notification:
    return await api.get(_notification(cnes, id), Notification)


async def open_notification(api: Api, cnes: str, body: Body, key: str) -> Notification:
    return await api.send("POST", f"{_unit(cnes)}/notificacoes", Notification, body, key=key)


async def change_notification(api: Api, cnes: str, id: str, body: Body, etag: str) -> Notification:
    return await api.send("PATCH", _notification(cnes, id), Notification, body, etag=etag)


async def close_notification(api: Api, cnes: str, id: str, body: Body, etag: str, key: str) -> Notification:
    return await api.send("POST", f"{_notification(cnes, id)}/encerramento", Notification, body, etag=etag, key=key)


async def list_days(api: Api, cnes: str, first: date) -> list[OpenDay]:
    return (await api.get(f"{_unit(cnes)}/horarios", Days, {"de": first})).dias


async def preview_days(api: Api, cnes: str, first: date, body: Body) -> list[OpenDay]:
    return (await api.send("POST", f"{_unit(cnes)}/horarios/previa", Days, body, {"de": first})).dias


async def read_week(api: Api, cnes: str) -> Read[Week]:
    return await api.read(f"{_unit(cnes)}/semana", Week)


async def put_week(api: Api, cnes: str, body: Body, etag: str) -> Week:
    return await api.send("PUT", f"{_unit(cnes)}/horarios", Week, body, etag=etag)


async def list_exceptions(api: Api, cnes: str) -> list[DayException]:
    return (await api.get(f"{_unit(cnes)}/excecoes", Items[DayException])).itens


async def read_exception(api: Api, cnes: str, day: date) -> Read[DayException]:
    return await api.read(f"{_unit(cnes)}/excecoes/{day}", DayException)


async def put_exception(api: Api, cnes: str, day: str, body: Body, etag: str) -> DayException:
    return await api.send("PUT", f"{_unit(cnes)}/excecoes/{day}", DayException, body, etag=etag)


async def delete_exception(api: Api, cnes: str, day: str) -> None:
    await api.send("DELETE", f"{_unit(cnes)}/excecoes/{quoted(day)}", type(None))


async def list_holidays(api: Api, year: int) -> list[Holiday]:
    return (await api.get(f"{_BASE}/feriados", Items[Holiday], {"ano": year})).itens


async def read_holiday(api: Api, day: str) -> Read[Holiday]:
    return await api.read(f"{_BASE}/feriados/{quoted(day)}", Holiday)


async def put_holiday(api: Api, day: str, body: Body, etag: str) -> Holiday:
    return await api.send("PUT", f"{_BASE}/feriados/{quoted(day)}", Holiday, body, etag=etag)


async def delete_holiday(api: Api, day: str, etag: str = "") -> None:
    await api.send("DELETE", f"{_BASE}/feriados/{quoted(day)}", type(None), etag=etag)


async def count_notifications(api: Api, query: Body) -> Counts:
    return await api.get(f"{_BASE}/notificacoes/contagens", Counts, query)
