"""Units over HTTP: the register, opening hours, holidays and searches.

rules: health_units 2.2, 2.3, 3.1, cases 4, 22-24, 34, 36, 37.
"""

import itertools
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.health_units.effects import load_effects
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import CloseBody, OpenBody
from balcao.health_units.situation import Risco
from balcao.settings import Settings
from balcao_sandbox.demo import health_units as demo
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now
from tests.support.rules import read_table, read_values

BODY = {"nome": "Unidade Básica Ácida", "tipo": "CF", "area": "7.7", "cep": "20000-001", "telefone": "(21) 2222-2222"}
ALWAYS = {"semana": {str(day): [{"inicio": "00:00", "fim": "24:00"}] for day in range(1, 8)}, "abre_feriado": True}
_codes = itertools.count(6000001)

Ask = Callable[..., httpx.Response]


@pytest.fixture
def manage(http: httpx.Client, manager: dict[str, str]) -> Ask:
    return lambda method, path, body=None: http.request(method, f"/health-units{path}", json=body, headers=manager)


@pytest.fixture
def read(http: httpx.Client, citizen: dict[str, str]) -> Ask:
    return lambda path, query=None, **headers: http.get(f"/health-units{path}", params=query, headers=citizen | headers)


@pytest.fixture
def unit(manage: Ask, read: Ask) -> str:
    """Create a unit that is always open, wait until the server shows it, and return its code."""
    cnes = str(next(_codes))
    assert manage("PUT", f"/unidade/{cnes}", BODY).status_code == 201
    assert manage("PUT", f"/unidade/{cnes}/horarios", ALWAYS).status_code == 200
    until_now(lambda: see(read, cnes).get("situacao") == "aberto")
    return cnes


def see(read: Ask, cnes: str) -> dict[str, Any]:
    """Return the opening state that the server shows, or an empty dict if it does not show the unit yet."""
    found: dict[str, Any] = read(f"/unidade/{cnes}").json().get("atendimento", {})
    return found


def test_a_unit_is_created_then_replaced(manage: Ask, read: Ask, sql: Sql) -> None:
    path = f"/unidade/{next(_codes)}"
    created = manage("PUT", path, BODY | {"bairro": "Centro"})
    assert created.status_code == 201
    replaced = manage("PUT", path, BODY | {"nome": "Outro nome"})
    assert (replaced.status_code, replaced.json()["bairro"]) == (200, None)
    until_now(lambda: read(path).json().get("nome") == "Outro nome")
    shown = read(path).json()
    assert shown | replaced.json() == shown
    assert shown["risco_atual"] == {
        "risco": "Verde", "desde": None, "ultima_atualizacao": None,
        "efeitos": {"atividades_externas": "normal", "atendimento_interno": "normal"},
    }  # fmt: skip
    assert (shown["atendimento"]["situacao"], shown["funcionamento_dia_util"]) == ("desconhecido", None)
    trail = sql("SELECT action FROM platform.audit_event WHERE operation = 'health_units.put_unit' ORDER BY at DESC")
    assert [row["action"] for row in trail[:2]] == ["update", "create"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"nome": " "}, "nome"),
        ({"nome": "a\0b"}, "nome"),
        ({"cep": "20000001"}, "cep"),
        ({"telefone": "2222-2222"}, "telefone"),
        ({"tipo": "cf"}, "tipo"),
        ({"latitude": 90.1}, "latitude"),
        ({"area": "x" * 21}, "area"),
    ],
)
def test_a_faulty_unit_is_refused(manage: Ask, change: dict[str, Any], place: str) -> None:
    path = f"/unidade/{next(_codes)}"
    answer = manage("PUT", path, BODY | change)
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["body", place])


def test_who_may_keep_the_register(http: httpx.Client, issuer: Issuer, citizen: dict[str, str]) -> None:
    operator = bearer(issuer.person("90000020443", realm_access={"roles": ["saude:risco:operador"]}))
    paths = ["/unidade/123", "/unidade/9999999/horarios", "/unidade/9999999/excecoes/2026-12-24", "/feriados/x"]
    for path, (headers, status) in itertools.product(paths, [({}, 401), (citizen, 403), (operator, 403)]):
        assert http.put(f"/health-units{path}", json={}, headers=headers).status_code == status


@pytest.mark.cases("health_units", "36")
def test_a_risk_that_closes_is_told_before_the_openings(unit: str, act: Any, read: Ask) -> None:
    opened = act(notifications.open_notification, Cnes(unit), OpenBody(risco=Risco.VERMELHO))
    until_now(lambda: see(read, unit)["situacao"] == "fechado_por_risco")
    shown = read(f"/unidade/{unit}").json()
    assert shown["atendimento"]["proxima_abertura"] is None
    assert shown["risco_atual"]["efeitos"] == {"atividades_externas": "suspensas", "atendimento_interno": "suspenso"}
    assert shown["risco_atual"]["desde"] == shown["risco_atual"]["ultima_atualizacao"]
    act(notifications.close_notification, Cnes(unit), opened.id, CloseBody())
    until_now(lambda: see(read, unit)["situacao"] == "aberto")
    assert read(f"/unidade/{unit}").json()["risco_atual"]["risco"] == "Verde"  # closed red notifications do not count
    act(notifications.open_notification, Cnes(unit), OpenBody(risco=Risco.LARANJA))
    until_now(lambda: read(f"/unidade/{unit}").json()["risco_atual"]["risco"] == "Laranja")
    shown = read(f"/unidade/{unit}").json()
    assert shown["atendimento"]["situacao"] == "aberto"
    assert shown["risco_atual"]["efeitos"]["atendimento_interno"] == "restrito"


def test_an_exception_closes_a_day_and_is_taken_back(unit: str, manage: Ask, read: Ask) -> None:
    today = read(f"/unidade/{unit}/horarios").json()["dias"][0]["data"]
    path = f"/unidade/{unit}/excecoes/{today}"
    closed = manage("PUT", path, {"intervalos": [], "motivo": "obra na rua"})
    assert closed.json() == {"cnes": unit, "data": today, "intervalos": [], "motivo": "obra na rua"}
    until_now(lambda: see(read, unit)["situacao"] == "fechado")
    assert see(read, unit)["proxima_abertura"] is not None
    assert read(f"/unidade/{unit}/horarios").json()["dias"][0] == {
        "data": today, "intervalos": [], "motivo": "obra na rua"
    }  # fmt: skip
    assert manage("DELETE", path).status_code == 204
    until_now(lambda: see(read, unit)["situacao"] == "aberto")
    again = manage("DELETE", path)
    assert (again.status_code, again.headers["Error-Code"]) == (404, "exception-not-found")


def test_the_days_count_holidays_and_exceptions_in(manage: Ask, read: Ask) -> None:
    path = f"/unidade/{next(_codes)}"
    workday = [{"inicio": "13:00", "fim": "17:00"}, {"inicio": "08:00", "fim": "12:00"}]
    manage("PUT", path, BODY)
    stored = manage("PUT", f"{path}/horarios", {"semana": {"5": workday}}).json()
    assert (stored["semana"]["5"], stored["semana"]["1"], stored["abre_feriado"]) == (workday[::-1], [], False)
    year = utc_now().year
    manage(
        "PUT",
        f"/feriados/{year}-01-20",
        {"nome": "Padroeiro", "ambito": "municipal", "facultativo": False, "fecha": True},
    )
    days = {
        day["data"][5:]: (len(day["intervalos"]), day["motivo"])
        for day in read(f"{path}/horarios", {"de": f"{year}-01-01", "ate": f"{year}-03-03"}).json()["dias"]
    }
    assert len(days) == 62
    assert days["01-01"] == (0, "Confraternização Universal")
    assert days["01-20"] == (0, "Padroeiro")
    assert set(days.values()) >= {(2, None), (0, None)}
    assert len(read(f"{path}/horarios").json()["dias"]) == 14


@pytest.mark.parametrize(
    "query", ["de=2026-01-01&ate=2026-03-04", "de=2026-01-02&ate=2026-01-01", "de=1", "de=1999-12-31", "ate=2101-01-01"]
)
def test_a_period_of_days_has_bounds(read: Ask, query: str) -> None:
    answer = read(f"/unidade/{demo.QUIET}/horarios?{query}")
    assert (answer.status_code, len(answer.json()["detail"])) == (422, 1)


@pytest.mark.cases("health_units", "37")
@pytest.mark.parametrize("day", read_values("health_units", "37"))
def test_faulty_openings_are_refused(manage: Ask, day: list[list[str]]) -> None:
    intervals = [{"inicio": start, "fim": end} for start, end in day]
    assert manage("PUT", "/unidade/9999999/horarios", {"semana": {"1": intervals}}).status_code == 422
    exception = {"intervalos": intervals, "motivo": "x"}
    assert manage("PUT", "/unidade/9999999/excecoes/2026-12-24", exception).status_code == 422
    assert manage("PUT", "/unidade/9999999/horarios", {"semana": {"8": []}}).status_code == 422


def test_what_is_unknown_is_not_found(manage: Ask, read: Ask) -> None:
    exception = {"intervalos": [], "motivo": "x"}
    for answer, code in (
        (read("/unidade/9999999"), "unit-not-found"),
        (read("/unidade/9999999/horarios"), "unit-not-found"),
        (manage("PUT", "/unidade/9999999/horarios", {"semana": {}}), "unit-not-found"),
        (manage("PUT", "/unidade/9999999/excecoes/2026-12-24", exception), "unit-not-found"),
        (manage("DELETE", "/unidade/9999999/excecoes/2026-12-24"), "unit-not-found"),
        (manage("DELETE", "/feriados/2026-01-02"), "holiday-not-found"),
        (read("/feriados/2026-01-02"), "holiday-not-found"),
    ):
        assert (answer.status_code, answer.headers["Error-Code"]) == (404, code), answer.url
        assert isinstance(answer.json()["detail"], str)
    with_cpf = exception | {"motivo": "falar com 900.000.001-75"}
    assert manage("PUT", f"/unidade/{demo.QUIET}/excecoes/2026-12-24", with_cpf).status_code == 422


@pytest.mark.parametrize("day", ["x", "2026-02-30", "2026-2-3", "20260203", "1999-12-31", "2101-01-01"])
def test_a_malformed_day_is_a_fault_in_the_path(manage: Ask, read: Ask, day: str) -> None:
    for answer in (read(f"/feriados/{day}"), manage("DELETE", f"/unidade/{demo.QUIET}/excecoes/{day}")):
        assert (answer.status_code, answer.headers["Error-Code"]) == (422, "date-invalid")
        assert answer.json()["detail"][0]["loc"] == ["path", "dia"]


def test_the_national_holidays_are_there_and_the_city_changes_them(manage: Ask, read: Ask, unit: str) -> None:
    year = utc_now().year
    for each in (year, year + 1):
        assert len(read("/feriados", {"ano": each}).json()["itens"]) >= 13
    natal = f"/feriados/{year}-12-25"
    assert read(natal).json()["nome"] == "Natal"
    today = read(f"/unidade/{unit}/horarios").json()["dias"][0]["data"]
    local = {"nome": "Luto", "ambito": "municipal", "facultativo": True, "fecha": True}
    assert manage("PUT", f"/feriados/{today}", local).json() == {"data": today, **local}
    manage("PUT", f"/unidade/{unit}/horarios", ALWAYS | {"abre_feriado": False})
    until_now(lambda: see(read, unit)["situacao"] == "fechado")
    assert manage("DELETE", f"/feriados/{today}").status_code == 204
    until_now(lambda: see(read, unit)["situacao"] == "aberto")


def test_a_year_is_entered_once_so_that_what_was_taken_out_stays_out(
    manage: Ask, read: Ask, drain: Callable[[], None], act: Any, sql: Sql
) -> None:
    from balcao.health_units.holidays import service as holidays

    year = utc_now().year
    path = f"/feriados/{year + 1}-11-20"
    assert manage("DELETE", path).status_code == 204
    sql("DELETE FROM health_units.holidays WHERE data < make_date($1, 12, 31)", year)
    sql("DELETE FROM health_units.holiday_years WHERE ano = $1", year)
    act(lambda call: holidays.add_next_year(call.platform))
    assert read(path).headers["Error-Code"] == "holiday-not-found"
    assert read(f"/feriados/{year}-11-20").status_code == 200


@pytest.mark.long
@pytest.mark.usefixtures("loaded")
def test_people_find_units(read: Ask) -> None:
    until_now(lambda: read("/unidades").json()["pagination"]["total"] >= 23)

    def find(**query: Any) -> list[str]:
        return [unit["cnes"] for unit in read("/unidades", {"per_page": 200, **query}).json()["data"]]

    everything = find()
    assert demo.DEACTIVATED not in everything
    assert find(ativa="false") == [demo.DEACTIVATED]
    names = [unit["nome"] for unit in read("/unidades", {"busca": "CLINICA da fam"}).json()["data"]]
    assert names
    assert all(name.startswith("Clínica da Família") for name in names)
    until_now(lambda: set(find(risco="Vermelho")) == {demo.ACTIVE})
    assert set(find(area="2.1")) < set(everything)
    assert set(find(tipo="UPA")) == {"9900022", "0012345"}
    open_now, others = find(aberta_agora="true"), find(aberta_agora="false")
    assert sorted(open_now + others) == sorted(everything)
    page = read("/unidades", {"page": 2, "per_page": 5}).json()
    assert [unit["cnes"] for unit in page["data"]] == everything[5:10]
    assert page["pagination"] == {
        "page": 2, "per_page": 5, "total": len(everything), "total_pages": -(-len(everything) // 5)
    }  # fmt: skip


@pytest.mark.cases("health_units", "65")
def test_units_are_found_by_the_day_on_which_they_open(manage: Ask, read: Ask) -> None:
    cnes, area = str(next(_codes)), "7.65"
    today = utc_now().astimezone(ZoneInfo("America/Sao_Paulo")).date()
    first = today + timedelta(days=(8 - today.isoweekday()) % 7)
    monday, tuesday, saturday, sunday = (first + timedelta(days=days) for days in (0, 1, 5, 6))
    holiday, worked = monday + timedelta(days=7), monday + timedelta(days=14)
    morning = [{"inicio": "08:00", "fim": "12:00"}]
    usual = [{"inicio": "07:00", "fim": "11:00"}, {"inicio": "13:00", "fim": "17:00"}]
    assert manage("PUT", f"/unidade/{cnes}", BODY | {"area": area}).status_code == 201
    manage("PUT", f"/unidade/{cnes}/horarios", {"semana": {str(day): usual[::-1] for day in range(1, 6)}})
    manage("PUT", f"/unidade/{cnes}/excecoes/{tuesday}", {"intervalos": [], "motivo": "obra"})
    manage("PUT", f"/unidade/{cnes}/excecoes/{saturday}", {"intervalos": morning, "motivo": "vacinação"})
    manage("PUT", f"/unidade/{cnes}/excecoes/{worked}", {"intervalos": morning, "motivo": "mutirão"})
    closed = {"nome": "Luto", "ambito": "municipal", "facultativo": True, "fecha": True}
    for day in (holiday, worked):
        assert manage("PUT", f"/feriados/{day}", closed).status_code == 200

    def find(day: date, path: str = "/unidades") -> Any:
        found = read(path, {"area": area, "abre_em": day.isoformat()}).json()
        return [each["intervalos_no_dia"] for each in found["data"]]

    try:
        until_now(lambda: find(holiday) == [] and find(saturday) == [morning])
        assert {day: find(day) for day in (monday, tuesday, sunday, worked)} == {
            monday: [usual], tuesday: [], sunday: [], worked: [morning]
        }  # fmt: skip
        [alone] = read("/unidades", {"area": area}).json()["data"]
        assert "intervalos_no_dia" not in alone
        assert alone.keys() == read(f"/unidade/{cnes}").json().keys()
    finally:
        for day in (holiday, worked):
            manage("DELETE", f"/feriados/{day}")
    for query in (f"abre_em={today - timedelta(days=1)}", "abre_em=2026-02-30", "abre_em=amanha"):
        answer = read(f"/unidades?{query}")
        assert answer.status_code == 422, query
        assert [item["loc"] for item in answer.json()["detail"]] == [["query", "abre_em"]]
    assert read("/unidades", {"area": area, "abre_em": today.isoformat()}).status_code == 200


@pytest.mark.usefixtures("loaded")
def test_a_vaccination_of_the_demo_is_found_by_its_day(read: Ask) -> None:
    [exception] = read(f"/unidade/{demo.VACCINATING[0]}/excecoes").json()["itens"]
    opening = {"abre_em": exception["data"], "per_page": 200}
    until_now(lambda: demo.VACCINATING[0] in [each["cnes"] for each in read("/unidades", opening).json()["data"]])
    found = {each["cnes"]: each["intervalos_no_dia"] for each in read("/unidades", opening).json()["data"]}
    assert found[demo.VACCINATING[0]] == found[demo.VACCINATING[1]] == [{"inicio": "08:00", "fim": "13:00"}]
    assert demo.QUIET not in found
    features = read("/unidades/mapa", {"abre_em": exception["data"]}).json()["features"]
    assert {each["id"] for each in features} <= set(found)


@pytest.mark.parametrize(
    "query", ["page=0", "per_page=201", "per_page=x", "busca=a", "tipo=cf", "risco=azul", "aberta_agora=1", "ativa=sim"]
)
def test_a_malformed_filter_is_a_listed_fault(read: Ask, query: str) -> None:
    answer = read(f"/unidades?{query}")
    assert (answer.status_code, len(answer.json()["detail"])) == (422, 1)


@pytest.mark.cases("health_units", "22", "23")
@pytest.mark.usefixtures("loaded")
def test_the_risk_of_several_units_comes_at_once(read: Ask) -> None:
    until_now(lambda: read(f"/unidade/{demo.QUIET}").status_code == 200)
    codes = [demo.QUIET, "9999999", demo.QUIET, "0012345"]
    answer = read("/unidades/risco", {"cnes": codes})
    body = answer.json()
    assert set(body) == {"itens", "desconhecidas", "sequencia", "gerado_em"}
    assert [item["cnes"] for item in body["itens"]] == ["0012345", demo.QUIET]
    assert body["itens"][1] == read(f"/unidade/{demo.QUIET}/risco").json()
    assert body["desconhecidas"] == ["9999999"]
    for faulty in (["1234567"] * 101, ["1234567", "123"], ["１234567"]):
        assert read("/unidades/risco", {"cnes": faulty}).status_code == 422


@pytest.mark.cases("health_units", "24")
def test_the_city_snapshot_changes_with_the_risk_alone(unit: str, read: Ask, act: Any) -> None:
    until_now(lambda: unit in {item["cnes"] for item in read("/unidades/risco").json()["itens"]})
    first = read("/unidades/risco")
    assert first.headers["Cache-Control"] == "private, max-age=30"
    assert read("/unidades/risco", **{"If-None-Match": first.headers["ETag"]}).status_code == 304
    act(notifications.open_notification, Cnes(unit), OpenBody(risco=Risco.AMARELO))
    until_now(lambda: read("/unidades/risco", **{"If-None-Match": first.headers["ETag"]}).status_code == 200)
    assert read("/unidades/risco").json()["sequencia"] > first.json()["sequencia"]


def test_every_read_needs_a_token_and_a_machine_the_scope(http: httpx.Client, issuer: Issuer) -> None:
    panel, other = (
        bearer(issuer.machine("painel-saude", "sms:read")),
        bearer(issuer.machine("painel-saude", "catalogo:read")),
    )
    for path in ("/unidades", "/unidades/risco", f"/unidade/{demo.QUIET}/horarios", "/feriados"):
        statuses = [http.get(f"/health-units{path}", headers=headers).status_code for headers in ({}, other, panel)]
        assert statuses in ([401, 403, 200], [401, 403, 404]), path


def test_the_shipped_effects_are_those_of_the_page() -> None:
    effects = [
        (color, each.atividades_externas, each.atendimento_interno, "yes" if each.fecha else "no")
        for color, each in load_effects("").items()
    ]
    assert effects == [
        (color, outside, inside, closes.partition(" ")[0])
        for color, outside, inside, closes in read_table("health_units", "risco")
    ]


def test_the_department_words_the_effects() -> None:

    changed = load_effects(
        '{"Laranja": {"atividades_externas": "canceladas", "atendimento_interno": "só urgência", "fecha": true}}'
    )
    assert (changed[Risco.LARANJA].atendimento_interno, changed[Risco.LARANJA].fecha) == ("só urgência", True)
    assert changed[Risco.VERMELHO] == load_effects("")[Risco.VERMELHO]
    for faulty in ("x", "[]", '{"Azul": {}}', '{"Verde": {"fecha": true}}'):
        with pytest.raises(ValueError, match="JSON"):
            Settings(risk_effects=faulty)


def test_a_yellow_unit_of_the_demo_opens_on_every_saturday() -> None:
    """The day on which the demo starts, and the holidays, must not matter."""
    yellow = [code for code, color in demo.OPEN_NOW.items() if color is Risco.AMARELO]
    weeks = [demo.WEEKS[code] for code in yellow if code not in demo.VACCINATING]
    assert [week for week in weeks if week.semana.get("6") and week.abre_feriado]


@pytest.mark.usefixtures("loaded")
def test_the_demo_city_shows_every_kind_of_unit(sql: Sql, act: Any) -> None:
    """The demo city matches section 7 of the rules. A second load changes nothing."""
    count = "SELECT last FROM health_units.feed_counter"
    (before,) = sql(count)
    act(lambda call: demo.load_demo_health_units(call.platform))
    assert sql(count)[0] == before
    weeks = Counter(
        tuple(row)
        for row in sql(
            "SELECT semana #>> '{1,0,inicio}', semana #>> '{1,0,fim}', jsonb_array_length(semana -> '6') > 0"
            " FROM health_units.unit_weekly_hours WHERE cnes = ANY($1)",
            list(demo.CODES),
        )
    )
    assert weeks == {
        ("08:00", "17:00", False): 13,
        ("08:00", "17:00", True): 4,
        ("08:00", "12:00", False): 1,
        ("07:00", "20:00", False): 3,
        ("00:00", "24:00", True): 2,
    }
    newest = Counter(
        tuple(row)
        for row in sql(
            "SELECT status, CASE WHEN status = 'Ativo' THEN risco END FROM ("
            " SELECT DISTINCT ON (cnes) * FROM health_units.notifications WHERE cnes = ANY($1)"
            " ORDER BY cnes, aberta_em DESC) AS newest",
            list(demo.CODES),
        )
    )
    assert newest == {
        ("Ativo", "Amarelo"): 3, ("Ativo", "Laranja"): 1, ("Ativo", "Vermelho"): 1, ("Encerrado", None): 7
    }  # fmt: skip
