"""Wire types for request types (rules: registry 3.9)."""

from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.values.page import Pagination
from balcao.registry.requests.types.kinds import Field

TYPE_ID = r"[a-z][a-z0-9_]{1,49}"
TypeId: TypeAlias = Annotated[str, Meta(description="Identificador do tipo de pedido.", examples=["lampada_apagada"])]
Version: TypeAlias = Annotated[int, Meta(description="Versão do tipo, a partir de 1.", examples=[1])]


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """The members of a request type that staff can edit."""

    name: Annotated[str, Meta(description="Nome, de 1 a 80 caracteres.", examples=["Lâmpada apagada"])]
    category: Annotated[str, Meta(description="Assunto, de 1 a 80 caracteres.", examples=["Iluminação pública"])]
    description: Annotated[
        str,
        Meta(
            description="Quando pedir, até 500 caracteres.",
            examples=["Lâmpada de rua apagada, piscando ou acesa de dia."],
        ),
    ] = ""
    service_id: Annotated[
        str | None,
        Meta(description="Identificador do serviço na busca, como texto; não é conferido.", examples=["iluminacao"]),
    ] = None
    fields: Annotated[
        list[Field],
        Meta(
            description="As perguntas, de 1 a 20.",
            examples=[[{"id": "local", "kind": "place", "label": "Onde fica?", "required": True}]],
        ),
    ]
    departments: Annotated[
        list[str],
        Meta(description="Códigos dos órgãos que atendem, de 1 a 10; o primeiro é mostrado.", examples=[["1000"]]),
    ]
    deadline_days: Annotated[int, Meta(description="Prazo em dias corridos, de 1 a 365.", examples=[10])]
    without_login: Annotated[
        bool, Meta(description="Se o pedido pode ser feito sem login; só sem perguntas pessoais.", examples=[True])
    ] = False
    active: Annotated[bool, Meta(description="Se o pedido pode ser feito.", examples=[True])] = True


class TypeCreation(Definition, frozen=True, kw_only=True):
    """A request type to create."""

    id: Annotated[
        str,
        Meta(
            description="Identificador, de 2 a 50 letras minúsculas sem acento, algarismos ou `_`; não muda depois.",
            examples=["banco_quebrado"],
        ),
    ]


class RequestType(Definition, frozen=True, kw_only=True):
    """One version of a request type."""

    id: TypeId
    version: Version
    updated_at: Annotated[
        datetime, Meta(description="Quando esta versão foi feita.", examples=["2026-03-02T12:30:00Z"])
    ]


class RequestTypes(msgspec.Struct):
    """The request types, by category and name."""

    types: Annotated[list[RequestType], Meta(description="Tipos de pedido, por assunto e nome.")]


class TypeVersions(msgspec.Struct):
    """A page of the versions of one type."""

    data: Annotated[list[RequestType], Meta(description="Versões da página, as mais novas primeiro.")]
    pagination: Annotated[Pagination, Meta(description="A página e o total.")]
