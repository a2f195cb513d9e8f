"""Tests for the health units' pages over HTTP: concurrent changes, typed hours, holidays, webhooks and search."""

import re
from collections.abc import Callable
from typing import Any

from tests.support.panel import PanelClient

UNIT = "/painel/saude/unidades/9900009"


def test_of_two_editors_of_a_record_the_second_sees_what_differs(panel: PanelClient, call: Callable[..., Any]) -> None:
    panel.login("silvia")
    panel.get(f"{UNIT}/registro")
    form = panel.find_form(f"{UNIT}/registro").values
    record = {name: value for name, value in form.items() if not name.startswith("_") and name != "cnes" and value}
    call("PUT", "/unidade/9900009", {**record, "latitude": float(record["latitude"]),
         "longitude": float(record["longitude"]), "telefone": "(21) 2222-0000"})  # fmt: skip
    answer = panel.post(f"{UNIT}/registro", {**form, "nome": "Clínica da Família Olaria"})
    assert answer.status_code == 412
    assert "gravado: (21) 2222-0000" in panel.page.text
    assert panel.find_form(f"{UNIT}/registro").values["nome"] == "Clínica da Família Olaria"
    kept = panel.find_form(f"{UNIT}/registro").values
    assert panel.post(f"{UNIT}/registro", kept).status_code == 200
    assert call("GET", "/unidade/9900009/registro")["nome"] == "Clínica da Família Olaria"


def test_a_mistyped_code_of_a_new_unit_loses_nothing(panel: PanelClient) -> None:
    panel.login("silvia")
    path = "/painel/saude/unidades-nova"
    for typed, refusal in (("99000", "Um CNES tem sete dígitos."), ("9900009", "Já há uma unidade com este CNES")):
        answer = panel.submit(path, cnes=typed, nome="Clínica da Família Nova", tipo="CF")
        assert answer.status_code == 422
        assert refusal in panel.page.text
        assert panel.find_form(path).values["nome"] == "Clínica da Família Nova"


def test_a_week_is_typed_as_people_write_it_and_shown_before_it_is_written(
    panel: PanelClient, call: Callable[..., Any]
) -> None:
    before = call("GET", "/unidade/9900009/semana")
    panel.login("silvia")
    panel.submit(f"{UNIT}/horarios", d1="8h-12h, 13:00-17:30", d2="9 às 10", passo="ver")
    assert "Nada foi gravado ainda" in panel.page.text
    assert call("GET", "/unidade/9900009/semana") == before
    form = panel.find_form(f"{UNIT}/horarios").values
    assert panel.post(f"{UNIT}/horarios", form | {"passo": "gravar"}).status_code == 200
    week = call("GET", "/unidade/9900009/semana")["semana"]
    assert week["1"] == [{"inicio": "08:00", "fim": "12:00"}, {"inicio": "13:00", "fim": "17:30"}]
    assert week["2"] == [{"inicio": "09:00", "fim": "10:00"}]
    refused = panel.submit(f"{UNIT}/horarios", d1="de manhã", passo="gravar")
    assert refused.status_code == 422
    assert "Não entendi “de manhã”" in panel.page.text
    panel.submit(f"{UNIT}/horarios", d1="08:00-12:00," * 20, passo="gravar")
    assert "No máximo 200 caracteres." in panel.page.text
    refused = panel.submit(f"{UNIT}/horarios", d1="12:00-08:00", passo="gravar")
    assert refused.status_code == 422
    assert "Nada foi gravado; o que você escreveu continua aqui" in panel.page.text


def test_opening_where_one_is_open_says_so(panel: PanelClient, open_one: Callable[..., str]) -> None:
    panel.login("rui")
    panel.get("/painel/saude/risco/abrir")
    form = panel.find_form("/painel/saude/risco/abrir").values
    open_one("9900014", "Amarelo")
    answer = panel.post(
        "/painel/saude/risco/abrir",
        form | {"cnes": "9900014", "risco": "Vermelho", "motivo": "tiros na rua", "ocorrencia": ""},
    )
    assert answer.status_code == 422
    assert "já tem uma notificação ativa" in panel.page.text


def test_the_choice_for_all_else_is_the_last_one(panel: PanelClient) -> None:
    panel.login("rui")
    panel.get("/painel/saude/risco/abrir")
    choices = panel.find_form("/painel/saude/risco/abrir").choices
    assert choices["ocorrencia"][-1] == choices["consequencias"][-1] == "outra"


def test_a_holiday_of_the_city_is_entered_shown_and_taken_back(panel: PanelClient) -> None:
    panel.login("silvia")
    entered = {"dia": "2027-03-19", "nome": "São José do Porto", "ambito": "municipal", "fecha": "y"}
    panel.submit("/painel/saude/feriados/novo", **entered)
    panel.get("/painel/saude/feriados?ano=2027")
    assert "São José do Porto" in panel.page.text
    day = "/painel/saude/feriados/2027-03-19"
    panel.submit(day, action=f"{day}/retirar")
    panel.get("/painel/saude/feriados?ano=2027")
    assert "São José do Porto" not in panel.page.text


def test_a_holiday_moves_with_its_date_and_replaces_no_other(panel: PanelClient, call: Callable[..., Any]) -> None:
    panel.login("silvia")
    holidays = "/painel/saude/feriados"
    entered = {"dia": "2028-03-19", "nome": "São José", "ambito": "municipal", "fecha": "y"}
    for _ in range(2):  # the second one repeats the first
        assert panel.submit(f"{holidays}/novo", **entered).status_code == 200
    refused = panel.submit(f"{holidays}/novo", **entered | {"nome": "Outro"})
    assert refused.status_code == 422
    assert "Já há um feriado neste dia: São José." in panel.page.text
    panel.get(f"{holidays}/2028-03-20")
    unseen = panel.find_form(f"{holidays}/2028-03-20").values
    panel.submit(f"{holidays}/novo", **entered | {"dia": "2028-03-20", "nome": "Aniversário da cidade"})
    assert panel.post(f"{holidays}/2028-03-20", unseen | entered | {"dia": "2028-03-20"}).status_code == 422
    assert panel.submit(f"{holidays}/2028-03-19", dia="2028-03-20", fecha="y").status_code == 422

    panel.submit(f"{holidays}/2028-03-19", dia="2028-03-21", fecha="y")
    assert "São José: passou de 19/03/2028 para 21/03/2028." in panel.page.text
    found = {each["data"]: each["nome"] for each in call("GET", "/feriados?ano=2028")["itens"]}
    assert found["2028-03-20"] == "Aniversário da cidade"
    assert found["2028-03-21"] == "São José"
    assert "2028-03-19" not in found


def test_an_exception_replaces_no_other_that_the_preview_did_not_show(
    panel: PanelClient, call: Callable[..., Any]
) -> None:
    panel.login("silvia")
    path, known = f"{UNIT}/dias", "/unidade/9900009/excecoes/2028-05-03"
    call("PUT", known, {"intervalos": [], "motivo": "Dedetização"})
    panel.submit(path, dia="2028-05-02", motivo="Reforma", passo="ver")
    form = panel.find_form(path).values | {"dia": "2028-05-03", "passo": "gravar"}
    assert panel.post(path, form).status_code == 412
    assert "Já há uma exceção neste dia (fechada, “Dedetização”)" in panel.page.text
    assert call("GET", known)["motivo"] == "Dedetização"
    assert panel.post(path, panel.find_form(path).values | {"passo": "gravar"}).status_code == 200
    assert call("GET", known)["motivo"] == "Reforma"


def test_a_receiver_is_entered_its_secret_shown_once_and_a_test_listed_with_its_failure(
    panel: PanelClient, call: Callable[..., Any]
) -> None:
    panel.login("silvia")
    answer = panel.submit(
        "/painel/saude/avisos/novo", url="https://recebe.invalid/a", description="Centro", is_active="y"
    )
    assert answer.status_code == 201
    assert "whsec_" in panel.page.text
    (added,) = [each for each in call("GET", "/avisos")["itens"] if each["descricao"] == "Centro"]
    path = f"/painel/saude/avisos/{added['id']}"
    panel.submit(path, action=f"{path}/teste")
    assert "O teste está na fila" in panel.page.text
    assert "whsec_" not in panel.page.text
    panel.submit(f"{path}/apagar")
    assert added["id"] not in {each["id"] for each in call("GET", "/avisos")["itens"]}


def test_what_was_sent_to_a_receiver_is_named_in_words(
    panel: PanelClient, call: Callable[..., Any], open_one: Callable[..., str], sql: Callable[..., Any]
) -> None:
    open_one("9900014", "Amarelo")
    added = call("POST", "/avisos", {"url": "https://recebe.invalid/b"})
    for number in ("NULL", "(SELECT max(sequencia) FROM health_units.change_feed WHERE tipo = 'risco')"):
        sql(
            "INSERT INTO health_units.webhook_deliveries (aviso, mensagem, sequencia, ultima_em, tentativas) "
            f"SELECT $1::text::uuid, 'msg_' || $2::text || '_' || coalesce(n, 1), n, now(), '[]' "
            f"FROM (SELECT {number}::bigint AS n) AS told",
            added["id"], added["id"].replace("-", ""),
        )  # fmt: skip
    panel.login("silvia")
    panel.get(f"/painel/saude/avisos/{added['id']}")
    assert "Mudança de risco" in panel.page.text
    assert "Teste" in panel.page.text
    assert "não está mais guardada" not in panel.page.text


def test_units_are_found_by_name_and_what_waits_is_on_the_first_page(
    panel: PanelClient, open_one: Callable[..., str]
) -> None:
    open_one("9900014", "Amarelo")
    panel.login("rui")
    panel.get("/painel")
    assert "em risco" in panel.page.text
    panel.get("/painel/ir?q=moinho")
    assert panel.page.heading == "Clínica da Família Campo do Moinho"


def test_the_board_lists_what_its_counters_count_also_outside_of_the_persons_area(
    panel: PanelClient, open_one: Callable[..., str], call: Callable[..., Any]
) -> None:
    units = [each["properties"] for each in call("GET", "/unidades/mapa?limit=1000")["features"]]
    own = next(unit for unit in units if unit["area"] == "1.0")
    other = next(unit for unit in units if unit["area"] == "5.1")
    ids = {unit["cnes"]: open_one(unit["cnes"], "Laranja") for unit in (own, other)}
    panel.login("nilo", "/painel/saude/risco")
    text = panel.get("/painel/saude/risco").text
    table = text.partition('aria-labelledby="now"')[2].partition("</table>")[0]
    counted = re.findall(
        r"</span>\s*<b>(\d+)</b>", text.partition('aria-label="Unidades por cor"')[2].partition("</ul>")[0]
    )
    assert sum(map(int, counted)) == len(units)
    assert table.count("<tr id=") == sum(map(int, counted[:-1]))
    assert own["nome"] in table
    assert other["nome"] in table
    assert f"/unidades/{own['cnes']}/notificacoes/{ids[own['cnes']]}/mudar" in table
    assert f"/unidades/{other['cnes']}/notificacoes" not in table
    assert "de outra área: só leitura" in table
    for unit in (own, other):
        call("POST", f"/unidade/{unit['cnes']}/notificacoes/{ids[unit['cnes']]}/encerramento", {"risco": "Verde"})
