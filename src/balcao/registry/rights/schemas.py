"""Wire types for a person's rights (rules: registry 2.9, 2.10)."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.audit.personal_data import Cleared, ExportMember, FileMember, Kept, describe_members
from balcao.core.http.paging import PageQuery
from balcao.core.values.page import Pagination
from balcao.registry.members import CpfDigits, PeriodEnd, PeriodStart
from balcao.registry.person.citizens.schemas import Citizen

EventTime: TypeAlias = Annotated[
    datetime, Meta(description="Quando foi (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
]
ActionName: TypeAlias = Annotated[
    str,
    Meta(
        description="O que foi feito: leitura, criação, alteração, exclusão, exportação, anonimização ou recusa.",
        examples=["read"],
    ),
]
OperationKey: TypeAlias = Annotated[
    str, Meta(description="Operação do catálogo de acesso.", examples=["registry.read_citizen"])
]
FieldNames: TypeAlias = Annotated[
    list[str], Meta(description="Nomes do que foi visto ou mudado, nunca valores.", examples=[["citizen"]])
]
ACTOR_KINDS = ("owner", "citizen", "staff", "client", "crm", "worker", "operator")
ActorKind: TypeAlias = Annotated[
    str,
    Meta(
        description="Quem agiu: o próprio cidadão (`owner`), outro cidadão (`citizen`), um servidor (`staff`), "
        "um sistema (`client`), o CRM (`crm`), uma tarefa da plataforma (`worker`) ou quem a opera (`operator`).",
        examples=["client"],
    ),
]
Grant: TypeAlias = Annotated[str, Meta(description="Direito pelo qual a chamada passou.", examples=["scope:smtr:read"])]
ReasonText: TypeAlias = Annotated[
    str | None, Meta(description="Motivo informado por quem agiu.", examples=["Atendimento 4711"])
]
Outcome: TypeAlias = Annotated[
    str,
    Meta(
        description="Como terminou: `done`, `denied` se foi recusado, ou o que deu a tarefa, como `applied`.",
        examples=["done"],
    ),
]
EventHash: TypeAlias = Annotated[
    str | None, Meta(description="SHA-256 em hexadecimal; nulo até o evento entrar na cadeia.")
]
PersonHash: TypeAlias = Annotated[str | None, Meta(description="Hash com chave do CPF, em hexadecimal.")]


DepartmentNames: TypeAlias = Annotated[
    str | None,
    Meta(
        description="Órgãos do servidor que agiu, separados por vírgula; nulo para os outros e sem lotação conhecida.",
        examples=["Secretaria de Cidadania"],
    ),
]


class AccessNames(msgspec.Struct):
    """An access in words that citizens understand."""

    action: Annotated[str, Meta(description="O que foi feito.", examples=["Leu"])]
    operation: Annotated[
        str | None,
        Meta(description="A operação; nulo para uma tarefa ou comando.", examples=["Cadastro do cidadão"]),
    ]
    fields: Annotated[list[str], Meta(description="O que foi visto ou mudado.", examples=[["o cadastro"]])]
    actor: Annotated[
        str, Meta(description="Quem agiu; um servidor aparece como o seu órgão.", examples=["Secretaria de Cidadania"])
    ]
    grant: Annotated[
        str | None,
        Meta(
            description="Por qual direito; nulo se não tem nome.", examples=["Consultar o cadastro de qualquer cidadão"]
        ),
    ]


class Access(msgspec.Struct):
    """A read or a change of a person's data. `actor` is a client or `self`, but never another person.

    Members of staff appear as their departments.
    """

    at: EventTime
    action: ActionName
    operation: OperationKey
    fields: FieldNames
    actor_kind: ActorKind
    actor: Annotated[
        str, Meta(description="O cliente que agiu, ou `self` para o próprio cidadão.", examples=["portal-servidor"])
    ]
    department: DepartmentNames
    grant: Grant
    reason: ReasonText
    outcome: Outcome
    names: (
        Annotated[AccessNames, Meta(description="O mesmo em palavras para o cidadão. Só com `names=true`.")] | UnsetType
    ) = UNSET


class KindCount(msgspec.Struct):
    """The number of accesses made by one kind of actor."""

    actor_kind: ActorKind
    count: Annotated[int, Meta(description="Quantos acessos.", examples=[24])]


class AccessPage(msgspec.Struct):
    """A page of accesses to a person's data."""

    data: Annotated[list[Access], Meta(description="Acessos, do mais novo ao mais antigo.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de acessos.")]
    counts: (
        Annotated[
            list[KindCount],
            Meta(description="Quantos acessos há no período por tipo de quem agiu. Só com `counts=true`."),
        ]
        | UnsetType
    ) = UNSET


class AccessQuery(PageQuery, rename={"from_": "from"}):
    """The query for accesses. Both bounds of the period are optional. For a single day, both are that day."""

    from_: PeriodStart | UnsetType = UNSET
    to: PeriodEnd | UnsetType = UNSET
    actor_kind: (
        Annotated[
            str,
            Meta(
                description="Só os acessos destes tipos de quem agiu, separados por vírgula: "
                + ", ".join(f"`{kind}`" for kind in ACTOR_KINDS)
                + ".",
                examples=["staff,citizen,client"],
            ),
        ]
        | UnsetType
    ) = UNSET
    counts: Annotated[bool, Meta(description="Se vem quantos acessos há por tipo de quem agiu.", examples=[True])] = (
        False
    )
    names: Annotated[
        bool, Meta(description="Se cada acesso vem também em palavras para o cidadão.", examples=[True])
    ] = False


class AnonymisationBody(msgspec.Struct):
    """An anonymisation request. `confirmation` is the value that the dry run returned.

    `reason` is required for staff.
    """

    dry_run: Annotated[bool, Meta(description="Verdadeiro só simula; nada muda.", examples=[True])] = True
    confirmation: Annotated[
        str | None, Meta(description="A confirmação que a simulação devolveu; obrigatória com `dry_run` falso.")
    ] = None
    reason: Annotated[
        str | None,
        Meta(
            description="Motivo, de 3 a 200 caracteres, sem dados pessoais; só o próprio cidadão pode omiti-lo.",
            examples=["Pedido do cidadão no atendimento 4711"],
        ),
    ] = None


class Anonymisation(msgspec.Struct):
    """The report of an anonymisation. `at` is the tombstone's time.

    A dry run also returns the `confirmation` for the real call.
    """

    cpf: CpfDigits
    dry_run: Annotated[bool, Meta(description="Se foi só uma simulação.", examples=[True])]
    at: Annotated[datetime, Meta(description="Instante da anonimização (RFC 3339).", examples=["2026-03-02T12:30:00Z"])]
    cleared: Annotated[list[Cleared], Meta(description="O que foi, ou seria, apagado.")]
    kept: Annotated[list[Kept], Meta(description="O que fica, e por quê.")]
    confirmation: Annotated[str | None, Meta(description="Só na simulação: o que enviar para anonimizar de fato.")] = (
        None
    )
    expires_at: Annotated[
        datetime | None,
        Meta(
            description="Só na simulação: até quando a confirmação vale (RFC 3339).", examples=["2026-03-02T12:45:00Z"]
        ),
    ] = None


class Export(msgspec.Struct):
    """The file with all of a person's data (rules: registry 4.9). Features declare its other members."""


def make_export_type(members: Iterable[ExportMember]) -> type[msgspec.Struct]:
    """Return the type of the export file: the members in their order, each with its type and description."""
    own = (
        FileMember("exportado_em", datetime, "Quando o arquivo foi feito (RFC 3339)."),
        FileMember("cidadao", Citizen, "O cadastro do cidadão como as operações o mostram."),
    )
    last = FileMember("acessos", list[Access], "Quem viu ou mudou os dados do cidadão nos últimos 12 meses.")
    fields = describe_members([*own, *members, last])
    return msgspec.defstruct(Export.__name__, fields, bases=(Export,), namespace={"__doc__": Export.__doc__})


class AuditEvent(msgspec.Struct):
    """An event in the audit trail. CPFs appear only masked or as keyed hashes.

    `seq`, `prev_hash` and `hash` are null until the worker has added the event to the hash chain.
    """

    id: Annotated[str, Meta(description="Id do evento.", examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"])]
    seq: Annotated[int | None, Meta(description="Número na cadeia; nulo até o evento entrar nela.", examples=[18230])]
    at: EventTime
    request_id: Annotated[str, Meta(description="`X-Request-ID` da chamada.", examples=["7f3c9a1e5b2d4c60"])]
    operation: OperationKey
    action: ActionName
    subject: Annotated[str | None, Meta(description="CPF mascarado de quem são os dados.", examples=["***.000.001-**"])]
    subject_hash: PersonHash
    actor_kind: ActorKind
    actor_hash: PersonHash
    actor_name: Annotated[
        str | None, Meta(description="Nome do servidor que agiu; nulo para os outros.", examples=["Luiz Estrela"])
    ]
    department: DepartmentNames
    key_number: Annotated[int, Meta(description="Número da chave dos hashes.", examples=[1])]
    client: Annotated[str, Meta(description="Cliente pelo qual se agiu.", examples=["portal-servidor"])]
    grant: Grant
    fields: FieldNames
    reason: ReasonText
    outcome: Outcome
    prev_hash: EventHash
    hash: EventHash
    names: Annotated[AccessNames, Meta(description="O mesmo em palavras. Só com `names=true`.")] | UnsetType = UNSET


class AuditPage(msgspec.Struct):
    """A page of the audit trail."""

    data: Annotated[list[AuditEvent], Meta(description="Eventos, do mais novo ao mais antigo.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de eventos.")]


class AuditQuery(PageQuery, rename={"from_": "from"}, kw_only=True):
    """The query for audit events: a period of at most 31 days, and filters."""

    from_: PeriodStart
    to: PeriodEnd
    cpf: Annotated[str, Meta(description="CPF de quem são os dados.", examples=["90000000175"])] | UnsetType = UNSET
    actor: Annotated[str, Meta(description="CPF de quem agiu.", examples=["90000000256"])] | UnsetType = UNSET
    client: Annotated[str, Meta(description="Cliente pelo qual se agiu.", examples=["portal-servidor"])] | UnsetType = (
        UNSET
    )
    operation: (
        Annotated[str, Meta(description="Operação do catálogo de acesso.", examples=["registry.read_citizen"])]
        | UnsetType
    ) = UNSET
    sub: (
        Annotated[
            str,
            Meta(
                description="`sub` do token de quem agiu sem CPF, pelo provedor de identidade desta instalação.",
                examples=["5f1c7d3e-2b4a-4c8d-9e0f-1a2b3c4d5e6f"],
            ),
        ]
        | UnsetType
    ) = UNSET
    names: Annotated[bool, Meta(description="Se cada evento traz `names`, o mesmo em palavras.", examples=[True])] = (
        False
    )
    has_subject: (
        Annotated[
            bool,
            Meta(
                description="`true`: só os eventos sobre os dados de uma pessoa; `false`: só os outros.",
                examples=[True],
            ),
        ]
        | UnsetType
    ) = UNSET


class RetainedKind(msgspec.Struct):
    """The last nightly retention run for one kind of data."""

    kind: Annotated[str, Meta(description="Tipo de dado.", examples=["phone_book_entry"])]
    at: Annotated[datetime, Meta(description="Última execução (RFC 3339).", examples=["2026-03-02T06:15:00Z"])]
    checked: Annotated[int, Meta(description="Quantos registros havia nela.", examples=[1830])]
    removed: Annotated[int, Meta(description="Quantos ela apagou, por prazo vencido.", examples=[12])]
    removed_30d: Annotated[int, Meta(description="Quantos foram apagados em 30 dias.", examples=[310])]


class AnonymisedPeople(msgspec.Struct):
    """The number of anonymised people, by the time of their last anonymisation.

    The counts include both anonymisations requested on the platform and those reported by the CRM.
    """

    last_30d: Annotated[int, Meta(description="Pessoas anonimizadas há até 30 dias.", examples=[3])]
    last_year: Annotated[int, Meta(description="Pessoas anonimizadas há até um ano.", examples=[41])]
    total: Annotated[int, Meta(description="Pessoas anonimizadas ao todo.", examples=[128])]


class RetentionReport(msgspec.Struct):
    """The retention report of the whole platform. It contains only numbers."""

    data: Annotated[list[RetainedKind], Meta(description="Cada tipo de dado que tem prazo de guarda.")]
    anonymised: Annotated[AnonymisedPeople, Meta(description="Anonimizações, a pedido ou informadas pelo CRM.")]
