"""Submission of an application: the stored data, and concurrent changes (rules: employability 2.7, 3.4, 4.3)."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest

from balcao import app
from balcao.employability import SERVICE
from balcao.settings import Settings, rates
from tests.employability.hiring.callers import EDITOR, Callers
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, TERMS, answer_all, person
from tests.employability.selection.conftest import Apply, Publish
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE
from tests.support.refusals import refusal
from tests.support.sent_statements import Statements, recorded
from tests.support.server import RunningServer

Change: TypeAlias = Sequence[Any]
"""An SQL statement and its values."""


@pytest.fixture(scope="module", autouse=True)
def statements() -> Iterator[Statements]:
    """Record all statements. This fixture must run before the server starts."""
    with recorded() as found:
        yield found


def race(database_url: str, call: Callable[[], httpx.Response], held: Change, *changes: Change) -> httpx.Response:
    """Start the call while a transaction holds rows, and wait until it is blocked. Then make the changes and commit."""

    async def run() -> httpx.Response:
        holder, watcher = [await asyncpg.connect(database_url) for _ in range(2)]
        try:
            async with holder.transaction():
                await holder.execute(*held)
                calling = asyncio.get_running_loop().run_in_executor(None, call)
                while not await watcher.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
                    assert not calling.done()
                for change in changes:
                    await holder.execute(*change)
            return await calling
        finally:
            await holder.close()
            await watcher.close()

    return asyncio.run(run())


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
        # One statement reads the job, the earlier applications and the resume, and stores everything.
        (951, {}, 4),
        # With an idempotency key, the same happens in a transaction, which also locks, reads and stores the key.
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
    Statements.settle(http)
    statements.texts.clear()
    assert http.post(BASE, json=body, headers=token | headers).status_code == 201
    Statements.settle(http)
    sent = [text for text in statements.texts if " registry." not in text]
    assert len(sent) <= most, sent


@pytest.mark.parametrize(
    ("number", "path", "body", "most"),
    [
        # The statements begin and end the transaction, take the locks, read the application and its job, and write the
        # decision with its event, e-mail and audit event.
        (980, "/approve", None, 8),
        (981, "", {"email": "novo@pessoa.example"}, 8),
    ],
)
def test_a_change_reads_the_application_and_its_job_once(
    http: httpx.Client, callers: Callers, publish: Publish, apply: Apply, statements: Statements, number: int,
    path: str, body: dict[str, str] | None, most: int,
) -> None:  # fmt: skip
    made = apply(publish(), person(number)).json()
    Statements.settle(http)
    statements.texts.clear()
    answer = http.put(f"{BASE}/{made['id']}{path}", json=body, headers=callers[EDITOR])
    assert answer.status_code == 200, answer.text
    Statements.settle(http)
    sent = [text for text in statements.texts if " registry." not in text]
    assert len(sent) <= most, sent
    for read in ("content.curriculo_snapshot", "informacoes_complementares"):
        assert sum(read in text for text in sent) == 1, sent


def test_a_change_that_waits_for_another_keeps_the_others_answers(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply, sql: Sql, database_url: str
) -> None:
    cpf = person(982)
    made = apply(publish(), cpf).json()
    id_ = UUID(made["id"])
    answers = [made["respostas_info_complementares"][0] | {"resposta": "Tarde"}]

    changed = race(
        database_url,
        lambda: http.put(f"{BASE}/{id_}", json={"email": "novo@x.example"}, headers=citizen(issuer, cpf)),
        ("UPDATE employability.application SET nome = nome WHERE id = $1", id_),
        (
            "UPDATE employability.application_content SET respostas = $2::jsonb WHERE id_candidatura = $1",
            id_,
            json.dumps(answers),
        ),
    ).json()
    assert (changed["email"], changed["respostas_info_complementares"]) == ("novo@x.example", answers)


def test_an_edit_of_the_job_or_the_resume_while_a_person_applies_is_seen(
    http: httpx.Client, issuer: Issuer, callers: Callers, publish: Publish, sql: Sql, database_url: str
) -> None:
    """The insert detects a newer version of the job or the resume, so the service reads everything again."""
    job, cpf = publish(), person(953)
    token = citizen(issuer, cpf)
    http.put(f"{TERMS}/{cpf}/accept", headers=token).raise_for_status()
    resume = f"/jobs/api/v1/empregabilidade/curriculo/{cpf}/experiencias"
    http.put(resume, json={"resumo_profissional": "Antes."}, headers=token).raise_for_status()
    body = {"id_vaga": job["id"], "respostas_info_complementares": answer_all(job)}

    made = race(
        database_url,
        lambda: http.post(BASE, json=body, headers=token),
        ("SELECT FROM employability.job WHERE id = $1 FOR UPDATE", UUID(job["id"])),
        (
            "UPDATE employability.resume SET resumo_profissional = 'Depois.', row_version = row_version + 1"
            " WHERE cpf = $1",
            cpf,
        ),
        (
            "UPDATE employability.job SET titulo = 'Outro título', updated_at = clock_timestamp() WHERE id = $1",
            UUID(job["id"]),
        ),
    )
    assert made.status_code == 201
    assert made.json()["vaga"]["titulo"] == "Outro título"
    assert made.json()["curriculo_snapshot"]["resumo_profissional"] == "Depois."


def test_a_person_whose_resume_changes_all_the_time_is_asked_to_try_again(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply, sql: Sql
) -> None:
    """The trigger makes every attempt fail as if the resume had changed since it was read."""
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


@pytest.mark.cases("employability", "52")
def test_a_withdrawal_while_a_person_applies_counts(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply, sql: Sql, database_url: str
) -> None:
    """Each application increments the version of the resume, so a concurrent submission reads everything again."""
    job, cpf = publish(), person(970)
    read_version = "SELECT row_version FROM employability.resume WHERE cpf = $1"
    for version in (1, 2):
        made = apply(job, cpf).json()
        assert sql(read_version, cpf)[0][0] == version
        http.delete(f"{BASE}/{made['id']}", headers=citizen(issuer, cpf)).raise_for_status()

    # Simulate a third application that is submitted and withdrawn at that moment.
    fourth = race(
        database_url,
        lambda: apply(job, cpf),
        ("UPDATE employability.resume SET row_version = row_version + 1 WHERE cpf = $1", cpf),
        (
            "INSERT INTO employability.application (id, cpf, id_vaga, status, origem)"
            " VALUES ($1, $2, $3, 'retirada', 'cidadao')",
            uuid4(),
            cpf,
            UUID(job["id"]),
        ),
    )
    assert refusal(fourth) == (400, "withdrawal-limit")


@pytest.mark.parametrize(
    ("number", "change", "summary"),
    [
        (983, "INSERT INTO employability.resume (cpf, resumo_profissional) VALUES ($1, 'Depois.')", "Depois."),
        (984, "DELETE FROM employability.resume WHERE cpf = $1", ""),
    ],
)
def test_a_resume_that_begins_or_ends_while_a_person_applies_is_read_again(
    http: httpx.Client, issuer: Issuer, publish: Publish, apply: Apply, database_url: str, number: int, change: str,
    summary: str,
) -> None:  # fmt: skip
    job, cpf = publish(), person(number)
    if not summary:
        resume = f"/jobs/api/v1/empregabilidade/curriculo/{cpf}/experiencias"
        http.put(resume, json={"resumo_profissional": "Antes."}, headers=citizen(issuer, cpf)).raise_for_status()
    made = race(database_url, lambda: apply(job, cpf), (change, cpf))
    assert made.json()["curriculo_snapshot"]["resumo_profissional"] == summary


def test_a_person_applies_ten_times_a_minute(
    settings: Settings, database_url: str, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Test the production rate, because the sandbox multiplies rates by 100. Invalid calls count too."""
    monkeypatch.setattr(rates, "SANDBOX_FACTOR", 1)
    with (
        RunningServer(app.build_application(settings, database_url, [SERVICE.name])) as strict,
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
    # One application was stored, and all other calls were refused.
    assert statuses.count(201) == 1
    assert set(statuses) <= {201, 400, 429}
    assert sql("SELECT count(*) FROM employability.application WHERE cpf = $1", cpf)[0][0] == 1
