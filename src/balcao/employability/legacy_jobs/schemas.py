"""Wire types for the older jobs (rules: employability 3.5)."""

from datetime import datetime
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from balcao.core.values.ids import MAX_INT64
from balcao.employability.legacy_jobs.states import LegacyJobStatus
from balcao.employability.lists import ListMeta, PageNumber
from balcao.employability.schemas import CreatedAt, UpdatedAt

DEFAULT_PER_PAGE, MOST_PER_PAGE = 10, 1000
ContractKind = Literal["CLT", "ESTAGIO", "JOVEM_APRENDIZ", "MEI", "PJ"]
WorkingHours = Literal["INTEGRAL", "MEIO_PERIODO", "FLEXIVEL", "ESTAGIO", "HOME_OFFICE"]
Shift = Literal["MANHA", "TARDE", "NOITE", "INTEGRAL", "LIVRE"]
CONTRACT_KINDS, WORKING_HOURS = frozenset(get_args(ContractKind)), frozenset(get_args(WorkingHours))
Openings = Annotated[int, Meta(ge=1, le=10_000)]
Salary = Annotated[int, Meta(ge=0, le=MAX_INT64)]
_Instant = Annotated[datetime, Meta(extra_json_schema={"format": "date-time"})]


class LegacyJobBody(msgspec.Struct):
    """A job of the older listing, in a request.

    `escolaridade_id` is the `ordem` of a schooling level, and `empresa_id` is a company's number.
    """

    titulo: Annotated[str, Meta(description="Título, de 1 a 500 caracteres.", examples=["Jardineiro"])]
    tipo_contratacao: Annotated[ContractKind, Meta(description="Tipo de contratação.", examples=["CLT"])]
    status: Annotated[
        LegacyJobStatus, Meta(description="Situação; um emprego novo é CRIADO ou ABERTO.", examples=["ABERTO"])
    ]
    descricao: Annotated[
        str | None, Meta(description="Descrição, até 10000 caracteres.", examples=["Cuidar de praças."])
    ] = None
    beneficios: Annotated[
        str | None, Meta(description="Benefícios, até 10000 caracteres.", examples=["Vale-transporte."])
    ] = None
    pre_requisitos: Annotated[
        str | None, Meta(description="Pré-requisitos, até 10000 caracteres.", examples=["Experiência."])
    ] = None
    contato_duvidas: Annotated[
        str | None, Meta(description="Contato para dúvidas, até 10000 caracteres.", examples=["2124000001"])
    ] = None
    orgao_id: Annotated[str | None, Meta(description="Órgão, até 50 caracteres.", examples=["1100"])] = None
    empresa_id: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_INT64)] | None, Meta(description="Número da empresa.", examples=[1])
    ] = None
    escolaridade_id: Annotated[
        Annotated[int, Meta(ge=1, le=32767)] | None, Meta(description="`ordem` da escolaridade.", examples=[4])
    ] = None
    jornada_trabalho: Annotated[WorkingHours | None, Meta(description="Jornada.", examples=["INTEGRAL"])] = None
    turno: Annotated[Shift | None, Meta(description="Turno.", examples=["MANHA"])] = None
    numero_vagas: Annotated[Openings | None, Meta(description="Número de vagas.", examples=[2])] = None
    salario_min: Annotated[Salary | None, Meta(description="Menor salário, em reais.", examples=[1600])] = None
    salario_max: Annotated[
        Salary | None, Meta(description="Maior salário, não menor que o mínimo.", examples=[2100])
    ] = None
    latitude: Annotated[
        Annotated[float, Meta(ge=-90, le=90)] | None, Meta(description="Latitude.", examples=[-22.5])
    ] = None
    longitude: Annotated[
        Annotated[float, Meta(ge=-180, le=180)] | None, Meta(description="Longitude.", examples=[-43.2])
    ] = None
    data_inicio_prevista: Annotated[
        _Instant | None, Meta(description="Início previsto (RFC 3339).", examples=["2099-02-01T09:00:00-03:00"])
    ] = None
    data_limite_candidatura: Annotated[
        _Instant | None, Meta(description="Limite da candidatura (RFC 3339).", examples=["2099-01-01T09:00:00-03:00"])
    ] = None


class LegacyEmployer(msgspec.Struct):
    id: Annotated[int, Meta(description="Número da empresa.", examples=[1])]
    nome: Annotated[str, Meta(description="Nome fantasia ou razão social.", examples=["Padaria Aurora"])]


class LegacySchooling(msgspec.Struct):
    id: Annotated[int, Meta(description="`ordem` da escolaridade.", examples=[4])]
    nivel: Annotated[str, Meta(description="Escolaridade.", examples=["Médio completo"])]


class LegacyJob(LegacyJobBody, kw_only=True):
    """A job of the older listing."""

    id: Annotated[int, Meta(description="Número do emprego.", examples=[12])]
    empresa: Annotated[LegacyEmployer | None, Meta(description="A empresa.")]
    escolaridade: Annotated[LegacySchooling | None, Meta(description="A escolaridade.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class LegacyJobs(msgspec.Struct):
    """A page of older jobs."""

    data: Annotated[list[LegacyJob], Meta(description="Empregos da página, dos mais novos aos mais antigos.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]


class LegacyJobQuery(msgspec.Struct):
    orgao_id: Annotated[str | None, Meta(description="Só os deste órgão.", examples=["1100"])] = None
    empresa_id: Annotated[
        Annotated[int, Meta(ge=0, le=MAX_INT64)] | None, Meta(description="Só os desta empresa.", examples=[1])
    ] = None
    escolaridade_id: Annotated[
        Annotated[int, Meta(ge=0, le=32767)] | None, Meta(description="Só os desta escolaridade.", examples=[4])
    ] = None
    status: Annotated[LegacyJobStatus | None, Meta(description="Só os nesta situação.", examples=["ABERTO"])] = None
    tipo_contratacao: Annotated[
        ContractKind | None, Meta(description="Só os deste tipo de contratação.", examples=["CLT"])
    ] = None
    jornada_trabalho: Annotated[
        WorkingHours | None, Meta(description="Só os desta jornada.", examples=["INTEGRAL"])
    ] = None
    page: PageNumber = 1
    pageSize: Annotated[  # noqa: N815 - named by the specification
        int, Meta(description="Itens por página; acima de 1000 vale 1000.", examples=[DEFAULT_PER_PAGE])
    ] = DEFAULT_PER_PAGE
