"""The city's departments, for the selections in several areas."""

from collections import Counter

import msgspec

from balcao.core.values.text import fold_text
from balcao.web.api import Api


class Department(msgspec.Struct):
    cd_ua: str
    nome_ua: str
    sigla_ua: str = ""
    children: list["Department"] = []


class _Tree(msgspec.Struct):
    departments: list[Department]


async def list_departments(api: Api) -> list[Department]:
    """Return all departments in the order of the city's organisation chart."""
    found: list[Department] = []
    open_ = (await api.get("/registry/v1/departments/tree", _Tree)).departments[::-1]
    while open_:
        department = open_.pop()
        found.append(department)
        open_ += department.children[::-1]
    return found


async def read_department_names(api: Api) -> dict[str, str]:
    """Map department codes to names, sorted by name.

    A name that occurs more than once gets the code appended, so that every name is unique.
    """
    found = sorted(await list_departments(api), key=lambda one: fold_text(one.nome_ua))
    total = Counter(one.nome_ua.casefold() for one in found)
    return {
        one.cd_ua: one.nome_ua if total[one.nome_ua.casefold()] == 1 else f"{one.nome_ua} ({one.cd_ua})"
        for one in found
    }
