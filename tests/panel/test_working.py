"""Two people who edit one form see each other, and their text is stored until they send the form."""

import re
from collections.abc import Callable

import pytest

from tests.support.panel import PanelClient
from tests.support.polling import until_now
from tests.support.sandbox import Sandbox

Sql = Callable[..., list[dict[str, object]]]
STAY, KEEP = "/painel/presenca", "/painel/rascunhos/guardar"


@pytest.fixture(params=["service", "job", "agent"])
def form(request: pytest.FixtureRequest, panel: PanelClient) -> str:
    """Return the address of a form that two people may edit."""
    panel.login("kleber")
    lists = {"service": "/painel/servicos", "job": "/painel/vagas", "agent": "/painel/agentes"}
    panel.get(lists[request.param])
    pattern = {"service": r"/painel/servicos/[0-9a-f-]{36}", "job": r"/painel/vagas/[0-9a-f-]{36}"}
    found = next(
        link
        for link in panel.page.links
        if re.fullmatch(pattern.get(request.param, r"/painel/agentes/(?!dados|avisos)\w+"), link)
    )
    return f"{found}/editar"


def fields_of(panel: PanelClient, address: str) -> dict[str, str]:
    assert panel.get(address).status_code == 200
    return panel.find_form(address).values


def test_two_at_one_form_are_both_told_and_one_who_left_is_not_named(
    panel: PanelClient, sandbox: Sandbox, form: str, sql: Sql
) -> None:
    fields = fields_of(panel, form)
    assert "também está aqui" not in panel.page.text
    sql("UPDATE panel.presence SET subject_key = 'another', seen_at = now() - interval '1 minute'")
    told = panel.post(STAY, {"_csrf": fields["_csrf"], "_lugar": fields["_lugar"]})
    assert re.search(r"<b>Kleber[^<]*</b> também está aqui", told.text)
    fields_of(panel, form)
    assert "também está aqui" in panel.page.text
    sql("UPDATE panel.presence SET seen_at = now() - interval '3 minutes' WHERE subject_key = 'another'")
    fields_of(panel, form)
    assert "também está aqui" not in panel.page.text


def test_what_is_typed_is_kept_sealed_offered_once_more_and_forgotten_by_its_person(
    panel: PanelClient, sandbox: Sandbox, form: str, sql: Sql
) -> None:
    fields = fields_of(panel, form)
    name = next(each for each in ("resumo", "descricao", "prompt") if each in fields)
    for typed in ("Uma frase", "Uma frase que ninguém enviou"):
        assert "Guardado às" in panel.post(KEEP, fields | {name: typed}).text
    stored = sql("SELECT content FROM panel.draft")
    assert len(stored) == 1
    assert b"ninguem" not in bytes(stored[0]["content"])  # type: ignore[call-overload]
    fields_of(panel, form)
    assert "Você tinha começado a escrever aqui" in panel.page.text
    (back,) = [link for link in panel.page.links if link.startswith(f"{form}?rascunho=")]
    panel.get(back)
    assert panel.find_form(form).values[name].strip() == "Uma frase que ninguém enviou"
    assert "Você tinha começado" not in panel.page.text
    panel.get(form)
    forget = next(each.action for each in panel.page.forms if each.action.endswith("/esquecer"))
    panel.submit(form, action=forget)
    assert sql("SELECT 1 FROM panel.draft") == []


def test_a_place_opens_nothing_for_somebody_elses_session(panel: PanelClient, sandbox: Sandbox, form: str) -> None:
    place = fields_of(panel, form)["_lugar"]
    with PanelClient(sandbox.url) as other:
        other.login("ana")
        other.get("/painel/conta")
        secret = other.find_form("/painel/sair").values["_csrf"]
        for address in (STAY, KEEP):
            for shown in (place, "", "x"):
                assert other.post(address, {"_csrf": secret, "_lugar": shown}).status_code == 404


def test_a_page_that_only_stays_open_does_not_keep_the_session(
    panel: PanelClient, sandbox: Sandbox, form: str, sql: Sql
) -> None:
    fields = fields_of(panel, form)
    sql("UPDATE panel.session SET used_at = now() - interval '10 minutes'")
    panel.post(STAY, {"_csrf": fields["_csrf"], "_lugar": fields["_lugar"]})
    assert sql("SELECT 1 FROM panel.session WHERE used_at > now() - interval '9 minutes'") == []


def test_a_service_that_was_saved_leaves_no_text_behind(panel: PanelClient, sandbox: Sandbox, sql: Sql) -> None:
    panel.login("kleber")
    fields = fields_of(panel, "/painel/servicos/novo")
    panel.post(KEEP, fields | {"nome_servico": "Poda de árvore"})
    filled = fields | {
        "nome_servico": "Poda de árvore",
        "resumo": "Um resumo.",
        "tema_geral": "Cidade",
        "orgao_gestor": "Secretaria de Conservação",
        "publico_especifico": "Público em geral",
        "deed": "guardar",
    }
    assert panel.post("/painel/servicos/novo", filled).status_code == 200
    assert "O serviço foi criado" in panel.page.text
    assert sql("SELECT 1 FROM panel.draft") == []


def test_what_is_kept_late_of_a_form_that_was_sent_brings_nothing_back(panel: PanelClient, sql: Sql) -> None:
    panel.login("kleber")
    new = "/painel/servicos/novo"
    fields = fields_of(panel, new)
    refused = panel.post(new, fields | {"nome_servico": "Corte de grama", "deed": "guardar"})
    assert refused.status_code == 422
    anew = panel.find_form(new).values
    assert anew["_lugar"] != fields["_lugar"]
    panel.post(KEEP, anew | {"nome_servico": "Corte de grama", "resumo": "Depois da recusa."})
    assert panel.post(KEEP, fields | {"resumo": "Antes da recusa."}).status_code == 200  # sent before the refused form
    panel.get("/painel/rascunhos")
    (kept,) = {link for link in panel.page.links if re.fullmatch(r"/painel/rascunhos/[0-9a-f-]{36}", link)}
    assert "Depois da recusa." in panel.get(kept).text
    filled = anew | {
        "nome_servico": "Corte de grama",
        "resumo": "Um resumo.",
        "tema_geral": "Cidade",
        "orgao_gestor": "Secretaria de Conservação",
        "publico_especifico": "Público em geral",
        "deed": "guardar",
    }
    panel.post(new, filled)
    assert "O serviço foi criado" in panel.page.text
    assert panel.post(KEEP, filled | {"resumo": "Depois do envio."}).status_code == 200
    assert sql("SELECT 1 FROM panel.draft") == []


def test_who_has_other_rights_than_those_the_form_was_shown_by_sees_nobody_there(
    panel: PanelClient, sandbox: Sandbox, sql: Sql
) -> None:
    admin = {"Authorization": f"Bearer {sandbox.tokens.person('90000040126')}"}
    roles = "/access/api/v1/users/90000000175/roles"
    sandbox.http.post(roles, json={"role_name": "busca:services:admin"}, headers=admin).raise_for_status()
    sql("DELETE FROM panel.presence")
    panel.login("ana")
    fields = fields_of(panel, "/painel/servicos/novo")
    sql("UPDATE panel.presence SET subject_key = 'another', seen_at = now()")
    shown = {"_csrf": fields["_csrf"], "_lugar": fields["_lugar"]}
    assert "também está aqui" in panel.post(STAY, shown).text
    sql("DELETE FROM panel.presence WHERE subject_key <> 'another'")
    sandbox.http.delete(f"{roles}/busca:services:admin", headers=admin).raise_for_status()
    until_now(lambda: "também está aqui" not in panel.post(STAY, shown).text)
    sql("DELETE FROM panel.presence WHERE subject_key <> 'another'")
    panel.post(STAY, shown)
    assert sql("SELECT 1 FROM panel.presence WHERE subject_key <> 'another'") == []


def test_nobody_is_led_away_from_a_form_because_the_session_ended_meanwhile(panel: PanelClient, sql: Sql) -> None:
    panel.login("kleber")
    fields = fields_of(panel, "/painel/servicos/novo")
    sql("UPDATE panel.session SET ended_at = now(), tokens = NULL")
    for address in (STAY, KEEP):
        headers = {"HX-Request": "true", "Origin": panel.url}
        answer = panel.http.post(address, data=fields, headers=headers)
        assert answer.status_code == 401
        assert "HX-Redirect" not in answer.headers
    panel.post("/painel/servicos/novo", fields | {"resumo": "O que eu escrevia."})
    panel.login("kleber", "/painel/rascunhos")
    assert "Novo serviço" in panel.page.text
