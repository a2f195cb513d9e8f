"""Names and values for the choices in forms.

They are cached for a minute, and shared by all people because they are public.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from balcao.panel.departments import list_departments
from balcao.panel.jobs import client
from balcao.panel.jobs.client import Value
from balcao.panel.visit import Visit
from balcao.web.api import Api
from balcao.web.person.client import read_own_cpf

T = TypeVar("T")

CACHED_SECONDS = 60.0
ANY_DEPARTMENT = "job_listing:any_department"
# (expiry time, value) by the services' address and the table.
_cached: dict[tuple[str, str], tuple[float, Any]] = {}


class Table(NamedTuple):
    """One of the ten reference tables: its path segment in the service, and its names.

    The values in a `ranked` table have an order.
    """

    key: str
    label: str
    one: str
    ranked: bool = False


TABLES: tuple[Table, ...] = (
    Table("regimes-contratacao", "Regimes de contratação", "regime"),
    Table("modelos-trabalho", "Modelos de trabalho", "modelo"),
    Table("escolaridades", "Escolaridades", "escolaridade", ranked=True),
    Table("idiomas", "Idiomas", "idioma"),
    Table("niveis-idioma", "Níveis de idioma", "nível", ranked=True),
    Table("tipos-pcd", "Tipos de deficiência", "tipo"),
    Table("zonas", "Zonas da cidade", "zona"),
    Table("situacoes-atual", "Situações de quem procura", "situação"),
    Table("disponibilidades", "Disponibilidades", "disponibilidade"),
    Table("tipos-conquista", "Tipos de conquista", "tipo"),
)
TABLES_BY_KEY = {table.key: table for table in TABLES}
CHOSEN_IN_JOBS = (
    "regimes-contratacao", "modelos-trabalho", "escolaridades", "idiomas", "niveis-idioma", "tipos-pcd", "zonas",
)  # fmt: skip


class Links(msgspec.Struct):
    cd_uas: list[str]


async def list_values(visit: Visit, table: str) -> list[Value]:
    """Return a table's values, in the order of the service."""

    async def read() -> list[Value]:
        return (await client.list_values(visit.api, table)).data

    return await _read_cached(visit, table, read)


async def list_job_values(visit: Visit) -> dict[str, list[Value]]:
    """Return the values in each table that the job form uses."""
    found = await asyncio.gather(*(list_values(visit, table) for table in CHOSEN_IN_JOBS))
    return dict(zip(CHOSEN_IN_JOBS, found, strict=True))


async def list_department_names(visit: Visit) -> dict[str, str]:
    """Return the names of the city's departments, with their acronyms, by code."""

    async def read() -> dict[str, str]:
        found = await list_departments(visit.api)
        return {each.cd_ua: f"{each.nome_ua} ({each.sigla_ua})" if each.sigla_ua else each.nome_ua for each in found}

    return await _read_cached(visit, "departments", read)


async def list_own_departments(visit: Visit) -> Sequence[tuple[str, str]]:
    """Return the code and name of each department for which the person may create a job."""
    names = await list_department_names(visit)
    if visit.may(ANY_DEPARTMENT):
        return list(names.items())
    own = set(visit.rights.reach("job_listing:create", "go:orgao") or ()) | set(await _list_links(visit.api))
    return [(code, name) for code, name in names.items() if code in own]


async def _list_links(api: Api) -> Sequence[str]:
    return (await api.get(f"/registry/v1/cpf-secretaria/{await read_own_cpf(api)}", Links)).cd_uas


def forget(visit: Visit, what: str) -> None:
    """Remove a table from the cache after a change."""
    _cached.pop((visit.panel.api_url, what), None)


async def _read_cached(visit: Visit, what: str, read: Callable[[], Awaitable[T]]) -> T:
    key = (visit.panel.api_url, what)
    until, value = _cached.get(key, (0.0, None))
    if time.monotonic() >= until:
        value = await read()
        _cached[key] = (time.monotonic() + CACHED_SECONDS, value)
    return cast(T, value)
