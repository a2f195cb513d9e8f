"""`balcao doctor`: its report, the secrets that it hides, and the faults that it finds."""

import asyncio
import json
from contextlib import closing
from pathlib import Path

import pytest

from balcao.core.http.responses import Response, to_json
from balcao.core.mail import MailFolder
from balcao.gateway.instance import HEADER
from balcao.settings import Settings
from balcao_sandbox.identity.demo import clients
from tests.support import databases
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.owner_connection import Owner
from tests.support.server import RunningServer, free_port
from tests.support.single_services import handlers
from tests.support.smtp import MailServer
from tests.support.terminal import Terminal

SECRET = "um-segredo-que-ninguem-pode-ver"


def test_secrets_and_passwords_in_addresses_are_masked(tmp_path: Path) -> None:
    terminal = Terminal(
        tmp_path,
        port=free_port(),
        client_secret=SECRET,
        hash_key=SECRET,
        crm_client_secret=SECRET,
        crm_sandbox_client_secret=SECRET,
        redis_url=f"redis://:{SECRET}@127.0.0.1:6379/0",
        database_url=f"postgresql://balcao:{SECRET}@127.0.0.1:9/balcao?password={SECRET}",
    )
    for words in (("doctor",), ("doctor", "--json")):
        done = terminal.run(*words)
        assert SECRET not in done.stdout + done.stderr
        assert "balcao:********@127.0.0.1" in done.stdout


def test_a_platform_that_does_not_run_is_no_fault(tmp_path: Path) -> None:
    found = Terminal(tmp_path, port=free_port()).json("doctor", "--json")
    assert (found["ok"], found["running"], found["problems"]) == (True, False, [])
    assert {part["state"] for name, part in found["parts"].items() if name != "program"} == {"stopped"}
    assert not (tmp_path / ".balcao").exists()


def test_that_nothing_runs_is_said_and_not_taken_for_well(tmp_path: Path) -> None:
    said = Terminal(tmp_path, port=free_port()).run("doctor").stdout
    assert "o Balcão não está no ar" in said
    assert "✓" not in said


@pytest.mark.parametrize(("instance", "who"), [(None, "não é o Balcão"), ("0123", "outra instalação do Balcão")])
def test_whoever_else_answers_on_the_port_is_not_taken_for_us(tmp_path: Path, instance: str | None, who: str) -> None:
    headers = {} if instance is None else {HEADER: instance}
    with RunningServer(handlers({("GET", "/liveness"): lambda _: to_json({}, headers=headers)})) as stranger:
        message = problems(Terminal(tmp_path, port=stranger.port))
    assert f"Em http://127.0.0.1:{stranger.port} responde" in message
    assert who in message


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_with_nobody_behind_it_is_no_stranger(tmp_path: Path, status: int) -> None:
    with RunningServer(handlers({("GET", "/liveness"): lambda _: Response(b"", status=status)})) as gateway:
        found = Terminal(tmp_path, port=gateway.port).json("doctor", "--json")
    assert (found["running"], found["problems"]) == (False, [])


def test_a_variable_that_sets_nothing_is_a_problem_and_the_nearest_one_is_named(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, port=free_port(), data_dri="x", qwertyuiop="1")
    assert problems(terminal).splitlines() == [
        "BALCAO_DATA_DRI não é uma configuração e não tem efeito: quis dizer BALCAO_DATA_DIR?",
        "BALCAO_QWERTYUIOP não é uma configuração e não tem efeito.",
    ]


def test_a_data_folder_that_is_none_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / ".balcao").write_text("")
    assert problems(Terminal(tmp_path, port=free_port())).startswith("Não é possível gravar na pasta .balcao")


def test_a_collector_of_traces_is_asked_whether_it_takes_them(tmp_path: Path) -> None:
    with RunningServer(handlers({("POST", "/v1/traces"): lambda _: to_json({})})) as collector:
        terminal = Terminal(tmp_path, port=free_port(), traces_url=collector.url)
        assert terminal.json("doctor", "--json")["parts"]["traces"] == {"state": "up"}
        terminal = Terminal(tmp_path, port=free_port(), traces_url=f"{collector.url}/elsewhere")
        assert "O coletor recusa rastros" in problems(terminal)
    assert "O coletor de rastros não responde" in problems(terminal)


def test_a_redis_that_does_not_answer_is_a_problem(tmp_path: Path) -> None:
    assert problems(Terminal(tmp_path, port=free_port(), redis_url="redis://127.0.0.1:9/0")) == (
        "O Redis não responde: confira BALCAO_REDIS_URL e se está no ar."
    )


@pytest.mark.long
def test_an_older_program_refuses_a_newer_database(terminal: Terminal, sql: Sql) -> None:
    sql("INSERT INTO platform.migration (owner, name, digest) VALUES ('registry', '9999_later.sql', '')")
    try:
        assert "versão mais nova" in problems(terminal)
        for words in (("serve",), ("worker",), ("migrate",), ("jobs", "list")):
            assert "registry/9999_later.sql" in terminal.refusal(*words)
    finally:
        sql("DELETE FROM platform.migration WHERE name = '9999_later.sql'")


def test_a_database_that_is_not_utf_8_is_refused_before_anything_is_written_to_it(tmp_path: Path) -> None:
    name = databases.new_name()
    url = databases.create_empty(name, "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'")
    terminal = Terminal(tmp_path, database_url=url)
    try:
        assert "usa a codificação LATIN1" in terminal.refusal("migrate")
        with closing(Owner(url)) as owner:
            assert owner.run("SELECT FROM pg_namespace WHERE nspname = 'platform'") == []
        assert "usa a codificação LATIN1" in problems(terminal)
    finally:
        databases.drop(name)


@pytest.mark.long
def test_a_newer_program_refuses_a_database_that_lacks_its_migration(terminal: Terminal, sql: Sql) -> None:
    first = "owner = 'registry' AND name LIKE '0001%'"
    (row,) = sql(f"DELETE FROM platform.migration WHERE {first} RETURNING owner, name, digest, applied_at")
    try:
        for words in (("serve",), ("worker",), ("jobs", "list")):
            assert terminal.refusal(*words) == "Migrações que faltam neste banco: 1; execute `balcao migrate`."
    finally:
        sql("INSERT INTO platform.migration (owner, name, digest, applied_at) VALUES ($1, $2, $3, $4)", *row)


def test_the_port_of_a_data_folder_is_remembered_for_every_command(tmp_path: Path) -> None:
    folder = tmp_path / ".balcao"
    folder.mkdir()
    (folder / "port").write_text("9123\n")
    assert "127.0.0.1:9123/" in Terminal(tmp_path).refusal("token", "ana")
    assert "127.0.0.1:9124/" in Terminal(tmp_path, port=9124).refusal("token", "ana")
    assert "127.0.0.1:8080/" in Terminal(tmp_path, data_dir=tmp_path / "outra").refusal("token", "ana")


@pytest.mark.parametrize("text", ["0", "x", "99999", ""])
def test_a_remembered_port_that_cannot_be_is_ignored(tmp_path: Path, text: str) -> None:
    # The folder is named: otherwise a trial next to the virtual environment would be found.
    (tmp_path / "port").write_text(text)
    assert "127.0.0.1:8080/" in Terminal(tmp_path, data_dir=tmp_path).refusal("token", "ana")


def test_it_knows_every_address_in_use(tmp_path: Path) -> None:
    port = free_port()
    addresses = Terminal(tmp_path, port=port).json("doctor", "--json")["addresses"]
    assert addresses["issuers"] == [f"http://127.0.0.1:{port}/auth/realms/balcao"]
    assert addresses["crm"] == f"http://127.0.0.1:{port + 1}"
    assert addresses["services"]["registry"] == f"http://127.0.0.1:{port}/registry/v1"


def problems(terminal: Terminal) -> str:
    done = terminal.run("doctor", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert not found["ok"]
    return "\n".join(found["problems"])


def test_a_setting_that_cannot_be_is_a_problem(tmp_path: Path) -> None:
    assert problems(Terminal(tmp_path, port="abc")) == "BALCAO_PORT: deve ser um número inteiro."
    assert problems(Terminal(tmp_path, log_level="loud")).startswith("BALCAO_LOG_LEVEL: deve ser um de:")


def test_every_setting_is_shown_under_the_variable_that_sets_it(tmp_path: Path) -> None:
    found = Terminal(tmp_path, port=free_port()).json("doctor", "--json")["settings"]
    assert {"BALCAO_PORT", "BALCAO_CRM_URL", "CRM_WEBHOOK_CLIENTS"} <= found.keys()


def test_production_on_sandbox_parts_is_a_problem(tmp_path: Path) -> None:
    assert "BALCAO_HASH_KEY" in problems(Terminal(tmp_path, profile="production"))


@pytest.mark.parametrize("variable", ["BALCAO_MACHINE_CLIENTS", "BALCAO_ACCESS_TOKEN_ROLE_CLIENTS"])
def test_production_names_the_clients_that_are_machines_and_those_whose_roles_count(variable: str) -> None:
    def refuses(**settings: str) -> bool:
        found = Settings.load({"BALCAO_PROFILE": "production"} | settings).list_refusals()
        return any(sentence.startswith(variable) for sentence in found)

    assert refuses()
    assert refuses(**{variable: " "})
    assert not refuses(**{variable: "none"})
    assert not refuses(**{variable: "painel-saude, portal-cidadao"})


def test_machines_are_those_listed_and_in_the_sandbox_its_own_clients() -> None:
    own = {client.client_id for client in clients() if "client_credentials" in client.flows}
    assert Settings().machine_clients == own
    assert Settings(profile="production").machine_clients == frozenset()
    assert Settings.load({"BALCAO_MACHINE_CLIENTS": "none"}).machine_clients == frozenset()
    assert Settings.load({"BALCAO_MACHINE_CLIENTS": "crm, painel"}).machine_clients == {"crm", "painel"}


def test_a_client_that_is_listed_for_machines_and_is_none_is_a_problem(tmp_path: Path) -> None:
    found = problems(Terminal(tmp_path, port=free_port(), machine_clients="crm", platform_clients="leitor,crm"))
    assert "BALCAO_PLATFORM_CLIENTS nomeia leitor, que não está em BALCAO_MACHINE_CLIENTS" in found
    assert "BALCAO_CLIENT_ID nomeia balcao-platform" in found
    assert "nomeia crm" not in found
    assert "CRM_WEBHOOK_CLIENTS" not in found


def test_the_roles_of_every_client_count_when_nothing_is_set_and_of_none_by_one_word() -> None:
    assert Settings().role_clients is None
    assert Settings.load({"BALCAO_ACCESS_TOKEN_ROLE_CLIENTS": "none"}).role_clients == frozenset()
    assert Settings.load({"BALCAO_ACCESS_TOKEN_ROLE_CLIENTS": "a, b"}).role_clients == frozenset({"a", "b"})


def test_an_issuer_is_written_as_it_calls_itself_letter_by_letter(terminal: Terminal, issuer: Issuer) -> None:
    terminal.environment["BALCAO_AUTH_ISSUER"] = f"{issuer.address}/"
    assert f"se chama {issuer.address}:" in problems(terminal)


def test_a_database_an_issuer_and_a_crm_that_are_away_are_problems(tmp_path: Path) -> None:
    away = "http://127.0.0.1:9"
    message = problems(
        Terminal(tmp_path, database_url="postgresql://a@127.0.0.1:9/b", auth_issuer=f"{away}/realms/x", crm_url=away)
    )
    for word in ("O banco de dados não responde", f"as chaves do emissor {away}/realms/x", "BALCAO_CRM_URL"):
        assert word in message


def test_an_issuer_that_publishes_keys_and_a_migrated_database_are_well(terminal: Terminal, issuer: Issuer) -> None:
    terminal.environment["BALCAO_AUTH_ISSUER"] = issuer.address
    parts = terminal.json("doctor", "--json")["parts"]
    assert parts["identity"] == {"state": "up", "details": {"keys": {issuer.address: len(issuer.keys)}}}
    assert parts["database"]["state"] == "up"
    assert (parts["database"]["details"]["role"], parts["database"]["details"]["up_to_date"]) == ("balcao_app", True)


def test_a_mail_server_is_asked_without_an_email(tmp_path: Path) -> None:
    with MailServer() as post:
        terminal = Terminal(tmp_path, port=free_port(), smtp_url=f"smtp://us:{SECRET}@127.0.0.1:{post.port}")
        assert terminal.json("doctor", "--json")["parts"]["mail"] == {"state": "up", "details": {"configured": True}}
        assert (post.logins, post.emails) == ([("us", SECRET)], [])
    assert problems(terminal) == "O servidor de BALCAO_SMTP_URL não pôde ser usado (mail-SMTPConnectError)."


def test_the_sandbox_shows_the_emails_that_it_wrote_instead_of_sending(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, data_dir=tmp_path)
    assert terminal.json("sandbox", "emails", "--json") == []
    asyncio.run(
        MailFolder(tmp_path / "emails", "balcao@cidade.example").send("ana@pessoa.example", "Situação", "Olá.\n")
    )
    (email,) = terminal.json("sandbox", "emails", "--json")
    assert (email["to"], email["subject"], email["text"]) == ("ana@pessoa.example", "Situação", "Olá.\n")
    assert "Situação" in terminal.run("sandbox", "emails").stdout
    terminal.environment["BALCAO_SMTP_URL"] = "smtp://127.0.0.1"
    assert "BALCAO_SMTP_URL" in terminal.refusal("sandbox", "emails")


def test_the_crm_that_refuses_us_and_the_one_that_takes_us_are_told_apart(tmp_path: Path) -> None:
    tokens = iter((to_json({"access_token": "x"}), Response(b"{}", status=400)))
    with RunningServer(handlers({("POST", "/services/oauth2/token"): lambda _: next(tokens)})) as crm:
        named = {"crm_url": crm.url, "crm_client_id": "balcao", "crm_client_secret": SECRET}
        terminal = Terminal(tmp_path, port=free_port(), **named)
        assert terminal.json("doctor", "--json")["parts"]["crm"] == {
            "state": "up", "details": {"configured": True, "token": True}
        }  # fmt: skip
        assert problems(terminal) == "O CRM recusou o token: confira BALCAO_CRM_CLIENT_ID e BALCAO_CRM_CLIENT_SECRET."
    assert problems(terminal) == f"O CRM não responde em {crm.url}: confira BALCAO_CRM_URL."
