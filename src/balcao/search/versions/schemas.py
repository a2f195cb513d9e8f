"""Wire types for the versions (rules: search 3.3)."""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from balcao.search import members
from balcao.search.document import ServiceContent

ValueType = Literal["string", "int", "float", "bool", "array", "object"]
Number = Annotated[int, Meta(ge=1, le=2_147_483_647)]
FromVersion = Annotated[Number, Meta(description="Versão de partida, um inteiro a partir de 1.", examples=[1])]
ToVersion = Annotated[Number, Meta(description="Versão de chegada, um inteiro a partir de 1.", examples=[3])]


class FieldChange(msgspec.Struct):
    """One member that differs. `null` means that the version has no value for it."""

    field_name: Annotated[str, Meta(description="Campo do serviço que mudou.", examples=["documentos_necessarios"])]
    old_value: Annotated[Any, Meta(description="Valor na versão de partida; nulo se vazio.", examples=[["CPF"]])]
    new_value: Annotated[Any, Meta(description="Valor na versão de chegada; nulo se vazio.", examples=[["CPF", "RG"]])]
    value_type: Annotated[
        ValueType, Meta(description="Tipo do valor novo, ou do antigo quando o novo é nulo.", examples=["array"])
    ]


class Comparison(msgspec.Struct):
    """The changes between two versions (spec: service version comparison).

    The type, time and author of the change are those of `to_version`.
    """

    change_type: Annotated[
        str,
        Meta(
            description="Origem da versão nova: `create`, `update`, `publish`, `unpublish`, `delete`, `rollback`.",
            examples=["update"],
        ),
    ]
    changed_at: Annotated[int, Meta(description="Quando foi feita, em segundos Unix.", examples=[1791232200])]
    changed_by: Annotated[str, Meta(description="Nome de quem a fez.", examples=["Marta Queiroz"])]
    from_version: FromVersion
    to_version: ToVersion
    changes: Annotated[list[FieldChange], Meta(description="Campos que mudaram; vazio quando nenhum mudou.")]


class ComparisonQuery(msgspec.Struct):
    """The two versions to compare. `from_version` may be the newer one."""

    from_version: FromVersion
    to_version: ToVersion


OwnNumber: TypeAlias = Annotated[Number, Meta(description="Número da versão, a partir de 1.", examples=[3])]
VersionId: TypeAlias = Annotated[
    str, Meta(description="Identificador da versão (UUID).", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"])
]
MadeAt: TypeAlias = Annotated[int, Meta(description="Quando foi feita, em segundos Unix.", examples=[1791232200])]
MadeBy: TypeAlias = Annotated[str, Meta(description="Nome de quem a fez.", examples=["Estela Ramos"])]
Subject: TypeAlias = Annotated[
    str, Meta(description="Identificador de quem a fez, no provedor de identidade.", examples=["demo-editora"])
]
MaskedCpf: TypeAlias = Annotated[str, Meta(description="CPF de quem a fez, mascarado.", examples=["***.000.201-**"])]
ChangeType: TypeAlias = Annotated[
    Literal["create", "update", "publish", "unpublish", "delete", "rollback"],
    Meta(description="O que a fez.", examples=["update"]),
]
ChangeReason: TypeAlias = Annotated[str, Meta(description="Motivo, se foi dado.", examples=["Endereço novo."])]
Previous: TypeAlias = Annotated[int, Meta(description="Versão anterior; nula na primeira.", examples=[2])]
IsRollback: TypeAlias = Annotated[bool, Meta(description="Se trouxe de volta outra versão.", examples=[False])]
RollbackTo: TypeAlias = Annotated[int, Meta(description="Versão que voltou, se voltou alguma.", examples=[1])]
ProposedBy: TypeAlias = Annotated[
    str, Meta(description="Nome de quem propôs o que esta versão publicou, se foi proposto.", examples=["Estela Ramos"])
]
ChangedFields: TypeAlias = Annotated[
    list[str], Meta(description="Campos que diferem da versão anterior.", examples=[["resumo"]])
]


class VersionEntry(msgspec.Struct):
    """A version in a list, without the long fields."""

    id: VersionId
    service_id: members.ServiceId
    version_number: OwnNumber
    created_at: MadeAt
    created_by: MadeBy
    created_by_sub: Subject
    created_by_cpf: MaskedCpf | None
    change_type: ChangeType
    change_reason: ChangeReason | None
    previous_version: Previous | None
    is_rollback: IsRollback
    rollback_to_version: RollbackTo | None
    proposed_by: ProposedBy | None
    nome_servico: members.Name
    status: members.State
    awaiting_approval: members.AwaitingApproval
    published_at: members.PublishedAt | None
    changed_fields: ChangedFields


class VersionList(msgspec.Struct):
    """A page of a service's versions, newest first. `found` and `out_of` both count all versions of the service."""

    found: Annotated[int, Meta(description="Versões do serviço.", examples=[3])]
    out_of: Annotated[int, Meta(description="O mesmo que `found`.", examples=[3])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Versões por página.", examples=[10])]
    versions: Annotated[list[VersionEntry], Meta(description="As versões da página, da mais nova à mais antiga.")]


class ServiceVersion(ServiceContent):
    """One version with its complete content."""

    autor: members.Author
    slug: members.Slug
    search_content: members.SearchedText
    id: VersionId
    service_id: members.ServiceId
    version_number: OwnNumber
    created_at: MadeAt
    created_by: MadeBy
    created_by_sub: Subject
    created_by_cpf: MaskedCpf | None
    change_type: ChangeType
    change_reason: ChangeReason | None
    previous_version: Previous | None
    is_rollback: IsRollback
    rollback_to_version: RollbackTo | None
    proposed_by: ProposedBy | None
    changed_fields: ChangedFields


class VersionListQuery(msgspec.Struct):
    """The page of the list. A value out of range counts as absent."""

    page: Annotated[int, Meta(description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[int, Meta(description="Versões por página, até 100.", examples=[10])] = 10
