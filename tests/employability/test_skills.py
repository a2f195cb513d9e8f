"""The catalogues of behaviours, skills and work areas (rules: employability 2.3, 3.1)."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

from balcao.employability.skills.kinds import Catalogue
from tests.employability.people import citizen, expired, machine, staff
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

BASE = "/jobs/api/v1/empregabilidade"
PUBLIC = "/jobs/api/public/empregabilidade"
MEMBERS = {"id", "nome", "created_at", "updated_at"}
TABLES = {
    Catalogue.BEHAVIOUR: "employability.behaviour",
    Catalogue.SKILL: "employability.skill",
    Catalogue.WORK_AREA: "employability.work_area",
}

Post = Callable[..., dict[str, Any]]


@pytest.fixture
def post(http: httpx.Client, issuer: Issuer) -> Post:
    """Return a function that adds an entry as staff, by default with a new name."""

    def create(catalogue: Catalogue, name: str | None = None) -> dict[str, Any]:
        answer = http.post(f"{BASE}/{catalogue}", json={"nome": name or f"Nome {uuid4()}"}, headers=staff(issuer))
        assert answer.status_code == 201
        entry: dict[str, Any] = answer.json()
        return entry

    return create


def names(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200
    return [entry["nome"] for entry in answer.json()["data"]]


@pytest.mark.parametrize("path", [f"{BASE}/habilidades/areas-atuacao", f"{PUBLIC}/areas-atuacao"])
def test_the_areas_of_the_seed_data_are_read_by_anybody(http: httpx.Client, path: str) -> None:
    answer = http.get(path)
    assert names(answer)[:4] == ["Administração", "Alimentação", "Atendimento", "Comércio"]
    assert {entry["nome"]: entry["id"] for entry in answer.json()["data"]}.items() >= {
        "Atendimento": 1,
        "Logística": 8,
        "Serviços gerais": 10,
    }.items()
    assert answer.json()["meta"]["page_size"] == 20
    again = http.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("path", [f"{BASE}/habilidades", f"{PUBLIC}/habilidades"])
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=DIRECAO", ["Direção categoria B", "Direção categoria D"]),
        ("q=%25", []),
        ("q=_", []),
        ("q=%20%20", None),
        ("id_area_atuacao=8&q=estoque", ["Controle de estoque"]),
        ("id_area_atuacao=7&q=estoque", []),
        ("id_area_atuacao=9999999", []),
        ("id_area_atuacao=7&pageSize=2&page=2", ["Cozinha", "Panificação"]),
    ],
)
def test_skills_are_found_by_a_part_of_their_name_and_by_their_area(
    http: httpx.Client, path: str, query: str, found: list[str] | None
) -> None:
    shown = names(http.get(f"{path}?{query}"))
    assert shown == found if found is not None else len(shown) == 20


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("id_area_atuacao=x", "id_area_atuacao-invalid"),
        ("id_area_atuacao=1.5", "id_area_atuacao-invalid"),
        (f"q={'x' * 251}", "q-invalid"),
        ("q=%00", "q-control"),
    ],
)
def test_a_filter_that_is_none_is_refused(http: httpx.Client, query: str, code: str) -> None:
    answer = http.get(f"{BASE}/habilidades?{query}")
    name = query.partition("=")[0]
    assert (refusal(answer), name in answer.json()["error"]) == ((400, code), True)


def test_a_skill_comes_with_its_areas(http: httpx.Client, issuer: Issuer) -> None:
    [skill] = http.get(f"{BASE}/habilidades?q=categoria D").json()["data"]
    assert set(skill) == MEMBERS | {"areas_atuacao"}
    [area] = skill["areas_atuacao"]
    assert (area["id"], area["nome"], set(area)) == (8, "Logística", {"id", "nome", "id_area_atuacao_habilidade"})
    alone = http.get(f"{BASE}/habilidades/{skill['id']}", headers=citizen(issuer))
    assert (alone.status_code, alone.json()) == (200, skill)


@pytest.mark.parametrize("catalogue", Catalogue)
def test_an_entry_is_added_read_renamed_and_deleted(
    http: httpx.Client, issuer: Issuer, post: Post, catalogue: Catalogue
) -> None:
    entry = post(catalogue)
    path = f"{BASE}/{catalogue}/{entry['id']}"
    read = http.get(path, headers=citizen(issuer))
    assert (read.status_code, read.json(), http.get(path).status_code) == (200, entry, 401)
    name = f"Outro {uuid4()}"
    renamed = http.put(path, json={"nome": name, "id": 7}, headers=staff(issuer) | {"If-Match": read.headers["ETag"]})
    assert (renamed.status_code, renamed.json()["nome"], renamed.json()["id"]) == (200, name, entry["id"])
    stale = http.delete(path, headers=staff(issuer) | {"If-Match": read.headers["ETag"]})
    gone = http.delete(path, headers=staff(issuer))
    assert (stale.status_code, gone.status_code, set(gone.json())) == (412, 200, {"message"})
    assert refusal(http.get(path, headers=citizen(issuer))) == (404, "catalogue-unknown")
    assert refusal(http.put(path, json={"nome": name}, headers=staff(issuer))) == (404, "catalogue-unknown")


@pytest.mark.parametrize("catalogue", Catalogue)
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"nome": "taken"}, 409, "nome-taken"),
        ({"nome": " "}, 400, "nome-length"),
        ({"nome": "x" * 251}, 400, "nome-length"),
        ({"nome": "a\tb"}, 400, "nome-control"),
        ({"nome": 7}, 400, "body-invalid"),
        ({}, 400, "body-invalid"),
    ],
)
def test_what_is_no_new_name_is_refused_and_nothing_changes(
    http: httpx.Client, issuer: Issuer, sql: Sql, catalogue: Catalogue, body: dict[str, Any], status: int, code: str
) -> None:
    first, second = sql(f"SELECT id, nome FROM {TABLES[catalogue]} ORDER BY id LIMIT 2")
    if body.get("nome") == "taken":
        body = {"nome": f"  {second['nome'].upper()} "}
    before = sql(f"SELECT * FROM {TABLES[catalogue]} ORDER BY id")
    added = http.post(f"{BASE}/{catalogue}", json=body, headers=staff(issuer))
    renamed = http.put(f"{BASE}/{catalogue}/{first['id']}", json=body, headers=staff(issuer))
    assert (refusal(added), refusal(renamed)) == ((status, code), (status, code))
    assert sql(f"SELECT * FROM {TABLES[catalogue]} ORDER BY id") == before


@pytest.mark.parametrize("catalogue", Catalogue)
@pytest.mark.parametrize("id_", ["x", "-1", "1.5", "1" * 20])
def test_an_id_is_a_number(http: httpx.Client, issuer: Issuer, catalogue: Catalogue, id_: str) -> None:
    assert refusal(http.get(f"{BASE}/{catalogue}/{id_}", headers=citizen(issuer))) == (400, "id-invalid")


@pytest.mark.parametrize("catalogue", Catalogue)
def test_only_those_who_manage_skills_change_the_catalogues(
    http: httpx.Client, issuer: Issuer, catalogue: Catalogue
) -> None:
    for caller, status in (
        ({}, 401),
        (expired(issuer), 401),
        (citizen(issuer), 403),
        (staff(issuer, "go:empregabilidade:editor_sem_curadoria"), 403),
        (machine(issuer), 403),
    ):
        path = f"{BASE}/{catalogue}"
        assert http.post(path, json={"nome": "Minha"}, headers=caller).status_code == status
        assert http.put(f"{path}/1", json={"nome": "Minha"}, headers=caller).status_code == status
        assert http.delete(f"{path}/1", headers=caller).status_code == status


def test_a_repeated_post_adds_one(http: httpx.Client, issuer: Issuer) -> None:
    headers = staff(issuer) | {"Idempotency-Key": str(uuid4())}
    body = {"nome": f"Nome {uuid4()}"}
    first, again = (http.post(f"{BASE}/habilidades", json=body, headers=headers) for _ in range(2))
    assert (first.status_code, again.status_code, first.content) == (201, 201, again.content)


@pytest.mark.cases("employability", "18")
def test_a_behaviour_of_a_resume_an_area_with_skills_and_a_skill_with_areas_stay(
    http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    sql("INSERT INTO employability.resume (cpf) VALUES ('90000000418') ON CONFLICT DO NOTHING")
    sql("INSERT INTO employability.behaviour_link (cpf, id_comportamento_atitudes) VALUES ('90000000418', 2)")
    try:
        for path in ("comportamentos-atitudes/2", "habilidades/areas-atuacao/1", "habilidades/1"):
            answer = http.delete(f"{BASE}/{path}", headers=staff(issuer))
            assert (answer.status_code, answer.headers["Error-Code"]) == (409, "catalogue-in-use")
            assert http.get(f"{BASE}/{path}", headers=citizen(issuer)).status_code == 200
    finally:
        sql("DELETE FROM employability.resume WHERE cpf = '90000000418'")


def test_the_areas_of_a_skill_are_replaced_and_those_that_stay_keep_their_link(
    http: httpx.Client, issuer: Issuer, post: Post
) -> None:
    skill, area = post(Catalogue.SKILL), post(Catalogue.WORK_AREA)
    path = f"{BASE}/habilidades/{skill['id']}/areas-atuacao"
    both = http.put(path, json={"areas_ids": [1, area["id"]]}, headers=staff(issuer))
    one = http.put(path, json={"areas_ids": [area["id"]]}, headers=staff(issuer))
    assert {entry["id"] for entry in both.json()["data"]} == {1, area["id"]}
    assert one.json()["data"] == [entry for entry in both.json()["data"] if entry["id"] == area["id"]]
    read = http.get(f"{BASE}/habilidades/{skill['id']}", headers=citizen(issuer)).json()
    assert read["areas_atuacao"] == one.json()["data"]
    assert http.put(path, json={"areas_ids": []}, headers=staff(issuer)).json() == {"data": []}


@pytest.mark.parametrize(
    ("areas", "code"),
    [
        ([1, 1], "areas_ids-invalid"),
        ([1, 999_999], "areas_ids-invalid"),
        (["1"], "body-invalid"),
        (list(range(1, 22)), "areas_ids-invalid"),
        (None, "body-invalid"),
    ],
)
def test_areas_that_are_none_change_nothing(
    http: httpx.Client, issuer: Issuer, sql: Sql, areas: Any, code: str
) -> None:
    before = sql("SELECT * FROM employability.skill_area WHERE skill_id = 1")
    answer = http.put(f"{BASE}/habilidades/1/areas-atuacao", json={"areas_ids": areas}, headers=staff(issuer))
    assert refusal(answer) == (400, code)
    assert sql("SELECT * FROM employability.skill_area WHERE skill_id = 1") == before


def test_an_unknown_skill_has_no_areas(http: httpx.Client, issuer: Issuer) -> None:
    path = f"{BASE}/habilidades/999999/areas-atuacao"
    assert refusal(http.put(path, json={"areas_ids": []}, headers=staff(issuer))) == (404, "catalogue-unknown")
    assert http.put(path, json={"areas_ids": []}, headers=citizen(issuer)).status_code == 403


def test_the_area_of_a_skill_that_something_refers_to_stays(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    """Any foreign key to the link protects it. The test uses its own table instead of that of resumes."""
    sql("CREATE TABLE employability.user_of_links (id bigint REFERENCES employability.skill_area)")
    sql("INSERT INTO employability.user_of_links SELECT id FROM employability.skill_area WHERE skill_id = 2")
    try:
        answer = http.put(f"{BASE}/habilidades/2/areas-atuacao", json={"areas_ids": [3]}, headers=staff(issuer))
        assert (answer.status_code, answer.headers["Error-Code"]) == (409, "catalogue-in-use")
        shown = http.get(f"{BASE}/habilidades/2", headers=citizen(issuer)).json()["areas_atuacao"]
        assert [area["nome"] for area in shown] == ["Atendimento"]
    finally:
        sql("DROP TABLE employability.user_of_links")
