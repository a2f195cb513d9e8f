"""The lists that services return, with the members that pages read. `T` is the type of an item."""

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class Total(msgspec.Struct):
    total: int


class Data(msgspec.Struct, Generic[T]):
    """A complete list."""

    data: list[T]


class Page(Data[T], Generic[T]):
    """A page of a list of the registry or of the health units."""

    pagination: Total


class Items(msgspec.Struct, Generic[T]):
    """A page of a list of the access service or of the agents service."""

    items: list[T]
    total: int


class Categories(msgspec.Struct, Generic[T]):
    """A list of categories of the registry or of the search."""

    categories: list[T]
