"""Request types: preview, versions, conflicts between editors, retirement, rights, and the form's conversions."""

import re
from datetime import date
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from balcao.panel.requests.definitions import make_definition, make_id, to_form_values, to_shown
from balcao.registry.requests.types.schemas import TYPE_ID
from tests.panel.requests.conftest import Ask
from tests.support.demo_people import KLEBER
from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen

TYPES = "/painel/pedidos/tipos"
LIMIT_NAMES = (
    "min_length", "max_length", "options", "minimum", "maximum", "decimals", "earliest_days", "latest_days",
    "max_files",
)  # fmt: skip
BASE: dict[str, Any] = {
    "id": "placa_caida",
    "name": "Placa caída",
    "category": "Trânsito",
    "description": "Placa de rua no chão.",
    "fields": [
        {"id": "local", "kind": "place", "label": "Onde fica?", "required": True},
        {
            "id": "qual",
            "kind": "choice",
            "label": "Qual placa?",
            "options": [{"id": "nome", "label": "Nome da rua"}, {"id": "pare", "label": "Pare"}],
        },
    ],
    "departments": ["1500"],
    "deadline_days": 7,
}


@pytest.fixture(scope="module")
def numbers() -> list[int]:
    return []


@pytest.fixture
def kind(ask: Ask, numbers: list[int]) -> str:
    """Create a type with a new id, and return the id."""
    numbers.append(1)
    made = ask(KLEBER, "POST", "/admin/request-types", json=BASE | {"id": f"placa_{len(numbers)}"})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def read(ask: Ask, kind: str) -> Any:
    return ask(KLEBER, "GET", f"/admin/request-types/{kind}").json()


def test_an_editor_creates_a_type_with_questions_and_previews_it(panel: PanelClient, ask: Ask) -> None:
    address = f"{TYPES}/novo"
    panel.login("wagner")
    panel.submit(address, _acao="mais:questions:place")
    panel.post(address, panel.find_form(address).values | {"_acao": "mais:questions:choice"})
    assert panel.submit(address, deed="gravar").status_code == 422
    assert "Acrescente ao menos uma pergunta." in panel.page.text
    panel.post(address, panel.find_form(address).values | {"_acao": "mais:questions:choice"})
    panel.post(address, panel.find_form(address).values | {"_acao": "mais:questions:number"})
    typed = panel.find_form(address).values | {
        "name": "Lixeira quebrada",
        "category": "Limpeza urbana",
        "departments": "Companhia de Limpeza",
        "deadline_days": "10",
        "questions-0-label": "O que há?",
        "questions-0-options": "Quebrada\nCheia",
        "questions-1-label": "Quantas?",
        "questions-1-minimum": "1",
        "questions-1-maximum": "2,5",
        "questions-1-decimals": "1",
    }
    assert panel.post(address, typed | {"deed": "ver"}).status_code == 200
    assert "Como o cidadão vê" in panel.page.text
    assert "Quantas? (opcional)" in panel.page.text
    assert "De 1 a 2,5." in panel.page.text
    assert ask(KLEBER, "GET", "/admin/request-types/lixeira_quebrada").status_code == 404  # nothing is stored yet
    values = panel.find_form(address).values | {"deed": "gravar", "departments": "Companhia de Limpeza"}
    assert {panel.post(address, values).url.path for _ in range(2)} == {f"{TYPES}/lixeira_quebrada"}
    made = read(ask, "lixeira_quebrada")
    assert made["version"] == 1
    assert made["departments"] == ["1510"]
    assert [(field["id"], field["kind"]) for field in made["fields"]] == [("o_que_ha", "choice"), ("quantas", "number")]
    assert made["fields"][0]["options"] == [{"id": "quebrada", "label": "Quebrada"}, {"id": "cheia", "label": "Cheia"}]
    assert (made["fields"][1]["minimum"], made["fields"][1]["maximum"]) == (1, 2.5)
    again = values | {"_key": "another-key-of-the-test"}
    assert panel.post(address, again).status_code == 422
    assert "Já há um tipo de pedido com este nome" in panel.page.text


def test_an_edit_makes_a_version_and_keeps_the_ids(panel: PanelClient, ask: Ask, kind: str) -> None:
    address = f"{TYPES}/{kind}/editar"
    panel.login("wagner")
    panel.submit(address, **{"deed": "gravar", "questions-1-options": "Nome da rua\nPare\nOutra"})
    assert "Gravado: versão 2." in panel.page.text
    made = read(ask, kind)
    assert [option["id"] for option in made["fields"][1]["options"]] == ["nome", "pare", "outra"]
    assert [field["id"] for field in made["fields"]] == ["local", "qual"]
    panel.submit(address, deed="gravar")
    assert "Nada mudou." in panel.page.text
    panel.get(address)
    panel.post(address, panel.find_form(address).values | {"_acao": "subir:questions:1"})
    panel.post(address, panel.find_form(address).values | {"deed": "gravar"})
    assert [field["id"] for field in read(ask, kind)["fields"]] == ["qual", "local"]
    panel.get(f"{TYPES}/{kind}/versoes")
    assert "Versão 3" in panel.page.text
    assert "Outra" in panel.page.text
    assert "Criado como “Placa caída”." in panel.page.text


def test_two_editors_join_and_see_what_both_have_changed(panel: PanelClient, ask: Ask, kind: str) -> None:
    address = f"{TYPES}/{kind}/editar"
    panel.login("wagner")
    panel.get(address)
    mine = panel.find_form(address).values | {"name": "Placa no chão", "deadline_days": "3", "deed": "gravar"}
    definition = {name: value for name, value in BASE.items() if name != "id"}
    theirs = definition | {"name": "Placa derrubada", "description": "Outra frase."}
    assert ask(KLEBER, "PUT", f"/admin/request-types/{kind}", json=theirs).status_code == 200
    assert panel.post(address, mine).status_code == 412
    assert "Outra pessoa gravou a versão 2 enquanto você editava." in panel.page.text
    assert "1 campo mudou nas duas versões" in panel.page.text
    assert "derrubada" in panel.page.text
    values = panel.find_form(address).values
    assert values["name"] == "Placa no chão"
    assert values["description"].strip() == "Outra frase."
    panel.post(address, values | {"deed": "gravar"})
    saved = read(ask, kind)
    assert (saved["version"], saved["name"], saved["deadline_days"], saved["description"]) == (
        3,
        "Placa no chão",
        3,
        "Outra frase.",
    )


def test_a_retired_type_is_no_longer_offered_and_comes_back(panel: PanelClient, ask: Ask, kind: str) -> None:
    address, use = f"{TYPES}/{kind}", f"{TYPES}/{kind}/uso"
    panel.login("wagner")
    panel.get(address)
    stale = panel.find_form(use).values
    panel.post(use, stale)
    assert "O tipo não é mais oferecido." in panel.page.text
    assert ask(KLEBER, "GET", f"/request-types/{kind}").status_code == 404
    assert address not in panel.get(TYPES).text
    assert address in panel.get(f"{TYPES}?aba=fora").text
    panel.post(use, stale | {"uso": "1"})
    assert "alguém gravou outra versão" in panel.page.text
    panel.submit(address, action=use)
    assert ask(KLEBER, "GET", f"/request-types/{kind}").status_code == 200


def test_the_services_refusals_appear_at_their_fields(panel: PanelClient, kind: str) -> None:
    address = f"{TYPES}/{kind}/editar"
    panel.login("wagner")
    for typed, text in {
        "deadline_days": ("0", "Um número de 1 a 365."),
        "questions-0-label": (" ", "Escreva a pergunta."),
        "questions-1-options": ("Uma", "De 2 a 50 opções diferentes, uma em cada linha."),
    }.items():
        panel.get(address)
        values = panel.find_form(address).values | {typed: text[0], "deed": "gravar"}
        assert panel.post(address, values).status_code == 422, typed
        assert text[1] in panel.page.text
    panel.get(address)
    both = {"without_login": "y", "questions-0-personal": "y", "deed": "gravar"}
    assert panel.post(address, panel.find_form(address).values | both).status_code == 422
    assert "não pode ter um campo pessoal" in panel.page.text


def test_only_editors_of_types_see_them(panel: PanelClient, kind: str) -> None:
    panel.login("vera")  # handles requests
    for path in ("", "/novo", f"/{kind}", f"/{kind}/editar", f"/{kind}/versoes"):
        assert panel.get(f"{TYPES}{path}").status_code == 403, path
    assert panel.post(f"{TYPES}/{kind}/uso", {"_csrf": panel.read_secret(), "uso": "0"}).status_code == 403


@given(label=st.text(max_size=120), taken=st.sets(st.sampled_from(["a", "a_2", "n", "n_2"])))
def test_an_id_is_valid_and_new(label: str, taken: set[str]) -> None:
    id_ = make_id(label, taken, 30)
    assert re.fullmatch("[a-z][a-z0-9_]{0,29}", id_)
    assert id_ not in taken
    assert re.fullmatch(TYPE_ID, f"{make_id(label, ())}_") is not None


def test_a_definition_survives_the_form() -> None:
    definition = {
        **{name: value for name, value in BASE.items() if name != "id"},
        "service_id": None,
        "without_login": False,
        "active": False,
        "fields": [
            {"id": "n", "kind": "number", "label": "N?", "minimum": -0.5, "maximum": 9.0, "decimals": 1},
            {"id": "d", "kind": "date", "label": "D?", "earliest_days": -3, "latest_days": 0, "required": True},
            {"id": "t", "kind": "text", "label": "T?", "max_length": 20, "hint": "Curto.", "personal": True},
            {"id": "f", "kind": "file", "label": "F?", "max_files": 2},
            BASE["fields"][1],
        ],
    }
    departments = {"1500": "Conservação"}
    values = to_form_values(definition, departments)
    rows = [dict.fromkeys(LIMIT_NAMES) | row for row in values["questions"]]
    data = values | {"questions": rows, "departments": values["departments"].splitlines()}
    assert make_definition(data, departments, definition) == definition
    shown = to_shown(definition, departments, date(2026, 11, 28))
    assert shown["fields"][0] == "N? (Número; De -0,5 a 9)"
    assert msgspec.json.encode(shown)


@pytest.mark.long
@pytest.mark.page
def test_an_editor_adds_a_question_in_a_browser(screen: Screen, kind: str, ask: Ask) -> None:
    screen.login("wagner", f"{TYPES}/{kind}")
    page = screen.page
    page.get_by_role("link", name="Editar").click()
    page.get_by_role("button", name="Data", exact=True).click()
    row = page.get_by_role("group", name="Pergunta 3")
    row.get_by_label("Pergunta", exact=True).fill("Desde quando?")
    row.get_by_label("Último dia").fill("0")
    page.get_by_role("button", name="Ver como o cidadão").click()
    preview = page.get_by_role("article", name="Como o cidadão vê")
    expect(preview.get_by_label("Desde quando? (opcional)")).to_be_disabled()
    page.get_by_role("button", name="Gravar", exact=True).last.click()
    page.wait_for_url(f"**{TYPES}/{kind}")
    assert read(ask, kind)["fields"][2] == {
        "id": "desde_quando",
        "kind": "date",
        "label": "Desde quando?",
        "latest_days": 0,
    }
