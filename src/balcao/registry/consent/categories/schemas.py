"""Wire types of the notification categories (rules: registry 3.5)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

Order = Annotated[int, msgspec.Meta(ge=0, le=9999)]


class Category(msgspec.Struct):
    id: str
    name: str
    description: str
    default_opt_in: bool
    active: bool
    order: int
    created_at: datetime
    updated_at: datetime


class Categories(msgspec.Struct):
    """By `order`, then `id`."""

    categories: list[Category]


class NewCategory(msgspec.Struct):
    """Without `order` it comes last."""

    id: str
    name: str
    description: str
    default_opt_in: bool = False
    active: bool = True
    order: Order | UnsetType = UNSET


class CategoryChanges(msgspec.Struct):
    """At least one; `active` true revives."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    default_opt_in: bool | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    order: Order | UnsetType = UNSET
