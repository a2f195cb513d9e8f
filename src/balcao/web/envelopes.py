"""The lists in service responses, with the members that pages read. `T` is the type of an item."""

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class Total(msgspec.Struct):
    total: int


class Data(msgspec.Struct, Generic[T]):
    """A complete list."""

    data: list[T]


class Page(Data[T], Generic[T]):
    """A list page of the registry or the health units service."""

    pagination: Total


class Items(msgspec.Struct, Generic[T]):
    """A list page of the access service or the agents service."""

    items: list[T]
    total: int


class Categories(msgspec.Struct, Generic[T]):
    """A category list of the registry or the search service."""

    categories: list[T]
