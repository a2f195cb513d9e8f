"""Wire types for mappings."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, Field, StringConstraints

from balcao.access.conventions import AnyCaseMethod, Description, Method, OptionalSliceQuery, SearchText
from balcao.access.mappings.patterns import MAX_LETTERS, check_pattern
from balcao.core.http.models import Model
from balcao.core.values.ids import MAX_INT64

Pattern = Annotated[str, StringConstraints(min_length=1, max_length=MAX_LETTERS), AfterValidator(check_pattern)]
ActionId = Annotated[int, Field(strict=True, ge=1, le=MAX_INT64)]

_ID = Meta(description="Identificador do mapeamento.", examples=[210])
_ACTION = Meta(description="Nome atual da ação.", examples=["iptu:invoice:read"])
_PATTERN = Meta(description="Caminho, com parâmetros entre chaves.", examples=["/iptu/api/v1/boletos/{id}"])
_METHOD = Meta(description="Método HTTP.", examples=["GET"])
_DESCRIPTION = Meta(description="O que a operação faz; nulo se ninguém disse.", examples=["Um boleto"])


class DecidingMapping(msgspec.Struct):
    """The mapping that decides on a request."""

    mapping_id: Annotated[int, _ID]
    action: Annotated[str, _ACTION]
    path_pattern: Annotated[str, _PATTERN]
    method: Annotated[str, _METHOD]
    description: Annotated[str | None, _DESCRIPTION]


class Mapping(msgspec.Struct):
    """A method and a path pattern, bound to one action."""

    id: Annotated[int, _ID]
    path_pattern: Annotated[str, _PATTERN]
    method: Annotated[str, _METHOD]
    action: Annotated[str, _ACTION]
    description: Annotated[str | None, _DESCRIPTION]
    created_by: Annotated[
        str | None, Meta(description="CPF mascarado de quem o criou; nulo se veio da plataforma.", examples=[None])
    ]
    created_at: Annotated[datetime, Meta(description="Quando foi criado.", examples=["2026-03-02T12:00:00Z"])]
    updated_at: Annotated[datetime, Meta(description="Quando mudou por último.", examples=["2026-03-02T12:00:00Z"])]
    action_id: Annotated[int, Meta(description="Identificador da ação.", examples=[90])]
    service: Annotated[str | None, Meta(description="Serviço da operação; nulo se não é nossa.", examples=["search"])]
    operation: Annotated[
        str | None, Meta(description="Nome da operação no código; nulo se não é nossa.", examples=["search.search"])
    ]
    guard: Annotated[
        str | None, Meta(description="O que mais deixa passar; nulo se nada.", examples=["scope:busca:search"])
    ]


class DecidingQuery(Model):
    """The request whose mapping to return."""

    path: Annotated[
        SearchText,
        Field(description="Caminho da requisição, com o prefixo do serviço.", examples=["/iptu/api/v1/boletos/7"]),
    ]
    method: Annotated[AnyCaseMethod, Field(description="Método, em maiúsculas ou não.", examples=["GET"])]


class MappingsQuery(OptionalSliceQuery):
    """The filters for mappings."""

    action_filter: Annotated[
        SearchText, Field(description="Parte do nome da ação, sem diferença de maiúsculas.", examples=["iptu"])
    ] = ""
    service: Annotated[SearchText, Field(description="Só os deste serviço.", examples=["search"])] = ""


class MappingCreation(Model):
    """The endpoint of another application to map."""

    path_pattern: Annotated[
        Pattern, Field(description="Caminho, com `{nome}`, `*` ou, no fim, `**`.", examples=["/iptu/api/v1/guias/{id}"])
    ]
    method: Annotated[Method, Field(description="Método HTTP.", examples=["GET"])]
    action_id: Annotated[ActionId, Field(description="Ação que a operação exige.", examples=[90])]
    description: Annotated[
        Description | None, Field(description="O que a operação faz.", examples=["Uma guia do IPTU"])
    ] = None


class MappingChange(Model):
    """The new values of a mapping. Absent and null members do not change anything."""

    path_pattern: Annotated[
        Pattern | None, Field(description="Caminho novo; o das operações da plataforma não muda.", examples=[None])
    ] = None
    method: Annotated[Method | None, Field(description="Método novo.", examples=[None])] = None
    action_id: Annotated[ActionId | None, Field(description="Ação que a operação passa a exigir.", examples=[None])] = (
        None
    )
    description: Annotated[Description | None, Field(description="Descrição nova.", examples=["Um boleto do IPTU"])] = (
        None
    )
