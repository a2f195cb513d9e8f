"""Requests at the counter: a clerk asks, checks and sends once, and finds a person by a request's number."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import expect

from tests.support.demo_people import ANA, KLEBER
from tests.support.issuer import bearer
from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen
from tests.support.sandbox import Sandbox

ANSWERS = {
    "r-problema": "piscando",
    "r-local-address": "Rua das Acácias, 45",
    "r-local-district": "Centro",
    "r-quantas": "2",
}
REASON = "Andamento de um chamado: senha 47"


@pytest.fixture
def clerk(panel: PanelClient) -> PanelClient:
    """Return the panel as Luiz, who is in an attendance of Ana."""
    panel.login("luiz")
    panel.attend(ANA)
    return panel


def find_base(clerk: PanelClient) -> str:
    link = next(link for link in clerk.page.links if re.fullmatch(r"/painel/atendimento/\d+", link))
    return f"{link}/pedidos"


def ask(sandbox: Sandbox, cpf: str, method: str, path: str, **options: Any) -> httpx.Response:
    return sandbox.http.request(method, f"/registry/v1{path}", headers=bearer(sandbox.tokens.person(cpf)), **options)


def read_receipt(clerk: PanelClient) -> tuple[str, str]:
    number = re.search(r"PED-\d{8}-\d", clerk.page.text)
    code = re.search(r"\b[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}\b", clerk.page.text)
    assert number is not None
    assert code is not None
    return number[0], code[0]


def test_a_clerk_makes_a_request_and_the_receipt_shows_its_state(clerk: PanelClient, sandbox: Sandbox) -> None:
    base = find_base(clerk)
    clerk.get(f"{base}/novo")
    form = f"{base}/novo/lampada_apagada"
    assert form in clerk.page.links
    checked = clerk.submit(form, **ANSWERS, deed="conferir")
    assert clerk.page.heading == "Confira com a pessoa"
    assert "Rua das Acácias, 45, Centro" in clerk.page.text
    assert "Piscando" in clerk.page.text
    assert ANA not in checked.text
    values = clerk.find_form(form).values | {"deed": "enviar"}
    sent = [clerk.post(form, values) for _ in range(3)]
    receipts = set()
    for answer in sent:
        assert answer.status_code == 201
        clerk.remember(answer)
        receipts.add(read_receipt(clerk))
    ((number, code),) = receipts  # sending the same form three times makes one request
    followed = sandbox.http.post("/registry/v1/maintenance-requests/follow", json={"number": number, "code": code})
    assert followed.json()["number"] == number
    clerk.get(base)
    assert f"{base}/{number}" in clerk.page.links
    clerk.get(f"{base}/{number}")
    assert "Rua das Acácias, 45, Centro" in clerk.page.text
    trail = ask(sandbox, ANA, "GET", f"/citizen/{ANA}/data-access").json()["data"]
    made = next(event for event in trail if event["operation"] == "registry.open_request")
    assert (made["action"], made["actor_kind"], made["reason"]) == ("create", "staff", REASON)
    why = {"X-Access-Reason": "Auditoria 12"}
    now = datetime.now(UTC)
    period = {"from": (now - timedelta(days=1)).isoformat(), "to": (now + timedelta(days=1)).isoformat()}
    headers = bearer(sandbox.tokens.person(KLEBER)) | why
    events = sandbox.http.get("/registry/v1/admin/audit", params=period | {"cpf": ANA}, headers=headers).json()["data"]
    event = next(event for event in events if event["operation"] == "registry.open_request")
    assert (event["actor_name"], event["reason"]) == ("Luiz Estrela", REASON)


def test_wrong_answers_are_marked_and_nothing_is_lost(clerk: PanelClient, sandbox: Sandbox) -> None:
    form = f"{find_base(clerk)}/novo/lampada_apagada"
    before = ask(sandbox, ANA, "GET", f"/citizen/{ANA}/maintenance-request").json()["pagination"]["total"]
    answer = clerk.submit(form, **(ANSWERS | {"r-quantas": "51", "r-local-address": ""}), deed="enviar")
    assert answer.status_code == 422
    assert "O maior número é 50." in clerk.page.text
    assert "Escreva a rua e o número." in clerk.page.text
    assert clerk.find_form(form).values["r-local-district"] == "Centro"
    assert clerk.find_form(form).checked["r-problema"] == "piscando"
    clerk.submit(form, **ANSWERS, deed="conferir")
    clerk.post(form, clerk.find_form(form).values | {"deed": "mudar"})
    assert clerk.find_form(form).values["r-local-address"].strip() == "Rua das Acácias, 45"
    after = ask(sandbox, ANA, "GET", f"/citizen/{ANA}/maintenance-request").json()["pagination"]["total"]
    assert after == before


def test_questions_that_change_meanwhile_are_asked_again_with_the_typed_answers(
    clerk: PanelClient, sandbox: Sandbox
) -> None:
    kind: dict[str, Any] = {
        "id": "banco_de_praca",
        "name": "Banco de praça",
        "category": "Praças",
        "fields": [{"id": "local", "kind": "place", "label": "Onde?", "required": True}],
        "departments": ["1500"],
        "deadline_days": 5,
    }
    assert ask(sandbox, KLEBER, "POST", "/admin/request-types", json=kind).status_code == 201
    form = f"{find_base(clerk)}/novo/banco_de_praca"
    clerk.submit(form, **{"r-local-address": "Praça da Matriz", "deed": "conferir"})
    values = clerk.find_form(form).values | {"deed": "enviar"}
    fields = [*kind["fields"], {"id": "cor", "kind": "text", "label": "De que cor?", "required": True}]
    changed = {name: value for name, value in kind.items() if name != "id"} | {"fields": fields}
    assert ask(sandbox, KLEBER, "PUT", "/admin/request-types/banco_de_praca", json=changed).status_code == 200
    assert clerk.post(form, values).status_code == 422
    assert "As perguntas deste pedido acabaram de mudar" in clerk.page.text
    again = clerk.find_form(form).values
    assert again["r-local-address"] == "Praça da Matriz"
    clerk.post(form, again | {"r-cor": "azul", "deed": "conferir"})
    assert clerk.post(form, clerk.find_form(form).values | {"deed": "enviar"}).status_code == 201
    assert clerk.get(f"{find_base(clerk)}/novo/nenhum").status_code == 404


def test_a_clerk_answers_and_reopens_for_the_person(clerk: PanelClient, sandbox: Sandbox) -> None:
    base = find_base(clerk)
    answers = {"problema": "apagada", "local": {"address": "Rua A, 1"}}
    body = {"type": "lampada_apagada", "version": 1, "answers": answers}
    number = ask(sandbox, ANA, "POST", f"/citizen/{ANA}/maintenance-request", json=body).json()["number"]
    steps = f"/admin/maintenance-requests/{number}/steps"
    question = {"state": "needs_information", "text": "Qual é a plaqueta?"}
    assert ask(sandbox, KLEBER, "POST", steps, json=question).status_code == 200
    clerk.get(base)
    assert "Espera a resposta da pessoa" in clerk.page.text
    clerk.get(f"{base}/{number}")
    assert f"{base}/{number}/responder" in clerk.page.links
    assert clerk.submit(f"{base}/{number}/responder", text="").status_code == 422
    assert "Qual é a plaqueta?" in clerk.page.text
    clerk.submit(f"{base}/{number}/responder", text="É a 1234.")
    assert "É a 1234." in clerk.page.text
    assert f"{base}/{number}/responder" not in clerk.page.links
    assert ask(sandbox, KLEBER, "POST", steps, json={"state": "done"}).status_code == 200
    clerk.submit(f"{base}/{number}/reabrir", text="Apagou de novo.")
    assert ask(sandbox, ANA, "GET", f"/citizen/{ANA}/maintenance-request/{number}").json()["state"] == "reopened"


def test_a_step_that_the_request_does_not_allow_is_not_offered_and_a_form_made_by_hand_is_explained(
    clerk: PanelClient, sandbox: Sandbox
) -> None:
    answers = {"problema": "apagada", "local": {"address": "Rua A, 1"}}
    body = {"type": "lampada_apagada", "version": 1, "answers": answers}
    number = ask(sandbox, ANA, "POST", f"/citizen/{ANA}/maintenance-request", json=body).json()["number"]
    base = f"{find_base(clerk)}/{number}"
    clerk.get(base)
    secret = clerk.find_form("/painel/sair").values["_csrf"]
    for step, why in {"responder": "não espera uma resposta", "reabrir": "O pedido está aberto"}.items():
        assert f"{base}/{step}" not in clerk.page.links
        opened = clerk.get(f"{base}/{step}")
        assert opened.status_code == 200
        assert why in clerk.page.text
        assert 'name="text"' not in opened.text
        sent = clerk.post(f"{base}/{step}", {"_csrf": secret, "text": "Sem pergunta."})
        assert sent.status_code == 409
        assert why in clerk.page.text
        assert "Nada foi enviado." in clerk.page.text
        assert "Sem pergunta." in clerk.page.text
        clerk.get(base)
        assert "Sem pergunta." not in clerk.page.text


def test_a_number_finds_the_person(panel: PanelClient, sandbox: Sandbox) -> None:
    answers = {"problema": "apagada", "local": {"address": "Rua A, 1"}}
    body = {"type": "lampada_apagada", "version": 1, "answers": answers}
    number = ask(sandbox, ANA, "POST", f"/citizen/{ANA}/maintenance-request", json=body).json()["number"]
    panel.login("luiz")
    panel.submit("/painel/atendimento", reason="Atendimento no balcão", protocol=number.lower())
    assert "***.000.001-**" in panel.page.text
    assert ANA not in panel.page.text


def test_a_person_without_the_right_sees_no_requests_and_makes_none(panel: PanelClient) -> None:
    panel.login("debora")  # may read the data of citizens
    panel.attend(ANA)
    base = find_base(panel)
    assert base not in panel.page.links
    for path in ("", "/novo", "/novo/lampada_apagada", "/PED-00000003-4"):
        assert panel.get(f"{base}{path}").status_code == 403, path


@pytest.mark.long
@pytest.mark.page
def test_the_counter_in_a_browser(screen: Screen) -> None:
    screen.login("luiz", "/painel/atendimento")
    page = screen.page
    page.get_by_label("Motivo do acesso").select_option("Atendimento no balcão")
    page.get_by_label("CPF", exact=True).fill(ANA)
    page.get_by_role("button", name="Começar o atendimento").click()
    page.get_by_role("link", name="Pedidos", exact=True).click()
    page.get_by_role("link", name="Fazer um pedido").click()
    page.get_by_role("link", name="Buraco na rua").click()
    page.get_by_label("Rua e número").fill("Rua do Porto, 8")
    page.get_by_label("Cabe uma roda").check()
    page.get_by_role("button", name="Conferir").click()
    page.get_by_role("button", name="Mudar as respostas").click()
    page.get_by_label("Rua e número").fill("Rua do Porto, 9")
    page.get_by_role("button", name="Conferir").click()
    expect(page.get_by_role("main")).to_contain_text("Rua do Porto, 9")
    page.get_by_role("button", name="Enviar o pedido").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pedido enviado")
    expect(page.locator(".receipt")).to_contain_text(re.compile(r"PED-\d{8}-\d"))
    assert "PED-" not in urlsplit(page.url).path
