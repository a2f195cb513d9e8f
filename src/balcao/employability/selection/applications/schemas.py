"""Types in which applications are shown, filtered, stored and exported (rules: employability 2.7, 3.4, 5.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, NamedTuple
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.errors import Invalid
from balcao.employability.hiring.content.schemas import ID_EXAMPLE, JobId, Step
from balcao.employability.hiring.listings.schemas import JobSummary
from balcao.employability.lists import ListMeta, PageNumber, parse_uuid_filter
from balcao.employability.registry_people import PersonRecord
from balcao.employability.resume.overview.schemas import Resume
from balcao.employability.schemas import CreatedAt, UpdatedAt
from balcao.employability.selection.applications.states import SHOWN, ApplicationPosition, ApplicationStatus, Event
from balcao.employability.selection.people.info import WholePersonalInfo

DEFAULT_PER_PAGE, MOST_PER_PAGE = 10, 100
QUESTION_EXAMPLE = "1b0f2c5e-6a53-5f43-8f0e-0f7f5a2f9a10"

ApplicationId = Annotated[
    UUID, Meta(description="Identificador da candidatura (UUID).", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"])
]
CandidateName = Annotated[str | None, Meta(description="Nome da pessoa.", examples=["Ana Beatriz Moreira"])]
CandidateEmail = Annotated[str | None, Meta(description="E-mail da pessoa.", examples=["ana@pessoa.example"])]


class Answer(msgspec.Struct):
    """An answer, with the question's title at the time of the answer."""

    id_info: Annotated[UUID, Meta(description="A pergunta (UUID).", examples=[QUESTION_EXAMPLE])]
    titulo: Annotated[str, Meta(description="A pergunta, como era.", examples=["Por que você quer esta vaga?"])]
    resposta: Annotated[str, Meta(description="A resposta.", examples=["Gosto de confeitaria."])]


class Application(msgspec.Struct, kw_only=True):
    """An application in the form that its candidate and staff see."""

    id: ApplicationId
    cpf: Annotated[
        str | None, Meta(description="CPF da pessoa; nulo depois do prazo de guarda.", examples=["90000000175"])
    ]
    nome: CandidateName
    email: CandidateEmail
    id_vaga: JobId
    status: Annotated[
        ApplicationStatus,
        Meta(
            description="Situação; a da vaga congelada ou encerrada aparece no lugar da própria.",
            examples=["candidatura_enviada"],
        ),
    ]
    status_anterior: Annotated[
        ApplicationStatus | None,
        Meta(description="A situação própria, enquanto a da vaga aparece no lugar dela; senão nulo."),
    ]
    id_etapa_atual: Annotated[UUID | None, Meta(description="Etapa em que a pessoa está (UUID).")]
    etapa_atual: Annotated[Step | None, Meta(description="A etapa em que a pessoa está.")]
    respostas_info_complementares: Annotated[list[Answer], Meta(description="Respostas às perguntas da vaga.")]
    curriculo_snapshot: Annotated[
        Resume | None, Meta(description="O currículo como era na candidatura; nulo depois do prazo de guarda.")
    ]
    vaga: Annotated[JobSummary, Meta(description="A vaga, legível também depois de excluída.")]
    created_at: CreatedAt
    updated_at: UpdatedAt
    acoes_permitidas: Annotated[
        list[str] | UnsetType,
        Meta(description="O que quem chama pode fazer agora; só na leitura de uma.", examples=[["withdraw"]]),
    ] = UNSET


class ApplicationDetail(Application, kw_only=True):
    """The data of a single application. Staff also see the candidate's data."""

    personal_info: Annotated[
        WholePersonalInfo | UnsetType | None,
        Meta(description="O que o cadastro da cidade diz da pessoa, só para a equipe; nulo se nada se sabe."),
    ] = UNSET


class StatusCounts(msgspec.Struct):
    """The number of applications with each status that callers see."""

    candidatura_enviada: Annotated[int, Meta(description="Enviadas.", examples=[40])] = 0
    aprovada: Annotated[int, Meta(description="Aprovadas.", examples=[2])] = 0
    reprovada: Annotated[int, Meta(description="Reprovadas.", examples=[5])] = 0
    vaga_congelada: Annotated[int, Meta(description="De vagas congeladas.", examples=[0])] = 0
    vaga_descontinuada: Annotated[int, Meta(description="De vagas encerradas.", examples=[1])] = 0


class Applications(msgspec.Struct):
    """A page of applications."""

    data: Annotated[list[Application], Meta(description="Candidaturas da página, da mais nova à mais antiga.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]
    resumo: Annotated[
        StatusCounts, Meta(description="Quantas há em cada situação, por todos os filtros menos o de situação.")
    ]


class ApplicationEvent(msgspec.Struct):
    """An event in the history of an application."""

    de: Annotated[
        str | None, Meta(description="Situação própria anterior; nula no começo.", examples=["candidatura_enviada"])
    ]
    evento: Annotated[str, Meta(description="O que houve.", examples=["approve"])]
    para: Annotated[
        str, Meta(description="Situação própria seguinte; `retirada` pela própria pessoa.", examples=["aprovada"])
    ]
    id_etapa_de: Annotated[UUID | None, Meta(description="Etapa anterior (UUID).", examples=[ID_EXAMPLE])]
    id_etapa_para: Annotated[UUID | None, Meta(description="Etapa seguinte (UUID).", examples=[ID_EXAMPLE])]
    em: Annotated[datetime, Meta(description="Quando, em UTC.", examples=["2026-10-05T14:30:00Z"])]
    por: Annotated[
        str | None,
        Meta(
            description="Quem da equipe; nulo se foi a pessoa ou o serviço, e para a própria pessoa.", examples=[None]
        ),
    ]
    motivo: Annotated[str | None, Meta(description="Motivo informado.", examples=["Perfil da vaga."])]


class ApplicationHistory(msgspec.Struct):
    """A page of an application's history."""

    data: Annotated[list[ApplicationEvent], Meta(description="O que houve, do mais novo ao mais antigo.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]


@dataclass(frozen=True, slots=True)
class OwnFilters:
    """The filters for a person's list of applications. A filter that was not sent is None."""

    job: UUID | None = None
    status: ApplicationStatus | None = None
    step: UUID | None = None


def parse_own_filters(query: Mapping[str, str]) -> OwnFilters:
    """Parse the filters. Raises Invalid, which names the parameter, if a filter is not valid."""
    return OwnFilters(parse_uuid_filter(query, "vagaId"), parse_status(query), parse_uuid_filter(query, "etapa_id"))


def parse_status(query: Mapping[str, str]) -> ApplicationStatus | None:
    """Parse the filter by status, or return None if it is absent. Raises Invalid for an unknown status."""
    text = query.get("status", "").strip()
    if text and text not in SHOWN:
        raise Invalid(f"O parâmetro `status` aceita {', '.join(SHOWN)}.", code="status-invalid")
    return ApplicationStatus(text) if text else None


class OwnApplicationQuery(msgspec.Struct, kw_only=True):
    vagaId: Annotated[  # noqa: N815 - named by the specification
        str | None, Meta(description="Só as desta vaga (UUID).", examples=[ID_EXAMPLE])
    ] = None
    status: Annotated[
        str | None, Meta(description="Só as que aparecem nesta situação.", examples=["candidatura_enviada"])
    ] = None
    etapa_id: Annotated[str | None, Meta(description="Só as que estão nesta etapa (UUID).", examples=[ID_EXAMPLE])] = (
        None
    )
    page: PageNumber = 1
    pageSize: Annotated[  # noqa: N815 - named by the specification
        int, Meta(description="Itens por página; acima de 100 vale 100.", examples=[DEFAULT_PER_PAGE])
    ] = DEFAULT_PER_PAGE


class StoredApplication(ApplicationPosition, frozen=True, kw_only=True):
    """A stored application, with its long content."""

    nome: str | None
    email: str | None
    id_vaga: UUID
    respostas: list[Answer]
    curriculo_snapshot: Resume | None
    created_at: datetime
    updated_at: datetime


class ListedApplication(StoredApplication, frozen=True, kw_only=True):
    """A stored application, with the copy of its candidate's registry record."""

    record: PersonRecord | None


class Submission(NamedTuple):
    """A new application, with everything that is stored together with it.

    `job_updated_at` and `resume_version` are the versions of the job and the resume on which the decision is based.
    """

    application: StoredApplication
    origin: str
    failed: Sequence[str]
    author: str | None
    job_updated_at: datetime
    resume_version: int | None
    email_job: str
    email_kind: str
    refresh_job: str
    refresh: bytes | None
    trail: str


class RestoredApplication(msgspec.Struct, frozen=True, kw_only=True):
    """An application to insert in a given state, for example as demo data.

    If `has_resume` is set, the application gets a snapshot of the person's stored resume. `changed_at` is the time of
    the decision or move that gave it its state, by default `made_at`. `reason` is the reason of the decision.
    """

    id: UUID
    cpf: str
    nome: str
    job: UUID
    status: ApplicationStatus
    step: UUID | None
    made_at: datetime
    has_resume: bool
    changed_at: datetime | None = None
    reason: str | None = None
    resume: Resume | None = None
    email: str | None = None
    answers: Sequence[Answer] = ()


class ExportedApplicationEvent(msgspec.Struct):
    """An event in the history of an application."""

    evento: Annotated[Event, Meta(description="O que houve.", examples=["approve"])]
    de: Annotated[
        ApplicationStatus | None,
        Meta(description="A situação de antes; nulo no envio.", examples=["candidatura_enviada"]),
    ]
    para: Annotated[ApplicationStatus, Meta(description="A situação de depois.", examples=["aprovada"])]
    em: Annotated[datetime, Meta(description="Quando foi.", examples=["2026-10-05T14:30:00.000000+00:00"])]
    motivo: Annotated[str | None, Meta(description="O motivo informado; nulo se nenhum.", examples=["Perfil aderente"])]


class ExportedApplication(msgspec.Struct):
    """Everything that is stored about an application, even if it was withdrawn."""

    id: ApplicationId
    id_vaga: JobId
    vaga: Annotated[str | None, Meta(description="O título da vaga.", examples=["Recepcionista"])]
    nome: CandidateName
    email: CandidateEmail
    status: Annotated[
        ApplicationStatus,
        Meta(description="A situação própria da candidatura; `retirada` se foi retirada.", examples=["aprovada"]),
    ]
    origem: Annotated[
        Literal["cidadao", "equipe"], Meta(description="Quem a fez: a pessoa ou a equipe.", examples=["cidadao"])
    ]
    criterios_nao_atendidos: Annotated[
        list[str],
        Meta(description="Critérios que a pessoa não atendia, se a equipe a inscreveu.", examples=[["idade_minima"]]),
    ]
    respostas: Annotated[list[Answer], Meta(description="Respostas às perguntas da vaga.")]
    curriculo_snapshot: Annotated[
        Resume | None, Meta(description="O currículo como era na candidatura; nulo se foi apagado.")
    ]
    created_at: CreatedAt
    updated_at: UpdatedAt
    historico: Annotated[
        list[ExportedApplicationEvent], Meta(description="O que houve nela, do mais antigo ao mais novo.")
    ]
