"""What staff of the health units do with the panel, in a real browser: tasks 23 to 28 of its design."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.console.health_units.conftest import calm
from tests.support.patience import until_now
from tests.support.screen import Screen

pytestmark = [pytest.mark.page, pytest.mark.node]

BOARD = "/painel/saude/risco"
Call = Callable[..., Any]


def row_of(page: Page, name: str) -> Any:
    return page.get_by_role("row").filter(has_text=name)


def test_an_operator_opens_orange_and_the_citizen_sees_it(screen: Screen, call: Call) -> None:
    calm(call, "9900020")
    screen.login("rui", BOARD)
    assert screen.axe() == []
    screen.page.get_by_role("link", name="Abrir notificação").click()
    assert screen.axe() == []
    screen.page.get_by_label("Unidade", exact=True).select_option("9900020")
    screen.page.get_by_label("Laranja").check()
    screen.page.get_by_label("Visitas domiciliares suspensas").check()
    screen.page.get_by_label("Motivo", exact=True).fill("ligar para 900.000.001-75")
    screen.page.get_by_role("button", name="Abrir a notificação").click()
    expect(screen.page.get_by_role("alert")).to_contain_text("CPF")
    expect(screen.page.get_by_label("Visitas domiciliares suspensas")).to_be_checked()
    assert screen.axe() == []
    screen.page.get_by_label("Motivo", exact=True).fill("tiros na rua da escola")
    screen.page.get_by_role("button", name="Abrir a notificação").click()
    expect(row_of(screen.page, "Pedra Lisa").first).to_contain_text("tiros na rua da escola")
    until_now(lambda: call("GET", "/unidade/9900020/risco")["notificacao_ativa"]["risco"] == "Laranja")


def test_an_operator_confirms_a_red_that_nobody_confirmed_for_hours(
    screen: Screen, open_one: Callable[..., str], sql: Any
) -> None:
    id_ = open_one("9900018", "Vermelho")
    for table, columns, key in (
        ("notification_events", ["em"], "notification_id"),
        ("notifications", ["aberta_em", "ultima_atualizacao"], "id"),
    ):
        ages = ", ".join(f"{column} = {column} - interval '4 hours'" for column in columns)
        with ThreadPoolExecutor() as beside:  # the browser has the event loop of this thread
            beside.submit(sql, f"UPDATE health_units.{table} SET {ages} WHERE {key} = $1::text::uuid", id_).result()
    screen.login("rui", BOARD)
    row = row_of(screen.page, "Santa Rita do Vale").first
    expect(row).to_contain_text("sem confirmação há 4 h")
    row.get_by_role("button", name="Confirmar").click()
    expect(screen.page.get_by_role("status").first).to_contain_text("Vermelho confirmado agora.")
    expect(row).to_contain_text("confirmada hoje")
    expect(row).not_to_contain_text("sem confirmação")
    expect(row).to_contain_text("tiros na rua")  # what was said stays said


def test_who_changes_what_another_changed_sees_both_colours_and_loses_nothing(
    screen: Screen, open_one: Callable[..., str], call: Call
) -> None:
    id_ = open_one("9900017", "Amarelo")
    screen.login("rui", f"/painel/saude/unidades/9900017/notificacoes/{id_}/mudar")
    call("PATCH", f"/unidade/9900017/notificacoes/{id_}", {"risco": "Vermelho", "motivo": "piorou"})
    screen.page.get_by_label("Laranja").check()
    screen.page.get_by_label("Motivo", exact=True).fill("carros parados na via")
    screen.page.get_by_role("button", name="Gravar a cor").click()
    told = screen.page.get_by_role("alert")
    expect(told).to_contain_text(
        re.compile("Agora está em.*Vermelho.*Sílvia Duarte.*piorou.*Você pediu.*Laranja", re.S)
    )
    assert screen.axe() == []
    expect(screen.page.get_by_label("Motivo", exact=True)).to_have_value("carros parados na via")
    assert call("GET", "/unidade/9900017/risco")["notificacao_ativa"]["risco"] == "Vermelho"
    screen.page.get_by_role("button", name="Gravar a cor").click()
    expect(screen.page.get_by_role("status").first).to_contain_text("laranja desde agora")


def test_an_operator_closes_a_mistake_which_is_counted_nowhere(
    screen: Screen, open_one: Callable[..., str], call: Call
) -> None:
    before = call("GET", "/notificacoes/contagens?cnes=9900021")["itens"]
    open_one("9900021", "Vermelho")
    screen.login("rui", BOARD)
    row_of(screen.page, "dos Ferroviários").first.get_by_role("link", name="Encerrar").click()
    assert screen.axe() == []
    screen.page.get_by_label("foi aberta por engano").check()
    screen.page.get_by_label("Motivo", exact=True).fill("unidade trocada")
    screen.page.get_by_role("button", name="Encerrar a notificação").click()
    expect(screen.page.get_by_role("status").first).to_contain_text("notificação encerrada")
    assert call("GET", "/notificacoes/contagens?cnes=9900021")["itens"] == before


def test_who_works_in_one_area_has_no_button_elsewhere_and_is_told_why(
    screen: Screen, open_one: Callable[..., str]
) -> None:
    inside, outside = open_one("9900015", "Amarelo"), open_one("9900019", "Amarelo")
    screen.login("nilo", BOARD)
    links = screen.page.get_by_role("table").get_by_role("link", name="Mudar")
    reached = {link.get_attribute("href") for link in links.all()}
    assert any(inside in (href or "") for href in reached)
    assert not any(outside in (href or "") for href in reached)
    answer = screen.open(f"/painel/saude/unidades/9900019/notificacoes/{outside}/mudar")
    assert answer.status == 403
    expect(screen.page.get_by_role("main")).to_contain_text("na área 5.1, e a sua permissão alcança: 1.0")
    assert screen.axe() == []
    screen.open("/painel/saude/unidades/9900019")
    expect(screen.page.get_by_role("link", name="Abrir notificação")).to_have_count(0)


def test_a_unit_is_closed_next_friday_and_the_fourteen_days_show_it_before_and_after(
    screen: Screen, call: Call
) -> None:
    friday = date.today() + timedelta(days=(4 - date.today().weekday()) % 7 or 7)
    for known in call("GET", "/unidade/9900013/excecoes")["itens"]:
        call("DELETE", f"/unidade/9900013/excecoes/{known['data']}")
    screen.login("silvia", "/painel/saude/unidades/9900013")
    screen.page.get_by_role("link", name="Fechar ou mudar um dia").click()
    screen.page.get_by_label("Dia", exact=True).fill(friday.isoformat())
    screen.page.get_by_label("Motivo", exact=True).fill("dedetização")
    screen.page.get_by_role("button", name="Ver os 14 dias").click()
    day = screen.page.get_by_role("listitem").filter(has_text=f"sex, {friday:%d/%m}")
    expect(day).to_contain_text(re.compile("fechada.*dedetização.*muda", re.S))
    assert screen.axe() == []
    assert call("GET", "/unidade/9900013/excecoes")["itens"] == []
    screen.page.get_by_role("button", name="Gravar este dia").click()
    expect(screen.page.get_by_role("status").first).to_contain_text("Gravado")
    expect(day).to_contain_text(re.compile("fechada.*dedetização", re.S))
    assert screen.complaints == []
    assert screen.strangers == []
