"""The catalogue's pages over HTTP: rights, rejected input and concurrent changes."""

import re
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.http.forms import FormData
from balcao.core.values.ids import new_id
from balcao.panel.catalogue.client import Comparison, FieldChange
from balcao.panel.catalogue.conflict import apply_choices, describe_conflict
from balcao.panel.catalogue.content import parse_cents, to_body, to_fields
from balcao.panel.catalogue.version_pages import mark_changes
from balcao.web.markup import render_markdown
from tests.panel.catalogue.conftest import Alter, Ask, Make
from tests.search.support import REQUIRED
from tests.support.panel import PanelClient
from tests.support.polling import until_now

ATTACK = "<script>alert(1)</script>"


def test_an_editor_has_no_button_of_a_curator(panel: PanelClient, make: Make) -> None:
    service = make(status=1)
    panel.login("editora")
    page = panel.get(f"/painel/servicos/{service['id']}").text
    assert "Propor mudança" in page
    assert "Tirar do ar" not in page
    assert "Excluir" not in page
    for deed in ("tirar-do-ar", "excluir", "voltar/1"):
        assert panel.get(f"/painel/servicos/{service['id']}/{deed}").status_code == 403
    assert panel.get("/painel/migracao").status_code == 403


def test_the_list_keeps_filter_and_state_in_its_address(panel: PanelClient, make: Make) -> None:
    theme = f"Tema {uuid4().hex}"
    draft, public = make(tema_geral=theme), make(tema_geral=theme, status=1)
    panel.login("editora")
    page = panel.get(f"/painel/servicos?nome={public['nome_servico']}&aba=publicados").text
    assert public["nome_servico"] in page
    assert draft["nome_servico"] not in page
    assert "Nada foi encontrado com estes filtros" in panel.get(f"/painel/servicos?nome={uuid4().hex}").text


def test_a_refusal_stands_at_its_field_and_nothing_typed_is_lost(panel: PanelClient) -> None:
    panel.login("editora")
    values = {
        "nome_servico": "Serviço de teste",
        "resumo": ATTACK,
        "tema_geral": "Cidade",
        "orgao_gestor": "Secretaria de Conservação",
        "publico_especifico": "Público em geral",
        "deed": "guardar",
    }
    answer = panel.submit("/painel/servicos/novo", **values)
    assert answer.status_code == 422
    assert "resumo-fault" in answer.text
    assert panel.find_form("/painel/servicos/novo").values["nome_servico"] == "Serviço de teste"
    assert ATTACK not in answer.text


def test_a_double_click_makes_one_service(panel: PanelClient, ask: Ask) -> None:
    name = f"Serviço {uuid4().hex}"
    panel.login("editora")
    panel.get("/painel/servicos/novo")
    form = panel.find_form("/painel/servicos/novo").values | {
        "nome_servico": name,
        "resumo": "Um resumo.",
        "tema_geral": "Cidade",
        "orgao_gestor": "Secretaria de Conservação",
        "publico_especifico": "Público em geral",
        "deed": "guardar",
    }
    for _ in range(2):
        assert panel.post("/painel/servicos/novo", form).status_code == 200
    assert ask("GET", "/admin/services/summaries", params={"nome_servico": name}).json()["found"] == 1


def test_departments_are_chosen_from_the_list_and_one_that_left_it_stays(
    panel: PanelClient, make: Make, ask: Ask
) -> None:
    service = make(orgao_gestor=["Órgão extinto", "1500"])
    place = f"/painel/servicos/{service['id']}/editar"
    panel.login("gestor", place)
    offered = panel.find_form(place).choices["orgao_gestor"]
    assert {"Companhia de Limpeza", "Secretaria de Conservação", "Órgão extinto"} <= set(offered)
    form: dict[str, Any] = panel.find_form(place).values
    panel.post(place, form | {"orgao_gestor": ["Órgão extinto", "", "Companhia de Limpeza", ""], "deed": "guardar"})
    assert ask("GET", f"/admin/services/{service['id']}").json()["orgao_gestor"] == ["Órgão extinto", "1510"]
    answer = panel.submit(place, orgao_gestor="", deed="guardar")
    assert answer.status_code == 422
    assert "Escolha o órgão que responde pelo serviço." in panel.page.text


def test_without_the_list_of_departments_no_service_is_saved(
    panel: PanelClient, make: Make, ask: Ask, alter: Alter
) -> None:
    service = make(orgao_gestor=["1500"])
    place = f"/painel/servicos/{service['id']}/editar"
    panel.login("gestor", place)
    form: dict[str, Any] = panel.find_form(place).values | {"resumo": "Outro resumo.", "deed": "guardar"}
    alter("ALTER TABLE registry.department RENAME TO department_aside")
    try:
        assert panel.get(place).status_code == 200
        answer = panel.post(place, form)
    finally:
        alter("ALTER TABLE registry.department_aside RENAME TO department")
    assert answer.status_code == 503
    assert panel.find_form(place).values["resumo"] == "Outro resumo."
    assert ask("GET", f"/admin/services/{service['id']}").json()["version"] == service["version"]
    panel.post(place, panel.find_form(place).values | {"deed": "guardar"})
    assert ask("GET", f"/admin/services/{service['id']}").json()["orgao_gestor"] == ["1500"]


def test_a_form_of_invented_departments_gets_a_small_page(panel: PanelClient) -> None:
    panel.login("editora")
    place = "/painel/servicos/novo"
    panel.get(place)
    empty = len(panel.http.get(place).content)
    form: dict[str, Any] = panel.find_form(place).values
    invented = "\n".join(map(str, range(1_000)))
    answer = panel.post(place, form | {"orgao_gestor": invented, "deed": "guardar"})
    assert answer.status_code == 422
    assert "Escolha no máximo 50." in panel.page.text
    assert len(answer.content) < 10 * empty


def test_a_proposal_goes_its_way(panel: PanelClient, make: Make, ask: Ask) -> None:
    service = make(status=1)
    here = f"/painel/servicos/{service['id']}"
    panel.login("editora")
    panel.submit(f"{here}/editar", resumo="Proposto.", deed="enviar", change_reason="A lei mudou.")
    [entry] = ask("GET", f"/admin/services/{service['id']}/proposals").json()["proposals"]
    place = f"{here}/propostas/{entry['id']}"
    assert "Publicar a proposta" not in panel.get(place).text
    panel.http.cookies.clear()

    panel.login("gestor", "/painel/aprovacoes")
    assert place in panel.page.links
    panel.submit(f"{place}/devolver", reason="Falta o horário.")
    assert f"“{service['nome_servico']}”: a proposta voltou para edição." in panel.page.text
    panel.submit(f"{place}/editar", resumo="Proposto, das 8h às 17h.", deed="enviar")
    assert "Jorge Valente devolveu" not in panel.get(place).text
    panel.submit(place, action=f"{place}/publicar")
    assert "a proposta está no ar, como versão 2." in panel.page.text
    assert ask("GET", f"/admin/services/{service['id']}").json()["resumo"] == "Proposto, das 8h às 17h."


def empty_queue(ask: Ask) -> None:
    """Withdraw every service and proposal that waits for approval."""
    waiting = ask("GET", "/admin/services/summaries", params={"awaiting_approval": True, "per_page": 100}).json()
    for one in waiting["services"]:
        body = ask("GET", f"/admin/services/{one['id']}").json() | {"awaiting_approval": False}
        assert ask("PUT", f"/admin/services/{one['id']}", json=body).status_code == 200
    for one in ask("GET", "/admin/proposals", params={"awaiting_approval": True}).json()["proposals"]:
        assert ask("DELETE", f"/admin/services/{one['service_id']}/proposals/{one['id']}").status_code < 300


def test_after_each_approval_the_next_text_opens_and_at_the_end_the_empty_queue(
    panel: PanelClient, make: Make, ask: Ask
) -> None:
    empty_queue(ask)
    first, second = make(awaiting_approval=True), make(awaiting_approval=True)
    public = make(status=1)
    body = REQUIRED | {"nome_servico": public["nome_servico"], "resumo": "Proposto.", "awaiting_approval": True}
    assert ask("POST", f"/admin/services/{public['id']}/proposals", json=body).status_code == 201
    here = f"/painel/aprovacoes/{first['id']}"
    panel.login("gestor", here)
    following = panel.submit(here, action=f"/painel/servicos/{first['id']}/publicar")
    assert following.url.path == f"/painel/aprovacoes/{second['id']}"
    assert f"“{first['nome_servico']}” está no ar" in panel.page.text
    following = panel.submit(f"/painel/servicos/{second['id']}/devolver", reason="Falta o horário.")
    assert following.url.path.startswith(f"/painel/servicos/{public['id']}/propostas/")
    assert f"“{second['nome_servico']}” voltou para edição." in panel.page.text
    last = panel.submit(following.url.path, action=f"{following.url.path}/publicar")
    assert last.url.path == "/painel/aprovacoes"
    assert "Nada mais espera aprovação." in panel.page.text
    assert "Nenhuma proposta espera aprovação." in panel.page.text


def test_a_service_shows_its_old_numbers_and_says_how_many_more_there_are(
    panel: PanelClient, make: Make, ask: Ask
) -> None:
    service, first = make(), uuid4().hex[:8]
    for place in range(1, 102):
        body = {"origem": "1746_v2_llm", "id_servico_antigo": f"{first}-{place}.", "id_servico_novo": service["id"]}
        assert ask("POST", "/admin/tombamentos", json=body).status_code == 201
    panel.login("gestor", f"/painel/servicos/{service['id']}")
    assert sum(f"{first}-{place}." in panel.page.text for place in range(1, 102)) == 100
    assert "Os primeiros 100 de 101." in panel.page.text


def test_a_long_queue_leads_to_the_list_that_is_searched(panel: PanelClient, make: Make, ask: Ask) -> None:
    made = [make(awaiting_approval=True)["id"] for _ in range(101)]
    panel.login("gestor", "/painel/aprovacoes")
    assert "Os 100 que esperam há mais tempo." in panel.page.text
    assert "/painel/servicos?aba=aprovacao" in panel.page.links
    for one in made:
        assert ask("DELETE", f"/admin/services/{one}").status_code < 300


def test_a_proposal_over_an_older_version_is_joined_on_the_same_page(panel: PanelClient, make: Make, ask: Ask) -> None:
    service = make(status=1)
    here = f"/painel/servicos/{service['id']}"
    panel.login("gestor")
    body = REQUIRED | {"nome_servico": service["nome_servico"]}
    made = ask("POST", f"/admin/services/{service['id']}/proposals", json=body | {"resumo": "Proposto."}).json()
    ask("PUT", f"/admin/services/{service['id']}", json=body | {"tempo_atendimento": "Na hora"})
    place = f"{here}/propostas/{made['id']}"
    assert "O serviço mudou depois" in panel.get(place).text
    panel.submit(f"{place}/editar", deed="enviar")
    panel.submit(place, action=f"{place}/publicar")
    saved = ask("GET", f"/admin/services/{service['id']}").json()
    assert (saved["resumo"], saved["tempo_atendimento"], saved["version"]) == ("Proposto.", "Na hora", 3)


def test_categories_change_places(panel: PanelClient, ask: Ask) -> None:
    listed = [one["name"] for one in ask("GET", "/admin/categories").json()["categories"]]
    panel.login("gestor")
    panel.get("/painel/categorias")
    address = f"/painel/categorias/{listed[1]}/mover"
    panel.post(address, panel.find_form("/painel/sair").values | {"para": "cima"})
    moved = [one["name"] for one in ask("GET", "/admin/categories").json()["categories"]]
    assert moved[:2] == [listed[1], listed[0]]


def test_a_list_that_somebody_else_changed_is_shown_beside_mine(panel: PanelClient, ask: Ask) -> None:
    panel.login("gestor")
    panel.get("/painel/buscas-de-controle")
    form = panel.find_form("/painel/buscas-de-controle").values
    ask("PUT", "/admin/search/control-queries", json={"queries": ["a da colega"]})
    answer = panel.post("/painel/buscas-de-controle", form | {"queries": "a minha"})
    assert answer.status_code == 412
    assert "a da colega" in answer.text
    assert panel.find_form("/painel/buscas-de-controle").values["queries"].split() == ["a", "minha"]
    again = panel.find_form("/painel/buscas-de-controle").values | {"queries": "a da colega\na minha"}
    panel.post("/painel/buscas-de-controle", again)
    assert ask("GET", "/admin/search/control-queries").json()["queries"] == ["a da colega", "a minha"]


def test_a_curator_says_what_a_control_query_should_find_and_sees_its_place(
    panel: PanelClient, make: Make, ask: Ask
) -> None:
    first, second = (make(nome_servico=f"Muda de cambuci {uuid4().hex[:8]}", status=1) for _ in range(2))
    query = f"{second['nome_servico']} / cambuci?"
    ask("PUT", "/admin/search/control-queries", json={"queries": [query, "xyzzywyx"]})
    panel.login("gestor")
    page = "/painel/buscas-de-controle/1/servicos"
    until_now(lambda: second["nome_servico"] in panel.get("/painel/buscas-de-controle").text)
    assert "Como está a busca" not in panel.page.text
    assert page in panel.page.links
    panel.get(f"{page}?nome={second['nome_servico']}")
    form = panel.find_form(page).values | {"servico": second["id"], "deed": "certo"}
    assert "Gravado: a busca deve achar este serviço." in panel.post(page, form).text
    shown = panel.get("/painel/buscas-de-controle").text
    assert "1 de 2" in shown
    assert "100,0 %" in shown
    stale = panel.post(page, form | {"servico": first["id"]})
    assert "Alguém mudou as buscas de controle" in stale.text
    panel.get(page)
    panel.post(page, panel.find_form(page).values | {"servico": second["id"], "deed": "tirar"})
    assert "expected" not in ask("GET", "/admin/search/control-queries").json()
    assert "não está mais" in panel.get("/painel/buscas-de-controle/3/servicos").text


def test_a_search_without_service_can_become_a_control_query(panel: PanelClient, ask: Ask) -> None:
    ask("PUT", "/admin/search/control-queries", json={"queries": ["poda"]})
    panel.login("gestor")
    page = panel.get("/painel/buscas-de-controle?busca=galho%20no%20fio")
    assert "ainda sem gravar" in page.text
    assert panel.find_form("/painel/buscas-de-controle").values["queries"].split() == ["poda", "galho", "no", "fio"]
    assert "ainda sem gravar" not in panel.get("/painel/buscas-de-controle?busca=poda").text


def test_a_migration_is_tried_and_its_runs_are_shown(panel: PanelClient, ask: Ask) -> None:
    panel.login("gestor")
    answer = panel.submit("/painel/migracao", dry_run="ensaio")
    assert "O que o ensaio mostrou" in answer.text
    assert "Nada mudou: foi só um ensaio." in answer.text
    run = ask("GET", "/admin/migration/history").json()["migrations"][0]["id"]
    assert "Serviços copiados" in panel.get(f"/painel/migracao/{run}").text


def test_a_service_is_deleted_by_its_name_alone(panel: PanelClient, make: Make, ask: Ask) -> None:
    service = make()
    address = f"/painel/servicos/{service['id']}/excluir"
    panel.login("gestor")
    assert panel.submit(address, name="Outro nome").status_code == 422
    assert ask("GET", f"/admin/services/{service['id']}").status_code == 200
    panel.submit(address, name=service["nome_servico"].upper())
    assert ask("GET", f"/admin/services/{service['id']}").status_code == 404


@pytest.mark.parametrize("address", ["", "/editar", "/versoes", "/excluir", "/propostas/{}"])
def test_what_does_not_exist_is_said(panel: PanelClient, address: str) -> None:
    panel.login("gestor")
    assert panel.get(f"/painel/servicos/{new_id()}{address.format(new_id())}").status_code == 404


def test_a_field_that_one_has_changed_is_joined_and_one_that_both_have_is_asked_for() -> None:
    names = ("resumo", "tema_geral", "tempo_atendimento", "custo_servico")
    base, theirs, mine = (dict(zip(names, texts, strict=True)) for texts in ("1111", "1222", "3132"))
    conflict = describe_conflict(base, theirs, mine)
    assert [one.name for one in conflict.disputes] == ["tempo_atendimento"]
    assert {one.label: one.is_mine for one in conflict.joined} == {"Resumo": True, "Tema": False}
    assert conflict.fields == dict(zip(names, "3232", strict=True))


def test_a_choice_that_both_have_changed_is_shown_in_words(panel: PanelClient, make: Make, ask: Ask) -> None:
    service = make(custo={"tipo": "fixo", "valor_centavos": 3520})
    place = f"/painel/servicos/{service['id']}/editar"
    panel.login("gestor", place)
    form = panel.find_form(place).values
    cheaper = service | {"custo": {"tipo": "variavel"}, "custo_servico": "", "prazo": {"unidade": "imediato"}}
    assert ask("PUT", f"/admin/services/{service['id']}", json=cheaper).status_code == 200
    answer = panel.post(place, form | {"custo_tipo": "gratis", "deed": "guardar"})
    assert answer.status_code == 412
    for words in ("Varia conforme o caso", "Gratuito", "Antes dizia: “Um valor fixo”", "Na hora", "Escolher outro"):
        assert words in panel.page.text
    seen = re.sub(r"<textarea[^>]* hidden>[^<]*</textarea>|<(option|input)[^>]*>", "", answer.text)
    assert not [code for code in ("variavel", "gratis", "imediato") if code in seen]
    decided = {"escolha-custo_tipo": "deles", "texto-custo_tipo": "a_partir_de", "custo_valor": "35,20"}
    merged = panel.find_form(place).values | decided
    panel.post(place, merged | {"deed": "guardar"})
    saved = ask("GET", f"/admin/services/{service['id']}").json()
    assert (saved["custo"]["tipo"], saved["custo_servico"]) == ("a_partir_de", "A partir de R$ 35,20")
    assert saved["prazo"] == {"unidade": "imediato"}


@pytest.mark.parametrize(("choice", "other", "kept"), [("meu", "", "3"), ("deles", "", "2"), ("meu", "4", "4")])
def test_the_text_that_was_chosen_is_sent(choice: str, other: str, kept: str) -> None:
    posted = FormData({"escolha-c": [choice], "meu-c": ["3"], "deles-c": ["2"], "texto-c": [other]})
    assert apply_choices(posted).first("c") == kept


def test_markup_in_a_service_stays_text() -> None:
    assert "<script>" not in render_markdown(f"{ATTACK}\n\n[x](javascript:alert(1))")


def test_a_service_is_sent_back_as_it_was_read() -> None:
    members: dict[str, Any] = REQUIRED | {
        "documentos_necessarios": ["CPF", "RG"],
        "is_free": False,
        "agents": {"tool_hint": "Poda", "exclusive_for_agents": True},
        "buttons": [{"titulo": "Pedir", "url_service": "https://a.example", "descricao": "x", "is_enabled": False}],
    }
    departments = {"1500": "Secretaria de Conservação"}
    body = to_body(to_fields(members | {"orgao_gestor": ["1500"]}, departments), departments)
    assert {name: body[name] for name in members} == members | {"orgao_gestor": ["1500"]}


COSTS = st.sampled_from(
    [
        None,
        {"tipo": "gratis"},
        {"tipo": "fixo", "valor_centavos": 3520, "isencao": "Idosos não pagam."},
        {"tipo": "a_partir_de", "valor_centavos": 5, "isencao": ""},
        {"tipo": "faixa", "valor_centavos": 0, "valor_maximo_centavos": 1_000_000_000, "isencao": ""},
        {"tipo": "variavel", "isencao": "Idosos não pagam."},
    ]
)
DEADLINES = st.sampled_from([None, {"unidade": "imediato"}, {"unidade": "dias_uteis", "quantidade": 999}])


@given(COSTS, DEADLINES, st.sampled_from(["", "Depende da área."]))
def test_a_cost_and_a_deadline_are_sent_back_as_they_were_read(cost: Any, deadline: Any, text: str) -> None:
    members = {"custo": cost, "prazo": deadline, "custo_servico": text, "is_free": cost and cost["tipo"] == "gratis"}
    body = to_body(to_fields(REQUIRED | members, {}), {})
    assert {name: body[name] for name in members} == members


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        *dict.fromkeys(("35,20", "35,2", "R$ 35,20", "r$35,20", " 35.20 ", "R$\u00a035,20"), 3520).items(),
        *dict.fromkeys(("1.820", "1820", "1.820,00", "R$ 1820,0"), 182_000).items(),
        ("0,05", 5),
        ("1.82", 182),
        ("1.000.000", 100_000_000),
        *dict.fromkeys(("", "abc", "35,", "35,200", "-35", "1,820,00", "1.8200", "٣", "9" * 9, "35 20")).items(),
    ],
)
def test_an_amount_is_read_as_people_type_it(text: str, cents: int | None) -> None:
    assert parse_cents(text) == cents


def test_a_price_is_typed_corrected_previewed_and_saved(panel: PanelClient, make: Make, ask: Ask) -> None:
    service = make(is_free=True, custo_servico="Gratuito")
    place = f"/painel/servicos/{service['id']}/editar"
    panel.login("editora", place)
    form = panel.find_form(place).values
    assert (form["custo_tipo"], form["custo_servico"], form["prazo_unidade"]) == ("gratis", "", "")
    typed = {"custo_tipo": "faixa", "custo_valor": "35,20", "prazo_unidade": "dias_uteis", "prazo_quantidade": "cinco"}
    for most in ("muito", "35,20", "10.000.000,01"):
        answer = panel.submit(place, **typed, custo_valor_maximo=most, deed="guardar")
        assert answer.status_code == 422
        assert {"custo_valor_maximo-fault", "prazo_quantidade-fault"} <= set(
            re.findall(r'id="(\w+-fault)"', answer.text)
        )
        assert panel.find_form(place).values["custo_valor_maximo"] == most
    typed |= {"custo_valor_maximo": "R$ 1.820", "custo_isencao": "Idosos não pagam.", "prazo_quantidade": "5"}
    preview = panel.submit(place, **typed, deed="ver").text
    for words in ("De R$ 35,20 a R$ 1.820,00", "Idosos não pagam.", "Até 5 dias úteis"):
        assert words in preview
    panel.submit(place, **typed, deed="guardar")
    saved = ask("GET", f"/admin/services/{service['id']}").json()
    assert saved["custo"] == {
        "tipo": "faixa",
        "valor_centavos": 3520,
        "valor_maximo_centavos": 182_000,
        "isencao": "Idosos não pagam.",
        "moeda": "BRL",
    }
    assert (saved["prazo"], saved["is_free"]) == ({"unidade": "dias_uteis", "quantidade": 5}, False)
    texts = (saved["custo_servico"], saved["tempo_atendimento"])
    assert texts == ("De R$ 35,20 a R$ 1.820,00", "Até 5 dias úteis")

    # The amounts that remain in hidden fields are ignored.
    panel.get(place)
    panel.submit(place, custo_tipo="gratis", prazo_unidade="", deed="guardar")
    saved = ask("GET", f"/admin/services/{service['id']}").json()
    assert (saved["custo"], saved["custo_servico"]) == ({"tipo": "gratis", "moeda": "BRL"}, "Gratuito")
    assert ("prazo" in saved, saved["tempo_atendimento"], saved["is_free"]) == (False, "", True)
    panel.get(f"/painel/servicos/{service['id']}/diferenca?de=2&para=3")
    for label, is_shown in (
        ("Quanto custa", True),
        ("Quanto demora", True),
        ("em palavras", False),
        ("gratuito", False),
    ):
        assert (label in panel.page.text) == is_shown


def test_what_follows_from_the_price_is_not_compared_again() -> None:
    def mark(**changes: tuple[Any, Any]) -> list[str]:
        found = Comparison(0, "Rui", [FieldChange(name, *values) for name, values in changes.items()])
        return [change.label for change in mark_changes(found)]

    fixed, free = {"tipo": "fixo", "valor_centavos": 3520, "moeda": "BRL"}, {"tipo": "gratis", "moeda": "BRL"}
    assert mark(custo=(fixed, free), is_free=(False, True), custo_servico=("R$ 35,20", "Gratuito")) == ["Quanto custa"]
    assert mark(custo=(None, free), is_free=(None, True), custo_servico=(None, "Gratuito")) == ["Quanto custa"]
    written = mark(custo_servico=("R$ 35,20", "Só o material"), custo=(fixed, free))
    assert written == ["Custo em palavras", "Quanto custa"]
    assert mark(is_free=(False, True)) == ["É gratuito"]
    assert set(mark(custo=(fixed, None), is_free=(False, True))) == {"É gratuito", "Quanto custa"}
    assert mark(prazo=(None, {"unidade": "imediato"}), tempo_atendimento=(None, "Na hora")) == ["Quanto demora"]


def test_a_group_of_synonyms_is_found_by_a_term_without_accents(panel: PanelClient) -> None:
    panel.login("gestor", "/painel/sinonimos")
    name = re.compile(r'<th scope="row">\s*<a [^>]*>\s*([^<]*?)\s*</a>')
    all_groups = name.findall(panel.get("/painel/sinonimos").text)
    wanted = all_groups[0].split(", ")[-1]
    panel.submit("/painel/sinonimos/novo", terms=f"{wanted} é só teste\nÚmida certidão")
    for term in ("umida certidao", "É SO TESTE"):
        assert name.findall(panel.get(f"/painel/sinonimos?termo={quote(term)}").text) == [
            f"{wanted} é só teste, Úmida certidão"
        ]
    panel.get("/painel/sinonimos?termo=xyzzy")
    assert "Nada foi encontrado com estes filtros." in panel.page.text
    assert "/painel/sinonimos/novo?termo=xyzzy" in panel.page.links


def test_what_holds_for_virtual_assistants_is_compared_in_words() -> None:
    def mark(old: Any, new: Any) -> list[str]:
        found = Comparison(0, "Rui", [FieldChange("agents", old, new)])
        return [f"{change.label}: {change.marked}" for change in mark_changes(found)]

    assert mark({"tool_hint": "", "exclusive_for_agents": False}, None) == []
    (shown,) = mark(None, {"tool_hint": "Use o CEP", "exclusive_for_agents": True})
    assert shown.startswith("Assistentes virtuais: <ul><li><ins>")
    assert "Só para assistentes virtuais" in shown
    assert "Dica para assistentes virtuais: Use o CEP" in shown
    assert "tool_hint" not in shown


def test_a_search_that_led_nowhere_becomes_a_phrase_of_a_service(
    panel: PanelClient, make: Make, ask: Ask, alter: Alter
) -> None:
    query, service = f"galho no fio {uuid4().hex[:8]}", make(status=1)
    other = make()
    alter(f"INSERT INTO search.zero_results (folded, day, times) VALUES ('{query}', current_date, 900)")
    panel.login("gestor")
    choose = f"/painel/frases/{quote(query)}/usar"
    assert choose in panel.get("/painel/buscas-sem-servico").text
    page = panel.get(f"{choose}?nome={service['nome_servico']}")
    assert other["nome_servico"] not in page.text
    path = f"/painel/servicos/{service['id']}/frases"
    [address] = [link for link in panel.page.links if link.startswith(path)]
    assert panel.get(address).text.count(query) >= 2
    assert ask("GET", f"/admin/services/{service['id']}/phrases").json()["phrases"] == []
    answer = panel.post(path, panel.find_form(path).values)
    assert "Gravado: 1 frase." in answer.text
    assert f"<li>{query}</li>" in answer.text
    assert choose not in panel.get("/painel/buscas-sem-servico").text
    assert panel.get(address).text.count(query) == 1  # the phrase is not added twice


def test_a_phrase_that_cannot_be_searched_is_refused_at_its_field_and_nothing_typed_is_lost(
    panel: PanelClient, make: Make
) -> None:
    path = f"/painel/servicos/{make()['id']}/frases"
    panel.login("gestor")
    answer = panel.submit(path, phrases="rua escura\nde a o")
    assert answer.status_code == 422
    assert "phrases-fault" in answer.text
    assert panel.find_form(path).values["phrases"].split() == ["rua", "escura", "de", "a", "o"]


def test_phrases_that_a_colleague_changed_are_shown_next_to_mine(panel: PanelClient, make: Make, ask: Ask) -> None:
    service = make()
    path, phrases = f"/painel/servicos/{service['id']}/frases", f"/admin/services/{service['id']}/phrases"
    panel.login("gestor")
    panel.get(path)
    form = panel.find_form(path).values
    ask("PUT", phrases, json={"phrases": ["rua escura"]})
    answer = panel.post(path, form | {"phrases": "luz queimada"})
    assert answer.status_code == 412
    assert "rua escura" in answer.text
    assert panel.find_form(path).values["phrases"].split() == ["luz", "queimada"]
    panel.post(path, panel.find_form(path).values | {"phrases": "rua escura\nluz queimada"})
    assert ask("GET", phrases).json()["phrases"] == ["rua escura", "luz queimada"]


def test_an_editor_reads_phrases_and_cannot_change_them(panel: PanelClient, make: Make, ask: Ask) -> None:
    service = make()
    ask("PUT", f"/admin/services/{service['id']}/phrases", json={"phrases": ["rua escura"]})
    panel.login("editora")
    page = panel.get(f"/painel/servicos/{service['id']}")
    assert "<li>rua escura</li>" in page.text
    path = f"/painel/servicos/{service['id']}/frases"
    assert path not in page.text
    assert panel.get(path).status_code == panel.get("/painel/buscas-sem-servico").status_code == 403
