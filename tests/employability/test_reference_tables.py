"""The ten reference tables as portals and staff use them (rules: employability 2.2, 3.1)."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from balcao.employability.reference_values.kinds import RANKED, Kind, seed_value_id
from tests.employability.people import citizen, expired, machine, staff
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal
from tests.support.rules import read_values

BASE = "/jobs/api/v1/empregabilidade"
MEMBERS = {"id", "descricao", "created_at", "updated_at"}


@pytest.fixture
def post(http: httpx.Client, issuer: Issuer, sql: Sql) -> Iterator[Callable[..., httpx.Response]]:
    """Yield a function that adds a value as staff. All added values are deleted after the test."""
    made: list[str] = []

    def create(kind: Kind, body: Any, **headers: str) -> httpx.Response:
        answer = http.post(f"{BASE}/{kind}", json=body, headers=staff(issuer) | headers)
        if answer.status_code == 201:
            made.append(answer.json()["id"])
        return answer

    yield create
    sql("DELETE FROM employability.reference_value WHERE id::text = ANY ($1)", made)


@pytest.mark.parametrize("kind", Kind)
def test_every_table_is_read_by_anybody_in_its_order(http: httpx.Client, sql: Sql, kind: Kind) -> None:
    answer = http.get(f"{BASE}/{kind}")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "public, max-age=600")
    values = answer.json()["data"]
    rows = sql("SELECT descricao FROM employability.reference_value WHERE kind = $1 ORDER BY posicao, id", kind)
    assert [value["descricao"] for value in values] == [row["descricao"] for row in rows]
    assert answer.json()["meta"] == {"page": 1, "page_size": 100, "total": len(rows)}
    for value in values:
        assert set(value) == (MEMBERS | {"ordem"} if kind in RANKED else MEMBERS)
    if kind in RANKED:
        assert [value["ordem"] for value in values] == list(range(1, len(values) + 1))
    again = http.get(f"{BASE}/{kind}", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.cases("employability", "17")
def test_the_waiting_times_are_not_in_the_order_of_the_alphabet(http: httpx.Client) -> None:
    values = http.get(f"{BASE}/disponibilidades").json()["data"]
    assert [value["descricao"] for value in values] == [
        "Imediato",
        "Em até 15 dias",
        "Em até 30 dias",
        "Em até 60 dias",
        "Acima de 60 dias",
    ]


@pytest.mark.cases("employability", "16")
@pytest.mark.parametrize(("query", "page", "size"), read_values("employability", "16"))
def test_no_page_is_refused_and_the_answer_tells_what_was_used(
    http: httpx.Client, query: str, page: int, size: int
) -> None:
    answer = http.get(f"{BASE}/idiomas?{query}")
    whole = [value["descricao"] for value in http.get(f"{BASE}/idiomas").json()["data"]]
    assert answer.status_code == 200
    assert answer.json()["meta"] == {"page": page, "page_size": size, "total": len(whole)}
    shown = [value["descricao"] for value in answer.json()["data"]]
    assert shown == whole[(page - 1) * size : page * size]


def test_a_visitor_with_a_broken_token_reads_the_lists_too(http: httpx.Client, issuer: Issuer) -> None:
    assert http.get(f"{BASE}/zonas", headers=expired(issuer)).status_code == 200


@pytest.mark.parametrize("kind", Kind)
def test_a_value_is_added_read_changed_and_deleted(
    http: httpx.Client, issuer: Issuer, post: Callable[..., httpx.Response], kind: Kind
) -> None:
    added = post(kind, {"descricao": f" Nova {kind} ", "id": str(uuid4()), "created_at": "1999"})
    value = added.json()
    assert (added.status_code, value["descricao"]) == (201, f"Nova {kind}")
    path = f"{BASE}/{kind}/{value['id']}"
    assert UUID(value["id"]).version is not None
    assert http.get(f"{BASE}/{kind}").json()["data"][-1] == value
    read = http.get(path, headers=citizen(issuer))
    assert (read.status_code, read.json()) == (200, value)
    assert http.get(path).status_code == 401
    etag = read.headers["ETag"]
    changed = http.put(path, json={"descricao": "Outra"}, headers=staff(issuer) | {"If-Match": etag})
    assert (changed.status_code, changed.json()["descricao"]) == (200, "Outra")
    assert changed.json().get("ordem") == value.get("ordem")
    stale = http.delete(path, headers=staff(issuer) | {"If-Match": etag})
    assert stale.status_code == 412
    gone = http.delete(path, headers=staff(issuer))
    assert (gone.status_code, set(gone.json())) == (200, {"message"})
    assert refusal(http.delete(path, headers=staff(issuer))) == (404, "reference-unknown")
    assert refusal(http.get(path, headers=citizen(issuer))) == (404, "reference-unknown")


@pytest.mark.parametrize("kind", Kind)
def test_only_those_who_manage_reference_values_add_and_delete(
    http: httpx.Client, issuer: Issuer, sql: Sql, kind: Kind
) -> None:
    [known, *_] = http.get(f"{BASE}/{kind}").json()["data"]
    before = sql("SELECT count(*) FROM employability.reference_value")[0][0]
    for caller, status in (
        ({}, 401),
        (expired(issuer), 401),
        (citizen(issuer), 403),
        (staff(issuer, "go:empregabilidade:editor_sem_curadoria"), 403),
        (machine(issuer), 403),
    ):
        assert http.post(f"{BASE}/{kind}", json={"descricao": "Minha"}, headers=caller).status_code == status
        assert http.delete(f"{BASE}/{kind}/{known['id']}", headers=caller).status_code == status
    assert sql("SELECT count(*) FROM employability.reference_value")[0][0] == before


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"descricao": "HÍBRIDO"}, 409, "descricao-taken"),
        ({"descricao": " hibrido "}, 409, "descricao-taken"),
        ({"descricao": ""}, 400, "descricao-length"),
        ({"descricao": "x" * 256}, 400, "descricao-length"),
        ({"descricao": None}, 400, "body-invalid"),
        ({}, 400, "body-invalid"),
        ([], 400, "body-not-object"),
    ],
)
def test_what_is_no_new_value_is_refused_and_nothing_is_stored(
    post: Callable[..., httpx.Response], sql: Sql, body: Any, status: int, code: str
) -> None:
    before = sql("SELECT count(*) FROM employability.reference_value")[0][0]
    answer = post(Kind.WORK_MODEL, body)
    assert (refusal(answer), list(answer.json())) == ((status, code), ["error"])
    assert sql("SELECT count(*) FROM employability.reference_value")[0][0] == before


def test_a_level_takes_the_place_that_was_asked_for_and_keeps_it(
    http: httpx.Client, issuer: Issuer, post: Callable[..., httpx.Response]
) -> None:
    first = post(Kind.LANGUAGE_LEVEL, {"descricao": "Quase nativo", "ordem": 3}).json()
    assert first["ordem"] == 3
    assert post(Kind.LANGUAGE_LEVEL, {"descricao": "Além do nativo"}).json()["ordem"] == 5
    path = f"{BASE}/niveis-idioma/{first['id']}"
    kept = http.put(path, json={"descricao": "Quase"}, headers=staff(issuer)).json()
    moved = http.put(path, json={"descricao": "Quase", "ordem": 9}, headers=staff(issuer)).json()
    assert (kept["ordem"], moved["ordem"]) == (3, 9)


@pytest.mark.parametrize(
    ("ordem", "code"),
    [
        *((number, "ordem-invalid") for number in (0, 32_768, -1)),
        *((value, "body-invalid") for value in (1.5, "3", True)),
    ],
)
def test_a_place_that_is_none_is_refused(post: Callable[..., httpx.Response], ordem: Any, code: str) -> None:
    answer = post(Kind.SCHOOLING, {"descricao": "Livre", "ordem": ordem})
    assert (refusal(answer), "ordem" in answer.json()["error"]) == ((400, code), True)


def test_a_place_means_nothing_where_the_order_does_not(post: Callable[..., httpx.Response], sql: Sql) -> None:
    answer = post(Kind.ZONE, {"descricao": "Ilhas", "ordem": 99_999})
    assert (answer.status_code, "ordem" in answer.json()) == (201, False)
    assert sql("SELECT posicao FROM employability.reference_value WHERE id::text = $1", answer.json()["id"])[0][0] == 5


def test_a_call_that_is_repeated_with_its_key_adds_one(post: Callable[..., httpx.Response]) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    first = post(Kind.ZONE, {"descricao": "Zona Serrana"}, **key)
    again = post(Kind.ZONE, {"descricao": "Zona Serrana"}, **key)
    assert (first.status_code, again.status_code, first.content) == (201, 201, again.content)
    assert post(Kind.ZONE, {"descricao": "Zona Costeira"}, **key).status_code == 409


@pytest.mark.parametrize("declared", ["", "ON DELETE RESTRICT"])
def test_what_a_row_refers_to_is_not_deleted(http: httpx.Client, issuer: Issuer, sql: Sql, declared: str) -> None:
    """Any foreign key to a value protects it. The test uses its own table instead of those of jobs and resumes."""
    value = seed_value_id(Kind.WORK_MODEL, "Remoto")
    sql(f"CREATE TABLE employability.user_of_values (id uuid REFERENCES employability.reference_value {declared})")
    sql("INSERT INTO employability.user_of_values VALUES ($1)", value)
    try:
        answer = http.delete(f"{BASE}/modelos-trabalho/{value}", headers=staff(issuer))
        assert (answer.status_code, answer.headers["Error-Code"]) == (409, "reference-in-use")
        assert http.get(f"{BASE}/modelos-trabalho/{value}", headers=citizen(issuer)).status_code == 200
    finally:
        sql("DROP TABLE employability.user_of_values")
