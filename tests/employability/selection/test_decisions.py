"""Staff decisions on single applications and in bulk (rules: employability 2.7, 4.3)."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.employability.hiring.callers import ADMIN, CURATED, EDITOR, FOREIGN, HELIO, Callers
from tests.employability.hiring.job_bodies import BASE as JOBS
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, person
from tests.employability.selection.conftest import Apply, Publish
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal

SENT, APPROVED, REJECTED = "candidatura_enviada", "aprovada", "reprovada"
FROZEN, CLOSED = "vaga_congelada", "vaga_descontinuada"

Decide = Callable[..., httpx.Response]


@pytest.fixture
def decide(http: httpx.Client, callers: Callers) -> Decide:
    """Return a function that decides on an application, by default as the job's editor."""

    def send(application: Any, word: str, body: Any = None, who: str = EDITOR) -> httpx.Response:
        return http.put(f"{BASE}/{application['id']}/{word}", json=body, headers=callers[who])

    return send


@pytest.fixture
def made(publish: Publish, apply: Apply, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return an application to a newly published job."""
    answer = apply(publish(), person(100 + len(request.node.name)))
    assert answer.status_code == 201, answer.text
    application: dict[str, Any] = answer.json()
    return application


@pytest.fixture
def shown(http: httpx.Client, callers: Callers) -> Callable[[Any], dict[str, Any]]:
    def read(application: Any) -> dict[str, Any]:
        answer = http.get(f"{BASE}/{application['id']}", headers=callers[EDITOR])
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    return read


def history(sql: Sql, application: Any) -> list[tuple[str, str | None, str]]:
    rows = sql(
        "SELECT evento, de, para FROM employability.application_event WHERE id_candidatura = $1 ORDER BY id",
        application["id"],
    )
    return [tuple(row) for row in rows]


def emails(sql: Sql, application: Any) -> list[str]:
    rows = sql(
        "SELECT convert_from(payload, 'UTF8')::jsonb ->> 'kind' AS kind FROM queue.pgqueuer"
        " WHERE convert_from(payload, 'UTF8')::jsonb ->> 'application' = $1 ORDER BY id",
        application["id"],
    )
    return [row["kind"] for row in rows]


@pytest.mark.parametrize("text", ["CPF 900.000.001-75", "ana@pessoa.example pediu", "ligue (21) 98765-4321"])
def test_a_reason_with_personal_data_is_refused_and_decides_nothing(
    made: dict[str, Any], decide: Decide, sql: Sql, text: str
) -> None:
    refused = decide(made, "reject", {"motivo": text})
    assert (refused.status_code, refused.headers["Error-Code"]) == (400, "motivo-personal")
    assert history(sql, made) == [("submit", None, SENT)]


@pytest.mark.cases("employability", "53")
def test_a_second_approval_changes_nothing_and_sends_nothing(
    made: dict[str, Any], decide: Decide, shown: Any, sql: Sql
) -> None:
    assert [decide(made, "approve", {"motivo": "Perfil da vaga."}).status_code for _ in range(2)] == [200, 200]
    assert shown(made)["status"] == APPROVED
    assert history(sql, made) == [("submit", None, SENT), ("approve", SENT, APPROVED)]
    assert emails(sql, made) == ["candidatura_recebida", "candidatura_aprovada"]
    reasons = sql("SELECT motivo FROM employability.application_event WHERE evento = 'approve'")
    assert "Perfil da vaga." in [row["motivo"] for row in reasons]


@pytest.mark.parametrize("target", [APPROVED, REJECTED, FROZEN, CLOSED, SENT])
@pytest.mark.parametrize("start", [SENT, APPROVED, REJECTED, FROZEN, CLOSED])
def test_a_status_changes_to_any_other_until_it_is_closed(
    publish: Publish, apply: Apply, decide: Decide, shown: Any, start: str, target: str, request: Any
) -> None:
    made = apply(publish(), person(1_000 + [SENT, APPROVED, REJECTED, FROZEN, CLOSED].index(start) * 10 + len(target)))
    application = made.json()
    assert decide(application, "status", {"status": start}).status_code == 200
    answer = decide(application, "status", {"status": target})
    assert answer.status_code == (409 if start == CLOSED and target != CLOSED else 200)
    assert shown(application)["status"] == (start if answer.status_code == 409 else target)


@pytest.mark.cases("employability", "54")
def test_while_the_job_is_paused_nothing_is_decided(
    http: httpx.Client, callers: Callers, made: dict[str, Any], decide: Decide, shown: Any, sql: Sql
) -> None:
    """A decision is refused even if it repeats the stored or the displayed status."""
    job = f"{JOBS}/{made['id_vaga']}"
    assert http.put(f"{job}/freeze", headers=callers[EDITOR]).status_code == 200
    attempts: list[tuple[str, Any]] = [
        ("approve", None),
        ("reject", None),
        ("status", {"status": FROZEN}),
        ("status", {"status": SENT}),
        ("etapa", {"id_etapa_atual": made["vaga"]["etapas"][0]["id"]}),
        ("etapa", {}),
    ]
    for word, body in attempts:
        answer = decide(made, word, body)
        assert (answer.status_code, answer.headers["Error-Code"]) == (409, "application-state"), word
    bulk = {"cpfs": [made["cpf"]], "vaga_id": made["id_vaga"], "status": APPROVED}
    answer = http.put(f"{BASE}/bulk-status", json=bulk, headers=callers[EDITOR])
    failure = {"cpf": made["cpf"], "code": "application-state", "status": FROZEN}
    assert answer.json() == {"updated": 0, "failed_cpfs": [made["cpf"]], "failures": [failure]}
    assert (shown(made)["status"], shown(made)["status_anterior"]) == (FROZEN, SENT)
    assert http.put(f"{job}/unfreeze", headers=callers[EDITOR]).status_code == 200
    assert decide(made, "approve").status_code == 200
    assert http.put(f"{job}/discontinue", headers=callers[EDITOR]).status_code == 200
    assert refusal(decide(made, "reject")) == (409, "application-state")
    # Candidates of a closed job are notified only if the city enables it.
    assert sql("SELECT FROM queue.pgqueuer WHERE entrypoint = 'job_closed'") == []
    assert http.put(f"{job}/reactivate", headers=callers[EDITOR]).status_code == 200
    assert shown(made)["status"] == APPROVED


@pytest.mark.cases("employability", "55")
def test_a_step_is_one_of_the_jobs_own_in_both_directions_or_none(
    made: dict[str, Any], publish: Publish, decide: Decide, shown: Any, sql: Sql
) -> None:
    first, second = (step["id"] for step in made["vaga"]["etapas"])
    for step in (second, first, first):
        assert decide(made, "etapa", {"id_etapa_atual": step}).status_code == 200
        assert shown(made)["etapa_atual"]["id"] == step
    for no_step in ({}, {"id_etapa_atual": None}, None):
        answer = decide(made, "etapa", no_step)
        assert (answer.status_code, shown(made)["id_etapa_atual"]) == (200, None)
    foreign = publish()["etapas"][0]["id"]
    for body in ({"id_etapa_atual": foreign}, {"id_etapa_atual": "abc"}):
        answer = decide(made, "etapa", body)
        assert (answer.status_code, answer.headers["Error-Code"]) == (400, "id_etapa_atual-invalid")
    assert emails(sql, made) == ["candidatura_recebida", "nova_etapa", "nova_etapa"]
    assert decide(made, "reject").status_code == 200
    assert refusal(decide(made, "etapa", {"id_etapa_atual": first})) == (409, "application-state")


def test_who_is_approved_moves_on_without_an_email(made: dict[str, Any], decide: Decide, sql: Sql) -> None:
    assert decide(made, "approve").status_code == 200
    assert decide(made, "etapa", {"id_etapa_atual": made["vaga"]["etapas"][0]["id"]}).status_code == 200
    assert emails(sql, made) == ["candidatura_recebida", "candidatura_aprovada"]


def test_nobody_decides_beyond_their_departments_nor_on_their_own_application(
    http: httpx.Client, callers: Callers, made: dict[str, Any], publish: Publish, apply: Apply, decide: Decide
) -> None:
    for word, body in [("approve", None), ("status", {"status": APPROVED}), ("etapa", {})]:
        answer = decide(made, word, body, FOREIGN)
        assert (answer.status_code, answer.headers["Error-Code"]) == (404, "application-unknown")
    bulk = {"cpfs": [made["cpf"]], "vaga_id": made["id_vaga"], "status": APPROVED}
    assert refusal(http.put(f"{BASE}/bulk-status", json=bulk, headers=callers[FOREIGN])) == (404, "job-unknown")
    assert decide(made, "approve", None, CURATED).status_code == 200
    job = publish()
    own = apply(job, HELIO).json()
    answer = decide(own, "approve")
    assert (answer.status_code, answer.headers["Error-Code"]) == (403, "own-application")
    mine = {"cpfs": [HELIO], "vaga_id": job["id"], "status": APPROVED}
    refused = http.put(f"{BASE}/bulk-status", json=mine, headers=callers[EDITOR]).json()
    assert refused["failed_cpfs"] == [HELIO]
    assert refused["failures"] == [{"cpf": HELIO, "code": "own-application", "status": SENT}]
    nobodys = mine | {"vaga_id": publish()["id"]}  # an editor must not learn who did not apply
    refused = http.put(f"{BASE}/bulk-status", json=nobodys, headers=callers[EDITOR]).json()
    assert refused["failures"] == [{"cpf": HELIO, "code": "application-unknown", "status": None}]
    assert decide(own, "approve", None, ADMIN).status_code == 200


@pytest.fixture
def three(publish: Publish, apply: Apply) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a job with three applications."""
    job = publish()
    made = [apply(job, person(number)) for number in (31, 32, 33)]
    assert [answer.status_code for answer in made] == [201] * 3
    return job, [answer.json() for answer in made]


@pytest.mark.cases("employability", "56")
def test_a_bulk_decision_changes_whom_it_can_and_names_the_others(
    http: httpx.Client, callers: Callers, three: Any, decide: Decide, shown: Any, sql: Sql
) -> None:
    job, (closed, *rest) = three
    assert decide(closed, "status", {"status": CLOSED}).status_code == 200
    stranger = person(39)
    asked = {"cpfs": [stranger, *[each["cpf"] for each in (closed, *rest)], rest[0]["cpf"]]}
    body = asked | {"vaga_id": job["id"], "status": APPROVED}
    for _ in range(2):  # the repeated call gets the same response
        answer = http.put(f"{BASE}/bulk-status", json=body, headers=callers[EDITOR])
        assert (answer.status_code, answer.json()) == (
            200,
            {
                "updated": 2,
                "failed_cpfs": [stranger, closed["cpf"]],
                "failures": [
                    {"cpf": stranger, "code": "application-unknown", "status": None},
                    {"cpf": closed["cpf"], "code": "application-state", "status": CLOSED},
                ],
            },
        )
    assert [shown(each)["status"] for each in (closed, *rest)] == [CLOSED, APPROVED, APPROVED]
    assert [emails(sql, each)[1:] for each in (closed, *rest)] == [
        [],
        ["candidatura_aprovada"],
        ["candidatura_aprovada"],
    ]
    trail = sql(
        "SELECT subject FROM platform.audit_event WHERE operation = 'employability.set_status_of_applications'"
        " AND action = 'update' AND subject = ANY($1)",
        [f"***.{each['cpf'][3:6]}.{each['cpf'][6:9]}-**" for each in rest],
    )
    assert len(trail) == 2


@pytest.mark.cases("employability", "56")
def test_a_bulk_move_takes_candidates_of_one_step_only(
    http: httpx.Client, callers: Callers, three: Any, decide: Decide, shown: Any, publish: Publish
) -> None:
    job, applications = three
    first, second = (step["id"] for step in job["etapas"])
    body = {"cpfs": [each["cpf"] for each in applications], "vaga_id": job["id"], "id_etapa": second}

    def send(**members: Any) -> httpx.Response:
        return http.put(f"{BASE}/bulk-etapa", json=body | members, headers=callers[EDITOR])

    assert decide(applications[0], "etapa", {"id_etapa_atual": first}).status_code == 200
    answer = send()
    assert (answer.status_code, answer.headers["Error-Code"]) == (409, "steps-differ")
    assert [shown(each)["id_etapa_atual"] for each in applications] == [first, None, None]
    assert decide(applications[0], "etapa", {}).status_code == 200
    assert decide(applications[2], "reject").status_code == 200
    rejected = applications[2]["cpf"]
    assert send().json() == {
        "updated": 2,
        "failed_cpfs": [rejected],
        "failures": [{"cpf": rejected, "code": "application-state", "status": REJECTED}],
    }
    assert [shown(each)["id_etapa_atual"] for each in applications] == [second, second, None]
    assert refusal(send(id_etapa=publish()["etapas"][0]["id"])) == (400, "id_etapa-invalid")


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"cpfs": []}, "cpfs-invalid"),
        ({"cpfs": ["123"]}, "cpfs-invalid"),
        ({"cpfs": [person(31)] * 1_001}, "cpfs-invalid"),
        ({"status": "contratada"}, "status-invalid"),
        ({"status": "retirada"}, "status-invalid"),
        ({"vaga_id": "abc"}, "vaga_id-invalid"),
    ],
)
def test_a_bulk_decision_that_cannot_be_meant_is_refused(
    http: httpx.Client, callers: Callers, members: dict[str, Any], code: str
) -> None:
    unknown = "00000000-0000-4000-8000-000000000000"
    body = {"cpfs": [person(31)], "vaga_id": unknown, "status": APPROVED}
    answer = http.put(f"{BASE}/bulk-status", json=body | members, headers=callers[EDITOR])
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, code)
    assert refusal(http.put(f"{BASE}/bulk-status", json=body, headers=callers[EDITOR])) == (404, "job-unknown")


def test_the_history_tells_the_candidate_what_happened_and_staff_also_who_did_it(
    http: httpx.Client, callers: Callers, issuer: Issuer, made: dict[str, Any], decide: Decide
) -> None:
    assert decide(made, "reject", {"motivo": "Outro perfil."}).status_code == 200
    assert decide(made, "status", {"status": SENT}).status_code == 200
    own = citizen(issuer, made["cpf"])
    assert http.delete(f"{BASE}/{made['id']}", headers=own).status_code == 200
    path = f"{BASE}/{made['id']}/historico"
    by_staff, by_candidate = (http.get(path, headers=who).json() for who in (callers[EDITOR], own))
    events = [(entry["evento"], entry["de"], entry["para"]) for entry in by_candidate["data"]]
    assert events == [
        ("withdraw", SENT, "retirada"),
        ("reopen", REJECTED, SENT),
        ("reject", SENT, REJECTED),
        ("submit", None, SENT),
    ]
    assert [entry["por"] for entry in by_candidate["data"]] == [None] * 4
    assert [entry["por"] for entry in by_staff["data"]] == [None, *[f"Equipe {EDITOR}"] * 2, None]
    assert by_staff["data"][2]["motivo"] == "Outro perfil."
    assert by_staff["meta"] == {"page": 1, "page_size": 50, "total": 4}
    for who in (callers[FOREIGN], citizen(issuer, person(98)), callers["machine"]):
        assert refusal(http.get(path, headers=who)) == (404, "application-unknown")
    assert http.get(path, headers=callers["visitor"]).status_code == 401
