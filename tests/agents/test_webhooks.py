"""Signed webhooks that report the active version of an agent (rules: agents 2.5)."""

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from balcao.agents import SERVICE
from balcao.agents.versions import service as versions
from balcao.agents.versions.schemas import SaveBody
from balcao.core.context.call import Call
from balcao.core.errors import Unavailable
from balcao.core.values.clock import format_rfc3339
from balcao.settings import Settings
from tests.agents.test_import import make_version
from tests.registry.import_runs import importing, written
from tests.support.fixture_types import Drain, Sql
from tests.support.http_receiver import Answer, Receiver
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.webhook_bodies import check_described

BASE = "/agent/api/v1"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
_names = (f"told-{number}" for number in itertools.count(1))

Send = Callable[..., httpx.Response]


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("data")
    return Settings(auth_issuer=issuer.address, data_dir=folder, webhook_private_addresses=True)


@pytest.fixture
def send(http: httpx.Client, issuer: Issuer) -> Send:
    """Return a function that calls as an administrator of the agents."""
    admin = bearer(issuer.person("90000020605", name="Tereza Lins", realm_access={"roles": ["agentes:admin"]}))
    return lambda method, path, body=None: http.request(method, f"{BASE}/{path}", json=body, headers=admin)


@pytest.fixture
def receiver(sql: Sql) -> Iterator[Receiver]:
    with Receiver() as running:
        yield running
    sql("DELETE FROM agents.webhooks")
    sql("DELETE FROM queue.pgqueuer")


@pytest.fixture
def agent() -> str:
    return next(_names)


@pytest.fixture
def webhook(send: Send, receiver: Receiver, agent: str) -> dict[str, Any]:
    """Create a webhook that follows only this agent. Return it with its secret."""
    answer = send("POST", "webhooks", {"url": f"{receiver.url}/avisos", "agent_types": [agent]})
    assert answer.status_code == 201, answer.text
    added: dict[str, Any] = answer.json()
    return added


def save(send: Send, agent: str, **content: Any) -> dict[str, Any]:
    answer = send("POST", "unified-save", {"agent_type": agent, "reason": "teste"} | content)
    assert answer.status_code == 200, answer.text
    saved: dict[str, Any] = answer.json()
    return saved


@pytest.mark.cases("agents", "51")
def test_every_move_of_the_pointer_is_told_and_nothing_else(
    webhook: dict[str, Any], receiver: Receiver, agent: str, send: Send, drain: Drain, sql: Sql
) -> None:
    send("POST", "webhooks", {"url": f"{receiver.url}/outro", "agent_types": ["another"]})
    first = save(send, agent, prompt_content="segredo da prefeitura")
    save(send, agent, prompt_content="Dois", activate=False)
    send("POST", "agent-config/activate", {"agent_type": agent, "version": 2, "reason": "x"})
    send("POST", "agent-config/activate", {"agent_type": agent, "version": 2, "reason": "de novo"})
    send("POST", "agent-config/rollback", {"agent_type": agent, "reason": "x"})
    send("DELETE", f"unified-reset?agent_type={agent}")
    drain()
    assert {told.path for told in receiver.received} == {"/avisos"}
    bodies = [Webhook(webhook["secret"]).verify(told.body, dict(told.headers)) for told in receiver.received]
    assert {body["type"] for body in bodies} == {"agent.activated"}
    logged = sql("SELECT em FROM agents.agent_activations WHERE agent_type = $1", agent)
    assert {body["timestamp"] for body in bodies} == {format_rfc3339(row["em"]) for row in logged}
    assert all(body["timestamp"].endswith("Z") for body in bodies)
    check_described(SERVICE, bodies[0])
    moves = sorted((body["data"] for body in bodies), key=lambda data: data["activation"])
    assert [(move["kind"], move["previous_version"], move["version"]) for move in moves] == [
        ("save", None, 1), ("activate", 1, 2), ("rollback", 2, 1), ("reset", 1, 3),
    ]  # fmt: skip
    assert (moves[0]["agent_type"], moves[0]["config_id"]) == (agent, first["config_id"])
    assert moves[0]["prompt_id"] == first["prompt_id"]
    assert not any(b"segredo" in told.body for told in receiver.received)
    tampered = receiver.received[0].body.replace(agent.encode(), b"x")
    with pytest.raises(WebhookVerificationError):
        Webhook(webhook["secret"]).verify(tampered, dict(receiver.received[0].headers))
    shown = send("GET", f"webhooks/{webhook['id']}").json()
    assert (shown["last_delivery_at"] is None, shown["last_error"]) == (False, None)


def test_a_pointer_that_an_import_moves_is_told_too(
    webhook: dict[str, Any],
    receiver: Receiver,
    agent: str,
    drain: Drain,
    settings: Settings,
    database_url: str,
    tmp_path: Path,
) -> None:
    lines = [make_version(agent, 1), make_version(agent, 2, active=True), make_version(agent, 3)]
    with importing(settings, database_url, SERVICE) as load:
        load(written(tmp_path / "versions", lines), "versions")
    drain()
    (told,) = receiver.received
    moved = Webhook(webhook["secret"]).verify(told.body, dict(told.headers))["data"]
    assert (moved["agent_type"], moved["kind"]) == (agent, "save")
    assert (moved["previous_version"], moved["version"]) == (None, 2)


@pytest.mark.cases("agents", "52")
def test_what_is_not_taken_is_sent_again_and_who_is_gone_is_left_alone(
    webhook: dict[str, Any], receiver: Receiver, agent: str, send: Send, drain: Drain, sql: Sql
) -> None:
    receiver.answers.extend([Answer(500), Answer(204), Answer(410)])
    save(send, agent, prompt_content="Um")
    drain()
    assert send("GET", f"webhooks/{webhook['id']}").json()["last_error"] == "status-500"
    sql("UPDATE queue.pgqueuer SET execute_after = now()")
    drain()
    assert len({told.headers["webhook-id"] for told in receiver.received}) == 1
    save(send, agent, prompt_content="Dois")
    drain()
    shown = send("GET", f"webhooks/{webhook['id']}").json()
    assert (shown["active"], shown["last_error"]) == (False, "status-410")
    save(send, agent, prompt_content="Três")
    drain()
    assert len(receiver.received) == 3
    assert sql("SELECT FROM queue.pgqueuer WHERE entrypoint = 'agents.deliver_webhook'") == []


@pytest.mark.cases("agents", "53")
async def test_a_move_that_is_not_committed_is_not_told(
    webhook: dict[str, Any], agent: str, call: Call, database_url: str
) -> None:
    """The save's connection is killed after the active pointer has moved, while the save waits for a lock."""
    queued = "SELECT count(*) FROM queue.pgqueuer WHERE entrypoint = 'agents.deliver_webhook'"
    body = SaveBody.model_validate({"agent_type": agent, "prompt_content": "Um"})
    blocker = await asyncpg.connect(database_url)
    try:
        async with blocker.transaction():
            await blocker.execute("LOCK TABLE queue.pgqueuer IN ACCESS EXCLUSIVE MODE")
            saving = asyncio.create_task(versions.save_version(call, body))
            async with asyncio.timeout(PATIENCE):
                while not await blocker.fetchval(  # noqa: ASYNC110 - no event reports a lock wait
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_locks"
                    " WHERE NOT granted AND relation = 'queue.pgqueuer'::regclass"
                ):
                    await asyncio.sleep(0)
            with pytest.raises(Unavailable):
                await saving
        assert await blocker.fetchval(queued) == 0
        await versions.save_version(call, body)
        assert await blocker.fetchval(queued) == 1
    finally:
        await blocker.close()


def test_a_secret_is_shown_once_and_both_sign_for_a_day_after_a_change(
    webhook: dict[str, Any], receiver: Receiver, send: Send, drain: Drain, sql: Sql
) -> None:
    path = f"webhooks/{webhook['id']}"
    assert "secret" not in send("GET", path).json()
    (listed,) = send("GET", "webhooks").json()["items"]
    assert listed == {name: webhook[name] for name in listed}
    renewed = send("POST", f"{path}/secret").json()["secret"]
    assert send("POST", f"{path}/test").status_code == 202
    drain()
    sql("UPDATE agents.webhooks SET previous_until = now()")
    send("POST", f"{path}/test")
    drain()
    both, one = receiver.received
    for secret in (webhook["secret"], renewed):
        told = Webhook(secret).verify(both.body, dict(both.headers))
        assert (told["type"], told["data"]) == ("test", {"webhook": webhook["id"]})
    with pytest.raises(WebhookVerificationError):
        Webhook(webhook["secret"]).verify(one.body, dict(one.headers))
    trail = sql("SELECT action FROM platform.audit_event WHERE operation LIKE 'agents.%webhook%' ORDER BY at")
    assert [row["action"] for row in trail][-4:] == ["create", "update", "update", "update"]


def test_a_webhook_is_replaced_and_deleted(
    webhook: dict[str, Any], receiver: Receiver, agent: str, send: Send, drain: Drain
) -> None:
    path = f"webhooks/{webhook['id']}"
    off = send("PUT", path, {"url": receiver.url, "active": False, "description": " Portal "}).json()
    assert (off["active"], off["agent_types"], off["description"]) == (False, [], "Portal")
    refused = send("POST", f"{path}/test")
    assert (refused.status_code, refused.headers["Error-Code"]) == (409, "webhook-off")
    save(send, agent, prompt_content="Um")
    drain()
    assert receiver.received == []
    send("PUT", path, {"url": receiver.url})
    save(send, agent, prompt_content="Dois")
    assert send("DELETE", path).status_code == 204
    drain()
    assert receiver.received == []
    again = send("DELETE", path)
    assert (again.status_code, again.headers["Error-Code"]) == (404, "webhook-not-found")


def test_a_stored_address_that_cannot_be_called_is_shown_as_not_reached(
    webhook: dict[str, Any], receiver: Receiver, send: Send, drain: Drain, sql: Sql
) -> None:
    # The resolver reads the full-width letter as an ordinary one, but the address is not a valid header value.
    sql("UPDATE agents.webhooks SET url = $1", receiver.url.replace("127.0.0.1", "\uff4cocalhost"))
    send("POST", f"webhooks/{webhook['id']}/test")
    drain()
    assert send("GET", f"webhooks/{webhook['id']}").json()["last_error"] == "not-reached"
    assert receiver.received == []


@pytest.mark.parametrize(
    "body",
    [
        {"url": "ftp://agente.example/"},
        {"url": "https://usuario:senha@agente.example/"},
        {"url": "https://são.example/"},
        {"url": "https://agente.example/" + "a" * 500},
        {"url": "https://agente.example/", "agent_types": ["não"]},
        {"url": "https://agente.example/", "agent_types": ["a"] * 101},
        {"url": "https://agente.example/", "description": "a\u0007b"},
        {"url": "https://agente.example/", "description": "a" * 201},
        {},
    ],
)
def test_a_faulty_webhook_is_refused(send: Send, body: Any, sql: Sql) -> None:
    assert send("POST", "webhooks", body).status_code == 422
    assert sql("SELECT FROM agents.webhooks") == []


def test_who_may_keep_webhooks(http: httpx.Client, issuer: Issuer, send: Send) -> None:
    editor = bearer(issuer.person("90000020443", realm_access={"roles": ["agentes:editor"]}))
    for headers, status in (({}, 401), (bearer(issuer.machine("agentes-runtime")), 403), (editor, 403)):
        assert http.get(f"{BASE}/webhooks", headers=headers).status_code == status
        assert http.post(f"{BASE}/webhooks", json={}, headers=headers).status_code == status
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/secret"), ("POST", "/test")):
        for id in (UNKNOWN, "x"):
            answer = send(method, f"webhooks/{id}{path}")
            assert (answer.status_code, answer.headers["Error-Code"]) == (404, "webhook-not-found")
        assert send(method, f"webhooks/{'x' * 65}{path}").status_code == 422


def test_there_are_so_many_webhooks_and_no_more(send: Send, receiver: Receiver) -> None:
    answers = [send("POST", "webhooks", {"url": receiver.url}) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [201] * 20 + [409]
    assert answers[20].headers["Error-Code"] == "too-many-webhooks"


def test_the_message_is_json_that_receivers_read(
    webhook: dict[str, Any], receiver: Receiver, send: Send, drain: Drain
) -> None:
    send("POST", f"webhooks/{webhook['id']}/test")
    drain()
    (told,) = receiver.received
    assert told.headers["content-type"] == "application/json"
    assert set(json.loads(told.body)) == {"type", "timestamp", "data"}
