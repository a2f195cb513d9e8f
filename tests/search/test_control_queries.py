"""Control queries, the services that they should find, and their evaluation (rules: search 2.5, 4.6, evaluation)."""

import math
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.context.platform import Platform
from balcao.core.errors import Unavailable
from balcao.search.collection.store import read_alias
from balcao.search.control_queries import service as control_queries
from balcao.search.control_queries.evaluation import SHOWN, judge, rate
from balcao.search.control_queries.service import LastEvaluation
from balcao.search.zero_results.service import QueryTallies
from tests.search.freshness import Freshness
from tests.search.staff import EDITOR, Staff
from tests.search.support import act_as_staff, refusal
from tests.search.test_phrases import make_word
from tests.support.fixture_types import Sql

CONTROL = "/search/control-queries"


def test_control_queries_are_replaced_whole(staff: Staff) -> None:
    queries = ["poda de árvore", "segunda via", "poda de árvore"]
    assert staff("PUT", "/search/control-queries", json={"queries": queries}).json() == {"queries": queries[:2]}
    assert staff("GET", "/search/control-queries").json() == {"queries": queries[:2]}
    too_many = staff("PUT", "/search/control-queries", json={"queries": ["x"] * 201})
    assert refusal(too_many) == (400, "queries-count")


async def test_a_table_answers_its_control_queries_like_itself(platform: Platform, owner: asyncpg.Connection) -> None:
    await owner.execute("INSERT INTO search.control_queries VALUES (199, 'poda'), (200, 'nada que exista')")
    alias = await read_alias(owner)
    report = await control_queries.compare_tables(owner, alias, alias)
    assert report.overlap == 1.0
    assert 0.0 < report.empty <= 1.0


async def test_control_queries_find_what_the_public_search_finds_synonyms_included(
    staff: Staff, owner: asyncpg.Connection
) -> None:
    word, other = f"xarope{uuid4().hex[:6]}", f"elixir{uuid4().hex[:6]}"
    staff.publish(nome_servico=f"Entrega de {word}")
    assert staff("PUT", f"/synonyms/{uuid4()}", json={"terms": [word, other]}).status_code == 200
    staff("PUT", "/search/control-queries", json={"queries": [other]})
    alias = await read_alias(owner)
    assert (await control_queries.compare_tables(owner, alias, alias)).empty == 0.0


def test_queries_keep_their_services_until_others_are_named(staff: Staff, sql: Sql) -> None:
    first, second = staff.create()["id"], staff.create()["id"]
    expected = [{"query": "poda", "services": [first, second]}]
    put = staff("PUT", CONTROL, json={"queries": ["iptu", "poda"], "expected": expected})
    assert put.json() == {"queries": ["iptu", "poda"], "expected": expected}
    again = staff("PUT", CONTROL, json={"queries": ["poda", "multa"]}, headers={"If-Match": put.headers["ETag"]})
    assert again.json() == {"queries": ["poda", "multa"], "expected": expected}
    assert staff("DELETE", f"/services/{second}").status_code == 204
    others = [{"query": " multa", "services": [second.upper(), second]}, {"query": "poda", "services": []}]
    put = staff("PUT", CONTROL, json={"queries": ["poda", "multa"], "expected": others})
    assert put.json()["expected"] == [{"query": "multa", "services": [second]}]
    cleared = staff("PUT", CONTROL, json={"queries": ["poda", "multa"], "expected": []})
    assert cleared.json() == staff("GET", CONTROL).json() == {"queries": ["poda", "multa"]}
    assert cleared.headers["ETag"] != put.headers["ETag"]


@pytest.mark.parametrize(
    ("expected", "code"),
    [
        ([{"query": "outra", "services": []}], "expected-invalid"),
        ([{"query": "poda", "services": ["poda"]}], "expected-invalid"),
        ([{"query": "poda", "services": [str(uuid4())]}], "expected-unknown"),
        ([{"query": "poda", "services": [str(uuid4()) for _ in range(6)]} for _ in range(2)], "expected-count"),
        ([{"query": "poda", "services": [str(uuid4()) for _ in range(11)]}], "expected-count"),
        ([{"query": "poda"}], "body-invalid"),
        (None, "body-invalid"),
    ],
)
def test_services_that_a_query_cannot_find_are_refused(staff: Staff, expected: Any, code: str) -> None:
    before = staff("GET", CONTROL).json()
    answer = staff("PUT", CONTROL, json={"queries": ["poda"], "expected": expected})
    assert refusal(answer) == (400, code)
    assert staff("GET", CONTROL).json() == before


def test_the_evaluation_says_why_a_query_misses_its_service(staff: Staff, freshness: Freshness, sql: Sql) -> None:
    word, other = make_word(), make_word()
    best = staff.publish(nome_servico=f"Visita ao {word}")["id"]
    second = staff.publish(nome_servico=f"Outra coisa com nome mais longo e {word}")["id"]
    draft, gone = staff.create()["id"], staff.publish()["id"]
    agents = staff.publish(agents={"exclusive_for_agents": True})["id"]
    assert staff("DELETE", f"/services/{gone}").status_code == 204
    expected = {
        f"visita ao {word}": ([best], 1, None),
        word: ([second, draft], 2, "ranked_lower"),
        f"visita {word}": ([staff.publish(nome_servico=f"Aula de {other}")["id"]], None, "not_found"),
        make_word(): ([best], None, "found_nothing"),
        other: ([draft, gone, agents], None, "not_public"),
        f"aula de {other}": ([], None, None),
    }
    body = {
        "queries": list(expected),
        "expected": [{"query": query, "services": ids} for query, (ids, *_) in expected.items() if ids],
    }
    assert staff("PUT", CONTROL, json=body).status_code == 200
    freshness.wait(sql)
    found = staff("GET", f"{CONTROL}/evaluation").json()
    assert {each["query"]: (each["rank"], each["cause"]) for each in found["results"]} == {
        query: (rank, cause) for query, (_, rank, cause) in expected.items()
    }
    assert (found["rated"], found["hits_at_1"], found["hits_at_3"]) == (5, 0.2, 0.4)
    assert found["ndcg_at_10"] == pytest.approx((1 + 1 / math.log2(3)) / 5, abs=1e-4)
    unseen = found["results"][4]["expected"]
    assert [(each["id"], each["is_public"]) for each in unseen] == [(draft, False), (gone, False), (agents, False)]
    assert [each["nome_servico"] is None for each in unseen] == [False, True, False]
    assert [each["id"] for each in found["results"][1]["found"]] == [best, second]
    assert found["results"][1]["total"] == 2


def test_without_expected_services_there_are_no_figures(staff: Staff) -> None:
    assert staff("PUT", CONTROL, json={"queries": ["poda"], "expected": []}).status_code == 200
    found = staff("GET", f"{CONTROL}/evaluation").json()
    assert (found["rated"], found["hits_at_1"], found["hits_at_3"], found["ndcg_at_10"]) == (0, None, None, None)
    assert [each["query"] for each in found["results"]] == ["poda"]
    assert staff("GET", f"{CONTROL}/evaluation", role=EDITOR).status_code == 403


async def test_an_evaluation_is_repeated_until_the_list_changes_and_never_counted(
    platform: Platform, staff: Staff
) -> None:
    call = act_as_staff(platform)
    platform.part(QueryTallies).take()
    staff("PUT", CONTROL, json={"queries": [make_word()]})
    first = await control_queries.evaluate(call)
    while (again := await control_queries.evaluate(call)) is not first:
        first = again  # the index had not caught up with earlier changes
    staff("PUT", CONTROL, json={"queries": [make_word()]})
    assert (await control_queries.evaluate(call)).results[0].query != first.results[0].query
    assert platform.part(QueryTallies).take() == []


async def test_an_evaluation_that_waits_too_long_for_another_one_is_refused(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_queries, "LONGEST_SECONDS", 0.01)
    async with platform.part(LastEvaluation).lock:
        with pytest.raises(Unavailable) as refused:
            await control_queries.evaluate(act_as_staff(platform))
    assert refused.value.code == "evaluation-timeout"


@given(found=st.lists(st.sampled_from("abcdefghijklmnop"), unique=True), right=st.sets(st.sampled_from("abcdz")))
def test_the_first_right_service_decides(found: list[str], right: set[str]) -> None:
    judgement = judge(found, right)
    places = [place for place, each in enumerate(found, 1) if each in right]
    assert judgement.rank == (min(places) if places else None)
    assert judgement.helps == any(place <= 3 for place in places)
    assert judgement.gain == (1 / math.log2(1 + min(places)) if places and min(places) <= SHOWN else 0.0)
    assert (judgement.find_cause(len(found)) is None) == (judgement.rank == 1)
    rating = rate([judgement, judge(["x"], {"x"})])
    assert rating.first == ((judgement.rank == 1) + 1) / 2
    assert rating.ndcg == (judgement.gain + 1) / 2


def test_a_nearly_right_service_counts_among_three_only() -> None:
    judgement = judge(["a", "b"], {"c"}, {"b"})
    assert (judgement.rank, judgement.helps, judgement.gain) == (None, True, 0.0)
    assert rate([]).first == 0.0
