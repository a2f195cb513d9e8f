"""The queue of requests: which requests a clerk sees, steps by staff, conflicts, repeated submissions, and files."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.panel.requests.conftest import LAMP, VERA, Ask, Make
from tests.support.demo_people import ANA, CARLA
from tests.support.issuer import bearer
from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox

QUEUE = "/painel/pedidos"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


def test_staff_see_the_requests_of_their_department_and_others_see_none(panel: PanelClient, make: Make) -> None:
    lamp = make()["number"]
    tree = {"local": LAMP["local"], "motivo": "fios", "detalhes": "Galho sobre os fios da rua."}
    other = make(type_="poda_de_arvore", answers=tree)["number"]
    panel.login("vera")
    assert panel.get(QUEUE).status_code == 200
    assert f"{QUEUE}/{lamp}" in panel.page.links
    assert f"{QUEUE}/{other}" not in panel.page.links
    assert panel.get(f"{QUEUE}/{other}").status_code == 404
    assert panel.page.heading == "Pedido não encontrado"
    assert panel.get(f"{QUEUE}/{lamp}").status_code == 200
    assert "Rua das Acácias, 120, Centro" in panel.page.text
    assert ANA not in panel.page.text
    panel.http.cookies.clear()
    panel.login("luiz")
    assert panel.get(QUEUE).status_code == 403
    assert panel.get(f"{QUEUE}/{lamp}").status_code == 403


def test_filters_select_and_a_number_leads_to_its_request(
    panel: PanelClient, make: Make, sql: Callable[..., Any]
) -> None:
    late, other = make()["number"], make()["number"]
    sql("UPDATE registry.request SET deadline = now() - interval '2 days' WHERE number = $1", late)
    panel.login("vera")
    for query, shown in {
        "?prazo=atrasados": (True, False),
        "?prazo=no-prazo": (False, True),
        "?tipo=buraco_na_rua": (False, False),
        "?orgao=1500": (True, True),
        "?aba=done": (False, False),
    }.items():
        panel.get(f"{QUEUE}{query}")
        assert (f"{QUEUE}/{late}" in panel.page.links, f"{QUEUE}/{other}" in panel.page.links) == shown, query
    assert panel.get(f"{QUEUE}?numero={late.lower()}").url.path == f"{QUEUE}/{late}"
    assert "Passou do prazo" in panel.page.text
    panel.get(f"{QUEUE}?numero=2026/12")
    assert "Nada foi encontrado com estes filtros." in panel.page.text
    assert panel.get(f"/painel/ir?q={late}").url.path == f"{QUEUE}/{late}"
    panel.get("/painel")
    assert "passou do prazo" in panel.page.text or "passaram do prazo" in panel.page.text


def test_steps_reach_the_citizen_and_the_next_request_opens(
    panel: PanelClient, make: Make, ask: Ask, close_all: Callable[[], None]
) -> None:
    close_all()
    first, second = make()["number"], make()["number"]
    panel.login("vera")
    page = f"{QUEUE}/{first}"
    panel.submit(page, action=f"{page}/mudar/andamento")
    assert "está em andamento" in panel.page.text
    panel.submit(f"{page}/mudar/recado", text="A equipe vai na\nquinta-feira.")
    assert "A equipe vai na quinta-feira." in panel.page.text
    assert panel.submit(f"{page}/mudar/perguntar", text="").status_code == 422
    answer = panel.submit(f"{page}/mudar/perguntar", text="Qual é a plaqueta do poste?")
    assert answer.url.path == f"{QUEUE}/{second}"
    assert "Este é o próximo que espera" in panel.page.text
    assert panel.submit(f"{QUEUE}/{second}/mudar/resolver").url.path == QUEUE
    assert "Nenhum outro espera por você." in panel.page.text
    read = ask(ANA, "GET", f"/citizen/{ANA}/maintenance-request/{first}").json()
    assert [(step["state"], step["text"]) for step in read["steps"] if step["author"] == "staff"] == [
        ("in_progress", None),
        (None, "A equipe vai na\nquinta-feira."),
        ("needs_information", "Qual é a plaqueta do poste?"),
    ]


def test_a_refusal_needs_its_reason_and_is_the_end(panel: PanelClient, make: Make) -> None:
    page = f"{QUEUE}/{make()['number']}"
    panel.login("vera")
    assert panel.submit(f"{page}/mudar/recusar", text=" ").status_code == 422
    assert "Escreva o texto que o cidadão vai ler." in panel.page.text
    panel.submit(f"{page}/mudar/recusar", text="A lâmpada é do condomínio.")
    panel.get(page)
    assert "A lâmpada é do condomínio." in panel.page.text
    assert "Este pedido está encerrado." in panel.page.text
    assert f"{page}/mudar/resolver" not in panel.page.links
    assert "não pode mais dar este passo" in panel.get(f"{page}/mudar/resolver").text
    assert panel.get(f"{page}/mudar/apagar").status_code == 404


def test_a_change_meanwhile_stops_the_step_and_keeps_the_text(panel: PanelClient, make: Make, ask: Ask) -> None:
    number = make()["number"]
    address = f"{QUEUE}/{number}/mudar/recado"
    panel.login("vera")
    panel.get(address)
    values = panel.find_form(address).values | {"text": "Vamos amanhã."}
    step = {"text": "A colega já respondeu."}
    assert ask(VERA, "POST", f"/admin/maintenance-requests/{number}/steps", json=step).status_code == 200
    answer = panel.post(address, values)
    assert answer.status_code == 412
    assert "O pedido mudou enquanto você lia" in panel.page.text
    assert "A colega já respondeu." in panel.page.text
    again = panel.find_form(address).values
    assert again["text"].strip() == "Vamos amanhã."
    assert panel.post(address, again).status_code == 200
    assert "Vamos amanhã." in panel.page.text


def test_a_form_that_is_sent_twice_makes_one_step(panel: PanelClient, make: Make, ask: Ask) -> None:
    number = make()["number"]
    panel.login("vera")
    for slug, typed in {"andamento": "", "recado": "Vamos amanhã."}.items():
        panel.get(f"{QUEUE}/{number}/mudar/{slug}")
        address = f"{QUEUE}/{number}/mudar/{slug}"
        values = panel.find_form(address).values | {"text": typed}
        assert [panel.post(address, values).status_code for _ in range(3)] == [200, 200, 200]
    steps = ask(ANA, "GET", f"/citizen/{ANA}/maintenance-request/{number}").json()["steps"]
    assert [step["state"] for step in steps if step["author"] == "staff"] == ["in_progress", None]


def test_a_form_without_the_sessions_secret_changes_nothing(panel: PanelClient, make: Make, ask: Ask) -> None:
    number = make()["number"]
    panel.login("vera")
    address = f"{QUEUE}/{number}/mudar/resolver"
    panel.get(address)
    values = panel.find_form(address).values | {"_csrf": "x"}
    assert panel.post(address, values).status_code == 403
    assert ask(ANA, "GET", f"/citizen/{ANA}/maintenance-request/{number}").json()["closed_at"] is None


def test_a_file_is_an_attachment_for_staff_of_the_department(panel: PanelClient, make: Make, sandbox: Sandbox) -> None:
    headers = bearer(sandbox.tokens.person(CARLA))
    file = sandbox.http.post(f"/registry/v1/citizen/{CARLA}/files", content=PNG, headers=headers)
    assert file.status_code == 201, file.text
    number = make(CARLA, answers=LAMP | {"fotos": [file.json()["id"]]})["number"]
    panel.login("vera")
    panel.get(f"{QUEUE}/{number}")
    (link,) = [link for link in panel.page.links if "/arquivos/" in link]
    answer = panel.http.get(link)
    assert answer.headers["content-disposition"] == f'attachment; filename="{file.json()["id"]}.png"'
    assert answer.headers["content-type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    other = make(CARLA)["number"]
    assert panel.http.get(link.replace(number, other)).status_code == 404


def test_a_file_of_a_later_answer_is_at_its_step(panel: PanelClient, make: Make, ask: Ask, sandbox: Sandbox) -> None:
    number = make(CARLA)["number"]
    question = {"state": "needs_information", "text": "Pode mandar uma foto?"}
    ask(VERA, "POST", f"/admin/maintenance-requests/{number}/steps", json=question).raise_for_status()
    file = ask(CARLA, "POST", f"/citizen/{CARLA}/files", content=PNG).raise_for_status().json()["id"]
    answer = {"text": "Segue.", "files": [file]}
    ask(CARLA, "POST", f"/citizen/{CARLA}/maintenance-request/{number}/answer", json=answer).raise_for_status()
    panel.login("vera")
    panel.get(f"{QUEUE}/{number}")
    assert "Segue. Baixar o arquivo 1 da resposta de" in panel.page.text
    (link,) = [link for link in panel.page.links if "/arquivos/" in link]
    assert panel.http.get(link).content.startswith(b"\x89PNG")
    assert panel.http.get(link.replace(number, make(CARLA)["number"])).status_code == 404


@pytest.mark.parametrize("path", ["", "/PED-00000000-0", "/x"])
def test_numbers_that_no_request_has_are_not_found(panel: PanelClient, path: str) -> None:
    panel.login("vera")
    assert panel.get(f"{QUEUE}/nada{path}").status_code == 404
