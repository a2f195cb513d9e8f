"""Wire types for the queries that find nothing."""

from typing import Annotated

import msgspec
from msgspec import Meta


class FailedQuery(msgspec.Struct):
    """A query that finds nothing."""

    query: Annotated[str, Meta(description="A busca, em forma canônica.", examples=["segundo via passaporte"])]
    times: Annotated[int, Meta(description="Quantas vezes nada achou, em 90 dias.", examples=[12])]
    last_day: Annotated[str, Meta(description="Último dia, em UTC.", examples=["2026-10-03"])]


class FailedQueries(msgspec.Struct):
    """A page of the queries that find nothing."""

    found: Annotated[int, Meta(description="Quantas buscas há.", examples=[1])]
    out_of: Annotated[int, Meta(description="O mesmo que `found`.", examples=[1])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Buscas por página.", examples=[10])]
    queries: Annotated[list[FailedQuery], Meta(description="As buscas, da mais à menos frequente.")]
