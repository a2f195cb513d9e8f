"""Small in-memory catalogues for tests of single steps of a search."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from balcao.search.index.reader import ServiceIndex
from balcao.search.public_search.candidates import ALL, CITIZENS, Candidates, Zones, find_candidates
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.query import parse_query
from balcao.search.public_search.ranking import rank_candidates
from balcao.search.public_search.service import Found, search_index
from balcao.search.public_search.synonyms import Synonyms
from bench.catalogue import make_document
from tests.search.judged import list_names, make_index

NO_SYNONYMS = Synonyms()


def make_service(name: str, **members: Any) -> dict[str, Any]:
    """Return the stored form of a published service. Texts that are not given are empty."""
    empty = {
        "orgao_gestor": ["Prefeitura"],
        "resumo": "",
        "descricao_completa": "",
        "documentos_necessarios": [],
        "instrucoes_solicitante": "",
        "legislacao_relacionada": [],
        "tema_geral": "Cidade",
        "sub_categoria": None,
        "publico_especifico": [],
        "is_free": None,
        "slug": name,
    }
    return make_document(id=str(uuid.uuid5(uuid.NAMESPACE_URL, name)), nome_servico=name, **empty | members)


class SmallCatalogue:
    """An index of a few services, and the steps of a search in it."""

    def __init__(
        self,
        *services: str | Mapping[str, Any],
        phrases: Mapping[str, Sequence[str]] | None = None,
        popularity: Mapping[str, float] | None = None,
        synonyms: Synonyms = NO_SYNONYMS,
    ) -> None:
        documents = [make_service(each) if isinstance(each, str) else each for each in services]
        ids = {document["nome_servico"]: document["id"] for document in documents}
        self._names = {document["id"]: document["nome_servico"] for document in documents}
        self.synonyms = synonyms
        self.index: ServiceIndex = make_index(
            documents,
            {ids[name]: said for name, said in (phrases or {}).items()},
            {ids[name]: share for name, share in (popularity or {}).items()},
        )

    def find(self, query: str, zones: Zones = ALL) -> Candidates:
        """Return the candidates for a query, without corrections."""
        return find_candidates(self.index, parse_query(query, self.synonyms), self.synonyms, CITIZENS, zones, 50)

    def list_found(self, query: str, zones: Zones = ALL) -> tuple[str, set[str]]:
        """Return the kind of match that found the candidates (such as `all_terms`), and the candidates' names."""
        found = self.find(query, zones)
        entries = self.index.read_entries([address for _, address in found.hits])
        return found.match, {self._names[entry.id] for entry in entries}

    def rank(self, query: str) -> list[str]:
        """Return the names of the ranked candidates, without corrections."""
        return [self._names[hit.id] for hit in rank_candidates(self.index, self.find(query))]

    def search(self, query: str, **options: Any) -> Found:
        """Return a page of results in the form that the API returns."""
        return search_index(self.index, self.synonyms, SearchRequest(q=query, **options))

    def list_results(self, query: str, **options: Any) -> list[str]:
        """Return the names of the services on a page of results."""
        return list_names(self.search(query, **options))
