"""The one-click opt-out (RFC 8058; rules: registry 4.17)."""

from datetime import timedelta
from urllib.parse import urlsplit

import httpx
import pytest

from balcao.core.context.platform import assemble, make_hash_key
from balcao.core.context.sealing import seal_briefly
from balcao.core.values.clock import utc_now
from balcao.registry.senders.unsubscribe import links
from balcao.registry.senders.unsubscribe.links import Link
from balcao.settings import Settings
from tests.registry.chains import verify
from tests.registry.registry_client import RegistryClient, new_cpf
from tests.registry.senders.sender_calls import SENDER, Sender
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.operator_calls import acting
from tests.support.refusals import refusal

ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def cpf(sql: Sql) -> str:
    found = new_cpf()
    sql("INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, '{}', 'test')", found)
    return found


@pytest.fixture
def address(sender: Sender, cpf: str) -> str:
    (found,) = sender.check("alerts", cpfs=[cpf])
    return str(urlsplit(found["unsubscribe"]).path)


def history(http: httpx.Client, issuer: Issuer, cpf: str) -> list[dict[str, object]]:
    path = f"/citizen/{cpf}/notification-preferences/history"
    found: list[dict[str, object]] = RegistryClient(http, issuer.person(cpf)).ok("GET", path)["data"]
    return found


@pytest.mark.cases("registry", "U16")
def test_one_click_refuses_the_category_and_the_ledger_says_how(
    sender: Sender,
    http: httpx.Client,
    issuer: Issuer,
    address: str,
    cpf: str,
    settings: Settings,
    database_url: str,
) -> None:
    answer = http.post(address, data=ONE_CLICK)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "você não recebe mais mensagens sobre Alertas" in answer.text
    assert sender.accepting([cpf], "alerts") == [False]
    assert sender.accepting([cpf], "services") == [True]
    (entry,) = history(http, issuer, cpf)
    shown = {
        name: entry[name] for name in ("action", "category", "channel", "reason", "new_value", "actor_kind", "azp")
    }
    assert shown == {
        "action": "category_update",
        "category": "alerts",
        "channel": "email",
        "reason": "one_click_unsubscribe",
        "new_value": False,
        "actor_kind": "citizen",
        "azp": SENDER,
    }
    accesses = RegistryClient(http, issuer.person(cpf)).ok("GET", f"/citizen/{cpf}/data-access")["data"]
    events = [(each["operation"], each["actor_kind"], each["actor"], each["grant"]) for each in accesses]
    assert ("registry.unsubscribe", "citizen", SENDER, "unsubscribe_link") in events
    with acting(settings, database_url, "registry.tested") as act:
        assert act(verify, cpf).findings == []


@pytest.mark.cases("registry", "U17")
def test_a_repetition_changes_nothing_and_leaves_no_trace(
    http: httpx.Client, issuer: Issuer, address: str, cpf: str, sql: Sql
) -> None:
    bodies: list[dict[str, object]] = [
        {"data": ONE_CLICK},
        {},
        {"content": b"\x00"},
        {"json": [1]},
        {"files": {"a": b"b"}},
    ]
    answers = [http.post(address, **body) for body in bodies]  # type: ignore[arg-type]
    assert {(answer.status_code, answer.text) for answer in answers} == {(200, answers[0].text)}
    assert len(history(http, issuer, cpf)) == 1
    events = sql(
        "SELECT count(*) AS n FROM platform.audit_event WHERE operation = 'registry.unsubscribe' AND subject = $1",
        f"***.{cpf[3:6]}.{cpf[6:9]}-**",
    )
    assert events[0]["n"] == 1


@pytest.mark.cases("registry", "U18")
def test_a_get_shows_a_page_and_changes_nothing(
    sender: Sender, http: httpx.Client, issuer: Issuer, address: str, cpf: str
) -> None:
    answer = http.get(address)
    assert answer.status_code == 200
    assert '<form method="post">' in answer.text
    assert "Alertas" in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "form-action 'self'" in answer.headers["Content-Security-Policy"]
    assert history(http, issuer, cpf) == []
    assert sender.accepting([cpf], "alerts") == [True]


@pytest.mark.cases("registry", "U18")
def test_the_address_shows_nothing_of_the_person(address: str, cpf: str, http: httpx.Client) -> None:
    assert cpf not in address
    assert "alerts" not in address
    assert cpf not in http.get(address).text


def seal(settings: Settings, content: str, purpose: str = "unsubscribe") -> str:
    return seal_briefly(make_hash_key(settings), purpose, [content])[0]


@pytest.mark.cases("registry", "U19")
def test_an_address_that_is_expired_or_not_ours_does_nothing(
    http: httpx.Client, settings: Settings, sql: Sql, cpf: str, address: str
) -> None:
    past = int((utc_now() - timedelta(seconds=1)).timestamp())
    future = past + 1000
    sealed = [
        seal(settings, f'[["{cpf}","alerts","x"],{past}]'),
        seal(settings, f'[["{cpf}","nobody_knows","x"],{future}]'),
        seal(settings, f'[["12345678901","alerts","x"],{future}]'),
        seal(settings, f'[["{cpf}","alerts","x"],{future}]', "found-citizen"),
        address.rpartition("/")[2][:-2] + "AA",
        "x",
        "%00",
        "..",
        "x" * 3000,
    ]
    for each in sealed:
        for answer in (http.get(f"/registry/v1/unsubscribe/{each}"), http.post(f"/registry/v1/unsubscribe/{each}")):
            assert answer.status_code in {400, 404, 405}, each
    assert refusal(http.post(f"/registry/v1/unsubscribe/{sealed[0]}")) == (404, "unsubscribe-unknown")
    assert sql("SELECT FROM registry.preference_choice WHERE cpf = $1", cpf) == []


def test_an_address_is_valid_for_as_long_as_the_setting_says(settings: Settings, database_url: str) -> None:
    platform, now = assemble(settings, database_url), utc_now()
    made = Link("90000000175", "alerts", "x")
    sealed = links.make_addresses(platform, [made], now)[0].rpartition("/")[2]
    end = now + timedelta(days=settings.unsubscribe_days)
    assert links.open_link(platform.audit, sealed, end - timedelta(seconds=2)) == made
    assert links.open_link(platform.audit, sealed, end) is None


@pytest.mark.cases("registry", "U20")
def test_the_refusal_of_a_category_that_is_switched_off_counts_when_it_returns(
    sender: Sender, http: httpx.Client, issuer: Issuer, sql: Sql, cpf: str
) -> None:
    admin, category = RegistryClient(http, issuer.admin()), "/admin/notification-categories/events"
    (found,) = sender.check("events", cpfs=[cpf])
    admin.ok("DELETE", category)
    try:
        assert http.post(urlsplit(found["unsubscribe"]).path).status_code == 200
    finally:
        admin.ok("PUT", category, {"active": True})
    assert sender.accepting([cpf], "events") == [False]


@pytest.mark.cases("registry", "U20")
def test_a_refusal_that_equals_the_default_outlives_it(
    sender: Sender, http: httpx.Client, issuer: Issuer, settings: Settings, cpf: str
) -> None:
    admin, category = RegistryClient(http, issuer.admin()), "/admin/notification-categories/courses"
    future = int((utc_now() + timedelta(days=1)).timestamp())
    sealed = seal(settings, f'[["{cpf}","courses","x"],{future}]')
    assert http.post(f"/registry/v1/unsubscribe/{sealed}").status_code == 200
    admin.ok("PUT", category, {"default_opt_in": True})
    try:
        assert sender.accepting([cpf, new_cpf()], "courses") == [False, False]
    finally:
        admin.ok("PUT", category, {"default_opt_in": False})
    assert history(http, issuer, cpf) == []
