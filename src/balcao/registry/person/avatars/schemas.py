"""Wire types for avatars (rules: registry 2.2)."""

from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

_ID = "019a7f00-0000-7000-8000-000000000001"
Name: TypeAlias = Annotated[str, Meta(description="Nome do avatar, até 100 caracteres.", examples=["Barco"])]


class Avatar(msgspec.Struct):
    """An avatar, offered or not."""

    id: Annotated[str, Meta(description="Identificador do avatar.", examples=[_ID])]
    name: Name
    url: Annotated[
        str,
        Meta(
            description="Endereço da figura.",
            examples=[f"https://api.cidade.example/registry/v1/avatars/{_ID}/image"],
        ),
    ]
    is_active: Annotated[bool, Meta(description="Se o avatar é oferecido.", examples=[True])]
    created_at: Annotated[datetime, Meta(description="Desde quando existe.", examples=["2026-01-05T12:00:00Z"])]


class ExportedAvatar(msgspec.Struct):
    """The chosen avatar in a person's data export."""

    id: Annotated[str, Meta(description="Identificador do avatar.", examples=[_ID])]
    name: Name


class Avatars(msgspec.Struct):
    """A page of avatars, sorted by name. The pagination members are on the same level as the list itself."""

    data: Annotated[list[Avatar], Meta(description="Avatares da página, por nome.")]
    page: Annotated[int, Meta(description="A página, a partir de 1.", examples=[1])]
    per_page: Annotated[int, Meta(description="Itens por página.", examples=[20])]
    total: Annotated[int, Meta(description="Itens em todas as páginas.", examples=[8])]
    total_pages: Annotated[int, Meta(description="Quantas páginas há.", examples=[1])]


class AvatarCreation(msgspec.Struct):
    """An avatar to offer. Its picture is hosted elsewhere."""

    name: Name
    url: Annotated[
        str,
        Meta(
            description="Endereço `https://` da figura, até 2048 caracteres.",
            examples=["https://figuras.cidade.example/capivara.svg"],
        ),
    ]


class AvatarChoiceBody(msgspec.Struct):
    """The avatar to choose. Null removes the choice."""

    avatar_id: Annotated[
        str | None,
        Meta(description="Identificador de um avatar oferecido; nulo retira a escolha.", examples=[_ID]),
    ]


class AvatarChoice(msgspec.Struct):
    """A citizen's choice. Both members are null if there is no choice or the avatar is no longer offered."""

    avatar_id: Annotated[
        str | None, Meta(description="Identificador do avatar escolhido; nulo se nenhum.", examples=[_ID])
    ]
    avatar: Annotated[Avatar | None, Meta(description="O avatar escolhido; nulo se nenhum.")]
