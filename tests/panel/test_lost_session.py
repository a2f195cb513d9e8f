"""If a session has ended when a form is sent, the same person gets the form and its text after the next login."""

import hashlib
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import expect

from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen
from tests.support.sandbox import Sandbox

Sql = Callable[..., list[dict[str, object]]]

NEW, CRM = "/painel/servicos/novo", "/painel/operacao/crm"
VEHICLES = "/painel/catalogo-de-veiculos"


def end_session(panel: PanelClient, sandbox: Sandbox, sql: Sql) -> None:
    key = hashlib.sha256(panel.http.cookies[f"painel-{sandbox.settings.port}"].encode()).digest()
    sql("UPDATE panel.session SET used_at = now() - interval '2 hours' WHERE key = $1", key)


def find_login(panel: PanelClient) -> str:
    """Return the address in the login link of the open page."""
    return next(link for link in panel.page.links if link.startswith("/painel/entrar?"))


def test_the_login_leads_to_the_form_with_its_text(panel: PanelClient, sandbox: Sandbox, sql: Sql) -> None:
    panel.login("editora", NEW)
    form = panel.find_form(NEW).values
    end_session(panel, sandbox, sql)
    answer = panel.post(NEW, form | {"nome_servico": "Poda", "orgao_gestor": "Companhia de Limpeza"})
    assert answer.status_code == 401
    answer = panel.login("editora", find_login(panel))
    assert answer.url.path == NEW
    restored = panel.find_form(NEW).values
    assert (restored["nome_servico"], restored["orgao_gestor"]) == ("Poda", "Companhia de Limpeza")
    assert "Nada foi enviado ainda." in panel.page.text


def test_the_address_of_the_form_keeps_what_it_asks_for(panel: PanelClient, sandbox: Sandbox, sql: Sql) -> None:
    address = f"{CRM}?lado=a&lado=b"
    panel.login("kleber", address)
    form = panel.find_form(CRM).values
    end_session(panel, sandbox, sql)
    panel.post(address, form | {"since": "2026-01-02T03:04"})
    answer = panel.login("kleber", find_login(panel))
    assert answer.url.params.get_list("lado") == ["a", "b"]
    assert panel.find_form(CRM).values["since"] == "2026-01-02T03:04"


def test_another_person_who_logs_in_there_gets_an_empty_form(panel: PanelClient, sandbox: Sandbox, sql: Sql) -> None:
    panel.login("editora", NEW)
    form, secret = panel.find_form(NEW).values, f"Texto de Estela {uuid4().hex}"
    end_session(panel, sandbox, sql)
    panel.post(NEW, form | {"nome_servico": secret})
    link = find_login(panel)
    panel.http.cookies = {name: value for name, value in panel.http.cookies.items() if name.startswith("painel-")}
    answer = panel.login("gestor", link)
    assert answer.url.path == NEW
    assert "Jorge Valente" in answer.text
    assert panel.find_form(NEW).values["nome_servico"] == ""
    assert secret not in answer.text
    assert "Nada foi enviado ainda." not in answer.text
    assert secret not in panel.get("/painel/rascunhos").text


def test_a_form_within_another_page_comes_back_on_that_page(panel: PanelClient, sandbox: Sandbox, sql: Sql) -> None:
    panel.login("kleber", VEHICLES)
    address = f"{VEHICLES}/marcas"
    form = panel.find_form(address).values | {"name": "Gurgel"}
    end_session(panel, sandbox, sql)
    panel.http.headers["Referer"] = f"{panel.url}{VEHICLES}"
    panel.post(address, form)
    answer = panel.login("kleber", find_login(panel))
    assert answer.url.path == VEHICLES
    assert panel.find_form(address).values["name"] == "Gurgel"


@pytest.mark.parametrize(
    "referer", ["https://mal.example/painel/../x", "//mal.example", "/painel/catalogo-de-veiculos/marcas"]
)
def test_a_form_of_an_unknown_page_leads_to_its_text(
    panel: PanelClient, sandbox: Sandbox, sql: Sql, referer: str
) -> None:
    panel.login("kleber", VEHICLES)
    address = f"{VEHICLES}/marcas"
    form = panel.find_form(address).values | {"name": "Gurgel"}
    end_session(panel, sandbox, sql)
    panel.http.headers["Referer"] = referer
    panel.post(address, form)
    answer = panel.login("kleber", find_login(panel))
    assert answer.url.path.startswith("/painel/rascunhos/")
    assert "Gurgel" in panel.page.text


def test_where_the_form_is_gone_the_page_leads_to_the_text(panel: PanelClient, sandbox: Sandbox, sql: Sql) -> None:
    """An attendance ends with its session, so its forms can no longer be opened."""
    panel.login("luiz")
    here = panel.attend("900.000.003-37").url.path
    panel.get(f"{here}/email")
    form = panel.find_form(f"{here}/email").values | {"email": "carla.nova@correio.example"}
    end_session(panel, sandbox, sql)
    panel.post(f"{here}/email", form)
    panel.login("luiz", find_login(panel))
    assert "comece outro" in panel.page.text
    panel.get(next(link for link in panel.page.links if link.startswith("/painel/rascunhos/")))
    assert "carla.nova@correio.example" in panel.page.text


@pytest.mark.long
@pytest.mark.page
def test_a_person_goes_on_writing_in_a_real_browser(
    sql: Sql, screen: Screen, beside: Callable[..., list[object]]
) -> None:
    name = f"Poda na praça {uuid4().hex[:8]}"
    screen.login("editora", NEW)
    page = screen.page
    page.get_by_label("Nome", exact=True).fill(name)
    page.get_by_label("Resumo").fill("Uma frase\ncom acentos: poda já.")
    page.get_by_label("Tema", exact=True).select_option("Cidade")
    page.get_by_label("Órgãos responsáveis: 1º").select_option("Secretaria de Conservação")
    beside(sql, "UPDATE panel.session SET ended_at = now(), tokens = NULL")
    page.get_by_role("button", name="Gravar", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A sua sessão terminou")
    page.get_by_role("link", name="Entrar e continuar").click()
    expect(page.get_by_label("Senha").or_(page.get_by_label("Nome", exact=True))).to_be_visible()
    if page.get_by_label("Senha").is_visible():
        screen.login("editora", page.url)
    expect(page.get_by_label("Nome", exact=True)).to_have_value(name)
    expect(page.get_by_label("Resumo")).to_have_value("Uma frase\ncom acentos: poda já.")
    expect(page.get_by_label("Órgãos responsáveis: 1º")).to_have_value("Secretaria de Conservação")
    expect(page.get_by_role("status").first).to_contain_text("Nada foi enviado ainda.")
    number = page.url.partition("rascunho=")[2]
    page.get_by_label("Para quem é").fill("Público em geral")
    page.get_by_role("button", name="Gravar", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    assert beside(sql, "SELECT 1 FROM panel.draft WHERE id = $1", UUID(number)) == []
