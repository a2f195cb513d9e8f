"""Applications as citizens make, change and withdraw them (rules: employability 2.7, 3.4, 4.3)."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest

from balcao import app
from balcao.employability import SERVICE
from balcao.settings import Settings, rates
from tests.employability.hiring.callers import ADMIN, EDITOR, FOREIGN, MACHINE, VISITOR, Callers
from tests.employability.hiring.conftest import Create
from tests.employability.hiring.making import BASE as JOBS
from tests.employability.people import citizen
from tests.employability.rules_table import read_rules, shape
from tests.employability.selection.conftest import Apply, Publish
from tests.employability.selection.making import BASE, TERMS, answer_all, person
from tests.support.fixtures import Sql
from tests.support.issuer import Issuer
from tests.support.patience import PATIENCE
from tests.support.refusals import refusal
from tests.support.server import RunningServer
from tests.support.statements import Statements, recorded


@pytest.fixture(scope="module", autouse=True)
def statements() -> Iterator[Statements]:
    """What the server sends, which starts afterwards."""
    with recorded() as found:
        yield found


@pytest.mark.cases("employability", "46")
def test_an_application_is_stored_with_the_servers_resume_and_shown_whole(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply
) -> None:
    job, cpf = publish(), person(1)
    resume = f"/jobs/api/v1/empregabilidade/curriculo/{cpf}"
    http.put(f"{resume}/idiomas", json=[], headers=citizen(issuer, cpf))
    http.put(
        f"{resume}/experiencias",
        json={"experiencias": [{"cargo": "Confeiteira", "empresa": "Aurora"}], "resumo_profissional": "Faço bolos."},
        headers=citizen(issuer, cpf),
    )
    made = apply(job, cpf, {"status": "aprovada", "curriculo_snapshot": {"formacoes": [{"nome_curso": "Medicina"}]}})
    assert made.status_code == 201, made.text
    application = made.json()
    assert application["curriculo_snapshot"] == http.get(resume, headers=citizen(issuer, cpf)).json()
    assert (application["status"], application["status_anterior"], application["cpf"]) == (
        "candidatura_enviada",
        None,
        cpf,
    )
    assert (application["id_etapa_atual"], application["etapa_atual"]) == (None, None)
    assert application["vaga"] == {
        name: job[name] for name in ("id", "slug", "titulo", "status", "data_limite", "contratante", "etapas")
    } | {"informacoes_complementares": job["informacoes_complementares"]}
    assert application["respostas_info_complementares"] == [
        {"id_info": job["informacoes_complementares"][1]["id"], "titulo": "Turno?", "resposta": "Manhã"}
    ]
    assert application["acoes_permitidas"] == ["edited", "withdraw"]
    assert http.get(f"{BASE}/{application['id']}", headers=citizen(issuer, cpf)).json() == application


def test_the_snapshot_stays_as_it_was_when_the_resume_changes(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply
) -> None:
    cpf = person(2)
    made = apply(publish(), cpf).json()
    http.put(
        f"/jobs/api/v1/empregabilidade/curriculo/{cpf}/experiencias",
        json={"resumo_profissional": "Novo."},
        headers=citizen(issuer, cpf),
    )
    again = http.get(f"{BASE}/{made['id']}", headers=citizen(issuer, cpf)).json()
    assert again["curriculo_snapshot"] == made["curriculo_snapshot"]
    assert again["curriculo_snapshot"]["resumo_profissional"] == ""


@pytest.mark.parametrize(
    ("number", "headers", "most"),
    [
        # The job, what the person did before, their resume, and one statement that stores everything.
        (951, {}, 4),
        # The same within a transaction, and the key: it is locked, looked for and kept.
        (952, {"Idempotency-Key": "candidatura"}, 9),
    ],
)
def test_applying_takes_few_round_trips(
    http: httpx.Client, issuer: Issuer, publish: Publish, statements: Statements, number: int,
    headers: dict[str, str], most: int,
) -> None:  # fmt: skip
    job, cpf = publish(), person(number)
    token = citizen(issuer, cpf)
    http.put(f"{TERMS}/{cpf}/accept", headers=token).raise_for_status()
    body = {"id_vaga": job["id"], "respostas_info_complementares": answer_all(job)}
    http.get("/liveness")  # the driver's loggers are called in a later turn of the server's loop
    statements.texts.clear()
    assert http.post(BASE, json=body, headers=token | headers).status_code == 201
    http.get("/liveness")
    sent = [text for text in statements.texts if " registry." not in text]
    assert len(sent) <= most, sent


def test_an_edit_of_the_job_or_the_resume_while_a_person_applies_is_seen(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, sql: Sql, database_url: str
) -> None:
    """What was read is older than what the statement that stores finds: all is read again."""
    job, cpf = publish(), person(953)
    token = citizen(issuer, cpf)
    http.put(f"{TERMS}/{cpf}/accept", headers=token).raise_for_status()
    resume = f"/jobs/api/v1/empregabilidade/curriculo/{cpf}/experiencias"
    http.put(resume, json={"resumo_profissional": "Antes."}, headers=token).raise_for_status()
    body = {"id_vaga": job["id"], "respostas_info_complementares": answer_all(job)}

    async def race() -> httpx.Response:
        holder, watcher = [await asyncpg.connect(database_url) for _ in range(2)]
        try:
            async with holder.transaction():
                await holder.execute("SELECT FROM employability.job WHERE id = $1 FOR UPDATE", UUID(job["id"]))
                applying = asyncio.get_running_loop().run_in_executor(
                    None, lambda: http.post(BASE, json=body, headers=token)
                )
                while not await watcher.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
                    assert not applying.done()
                await holder.execute(
                    "UPDATE employability.resume SET resumo_profissional = 'Depois.', row_version = row_version + 1"
                    " WHERE cpf = $1",
                    cpf,
                )
                await holder.execute(
                    "UPDATE employability.job SET titulo = 'Outro título', updated_at = clock_timestamp()"
                    " WHERE id = $1",
                    UUID(job["id"]),
                )
            return await applying
        finally:
            await holder.close()
            await watcher.close()

    made = asyncio.run(race())
    assert made.status_code == 201
    assert made.json()["vaga"]["titulo"] == "Outro título"
    assert made.json()["curriculo_snapshot"]["resumo_profissional"] == "Depois."


def test_a_person_whose_resume_changes_all_the_time_is_asked_to_try_again(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply, sql: Sql
) -> None:
    """Each time an application is to be stored, the resume is another than it was when it was read."""
    job, cpf = publish(), person(971)
    resume = f"/jobs/api/v1/empregabilidade/curriculo/{cpf}/experiencias"
    http.put(resume, json={"resumo_profissional": "Antes."}, headers=citizen(issuer, cpf)).raise_for_status()
    sql("CREATE FUNCTION pass_over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$")
    sql("CREATE TRIGGER pass_over BEFORE UPDATE ON employability.resume FOR EACH ROW EXECUTE FUNCTION pass_over()")
    try:
        answer = apply(job, cpf)
    finally:
        sql("DROP FUNCTION pass_over() CASCADE")
    assert refusal(answer) == (503, "application-changing")
    assert ("Retry-After" in answer.headers, answer.json()["message"]) == (True, answer.json()["error"])
    assert sql("SELECT FROM employability.application WHERE cpf = $1", cpf) == []
    assert apply(job, cpf).status_code == 201


def test_answers_that_the_job_does_not_ask_for_are_told(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply, sql: Sql
) -> None:
    job, cpf = publish(), person(972)
    shift = job["informacoes_complementares"][1]["id"]
    answered = {"id_info": shift, "resposta": "Manhã"}
    for answers, code in (
        ([], "answer-missing"),
        ([{"id_info": shift, "resposta": "Noite"}], "answer-invalid"),
        ([answered, answered], "answer-twice"),
        ([answered, {"id_info": str(uuid4()), "resposta": "Gosto."}], "answer-foreign"),
    ):
        assert refusal(apply(job, cpf, {"respostas_info_complementares": answers})) == (400, code)
    assert sql("SELECT FROM employability.application WHERE cpf = $1", cpf) == []


def test_a_resume_is_kept_only_as_it_was_read(sql: Sql) -> None:
    """Neither one that was erased since, nor one that was begun or saved since, is what was read."""
    keep, cpf = "SELECT employability.keep_resume($1, $2)", person(970)
    assert not sql(keep, cpf, 1)[0][0]
    assert sql(keep, cpf, None)[0][0]
    assert not sql(keep, cpf, None)[0][0]
    assert sql(keep, cpf, 1)[0][0]
    sql("UPDATE employability.resume SET row_version = 2 WHERE cpf = $1", cpf)
    assert not sql(keep, cpf, 1)[0][0]


def test_a_person_applies_ten_times_a_minute(
    settings: Settings, database_url: str, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in production: the sandbox lets a hundred times more pass. What a call holds counts for nothing."""
    monkeypatch.setattr(rates, "SANDBOX_FACTOR", 1)
    with (
        RunningServer(app.build(settings, database_url, [SERVICE.name])) as strict,
        httpx.Client(base_url=strict.url, timeout=PATIENCE) as client,
    ):
        answers = [client.post(BASE, content=b"{", headers=citizen(issuer, person(954))) for _ in range(11)]
        other = client.post(BASE, content=b"{", headers=citizen(issuer, person(955)))
    assert [answer.status_code for answer in answers] == [400] * 10 + [429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert set(answers[-1].json()) == {"error", "message"}
    assert other.status_code == 400


@pytest.mark.cases("employability", "41")
def test_forty_applications_at_once_make_one(publish: Publish, apply: Apply, sql: Sql) -> None:
    job, cpf = publish(), person(3)
    with ThreadPoolExecutor(40) as pool:
        statuses = sorted(answer.status_code for answer in pool.map(lambda _: apply(job, cpf), range(40)))
    # Those whom the limit of ten a minute refuses were never looked at.
    assert statuses.count(201) == 1
    assert set(statuses) <= {201, 400, 429}
    assert sql("SELECT count(*) FROM employability.application WHERE cpf = $1", cpf)[0][0] == 1


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
    # What stays is reordered, too: the places before the edit count.
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
    """Each operation that the page calls scoped and that names one: as with an id that nobody ever had."""
    job = publish()
    made = apply(job, person(960)).json()
    routes = {(each.method, shape(each.path)): each for each in SERVICE.routes}
    assert len(BY_ID) >= 25
    wrong = {}
    for method, path in BY_ID:
        body = routes[method, path].example
        own = made["id"] if "/candidaturas/" in path else job["id"]
        answers = []
        for id_ in (own, str(uuid4())):
            filled = path.replace("{}", id_, 1).replace("{}", job["etapas"][0]["id"])
            answers.append(http.request(method, f"/jobs{filled}", json=body, headers=callers[FOREIGN]))
        if {answer.status_code for answer in answers} != {404} or answers[0].content != answers[1].content:
            wrong[method, path] = [(answer.status_code, answer.text) for answer in answers]
    assert wrong == {}
    assert http.get(f"{BASE}/{made['id']}", headers=callers[EDITOR]).json()["status"] == "candidatura_enviada"
