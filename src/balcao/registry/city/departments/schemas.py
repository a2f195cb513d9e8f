"""Wire types for departments (rules: registry 3.7)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.http.paging import LongMenuPageQuery
from balcao.core.imports.members import Code, Name
from balcao.core.values.page import Pagination

LOWEST, HIGHEST = 0, 99
Level = Annotated[int, msgspec.Meta(ge=LOWEST, le=HIGHEST)]


class Department(msgspec.Struct, omit_defaults=True):
    """A department. `cd_ua_pai` is null for a department at the top.

    `msg` and `updated_at` appear only if they are set.
    """

    id: Annotated[str, Meta(description="Id do órgão.", examples=["1100"])]
    cd_ua: Annotated[str, Meta(description="Código da unidade administrativa.", examples=["1100"])]
    sigla_ua: Annotated[str, Meta(description="Sigla.", examples=["SMS"])]
    nome_ua: Annotated[str, Meta(description="Nome.", examples=["Secretaria Municipal de Saúde"])]
    cd_ua_pai: Annotated[str | None, Meta(description="Código do órgão superior; nulo no topo.", examples=["1000"])]
    nivel: Annotated[int, Meta(description="Nível no organograma; 0 é o topo.", examples=[1])]
    ordem_ua_basica: Annotated[str, Meta(description="Ordem do órgão básico.", examples=["11"])]
    ordem_absoluta: Annotated[str, Meta(description="Ordem em todo o organograma.", examples=["01.11.00"])]
    ordem_relativa: Annotated[str, Meta(description="Ordem dentro do órgão superior.", examples=["00"])]
    msg: Annotated[str | None, Meta(description="Aviso sobre o órgão.", examples=["Em reestruturação"])] = None
    updated_at: Annotated[
        datetime | None, Meta(description="Quando a cidade o mudou (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ] = None


class Departments(msgspec.Struct):
    """A page of departments. `total_count` repeats the total from the pagination, because portals read it here."""

    departments: Annotated[list[Department], Meta(description="Órgãos, por nível e na ordem do organograma.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de órgãos.")]
    total_count: Annotated[int, Meta(description="Total de órgãos em todas as páginas.", examples=[42])]


class DepartmentNode(Department, kw_only=True):
    """A department with its children."""

    # This member has no default value, because `omit_defaults` would omit a leaf's empty list.
    children: Annotated[
        list["DepartmentNode"], Meta(description="Órgãos subordinados, na ordem do organograma; vazio sem nenhum.")
    ]

    @classmethod
    def of(cls, department: Department) -> "DepartmentNode":
        """Return the department without children."""
        return cls(**msgspec.structs.asdict(department), children=[])


class DepartmentTree(msgspec.Struct):
    """The whole department tree. `total_count` is the number of departments on all levels."""

    departments: Annotated[list[DepartmentNode], Meta(description="Órgãos do topo, cada um com os seus subordinados.")]
    total_count: Annotated[int, Meta(description="Total de órgãos em todos os níveis.", examples=[42])]


class DepartmentAncestors(msgspec.Struct):
    """A department's ancestors, from the top down."""

    departments: Annotated[
        list[Department], Meta(description="Órgãos superiores, do topo ao mais próximo; vazio para um órgão do topo.")
    ]


class DepartmentQuery(LongMenuPageQuery):
    """The filters of the department list. `exact_level` overrides the range."""

    search: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=100)] | None,
        Meta(description="Procura no nome e na sigla, sem acentos nem maiúsculas.", examples=["saude"]),
    ] = None
    parent_id: Annotated[
        Code | None, Meta(description="Só os subordinados a este órgão: o código.", examples=["1000"])
    ] = None
    sigla_ua: Annotated[Code | None, Meta(description="Só o órgão com esta sigla.", examples=["SMS"])] = None
    exact_level: Annotated[
        Level | None, Meta(description="Só deste nível; vale mais que o intervalo.", examples=[1])
    ] = None
    min_level: Annotated[Level | None, Meta(description="A partir deste nível.", examples=[0])] = None
    max_level: Annotated[Level | None, Meta(description="Até este nível.", examples=[2])] = None


class DepartmentRow(msgspec.Struct):
    """A row in the import file. A missing `id` defaults to `cd_ua`."""

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
