"""Wire types for applications in requests, and for the response to a refused application (rules: employability 3.4)."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.http.dialects import ErrorAndMessage
from balcao.employability.hiring.content.schemas import ID_EXAMPLE
from balcao.employability.selection.applications.schemas import QUESTION_EXAMPLE
from balcao.employability.selection.eligibility.schemas import Criterion

LONGEST_NAME, LONGEST_EMAIL = 255, 254


class AnswerBody(msgspec.Struct):
    """An answer in a request. Numbers and booleans are converted to strings."""

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
    """An application in a request. Other members, such as `status` and `curriculo_snapshot`, are ignored."""

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
    """The changes to an application. Absent members do not change anything."""

    email: Annotated[str | None, Meta(description="E-mail.", examples=["ana@pessoa.example"])] = None
    respostas_info_complementares: AnswersBody = None
    nome: Annotated[
        str | None, Meta(description="Nome; só pela equipe, senão é ignorado.", examples=["Ana Beatriz Moreira"])
    ] = None


class ApplicationRefusal(ErrorAndMessage):
    """The response to a refused application. Portals show `message`, which has the same text as `error`."""

    criterios_nao_atendidos: Annotated[
        list[Criterion] | UnsetType,
        Meta(description="Os critérios da vaga a que a pessoa não atende; só quando são eles o motivo."),
    ] = UNSET
