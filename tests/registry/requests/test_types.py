"""Request types: their versions, and the checks of definitions and answers (rules: registry 4.20)."""

import asyncio
import copy
import math
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.errors import Invalid
from balcao.registry.requests.types.kinds import KINDS, Field, Option, check_field, format_answer, parse_answers
from balcao.registry.requests.types.service import MOST_TYPES
from tests.registry.requests.conftest import ANSWERS, LAMP, VISIT, Citizen, Staff
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal

ADMIN, PUBLIC = "/registry/v1/admin/request-types", "/registry/v1/request-types"
EDIT = """
WITH moved AS (
    UPDATE registry.request_type SET version = 2 WHERE id = $1
)
INSERT INTO registry.request_type_version (type, version, definition)
SELECT type, 2, definition FROM registry.request_type_version WHERE type = $1
"""
# PostgreSQL queues the calls behind each other, so not all of them wait for this connection directly.
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')"
TODAY = date(2026, 11, 28)


def changed(**members: Any) -> dict[str, Any]:
    return {**copy.deepcopy(LAMP), "id": "outro_tipo", **members}


def field(**members: Any) -> list[dict[str, Any]]:
    return [{"id": "a", "kind": "text", "label": "A?", **members}]


def test_the_public_list_has_active_types_by_category_and_name(http: httpx.Client) -> None:
    answer = http.get(PUBLIC)
    assert [kind["id"] for kind in answer.json()["types"]] == ["visita", "lampada"]
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    one = http.get(f"{PUBLIC}/lampada")
    assert one.json() == answer.json()["types"][1]
    assert one.json()["fields"][0] == LAMP["fields"][0]
    assert http.get(PUBLIC, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    assert refusal(http.get(f"{PUBLIC}/nenhum")) == (404, "request-type-unknown")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (changed(id="Lâmpada"), "id-invalid"),
        (changed(name=" "), "name-length"),
        (changed(fields=[]), "fields-invalid"),
        (changed(fields=LAMP["fields"] * 2), "fields-invalid"),
        (changed(fields=field(id="B!")), "field-definition"),
        (changed(fields=field(kind="video")), "field-definition"),
        (changed(fields=field(minimum=3)), "field-definition"),
        (changed(fields=field(max_length=2001)), "field-definition"),
        (changed(fields=field(kind="choice", options=[{"id": "a", "label": "A"}])), "field-definition"),
        (changed(fields=field(kind="choice", options=[{"id": "a", "label": "A"}] * 2)), "field-definition"),
        (changed(fields=field(kind="number", minimum=2, maximum=1)), "field-definition"),
        (changed(fields=field(kind="number", decimals=9)), "field-definition"),
        (changed(fields=field(kind="date", earliest_days=2, latest_days=1)), "field-definition"),
        (changed(departments=[]), "departments-invalid"),
        (changed(departments=["9999"]), "departments-invalid"),
        (changed(deadline_days=0), "deadline_days-invalid"),
        (changed(fields=field(personal=True)), "without-login-personal"),
        (changed(fields=field(kind="file", required=True)), "without-login-personal"),
        (changed(fields=field(kind="file", max_files=6)), "field-definition"),
        ({**LAMP}, "request-type-exists"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_impossible_type_is_refused_by_name(http: httpx.Client, admin: Staff, body: Any, code: str) -> None:
    answer = http.post(ADMIN, json=body, headers=admin.headers)
    assert refusal(answer) == (409 if code == "request-type-exists" else 400, code)
    assert http.get(f"{PUBLIC}/outro_tipo").status_code == 404


def test_each_edit_makes_a_version_and_requests_keep_theirs(http: httpx.Client, admin: Staff, citizen: Citizen) -> None:
    made = http.post(ADMIN, json=changed(id="muda"), headers=admin.headers)
    number = citizen.opened(type_="muda")["number"]
    definition = {name: value for name, value in changed(name="Lâmpada queimada").items() if name != "id"}
    put = http.put(f"{ADMIN}/muda", json=definition, headers=admin.headers | {"If-Match": '"x"'})
    assert put.status_code == 412
    second = http.put(f"{ADMIN}/muda", json=definition, headers=admin.headers)
    same = http.put(f"{ADMIN}/muda", json=definition, headers=admin.headers | {"If-Match": second.headers["ETag"]})
    assert [answer.json()["version"] for answer in (made, second, same)] == [1, 2, 2]
    versions = http.get(f"{ADMIN}/muda/versions", headers=admin.headers).json()
    assert [(one["version"], one["name"]) for one in versions["data"]] == [
        (2, "Lâmpada queimada"),
        (1, "Lâmpada apagada"),
    ]
    assert citizen.read(number).json()["name"] == "Lâmpada apagada"
    assert refusal(citizen.open(type_="muda")) == (409, "request-type-changed")
    assert citizen.open(type_="muda", version=2).status_code == 201
    assert refusal(citizen.open(type_="muda", version=3)) == (400, "request-type-version")
    http.put(f"{ADMIN}/muda", json=definition | {"active": False}, headers=admin.headers)
    assert refusal(citizen.open(type_="muda", version=3)) == (409, "request-type-inactive")
    assert http.get(f"{PUBLIC}/muda").status_code == 404
    listed = http.get(ADMIN, headers=admin.headers).json()["types"]
    assert [one["active"] for one in listed if one["id"] == "muda"] == [False]
    found = http.get(f"{ADMIN}/muda", headers=admin.headers)
    assert (found.json()["version"], found.json()["active"]) == (3, False)
    again = {"If-Match": found.headers["ETag"]}
    assert http.put(f"{ADMIN}/muda", json=definition, headers=admin.headers | again).json()["version"] == 4
    assert http.put(f"{ADMIN}/muda", json=definition, headers=admin.headers | again).status_code == 412
    assert http.get(f"{ADMIN}/nenhum", headers=admin.headers).status_code == 404


def test_a_call_that_waits_for_an_edit_gets_the_new_version(
    http: httpx.Client, admin: Staff, citizen: Citizen, database_url: str
) -> None:
    http.post(ADMIN, json=changed(id="espera"), headers=admin.headers).raise_for_status()
    definition = {name: value for name, value in changed(name="Outra").items() if name != "id"}
    read = http.get(f"{ADMIN}/espera", headers=admin.headers)
    match = admin.headers | {"If-Match": read.headers["ETag"]}
    calls: list[Callable[[], httpx.Response]] = [
        lambda: citizen.open(type_="espera"),
        lambda: http.put(f"{ADMIN}/espera", json=definition, headers=match),
    ]
    answers = asyncio.run(edit_meanwhile(database_url, "espera", calls))
    assert refusal(answers[0]) == (409, "request-type-changed")
    assert answers[1].status_code == 412


async def edit_meanwhile(
    database_url: str, type_id: str, calls: Sequence[Callable[[], httpx.Response]]
) -> list[httpx.Response]:
    """Edit a type while the calls wait for its row."""
    connection = await asyncpg.connect(database_url)
    try:
        async with connection.transaction():
            await connection.execute(EDIT, type_id)
            waiting = [asyncio.create_task(asyncio.to_thread(call)) for call in calls]
            async with asyncio.timeout(PATIENCE):
                while await connection.fetchval(WAITING) < len(calls):  # noqa: ASYNC110 - other processes wait
                    await asyncio.sleep(0.01)
        return await asyncio.gather(*waiting)
    finally:
        await connection.close()


def test_there_are_five_hundred_types_at_most(http: httpx.Client, admin: Staff, sql: Sql) -> None:
    sql("INSERT INTO registry.request_type (id, version) SELECT 'filler_' || n, 1 FROM generate_series(1, $1) AS n",
        MOST_TYPES)  # fmt: skip
    assert refusal(http.post(ADMIN, json=changed(), headers=admin.headers)) == (409, "request-type-limit")
    sql("DELETE FROM registry.request_type WHERE id LIKE 'filler_%'")


def test_only_editors_may_change_types(http: httpx.Client, issuer: Issuer, citizen: Citizen) -> None:
    for headers in (citizen.headers, bearer(issuer.person("90000001228", realm_access={"roles": ["rmi:pedidos"]}))):
        assert http.get(ADMIN, headers=headers).status_code == 403
        assert http.post(ADMIN, json=changed(), headers=headers).status_code == 403
    editor = bearer(issuer.person("90000001228", realm_access={"roles": ["rmi:pedidos:gestao"]}))
    assert http.get(ADMIN, headers=editor).status_code == 200


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ({}, "answer-missing"),
        (ANSWERS | {"problema": " "}, "answer-missing"),
        (ANSWERS | {"local": None}, "answer-missing"),
        (ANSWERS | {"video": "x"}, "answer-unknown"),
        (ANSWERS | {"problema": "piscando"}, "answer-invalid"),
        (ANSWERS | {"problema": ["apagada"]}, "answer-invalid"),
        (ANSWERS | {"local": "Rua das Acácias"}, "answer-invalid"),
        (ANSWERS | {"local": {"address": "Rua", "latitude": 1}}, "answer-invalid"),
        (ANSWERS | {"local": {"address": "Rua", "latitude": 91, "longitude": 0}}, "answer-invalid"),
        (ANSWERS | {"local": {"address": "x" * 201}}, "local-length"),
        (ANSWERS | {"quantas": 10}, "answer-invalid"),
        (ANSWERS | {"quantas": 1.5}, "answer-invalid"),
        (ANSWERS | {"quantas": True}, "answer-invalid"),
        (ANSWERS | {"quantas": "2"}, "answer-invalid"),
        (ANSWERS | {"desde": "2026-02-30"}, "answer-invalid"),
        (ANSWERS | {"desde": "1999-01-01"}, "answer-invalid"),
        (ANSWERS | {"mais": "x" * 101}, "mais-length"),
        (ANSWERS | {"mais": 7}, "answer-invalid"),
    ],
    ids=str,
)
def test_a_wrong_answer_is_refused_by_the_name_of_its_field_and_nothing_is_stored(
    citizen: Citizen, answers: Any, code: str
) -> None:
    answer = citizen.open(answers=answers)
    assert refusal(answer) == (400, code)
    wrong = next((name for name in answers if answers.get(name) != ANSWERS.get(name)), "problema")
    assert f"`{wrong}`" in answer.json()["error"]
    assert citizen.list()["data"] == []


def test_every_kind_returns_what_it_stored(citizen: Citizen) -> None:
    place = {"address": " Rua das  Acácias ", "reference": "padaria", "latitude": -22.90000004, "longitude": -43.1}
    yesterday = date.today() - timedelta(days=1)
    answers = {"problema": "acesa", "local": place, "quantas": 2.0, "desde": yesterday.isoformat(), "mais": "a\nb"}
    found = citizen.read(citizen.opened(answers=answers)["number"]).json()["answers"]
    assert [(one["field"], one["text"]) for one in found] == [
        ("problema", "Acesa de dia"),
        ("local", "Rua das  Acácias (padaria)"),
        ("quantas", "2"),
        ("desde", f"{yesterday:%d/%m/%Y}"),
        ("mais", "a\nb"),
    ]
    assert found[1]["value"] == {
        "address": "Rua das  Acácias",
        "reference": "padaria",
        "latitude": -22.9,
        "longitude": -43.1,
    }
    assert found[1]["label"] == "Onde fica?"


FIELDS = [
    Field(id="t", kind="text", label="T"),
    Field(id="c", kind="choice", label="C", options=[Option("a", "A"), Option("b", "B")]),
    Field(id="n", kind="number", label="N", decimals=2),
    Field(id="d", kind="date", label="D"),
    Field(id="p", kind="place", label="P"),
    Field(id="f", kind="file", label="F", max_files=2),
]
JSON = st.recursive(
    st.none()
    | st.uuids().map(str)
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=True)
    | st.text()
    | st.dates().map(str),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["address", "latitude", "x"]), inner),
    max_leaves=4,
)


@given(value=JSON, kind=st.sampled_from(FIELDS), anonymous=st.booleans())
def test_any_answer_is_stored_in_a_form_that_is_accepted_again_or_refused(
    value: Any, kind: Field, anonymous: bool
) -> None:
    """Whatever a caller sends, the check refuses it or returns JSON, and accepts this JSON again unchanged."""
    try:
        stored = parse_answers([kind], {kind.id: value}, TODAY, anonymous=anonymous)
    except Invalid:
        return
    assert parse_answers([kind], stored, TODAY, anonymous=anonymous) == stored
    assert msgspec.json.decode(msgspec.json.encode(stored)) == stored
    assert all(isinstance(format_answer(kind, each), str) for each in stored.values())
    assert not any(isinstance(each, float) and not math.isfinite(each) for each in stored.values())


@given(st.builds(dict, **dict.fromkeys(("min_length", "max_length", "minimum", "decimals", "latest_days"), JSON)))
def test_a_field_with_any_limits_is_refused_or_accepted_again(limits: dict[str, Any]) -> None:
    for kind in KINDS:
        try:
            checked = check_field(msgspec.convert({"id": "a", "kind": kind, "label": "A", **limits}, Field))
        except (Invalid, msgspec.ValidationError):
            continue
        assert check_field(checked) == checked


def test_the_personal_type_needs_a_login(http: httpx.Client) -> None:
    body = {"type": VISIT["id"], "version": 1, "answers": {"motivo": "x"}}
    answer = http.post("/registry/v1/maintenance-requests", json=body)
    assert refusal(answer) == (400, "request-login-needed")
