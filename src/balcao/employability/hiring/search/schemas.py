"""Filters and pages for job lists (rules: employability 2.5, 2.6)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.errors import Invalid
from balcao.core.values.cnpj import is_cnpj, strip_cnpj
from balcao.employability.hiring.content.merge import ACCESSIBILITY
from balcao.employability.hiring.listings.schemas import JobItem
from balcao.employability.hiring.listings.states import PUBLISHED, JobStatus
from balcao.employability.lists import (
    ListMeta,
    PageNumber,
    parse_choice_filter,
    parse_csv,
    parse_uuid_filter,
    parse_uuids,
    read_text,
)

DEFAULT_PER_PAGE, MOST_PER_PAGE = 10, 100
# How many full days before today each period includes. Days start at local midnight.
PERIODS = {"hoje": 0, "ultima_semana": 7, "ultimo_mes": 30}
# The members whose values the public list counts on request, with at most MOST_FACET_VALUES values for each.
FACETS = (
    "bairro",
    "regime_contratacao",
    "modelo_trabalho",
    "escolaridade_minima",
    "area_formacao",
    "acessibilidade_pcd",
)
MOST_FACET_VALUES = 20
_AMOUNT = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,2})?")
_LIKE_CNPJ = re.compile(r"[0-9A-Z]{12}[0-9]{2}")


class JobOrder(StrEnum):
    """The possible orders of the public list."""

    PUBLICATION = "publicacao"
    DEADLINE = "prazo"
    SALARY = "salario"


@dataclass(frozen=True, slots=True)
class JobFilters:
    """The filters for a list of jobs. A filter that was not sent is None or empty."""

    status: JobStatus | None = None
    companies: Sequence[str] = ()
    company_names: Sequence[str] = ()
    department: str | None = None
    search: str | None = None
    period: str | None = None
    contract_types: Sequence[UUID] = ()
    work_models: Sequence[UUID] = ()
    accessibility: Sequence[str] = ()
    neighbourhoods: Sequence[str] = ()
    order: JobOrder = JobOrder.PUBLICATION
    least_salary: Decimal | None = None
    most_salary: Decimal | None = None
    schooling: UUID | None = None
    training: Sequence[str] = ()
    facets: Sequence[str] = ()


def parse_staff_filters(query: Mapping[str, str]) -> JobFilters:
    """Parse the filters of the staff's list. Raises Invalid, which names the parameter, if a filter is not valid."""
    company = strip_cnpj(query.get("contratante", ""))
    if company and not is_cnpj(company):
        raise _invalid("contratante", "deve ser um CNPJ")
    return _parse(query, frozenset(JobStatus), [company] if company else [], [], read_text(query, "orgao_parceiro_id"))


def parse_public_filters(query: Mapping[str, str]) -> JobFilters:
    """Parse the filters of the public list. Raises Invalid, which names the parameter, if a filter is not valid."""
    companies: list[str] = []
    names: list[str] = []
    for item in parse_csv(query, "contratante"):
        bare = strip_cnpj(item)
        (companies if _LIKE_CNPJ.fullmatch(bare) else names).append(bare if _LIKE_CNPJ.fullmatch(bare) else item)
    facets = parse_csv(query, "facetas")
    if not set(facets) <= set(FACETS):
        raise _invalid("facetas", f"aceita {', '.join(FACETS)}")
    order = parse_choice_filter(query, "ordem", list(JobOrder))
    return replace(
        _parse(query, PUBLISHED, companies, names, None),
        order=JobOrder(order) if order else JobOrder.PUBLICATION,
        least_salary=_parse_amount(query, "salario_minimo"),
        most_salary=_parse_amount(query, "salario_maximo"),
        schooling=parse_uuid_filter(query, "id_escolaridade"),
        training=parse_csv(query, "area_formacao"),
        facets=list(dict.fromkeys(facets)),
    )


def _parse(
    query: Mapping[str, str],
    statuses: frozenset[JobStatus],
    companies: Sequence[str],
    names: Sequence[str],
    department: str | None,
) -> JobFilters:
    status = parse_choice_filter(query, "status", frozenset(status.value for status in statuses))
    accessibility = parse_csv(query, "acessibilidade_pcd")
    if not ACCESSIBILITY.issuperset(accessibility):
        raise _invalid("acessibilidade_pcd", f"aceita {', '.join(sorted(ACCESSIBILITY))}")
    return JobFilters(
        status=JobStatus(status) if status else None,
        companies=companies,
        company_names=names,
        department=department,
        search=read_text(query, "search"),
        period=parse_choice_filter(query, "data_publicacao", frozenset(PERIODS)),
        contract_types=parse_uuids(query, "id_regime_contratacao"),
        work_models=parse_uuids(query, "id_modelo_trabalho"),
        accessibility=accessibility,
        neighbourhoods=parse_csv(query, "bairro"),
    )


def _parse_amount(query: Mapping[str, str], name: str) -> Decimal | None:
    """Parse an amount in reais, or return None if it is absent or blank. Raises Invalid if it is malformed."""
    text = query.get(name, "").strip()
    if text and not _AMOUNT.fullmatch(text):
        raise _invalid(name, "deve ser um valor em reais, como `2100` ou `2100.50`")
    return Decimal(text) if text else None


def find_since(period: str, now: datetime, zone: ZoneInfo) -> datetime:
    """Return the local midnight at which the period starts. It has no end."""
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    return midnight - timedelta(days=PERIODS[period])


def _invalid(name: str, fault: str) -> Invalid:
    return Invalid(f"O parâmetro `{name}` {fault}.", code=f"{name}-invalid")


class JobQuery(msgspec.Struct, kw_only=True):
    status: Annotated[
        str | None,
        Meta(description="Só as vagas nesta situação, das publicadas.", examples=["publicado_ativo"]),
    ] = None
    contratante: Annotated[
        str | None,
        Meta(
            description="Até 50 CNPJs ou partes de nomes de empresas, separados por vírgula.",
            examples=["90000001000129,clinica"],
        ),
    ] = None
    search: Annotated[str | None, Meta(description="Parte do título.", examples=["confeiteiro"])] = None
    data_publicacao: Annotated[
        str | None,
        Meta(description="`hoje`, `ultima_semana` ou `ultimo_mes`, no fuso da cidade.", examples=["ultimo_mes"]),
    ] = None
    id_regime_contratacao: Annotated[
        str | None,
        Meta(
            description="Até 50 regimes (UUIDs), separados por vírgula.",
            examples=["4501bc88-fb37-5c16-a84b-e864c62433cf"],
        ),
    ] = None
    id_modelo_trabalho: Annotated[
        str | None,
        Meta(
            description="Até 50 modelos (UUIDs), separados por vírgula.",
            examples=["371848f1-6464-5e65-85a1-16e57b607d8d"],
        ),
    ] = None
    acessibilidade_pcd: Annotated[
        str | None,
        Meta(
            description="`para_pcd`, `preferencial_pcd`, `exclusivo_pcd`, separados por vírgula.",
            examples=["para_pcd,exclusivo_pcd"],
        ),
    ] = None
    bairro: Annotated[
        str | None, Meta(description="Partes de nomes de bairros, separadas por vírgula.", examples=["centro,porto"])
    ] = None
    page: PageNumber = 1
    pageSize: Annotated[  # noqa: N815 - named by the specification
        int, Meta(description="Itens por página; acima de 100 vale 100.", examples=[DEFAULT_PER_PAGE])
    ] = DEFAULT_PER_PAGE


class PublicJobQuery(JobQuery, kw_only=True):
    ordem: Annotated[
        Literal["publicacao", "prazo", "salario"],
        Meta(
            description="`publicacao`: a mais nova antes. `prazo`: a que encerra antes, e só as de prazo aberto. "
            "`salario`: o maior antes, e por último as que não o informam."
        ),
    ] = "publicacao"
    salario_minimo: Annotated[
        str | None, Meta(description="Só as que informam este salário ou mais, em reais.", examples=["1800"])
    ] = None
    salario_maximo: Annotated[
        str | None, Meta(description="Só as que informam este salário ou menos, em reais.", examples=["3000.50"])
    ] = None
    id_escolaridade: Annotated[
        str | None,
        Meta(
            description="A escolaridade de quem procura (UUID): só as que pedem até ela, ou nenhuma.",
            examples=["e90e1e5b-c059-50ed-9c6c-e64a1a37ce44"],
        ),
    ] = None
    area_formacao: Annotated[
        str | None,
        Meta(
            description="Só as que aceitam uma destas áreas de formação, separadas por vírgula, sem diferença de "
            "acentos.",
            examples=["Nutrição,Gastronomia"],
        ),
    ] = None
    facetas: Annotated[
        str | None,
        Meta(
            description="O que contar em `facetas`, separado por vírgula: "
            f"{', '.join(f'`{name}`' for name in FACETS)}.",
            examples=["bairro,regime_contratacao"],
        ),
    ] = None


class StaffJobQuery(JobQuery, kw_only=True):
    status: Annotated[str | None, Meta(description="Só as vagas nesta situação.", examples=["em_aprovacao"])] = None
    contratante: Annotated[str | None, Meta(description="CNPJ da empresa.", examples=["90000001000129"])] = None
    orgao_parceiro_id: Annotated[
        str | None, Meta(description="Só as vagas deste órgão (`cd_ua`).", examples=["1100"])
    ] = None


class JobCounts(msgspec.Struct):
    """The number of jobs with each status that callers see."""

    em_edicao: Annotated[int, Meta(description="Em edição.", examples=[3])] = 0
    em_aprovacao: Annotated[int, Meta(description="Em aprovação.", examples=[1])] = 0
    publicado_ativo: Annotated[int, Meta(description="Publicadas, com o prazo aberto.", examples=[12])] = 0
    publicado_expirado: Annotated[int, Meta(description="Publicadas, com o prazo encerrado.", examples=[4])] = 0
    vaga_congelada: Annotated[int, Meta(description="Congeladas.", examples=[0])] = 0
    vaga_descontinuada: Annotated[int, Meta(description="Descontinuadas.", examples=[7])] = 0


class StaffJobs(msgspec.Struct):
    """A page of jobs for staff."""

    data: Annotated[list[JobItem], Meta(description="Vagas da página, sem etapas e perguntas.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]
    resumo: Annotated[
        JobCounts, Meta(description="Quantas há em cada situação, por todos os filtros menos o de situação.")
    ]


class JobFacetValue(msgspec.Struct):
    """A value, and the number of matching jobs that have it."""

    valor: Annotated[str, Meta(description="O valor, como as vagas o escrevem.", examples=["Centro"])]
    id: Annotated[
        UUID | None,
        Meta(
            description="O id do valor numa tabela; nulo num texto.", examples=["4501bc88-fb37-5c16-a84b-e864c62433cf"]
        ),
    ]
    total: Annotated[int, Meta(description="Quantas vagas o têm.", examples=[5])]


class Jobs(msgspec.Struct):
    """A page of jobs."""

    data: Annotated[list[JobItem], Meta(description="Vagas da página, sem etapas e perguntas.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]
    facetas: (
        Annotated[
            dict[str, list[JobFacetValue]],
            Meta(
                description="As contagens pedidas em `facetas`, das vagas de todas as páginas: até 20 valores, do mais "
                "ao menos frequente. Contam as 2000 publicações mais recentes."
            ),
        ]
        | UnsetType
    ) = UNSET
