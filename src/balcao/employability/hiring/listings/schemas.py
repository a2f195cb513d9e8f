"""Wire types for jobs in responses, job history and transitions (rules: employability 2.5, 3.3)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.core.context.reasons import refuse_personal_data
from balcao.core.http.decoding import decode
from balcao.employability.companies.schemas import Cnpj, Company
from balcao.employability.hiring.content.rules import JobContent, Language, QuestionContent, StepContent
from balcao.employability.hiring.content.schemas import ID_EXAMPLE, JobId, LanguageRequirement, Question, Step
from balcao.employability.hiring.departments.schemas import Department
from balcao.employability.hiring.listings.states import FIRST_EVENTS, Event, JobStatus
from balcao.employability.lists import ListMeta, PageNumber, parse_choice_filter
from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.schemas import CreatedAt, UpdatedAt
from balcao.employability.texts import clean_optional_line

HISTORY_DEFAULT, HISTORY_MOST = 50, 200

Title = Annotated[str, Meta(description="Título, de 1 a 500 caracteres.", examples=["Confeiteiro"])]
Reason = Annotated[str | None, Meta(description="Motivo informado, até 500 caracteres.", examples=["Falta o salário."])]


class JobItem(msgspec.Struct, kw_only=True):
    """A job in a list."""

    id: JobId
    slug: Annotated[str, Meta(description="Nome para endereços de páginas.", examples=["confeiteiro-49c67c23c0e7"])]
    titulo: Title
    descricao: Annotated[str, Meta(description="Descrição, em Markdown.", examples=["Preparo de bolos e doces."])]
    status: Annotated[
        JobStatus,
        Meta(
            description="Situação; `publicado_expirado` é a de uma vaga publicada cuja `data_limite` passou.",
            examples=["publicado_ativo"],
        ),
    ]
    id_contratante: Cnpj
    contratante: Annotated[Company, Meta(description="A empresa.")]
    id_regime_contratacao: Annotated[UUID, Meta(description="Regime de contratação (UUID).", examples=[ID_EXAMPLE])]
    regime_contratacao: Annotated[ReferenceValue, Meta(description="O regime de contratação.")]
    id_modelo_trabalho: Annotated[UUID, Meta(description="Modelo de trabalho (UUID).", examples=[ID_EXAMPLE])]
    modelo_trabalho: Annotated[ReferenceValue, Meta(description="O modelo de trabalho.")]
    id_orgao_parceiro: Annotated[str | None, Meta(description="Código do órgão (`cd_ua`).", examples=["1100"])]
    orgao_parceiro: Annotated[Department | None, Meta(description="O órgão; nulo em uma vaga sem órgão.")]
    bairro: Annotated[str | None, Meta(description="Bairro do local de trabalho.", examples=["Centro"])]
    data_limite: Annotated[
        datetime | None, Meta(description="Até quando se aceita candidatura.", examples=["2026-12-01T02:59:59Z"])
    ]
    requisitos: Annotated[str | None, Meta(description="Requisitos.", examples=["Experiência em confeitaria."])]
    diferenciais: Annotated[str | None, Meta(description="Diferenciais.", examples=["Curso técnico."])]
    responsabilidades: Annotated[str | None, Meta(description="Responsabilidades.", examples=["Preparar bolos."])]
    beneficios: Annotated[str | None, Meta(description="Benefícios.", examples=["Vale-transporte."])]
    valor_vaga: Annotated[float | None, Meta(description="Remuneração em reais.", examples=[2100.5])]
    quantidade_estimada_contratacoes: Annotated[
        int | None, Meta(description="Quantas pessoas se espera contratar.", examples=[2])
    ]
    acessibilidade_pcd: Annotated[
        str | None,
        Meta(description="`para_pcd`, `preferencial_pcd` ou `exclusivo_pcd`.", examples=["preferencial_pcd"]),
    ]
    tipos_pcd: Annotated[list[ReferenceValue], Meta(description="Tipos de deficiência a que a vaga se destina.")]
    idade_minima: Annotated[int | None, Meta(description="Idade mínima.", examples=[18])]
    idade_maxima: Annotated[int | None, Meta(description="Idade máxima.", examples=[24])]
    id_escolaridade_minima: Annotated[
        UUID | None, Meta(description="Escolaridade mínima (UUID).", examples=[ID_EXAMPLE])
    ]
    escolaridade_minima: Annotated[ReferenceValue | None, Meta(description="A escolaridade mínima.")]
    bairros_elegibilidade: Annotated[
        list[str], Meta(description="Bairros em que é preciso morar; vazio para todos.", examples=[["Centro"]])
    ]
    areas_formacao_elegibilidade: Annotated[
        list[str], Meta(description="Áreas de formação aceitas; vazio para todas.", examples=[["Nutrição"]])
    ]
    zonas: Annotated[list[ReferenceValue], Meta(description="Zonas da cidade.")]
    idiomas_requisito: Annotated[list[LanguageRequirement], Meta(description="Idiomas exigidos.")]
    publicado_em: Annotated[
        datetime | None, Meta(description="Primeira publicação, em UTC.", examples=["2026-10-05T14:30:00Z"])
    ]
    created_at: CreatedAt
    updated_at: UpdatedAt


class Job(JobItem, kw_only=True):
    """A complete job, as visitors see it after its publication."""

    etapas: Annotated[list[Step], Meta(description="Etapas do processo seletivo, em ordem.")]
    informacoes_complementares: Annotated[list[Question], Meta(description="Perguntas, em ordem.")]

    def to_content(self) -> JobContent:
        """Return the part of the job that staff can edit."""
        decided = {name: getattr(self, name) for name in JobContent.__struct_fields__}
        decided |= {
            "valor_vaga": None if self.valor_vaga is None else Decimal(str(self.valor_vaga)),
            "tipos_pcd": [value.id for value in self.tipos_pcd],
            "zonas": [value.id for value in self.zonas],
            "idiomas_requisito": [Language(each.id_idioma, each.id_nivel_minimo) for each in self.idiomas_requisito],
            "etapas": [StepContent(step.id, step.titulo, step.descricao) for step in self.etapas],
        }
        decided["informacoes_complementares"] = [
            QuestionContent(
                **{name: getattr(question, name) for name in QuestionContent.__struct_fields__}
                | {"opcoes": question.opcoes or []}
            )
            for question in self.informacoes_complementares
        ]
        return JobContent(**decided)


class JobSummary(msgspec.Struct):
    """The part of a job that its applications contain, even after the job is deleted."""

    id: JobId
    slug: Annotated[str, Meta(description="Nome para endereços de páginas.", examples=["confeiteiro-49c67c23c0e7"])]
    titulo: Title
    status: Annotated[
        JobStatus,
        Meta(
            description="Situação da vaga; a de uma excluída é `vaga_descontinuada`.",
            examples=["publicado_ativo"],
        ),
    ]
    data_limite: Annotated[
        datetime | None, Meta(description="Até quando se aceita candidatura.", examples=["2026-12-01T02:59:59Z"])
    ]
    contratante: Annotated[Company, Meta(description="A empresa.")]
    etapas: Annotated[list[Step], Meta(description="Etapas do processo seletivo, em ordem.")]
    informacoes_complementares: Annotated[list[Question], Meta(description="Perguntas, em ordem.")]


class StaffJob(Job, kw_only=True):
    """A complete job, as staff see it."""

    acoes_permitidas: Annotated[
        list[str],
        Meta(
            description="Mudanças de situação que quem chama pode fazer agora.",
            examples=[["freeze", "discontinue"]],
        ),
    ]


class NewJob(msgspec.Struct, frozen=True):
    """The initial values of a job. `created_at` defaults to the current time."""

    content: JobContent
    status: JobStatus = JobStatus.EDITING
    publicado_em: datetime | None = None
    created_at: datetime | None = None


class RemainingSteps(msgspec.Struct, frozen=True):
    """The steps of a job that remain after a change."""

    job: UUID
    steps: Sequence[UUID]


class JobEvent(msgspec.Struct, frozen=True):
    """A new event for a job's history. `de` and `para` are the statuses shown before and after the event."""

    id_vaga: UUID
    de: str | None
    evento: str
    para: str
    por: str
    motivo: str | None = None


class JobChanged(msgspec.Struct):
    """The response to a transition. Portals that save and publish in one step read the id."""

    message: Annotated[str, Meta(description="O que foi feito.", examples=["Vaga publicada."])]
    id: JobId


class NewJobQuery(msgspec.Struct):
    acao: Annotated[
        str | None,
        Meta(description="`enviar_para_aprovacao` ou `publicar`, feito com a criação.", examples=["publicar"]),
    ] = None


def parse_first_event(query: Mapping[str, str]) -> Event | None:
    """Parse the event to apply right after a job's creation. Return None if it is absent.

    Raises Invalid for any event that is not in FIRST_EVENTS.
    """
    wanted = parse_choice_filter(query, "acao", frozenset(FIRST_EVENTS))
    return None if wanted is None else FIRST_EVENTS[wanted]


class TransitionBody(msgspec.Struct):
    motivo: Reason = None


def read_reason(content: bytes) -> str | None:
    """Parse the optional body of a transition and return its reason.

    Raises Invalid, for example if it contains personal data.
    """
    reason = clean_optional_line("motivo", decode(content, TransitionBody).motivo, 500) if content.strip() else None
    return None if reason is None else refuse_personal_data("motivo", reason)


class HistoryEntry(msgspec.Struct):
    """An event in a job's history."""

    de: Annotated[str | None, Meta(description="Situação anterior; nula na criação.", examples=["em_aprovacao"])]
    evento: Annotated[str, Meta(description="O que houve.", examples=["publish"])]
    para: Annotated[str, Meta(description="Situação seguinte.", examples=["publicado_ativo"])]
    em: Annotated[datetime, Meta(description="Quando, em UTC.", examples=["2026-10-05T14:30:00Z"])]
    por: Annotated[str, Meta(description="Nome de quem fez.", examples=["Hélio Lima"])]
    motivo: Reason


class History(msgspec.Struct):
    """A page of a job's history."""

    data: Annotated[list[HistoryEntry], Meta(description="O que houve com a vaga, do mais novo ao mais antigo.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]


class HistoryQuery(msgspec.Struct):
    page: PageNumber = 1
    pageSize: Annotated[  # noqa: N815 - named by the specification
        int, Meta(description="Itens por página; acima de 200 vale 200.", examples=[HISTORY_DEFAULT])
    ] = HISTORY_DEFAULT
