"""The deliveries of an agents webhook: their attempts, and replays (rules: agents 2.5)."""

from typing import Any

import httpx
import pytest

from balcao.agents.webhooks.store import MOST_TRIES
from balcao.core.webhooks.sending import DELAYS
from tests.agents.test_webhooks import (
    BASE,
    UNKNOWN,
    Send,
    agent,
    receiver,
    save,
    send,
    settings,
    webhook,
)
from tests.support.fixture_types import Drain, Sql
from tests.support.http_receiver import Answer, Receiver
from tests.support.issuer import Issuer, bearer

__all__ = ["agent", "receiver", "send", "settings", "webhook"]


def list_deliveries(send: Send, webhook: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    answer = send("GET", f"webhooks/{webhook['id']}/deliveries{query}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


@pytest.mark.cases("agents", "54")
def test_a_delivery_is_listed_with_its_tries_and_replayed_under_its_id(
    webhook: dict[str, Any],
    receiver: Receiver,
    agent: str,
    send: Send,
    drain: Drain,
    sql: Sql,
    http: httpx.Client,
    issuer: Issuer,
) -> None:
    receiver.usual = Answer(503)
    save(send, agent, prompt_content="Um")
    sql("UPDATE queue.pgqueuer SET attempts = $1", len(DELAYS))  # the next attempt will be the last one
    drain()
    (failed,) = list_deliveries(send, webhook, "?failed=true")
    assert (failed["type"], failed["agent_type"], failed["last_error"]) == ("agent.activated", agent, "status-503")
    assert failed["delivered_at"] is None
    receiver.usual = Answer(204)
    replay = f"webhooks/{webhook['id']}/deliveries/{failed['message']}/replay"
    admin = bearer(issuer.person("90000020605", realm_access={"roles": ["agentes:admin"]}))
    for _ in range(2):  # a double click sends one delivery
        assert http.post(f"{BASE}/{replay}", headers=admin | {"Idempotency-Key": "clique"}).status_code == 202
    drain()
    assert [told.headers["webhook-id"] for told in receiver.received] == [failed["message"]] * 2
    assert receiver.received[0].body == receiver.received[1].body
    assert sql("SELECT FROM queue.pgqueuer") == []  # the replay restarted the dead-lettered job
    (taken,) = list_deliveries(send, webhook)
    assert [each["error"] for each in taken["tries"]] == ["status-503", None]
    assert (taken["last_error"], taken["delivered_at"] is None) == (None, False)
    assert list_deliveries(send, webhook, "?failed=true") == []
    assert send("POST", replay).status_code == 202  # an accepted delivery gets a new job
    drain()
    assert len(receiver.received) == 3


def test_a_test_is_replayed_as_the_test_that_it_was(
    webhook: dict[str, Any], receiver: Receiver, send: Send, drain: Drain
) -> None:
    assert send("POST", f"webhooks/{webhook['id']}/test").status_code == 202
    drain()
    (sent,) = list_deliveries(send, webhook)
    assert (sent["type"], sent["activation"], sent["agent_type"]) == ("test", None, None)
    assert send("POST", f"webhooks/{webhook['id']}/deliveries/{sent['message']}/replay").status_code == 202
    drain()
    assert {told.headers["webhook-id"] for told in receiver.received} == {sent["message"]}
    assert len(list_deliveries(send, webhook)[0]["tries"]) == 2


@pytest.mark.cases("agents", "55")
def test_what_cannot_be_sent_again_says_why(
    webhook: dict[str, Any], receiver: Receiver, agent: str, send: Send, drain: Drain
) -> None:
    save(send, agent, prompt_content="Um")
    drain()
    (sent,) = list_deliveries(send, webhook)
    path = f"webhooks/{webhook['id']}"
    send("PUT", path, {"url": receiver.url, "active": False})
    answers = [send("POST", f"{path}/deliveries/{sent['message']}/replay")]
    unknown = f"msg_{UNKNOWN.replace('-', '')}_1"
    answers += [send("POST", f"{path}/deliveries/{message}/replay") for message in (unknown, "x")]
    assert [(answer.status_code, answer.headers["Error-Code"]) for answer in answers] == [
        (409, "webhook-off"), (404, "delivery-not-found"), (422, "invalid"),
    ]  # fmt: skip
    assert send("GET", f"webhooks/{UNKNOWN}/deliveries").status_code == 404
    assert send("POST", f"webhooks/{UNKNOWN}/deliveries/{unknown}/replay").status_code == 404
    assert len(receiver.received) == 1


def test_deliveries_come_in_pages_with_their_total(webhook: dict[str, Any], send: Send, sql: Sql) -> None:
    sql(
        """INSERT INTO agents.webhook_deliveries (webhook, message, last_try_at, tries)
           SELECT $1::text::uuid, 'msg_' || n, now() - n * interval '1 minute', '[]' FROM generate_series(1, 5) AS n""",
        webhook["id"],
    )
    path = f"webhooks/{webhook['id']}/deliveries?limit=2&page="
    pages = [send("GET", f"{path}{page}").json() for page in (1, 2, 3, 4)]
    assert [page["total"] for page in pages] == [5] * 4
    assert [[one["message"] for one in page["items"]] for page in pages] == [
        ["msg_1", "msg_2"],
        ["msg_3", "msg_4"],
        ["msg_5"],
        [],
    ]
    assert send("GET", f"{path}0").status_code == 422


def test_of_many_tries_the_newest_are_kept(webhook: dict[str, Any], send: Send, drain: Drain, sql: Sql) -> None:
    send("POST", f"webhooks/{webhook['id']}/test")
    drain()
    (sent,) = list_deliveries(send, webhook)
    sql("""UPDATE agents.webhook_deliveries SET tries = (
        SELECT jsonb_agg(jsonb_build_object('at', now(), 'error', 'status-' || n)) FROM generate_series(1, 20) AS n)""")
    send("POST", f"webhooks/{webhook['id']}/deliveries/{sent['message']}/replay")
    drain()
    errors = [each["error"] for each in list_deliveries(send, webhook)[0]["tries"]]
    assert errors == [*(f"status-{number}" for number in range(2, MOST_TRIES + 1)), None]
