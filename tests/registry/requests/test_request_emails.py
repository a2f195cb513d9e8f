"""The e-mail about a change to a request (rules: registry 4.20)."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from balcao.settings import Settings
from tests.registry.requests.conftest import Citizen, Staff
from tests.support import log_scan
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port
from tests.support.smtp import MailServer
from tests.support.terminal import BALCAO, Terminal

JOBS = (
    "SELECT convert_from(payload, 'UTF8') AS payload FROM queue.pgqueuer WHERE entrypoint = 'request_email' ORDER BY id"
)
DUE = "UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = 'request_email' AND status = 'queued'"
END_LEASES = "UPDATE queue.pgqueuer SET heartbeat = now() - interval '1 hour' WHERE status = 'picked'"
DEAD = "SELECT id FROM queue.pgqueuer WHERE status = 'failed' AND entrypoint = 'request_email'"
LEFT = "SELECT id FROM queue.pgqueuer WHERE entrypoint = 'request_email'"


@pytest.fixture(scope="module")
def post() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory, post: MailServer) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        smtp_url=f"smtp://127.0.0.1:{post.port}",
        mail_from="balcao@portoaurora.example",
    )


@pytest.fixture(autouse=True)
def _clean(sql: Sql, post: MailServer) -> None:
    sql("DELETE FROM queue.pgqueuer")
    post.emails.clear()


@pytest.fixture
def reader(citizen: Citizen, http: httpx.Client) -> Citizen:
    """A citizen who has given an e-mail address."""
    path = f"/registry/v1/citizen/{citizen.cpf}/email"
    address = f"c{citizen.cpf}@correio.example"
    http.put(path, json={"valor": address}, headers=citizen.headers).raise_for_status()
    return citizen


@pytest.fixture
def send(sql: Sql, drain: Drain) -> Callable[[], None]:
    """Return a function that makes the e-mail jobs due and runs a worker."""

    def run() -> None:
        sql(DUE)
        drain()

    return run


def choose(http: httpx.Client, citizen: Citizen, category: str, wanted: bool) -> None:
    path = f"/registry/v1/citizen/{citizen.cpf}/notification-preferences/categories/{category}"
    http.patch(path, json={"opt_in": wanted, "channel": "web"}, headers=citizen.headers).raise_for_status()


def test_a_change_by_the_city_causes_one_email_with_number_and_state_only(
    reader: Citizen, admin: Staff, post: MailServer, send: Any, sql: Sql, settings: Settings
) -> None:
    opened = reader.opened()
    number = opened["number"]
    assert sql(JOBS) == []
    admin.moved(number, "in_progress", "A equipe de Ana sai hoje para a Rua das Acácias.")
    (job,) = sql(JOBS)
    assert set(job["payload"]) - set('{"request:,step}-abcdf0123456789') == set()
    send()
    (email,) = post.emails
    assert email["To"] == f"c{reader.cpf}@correio.example"
    assert email["Subject"] == f"Pedido {number}: em andamento"
    assert email["Message-ID"] == f"<{number}.2@portoaurora.example>"
    text = email.get_content()
    assert f"no seu pedido {number}" in text
    assert f"{settings.base_url}/minha-pagina/pedidos" in text
    whole = email.as_string() + text
    words = ("Acácias", "Ana", reader.cpf, opened["code"], "Lâmpada", "Iluminação")
    assert [word for word in words if word in whole.replace(str(email["To"]), "")] == []
    send()
    assert len(post.emails) == 1


def test_several_changes_within_a_short_time_cause_one_email_about_the_last(
    reader: Citizen, admin: Staff, post: MailServer, send: Any, sql: Sql
) -> None:
    number = reader.opened()["number"]
    admin.moved(number, "in_progress")
    admin.moved(number, "needs_information", "Qual poste?")
    assert len(sql(JOBS)) == 2
    send()
    assert [email["Subject"] for email in post.emails] == [f"Pedido {number}: esperando a sua resposta"]
    admin.step(number, text="Pode ser uma foto.")
    send()
    assert [email["Message-ID"] for email in post.emails] == [
        f"<{number}.{step}@portoaurora.example>" for step in (3, 4)
    ]


def test_a_change_to_which_the_citizen_replied_causes_no_email(
    reader: Citizen, admin: Staff, post: MailServer, send: Any
) -> None:
    number = reader.opened()["number"]
    admin.moved(number, "needs_information", "Qual poste?")
    assert reader.act(number, "answer", {"text": "O da esquina."}).status_code == 200
    send()
    assert post.emails == []


@pytest.mark.parametrize("category", ["services", None])
def test_a_citizen_who_refuses_messages_about_services_gets_no_email(
    reader: Citizen, admin: Staff, post: MailServer, send: Any, http: httpx.Client, category: str | None
) -> None:
    number = reader.opened()["number"]
    admin.moved(number, "in_progress")
    if category:
        choose(http, reader, category, wanted=False)
    else:
        path = f"/registry/v1/citizen/{reader.cpf}/notification-preferences"
        http.put(path, json={"opt_in": False, "channel": "web"}, headers=reader.headers).raise_for_status()
    send()
    assert post.emails == []


def test_no_email_without_an_address_without_login_and_after_an_erasure(
    citizens: Callable[[], Citizen], reader: Citizen, admin: Staff, post: MailServer, send: Any, http: httpx.Client
) -> None:
    silent = citizens()
    admin.moved(silent.opened()["number"], "in_progress")
    body = {"type": "lampada", "version": 1, "answers": {"problema": "acesa", "local": {"address": "Rua X, 1"}}}
    receipt = http.post("/registry/v1/maintenance-requests", json=body)
    assert receipt.status_code == 201
    admin.moved(receipt.json()["number"], "in_progress")
    number = reader.opened()["number"]
    admin.moved(number, "in_progress")
    base = f"/registry/v1/citizen/{reader.cpf}/anonymisation"
    rehearsal = http.post(base, json={"dry_run": True}, headers=reader.headers).json()
    body = {"dry_run": False, "confirmation": rehearsal["confirmation"]}
    http.post(base, json=body, headers=reader.headers).raise_for_status()
    send()
    assert post.emails == []


def test_one_click_in_the_email_ends_the_emails(
    reader: Citizen, admin: Staff, post: MailServer, send: Any, http: httpx.Client
) -> None:
    number = reader.opened()["number"]
    admin.moved(number, "in_progress")
    send()
    (email,) = post.emails
    assert email["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = email["List-Unsubscribe"].strip("<>")
    assert address in email.get_content()
    answer = http.post(urlsplit(address).path, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200, answer.text
    admin.moved(number, "done")
    send()
    assert len(post.emails) == 1
    path = f"/registry/v1/citizen/{reader.cpf}/notification-preferences/history"
    (entry,) = http.get(path, headers=reader.headers).json()["data"]
    assert (entry["category"], entry["new_value"], entry["azp"]) == ("services", False, "balcao")


@pytest.mark.long
def test_a_server_that_rejects_delays_the_email_and_a_dead_one_can_be_repeated(
    reader: Citizen, admin: Staff, post: MailServer, send: Any, sql: Sql
) -> None:
    number = reader.opened()["number"]
    admin.moved(number, "done")
    post.refusals = 6
    for _ in range(6):
        send()
    assert (len(sql(DEAD)), post.emails, post.refusals) == (1, [], 0)
    (log,) = sql("SELECT string_agg(traceback::text, ' ') AS kept FROM queue.pgqueuer_log")
    assert "correio.example" not in (log["kept"] or "")
    assert reader.state(number) == "done"


@pytest.fixture
def worker(settings: Settings, database_url: str, tmp_path: Path) -> Callable[[], Any]:
    """Return a context manager that runs a worker and kills it at the end of the block."""
    terminal = Terminal(
        tmp_path,
        database_url=database_url,
        port=free_port(),
        data_dir=settings.data_dir,
        auth_issuer=settings.auth_issuer,
        smtp_url=settings.smtp_url.get_secret_value(),
        mail_from=settings.mail_from,
    )

    @contextmanager
    def run() -> Iterator[None]:
        with (log_scan.folder() / "email-worker.log").open("ab") as log:
            process = subprocess.Popen([str(BALCAO), "worker"], env=terminal.environment, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.kill()
            process.wait(PATIENCE)

    return run


@pytest.mark.long
@pytest.mark.parametrize(("held", "copies"), [("before", 1), ("after", 2)])
def test_a_killed_worker_loses_no_email_and_a_second_copy_has_the_same_id(
    reader: Citizen, admin: Staff, post: MailServer, worker: Any, sql: Sql, held: str, copies: int
) -> None:
    number = reader.opened()["number"]
    sql("DELETE FROM queue.pgqueuer")
    admin.moved(number, "in_progress")
    sql("DELETE FROM queue.pgqueuer WHERE entrypoint = 'crm_request'")
    sql(DUE)
    post.held, waiting = held, post.waiting
    try:
        with worker():
            until_now(lambda: post.waiting > waiting)
    finally:
        post.held = None
    sql(END_LEASES)
    with worker():
        until_now(lambda: not sql(LEFT))
    ids = [email["Message-ID"] for email in post.emails]
    assert ids == [f"<{number}.2@portoaurora.example>"] * copies
