"""Axe finds no violation on the pages of a service in any state."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.panel.catalogue.conftest import Ask, Make
from tests.search.support import REQUIRED
from tests.support.panel_browser import Screen

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]


def change(ask: Ask, service: dict[str, Any], **members: Any) -> None:
    """Save a change to the service as another editor."""
    body = REQUIRED | {"nome_servico": service["nome_servico"]} | members
    assert ask("PUT", f"/admin/services/{service['id']}", json=body).status_code == 200


def test_axe_finds_nothing_in_any_state_of_a_service(screen: Screen, make: Make, ask: Ask) -> None:
    service, draft = make(status=1), make(awaiting_approval=True)
    change(ask, service, resumo="Outro resumo.")
    body = REQUIRED | {"nome_servico": service["nome_servico"], "resumo": "Proposto."}
    proposal = ask("POST", f"/admin/services/{service['id']}/proposals", json=body).json()["id"]
    run = ask("GET", "/admin/migration/history").json()["migrations"][0]["id"]
    right = [{"query": "poda", "services": [service["id"], draft["id"]]}]
    ask("PUT", "/admin/search/control-queries", json={"queries": ["poda"], "expected": right})
    here = f"/painel/servicos/{service['id']}"
    screen.login("gestor")
    for address in (
        here,
        f"{here}/editar",
        f"{here}/versoes",
        f"{here}/diferenca?de=1&para=2",
        f"{here}/voltar/1",
        f"{here}/tirar-do-ar",
        f"{here}/excluir",
        f"{here}/frases?frase=galho%20no%20fio",
        f"{here}/propostas/{proposal}",
        f"{here}/propostas/{proposal}/editar",
        f"{here}/propostas/{proposal}/devolver",
        f"{here}/propostas/{proposal}/retirar",
        f"/painel/aprovacoes/{draft['id']}",
        "/painel/servicos?nome=nenhum-tem-este-nome",
        "/painel/numeros-antigos/novo",
        "/painel/categorias/Cidade",
        "/painel/sinonimos/novo?termo=iptu",
        "/painel/buscas-sem-servico",
        "/painel/buscas-de-controle?busca=iptu",
        "/painel/buscas-de-controle/1/servicos",
        "/painel/frases/galho%20no%20fio/usar",
        f"/painel/migracao/{run}",
    ):
        screen.open(address)
        assert screen.axe() == [], address
        assert screen.wider_than_the_screen() == [], address
    screen.open(f"{here}/editar")
    screen.page.get_by_label("Quanto custa", exact=True).select_option("De um valor a outro")
    screen.page.get_by_label("Quanto demora", exact=True).select_option("Em dias úteis")
    assert screen.axe() == []
    screen.page.get_by_label("Resumo", exact=True).fill("O meu.")
    screen.page.get_by_label("Quanto custa", exact=True).select_option("Gratuito")
    screen.page.get_by_label("Quanto tempo, no máximo").fill("3")
    change(ask, service, resumo="O da colega.", custo={"tipo": "variavel"}, prazo={"unidade": "dias", "quantidade": 5})
    screen.page.get_by_role("button", name="Gravar e pôr no ar").click()
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Alguém gravou antes de você")
    assert screen.axe() == []
