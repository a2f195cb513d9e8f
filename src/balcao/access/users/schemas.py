"""Wire types for the people in the catalogue."""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, Field, StringConstraints

from balcao.access.conventions import Name, SearchText, SliceQuery
from balcao.core.http.models import Model
from balcao.core.values.fields import Flag


class User(msgspec.Struct):
    """A person with their groups and roles. The names are sorted and distinct."""

    id: Annotated[int, Meta(description="Identificador da pessoa no catálogo.", examples=[12])]
    cpf: Annotated[str, Meta(description="CPF, sem pontuação.", examples=["90000020109"])]
    display_name: Annotated[str | None, Meta(description="Nome, como o token o trouxe.", examples=["Estela Ramos"])]
    groups: Annotated[list[str], Meta(description="Grupos da pessoa.", examples=[["busca_editores"]])]
    roles: Annotated[list[str], Meta(description="Papéis da pessoa.", examples=[["busca:services:editor"]])]


class OwnAction(msgspec.Struct):
    """An action of the caller, and its reach.

    A key that is missing in `reach` means that the reach has no limit of that kind.
    """

    action: Annotated[
        str, Meta(description="Chave estável da ação; `#id` se a cidade a criou.", examples=["jobs:read"])
    ]
    name: Annotated[str, Meta(description="Nome atual da ação.", examples=["jobs:read"])]
    description: Annotated[
        str, Meta(description="O que a ação permite.", examples=["Consultar as tarefas em segundo plano"])
    ]
    reach: Annotated[
        dict[str, list[str]],
        Meta(
            description="Até onde alcança: por chave (`area`, `go:orgao`, `manages`), os valores; chave ausente é sem "
            "limite.",
            examples=[{"area": ["1.0"]}],
        ),
    ]


class OwnActions(msgspec.Struct):
    """Everything that the caller may do now."""

    administrator: Annotated[bool, Meta(description="Se tem todas as ações, também as futuras.", examples=[False])]
    superadmin: Annotated[bool, Meta(description="Se dá e tira também a administração.", examples=[False])]
    actions: Annotated[list[OwnAction], Meta(description="Ações de quem chama, por chave.")]
    catalogue_version: Annotated[int, Meta(description="Versão do catálogo que as dá.", examples=[120])]


class Users(msgspec.Struct):
    """A page of people."""

    items: Annotated[list[User], Meta(description="Pessoas da página, por id.")]
    total: Annotated[int, Meta(description="Pessoas em todas as páginas.", examples=[14])]
    skip: Annotated[int, Meta(description="Quantas foram puladas.", examples=[0])]
    limit: Annotated[int, Meta(description="Pessoas por página.", examples=[50])]
    has_more: Annotated[bool, Meta(description="Se há mais depois desta página.", examples=[False])]


# The index cannot find shorter words. They would match very many people anyway.
SHORTEST_WORD = 3
# A CPF or a part of it, with or without punctuation.
_NUMBER = re.compile(r"[0-9][0-9./ -]*")


def _read_search(text: str) -> str:
    """Return the search string: only the digits if it is a number in any format, otherwise the unchanged text.

    Raises ValueError, with a Portuguese message, if the search string is too short.
    """
    search = re.sub(r"[^0-9]", "", text) if _NUMBER.fullmatch(text) else text
    if search and all(len(word) < SHORTEST_WORD for word in search.split()):
        raise ValueError(f"deve ter ao menos uma palavra de {SHORTEST_WORD} letras, ou {SHORTEST_WORD} dígitos")
    return search


class UsersQuery(SliceQuery):
    """The requested page of people."""

    search: Annotated[
        SearchText,
        StringConstraints(max_length=100, strip_whitespace=True),
        AfterValidator(_read_search),
        Field(
            description="Palavras do nome, na ordem dele e sem diferença de acentos, ou parte do CPF, com ou sem "
            "pontuação; ao menos uma palavra de três letras, ou três dígitos.",
            examples=["editora"],
        ),
    ] = ""

    has_groups: Annotated[Flag, Field(description="Se `true`, só quem pertence a algum grupo.", examples=[False])] = (
        False
    )


class DirectAssignment(Model):
    """The role to give a person directly."""

    role_name: Annotated[Name, Field(description="Nome do papel que a pessoa passa a ter.", examples=["iptu:consulta"])]


class DirectlyAssigned(msgspec.Struct):
    """The result of giving a person a direct role. A repeated call gets the same response."""

    status: Annotated[Literal["role_assigned"], Meta(description="Sempre `role_assigned`.")]
    subject: Annotated[str, Meta(description="CPF, sem pontuação.", examples=["90000040479"])]
    role: Annotated[str, Meta(description="Nome do papel.", examples=["iptu:consulta"])]
