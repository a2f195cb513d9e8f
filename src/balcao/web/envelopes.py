"""The list formats in service responses, with the members that pages read. `T` is the type of an item."""

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class Total(msgspec.Struct):
    total: int


class Data(msgspec.Struct, Generic[T]):
    """A complete list."""

    data: list[T]


class Page(Data[T], Generic[T]):
    """A list page as the registry and the health units service return it."""

    pagination: Total


class Items(msgspec.Struct, Generic[T]):
    """A list page as the access service and the agents service return it."""

    items: list[T]
    total: int


class Categories(msgspec.Struct, Generic[T]):
    """A list of categories as the registry and the search service return it."""

    categories: list[T]
