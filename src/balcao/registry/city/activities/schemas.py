"""Wire types for economic activities (rules: registry 2.6)."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.http.paging import LongMenuPageQuery
from balcao.core.imports.members import Code, Name
from balcao.core.values.page import Pagination


class Activity(msgspec.Struct):
    """A subclass in the national classification (CNAE), with the levels above it."""

    id: Annotated[str, Meta(description="Id da atividade.", examples=["1091-1/02"])]
    secao: Annotated[str, Meta(description="Seção.", examples=["C"])]
    divisao: Annotated[str, Meta(description="Divisão.", examples=["10"])]
    grupo: Annotated[str, Meta(description="Grupo.", examples=["10.9"])]
    classe: Annotated[str, Meta(description="Classe.", examples=["10.91-1"])]
    subclasse: Annotated[str, Meta(description="Subclasse.", examples=["1091-1/02"])]
    denominacao: Annotated[str, Meta(description="Denominação.", examples=["Fabricação de produtos de padaria"])]


class Activities(msgspec.Struct):
    """A page of economic activities."""

    cnaes: Annotated[list[Activity], Meta(description="Atividades, por subclasse.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de atividades.")]


class ActivityQuery(LongMenuPageQuery):
    """The filters of the activity list. Punctuation in codes is ignored."""

    search: Annotated[
        Annotated[str, msgspec.Meta(min_length=1, max_length=100)] | None,
        Meta(description="Procura na denominação, sem acentos nem maiúsculas.", examples=["padaria"]),
    ] = None
    secao: Annotated[Code | None, Meta(description="Só desta seção.", examples=["C"])] = None
    divisao: Annotated[Code | None, Meta(description="Só desta divisão.", examples=["10"])] = None
    grupo: Annotated[Code | None, Meta(description="Só deste grupo; a pontuação não conta.", examples=["10.9"])] = None
    classe: Annotated[
        Code | None, Meta(description="Só desta classe; a pontuação não conta.", examples=["10.91-1"])
    ] = None
    subclasse: Annotated[
        Code | None, Meta(description="Só esta subclasse; a pontuação não conta.", examples=["1091-1/02"])
    ] = None


class ActivityRow(msgspec.Struct):
    """A row in the import file. A missing `id` defaults to `subclasse`."""

    secao: Code
    divisao: Code
    grupo: Code
    classe: Code
    subclasse: Code
    denominacao: Name
    id: str = ""

    def __post_init__(self) -> None:
        self.id = self.id or self.subclasse
