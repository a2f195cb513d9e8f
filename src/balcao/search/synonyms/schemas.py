"""Wire types for the synonyms."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.http.paging import PageQuery
from balcao.core.values.ids import UUID_PATTERN

Terms: TypeAlias = Annotated[
    list[str],
    Meta(description="De 2 a 20 termos, de uma ou mais palavras.", examples=[["segunda via", "nova emissão"]]),
]


class SynonymsQuery(PageQuery):
    """The filter and the page of the list."""

    term: Annotated[str | None, Meta(description="Parte de um dos termos do grupo.", examples=["segunda via"])] = None


class SynonymBody(msgspec.Struct):
    """The terms of a group."""

    terms: Terms


class SynonymGroup(msgspec.Struct):
    """Terms that a search treats as equivalent."""

    id: Annotated[
        str,
        Meta(
            description="Identificador do grupo.",
            pattern=f"^{UUID_PATTERN}$",
            examples=["7c1d2b10-8a55-4a6c-9a43-1f7a5f0c2f0e"],
        ),
    ]
    terms: Terms
    updated_at: Annotated[int, Meta(description="Última mudança, em segundos Unix.", examples=[1791232200])]
    updated_by: Annotated[str, Meta(description="Quem mudou.", examples=["Marta Queiroz"])]


class SynonymGroups(msgspec.Struct):
    """A page of the groups."""

    found: Annotated[int, Meta(description="Quantos grupos há.", examples=[1])]
    out_of: Annotated[int, Meta(description="O mesmo que `found`.", examples=[1])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Grupos por página.", examples=[10])]
    synonyms: Annotated[list[SynonymGroup], Meta(description="Os grupos, do mais antigo ao mais novo.")]
