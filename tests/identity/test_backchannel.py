"""Tests that a logout at the identity provider reaches every process (OpenID Connect Back-Channel Logout 1.0)."""

import asyncio
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.core.access import sessions
from balcao.core.access.sessions import SessionEnd
from balcao.core.audit import retention
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.settings import Settings
from tests.support.demo_people import ANA
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer, new_key
from tests.support.polling import PATIENCE, until_now
from tests.support.server import RunningServer

EVENTS: dict[str, Any] = {"http://schemas.openid.net/event/backchannel-logout": {}}
LOGOUT = "/auth/backchannel-logout"
WHO = "/agent/api/v1/auth"


@pytest.fixture(scope="module")
def other(settings: Settings, database_url: str, server: RunningServer) -> Iterator[httpx.Client]:
    """Yield a client of a second server that uses the same database."""
    with (
        RunningServer(app.build_application(settings, database_url)) as second,
        httpx.Client(base_url=second.url, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.fixture
def logout(issuer: Issuer, request: pytest.FixtureRequest) -> Callable[..., str]:
    """Return a function that makes a logout token. Claims that are set to None are left out, except `exp`."""

    def make(**changes: Any) -> str:
        claims: dict[str, Any] = {
            "aud": "portal-cidadao", "jti": f"{request.node.name}-{len(made)}", "events": EVENTS, "typ": "Logout",
            "exp": int(time.time()) + 120,
        } | changes  # fmt: skip
        made.append("")
        kept = {name: value for name, value in claims.items() if value is not None or name == "exp"}
        return issuer.token(**kept)

    made: list[str] = []
    return make


def send(client: httpx.Client, token: str) -> httpx.Response:
    return client.post(LOGOUT, data={"logout_token": token})


def opens(client: httpx.Client, token: str) -> bool:
    return client.get(WHO, headers=bearer(token)).status_code == 200


def test_the_tokens_of_the_session_end_in_every_process_and_no_others(
    http: httpx.Client, other: httpx.Client, issuer: Issuer, logout: Callable[..., str]
) -> None:
    ended, kept = (issuer.person(ANA, sid=sid) for sid in ("phone", "desk"))
    older = issuer.person(ANA, session_state="phone")
    assert all(opens(client, token) for client in (http, other) for token in (ended, older, kept))
    answer = send(http, logout(sid="phone", sub=f"person-{ANA}"))
    assert (answer.status_code, answer.content, answer.headers["cache-control"]) == (200, b"", "no-store")
    for client in (http, other):
        until_now(lambda client=client: not opens(client, ended))  # type: ignore[misc]
        assert not opens(client, older)
        assert not opens(client, issuer.person(ANA, sid="phone"))
        assert opens(client, kept)


def test_a_logout_of_the_subject_ends_every_session_that_had_begun(
    http: httpx.Client, other: httpx.Client, issuer: Issuer, logout: Callable[..., str]
) -> None:
    now = int(time.time())
    before = [issuer.person(ANA, sub="everywhere", sid=sid, iat=now - 10) for sid in ("a", "b")]
    again = issuer.person(ANA, sub="everywhere", sid="c", iat=now)
    assert all(opens(other, token) for token in before)
    assert send(http, logout(sub="everywhere", iat=now - 5)).status_code == 200
    for token in before:
        until_now(lambda token=token: not opens(other, token))  # type: ignore[misc]
    assert opens(other, again)


def test_a_process_that_starts_later_knows_it_too(
    http: httpx.Client, settings: Settings, database_url: str, issuer: Issuer, logout: Callable[..., str]
) -> None:
    token = issuer.person(ANA, sid="early")
    send(http, logout(sid="early")).raise_for_status()
    with (
        RunningServer(app.build_application(settings, database_url, ["agents"])) as late,
        httpx.Client(base_url=late.url, timeout=PATIENCE) as client,
    ):
        assert not opens(client, token)
        assert send(client, logout(sid="late")).status_code == 200


def test_the_log_says_that_the_session_ended(
    http: httpx.Client, issuer: Issuer, logout: Callable[..., str], caplog: pytest.LogCaptureFixture
) -> None:
    send(http, logout(sid="logged")).raise_for_status()
    token = issuer.person(ANA, sid="logged")
    with caplog.at_level("INFO"):
        until_now(lambda: not opens(http, token))
    assert "token-session-ended" in caplog.text


def test_a_logout_token_counts_once(http: httpx.Client, other: httpx.Client, logout: Callable[..., str]) -> None:
    token = logout(sid="once")
    assert send(http, token).status_code == 200
    for client in (http, other):
        again = send(client, token)
        assert (again.status_code, again.json()["error"]) == (400, "invalid_request")


REFUSED: dict[str, Callable[[Issuer], dict[str, Any]]] = {
    "no event": lambda _: {"sid": "phone", "events": None},
    "another event": lambda _: {"sid": "phone", "events": {"http://schemas.openid.net/event/x": {}}},
    "an event that is no object": lambda _: {"sid": "phone", "events": {next(iter(EVENTS)): "x"}},
    "a nonce": lambda _: {"sid": "phone", "nonce": "n"},
    "neither session nor subject": lambda _: {},
    "a session that is no text": lambda _: {"sid": ["phone"]},
    "a session without end": lambda _: {"sid": "x" * 513},
    "an empty subject": lambda _: {"sub": " "},
    "no number": lambda _: {"sid": "phone", "jti": None},
    "no audience": lambda issuer: {"sid": "phone", "aud": []},
    "expired": lambda _: {"sid": "phone", "exp": int(time.time()) - 60},
    "old": lambda _: {"sid": "phone", "iat": int(time.time()) - 3600},
    "of tomorrow": lambda _: {"sid": "phone", "iat": int(time.time()) + 3600},
    "times that are none": lambda _: {"sid": "phone", "exp": 10**400},
    "another issuer": lambda _: {"sid": "phone", "iss": "https://outro.example"},
    "a key of somebody else's": lambda issuer: {"sid": "phone", "key": new_key()},
    "a signature of somebody else's": lambda issuer: {
        "sid": "phone", "key": new_key(), "header": {"kid": issuer.keys[-1].kid},
    },
}  # fmt: skip


def test_the_log_says_why_a_logout_token_was_refused(
    http: httpx.Client, logout: Callable[..., str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        send(http, logout())
        send(http, "x.y.z")
    lines = [record.getMessage() for record in caplog.records if "identity.logout_refused" in record.getMessage()]
    for line, code in zip(lines, ("token-subject", "token-malformed"), strict=True):
        assert f'"{code}"' in line


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_logout_token_ends_nothing(
    http: httpx.Client, issuer: Issuer, logout: Callable[..., str], sql: Sql, kind: str
) -> None:
    before = sql("SELECT count(*) FROM platform.ended_session")
    answer = send(http, logout(**REFUSED[kind](issuer)))
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert (answer.headers["error-code"], answer.headers["cache-control"]) == ("logout-token", "no-store")
    assert sql("SELECT count(*) FROM platform.ended_session") == before


def test_an_access_token_is_no_logout_token(http: httpx.Client, issuer: Issuer) -> None:
    token = issuer.person(ANA, sid="mine", jti="1")
    assert send(http, token).status_code == 400
    assert opens(http, token)


@pytest.mark.parametrize("data", [{}, {"logout_token": ""}, {"logout_token": "x.y"}, {"logout_token": ["a", "b"]}])
def test_a_form_without_a_logout_token_is_refused(http: httpx.Client, data: dict[str, Any]) -> None:
    assert http.post(LOGOUT, data=data).status_code == 400
    assert http.post(LOGOUT, json=data).status_code == 400
    assert http.post(LOGOUT, data={"logout_token": "x" * 20_000}).status_code == 413
    assert http.get(LOGOUT).status_code == 405


async def test_it_is_kept_until_no_token_can_be_alive(platform: Platform, sql: Sql) -> None:
    await asyncio.to_thread(sql, "DELETE FROM platform.ended_session")
    for number in ("1", "2"):
        assert await platform.ended_sessions.record(SessionEnd("https://x", number, time.time(), session=number))
    one = "(SELECT min(key) FROM platform.ended_session)"
    await asyncio.to_thread(sql, f"UPDATE platform.ended_session SET expires_at = now() WHERE key = {one}")
    wanted = [one for one in app.list_retention() if one.kind == "ended_session"]
    [report] = await retention.run_retention(operator_call(platform, retention.OPERATION), wanted)
    assert (report.checked, report.removed) == (2, 1)


async def test_a_process_forgets_what_has_expired(
    platform: Platform, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "RETENTION_PERIOD", timedelta(0))
    ended = sessions.EndedSessions(platform.database)
    await ended.record(SessionEnd(issuer.address, "short", time.time(), session="short"))
    await ended.reload()
    caller = await platform.tokens.caller(f"Bearer {issuer.person(ANA, sid='short')}".encode())
    assert not ended.covers(caller)
