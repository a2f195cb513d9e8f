"""The risk of a unit, as callers read it."""

import itertools
import re
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.health_units import SERVICE
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import Causa, ChangeBody, CloseBody, OpenBody
from balcao.health_units.records import Tipo
from balcao.health_units.situation import Risco
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from balcao.settings import Settings
from balcao_sandbox.demo import health_units as demo
from tests.support.demo_people import ANA
from tests.support.issuer import Issuer, bearer, new_key
from tests.support.rules import read_values

MINUTE = timedelta(minutes=1)
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-03:00")
_codes = itertools.count(5000001)

pytestmark = pytest.mark.usefixtures("loaded")


def path(cnes: str) -> str:
    return f"/health-units/unidade/{cnes}/risco"


@pytest.fixture
def read(http: httpx.Client, issuer: Issuer) -> Callable[..., httpx.Response]:
    token = bearer(issuer.person(ANA))
    return lambda cnes, **headers: http.get(path(cnes), headers=token | headers)


@pytest.fixture
def unit(act: Any, read: Any) -> Cnes:
    """Create a unit without notifications, wait until the server shows it, and return its code."""
    cnes = Cnes(str(next(_codes)))
    act(units.put_unit, cnes, UnitBody(nome="Unidade de teste", tipo=Tipo.CF))
    wait_until(read, cnes, lambda answer: answer.status_code == 200)
    return cnes


def wait_until(read: Any, cnes: Cnes, wanted: Callable[[httpx.Response], bool]) -> dict[str, Any]:
    """Repeat the read until the response is as expected, and return its body.

    The server notices a commit only after a short delay.
    """
    deadline = time.monotonic() + 20
    while not wanted(answer := read(cnes.digits)):
        assert time.monotonic() < deadline, answer.text
    body: dict[str, Any] = answer.json()
    return body


def has_newest(risco: str, status: str) -> Callable[[httpx.Response], bool]:
    return lambda answer: (
        {"risco": risco, "status": status}.items() <= (answer.json()["ultima_notificacao"] or {}).items()
    )


@pytest.mark.cases("health_units", "6")
def test_a_unit_without_notifications_has_exactly_three_members(read: Any) -> None:
    answer = read(demo.QUIET)
    assert answer.status_code == 200
    assert answer.json() == {"cnes": demo.QUIET, "notificacao_ativa": None, "ultima_notificacao": None}
    assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.cases("health_units", "7")
def test_an_active_notification_is_also_the_last_one(read: Any) -> None:
    body = read(demo.ACTIVE).json()
    assert set(body) == {"cnes", "notificacao_ativa", "ultima_notificacao"}
    assert body["notificacao_ativa"] == body["ultima_notificacao"]
    assert set(body["notificacao_ativa"]) == {"risco", "status", "ultima_atualizacao"}
    assert (body["notificacao_ativa"]["risco"], body["notificacao_ativa"]["status"]) == ("Vermelho", "Ativo")
    assert INSTANT.fullmatch(body["notificacao_ativa"]["ultima_atualizacao"])


@pytest.mark.cases("health_units", "4")
def test_leading_zeros_count(read: Any) -> None:
    assert read("0012345").json()["cnes"] == "0012345"


def test_a_deactivated_unit_is_still_answered(read: Any) -> None:
    assert read(demo.DEACTIVATED).status_code == 200


def test_the_last_one_closed_as_a_mistake_leaves_the_one_before(read: Any, sql: Any) -> None:
    body = read(demo.MISTAKEN).json()
    assert body["notificacao_ativa"] is None
    assert body["ultima_notificacao"]["status"] == "Encerrado"
    (newest,) = sql(
        "SELECT causa FROM health_units.notifications WHERE cnes = $1 ORDER BY aberta_em DESC LIMIT 1",
        demo.MISTAKEN,
    )
    assert newest["causa"] == "engano"


@pytest.mark.cases("health_units", "8", "9")
def test_a_whole_episode_as_a_citizen_sees_it(unit: Cnes, read: Any, act: Any) -> None:
    opened = act(notifications.open_notification, unit, OpenBody(risco=Risco.AMARELO), utc_now() - MINUTE)
    first = wait_until(read, unit, has_newest("Amarelo", "Ativo"))
    assert first["notificacao_ativa"] == first["ultima_notificacao"]

    act(notifications.change_notification, unit, opened.id, ChangeBody(risco=Risco.VERMELHO))
    raised = wait_until(read, unit, has_newest("Vermelho", "Ativo"))
    assert raised["notificacao_ativa"] == raised["ultima_notificacao"]
    assert raised["notificacao_ativa"]["ultima_atualizacao"] > first["notificacao_ativa"]["ultima_atualizacao"]

    act(notifications.close_notification, unit, opened.id, CloseBody())
    closed = wait_until(read, unit, has_newest("Vermelho", "Encerrado"))
    assert closed["notificacao_ativa"] is None


@pytest.mark.cases("health_units", "10")
def test_closing_as_green_shows_green_and_the_log_keeps_what_was_before(
    unit: Cnes, read: Any, act: Any, sql: Any
) -> None:
    opened = act(notifications.open_notification, unit, OpenBody(risco=Risco.VERMELHO))
    act(notifications.close_notification, unit, opened.id, CloseBody(risco=Risco.VERDE))
    assert wait_until(read, unit, has_newest("Verde", "Encerrado"))["notificacao_ativa"] is None
    (event,) = sql(
        "SELECT risco_antes, risco_depois FROM health_units.notification_events"
        " WHERE notification_id = $1 AND tipo = 'encerramento'",
        opened.id,
    )
    assert tuple(event) == ("Vermelho", "Verde")


def test_a_unit_whose_only_notification_was_a_mistake_has_none(unit: Cnes, read: Any, act: Any) -> None:
    opened = act(notifications.open_notification, unit, OpenBody(risco=Risco.LARANJA))
    wait_until(read, unit, has_newest("Laranja", "Ativo"))
    act(notifications.close_notification, unit, opened.id, CloseBody(causa=Causa.ENGANO))
    body = wait_until(read, unit, lambda answer: answer.json()["ultima_notificacao"] is None)
    assert body["notificacao_ativa"] is None


@pytest.mark.cases("health_units", "17")
def test_confirming_moves_the_instant(unit: Cnes, read: Any, act: Any) -> None:
    opened = act(notifications.open_notification, unit, OpenBody(risco=Risco.AMARELO), utc_now() - MINUTE)
    before = wait_until(read, unit, has_newest("Amarelo", "Ativo"))
    act(notifications.change_notification, unit, opened.id, ChangeBody(risco=Risco.AMARELO))
    wait_until(read, unit, lambda answer: answer.json() != before and has_newest("Amarelo", "Ativo")(answer))


@pytest.mark.cases("health_units", "3")
@pytest.mark.parametrize("cnes", read_values("health_units", "3"))
def test_a_malformed_code_is_one_fault_in_the_path(http: httpx.Client, issuer: Issuer, cnes: str) -> None:
    answer = http.get(path(cnes), headers=bearer(issuer.person(ANA)))
    assert (answer.status_code, answer.headers["Error-Code"]) == (422, "cnes-invalid")
    (item,) = answer.json()["detail"]
    assert set(item) == {"loc", "msg", "type"}
    assert item["loc"] == ["path", "cnes"]
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.cases("health_units", "5")
def test_an_unknown_unit_is_not_found(read: Any) -> None:
    answer = read("9999999")
    assert (answer.status_code, answer.headers["Error-Code"]) == (404, "unit-not-found")
    assert isinstance(answer.json()["detail"], str)
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.cases("health_units", "2")
@pytest.mark.parametrize("cnes", [demo.ACTIVE, "9999999", "123"])
def test_a_machine_needs_the_scope_whatever_the_unit(http: httpx.Client, issuer: Issuer, cnes: str) -> None:
    answer = http.get(path(cnes), headers=bearer(issuer.machine("painel-saude", "catalogo:read")))
    assert answer.status_code == 403
    assert isinstance(answer.json()["detail"], str)


def test_a_machine_with_the_scope_reads(http: httpx.Client, issuer: Issuer) -> None:
    answer = http.get(path(demo.ACTIVE), headers=bearer(issuer.machine("painel-saude", "sms:read")))
    assert answer.status_code == 200


@pytest.mark.cases("health_units", "1")
def test_without_a_valid_token_nothing_is_said(http: httpx.Client, issuer: Issuer) -> None:
    stale = issuer.person(ANA, exp=int(time.time()) - 60)
    headers: list[dict[str, str]] = [
        {},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer"},
        bearer(stale),
        bearer(issuer.person(ANA, aud="other")),
        bearer(issuer.token(key=new_key(), sub="x", cpf=ANA)),
    ]
    for sent, cnes in itertools.product(headers, (demo.ACTIVE, "9999999", "123")):
        answer = http.get(path(cnes), headers=sent)
        assert answer.status_code == 401
        assert isinstance(answer.json()["detail"], str)
        assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.cases("health_units", "40")
def test_a_trailing_slash_is_the_same_path(read: Any, http: httpx.Client, issuer: Issuer) -> None:
    plain = read(demo.ACTIVE)
    slashed = http.get(path(demo.ACTIVE) + "/", headers=bearer(issuer.person(ANA)), follow_redirects=False)
    assert (slashed.status_code, slashed.content) == (200, plain.content)


def test_an_unchanged_answer_is_not_sent_again(read: Any) -> None:
    first = read(demo.ACTIVE)
    assert first.headers["Cache-Control"] == "private, max-age=30"
    again = read(demo.ACTIVE, **{"If-None-Match": f'"other", {first.headers["ETag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["Cache-Control"] == "private, max-age=30"
    assert read(demo.QUIET, **{"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_a_machine_may_call_more_often_than_a_person() -> None:
    """A portal calls with one machine token for all its visitors."""
    (declared,) = (each for each in SERVICE.routes if each.key == "health_units.read_risk")
    assert declared.rates(Settings(profile="production")) == ("50/second", "500/second")
