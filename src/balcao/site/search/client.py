"""Calls the search service: results with counts, and the most popular services."""

import msgspec

from balcao.site.facts import Cost, Deadline
from balcao.site.reading.reader import NEVER, Reader

PER_PAGE = 10
_FACETS = "tema_geral,orgao_gestor,publico_especifico,is_free"


class HitFacts(msgspec.Struct):
    """The members of a service that a search result shows."""

    custo_servico: str = ""
    tempo_atendimento: str = ""
    custo: Cost | None = None
    prazo: Deadline | None = None
    canais_digitais: list[str] = []
    canais_presenciais: list[str] = []
    is_free: bool | None = None
    orgao_gestor: list[str] = []


class Highlights(msgspec.Struct):
    title: str = ""


class Hit(msgspec.Struct):
    """A search result: a service with its facts, and its title with the matching words marked."""

    title: str
    slug: str
    category: str
    description: str = ""
    metadata: HitFacts = msgspec.field(default_factory=HitFacts)
    highlights: Highlights = msgspec.field(default_factory=Highlights)


class FacetValue(msgspec.Struct):
    """A filter value, and the number of results that have it."""

    value: str
    count: int


class SearchMetadata(msgspec.Struct):
    match: str | None = None
    suggestion: str | None = None

    @property
    def is_partial(self) -> bool:
        """Whether the results contain only a part of the words, even with the suggested spelling."""
        return self.match == "any_term" and not self.suggestion


class Found(msgspec.Struct):
    """One page of results. `filtered_count` is the number of results that match all filters."""

    results: list[Hit]
    filtered_count: int
    metadata: SearchMetadata
    facets: dict[str, list[FacetValue]] = {}


class Filters(msgspec.Struct, frozen=True):
    """The filters of a search. An empty string does not filter."""

    category: str = ""
    department: str = ""
    audience: str = ""
    free: bool = False


async def search(reader: Reader, text: str, filters: Filters, page: int) -> Found:
    """Search the services."""
    query = {
        "q": text,
        "page": page,
        "per_page": PER_PAGE,
        "category": filters.category or None,
        "orgao": filters.department or None,
        "publico": filters.audience or None,
        "is_free": True if filters.free else None,
        "facets": _FACETS,
    }
    return await reader.get("/search/api/v1/search", Found, query, stale=NEVER, is_chosen=True)


async def list_popular(reader: Reader) -> list[str]:
    """Return the names of the most popular services."""
    query = {"q": "*", "per_page": PER_PAGE, "highlight": False}
    found = await reader.get("/search/api/v1/search", Found, query)
    return [hit.title for hit in found.results]
