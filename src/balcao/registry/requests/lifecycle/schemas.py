"""Wire types for requests (rules: registry 2.16)."""

from datetime import datetime
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.http.paging import PageQuery
from balcao.core.values.page import Pagination
from balcao.registry.members import MaskedCpf
from balcao.registry.person.files.paths import EXAMPLE as FILE_EXAMPLE
from balcao.registry.requests.lifecycle.numbers import EXAMPLE
from balcao.registry.requests.lifecycle.states import Author, State
from balcao.registry.requests.types.kinds import Place
from balcao.registry.requests.types.schemas import TypeId, Version

TEXT_LENGTH = 2_000
COMMENT_LENGTH = 500

Number: TypeAlias = Annotated[str, Meta(description="Número do pedido.", examples=[EXAMPLE])]
Code: TypeAlias = Annotated[
    str,
    Meta(
        description="Código que, com o número, mostra a situação sem login. Só aparece nesta resposta.",
        examples=["K7QM-3XRD-9TWA"],
    ),
]
StateOf: TypeAlias = Annotated[
    State,
    Meta(
        description="Situação: `received` (recebido), `sent` (encaminhado), `in_progress` (em andamento), "
        "`needs_information` (a prefeitura fez uma pergunta), `done` (resolvido), `refused` (não atendido) ou "
        "`reopened` (reaberto).",
        examples=["in_progress"],
    ),
]
CreatedAt: TypeAlias = Annotated[datetime, Meta(description="Quando foi feito.", examples=["2026-03-02T12:30:00Z"])]
Deadline: TypeAlias = Annotated[
    datetime, Meta(description="Até quando deve ficar pronto.", examples=["2026-03-12T12:30:00Z"])
]
Protocol: TypeAlias = Annotated[
    str | None,
    Meta(description="Protocolo na central de atendimento; nulo até que ela o dê.", examples=["PA-2026-00000338"]),
]


class RequestBody(msgspec.Struct):
    """A new request: the type, the version whose questions the citizen saw, and the answers by field."""

    type: TypeId
    version: Version
    answers: Annotated[
        dict[str, Any],
        Meta(
            description="Respostas, por identificador do campo.",
            examples=[{"problema": "apagada", "local": {"address": "Rua das Acácias, 120", "district": "Centro"}}],
            extra_json_schema={"additionalProperties": True},
        ),
    ]


class TextBody(msgspec.Struct):
    """A message that a citizen adds to a request."""

    text: Annotated[
        str, Meta(description="Texto, de 1 a 2000 caracteres.", examples=["É o poste em frente à padaria."])
    ]


class AnswerBody(TextBody):
    """An answer to the city's question."""

    files: Annotated[
        list[str],
        Meta(
            description="Ids de arquivos que o cidadão enviou (`POST /citizen/{cpf}/files`). Um pedido pode ter até 5 "
            "arquivos, contados os das respostas anteriores.",
            examples=[[FILE_EXAMPLE]],
        ),
    ] = []


class RatingBody(msgspec.Struct):
    """A citizen's rating of a closed request."""

    stars: Annotated[int, Meta(description="Nota, de 1 a 5.", examples=[5])]
    comment: Annotated[str | None, Meta(description="Comentário, até 500 caracteres.", examples=["Foi rápido."])] = None


class StepBody(msgspec.Struct):
    """A step by staff: a new state, a message to the citizen, or both."""

    state: Annotated[
        State | None,
        Meta(description="Nova situação; sem ela, o texto é uma mensagem.", examples=["needs_information"]),
    ] = None
    text: Annotated[
        str | None,
        Meta(description="Texto para o cidadão, até 2000 caracteres.", examples=["Qual é o número do poste?"]),
    ] = None


class FollowBody(msgspec.Struct):
    """The number and the code on a receipt."""

    number: Number
    code: Annotated[str, Meta(description="Código do comprovante.", examples=["K7QM-3XRD-9TWA"])]


class Answer(msgspec.Struct, kw_only=True):
    """An answer, with the question that it answers."""

    field: Annotated[str, Meta(description="Identificador do campo.", examples=["problema"])]
    label: Annotated[str, Meta(description="A pergunta.", examples=["O que há com a lâmpada?"])]
    kind: Annotated[str, Meta(description="Espécie do campo.", examples=["choice"])]
    value: Annotated[
        str | int | float | Place | list[str], Meta(description="A resposta, como foi guardada.", examples=["apagada"])
    ]
    text: Annotated[str, Meta(description="A resposta, para mostrar.", examples=["Apagada à noite"])]


class Step(msgspec.Struct, kw_only=True):
    """A step in a request. A step without a state is a message."""

    state: Annotated[State | None, Meta(description="Nova situação; nulo em uma mensagem.", examples=["in_progress"])]
    text: Annotated[str | None, Meta(description="Texto do passo; nulo se não há.", examples=["Visita agendada."])]
    author: Annotated[
        Author,
        Meta(description="Quem deu o passo: `citizen`, `staff`, `crm` ou `platform`.", examples=["staff"]),
    ]
    at: Annotated[datetime, Meta(description="Quando.", examples=["2026-03-03T09:00:00Z"])]
    files: Annotated[
        list[str] | UnsetType,
        Meta(description="Ids dos arquivos da resposta do cidadão; ausente se não há.", examples=[[FILE_EXAMPLE]]),
    ] = UNSET


class Rating(msgspec.Struct, kw_only=True):
    """The citizen's rating."""

    stars: Annotated[int, Meta(description="Nota, de 1 a 5.", examples=[5])]
    comment: Annotated[str | None, Meta(description="Comentário; nulo se não há.", examples=["Foi rápido."])]
    at: Annotated[datetime, Meta(description="Quando.", examples=["2026-03-09T18:00:00Z"])]


class ServiceRequest(msgspec.Struct, kw_only=True):
    """A request as its citizen sees it."""

    number: Number
    type: TypeId
    version: Version
    name: Annotated[str, Meta(description="Nome do tipo, nesta versão.", examples=["Lâmpada apagada"])]
    category: Annotated[str, Meta(description="Assunto do tipo, nesta versão.", examples=["Iluminação pública"])]
    service_id: Annotated[str | None, Meta(description="Serviço na busca; nulo se não há.", examples=["iluminacao"])]
    state: StateOf
    protocol: Protocol
    answers: Annotated[list[Answer], Meta(description="Respostas, na ordem das perguntas.")]
    departments: Annotated[list[str], Meta(description="Códigos dos órgãos que atendem.", examples=[["1500"]])]
    created_at: CreatedAt
    updated_at: Annotated[
        datetime, Meta(description="Quando mudou pela última vez.", examples=["2026-03-03T09:00:00Z"])
    ]
    deadline: Deadline
    closed_at: Annotated[
        datetime | None,
        Meta(description="Quando foi encerrado; nulo se está aberto.", examples=["2026-03-08T15:00:00Z"]),
    ]
    reopen_until: Annotated[
        datetime | None,
        Meta(description="Até quando pode ser reaberto; nulo se está aberto.", examples=["2026-04-07T15:00:00Z"]),
    ]
    rating: Annotated[Rating | None, Meta(description="Nota do cidadão; nulo se não há.")]
    steps: Annotated[list[Step], Meta(description="Passos, do mais antigo ao mais novo.")]


class NewRequest(ServiceRequest, kw_only=True):
    """A new request, with its code."""

    code: Code


class HandledRequest(ServiceRequest, kw_only=True):
    """A request as staff see it."""

    cpf: Annotated[MaskedCpf | None, Meta(description="CPF mascarado; nulo sem login ou depois de uma anonimização.")]


class Receipt(msgspec.Struct, kw_only=True):
    """The receipt for a request made without a login."""

    number: Number
    code: Code
    state: StateOf
    created_at: CreatedAt
    deadline: Deadline


class FollowedStep(msgspec.Struct, kw_only=True):
    """A change of state, without the message of the step."""

    state: StateOf
    at: Annotated[datetime, Meta(description="Quando.", examples=["2026-03-03T09:00:00Z"])]


class FollowedRequest(msgspec.Struct, kw_only=True):
    """The part of a request that a caller with the number and the code can read: the state and the dates."""

    number: Number
    state: StateOf
    deadline: Deadline
    steps: Annotated[list[FollowedStep], Meta(description="Mudanças de situação, da mais antiga à mais nova.")]


class RequestSummary(msgspec.Struct, kw_only=True):
    """A request in the list that staff see, without answers and messages."""

    number: Number
    type: TypeId
    name: Annotated[str, Meta(description="Nome do tipo, na versão do pedido.", examples=["Lâmpada apagada"])]
    category: Annotated[str, Meta(description="Assunto do tipo.", examples=["Iluminação pública"])]
    state: StateOf
    protocol: Protocol
    departments: Annotated[list[str], Meta(description="Códigos dos órgãos que atendem.", examples=[["1500"]])]
    with_login: Annotated[bool, Meta(description="Se o pedido é de um cidadão que fez login.", examples=[True])]
    created_at: CreatedAt
    updated_at: Annotated[
        datetime, Meta(description="Quando mudou pela última vez.", examples=["2026-03-03T09:00:00Z"])
    ]
    deadline: Deadline


class RequestSummaries(msgspec.Struct):
    """A page of the list that staff see."""

    data: Annotated[list[RequestSummary], Meta(description="Pedidos da página.")]
    pagination: Annotated[Pagination, Meta(description="A página e o total.")]


class RequestQuery(PageQuery):
    """The filters that staff can apply to the list of requests."""

    state: Annotated[str, Meta(description="Uma situação, ou `open` para todos os abertos.", examples=["open"])] = (
        "open"
    )
    type: Annotated[str | None, Meta(description="Só deste tipo.", examples=["lampada_apagada"])] = None
    department: Annotated[str | None, Meta(description="Só deste órgão.", examples=["1500"])] = None
    overdue: Annotated[
        bool | None,
        Meta(description="Só os abertos cujo prazo já passou; com `false`, só os outros.", examples=[True]),
    ] = None
