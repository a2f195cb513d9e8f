"""What citizens type finds the service that they want, in the sandbox's city (rules: search 4.6, citizens' queries)."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.search.vocabulary import service as vocabulary
from balcao.settings import Settings
from tests.search.judged import list_city, rate, read_citizens
from tests.support.operator_calls import acting

SEARCH = "/search/api/v1/search"


@pytest.fixture(scope="module", autouse=True)
def city(settings: Settings, database_url: str) -> None:
    """Store the published services of the sandbox's city, straight as rows."""
    asyncio.run(_fill(database_url))
    with acting(settings, database_url, "search.test") as act:
        act(lambda call: vocabulary.refresh_vocabulary(call.platform))


async def _fill(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        physical = await connection.fetchval("SELECT physical FROM search.search_collection")
        await connection.executemany(
            f"INSERT INTO search.{physical} (id, doc, carried, version) VALUES ($1, $2::jsonb, '{{}}', 1)",
            [(document["id"], json.dumps(document)) for document in list_city()],
        )
        await connection.execute("ANALYZE")
    finally:
        await connection.close()


@pytest.fixture
def find(http: httpx.Client) -> Callable[[str], list[str]]:
    """The names of the services that a query finds, the best first."""

    def find(query: str) -> list[str]:
        return [hit["title"] for hit in search(http, query)["results"]]

    return find


def search(http: httpx.Client, query: str) -> dict[str, Any]:
    answer = http.get(SEARCH, params={"q": query, "per_page": 3, "highlight": "false"})
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def test_citizens_find_their_service_first_or_among_three(find: Callable[[str], list[str]]) -> None:
    queries = read_citizens()
    first, among_three = rate(find, queries)
    assert len(queries) >= 200
    assert first >= 0.85
    assert among_three >= 0.93


def test_so_they_do_with_queries_that_nothing_was_tuned_on(find: Callable[[str], list[str]]) -> None:
    queries = read_citizens(held_out=True)
    first, among_three = rate(find, queries)
    assert len(queries) >= 60
    assert first >= 0.8
    assert among_three >= 0.9


@pytest.mark.parametrize("acronym", ["iptu", "itbi", "iss", "mei", "nfs-e", "rg", "bpc", "cras", "caps", "wi-fi"])
def test_an_acronym_finds_what_the_catalogue_writes_out(find: Callable[[str], list[str]], acronym: str) -> None:
    assert find(acronym)


@pytest.mark.parametrize(
    ("word", "foreign", "own", "service"),
    [
        ("médico", "edicamento", "medicamento", "Medicamento de alto custo"),
        ("posto", "Poste", "poste", "Poste danificado"),
    ],
)
def test_who_types_a_word_does_not_find_its_namesake(
    find: Callable[[str], list[str]], word: str, foreign: str, own: str, service: str
) -> None:
    assert not [name for name in find(word) if foreign in name]
    assert find(own)[0] == service


@pytest.mark.parametrize(
    ("query", "suggestion"),
    [
        ("lei maria da penha", None),
        ("maria penha", None),
        ("propina", None),
        ("cama", None),
        ("iptu atrazado", None),
        ("vacinasao", "vacinação"),
        ("podda de arvore", "poda de arvore"),
        ("zzyzxw poda de arvrore", None),  # a service with all of it there is none, corrected or not
    ],
)
def test_a_suggestion_is_a_slip_put_right_and_finds_more(
    http: httpx.Client, query: str, suggestion: str | None
) -> None:
    found = search(http, query)
    assert found["metadata"]["suggestion"] == suggestion
    if suggestion:
        assert search(http, suggestion)["total_count"] > 0


def test_where_half_of_the_words_are_nowhere_the_rarest_finds_something(http: httpx.Client) -> None:
    found = search(http, "hoje de manha caiu granizo e agora tem escorpião debaixo da pia inteira")
    assert found["metadata"]["match"] == "any_term"
    assert found["results"][0]["title"] == "Controle de ratos e escorpiões"
