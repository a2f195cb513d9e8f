"""Signed webhooks that report changes, and other systems that the platform reads (rules: health_units 2.5)."""

import asyncio
import itertools
import json
import socket
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pydantic import SecretStr
from standardwebhooks import Webhook, WebhookVerificationError

from balcao.core import guarded
from balcao.core.context.call import Call
from balcao.core.jobs.worker import Retry, enqueue
from balcao.core.values.clock import format_rfc3339
from balcao.core.values.cnes import Cnes
from balcao.core.webhooks.sending import DELAYS
from balcao.gateway.asgi import AsgiApplication
from balcao.health_units import SERVICE
from balcao.health_units.intake import service as intake
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import OpenBody
from balcao.health_units.records import Tipo
from balcao.health_units.situation import Risco
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from balcao.health_units.webhooks.service import WEBHOOKS
from balcao.settings import Settings
from tests.support.fixture_types import Drain, Sql
from tests.support.http_receiver import Answer, Receiver
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import Act, acting
from tests.support.polling import PATIENCE, until_now
from tests.support.single_services import service_alone
from tests.support.webhook_bodies import check_described

UNKNOWN = "00000000-0000-4000-8000-000000000000"
AT = "2026-03-02T09:00:00-03:00"
_codes = itertools.count(4000001)

Manage = Callable[..., httpx.Response]


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("data")
    return Settings(auth_issuer=issuer.address, data_dir=folder, webhook_private_addresses=True)


@pytest.fixture
def manage(http: httpx.Client, manager: dict[str, str]) -> Manage:
    return lambda method, path, body=None: http.request(method, f"/health-units{path}", json=body, headers=manager)


@pytest.fixture
def receiver(sql: Sql) -> Iterator[Receiver]:
    with Receiver() as running:
        yield running
    sql("DELETE FROM health_units.webhooks")
    sql("DELETE FROM queue.pgqueuer")


@pytest.fixture
def unit(act: Act, sql: Sql) -> Cnes:
    cnes = Cnes(str(next(_codes)))
    act(units.put_unit, cnes, UnitBody(nome="Unidade", tipo=Tipo.CF))
    return cnes


@pytest.fixture
def webhook(manage: Manage, receiver: Receiver, unit: Cnes) -> dict[str, Any]:
    """Create a webhook that follows only this unit. Return it with its secret."""
    answer = manage("POST", "/avisos", {"url": f"{receiver.url}/avisos?a=1", "unidades": [unit.digits]})
    assert answer.status_code == 201, answer.text
    added: dict[str, Any] = answer.json()
    return added


@pytest.mark.cases("health_units", "47")
def test_a_change_is_told_with_the_content_of_the_stream_and_a_signature(
    webhook: dict[str, Any], receiver: Receiver, unit: Cnes, act: Act, drain: Drain, manage: Manage, sql: Sql
) -> None:
    act(notifications.open_notification, unit, OpenBody(risco=Risco.AMARELO))
    drain()
    (told,) = receiver.received
    assert (told.method, told.path) == ("POST", "/avisos?a=1")
    assert told.headers["host"] == f"127.0.0.1:{receiver.port}"
    body = Webhook(webhook["segredo"]).verify(told.body, dict(told.headers))
    (row,) = sql("SELECT sequencia, em, dados FROM health_units.change_feed ORDER BY sequencia DESC LIMIT 1")
    known = json.loads(row["dados"])
    assert body == {
        "type": "health_unit.risk_changed",
        "timestamp": format_rfc3339(row["em"]),
        "data": {"sequencia": row["sequencia"], **known},
    }
    assert body["timestamp"].endswith("Z")
    check_described(SERVICE, body)
    assert known["notificacao_ativa"]["risco"] == "Amarelo"
    with pytest.raises(WebhookVerificationError):
        Webhook(webhook["segredo"]).verify(told.body.replace(b"Amarelo", b"Verde"), dict(told.headers))
    shown = manage("GET", f"/avisos/{webhook['id']}").json()
    assert shown["ultima_entrega_em"] is not None
    assert shown["ultimo_erro"] is None


def test_only_the_units_that_were_asked_for_are_told_of_and_nothing_once_switched_off(
    webhook: dict[str, Any], receiver: Receiver, unit: Cnes, act: Act, drain: Drain, manage: Manage, sql: Sql
) -> None:
    other = Cnes(str(next(_codes)))
    act(units.put_unit, other, UnitBody(nome="Outra", tipo=Tipo.CF))
    assert sql("SELECT FROM queue.pgqueuer WHERE entrypoint = 'health_units.deliver_webhook'") == []
    act(units.put_unit, unit, UnitBody(nome="Novo nome", tipo=Tipo.CF))
    path = f"/avisos/{webhook['id']}"
    off = manage("PUT", path, {"url": receiver.url, "ativo": False})
    assert (off.json()["ativo"], off.json()["unidades"]) == (False, [])
    refused = manage("POST", f"{path}/teste")
    assert (refused.status_code, refused.headers["Error-Code"]) == (409, "webhook-off")
    drain()
    assert receiver.received == []
    manage("PUT", path, {"url": receiver.url})
    act(units.put_unit, other, UnitBody(nome="Novo nome", tipo=Tipo.CF))
    drain()
    assert [json.loads(told.body)["type"] for told in receiver.received] == ["health_unit.changed"]
    assert manage("DELETE", path).status_code == 204
    act(units.put_unit, other, UnitBody(nome="Nome", tipo=Tipo.CF))
    drain()
    assert len(receiver.received) == 1
    again = manage("DELETE", path)
    assert (again.status_code, again.headers["Error-Code"]) == (404, "webhook-not-found")


@pytest.mark.cases("health_units", "48")
def test_what_is_not_taken_is_sent_again_under_the_same_id_until_it_is(
    webhook: dict[str, Any], receiver: Receiver, unit: Cnes, act: Act, drain: Drain, manage: Manage, sql: Sql
) -> None:
    receiver.answers.extend([Answer(500), Answer(302, headers={"Location": "/outro"}), Answer(204)])
    act(notifications.open_notification, unit, OpenBody(risco=Risco.LARANJA))
    drain()
    assert manage("GET", f"/avisos/{webhook['id']}").json()["ultimo_erro"] == "status-500"
    for _ in range(2):
        sql("UPDATE queue.pgqueuer SET execute_after = now() WHERE entrypoint = 'health_units.deliver_webhook'")
        drain()
    assert [told.path for told in receiver.received] == ["/avisos?a=1"] * 3  # redirects are not followed
    assert len({told.headers["webhook-id"] for told in receiver.received}) == 1
    assert sql("SELECT FROM queue.pgqueuer WHERE entrypoint = 'health_units.deliver_webhook'") == []
    shown = manage("GET", f"/avisos/{webhook['id']}").json()
    assert (shown["ultimo_erro"], shown["ultima_falha_em"] is None) == (None, False)


@pytest.mark.cases("health_units", "49")
def test_what_is_never_taken_is_parked_for_an_operator(
    webhook: dict[str, Any], receiver: Receiver, unit: Cnes, act: Act, drain: Drain, sql: Sql
) -> None:
    receiver.usual = Answer(503)
    act(notifications.open_notification, unit, OpenBody(risco=Risco.VERDE))
    sql("UPDATE queue.pgqueuer SET attempts = $1 WHERE entrypoint = 'health_units.deliver_webhook'", len(DELAYS))
    drain()
    (job,) = sql("SELECT status::text FROM queue.pgqueuer WHERE entrypoint = 'health_units.deliver_webhook'")
    assert job["status"] == "failed"
    assert WEBHOOKS.job_kind.tries == len(DELAYS) + 1
    assert sum(DELAYS, timedelta()) > timedelta(days=1)


@pytest.mark.cases("health_units", "50")
def test_a_receiver_that_is_gone_is_not_called_any_more_and_one_that_asks_for_time_gets_it(
    webhook: dict[str, Any], receiver: Receiver, unit: Cnes, act: Act, drain: Drain, manage: Manage, sql: Sql
) -> None:
    receiver.answers.extend([Answer(429, headers={"Retry-After": "1800"}), Answer(410)])
    act(notifications.open_notification, unit, OpenBody(risco=Risco.VERDE))
    drain()
    (job,) = sql("SELECT execute_after > now() + interval '25 minutes' AS later FROM queue.pgqueuer")
    assert job["later"]
    sql("UPDATE queue.pgqueuer SET execute_after = now()")
    drain()
    shown = manage("GET", f"/avisos/{webhook['id']}").json()
    assert (shown["ativo"], shown["ultimo_erro"]) == (False, "status-410")
    assert sql("SELECT FROM queue.pgqueuer") == []


@pytest.mark.cases("health_units", "64")
def test_what_an_older_release_queued_is_delivered_in_the_present_form(
    webhook: dict[str, Any], receiver: Receiver, act: Act, drain: Drain, manage: Manage, sql: Sql
) -> None:
    (row,) = sql("SELECT sequencia FROM health_units.change_feed ORDER BY sequencia DESC LIMIT 1")

    async def queue_jobs(call: Call) -> None:
        async with call.platform.database.transaction() as connection:
            for told in ({"sequencia": row["sequencia"]}, {"teste": "0190f3c2"}):
                await enqueue(connection, "health_units.deliver_webhook", {"webhook": webhook["id"], **told})

    act(queue_jobs)
    drain()
    known = {told.headers["webhook-id"]: json.loads(told.body)["type"] for told in receiver.received}
    prefix = f"msg_{webhook['id'].replace('-', '')}"
    for told in receiver.received:
        check_described(SERVICE, json.loads(told.body))
    assert known == {f"{prefix}_{row['sequencia']}": "health_unit.changed", f"{prefix}_0190f3c2": "test"}


@pytest.mark.cases("health_units", "51")
def test_after_a_change_of_secret_both_sign_for_a_day(
    webhook: dict[str, Any], receiver: Receiver, act: Act, drain: Drain, manage: Manage, sql: Sql
) -> None:
    path = f"/avisos/{webhook['id']}"
    renewed = manage("POST", f"{path}/segredo").json()
    assert renewed["segredo"] not in {webhook["segredo"], None}
    assert manage("POST", f"{path}/teste").status_code == 202
    drain()
    sql("UPDATE health_units.webhooks SET anterior_ate = now()")
    manage("POST", f"{path}/teste")
    drain()
    both, one = receiver.received
    for secret in (webhook["segredo"], renewed["segredo"]):
        told = Webhook(secret).verify(both.body, dict(both.headers))
        assert (told["type"], told["data"]) == ("test", {"webhook": webhook["id"]})
        check_described(SERVICE, told)
    Webhook(renewed["segredo"]).verify(one.body, dict(one.headers))
    with pytest.raises(WebhookVerificationError):
        Webhook(webhook["segredo"]).verify(one.body, dict(one.headers))
    assert both.headers["webhook-id"] != one.headers["webhook-id"]


def test_a_secret_is_shown_once(webhook: dict[str, Any], manage: Manage, sql: Sql) -> None:
    assert webhook["segredo"].startswith("whsec_")
    assert "segredo" not in manage("GET", f"/avisos/{webhook['id']}").json()
    (listed,) = manage("GET", "/avisos").json()["itens"]
    assert listed == {name: webhook[name] for name in listed}
    manage("POST", f"/avisos/{webhook['id']}/segredo")
    trail = sql("SELECT action FROM platform.audit_event WHERE operation LIKE 'health_units.%webhook%' ORDER BY at")
    assert [row["action"] for row in trail][-2:] == ["create", "update"]


@pytest.mark.parametrize(
    "body",
    [
        {"url": "ftp://painel.example/"},
        {"url": "https://usuario:senha@painel.example/"},
        {"url": "https:///avisos"},
        {"url": "https://são.example/"},
        {"url": "https://painel.example/" + "a" * 500},
        {"url": "https://painel.example/", "unidades": ["123"]},
        {},
    ],
)
def test_a_faulty_webhook_is_refused(manage: Manage, body: Any, sql: Sql) -> None:
    assert manage("POST", "/avisos", body).status_code == 422
    assert sql("SELECT FROM health_units.webhooks") == []


def test_who_may_keep_webhooks(http: httpx.Client, issuer: Issuer, citizen: dict[str, str], manage: Manage) -> None:
    operator = bearer(issuer.person("90000020443", realm_access={"roles": ["saude:risco:operador"]}))
    for headers, status in (({}, 401), (citizen, 403), (operator, 403)):
        assert http.get("/health-units/avisos", headers=headers).status_code == status
        assert http.post("/health-units/avisos", json={}, headers=headers).status_code == status
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/segredo"), ("POST", "/teste")):
        for id, refusal in ((UNKNOWN, (404, "webhook-not-found")), ("x", (422, "webhook-id-invalid"))):
            answer = manage(method, f"/avisos/{id}{path}")
            assert (answer.status_code, answer.headers["Error-Code"]) == refusal


def test_there_are_so_many_webhooks_and_no_more(manage: Manage, receiver: Receiver) -> None:
    answers = [manage("POST", "/avisos", {"url": receiver.url}) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [201] * 20 + [409]
    assert answers[20].headers["Error-Code"] == "too-many-webhooks"


async def _send(call: Call, method: str, path: str, body: Any, headers: dict[str, str]) -> httpx.Response:
    transport = httpx.ASGITransport(AsgiApplication(service_alone(SERVICE, call.platform)))
    async with httpx.AsyncClient(transport=transport, base_url="http://health", headers=headers) as client:
        return await client.request(method, path, json=body)


@pytest.mark.cases("health_units", "52")
def test_without_the_sandboxs_setting_no_private_address_is_called_and_none_without_tls(
    settings: Settings, database_url: str, receiver: Receiver, webhook: dict[str, Any], manager: dict[str, str]
) -> None:
    careful = settings.model_copy(update={"webhook_private_addresses": False})
    with acting(careful, database_url, "health_units.test") as act:
        with pytest.raises(Retry, match="address-refused"):
            act(lambda call: WEBHOOKS.deliver(call.platform, {"webhook": webhook["id"], "teste": "1"}))
        for method, path in (("POST", "/avisos"), ("PUT", f"/avisos/{webhook['id']}")):
            answer = act(_send, method, path, {"url": "http://painel.example/"}, manager)
            assert (answer.status_code, answer.headers["Error-Code"]) == (422, "webhook-address-refused")
            assert answer.json()["detail"][0]["loc"] == ["body", "url"]
    assert receiver.received == []
    production = careful.model_copy(update={"profile": "production", "webhook_private_addresses": True})
    assert any("BALCAO_WEBHOOK_PRIVATE_ADDRESSES" in refusal for refusal in production.list_refusals())


def make_certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return two TLS contexts: for a server with a certificate for the name, and for a client.

    The client trusts only this certificate.
    """
    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)
    return server, ssl.create_default_context(cafile=str(path))


async def _post(client: ssl.SSLContext, url: str) -> int:
    async with httpx.AsyncClient(verify=client, trust_env=False, timeout=PATIENCE) as http:
        return (await guarded.post_guarded(http, url, b"{}", {}, seconds=5, allow_private=True)).status


@pytest.mark.cases("health_units", "53")
def test_the_certificate_is_to_be_that_of_the_name_though_the_call_goes_to_the_address(tmp_path: Path) -> None:
    server, client = make_certificate(tmp_path, "localhost")
    with Receiver(server) as receiver:
        assert asyncio.run(_post(client, f"https://localhost:{receiver.port}/a")) == 200
        assert receiver.received[0].headers["host"] == f"localhost:{receiver.port}"
        with pytest.raises(httpx.ConnectError):
            asyncio.run(_post(client, f"https://{socket.gethostname()}:{receiver.port}/a"))
        with pytest.raises(httpx.ConnectError):
            asyncio.run(_post(client, f"https://127.0.0.1:{receiver.port}/a"))


@pytest.fixture
def department(settings: Settings, database_url: str, receiver: Receiver) -> Iterator[Act]:
    """Yield a function that reads the department's system, which is simulated by the receiver."""
    changed = settings.model_copy(
        update={
            "risk_sources": f"secretaria={receiver.url}/abertas",
            "risk_source_tokens": SecretStr("secretaria=chave"),
        }
    )
    with acting(changed, database_url, "health_units.test") as act:
        yield lambda: act(lambda call: intake.read_sources(call.platform))


def heartbeat(sql: Sql) -> dict[str, Any]:
    return dict(sql("SELECT * FROM health_units.sources WHERE nome = 'secretaria'")[0])


def lines(*rows: Any) -> Answer:
    return Answer(body=b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows))


@pytest.mark.cases("health_units", "54")
def test_what_the_departments_system_says_becomes_the_risk(
    department: Act, receiver: Receiver, unit: Cnes, sql: Sql, http: httpx.Client, citizen: dict[str, str]
) -> None:
    opened = {"cnes": unit.digits, "risco": "Vermelho", "aberta_em": AT}
    receiver.answers.append(lines(opened, {"cnes": "123"}, b"{", {**opened, "cnes": "9999999"}))
    department()
    assert receiver.received[0].headers["authorization"] == "Bearer chave"

    def read() -> Any:
        return http.get(f"/health-units/unidade/{unit.digits}/risco", headers=citizen).json()

    until_now(lambda: (read().get("notificacao_ativa") or {}).get("risco") == "Vermelho")
    first = heartbeat(sql)
    assert (first["linhas"], first["recusadas"], first["erro"]) == (4, 3, None)
    receiver.usual = lines({**opened, "encerrada_em": "2026-03-02T11:00:00-03:00"})
    department()
    until_now(lambda: read()["notificacao_ativa"] is None)
    assert read()["ultima_notificacao"]["status"] == "Encerrado"


@pytest.mark.cases("health_units", "55")
def test_a_source_that_says_the_same_again_gives_only_a_sign_of_life(
    department: Act, receiver: Receiver, unit: Cnes, sql: Sql
) -> None:
    receiver.usual = lines({"cnes": unit.digits, "risco": "Verde", "aberta_em": AT})
    department()
    sql("UPDATE health_units.sources SET ouvida_em = now() - interval '1 hour', mudou_em = now() - interval '1 hour'")
    events = len(sql("SELECT FROM platform.audit_event"))
    department()
    after = heartbeat(sql)
    assert after["ouvida_em"] - after["mudou_em"] > timedelta(minutes=59)
    assert len(sql("SELECT FROM platform.audit_event")) == events


@pytest.mark.cases("health_units", "56")
def test_a_source_that_is_away_is_told_of_until_it_is_back(
    department: Act, receiver: Receiver, sql: Sql, http: httpx.Client, manager: dict[str, str]
) -> None:
    receiver.usual = Answer(503)
    department()
    assert heartbeat(sql)["erro"] == "status-503"
    sql("UPDATE health_units.sources SET ouvida_em = now() - interval '10 minutes'")
    text = http.get("/metrics").text
    seconds = float(text.split('balcao_risk_source_silence_seconds{source="secretaria"} ')[1].split()[0])
    assert seconds >= 600
    receiver.usual = Answer(200, b"x" * (intake.MOST_BYTES + 1))
    department()
    assert heartbeat(sql)["erro"] == "too-large"
    receiver.usual = Answer()
    department()
    assert heartbeat(sql)["erro"] is None


def test_staff_see_the_sources_and_citizens_do_not(
    settings: Settings, database_url: str, department: Act, http: httpx.Client, citizen: dict[str, str], manager: Any
) -> None:
    department()
    assert http.get("/health-units/fontes", headers=citizen).status_code == 403
    assert http.get("/health-units/fontes", headers=manager).json() == {"itens": []}  # no sources are configured
    named = settings.model_copy(update={"risk_sources": "secretaria=http://127.0.0.1:9/x"})
    with acting(named, database_url, "health_units.test") as act:
        (shown,) = act(intake.list_intake_sources).itens
    assert (shown.nome, shown.ouvida_em is None) == ("secretaria", False)
