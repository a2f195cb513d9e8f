"""Wire types for roles and their grants."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import Field

from balcao.access.conventions import ActionName, Description, Name
from balcao.access.records import Role
from balcao.core.http.models import Model


class Roles(msgspec.Struct):
    """A page of roles."""

    items: Annotated[list[Role], Meta(description="Papéis da página, por nome.")]
    total: Annotated[int, Meta(description="Papéis em todas as páginas.", examples=[22])]
    skip: Annotated[int, Meta(description="Quantos foram pulados.", examples=[0])]
    limit: Annotated[int, Meta(description="Papéis por página.", examples=[50])]
    has_more: Annotated[bool, Meta(description="Se há mais depois desta página.", examples=[False])]


class RoleCreation(Model):
    """A new role without grants."""

    name: Annotated[
        Name, Field(description="Nome, em minúsculas, dígitos, `_` e `:`; único.", examples=["iptu:cobranca"])
    ]
    description: Annotated[Description, Field(description="Para que serve.", examples=["Cobrança do IPTU"])]


class RoleChange(Model):
    """The new description of a role. The name cannot change."""

    description: Annotated[Description, Field(description="Para que serve.", examples=["Consulta a boletos do IPTU"])]


class GrantedAction(msgspec.Struct):
    """An action that a role grants."""

    id: Annotated[int, Meta(description="Identificador da ação.", examples=[90])]
    name: Annotated[str, Meta(description="Nome da ação.", examples=["iptu:invoice:read"])]
    description: Annotated[str, Meta(description="O que a ação permite.", examples=["Consultar boletos do IPTU"])]


class Grant(Model):
    """The action to grant."""

    action_name: Annotated[
        ActionName, Field(description="Nome da ação que o papel passa a dar.", examples=["iptu:invoice:read"])
    ]


class Granted(msgspec.Struct):
    """The result of a grant. A repeated call gets the same response."""

    status: Annotated[Literal["action_assigned"], Meta(description="Sempre `action_assigned`.")]
    role: Annotated[str, Meta(description="Nome do papel.", examples=["iptu:consulta"])]
    action: Annotated[str, Meta(description="Nome da ação.", examples=["iptu:invoice:read"])]
