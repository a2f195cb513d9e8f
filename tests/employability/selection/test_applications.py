"""Applications that citizens submit, change and withdraw (rules: employability 2.7, 3.4, 4.3)."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from balcao.core.http.openapi import find_example
from balcao.employability import SERVICE
from tests.employability.hiring.callers import ADMIN, EDITOR, FOREIGN, MACHINE, VISITOR, Callers
from tests.employability.hiring.conftest import Create
from tests.employability.hiring.job_bodies import BASE as JOBS
from tests.employability.people import citizen
from tests.employability.rules_table import read_rules, shape
from tests.employability.selection.application_bodies import BASE, TERMS, answer_all, person
from tests.employability.selection.conftest import Apply, Publish
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal


@pytest.mark.cases("employability", "42")
def test_a_job_takes_applications_while_it_is_active(
    http: httpx.Client, callers: Callers, create: Create, publish: Publish, apply: Apply, expire: Any
) -> None:
    expired, frozen, deleted = publish(), publish(), publish()
    expire(expired["id"])
    assert http.put(f"{JOBS}/{frozen['id']}/freeze", headers=callers[EDITOR]).status_code == 200
    assert http.delete(f"{JOBS}/{deleted['id']}", headers=callers[EDITOR]).status_code == 200
    cpf = person(4)
    assert refusal(apply(expired, cpf)) == (400, "job-expired")
    refused = apply(frozen, cpf)
    assert refusal(refused) == (400, "job-not-active")
    assert refused.json()["error"] == refused.json()["message"]
    assert refusal(apply(create(), cpf)) == (404, "job-unknown")
    assert refusal(apply(deleted, cpf)) == (404, "job-unknown")


@pytest.mark.cases("employability", "52")
def test_who_withdrew_may_apply_again_three_times(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply
) -> None:
    job, cpf = publish(), person(5)
    for _ in range(3):
        made = apply(job, cpf)
        assert made.status_code == 201
        assert refusal(apply(job, cpf)) == (400, "application-exists")
        path = f"{BASE}/{made.json()['id']}"
        assert http.delete(path, headers=citizen(issuer, cpf)).json() == {"message": "Candidatura retirada."}
        assert refusal(http.delete(path, headers=citizen(issuer, cpf))) == (404, "application-unknown")
        assert refusal(http.get(path, headers=citizen(issuer, cpf))) == (404, "application-unknown")
    fourth = apply(job, cpf)
    assert refusal(fourth) == (400, "withdrawal-limit")
    assert fourth.json()["message"] == fourth.json()["error"]
    listed = http.get(f"{BASE}/usuario/{cpf}", headers=citizen(issuer, cpf)).json()
    assert (listed["data"], listed["meta"]["total"], sum(listed["resumo"].values())) == ([], 0, 0)


def test_nobody_reaches_an_application_but_its_candidate_and_the_jobs_department(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, apply: Apply
) -> None:
    cpf = person(6)
    path = f"{BASE}/{apply(publish(), cpf).json()['id']}"
    unknown = f"{BASE}/00000000-0000-4000-8000-000000000000"
    others = (citizen(issuer, person(7)), callers[FOREIGN], callers[MACHINE])
    for headers in others:
        for method, body in (("GET", None), ("PUT", {"email": "x@pessoa.example"}), ("DELETE", None)):
            answer = http.request(method, path, json=body, headers=headers)
            assert (refusal(answer), answer.content) == (
                (404, "application-unknown"),
                http.request(method, unknown, json=body, headers=headers).content,
            )
    assert http.get(path, headers=callers[VISITOR]).status_code == 401
    assert http.get(path, headers=callers[EDITOR]).json()["cpf"] == cpf
    assert refusal(http.delete(path, headers=callers[ADMIN])) == (404, "application-unknown")
    whole = f"{BASE}/usuario/{cpf}"
    assert http.get(whole, headers=others[0]).status_code == 403
    assert http.get(whole, headers=callers[FOREIGN]).json()["data"] == []
    assert len(http.get(whole, headers=callers[EDITOR]).json()["data"]) == 1


def test_a_read_by_staff_is_recorded_and_the_candidates_own_is_not(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, apply: Apply, events: Any
) -> None:
    cpf = person(8)
    path = f"{BASE}/{apply(publish(), cpf).json()['id']}"
    before = len(events("employability.read_application"))
    http.get(path, headers=citizen(issuer, cpf))
    assert len(events("employability.read_application")) == before
    http.get(path, headers=callers[EDITOR])
    recorded = events("employability.read_application")[-1]
    assert (recorded["action"], recorded["actor_kind"], recorded["fields"]) == ("read", "staff", ["candidatura"])


@pytest.mark.cases("employability", "50")
def test_a_citizen_applies_for_nobody_else(http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply) -> None:
    job = publish()
    assert refusal(apply(job, person(9), {"cpf": person(10)})) == (403, "cpf-foreign")
    assert refusal(apply(job, person(9), {"cpf": "12345678900"})) == (403, "cpf-foreign")
    assert apply(job, person(9), {"cpf": person(9)}).status_code == 201


def test_staff_apply_for_a_person_within_their_departments(
    http: httpx.Client, callers: Callers, publish: Publish, issuer: Issuer
) -> None:
    job, cpf = publish(), person(11)
    body = {"id_vaga": job["id"], "cpf": cpf, "nome": "Nina Rocha", "email": "nina@pessoa.example"}
    body["respostas_info_complementares"] = answer_all(job)
    assert refusal(http.post(BASE, json=body, headers=callers[FOREIGN])) == (404, "job-unknown")
    made = http.post(BASE, json=body, headers=callers[EDITOR])
    assert (made.status_code, made.json()["nome"], made.json()["email"]) == (201, "Nina Rocha", "nina@pessoa.example")
    own = http.get(f"{BASE}/usuario/{cpf}", headers=citizen(issuer, cpf)).json()["data"]
    assert [each["id"] for each in own] == [made.json()["id"]]
    for wrong, code in (
        ({"cpf": "1"}, "cpf-invalid"),
        ({"email": "nina@"}, "email-invalid"),
        ({"nome": "Nina\nRocha"}, "nome-control"),
        ({"id_vaga": "x"}, "id_vaga-invalid"),
    ):
        assert refusal(http.post(BASE, json=body | wrong, headers=callers[EDITOR])) == (400, code)


@pytest.mark.cases("employability", "52")
def test_contact_and_answers_change_until_somebody_decides(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, apply: Apply, sql: Sql
) -> None:
    job, cpf = publish(), person(12)
    made = apply(job, cpf)
    path, headers = f"{BASE}/{made.json()['id']}", citizen(issuer, cpf)
    tag = http.get(path, headers=headers).headers["ETag"]
    changed = http.put(path, json={"email": "novo@pessoa.example", "nome": "Outra"}, headers=headers)
    assert (changed.json()["email"], changed.json()["nome"]) == ("novo@pessoa.example", made.json()["nome"])
    assert changed.json()["respostas_info_complementares"] == made.json()["respostas_info_complementares"]
    answers = [{"id_info": job["informacoes_complementares"][1]["id"], "resposta": "Tarde"}]
    assert refusal(http.put(path, json={"email": "x"}, headers=headers)) == (400, "email-invalid")
    stale = http.put(path, json={"respostas_info_complementares": answers}, headers=headers | {"If-Match": tag})
    assert stale.status_code == 412
    again = http.put(path, json={"respostas_info_complementares": answers}, headers=headers)
    assert again.json()["respostas_info_complementares"][0]["resposta"] == "Tarde"
    assert http.put(path, json={"nome": "Lia Paz"}, headers=callers[EDITOR]).json()["nome"] == "Lia Paz"
    sql("UPDATE employability.application SET status = 'aprovada' WHERE id = $1", made.json()["id"])
    assert refusal(http.put(path, json={}, headers=headers)) == (409, "application-state")
    late = http.delete(path, headers=headers)
    assert refusal(late) == (409, "application-state")
    assert late.json()["error"] == (
        "A candidatura está aprovada (`aprovada`), e a vaga, publicada (`publicado_ativo`): não é possível retirá-la "
        "agora."
    )


@pytest.mark.cases("employability", "35")
def test_the_state_of_the_job_stands_in_the_place_of_every_status(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, apply: Apply, sql: Sql
) -> None:
    job, first, second = publish(), person(903), person(904)
    paths = {cpf: f"{BASE}/{apply(job, cpf).json()['id']}" for cpf in (first, second)}
    sql("UPDATE employability.application SET status = 'aprovada' WHERE cpf = $1", first)

    def shown() -> list[tuple[str, str | None]]:
        found = [http.get(path, headers=citizen(issuer, cpf)).json() for cpf, path in paths.items()]
        return [(each["status"], each["status_anterior"]) for each in found]

    own = [("aprovada", None), ("candidatura_enviada", None)]
    assert shown() == own
    for event, status in (("freeze", "vaga_congelada"), ("discontinue", "vaga_descontinuada"), ("reactivate", None)):
        assert http.put(f"{JOBS}/{job['id']}/{event}", headers=callers[EDITOR]).status_code == 200
        assert shown() == (own if status is None else [(status, "aprovada"), (status, "candidatura_enviada")])
        listed = http.get(
            f"{BASE}/usuario/{first}", params={"status": status or "aprovada"}, headers=citizen(issuer, first)
        )
        assert (listed.json()["meta"]["total"], listed.json()["resumo"][status or "aprovada"]) == (1, 1)
    http.delete(f"{JOBS}/{job['id']}", headers=callers[EDITOR])
    assert shown() == [("vaga_descontinuada", "aprovada"), ("vaga_descontinuada", "candidatura_enviada")]
    assert http.delete(paths[second], headers=citizen(issuer, second)).status_code == 200


def test_a_list_is_filtered_and_counted(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply, sql: Sql
) -> None:
    cpf = person(15)
    first, second = publish(), publish()
    made = [apply(job, cpf).json() for job in (first, second)]
    step = second["etapas"][1]["id"]
    sql("UPDATE employability.application SET id_etapa_atual = $2 WHERE id = $1", made[1]["id"], step)
    headers = citizen(issuer, cpf)

    def ids(**query: Any) -> list[str]:
        listed = http.get(f"{BASE}/usuario/{cpf}", params=query, headers=headers).json()
        return [each["id"] for each in listed["data"]]

    assert ids() == [made[1]["id"], made[0]["id"]]
    assert (ids(page=2, pageSize=1), ids(vagaId=first["id"]), ids(etapa_id=step)) == (
        [made[0]["id"]],
        [made[0]["id"]],
        [made[1]["id"]],
    )
    listed = http.get(f"{BASE}/usuario/{cpf}", params={"status": "aprovada"}, headers=headers).json()
    assert (listed["data"], listed["meta"]["total"], listed["resumo"]["candidatura_enviada"]) == ([], 0, 2)
    etapa = http.get(f"{BASE}/usuario/{cpf}", params={"etapa_id": step}, headers=headers).json()["data"][0][
        "etapa_atual"
    ]
    assert (etapa["ordem"], etapa["titulo"]) == (2, "Entrevista")
    for query in ({"status": "retirada"}, {"vagaId": "x"}, {"etapa_id": "1"}):
        (name,) = query
        refused = http.get(f"{BASE}/usuario/{cpf}", params=query, headers=headers)
        assert refusal(refused) == (400, f"{name}-invalid")


def test_an_idempotency_key_gives_the_first_answer_again(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply
) -> None:
    job, cpf = publish(), person(16)
    headers = citizen(issuer, cpf) | {"Idempotency-Key": "a"}
    http.put(f"{TERMS}/{cpf}/accept", headers=headers)
    body = {"id_vaga": job["id"], "respostas_info_complementares": answer_all(job)}
    first = http.post(BASE, json=body, headers=headers)
    assert (first.status_code, first.content) == (201, http.post(BASE, json=body, headers=headers).content)
    assert http.post(BASE, json=body | {"nome": "x"}, headers=headers).status_code == 409


@pytest.mark.cases("employability", "28")
@pytest.mark.parametrize("kept", [[0], [1, 2], [0, 2], []])
def test_the_candidate_of_a_removed_step_stands_on_the_step_before(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, apply: Apply, sql: Sql, kept: list[int]
) -> None:
    job = publish(etapas=[{"titulo": name, "descricao": name} for name in "ABC"])
    people = {place: person(100 + 10 * sum(kept) + len(kept) * 3 + place) for place in range(3)}
    for place, cpf in people.items():
        made = apply(job, cpf).json()
        sql(
            "UPDATE employability.application SET id_etapa_atual = $2 WHERE id = $1",
            made["id"],
            job["etapas"][place]["id"],
        )
    # The edit also reorders the remaining steps. A candidate whose step is removed moves to the step before it in the
    # old order.
    sent = [job["etapas"][place] | {"ordem": 9 - place} for place in kept]
    edited = http.put(f"{JOBS}/{job['id']}", json=job | {"etapas": sent}, headers=callers[EDITOR])
    assert edited.status_code == 200, edited.text
    for place, cpf in people.items():
        before = [each for each in kept if each <= place]
        expected = job["etapas"][before[-1]]["id"] if before else None
        found = http.get(f"{BASE}/usuario/{cpf}", headers=citizen(issuer, cpf)).json()["data"][0]
        assert found["id_etapa_atual"] == expected


SCOPED = sorted((method, path) for (method, path), who in read_rules().items() if who.scoped and "{}" in path)
BY_ID = [each for each in SCOPED if each[1].count("/vagas/{}") or "/candidaturas/{}" in each[1]]


@pytest.mark.cases("employability", "26")
def test_to_an_editor_of_another_department_every_job_and_application_is_unknown(
    http: httpx.Client, callers: Callers, publish: Publish, apply: Apply
) -> None:
    """Another department's job or application looks like an unknown id.

    This applies to every operation on an id that the rules page calls scoped.
    """
    job = publish()
    made = apply(job, person(960)).json()
    operations = {(each.method, shape(each.path)): each for each in SERVICE.operations()}
    assert len(BY_ID) >= 25
    wrong = {}
    for method, path in BY_ID:
        body = find_example(operations[method, path])
        own = made["id"] if "/candidaturas/" in path else job["id"]
        answers = []
        for id_ in (own, str(uuid4())):
            filled = path.replace("{}", id_, 1).replace("{}", job["etapas"][0]["id"])
            answers.append(http.request(method, f"/jobs{filled}", json=body, headers=callers[FOREIGN]))
        if {answer.status_code for answer in answers} != {404} or answers[0].content != answers[1].content:
            wrong[method, path] = [(answer.status_code, answer.text) for answer in answers]
    assert wrong == {}
    assert http.get(f"{BASE}/{made['id']}", headers=callers[EDITOR]).json()["status"] == "candidatura_enviada"
