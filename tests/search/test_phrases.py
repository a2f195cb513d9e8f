"""Citizens' phrases for services, and phrases that counted searches suggest (rules: search 2.5, 3.4, 5)."""

from datetime import date
from typing import Any
from uuid import uuid4

import asyncpg
import httpx
import pytest

from balcao.core.context.platform import Platform
from balcao.core.values.clock import utc_now
from balcao.search.catalogue import service as catalogue
from balcao.search.phrases import service as phrases
from balcao.search.public_search.query import fold_query
from balcao.search.zero_results import service as zero_results
from balcao.search.zero_results import store as query_counts
from balcao.search.zero_results.service import QueryTallies
from balcao.search.zero_results.store import QueryCount
from tests.search.staff import EDITOR, Staff
from tests.search.support import act_as_staff, refusal
from tests.search.test_search_tuning import LETTERS, ask, titles
from tests.support.fixture_types import Sql
from tests.support.polling import until_now
from tests.support.rules import read_values

PROPOSALS = "/search/phrase-proposals"


def make_word() -> str:
    return f"zq{uuid4().hex}".translate(LETTERS)


def path_of(service: dict[str, Any]) -> str:
    return f"/services/{service['id']}/phrases"


def test_phrases_are_empty_replaced_whole_and_removed(staff: Staff, sql: Sql) -> None:
    service = staff.create()
    path = path_of(service)
    empty = staff("GET", path)
    assert empty.json() == {"service_id": service["id"], "phrases": [], "updated_at": None, "updated_by": None}
    put = staff("PUT", path, json={"phrases": [" galho  no\tfio ", "GALHO NO FIO!", "rua às escuras"]})
    assert put.status_code == 200
    assert put.json()["phrases"] == ["galho  no fio", "rua às escuras"]
    assert put.json()["updated_by"] == "Pessoa de Teste"
    read = staff("GET", path, role=EDITOR)
    assert read.json() == put.json()
    assert read.headers["ETag"] == put.headers["ETag"] != empty.headers["ETag"]
    assert staff("PUT", path, json={"phrases": []}).json() == empty.json()
    assert not sql("SELECT FROM search.service_phrases WHERE service_id = $1", service["id"])
    trail = sql("SELECT fields FROM platform.audit_event WHERE request_id = $1", put.headers["X-Request-Id"])
    assert [row["fields"] for row in trail] == [[f"service={service['id']}", "phrases=2"]]


@pytest.mark.cases("search", "75")
@pytest.mark.parametrize("value", read_values("search", "75"))
def test_phrases_that_cannot_be_searched_are_refused(staff: Staff, value: str) -> None:
    answer = staff("PUT", path_of(staff.create()), json={"phrases": ["rua escura", value]})
    assert answer.status_code == 400
    assert answer.headers["Error-Code"].startswith("phrases-")


@pytest.mark.cases("search", "75")
def test_of_two_curators_who_read_the_same_phrases_one_is_refused(staff: Staff) -> None:
    path = path_of(staff.create())
    tag = staff("GET", path).headers["ETag"]
    first = staff("PUT", path, json={"phrases": ["rua escura"]}, headers={"If-Match": tag})
    second = staff("PUT", path, json={"phrases": ["poste"]}, headers={"If-Match": tag})
    assert (first.status_code, second.status_code) == (200, 412)
    assert staff("GET", path).json()["phrases"] == ["rua escura"]
    removal = staff("PUT", path, json={"phrases": []}, headers={"If-Match": first.headers["ETag"]})
    assert removal.status_code == 200


@pytest.mark.cases("search", "75")
def test_an_unknown_or_deleted_service_has_no_phrases(staff: Staff) -> None:
    service = staff.create()
    staff("PUT", path_of(service), json={"phrases": ["rua escura"]})
    assert staff("DELETE", f"/services/{service['id']}").status_code == 204
    for path in (path_of(service), f"/services/{uuid4()}/phrases"):
        assert staff("GET", path).status_code == staff("PUT", path, json={"phrases": ["a rua"]}).status_code == 404


def test_phrases_are_read_by_editors_and_written_by_those_who_tune(staff: Staff) -> None:
    path = path_of(staff.create())
    assert staff("GET", path, role=EDITOR).status_code == 200
    assert staff("PUT", path, role=EDITOR, json={"phrases": ["rua escura"]}).status_code == 403
    assert staff("GET", PROPOSALS, role=EDITOR).status_code == 403


def test_a_service_is_found_by_its_phrases_at_once(http: httpx.Client, staff: Staff) -> None:
    word = make_word()
    service = staff.publish(nome_servico=f"Serviço {uuid4().hex[:8]}")
    assert titles(http, word) == []
    staff("PUT", path_of(service), json={"phrases": [f"meu {word} quebrou"]})
    until_now(lambda: titles(http, word) == [service["nome_servico"]])
    staff("PUT", path_of(service), json={"phrases": []})
    until_now(lambda: titles(http, word) == [])


async def test_seeded_phrases_leave_those_of_staff_alone(
    platform: Platform, staff: Staff, owner: asyncpg.Connection
) -> None:
    first, second, gone = staff.create(), staff.create(), staff.create()
    staff("DELETE", f"/services/{gone['id']}")
    await owner.execute("DELETE FROM search.service_phrases")
    seeds = {service["id"]: ["rua escura", "poste"] for service in (first, second, gone)}
    await phrases.seed_phrases(act_as_staff(platform), seeds)
    stored = await owner.fetch("SELECT service_id::text, phrases FROM search.service_phrases")
    expected = {first["id"]: ["rua escura", "poste"], second["id"]: ["rua escura", "poste"]}
    assert {row["service_id"]: row["phrases"] for row in stored} == expected
    staff("PUT", path_of(first), json={"phrases": []})
    await phrases.seed_phrases(act_as_staff(platform), seeds)
    assert staff("GET", path_of(first)).json()["phrases"] == []


def find_proposal(staff: Staff, word: str, **further: str) -> dict[str, Any] | None:
    listed = staff("GET", PROPOSALS, params={"per_page": "100", **further}).json()["proposals"]
    found: dict[str, Any] | None = next((each for each in listed if each["query"] == word), None)
    return found


async def test_a_search_that_found_nothing_is_proposed_after_five_times_until_it_is_a_phrase(
    platform: Platform, staff: Staff
) -> None:
    word = make_word()
    for times in (4, 1):
        for _ in range(times):
            await ask(platform, word)
        await zero_results.flush_zero_results(platform)
        assert (find_proposal(staff, word) is not None) == (times == 1)
    proposal = find_proposal(staff, word)
    assert proposal is not None
    assert (proposal["searches"], proposal["found_nothing"], proposal["opened"]) == (5, 5, 0)
    assert find_proposal(staff, word, outcome="nothing") == proposal
    assert find_proposal(staff, word, outcome="unopened") is None
    assert refusal(staff("GET", PROPOSALS, params={"outcome": "opened"})) == (400, "outcome-invalid")
    assert proposal["last_day"] == utc_now().date().isoformat()
    service = staff.create()
    staff("PUT", path_of(service), json={"phrases": [word.upper()]})
    assert find_proposal(staff, word) is None
    staff("DELETE", f"/services/{service['id']}")
    assert find_proposal(staff, word) == proposal


async def test_a_search_whose_results_are_not_opened_is_proposed_once_openings_are_counted(
    platform: Platform, staff: Staff, owner: asyncpg.Connection
) -> None:
    await owner.execute("UPDATE search.zero_results SET opened = 0")
    word, other = make_word(), make_word()
    services = {each: staff.publish(nome_servico=f"Visita ao {each}") for each in (word, other)}
    call = act_as_staff(platform)
    for each in (word, other):
        for _ in range(10):
            zero_results.note_answered(platform, each, fold_query(each))
    await zero_results.flush_zero_results(platform)
    assert find_proposal(staff, word) is None  # no opening is stored, because the portal omits `busca`
    await catalogue.read_by_slug(call, services[other]["slug"], other.upper())
    await catalogue.read_published_service(call, services[other]["id"], "x" * 201)
    await zero_results.flush_zero_results(platform)
    proposal = find_proposal(staff, word)
    assert proposal is not None
    assert (proposal["searches"], proposal["found_nothing"], proposal["opened"]) == (10, 0, 0)
    assert find_proposal(staff, word, outcome="unopened") == proposal
    assert find_proposal(staff, word, outcome="nothing") is None
    assert find_proposal(staff, other) is None  # one in ten searches led to the service


async def test_every_first_page_with_results_counts_and_no_other_page(
    platform: Platform, http: httpx.Client, staff: Staff, owner: asyncpg.Connection
) -> None:
    query = make_word()
    service = staff.publish(nome_servico=f"Visita ao {query}")
    until_now(lambda: titles(http, query) == [service["nome_servico"]])
    platform.part(QueryTallies).take()
    for _ in range(3):
        assert (await ask(platform, query))["total_count"] == 1
    await ask(platform, query, page="2")
    await ask(platform, "*")
    await zero_results.flush_zero_results(platform)
    count = "SELECT sum(answered)::int FROM search.zero_results WHERE folded = $1"
    assert await owner.fetchval(count, query) in (3, 4)  # the server may have written its own counts
    assert not await owner.fetchval("SELECT count(*) FROM search.zero_results WHERE folded IN ('', '*')")


async def test_trials_and_searches_of_staff_are_not_counted(platform: Platform, staff: Staff) -> None:
    missing, found = make_word(), make_word()
    staff.publish(nome_servico=f"Visita ao {found}")
    platform.part(QueryTallies).take()
    for query in (missing, found):
        await ask(platform, query, trial="true")
        await ask(platform, query, as_staff=True, include_inactive="true")
    assert platform.part(QueryTallies).take() == []
    await ask(platform, missing, trial="false")
    assert [each.folded for each in platform.part(QueryTallies).take()] == [missing]


@pytest.mark.cases("search", "76")
@pytest.mark.parametrize("path", ["/search/api/v1/services/{slug}", "/search/api/v2/search/{id}"])
@pytest.mark.parametrize("query", read_values("search", "76"))
def test_a_service_is_read_whatever_the_search_it_came_from(
    http: httpx.Client, staff: Staff, path: str, query: str
) -> None:
    service = staff.publish()
    assert http.get(f"{path.format_map(service)}", params={"busca": query}).status_code == 200


@pytest.mark.cases("search", "76")
@pytest.mark.parametrize("query", read_values("search", "76"))
async def test_an_opening_is_kept_only_of_a_known_query_without_personal_data(
    platform: Platform, owner: asyncpg.Connection, query: str
) -> None:
    zero_results.note_opening(platform, query, fold_query(query))
    await zero_results.flush_zero_results(platform)
    assert not await owner.fetchval("SELECT count(*) FROM search.zero_results WHERE opened > 0 AND folded = $1", query)


async def test_a_day_has_only_so_many_different_queries(owner: asyncpg.Connection) -> None:
    day = date(2001, 1, 1)
    counted = [QueryCount(day, f"a{n}", 0, n + 1, 0) for n in range(4)]
    await query_counts.add_queries(owner, counted, 3)
    again = [QueryCount(day, "a3", 1, 0, 1), QueryCount(day, "b", 9, 0, 0), QueryCount(day, "c", 0, 0, 1)]
    await query_counts.add_queries(owner, again, 3)
    rows = await owner.fetch("SELECT * FROM search.zero_results WHERE day = $1 ORDER BY folded", day)
    await owner.execute("DELETE FROM search.zero_results WHERE day = $1", day)
    found = [(row["folded"], row["times"], row["answered"], row["opened"]) for row in rows]
    assert found == [("a1", 0, 2, 0), ("a2", 0, 3, 0), ("a3", 1, 4, 1)]


def test_counts_that_could_not_be_written_are_counted_again() -> None:
    tallies = QueryTallies()
    tallies.missed.count("a")
    tallies.answered.count("b")
    for _ in range(2):
        tallies.opened.count("b")
    taken = tallies.take()
    assert [(each.folded, each.missed, each.answered, each.opened) for each in taken] == [
        ("a", 1, 0, 0),
        ("b", 0, 1, 2),
    ]
    assert tallies.take() == []
    tallies.give_back(taken)
    assert tallies.take() == taken


def test_a_process_counts_only_so_many_different_queries() -> None:
    tallies = QueryTallies()
    for number in range(zero_results.MOST_TALLIED + 1):
        tallies.answered.count(f"busca {number}")
    tallies.answered.count("busca 0")
    taken = tallies.take()
    assert (len(taken), sum(each.answered for each in taken)) == (2_000, 2_001)
    tallies.give_back([*taken, taken[0]._replace(folded="mais uma")])
    assert tallies.take() == taken


def test_a_query_that_folding_makes_too_long_is_not_counted(platform: Platform) -> None:
    query = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 100
    platform.part(QueryTallies).take()
    zero_results.note_zero_result(platform, query, fold_query(query))
    assert platform.part(QueryTallies).take() == []


def test_the_refusals_name_their_reason(staff: Staff) -> None:
    path = path_of(staff.create())
    assert refusal(staff("PUT", path, json={"phrases": ["de a o"]})) == (400, "phrases-invalid")
    assert refusal(staff("PUT", path, json={"phrases": ["x"] * 51})) == (400, "phrases-count")
