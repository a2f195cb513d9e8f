"""Wire types of the departments (rules: registry 3.7)."""

from datetime import datetime
from typing import Annotated

import msgspec

from balcao.core.http.paging import PageQuery, Pagination
from balcao.core.imports.members import Code, Name

LOWEST, HIGHEST = 0, 99
Level = Annotated[int, msgspec.Meta(ge=LOWEST, le=HIGHEST)]


class Department(msgspec.Struct, omit_defaults=True):
    """`cd_ua_pai` is null at the top; `msg` and `updated_at` appear only when they are set."""

    id: str
    cd_ua: str
    sigla_ua: str
    nome_ua: str
    cd_ua_pai: str | None
    nivel: int
    ordem_ua_basica: str
    ordem_absoluta: str
    ordem_relativa: str
    msg: str | None = None
    updated_at: datetime | None = None


class Departments(msgspec.Struct):
    """`total_count` is the pagination's total, where the portals look for it."""

    departments: list[Department]
    pagination: Pagination
    total_count: int


class DepartmentQuery(PageQuery):
    """`exact_level` wins over the range."""

    search: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] | None = None
    parent_id: Code | None = None
    sigla_ua: Code | None = None
    exact_level: Level | None = None
    min_level: Level | None = None
    max_level: Level | None = None


class DepartmentRow(msgspec.Struct):
    """One line of the city's file; without an id of its own a department goes by its code."""

    cd_ua: Code
    sigla_ua: Code
    nome_ua: Name
    nivel: Level
    id: str = ""
    cd_ua_pai: Code | None = None
    ordem_ua_basica: str = ""
    ordem_absoluta: str = ""
    ordem_relativa: str = ""
    msg: str | None = None
    updated_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None

    def __post_init__(self) -> None:
        self.id = self.id or self.cd_ua
