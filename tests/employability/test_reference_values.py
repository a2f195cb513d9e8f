"""Changing a reference value."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5

import httpx
import pytest

from balcao.employability.reference_values.kinds import Kind, seed_value_id
from tests.employability.people import citizen, expired, machine, staff
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal
from tests.support.rules import read_values

PATH = "/jobs/api/v1/empregabilidade/disponibilidades/"
IMMEDIATE = str(seed_value_id(Kind.AVAILABILITY, "Imediato"))
TWO_WEEKS = str(seed_value_id(Kind.AVAILABILITY, "Em até 15 dias"))
REMOTE = str(uuid5(uuid5(NAMESPACE_URL, "balcao:employability"), "modelos-trabalho:Remoto"))
WORK_MODEL = f"/jobs/api/v1/empregabilidade/modelos-trabalho/{REMOTE}"
UNKNOWN, NO_ID = (404, "reference-unknown"), (400, "id-invalid")
TOO_DEEP = b"[" * 20_000 + b"]" * 20_000


def row(sql: Sql, id_: str) -> dict[str, Any]:
    [found] = sql("SELECT * FROM employability.reference_value WHERE id = $1::text::uuid", id_)
    return dict(found)


@pytest.mark.cases("employability", "1")
def test_a_new_text_is_stored_and_surplus_members_are_ignored(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    before = row(sql, IMMEDIATE)
    body = {"descricao": "  De imediato ", "id": str(uuid4()), "created_at": "1999", "updated_at": 1, "x": {"y": []}}
    answer = http.put(PATH + IMMEDIATE.upper(), json=body, headers=staff(issuer))
    assert answer.status_code == 200
    stored = answer.json()
    assert set(stored) == {"id", "descricao", "created_at", "updated_at"}
    assert (stored["id"], stored["descricao"]) == (IMMEDIATE, "De imediato")
    assert datetime.fromisoformat(stored["created_at"]) == before["created_at"]
    assert datetime.fromisoformat(stored["updated_at"]) > before["updated_at"]
    assert stored["updated_at"].endswith("Z")
    assert row(sql, IMMEDIATE)["descricao"] == "De imediato"
    assert row(sql, IMMEDIATE)["posicao"] == before["posicao"]


@pytest.mark.cases("employability", "2")
@pytest.mark.parametrize(
    ("id_", "refused"),
    [
        ("5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b11", UNKNOWN),
        (REMOTE, UNKNOWN),
        ("abc", NO_ID),
        (IMMEDIATE.replace("-", ""), NO_ID),
        (f"{{{IMMEDIATE}}}", NO_ID),
        ("g" + IMMEDIATE[1:], NO_ID),
        (IMMEDIATE + "%0A", NO_ID),
        ("١" * 8 + IMMEDIATE[8:], NO_ID),
    ],
)
def test_an_unknown_id_is_not_found_and_anything_else_is_no_id(
    http: httpx.Client, issuer: Issuer, id_: str, refused: tuple[int, str]
) -> None:
    answer = http.put(PATH + id_, json={"descricao": "Qualquer"}, headers=staff(issuer))
    assert refusal(answer) == refused
    assert list(answer.json()) == ["error"]


@pytest.mark.cases("employability", "3")
@pytest.mark.parametrize(
    ("body", "code"), [*read_values("employability", "3"), ({"descricao": "x" * 256}, "descricao-length")], ids=repr
)
def test_a_bad_body_is_refused_and_nothing_changes(
    http: httpx.Client, issuer: Issuer, sql: Sql, body: Any, code: str
) -> None:
    before = row(sql, TWO_WEEKS)
    answer = http.put(PATH + TWO_WEEKS, content=json.dumps(body), headers=staff(issuer))
    assert refusal(answer) == (400, code)
    assert list(answer.json()) == ["error"]
    assert row(sql, TWO_WEEKS) == before


@pytest.mark.cases("employability", "3")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b'{"descricao": "a"} x', 400),
        (b"{'descricao': 'a'}", 400),
        (b'{"descricao": "\xff\xfe"}', 400),
        (b'{"descricao": "\\ud800"}', 400),
        ('{"descricao": "ã"}'.encode("latin-1"), 400),
        ('{"descricao": "a"}'.encode("utf-16"), 400),
        (b'{"descricao": 1e999}', 400),
        (b'{"descricao": ' + b"9" * 10_000 + b"}", 400),
        (b'{"descricao": NaN}', 400),
        (TOO_DEEP, 400),
        (b'{"descricao": "a", "x": ' + TOO_DEEP + b"}", 400),
        (b'{"descricao": "' + b"x" * (1024 * 1024) + b'"}', 413),
        (b" " * (1024 * 1024 + 1), 413),
    ],
    ids=range(15),
)
def test_hostile_bytes_are_refused_and_nothing_changes(
    http: httpx.Client, issuer: Issuer, sql: Sql, body: bytes, status: int
) -> None:
    before = row(sql, TWO_WEEKS)
    answer = http.put(PATH + TWO_WEEKS, content=body, headers=staff(issuer))
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert row(sql, TWO_WEEKS) == before


def test_a_refusal_never_repeats_what_was_typed(http: httpx.Client, issuer: Issuer) -> None:
    answer = http.put(PATH + TWO_WEEKS, json={"descricao": "segredo" * 100}, headers=staff(issuer))
    assert "`descricao`" in answer.json()["error"]
    assert "segredo" not in answer.text


@pytest.mark.cases("employability", "4")
@pytest.mark.parametrize("text", ["em ATE 30   dias", "Em até 30 dias", "ÊM\u00a0áte 30 dias", "Em ate\u0301 30 dias"])
def test_the_text_of_another_value_is_taken_whatever_its_case_accents_and_blanks(
    http: httpx.Client, issuer: Issuer, sql: Sql, text: str
) -> None:
    before = row(sql, TWO_WEEKS)
    answer = http.put(PATH + TWO_WEEKS, json={"descricao": text}, headers=staff(issuer))
    assert (refusal(answer), list(answer.json())) == ((409, "descricao-taken"), ["error"])
    assert row(sql, TWO_WEEKS) == before


def test_a_value_may_keep_its_own_text_and_take_that_of_another_kind(http: httpx.Client, issuer: Issuer) -> None:
    for text in ("EM ATÉ 15 DIAS", "Remoto", "Em até 15 dias"):
        answer = http.put(PATH + TWO_WEEKS, json={"descricao": text}, headers=staff(issuer))
        assert (answer.status_code, answer.json()["descricao"]) == (200, text)


@pytest.mark.cases("employability", "5")
def test_only_those_who_manage_reference_values_may_change_them(http: httpx.Client, issuer: Issuer) -> None:
    allowed = [
        staff(issuer),
        staff(issuer, "go:empregabilidade:admin"),
        staff(issuer, "admin"),
        machine(issuer, "go:admin"),
    ]
    refused = [citizen(issuer), staff(issuer, "go:empregabilidade:editor_sem_curadoria"), machine(issuer)]
    unknown = [{}, expired(issuer)]

    def statuses(callers: list[dict[str, str]]) -> set[int]:
        body = {"descricao": "Em até 60 dias"}
        path = PATH + str(seed_value_id(Kind.AVAILABILITY, "Em até 60 dias"))
        return {http.put(path, json=body, headers=caller).status_code for caller in callers}

    assert (statuses(allowed), statuses(refused), statuses(unknown)) == ({200}, {403}, {401})


def test_who_is_refused_is_not_told_whether_the_id_or_the_body_is_wrong(http: httpx.Client, issuer: Issuer) -> None:
    assert http.put(PATH + "abc", content=b"{", headers=citizen(issuer)).status_code == 403
    assert http.put(PATH + "abc", content=b"{").status_code == 401


@pytest.mark.cases("employability", "6")
@pytest.mark.parametrize(
    "label",
    ["multipart/form-data", "text/plain", "application/x-www-form-urlencoded", "application/msgpack", "nonsense"],
)
def test_json_is_read_whatever_its_label(http: httpx.Client, issuer: Issuer, label: str) -> None:
    body = json.dumps({"descricao": "Em até 15 dias"})
    answer = http.put(PATH + TWO_WEEKS, content=body, headers=staff(issuer) | {"Content-Type": label})
    assert answer.status_code == 200


def test_if_match_lets_only_the_present_state_be_replaced(http: httpx.Client, issuer: Issuer) -> None:
    def put(text: str, **headers: str) -> httpx.Response:
        return http.put(PATH + TWO_WEEKS, json={"descricao": text}, headers=staff(issuer) | headers)

    first = put("Em até 15 dias").headers["ETag"]
    second = put("Em quinze dias", **{"If-Match": first})
    assert second.status_code == 200
    stale = put("Em até 15 dias", **{"If-Match": first})
    assert (stale.status_code, list(stale.json())) == (412, ["error"])
    assert put("Em 15 dias", **{"If-Match": f'"other", {second.headers["ETag"]}'}).status_code == 200
    last = put("Em até 15 dias", **{"If-Match": "*", "If-None-Match": "*"})
    assert (last.status_code, last.json()["descricao"]) == (200, "Em até 15 dias")


def test_of_many_at_once_that_saw_the_same_state_one_replaces_it(http: httpx.Client, issuer: Issuer) -> None:
    path, caller = PATH + TWO_WEEKS, staff(issuer)
    with ThreadPoolExecutor(4) as together:
        for _ in range(10):
            seen = http.put(path, json={"descricao": "Em até 15 dias"}, headers=caller).headers["ETag"]
            headers = caller | {"If-Match": seen}
            puts = [
                together.submit(http.put, path, json={"descricao": "Em até 15 dias"}, headers=headers) for _ in range(4)
            ]
            assert sorted(put.result().status_code for put in puts) == [200, 412, 412, 412]


def test_of_two_at_once_that_want_the_same_text_one_gets_it(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    ids = [str(seed_value_id(Kind.AVAILABILITY, text)) for text in ("Em até 30 dias", "Acima de 60 dias")]
    caller = staff(issuer)
    with ThreadPoolExecutor(2) as together:
        for number in range(10):
            texts = (f"Opção {number}", f"OPCAO  {number}")
            puts = [
                together.submit(http.put, PATH + id_, json={"descricao": text}, headers=caller)
                for id_, text in zip(ids, texts, strict=True)
            ]
            assert sorted(put.result().status_code for put in puts) == [200, 409]
    sql("UPDATE employability.reference_value SET descricao = 'Em até 30 dias' WHERE id = $1::text::uuid", ids[0])
    sql("UPDATE employability.reference_value SET descricao = 'Acima de 60 dias' WHERE id = $1::text::uuid", ids[1])


def test_a_change_leaves_one_event_that_names_fields_and_no_values(
    http: httpx.Client, issuer: Issuer, events: Callable[[str], list[dict[str, Any]]]
) -> None:
    before = len(events("employability.replace_availability"))
    http.put(PATH + TWO_WEEKS, json={"descricao": "Em até 15 dias"}, headers=staff(issuer))
    http.put(PATH + TWO_WEEKS, json={"descricao": ""}, headers=staff(issuer))
    [event] = events("employability.replace_availability")[before:]
    assert (event["action"], event["actor_kind"], event["grant"]) == ("update", "staff", "job_reference:manage")
    assert (event["fields"], event["subject_hash"]) == (["descricao"], None)
    assert "15 dias" not in str(event)


def test_without_an_audit_event_nothing_changes(
    http: httpx.Client, issuer: Issuer, sql: Sql, unwritable_audit: None
) -> None:
    before = row(sql, TWO_WEEKS)
    answer = http.put(PATH + TWO_WEEKS, json={"descricao": "Outra"}, headers=staff(issuer))
    assert (answer.status_code, list(answer.json())) == (503, ["error"])
    assert "Retry-After" in answer.headers
    assert row(sql, TWO_WEEKS) == before


@pytest.mark.cases("employability", "13")
def test_anybody_with_a_token_reads_a_work_model(http: httpx.Client, issuer: Issuer) -> None:
    for caller in (citizen(issuer), staff(issuer), machine(issuer)):
        answer = http.get(WORK_MODEL, headers=caller)
        assert answer.status_code == 200
        assert set(answer.json()) == {"id", "descricao", "created_at", "updated_at"}
        assert (answer.json()["id"], answer.json()["descricao"]) == (REMOTE, "Remoto")
    assert http.get(WORK_MODEL).status_code == 401
    assert http.get(WORK_MODEL, headers=expired(issuer)).status_code == 401


@pytest.mark.parametrize(
    ("id_", "refused"),
    [("5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b11", UNKNOWN), (IMMEDIATE, UNKNOWN), ("abc", NO_ID), ("%00", NO_ID)],
)
def test_a_work_model_that_is_not_there(http: httpx.Client, issuer: Issuer, id_: str, refused: tuple[int, str]) -> None:
    answer = http.get(WORK_MODEL.replace(REMOTE, id_), headers=citizen(issuer))
    assert (refusal(answer), list(answer.json())) == (refused, ["error"])


def test_a_work_model_that_is_known_is_not_sent_again(http: httpx.Client, issuer: Issuer) -> None:
    first = http.get(WORK_MODEL.replace(REMOTE, REMOTE.upper()), headers=citizen(issuer))
    assert first.json()["id"] == REMOTE
    again = http.get(WORK_MODEL, headers=citizen(issuer) | {"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
