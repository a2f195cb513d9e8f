"""Judged queries, each with the services that are right for it.

The ranking is tuned on them (rules: search 4.6). There are two catalogues: a small one to tune the constants of the
score, and the demo city, whose queries are in several lists. Held-out lists are never used to tune the search.
"""

import tomllib
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from balcao.search.control_queries import evaluation
from balcao.search.control_queries.evaluation import SHOWN, Rating, judge
from balcao.search.index.reader import IndexState, ServiceIndex
from balcao.search.index.store import IndexRow
from balcao.search.index.writer import IndexWriter
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.service import Found, search_index
from balcao.search.public_search.synonyms import Synonyms
from balcao_sandbox.demo import search as demo
from bench.catalogue import make_document

# A query with at least this many words counts as a sentence.
SENTENCE_WORDS = 5
# The shares that each list must reach. The unseen list may miss them by the margin, because it is only measured.
FIRST, AMONG_THREE = 0.88, 0.91
FIRST_OF_SENTENCES, AMONG_THREE_OF_SENTENCES = 0.84, 0.88
UNSEEN_MARGIN = 0.06


@dataclass(frozen=True)
class Judged:
    """A query, the names of the right services, and the names of other services that count if among the first three."""

    query: str
    right: frozenset[str]
    also: frozenset[str] = frozenset()

    @property
    def is_sentence(self) -> bool:
        """Whether the query is a sentence, not a few keywords."""
        return len(self.query.split()) >= SENTENCE_WORDS


@dataclass(frozen=True)
class JudgedList:
    """A list of at least `fewest` judged queries. The search may be tuned on it unless it is held out.

    An unseen list is held out, and its authors did not write any list for tuning.
    """

    name: str
    file: str
    fewest: int
    is_held_out: bool = False
    is_unseen: bool = False

    @property
    def queries(self) -> list[Judged]:
        """The queries of the list."""
        return _read_judged(self.file)


LISTS = (
    JudgedList("citizens", "citizens.txt", 200),
    JudgedList("citizens, held out", "citizens_held_out.txt", 60, is_held_out=True),
    JudgedList("asked", "asked.txt", 300),
    JudgedList("asked, held out", "asked_held_out.txt", 100, is_held_out=True),
    JudgedList("asked, unseen", "asked_unseen.txt", 200, is_held_out=True, is_unseen=True),
)


def rate(find: Callable[[str], Sequence[str]], queries: Sequence[Judged]) -> Rating:
    """Rate a search function, which returns the names of the best services for a query."""
    return evaluation.rate([judge(list(find(each.query))[:SHOWN], each.right, each.also) for each in queries])


class City:
    """The search over an in-memory index with the published services of the demo city."""

    def __init__(self, synonyms: Synonyms) -> None:
        self.index = make_index(list_city(), read_phrases())
        self.synonyms = synonyms

    def search(self, query: str, per_page: int = SHOWN) -> Found:
        """Return the first page of results in the form that the API returns."""
        return search_index(self.index, self.synonyms, SearchRequest(q=query, per_page=per_page, highlight=False))

    def find(self, query: str) -> list[str]:
        """Return the names of the ten best services."""
        return list_names(self.search(query))


def list_names(found: Found) -> list[str]:
    """Return the names of the services on a page."""
    return [each.service.nome_servico for each in found.services]


def make_index(
    documents: Iterable[Mapping[str, Any]],
    phrases: Mapping[str, Sequence[str]] | None = None,
    popularity: Mapping[str, float] | None = None,
) -> ServiceIndex:
    """Return an in-memory index of these services, with their phrases and popularity by id."""
    writer = IndexWriter(None)
    writer.add(
        IndexRow(
            document["id"],
            msgspec.json.encode(document).decode(),
            (popularity or {}).get(document["id"], 0.0),
            list((phrases or {}).get(document["id"], ())),
        )
        for document in documents
    )
    writer.commit(IndexState(0, "", 0, ""))
    writer.close()
    return writer.open_reader()


def read_queries() -> list[tuple[str, str]]:
    """Return citizens' queries, each with the name of the service that must come first."""
    return [(row[0], row[1]) for row in _read("judged.txt")]


def list_targets() -> list[dict[str, Any]]:
    """Return the stored form of the published services of the small catalogue."""
    return [
        make_document(
            id=str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
            nome_servico=name,
            orgao_gestor=["Prefeitura"],
            resumo=summary,
            descricao_completa=f"{summary} O pedido é analisado pela equipe e a resposta chega pela sua conta.",
            documentos_necessarios=["Documento de identidade com foto", "CPF"],
            legislacao_relacionada=[],
            tema_geral=theme,
            sub_categoria=subcategory,
            publico_especifico=["Público em geral"],
            is_free=True,
            slug=str(uuid.uuid5(uuid.NAMESPACE_URL, name))[:8],
        )
        for name, theme, subcategory, summary in _read("catalogue.txt")
    ]


def list_city() -> list[dict[str, Any]]:
    """Return the stored form of the published services of the demo city."""
    return [
        make_document(**planned.body | {"status": 1}, id=planned.service_id, slug=planned.service_id[:8])
        for planned in demo.list_published()
    ]


@cache
def read_phrases() -> dict[str, list[str]]:
    """Return citizens' phrases for the services of the demo city, by id."""
    text = files("balcao_sandbox.demo").joinpath("search_phrases.toml").read_text("utf-8")
    ids = {document["nome_servico"]: document["id"] for document in list_city()}
    return {ids[name]: phrases for name, phrases in tomllib.loads(text).items() if name in ids}


def list_texts(value: object) -> list[str]:
    """Return all strings in a value of a stored service."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in list_texts(each)]


def read_forms() -> list[tuple[str, str]]:
    """Return pairs of words: one as citizens type it, and one as the catalogue writes it."""
    return [(row[0], row[1]) for row in _read("held_out.txt")]


def read_absent() -> list[str]:
    """Return everyday and sensitive words that no service of the demo city contains."""
    return [row[0] for row in _read("absent.txt")]


def _read_judged(file: str) -> list[Judged]:
    return [Judged(row[0], *(frozenset(names.split(" ; ")) for names in row[1:])) for row in _read(file)]


def _read(name: str) -> list[list[str]]:
    rows = files("tests.search.words").joinpath(name).read_text("utf-8").splitlines()
    return [[part.strip() for part in row.split("|")] for row in rows if not row.startswith("#")]
