"""Wire types for groups, their roles and their members."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, Field

from balcao.access.conventions import CpfText, Description, Name, SearchText
from balcao.core.access.reach import MANAGED
from balcao.core.http.models import Model
from balcao.core.values.text import has_control

Attributes = dict[str, list[str]]

MAX_KEYS = 20
MAX_TEXTS = 200
MAX_LETTERS = 100
_KEY = re.compile(r"[a-z_]{1,40}")
_GROUPS = re.compile(r"[a-z0-9_:]+\*?|\*")


def _check_attributes(sent: dict[str, Any]) -> Attributes:
    if len(sent) > MAX_KEYS or not all(map(_KEY.fullmatch, sent)):
        raise ValueError(f"deve ter no máximo {MAX_KEYS} chaves, de letras minúsculas e `_`, até 40")
    for texts in sent.values():
        if not isinstance(texts, list) or len(texts) > MAX_TEXTS or not all(map(_is_short_text, texts)):
            raise ValueError(f"cada chave deve ter uma lista de até {MAX_TEXTS} textos de até {MAX_LETTERS} caracteres")
    if not all(map(_GROUPS.fullmatch, sent.get(MANAGED, []))):
        raise ValueError(f"`{MANAGED}` deve ter nomes de grupos, ou começos de nomes seguidos de `*`")
    return sent


def _is_short_text(sent: object) -> bool:
    return isinstance(sent, str) and len(sent) <= MAX_LETTERS and not has_control(sent)


_ATTRIBUTES_SCHEMA: dict[str, Any] = {
    "maxProperties": MAX_KEYS,
    "propertyNames": {"pattern": f"^{_KEY.pattern}$"},
    "additionalProperties": {
        "type": "array",
        "maxItems": MAX_TEXTS,
        "items": {"type": "string", "maxLength": MAX_LETTERS},
    },
}
SentAttributes = Annotated[
    dict[str, Any], AfterValidator(_check_attributes), Field(json_schema_extra=_ATTRIBUTES_SCHEMA)
]
_ATTRIBUTES = (
    "Até onde vai o que o grupo dá: até 20 chaves com listas de textos, como `area`, das áreas de saúde, e `manages`, "
    "dos grupos cujas pessoas os seus membros administram (um `*` no fim vale por todos os que começam assim)."
)


class Group(msgspec.Struct):
    """A group of staff."""

    id: Annotated[int, Meta(description="Identificador do grupo.", examples=[6])]
    name: Annotated[str, Meta(description="Nome do grupo.", examples=["busca_editores"])]
    description: Annotated[str, Meta(description="Quem é.", examples=["Redação de serviços da busca"])]
    created_by: Annotated[
        str | None,
        Meta(description="CPF mascarado de quem o criou; nulo se veio com a plataforma.", examples=["***.000.401-**"]),
    ]
    created_at: Annotated[datetime, Meta(description="Quando foi criado.", examples=["2026-03-02T12:00:00Z"])]
    member_count: Annotated[int, Meta(description="Quantas pessoas tem.", examples=[1])]
    attributes: Annotated[Attributes, Meta(description=_ATTRIBUTES, examples=[{"area": ["1.0"]}])]


class GroupCreation(Model):
    """A new group, without roles or members."""

    name: Annotated[
        Name, Field(description="Nome, em minúsculas, dígitos, `_` e `:`; único.", examples=["iptu_atendentes"])
    ]
    description: Annotated[Description, Field(description="Quem é.", examples=["Atendentes do IPTU"])]
    attributes: Annotated[
        SentAttributes | None,
        Field(description=_ATTRIBUTES, examples=[{"area": ["1.0"]}]),
    ] = None


class GroupChange(Model):
    """The new values of a group. Absent and null members do not change anything."""

    description: Annotated[
        Description | None, Field(description="Descrição nova.", examples=["Redação dos serviços da cidade"])
    ] = None
    attributes: Annotated[
        SentAttributes | None,
        Field(
            description=f"{_ATTRIBUTES} Substitui todas as chaves.",
            examples=[{"area": ["1.0"]}],
        ),
    ] = None


class GroupsQuery(Model):
    """The filter for the list of groups."""

    prefix: Annotated[
        SearchText, Field(description="Começo do nome, sem diferença de maiúsculas.", examples=["busca"])
    ] = ""


class Assignment(Model):
    """The role to give to a group."""

    role_name: Annotated[Name, Field(description="Nome do papel que o grupo passa a dar.", examples=["iptu:consulta"])]


class Assigned(msgspec.Struct):
    """The result of giving a group a role. A repeated call gets the same response."""

    status: Annotated[Literal["role_assigned"], Meta(description="Sempre `role_assigned`.")]
    group: Annotated[str, Meta(description="Nome do grupo.", examples=["busca_editores"])]
    role: Annotated[str, Meta(description="Nome do papel.", examples=["iptu:consulta"])]


class Member(msgspec.Struct):
    """A person in a group."""

    subject: Annotated[str, Meta(description="CPF, sem pontuação.", examples=["90000020109"])]
    display_name: Annotated[str | None, Meta(description="Nome, se a pessoa já entrou.", examples=["Estela Ramos"])]
    joined_at: Annotated[datetime, Meta(description="Desde quando.", examples=["2026-03-02T12:00:00Z"])]
    added_by: Annotated[
        str | None, Meta(description="CPF mascarado de quem a incluiu; nulo se foi a plataforma.", examples=[None])
    ]


class MemberCreation(Model):
    """The person to add."""

    subject: Annotated[CpfText, Field(description="CPF, 11 dígitos, sem pontuação.", examples=["90000040479"])]


class Joined(msgspec.Struct):
    """The result of adding a member. A repeated call gets the same response."""

    status: Annotated[Literal["member_added"], Meta(description="Sempre `member_added`.")]
    group: Annotated[str, Meta(description="Nome do grupo.", examples=["busca_editores"])]
    subject: Annotated[str, Meta(description="CPF, sem pontuação.", examples=["90000040479"])]
