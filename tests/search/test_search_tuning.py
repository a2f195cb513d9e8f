"""Synonyms, control queries, queries without results, views and popularity (rules: search 2.5, 4.6, 5)."""

import re
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.audit import retention
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.search.catalogue import service as catalogue
from balcao.search.popularity import service as popularity
from balcao.search.popularity.feature import FEATURE as POPULARITY
from balcao.search.public_search import responses
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.synonyms import service as synonyms
from balcao.search.zero_results import service as zero_results
from balcao.search.zero_results.api import FEATURE as ZERO_RESULTS
from tests.search.freshness import Freshness
from tests.search.staff import EDITOR, Staff
from tests.search.support import act_as_staff, refusal
from tests.support.fixture_types import Sql
from tests.support.polling import until_now
from tests.support.rules import read_values

SEARCH = "/search/api/v1/search"
LETTERS = str.maketrans("0123456789", "ghijklmnop")


def titles(http: httpx.Client, q: str) -> list[str]:
    return [hit["title"] for hit in http.get(SEARCH, params={"q": q}).json()["results"]]


def test_synonyms_are_used_at_once_and_no_longer_when_removed(
    http: httpx.Client, staff: Staff, freshness: Freshness, sql: Sql
) -> None:
    word, other = f"xangrila{uuid4().hex[:6]}", f"paraiso{uuid4().hex[:6]}"
    staff.publish(nome_servico=f"Passeio ao {word} do norte")
    freshness.wait(sql)
    group = f"/synonyms/{uuid4()}"
    assert titles(http, f"passeio {other}") == titles(http, "passeio")
    put = staff("PUT", group, json={"terms": [f"{word} do norte", other]})
    assert (put.status_code, put.json()["terms"]) == (200, [f"{word} do norte", other])
    until_now(lambda: titles(http, other) == [f"Passeio ao {word} do norte"])
    assert staff("GET", group).json()["updated_by"] == "Pessoa de Teste"
    assert staff("GET", "/synonyms", params={"per_page": 100}).json()["found"] >= 1
    assert staff("DELETE", group).status_code == 204
    until_now(lambda: titles(http, other) == [])
    assert staff("DELETE", group).status_code == staff("GET", group).status_code == 404


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ([], "terms-count"),
        (["um"], "terms-count"),
        (["a", "a"], "terms-count"),
        (["x"] * 21, "terms-count"),
        (["casa", "de a o"], "terms-invalid"),
        (["casa", ""], "terms-length"),
        (["y" * 101, "z"], "terms-length"),
    ],
)
def test_a_group_that_cannot_be_searched_is_refused(staff: Staff, terms: list[str], code: str) -> None:
    assert refusal(staff("PUT", f"/synonyms/{uuid4()}", json={"terms": terms})) == (400, code)


def test_groups_are_found_by_a_part_of_any_term_whatever_its_accents_and_case(staff: Staff) -> None:
    group = str(uuid4())
    assert staff("PUT", f"/synonyms/{group}", json={"terms": ["Certidão-Úmida", "papel molhado"]}).status_code == 200

    def find(term: str) -> tuple[int, list[str]]:
        page = staff("GET", "/synonyms", params={"term": term, "per_page": 100}).json()
        return page["found"], [each["id"] for each in page["synonyms"]]

    assert find("certidao umida") == find("ÚMIDA") == find("el mol") == (1, [group])
    assert find("nada disto") == find("umida papel") == (0, [])
    assert staff("GET", "/synonyms", params={"term": "\0"}).status_code == 400
    assert staff("GET", "/synonyms").json()["found"] == find("  ")[0] > 1
    assert staff("DELETE", f"/synonyms/{group}").status_code == 204


def test_there_are_only_so_many_groups(staff: Staff, sql: Sql, monkeypatch: pytest.MonkeyPatch) -> None:
    [first] = staff("GET", "/synonyms", params={"per_page": 1}).json()["synonyms"]
    monkeypatch.setattr(synonyms, "MOST_GROUPS", sql("SELECT count(*) FROM search.synonyms")[0]["count"])
    group = f"/synonyms/{uuid4()}"
    assert refusal(staff("PUT", group, json={"terms": ["casa", "moradia"]})) == (409, "synonyms-full")
    assert staff("GET", group).status_code == 404
    assert staff("PUT", f"/synonyms/{first['id']}", json={"terms": first["terms"]}).status_code == 200


def test_tuning_is_for_those_who_may(staff: Staff) -> None:
    for path in ("/synonyms", "/search/control-queries", "/search/zero-results"):
        assert staff("GET", path, role=EDITOR).status_code == 403
        assert staff("GET", path).status_code == 200


@pytest.mark.cases("search", "74")
@pytest.mark.parametrize("query", read_values("search", "74"))
def test_what_may_be_a_persons_is_never_kept(http: httpx.Client, query: str) -> None:
    assert not zero_results.may_be_kept(query)
    assert http.get(SEARCH, params={"q": query}).status_code == 200


@given(digits=st.from_regex(r"\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}", fullmatch=True))
def test_no_way_to_write_a_cpf_is_kept(digits: str) -> None:
    assert not zero_results.may_be_kept(f"segunda via {digits}")


@pytest.mark.cases("search", "74")
async def test_a_number_of_a_person_is_in_no_table(platform: Platform, owner: asyncpg.Connection) -> None:
    for query in ("900.000.001-75", "nada 90000000175", f"zzqx{uuid4().hex}".translate(LETTERS)):
        assert (await ask(platform, query))["metadata"]["match"] == "none"
    await zero_results.flush_zero_results(platform)
    kept = [row["folded"] for row in await owner.fetch("SELECT folded FROM search.zero_results")]
    assert any(folded.startswith("zzqx") for folded in kept)
    assert not [folded for folded in kept if re.search(r"\d{5}", folded)]


async def test_every_asking_of_what_finds_nothing_counts_also_when_the_answer_is_kept(
    platform: Platform, owner: asyncpg.Connection
) -> None:
    word = f"zzkq{uuid4().hex}".translate(LETTERS)
    for _ in range(40):
        assert (await ask(platform, word))["metadata"]["match"] == "none"
    await zero_results.flush_zero_results(platform)
    assert await owner.fetchval("SELECT sum(times)::int FROM search.zero_results WHERE folded = $1", word) == 40


async def ask(platform: Platform, query: str, *, as_staff: bool = False, **further: str) -> dict[str, Any]:
    """Search in this process, so that the test can write the counts to the database immediately."""
    call = act_as_staff(platform) if as_staff else operator_call(platform, "search.test")
    asked = {"q": query, **further}
    answer = await responses.respond_search(call, "127.0.0.1", asked, SearchRequest.parse, responses.write_result)
    found: dict[str, Any] = msgspec.json.decode(answer.body)
    return found


async def test_what_was_kept_long_enough_is_erased(platform: Platform, owner: asyncpg.Connection, staff: Staff) -> None:
    service = staff.create()
    await owner.execute(
        "INSERT INTO search.service_views SELECT $1, current_date - days, 1 FROM unnest('{400,401}'::int[]) AS days",
        service["id"],
    )
    await owner.execute(
        "INSERT INTO search.zero_results SELECT 'velha', current_date - days, 1 FROM unnest('{90,91}'::int[]) AS days"
    )
    reports = await retention.run_retention(act_as_staff(platform), [*POPULARITY.retention, *ZERO_RESULTS.retention])
    assert {report.kind: report.removed for report in reports} == {"search_views": 1, "search_zero_results": 1}
    assert await owner.fetchval("SELECT count(*) FROM search.service_views WHERE service_id = $1", service["id"]) == 1
    assert await owner.fetchval("SELECT count(*) FROM search.zero_results WHERE folded = 'velha'") == 1


async def test_a_query_without_results_is_shown_after_five_times(platform: Platform, staff: Staff) -> None:
    word = f"qwzxv{uuid4().hex[:6]}".translate(LETTERS)
    for times in (4, 1):
        for _ in range(times):
            zero_results.note_zero_result(platform, word, word)
        await zero_results.flush_zero_results(platform)
        listed = staff("GET", "/search/zero-results", params={"per_page": 100}).json()["queries"]
        assert (word in [each["query"] for each in listed]) == (times == 1)


async def test_reads_make_a_service_popular(
    platform: Platform, http: httpx.Client, staff: Staff, owner: asyncpg.Connection
) -> None:
    word = f"farol{uuid4().hex[:6]}"
    first, second = (staff.publish(nome_servico=f"Visita ao {word} {place}") for place in ("leste", "oeste"))
    for service, views in ((first, 1), (second, 5)):
        for _ in range(views):
            popularity.count_view(platform, service["id"])
    popularity.count_view(platform, str(uuid4()))  # this service never existed
    await popularity.flush_views(platform)
    await popularity.rank_services(platform)
    async with platform.database.connection() as connection:
        assert await popularity.find_source(connection) == "views"
    until_now(lambda: titles(http, word) == [second["nome_servico"], first["nome_servico"]])
    await owner.execute("UPDATE search.service_views SET day = current_date - 61")
    await popularity.rank_services(platform)
    assert await owner.fetchval("SELECT count(*) FROM search.service_popularity") == 0


async def test_a_read_of_a_published_service_is_a_view(
    platform: Platform, staff: Staff, owner: asyncpg.Connection
) -> None:
    made = staff.publish(nome_servico=f"Trilha {uuid4().hex[:8]}")
    call = act_as_staff(platform)
    await catalogue.read_by_slug(call, made["slug"])
    await catalogue.read_published_service(call, made["id"])
    await popularity.flush_views(platform)
    count = "SELECT sum(views)::int FROM search.service_views WHERE service_id = $1"
    assert await owner.fetchval(count, made["id"]) == 2
