"""Wire types for actions."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import Field

from balcao.access.conventions import ActionName, Description, SearchText, SliceQuery
from balcao.core.http.models import Model
from balcao.core.values.fields import Flag


class ActionChange(Model):
    """The new values of an action. A member that is absent or null is not changed."""

    name: Annotated[
        ActionName | None,
        Field(
            description="Nome novo, `recurso:verbo`, único no catálogo; sem ele o nome fica.",
            examples=["avatars:manage"],
        ),
    ] = None
    description: Annotated[
        Description | None,
        Field(
            description="Descrição nova, até 500 caracteres; sem ela a descrição fica.",
            examples=["Publica e retira avatares do catálogo."],
        ),
    ] = None


class Action(msgspec.Struct):
    """An action of the catalogue (spec: authorization action).

    `endpoint_count` is the number of mappings bound to it.
    """

    id: Annotated[int, Meta(description="Identificador da ação.", examples=[1])]
    name: Annotated[str, Meta(description="Nome da ação, `recurso:verbo`.", examples=["avatars:manage"])]
    description: Annotated[
        str, Meta(description="O que a ação permite.", examples=["Publica e retira avatares do catálogo."])
    ]
    endpoint_count: Annotated[int, Meta(description="Quantas operações dependem desta ação.", examples=[2])]


class Actions(msgspec.Struct):
    """A page of actions."""

    actions: Annotated[list[Action], Meta(description="Ações da página, por id.")]
    total: Annotated[int, Meta(description="Ações em todas as páginas.", examples=[90])]
    skip: Annotated[int, Meta(description="Quantas foram puladas.", examples=[0])]
    limit: Annotated[int, Meta(description="Ações por página.", examples=[50])]


class ActionsQuery(SliceQuery):
    """The requested page of actions."""

    search: Annotated[
        SearchText, Field(description="Parte do nome, sem diferença de maiúsculas.", examples=["avatars"])
    ] = ""


class ActionCreation(Model):
    """A new action of the city."""

    name: Annotated[
        ActionName, Field(description="Nome, `recurso:verbo`, único no catálogo.", examples=["iptu:invoice:cancel"])
    ]
    description: Annotated[Description, Field(description="O que a ação permite.", examples=["Cancelar boletos"])]


class DeletionQuery(Model):
    """The options for a deletion."""

    force: Annotated[
        Flag,
        Field(description="Se `true`, exclui também os mapeamentos da cidade e as concessões.", examples=[False]),
    ] = False


class Change(StrEnum):
    """A kind of change whose impact callers can query."""

    RENAME = "rename"
    DELETE = "delete"


class ImpactQuery(Model):
    """The hypothetical change whose impact to return."""

    operation: Annotated[Change, Field(description="Mudança considerada.", examples=["rename"])] = Change.RENAME
    new_name: Annotated[
        ActionName | None, Field(description="Nome novo que se considera.", examples=["avatars:manage"])
    ] = None


class BoundMapping(msgspec.Struct):
    """A mapping that is bound to the action."""

    id: Annotated[int, Meta(description="Identificador do mapeamento.", examples=[210])]
    method: Annotated[str, Meta(description="Método HTTP.", examples=["GET"])]
    path_pattern: Annotated[str, Meta(description="Caminho.", examples=["/iptu/api/v1/boletos/{id}"])]
    service: Annotated[str | None, Meta(description="Serviço; nulo se é da cidade.", examples=["search"])]


class GrantingRole(msgspec.Struct):
    """A role that grants the action."""

    id: Annotated[int, Meta(description="Identificador do papel.", examples=[21])]
    name: Annotated[str, Meta(description="Nome do papel.", examples=["iptu:consulta"])]


_REACH = "Até onde alcança: por chave (`area`, `go:orgao`, `manages`), os valores; chave ausente é sem limite."


class GivingGroup(msgspec.Struct):
    """A group that gives its members one of the granting roles."""

    id: Annotated[int, Meta(description="Identificador do grupo.", examples=[6])]
    name: Annotated[str, Meta(description="Nome do grupo.", examples=["busca_editores"])]
    member_count: Annotated[int, Meta(description="Quantas pessoas tem.", examples=[1])]
    reach: Annotated[dict[str, list[str]], Meta(description=_REACH, examples=[{"area": ["1.0"]}])]


Obstacle = Literal["name_taken", "reserved", "system_mappings", "custom_mappings", "grants"]


class Impact(msgspec.Struct):
    """The impact of renaming or deleting an action."""

    action: Annotated[Action, Meta(description="A ação como está.")]
    operation: Annotated[str, Meta(description="Mudança considerada.", examples=["rename"])]
    new_name: Annotated[str | None, Meta(description="Nome considerado; nulo sem ele.", examples=["avatars:manage"])]
    name_available: Annotated[bool | None, Meta(description="Se o nome está livre; nulo sem nome.", examples=[True])]
    mappings: Annotated[list[BoundMapping], Meta(description="Mapeamentos que dependem da ação.")]
    roles: Annotated[list[GrantingRole], Meta(description="Papéis que a dão.")]
    groups: Annotated[list[GivingGroup], Meta(description="Grupos que dão um desses papéis.")]
    also_checked_by: Annotated[
        list[str], Meta(description="Operações que também conferem esta ação.", examples=[["search.search"]])
    ]
    people_count: Annotated[int, Meta(description="Pessoas que a têm por esses papéis.", examples=[3])]
    blocked_by: Annotated[list[Obstacle], Meta(description="O que impede a mudança.", examples=[["name_taken"]])]
    catalogue_version: Annotated[int, Meta(description="Versão do catálogo.", examples=[42])]


class Way(msgspec.Struct):
    """A role through which a person has the action, and how the person has that role."""

    role: Annotated[str, Meta(description="Papel que a dá.", examples=["iptu:consulta"])]
    source: Annotated[Literal["direct", "group"], Meta(description="De onde vem o papel.", examples=["group"])]
    group: Annotated[str | None, Meta(description="Grupo que dá o papel; nulo se é direto.", examples=["auditoria"])]
    reach: Annotated[dict[str, list[str]], Meta(description=_REACH, examples=[{}])]


class Holder(msgspec.Struct):
    """A person who has the action through stored roles."""

    subject: Annotated[str, Meta(description="CPF, sem pontuação.", examples=["90000020109"])]
    display_name: Annotated[str | None, Meta(description="Nome, se a pessoa já entrou.", examples=["Estela Ramos"])]
    via: Annotated[list[Way], Meta(description="Por quais papéis.")]
    reach: Annotated[dict[str, list[str]], Meta(description=f"{_REACH} Todos os caminhos somados.", examples=[{}])]


class Holders(msgspec.Struct):
    """A page of the people who have the action through stored roles.

    `roles` lists all roles that grant the action, because a person may also have one of these roles through a token.
    """

    items: Annotated[list[Holder], Meta(description="Pessoas da página.")]
    total: Annotated[int, Meta(description="Pessoas em todas as páginas.", examples=[3])]
    skip: Annotated[int, Meta(description="Quantas foram puladas.", examples=[0])]
    limit: Annotated[int, Meta(description="Pessoas por página.", examples=[50])]
    has_more: Annotated[bool, Meta(description="Se há mais depois desta página.", examples=[False])]
    roles: Annotated[list[str], Meta(description="Papéis que dão a ação.", examples=[["admin", "superadmin"]])]
