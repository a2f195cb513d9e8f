"""Webhooks for agents' versions in the panel: add, test, show, redeliver, switch off and delete a receiver."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen
from tests.support.sandbox import Sandbox

WEBHOOKS = "/painel/agentes/avisos"
NEW = f"{WEBHOOKS}/novo"
NOWHERE = "https://recebe.invalid/avisos"
Sql = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def address(sandbox: Sandbox, sql: Any) -> str:
    """Return the panel's address.

    This fixture depends on `sql`, so that the event loop of `sql` starts before the browser's and ends after it.
    """
    return sandbox.url


def add_receiver(panel: PanelClient, name: str, **values: str) -> str:
    """Add a receiver with its form, and return the address of its page."""
    answer = panel.submit(NEW, url=NOWHERE, description=name, is_active="y", **values)
    assert answer.status_code == 201, panel.page.text
    return next(link for link in panel.page.links if link.startswith(f"{WEBHOOKS}/"))


def fail_test(sql: Sql, receiver: str) -> None:
    """Store a failed test delivery, as a worker does."""
    id, error = receiver.rpartition("/")[2], "not-reached"
    tries = json.dumps([{"at": "2026-11-20T12:00:00+00:00", "error": error}])
    sql(
        "INSERT INTO agents.webhook_deliveries (webhook, message, last_try_at, last_error, tries) "
        "VALUES ($1::text::uuid, $2, now(), $3, $4::text::jsonb)",
        id, f"msg_{id.replace('-', '')}_1", error, tries,
    )  # fmt: skip
    sql("UPDATE agents.webhooks SET last_failure_at = now(), last_error = $2 WHERE id = $1::text::uuid", id, error)


def test_a_receiver_is_entered_tried_told_again_switched_off_and_deleted(panel: PanelClient, sql: Sql) -> None:
    panel.login("tereza", WEBHOOKS)
    receiver = add_receiver(panel, "Agente da central", topics="agentic_search, atendimento_demo")
    assert "whsec_" in panel.page.text
    assert "whsec_" not in panel.get(receiver).text
    assert "Busca assistida, Atendimento demo" in panel.page.text
    panel.submit(receiver, action=f"{receiver}/teste")
    assert "O teste está na fila" in panel.page.text
    assert "Nada foi enviado nos últimos 30 dias." in panel.page.text
    fail_test(sql, receiver)
    panel.get(receiver)
    assert "não entregue não foi possível chegar ao endereço" in panel.page.text.replace("entreguenão", "entregue não")
    assert "20/11/2026, 09:00: não foi possível chegar ao endereço" in panel.page.text
    (replay,) = [form.action for form in panel.page.forms if form.action.endswith("/reenviar")]
    panel.post(replay, panel.find_form(replay).values)
    assert "A mensagem está na fila de novo" in panel.page.text
    panel.submit(f"{receiver}/segredo")
    assert panel.page.heading == "Segredo trocado"
    assert "whsec_" in panel.page.text
    panel.submit(f"{receiver}/mudar")  # leaving it out clears the checkbox
    assert "desligado" in panel.page.text
    assert not [form for form in panel.page.forms if form.action.endswith(("/teste", "/reenviar"))]
    panel.submit(f"{receiver}/apagar")
    assert "Aviso apagado." in panel.page.text
    assert panel.get(receiver).status_code == 404


def test_every_message_is_on_a_page(panel: PanelClient, sql: Sql) -> None:
    panel.login("tereza", WEBHOOKS)
    receiver = add_receiver(panel, "Agente com muitas mensagens")
    sql(
        "INSERT INTO agents.webhook_deliveries (webhook, message, last_try_at, tries)"
        " SELECT $1::text::uuid, 'msg_' || n || '.', now() - n * interval '1 minute', '[]'"
        " FROM generate_series(1, 230) AS n",
        receiver.rpartition("/")[2],
    )
    panel.get(receiver)
    assert "230 mensagens" in panel.page.text
    panel.get(f"{receiver}?pagina=10")
    assert "msg_230." in panel.page.text
    panel.submit(f"{receiver}/apagar")


def test_what_the_service_refuses_stands_beside_its_field_and_nothing_typed_is_lost(panel: PanelClient) -> None:
    panel.login("tereza", NEW)
    refused = panel.submit(NEW, url="http://recebe.invalid", description="Sem TLS", topics="não serve")
    assert refused.status_code == 422
    assert "Nada foi gravado; o que você escreveu continua aqui." in panel.page.text
    form = panel.find_form(NEW).values
    assert (form["url"], form["description"], form["topics"]) == ("http://recebe.invalid", "Sem TLS", "não serve")


def test_a_receiver_that_takes_nothing_waits_on_the_first_page_of_who_may_mend_it(panel: PanelClient, sql: Sql) -> None:
    panel.login("tereza", WEBHOOKS)
    receiver = add_receiver(panel, "Painel da ouvidoria")
    fail_test(sql, receiver)
    panel.get("/painel")
    assert "Painel da ouvidoria não recebe os avisos: não foi possível chegar ao endereço" in panel.page.text
    assert receiver in panel.page.links
    panel.submit(f"{receiver}/apagar")
    panel.get("/painel")
    assert "não recebe os avisos" not in panel.page.text


def test_who_reads_agents_only_sees_no_receiver(panel: PanelClient) -> None:
    panel.login("paulo", WEBHOOKS)
    assert panel.page.heading == "Sem permissão"
    assert "agent_webhook:manage" in panel.page.text


@pytest.mark.long
@pytest.mark.page
@pytest.mark.node
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_axe_finds_nothing_on_a_receiver_in_any_state(
    screen_of: Callable[..., Screen], panel: PanelClient, sql: Sql, beside: Callable[..., Any], width: int, scheme: str
) -> None:
    panel.login("tereza", WEBHOOKS)
    receiver = add_receiver(panel, f"Central de avisos, vista a {width} pixels")
    beside(fail_test, sql, receiver)
    screen = screen_of(width, color_scheme=scheme)
    screen.login("tereza", NEW)
    screen.page.get_by_role("button", name="Gravar").click()  # rejected, because the address is missing
    assert_usable(screen, "a refused form")
    screen.page.get_by_label("Endereço").fill(NOWHERE)
    screen.page.get_by_role("button", name="Gravar").click()
    assert_usable(screen, "a secret")
    made = screen.page.get_by_role("link", name="Já guardei").get_attribute("href") or ""
    for address in (receiver, f"{receiver}?aba=falhas", f"{made}?aba=falhas", f"{made}/segredo", f"{made}/apagar"):
        screen.open(address)
        for summary in screen.page.locator("td summary").all():
            summary.click()
        assert_usable(screen, address)
    for address in (receiver, made):
        panel.submit(f"{address}/apagar")


def assert_usable(screen: Screen, what: Any) -> None:
    assert screen.axe() == [], what
    assert screen.wider_than_the_screen() == [], what
