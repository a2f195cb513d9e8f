"""Two processes of the provider share a database. Each accepts the grants of the other, and a restart loses none."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from balcao import app
from balcao.core.audit import retention
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from tests.sandbox.identity.provider import Portal, RunningProvider, refusal
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE
from tests.support.server import free_port

REFRESH = {"grant_type": "refresh_token", "client_id": "portal-cidadao"}
TOKEN = "/protocol/openid-connect/token"
AUTH = "/protocol/openid-connect/auth"
USER_INFO = "/protocol/openid-connect/userinfo"


@pytest.fixture(scope="module")
def other(provider: RunningProvider, database_url: str) -> Iterator[str]:
    """Yield the issuer's address on a second server that uses the same data folder and database."""
    with RunningProvider(provider.settings, database_url, port=free_port()) as running:
        yield f"{running.url}/auth/realms/balcao"


def refresh(issuer: str, token: str) -> httpx.Response:
    return httpx.post(issuer + TOKEN, data=REFRESH | {"refresh_token": token}, timeout=PATIENCE)


def test_a_code_of_one_process_is_exchanged_by_the_other_once(
    portal: Portal, other: str, provider: RunningProvider
) -> None:
    form = portal.exchange_form(portal.log_in())
    tokens = httpx.post(other + TOKEN, data=form, timeout=PATIENCE)
    assert tokens.status_code == 200
    assert provider.claims(tokens.json()["access_token"])["azp"] == "portal-cidadao"
    assert refusal(provider.token(form)) == (400, "invalid-grant")
    assert refusal(refresh(other, tokens.json()["refresh_token"])) == (400, "invalid-grant")


def test_a_browser_is_logged_in_at_both_and_logged_out_at_both(
    portal: Portal, other: str, provider: RunningProvider
) -> None:
    tokens = portal.tokens()
    elsewhere = portal.login_url().replace(provider.issuer, other)
    bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert portal.browser.get(elsewhere).status_code == 302
    assert httpx.get(other + USER_INFO, headers=bearer, timeout=PATIENCE).status_code == 200
    form = {"client_id": "portal-cidadao", "refresh_token": tokens["refresh_token"]}
    assert httpx.post(provider.metadata["end_session_endpoint"], data=form, timeout=PATIENCE).status_code == 204
    assert portal.browser.get(elsewhere).status_code == 200
    assert httpx.get(other + USER_INFO, headers=bearer, timeout=PATIENCE).status_code == 401
    assert refresh(other, tokens["refresh_token"]).status_code == 400


def test_two_tabs_that_refresh_at_once_get_the_same_successor_and_stay_logged_in(
    portal: Portal, other: str, provider: RunningProvider
) -> None:
    first = portal.tokens()["refresh_token"]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(refresh, [provider.issuer, other] * 2, [first] * 4))
    assert {answer.status_code for answer in answers} == {200}
    [second] = {answer.json()["refresh_token"] for answer in answers}
    third = refresh(other, second).json()["refresh_token"]
    assert len({first, second, third}) == 3
    # If the first token is used again after its successor was used, the grant ends.
    for used in (first, third):
        assert refusal(refresh(provider.issuer, used)) == (400, "invalid-grant")


def test_a_code_tried_in_both_processes_at_once_serves_at_most_one(
    portal: Portal, other: str, provider: RunningProvider
) -> None:
    form = portal.exchange_form(portal.log_in())
    with ThreadPoolExecutor(4) as pool:
        issuers = [provider.issuer, other] * 2
        answers = list(pool.map(lambda issuer: httpx.post(issuer + TOKEN, data=form, timeout=PATIENCE), issuers))
    served = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(served) == 1
    assert refusal(refresh(other, served[0]["refresh_token"])) == (400, "invalid-grant")


def test_a_restart_forgets_neither_the_login_nor_what_was_granted(
    provider: RunningProvider, database_url: str, portal: Portal
) -> None:
    token = portal.tokens()["refresh_token"]
    for _ in range(2):
        with RunningProvider(provider.settings, database_url, port=free_port()) as again:
            issuer = f"{again.url}/auth/realms/balcao"
            assert portal.browser.get(portal.login_url().replace(provider.issuer, issuer)).status_code == 302
            token = refresh(issuer, token).json()["refresh_token"]


async def test_what_an_expired_session_leaves_goes_every_night(
    platform: Platform, portal: Portal, provider: RunningProvider, sql: Sql
) -> None:
    def prepare() -> None:
        sql("DELETE FROM platform.identity_session")
        portal.tokens()
        sql("UPDATE platform.identity_session SET expires_at = now()")
        with Portal(provider) as living:
            living.tokens()

    await asyncio.to_thread(prepare)
    wanted = [one for one in app.list_retention() if one.kind == "identity_session"]
    [report] = await retention.run_retention(operator_call(platform, retention.OPERATION), wanted)
    assert (report.checked, report.removed) == (2, 1)
    counts = (
        "SELECT (SELECT count(*) FROM platform.identity_grant), (SELECT count(*) FROM platform.identity_credential)"
    )
    assert [tuple(row) for row in await asyncio.to_thread(sql, counts)] == [(1, 2)]
