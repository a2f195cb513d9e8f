"""Wire types of the economic activities (rules: registry 2.6)."""

from typing import Annotated

import msgspec

from balcao.core.http.paging import PageQuery, Pagination
from balcao.core.imports.members import Code, Name


class Activity(msgspec.Struct):
    """A subclass of the national classification (CNAE) and where it stands in it."""

    id: str
    secao: str
    divisao: str
    grupo: str
    classe: str
    subclasse: str
    denominacao: str


class Activities(msgspec.Struct):
    cnaes: list[Activity]
    pagination: Pagination


class ActivityQuery(PageQuery):
    """Of the codes the punctuation does not count."""

    search: Annotated[str, msgspec.Meta(min_length=1, max_length=100)] | None = None
    secao: Code | None = None
    divisao: Code | None = None
    grupo: Code | None = None
    classe: Code | None = None
    subclasse: Code | None = None


class ActivityRow(msgspec.Struct):
    """One line of the city's file; without an id of its own an activity goes by its subclass."""

    secao: Code
    divisao: Code
    grupo: Code
    classe: Code
    subclasse: Code
    denominacao: Name
    id: str = ""

    def __post_init__(self) -> None:
        self.id = self.id or self.subclasse
