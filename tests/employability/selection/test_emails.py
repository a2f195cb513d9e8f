"""E-mails to candidates. A job sends and retries them, and skips those that are outdated (rules: employability 4.8)."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest

from balcao.employability.selection.emails.kinds import Email
from balcao.employability.selection.emails.texts import News, compose_email
from balcao.settings import Settings
from tests.employability.hiring.callers import ADMIN, EDITOR, Callers
from tests.employability.hiring.job_bodies import BASE as JOBS
from tests.employability.people import citizen
from tests.employability.selection.application_bodies import BASE, person
from tests.employability.selection.conftest import Apply, Publish, make_drain
from tests.registry.registry_client import RegistryClient
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer
from tests.support.server import NOWHERE
from tests.support.smtp import MailServer

APPROVED = "aprovada"
JOB = "application_email"


@pytest.fixture(scope="module")
def post() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory, post: MailServer) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        port=NOWHERE,
        smtp_url=f"smtp://127.0.0.1:{post.port}",
        mail_from="balcao@portoaurora.example",
        jobs_closed_email=True,
    )


@pytest.fixture
def subjects(post: MailServer, drain: Drain) -> Callable[[], list[str]]:
    """Return a function that runs the due jobs and returns the subjects of the sent e-mails."""

    def run() -> list[str]:
        post.emails.clear()
        drain()
        return [email["Subject"].partition(":")[0] for email in post.emails]

    return run


@pytest.fixture
def put(http: httpx.Client, callers: Callers) -> Callable[..., None]:
    """Return a function that sends a decision as the job's editor."""

    def send(application: Any, word: str, **body: Any) -> None:
        answer = http.put(f"{BASE}/{application['id']}/{word}", json=body, headers=callers[EDITOR])
        assert answer.status_code == 200, answer.text

    return send


@pytest.fixture
def made(publish: Publish, apply: Apply, request: pytest.FixtureRequest) -> dict[str, Any]:
    answer = apply(publish(), person(500 + len(request.node.name)))
    assert answer.status_code == 201, answer.text
    application: dict[str, Any] = answer.json()
    return application


def test_each_step_of_an_application_is_told_by_its_own_words(
    made: dict[str, Any], subjects: Any, put: Any, post: MailServer, sql: Sql
) -> None:
    payloads = [row["payload"].decode() for row in sql("SELECT payload FROM queue.pgqueuer")]
    assert [text for text in payloads if made["cpf"] in text or "@" in text] == []
    assert subjects() == ["Candidatura recebida"]
    (email,) = post.emails
    assert (email["To"], email["From"]) == ("pessoa@teste.example", "balcao@portoaurora.example")
    text = email.get_content()
    for word in ("Pessoa de Teste", "Confeiteiro", "Padaria Aurora", "candidatura enviada"):
        assert word in text
    assert made["cpf"] not in email.as_string()
    put(made, "etapa", id_etapa_atual=made["vaga"]["etapas"][1]["id"])
    assert subjects() == ["Nova etapa"]
    assert "Entrevista" in post.emails[0].get_content()
    put(made, "approve")
    assert subjects() == ["Candidatura aprovada"]
    put(made, "reject")
    assert subjects() == ["Candidatura não aprovada"]
    put(made, "status", status="candidatura_enviada")
    put(made, "etapa")
    assert subjects() == []


def test_what_is_no_longer_true_is_not_sent(
    http: httpx.Client, issuer: Issuer, made: dict[str, Any], subjects: Any, put: Any
) -> None:
    first, second = (step["id"] for step in made["vaga"]["etapas"])
    for step in (first, second, first, None):
        put(made, "etapa", id_etapa_atual=step)
    put(made, "approve")
    put(made, "status", status="candidatura_enviada")
    assert subjects() == ["Candidatura recebida"]
    for word in ("approve", "reject", "approve"):
        put(made, word)
    assert subjects() == ["Candidatura aprovada"]
    put(made, "status", status="candidatura_enviada")
    put(made, "etapa", id_etapa_atual=second)
    assert http.delete(f"{BASE}/{made['id']}", headers=citizen(issuer, made["cpf"])).status_code == 200
    assert subjects() == []


def test_a_worker_that_dies_once_it_has_sent_sends_the_same_message_again(
    made: dict[str, Any], subjects: Any, post: MailServer, sql: Sql
) -> None:
    """If a worker dies after sending, the job runs again and sends the same Message-ID.

    Mail clients then recognise the duplicate.
    """
    subjects()
    event = sql("SELECT id FROM employability.application_event WHERE id_candidatura = $1", UUID(made["id"]))[0]["id"]
    numbers = []
    for _ in range(2):
        sql(
            "INSERT INTO queue.pgqueuer (priority, entrypoint, payload, status)"
            " VALUES (0, $1, employability.email_payload($2, 'candidatura_recebida', $3), 'queued')",
            JOB,
            UUID(made["id"]),
            event,
        )
        assert subjects() == ["Candidatura recebida"]
        numbers += [email["Message-ID"] for email in post.emails]
    assert numbers == [f"<{made['id']}.{event}@portoaurora.example>"] * 2


def test_whoever_left_no_address_gets_no_job(http: httpx.Client, callers: Callers, publish: Publish, sql: Sql) -> None:
    job = publish()
    body = {"id_vaga": job["id"], "cpf": person(601), "nome": "Sem Correio"}
    answers = [{"id_info": job["informacoes_complementares"][1]["id"], "resposta": "Tarde"}]
    made = http.post(BASE, json=body | {"respostas_info_complementares": answers}, headers=callers[EDITOR])
    assert made.status_code == 201, made.text
    jobs = sql("SELECT FROM queue.pgqueuer WHERE convert_from(payload, 'UTF8') LIKE $1", f"%{made.json()['id']}%")
    assert jobs == []


def test_of_a_closed_job_they_are_told_on_whom_nobody_has_decided(
    http: httpx.Client, callers: Callers, publish: Publish, apply: Apply, subjects: Any, put: Any, post: MailServer
) -> None:
    job = publish()
    open_, approved = (apply(job, person(number)).json() for number in (611, 612))
    put(approved, "approve")
    subjects()
    path = f"{JOBS}/{job['id']}"
    assert http.put(f"{path}/discontinue", headers=callers[EDITOR]).status_code == 200
    assert subjects() == ["Vaga encerrada"]
    assert post.emails[0]["Message-ID"].startswith(f"<{open_['id']}.")
    for event in ("reactivate", "discontinue", "reactivate"):
        assert http.put(f"{path}/{event}", headers=callers[EDITOR]).status_code == 200
    assert subjects() == []


WAITING = """
SELECT status::text, attempts, round(extract(epoch FROM execute_after - updated) / 60)::int AS minutes
FROM queue.pgqueuer WHERE entrypoint = $1
"""
DUE = "UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = $1 AND status = 'queued'"


@pytest.mark.long
@pytest.mark.cases("employability", "65")
def test_a_mail_server_that_is_away_is_tried_six_times_and_then_an_operator_may_try_again(
    http: httpx.Client, callers: Callers, made: dict[str, Any], subjects: Any, post: MailServer, sql: Sql
) -> None:
    post.refusals = 6
    waits = []
    for _ in range(6):
        assert subjects() == []
        (state,) = [tuple(row) for row in sql(WAITING, JOB)]
        waits.append(state[2] if state[0] == "queued" else state[0])
        sql(DUE, JOB)
    assert waits == [1, 5, 30, 120, 720, "failed"]
    assert post.refusals == 0
    log = sql("SELECT string_agg(traceback::text, ' ') AS kept FROM queue.pgqueuer_log")[0]["kept"]
    assert "mail-SMTPDataError" in log
    assert "pessoa@teste.example" not in log
    assert http.get(f"{BASE}/{made['id']}", headers=callers[ADMIN]).status_code == 200
    sql("UPDATE queue.pgqueuer SET status = 'queued', execute_after = now() WHERE entrypoint = $1", JOB)
    assert subjects() == ["Candidatura recebida"]


@pytest.mark.cases("employability", "65")
def test_an_application_is_stored_with_its_event_its_trail_and_its_job(made: dict[str, Any], sql: Sql) -> None:
    """Everything is committed before the response, so another connection can read it."""
    (counts,) = sql(
        "SELECT (SELECT count(*) FROM employability.application WHERE id = $1) AS application,"
        " (SELECT count(*) FROM employability.application_event WHERE id_candidatura = $1) AS event,"
        " (SELECT count(*) FROM platform.audit_event WHERE operation = 'employability.submit_application'"
        "   AND subject = $2) AS trail,"
        " (SELECT count(*) FROM queue.pgqueuer WHERE convert_from(payload, 'UTF8') LIKE $3) AS job",
        made["id"],
        f"***.{made['cpf'][3:6]}.{made['cpf'][6:9]}-**",
        f'{{"application":"{made["id"]}"%',
    )
    assert tuple(counts) == (1, 1, 1, 1)


@pytest.mark.parametrize("kind", Email)
def test_every_kind_has_a_text_and_a_subject_of_one_line(kind: Email) -> None:
    news = News("a@b.example", None, "Confeiteiro " * 40, "Padaria Aurora", "Entrevista")
    subject, text = compose_email(kind, news)
    assert "\n" not in subject
    assert len(subject) < 120
    assert "None" not in text
    assert "{" not in subject + text
    assert text.startswith("Olá.\n")


def test_a_candidate_who_refuses_messages_about_services_gets_no_email(
    made: dict[str, Any],
    subjects: Any,
    put: Any,
    http: httpx.Client,
    issuer: Issuer,
    sql: Sql,
    post: MailServer,
) -> None:
    registry = RegistryClient(http, issuer.person(made["cpf"]))
    path = f"/citizen/{made['cpf']}/notification-preferences/categories/services"
    registry.ok("PATCH", path, {"opt_in": False, "channel": "web"})
    assert subjects() == []
    registry.ok("PATCH", path, {"opt_in": True, "channel": "web"})
    put(made, "approve")
    assert subjects() == ["Candidatura aprovada"]
    (email,) = post.emails
    assert email["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert http.get(urlsplit(email["List-Unsubscribe"].strip("<>")).path).status_code == 200
    seen = registry.ok("GET", f"/citizen/{made['cpf']}/data-access")["data"]
    assert [each["actor"] for each in seen if each["operation"] == "registry.check_recipients"] == ["balcao-platform"]


def test_without_the_registry_an_email_waits(
    made: dict[str, Any], subjects: Any, settings: Settings, database_url: str, post: MailServer, sql: Sql
) -> None:
    post.emails.clear()
    make_drain(settings, database_url, f"http://127.0.0.1:{NOWHERE}/registry/v1")()
    assert post.emails == []
    sql("UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = $1 AND status = 'queued'", JOB)
    assert subjects() == ["Candidatura recebida"]
