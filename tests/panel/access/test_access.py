"""The pages of the access administration on a running platform."""

import re
from collections.abc import Callable

import pytest

from tests.support.panel import PanelClient

ACCESS = "/painel/acessos"
GROUPS = f"{ACCESS}/grupos"
PAULO = "90000040479"  # a demo member of staff without rights
ANA = "90000000175"


def find_link(panel: PanelClient, pattern: str) -> str:
    return next(link for link in panel.page.links if re.fullmatch(pattern, link))


def find_person(panel: PanelClient, search: str) -> str:
    panel.get(f"{ACCESS}/pessoas?procura={search}")
    return find_link(panel, rf"{ACCESS}/pessoas/\d+")


def test_a_person_is_found_by_number_and_their_address_holds_none(panel: PanelClient) -> None:
    panel.login("kleber", f"{ACCESS}/pessoas")
    address = find_person(panel, "000.205-24")
    answer = panel.get(address)
    assert "unidades_admin" in panel.page.text
    assert "health_unit:manage" in panel.page.text
    assert "Papel saude:unidades:admin, do grupo unidades_admin" in panel.page.text
    assert "***.000.205-**" in answer.text
    assert "90000020524" not in answer.text


def test_every_role_can_be_given_however_many_there_are(panel: PanelClient, sql: Callable[..., object]) -> None:
    sql(
        "INSERT INTO access.role (name, description, origin)"
        " SELECT 'zz:' || place, 'Papel ' || place, 'custom' FROM generate_series(1, 120) AS place"
    )
    path = f"{GROUPS}/risco_operadores/papeis/novo"
    panel.login("kleber", path)
    assert {f"zz:{place}" for place in range(1, 121)} <= set(panel.find_form(path).choices["choice"])
    sql("DELETE FROM access.role WHERE name LIKE 'zz:%'")


def test_the_group_of_a_department_is_chosen_by_the_departments_name(panel: PanelClient) -> None:
    panel.login("kleber")
    page = panel.get(f"{GROUPS}/novo").text
    assert '<option value="go:orgao:1500">Secretaria de Conservação</option>' in page
    assert 'list="nomes"' in page


def test_too_short_a_search_is_told_and_asks_nobody(panel: PanelClient) -> None:
    panel.login("kleber", f"{ACCESS}/pessoas")
    assert panel.get(f"{ACCESS}/pessoas?procura=de").status_code == 200
    assert "Escreva ao menos uma palavra de três letras" in panel.page.text


def test_what_a_membership_brings_is_shown_before_it_is_given_and_counts_at_the_next_page(panel: PanelClient) -> None:
    path = f"{GROUPS}/risco_operadores/incluir"
    panel.login("kleber", path)
    asked = panel.submit(path, cpf="900.000.404-79")
    assert "***.000.404-** ganha" in panel.page.text
    assert "risk_notification:manage" in panel.page.text
    assert PAULO not in str(asked.url)
    form = panel.find_form(path)
    panel.post(path, form.values)
    assert "está no grupo" in panel.page.text
    with PanelClient(panel.url) as paulo:
        paulo.login("paulo", "/painel/conta")
        assert "risk_notification:manage" in paulo.page.text
    person = find_person(panel, PAULO)
    panel.submit(f"{person}/grupos/risco_operadores/retirar")
    assert "não está mais no grupo" in panel.page.text


def test_an_administrator_may_not_take_a_superadministrator_away_and_is_told_who_may(panel: PanelClient) -> None:
    panel.login("kleber", f"{ACCESS}/pessoas")
    marina = find_person(panel, "90000001309")
    answer = panel.submit(f"{marina}/grupos/superadministradores/retirar")
    assert answer.status_code == 403
    assert "Só um superadministrador dá ou tira a administração." in panel.page.text


def test_a_rename_shows_what_follows_and_is_made_when_it_was_seen(panel: PanelClient) -> None:
    panel.login("marina", f"{ACCESS}/acoes?procura=iptu")
    address = find_link(panel, rf"{ACCESS}/acoes/\d+")
    path = f"{address}/editar"
    panel.submit(path, name="iptu:invoice:look")
    assert "Nada quebra" in panel.page.text
    assert "iptu:consulta" in panel.page.text
    panel.post(path, panel.find_form(path).values)
    assert "Papéis, endereços e programas continuam ligados a ela" in panel.page.text
    assert "iptu:invoice:look" in panel.page.text
    panel.submit(path, name="pets:read")
    assert "outra ação já tem este nome" in panel.page.text
    panel.submit(path, name="iptu:invoice:read")
    panel.post(path, panel.find_form(path).values)
    assert "iptu:invoice:read" in panel.page.text


def test_of_two_who_edit_a_group_the_second_is_told_and_keeps_what_they_typed(panel: PanelClient) -> None:
    path = f"{GROUPS}/busca_editores/editar"
    panel.login("marina", path)
    opened = panel.find_form(path).values
    panel.submit(path, description="Redação da cidade")
    assert "O grupo foi gravado" in panel.page.text
    answer = panel.post(path, opened | {"description": "Quem escreve"})
    assert answer.status_code == 412
    assert "Redação da cidade" in panel.page.text
    form = panel.find_form(path)
    assert form.values["description"] == "Quem escreve"
    panel.post(path, form.values)
    assert "Quem escreve" in panel.page.text


def test_a_group_is_made_given_a_role_limited_and_deleted(panel: PanelClient) -> None:
    panel.login("marina", f"{GROUPS}/novo")
    panel.submit(f"{GROUPS}/novo", name="Com Espaço", description="x")
    assert "Use só letras minúsculas" in panel.page.text
    panel.submit(f"{GROUPS}/novo", name="painel:teste", description="De teste", area="1.0\n2.1")
    assert "áreas: 1.0, 2.1" in panel.page.text
    panel.submit(f"{GROUPS}/novo", name="painel:teste", description="De teste")
    assert "Já existe um grupo com esse nome." in panel.page.text
    panel.submit(f"{GROUPS}/painel%3Ateste/papeis/novo", choice="saude:risco:operador")
    assert "O grupo dá agora o papel saude:risco:operador." in panel.page.text
    panel.submit(f"{GROUPS}/painel%3Ateste/excluir")
    assert "O grupo painel:teste foi excluído." in panel.page.text


def test_why_somebody_may_not_is_told_with_the_chain_of_reasons(panel: PanelClient) -> None:
    path = f"{ACCESS}/explicar"
    panel.login("kleber", path)
    panel.submit(path, method="GET", path=f"/registry/v1/citizen/{ANA}/pets", cpf=PAULO)
    assert "não pode" in panel.page.text
    assert "pets:read" in panel.page.text
    assert "rmi:atendimento" in panel.page.text
    panel.submit(path, method="GET", path=f"/registry/v1/citizen/{ANA}/pets", cpf=ANA)
    assert "Os dados são da própria pessoa." in panel.page.text
    panel.submit(path, method="GET", path="/nada", cpf="")
    assert "Nenhuma operação atende este endereço." in panel.page.text


def test_what_somebody_wants_to_do_is_chosen_in_words(panel: PanelClient) -> None:
    path = f"{ACCESS}/explicar"
    answer = panel.login("kleber", path)
    assert "O que você quer fazer?" in panel.page.text
    assert '<optgroup label="Unidades de saúde">' in answer.text
    assert ">Consultar boletos do IPTU</option>" in answer.text
    panel.submit(path, wanted="pets:read", cpf=PAULO)
    assert "não pode Consultar os animais de qualquer cidadão" in panel.page.text
    assert "incluir a pessoa em um grupo" in panel.page.text
    panel.submit(path, wanted="pets:read", cpf="")
    assert "Você tem este direito por: papel admin" in panel.page.text
    assert panel.submit(path, wanted="", cpf="").status_code == 422
    assert "Escolha o que você quer fazer." in panel.page.text


def test_why_i_may_is_in_the_menu_of_who_holds_a_right_alone(panel: PanelClient) -> None:
    link = f'href="{ACCESS}/explicar"'
    assert link not in panel.login("ana").text
    assert panel.get(f"{ACCESS}/explicar").status_code == 200
    panel.http.cookies.clear()
    assert link in panel.login("editora").text


def test_a_right_that_the_city_created_is_shown_by_its_description(panel: PanelClient) -> None:
    panel.login("kleber", "/painel/conta")
    assert "Consultar boletos do IPTU, em toda a cidade." in panel.page.text


def test_everybody_asks_about_themselves_alone(panel: PanelClient) -> None:
    path = f"{ACCESS}/explicar"
    panel.login("paulo", path)
    assert "cpf" not in panel.find_form(path).values
    panel.submit(path, method="GET", path="/access/api/v1/users")
    assert "não pode" in panel.page.text
    assert panel.get(f"{ACCESS}/pessoas").status_code == 403


DOCUMENT = """format: 1
roles:
  - name: painel:consulta
    description: Consulta do painel
    actions: [pets:read]
"""


def test_a_document_is_planned_read_and_applied_and_one_that_was_overtaken_is_planned_anew(
    panel: PanelClient, sql: Callable[..., object]
) -> None:
    path = f"{ACCESS}/documento"
    panel.login("marina", path)
    assert "format: 1" in panel.http.get(f"{path}/catalogo.yaml").text
    panel.submit(path, document=DOCUMENT)
    assert "1 item criado" in panel.page.text
    assert "painel:consulta" in panel.page.text
    planned = panel.find_form(f"{path}/aplicar").values
    panel.submit(f"{ACCESS}/papeis/novo", name="painel:outro", description="De teste")
    answer = panel.post(f"{path}/aplicar", planned | {"document": DOCUMENT})
    assert answer.status_code == 409
    assert "O catálogo mudou depois do plano" in panel.page.text
    assert "1 item criado" in panel.page.text
    sql("UPDATE access.plan SET created_at = created_at - interval '1 hour'")
    answer = panel.post(f"{path}/aplicar", panel.find_form(f"{path}/aplicar").values | {"document": DOCUMENT})
    assert answer.status_code == 409
    assert "mais de 15 minutos. Nada foi aplicado." in panel.page.text
    panel.post(f"{path}/aplicar", panel.find_form(f"{path}/aplicar").values | {"document": DOCUMENT})
    assert "O documento foi aplicado" in panel.page.text
    panel.submit(path, document=DOCUMENT)
    assert "o catálogo já é assim" in panel.page.text


def test_a_document_with_a_fault_is_told_and_kept(panel: PanelClient) -> None:
    path = f"{ACCESS}/documento"
    panel.login("marina", path)
    answer = panel.submit(path, document="format: 2\n")
    assert answer.status_code == 422
    assert "Nada foi gravado" in panel.page.text


def test_the_history_is_filtered_and_its_chain_verified(panel: PanelClient) -> None:
    panel.login("olga", f"{ACCESS}/historico?feito=action.update")
    assert "mudou a ação" in panel.page.text
    assert "iptu:boleto:ler" in panel.page.text
    panel.get(f"{ACCESS}/historico/conferir")
    assert "A corrente está inteira" in panel.page.text
    assert panel.get(f"{ACCESS}/historico?de=99/99/2026").status_code == 200


@pytest.mark.parametrize("who", ["olga", "kleber"])
def test_every_page_of_the_navigation_is_there(panel: PanelClient, who: str) -> None:
    panel.login(who)
    for link in [one for one in panel.page.links if one.startswith(ACCESS)]:
        assert panel.get(link).status_code == 200, link
