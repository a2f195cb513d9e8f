"""An application in its person's export: the members that the store's statement makes of it."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from balcao.employability.hiring.listings.schemas import JobId
from balcao.employability.resume.overview.schemas import Resume
from balcao.employability.schemas import CreatedAt, UpdatedAt
from balcao.employability.selection.applications.schemas import Answer, ApplicationId, CandidateEmail, CandidateName
from balcao.employability.selection.applications.states import ApplicationStatus, Event


class ExportedApplicationEvent(msgspec.Struct):
    """Something that happened to an application."""

    evento: Annotated[Event, Meta(description="O que houve.", examples=["approve"])]
    de: Annotated[
        ApplicationStatus | None,
        Meta(description="A situação de antes; nulo no envio.", examples=["candidatura_enviada"]),
    ]
    para: Annotated[ApplicationStatus, Meta(description="A situação de depois.", examples=["aprovada"])]
    em: Annotated[datetime, Meta(description="Quando foi.", examples=["2026-10-05T14:30:00.000000+00:00"])]
    motivo: Annotated[str | None, Meta(description="O motivo informado; nulo se nenhum.", examples=["Perfil aderente"])]


class ExportedApplication(msgspec.Struct):
    """All that is stored of an application, a withdrawn one too."""

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
