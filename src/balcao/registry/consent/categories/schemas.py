"""Wire types for notification categories (rules: registry 3.5)."""

from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

Id: TypeAlias = Annotated[
    str,
    Meta(
        description=(
            "Identificador: de 2 a 50 letras minúsculas sem acento, algarismos ou `_`, a começar por uma letra. Não "
            "muda, nem é usado outra vez."
        ),
        examples=["health"],
    ),
]
Name: TypeAlias = Annotated[str, Meta(description="Nome para pessoas, até 100 caracteres.", examples=["Saúde"])]
Description: TypeAlias = Annotated[
    str,
    Meta(
        description="O que recebe quem aceita, até 500 caracteres.",
        examples=["Campanhas de vacinação e avisos das unidades de saúde."],
    ),
]
Default: TypeAlias = Annotated[bool, Meta(description="O que vale para quem ainda não escolheu.", examples=[False])]
Active: TypeAlias = Annotated[
    bool, Meta(description="Se a categoria é oferecida; verdadeiro reativa uma desativada.", examples=[True])
]
Order: TypeAlias = Annotated[int, Meta(ge=0, le=9999, description="Lugar na lista, de 0 a 9999.", examples=[30])]


class Category(msgspec.Struct):
    """A notification category, active or not."""

    id: Id
    name: Name
    description: Description
    default_opt_in: Default
    active: Active
    order: Order
    created_at: Annotated[datetime, Meta(description="Quando foi criada.", examples=["2026-01-05T12:00:00Z"])]
    updated_at: Annotated[datetime, Meta(description="Última mudança.", examples=["2026-01-05T12:00:00Z"])]


class Categories(msgspec.Struct):
    """The categories, sorted by `order` and `id`."""

    categories: Annotated[list[Category], Meta(description="As categorias, por `order` e depois por `id`.")]


class CategoryCreation(msgspec.Struct):
    """A category to create. Without `order`, it becomes the last category."""

    id: Id
    name: Name
    description: Description
    default_opt_in: Default = False
    active: Active = True
    order: Annotated[
        Order | UnsetType, Meta(description="Lugar na lista, de 0 a 9999; sem ele, o último.", examples=[30])
    ] = UNSET


class CategoryChanges(msgspec.Struct):
    """The members of a category to change. At least one is required.

    Setting `active` to true reactivates the category.
    """

    name: Name | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    default_opt_in: Default | UnsetType = UNSET
    active: Active | UnsetType = UNSET
    order: Order | UnsetType = UNSET
