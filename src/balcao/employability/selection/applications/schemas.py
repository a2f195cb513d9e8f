"""Wire types of applications (rules: employability 3.4)."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.http.dialects import ErrorAndMessage
from balcao.employability.hiring.listings.schemas import ID_EXAMPLE, JobId, JobSummary, Step
from balcao.employability.lists import ListMeta
from balcao.employability.resume.overview.schemas import Resume
from balcao.employability.schemas import CreatedAt, UpdatedAt
from balcao.employability.selection.applications.states import ApplicationStatus
from balcao.employability.selection.eligibility.schemas import Criterion
from balcao.employability.selection.people.info import WholePersonalInfo

QUESTION_EXAMPLE = "1b0f2c5e-6a53-5f43-8f0e-0f7f5a2f9a10"
LONGEST_NAME, LONGEST_EMAIL = 255, 254

ApplicationId = Annotated[
    UUID, Meta(description="Identificador da candidatura (UUID).", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"])
]
CandidateName = Annotated[str | None, Meta(description="Nome da pessoa.", examples=["Ana Beatriz Moreira"])]
CandidateEmail = Annotated[str | None, Meta(description="E-mail da pessoa.", examples=["ana@pessoa.example"])]


class AnswerBody(msgspec.Struct):
    """An answer; a number or a boolean is taken as its text."""

    id_info: Annotated[str, Meta(description="A pergunta (UUID).", examples=[QUESTION_EXAMPLE])]
    resposta: Annotated[
        str | int | float | bool | None,
        Meta(
            description="A resposta, até 2000 caracteres; várias opções separadas por `, `.",
            examples=["Gosto de confeitaria."],
        ),
    ] = None


AnswersBody = Annotated[
    list[AnswerBody] | None, Meta(description="Respostas às perguntas da vaga, cada uma no máximo uma vez.")
]


class ApplicationBody(msgspec.Struct):
    """An application. Other members, as `status` and `curriculo_snapshot`, may be sent and are ignored."""

    id_vaga: Annotated[str, Meta(description="A vaga (UUID).", examples=[ID_EXAMPLE])]
    respostas_info_complementares: AnswersBody = None
    cpf: Annotated[
        str | None,
        Meta(description="CPF da pessoa, só dígitos; de outra pessoa, só pela equipe.", examples=["90000000175"]),
    ] = None
    nome: Annotated[
        str | None, Meta(description="Nome, até 255 caracteres; só pela equipe.", examples=["Ana Beatriz Moreira"])
    ] = None
    email: Annotated[str | None, Meta(description="E-mail; só pela equipe.", examples=["ana@pessoa.example"])] = None


class ApplicationChange(msgspec.Struct):
    """What may change in an application; what is absent stays."""

    email: Annotated[str | None, Meta(description="E-mail.", examples=["ana@pessoa.example"])] = None
    respostas_info_complementares: AnswersBody = None
    nome: Annotated[
        str | None, Meta(description="Nome; só pela equipe, senão é ignorado.", examples=["Ana Beatriz Moreira"])
    ] = None


class Answer(msgspec.Struct):
    """An answer, with the question as it was."""

    id_info: Annotated[UUID, Meta(description="A pergunta (UUID).", examples=[QUESTION_EXAMPLE])]
    titulo: Annotated[str, Meta(description="A pergunta, como era.", examples=["Por que você quer esta vaga?"])]
    resposta: Annotated[str, Meta(description="A resposta.", examples=["Gosto de confeitaria."])]


class Application(msgspec.Struct, kw_only=True):
    """An application as its candidate and staff see it."""

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
    """An application looked at alone."""

    personal_info: Annotated[
        WholePersonalInfo | UnsetType | None,
        Meta(description="O que o cadastro da cidade diz da pessoa, só para a equipe; nulo se nada se sabe."),
    ] = UNSET


class StatusCounts(msgspec.Struct):
    """How many applications are shown with each status."""

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
    """What happened to an application."""

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


class ApplicationRefusal(ErrorAndMessage):
    """Why an application was refused; a portal shows `message`, which is the same text."""

    criterios_nao_atendidos: Annotated[
        list[Criterion] | UnsetType,
        Meta(description="Os critérios da vaga a que a pessoa não atende; só quando são eles o motivo."),
    ] = UNSET
