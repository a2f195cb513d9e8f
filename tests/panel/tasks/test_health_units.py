"""Tasks 23 to 28, for the staff of health units, in a real browser."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.panel.health_units.conftest import calm
from tests.support.panel_person import Person
from tests.support.polling import until_now

pytestmark = pytest.mark.page

BOARD = "/painel/saude/risco"
Call = Callable[..., Any]
PersonOf = Callable[..., Person]


def row_of(page: Page, name: str) -> Any:
    return page.get_by_role("row").filter(has_text=name)


@pytest.mark.task(23)
def test_an_operator_opens_orange_and_the_citizen_sees_it(person_of: PersonOf, call: Call) -> None:
    calm(call, "9900020")
    person = person_of("rui", BOARD)
    person.follow("Abrir notificação")
    person.select("Unidade", "9900020")
    person.tick("Laranja")
    person.tick("Visitas domiciliares suspensas")
    person.fill("Motivo", "ligar para 900.000.001-75")
    person.press("Abrir a notificação")
    expect(person.page.get_by_role("alert")).to_contain_text("CPF")
    expect(person.page.get_by_label("Visitas domiciliares suspensas")).to_be_checked()
    person.fill("Motivo", "tiros na rua da escola")
    person.press("Abrir a notificação")
    expect(row_of(person.page, "Pedra Lisa").first).to_contain_text("tiros na rua da escola")
    until_now(lambda: call("GET", "/unidade/9900020/risco")["notificacao_ativa"]["risco"] == "Laranja")


@pytest.mark.task(24)
def test_an_operator_confirms_a_red_that_nobody_confirmed_for_hours(
    person_of: PersonOf, open_one: Callable[..., str], sql: Any
) -> None:
    id_ = open_one("9900018", "Vermelho")
    for table, columns, key in (
        ("notification_events", ["em"], "notification_id"),
        ("notifications", ["aberta_em", "ultima_atualizacao"], "id"),
    ):
        ages = ", ".join(f"{column} = {column} - interval '4 hours'" for column in columns)
        with ThreadPoolExecutor() as beside:  # the browser occupies the event loop of this thread
            beside.submit(sql, f"UPDATE health_units.{table} SET {ages} WHERE {key} = $1::text::uuid", id_).result()
    person = person_of("rui", BOARD)
    row = row_of(person.page, "Santa Rita do Vale").first
    expect(row).to_contain_text("sem confirmação há 4 h")
    person.press("Confirmar", row, exact=False)
    expect(person.page.get_by_role("status").first).to_contain_text("Vermelho confirmado agora.")
    expect(row).to_contain_text("confirmada hoje")
    expect(row).not_to_contain_text("sem confirmação")
    expect(row).to_contain_text("tiros na rua")  # the remarks are still there


@pytest.mark.task(25)
def test_who_changes_what_another_changed_sees_both_colours_and_loses_nothing(
    person_of: PersonOf, open_one: Callable[..., str], call: Call
) -> None:
    id_ = open_one("9900017", "Amarelo")
    person = person_of("rui", f"/painel/saude/unidades/9900017/notificacoes/{id_}/mudar")
    call("PATCH", f"/unidade/9900017/notificacoes/{id_}", {"risco": "Vermelho", "motivo": "piorou"})
    person.tick("Laranja")
    person.fill("Motivo", "carros parados na via")
    person.press("Gravar a cor")
    told = person.page.get_by_role("alert")
    expect(told).to_contain_text(
        re.compile("Agora está em.*Vermelho.*Sílvia Duarte.*piorou.*Você pediu.*Laranja", re.S)
    )
    expect(person.page.get_by_label("Motivo", exact=True)).to_have_value("carros parados na via")
    assert call("GET", "/unidade/9900017/risco")["notificacao_ativa"]["risco"] == "Vermelho"
    person.press("Gravar a cor")
    expect(person.page.get_by_role("status").first).to_contain_text("laranja desde agora")


@pytest.mark.task(26)
def test_an_operator_closes_a_mistake_which_is_counted_nowhere(
    person_of: PersonOf, open_one: Callable[..., str], call: Call
) -> None:
    before = call("GET", "/notificacoes/contagens?cnes=9900021")["itens"]
    open_one("9900021", "Vermelho")
    person = person_of("rui", BOARD)
    person.follow("Encerrar", row_of(person.page, "dos Ferroviários").first)
    person.tick("foi aberta por engano")
    person.fill("Motivo", "unidade trocada")
    person.press("Encerrar a notificação")
    expect(person.page.get_by_role("status").first).to_contain_text("notificação encerrada")
    assert call("GET", "/notificacoes/contagens?cnes=9900021")["itens"] == before


@pytest.mark.task(27)
def test_who_works_in_one_area_has_no_button_elsewhere_and_is_told_why(
    person_of: PersonOf, open_one: Callable[..., str]
) -> None:
    inside, outside = open_one("9900015", "Amarelo"), open_one("9900019", "Amarelo")
    person = person_of("nilo", BOARD)
    links = person.page.get_by_role("table").get_by_role("link", name="Mudar")
    reached = {link.get_attribute("href") for link in links.all()}
    assert any(inside in (href or "") for href in reached)
    assert not any(outside in (href or "") for href in reached)
    answer = person.open(f"/painel/saude/unidades/9900019/notificacoes/{outside}/mudar")
    assert answer.status == 403
    expect(person.page.get_by_role("main")).to_contain_text("na área 5.1, e a sua permissão alcança: 1.0")
    person.open("/painel/saude/unidades/9900019")
    expect(person.page.get_by_role("link", name="Abrir notificação")).to_have_count(0)


@pytest.mark.task(28)
def test_a_unit_is_closed_next_friday_and_the_fourteen_days_show_it_before_and_after(
    person_of: PersonOf, call: Call
) -> None:
    friday = date.today() + timedelta(days=(4 - date.today().weekday()) % 7 or 7)
    for known in call("GET", "/unidade/9900013/excecoes")["itens"]:
        call("DELETE", f"/unidade/9900013/excecoes/{known['data']}")
    person = person_of("silvia", "/painel/saude/unidades/9900013")
    person.follow("Fechar ou mudar um dia")
    person.fill("Dia", friday.isoformat())
    person.fill("Motivo", "dedetização")
    person.press("Ver os 14 dias")
    day = person.page.get_by_role("listitem").filter(has_text=f"sex, {friday:%d/%m}")
    expect(day).to_contain_text(re.compile("fechada.*dedetização.*muda", re.S))
    assert call("GET", "/unidade/9900013/excecoes")["itens"] == []
    person.press("Gravar este dia")
    expect(person.page.get_by_role("status").first).to_contain_text("Gravado")
    expect(day).to_contain_text(re.compile("fechada.*dedetização", re.S))
    assert person.screen.complaints == []
    assert person.screen.strangers == []
