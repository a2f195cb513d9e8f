"""The map, the counts, and the reference lists (rules: health_units 2.4)."""

import itertools
from collections.abc import Callable
from datetime import UTC, date, datetime
from math import cos, radians
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.health_units.counts.periods import find_end, find_start, format_period
from balcao.health_units.counts.schemas import Periodo
from balcao.health_units.directory.distance import measure_distance
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import Causa, CloseBody, OpenBody
from balcao.health_units.records import Tipo
from balcao.health_units.situation import Risco
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from balcao_sandbox.demo import health_units as demo
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now
from tests.support.rules import read_values

HALF_AROUND = 20_015_115  # half of the earth's circumference in metres
_codes = itertools.count(5000001)
_latitudes, _longitudes = st.floats(-90, 90), st.floats(-180, 180)

Read = Callable[..., httpx.Response]


@pytest.fixture
def read(http: httpx.Client, citizen: dict[str, str]) -> Read:
    return lambda path, query=None, **headers: http.get(f"/health-units{path}", params=query, headers=citizen | headers)


@pytest.fixture
def manage(http: httpx.Client, manager: dict[str, str]) -> Read:
    return lambda method, path, body=None: http.request(method, f"/health-units{path}", json=body, headers=manager)


def make_unit(act: Any, area: str, place: tuple[float, float] | None = None) -> Cnes:
    cnes = Cnes(str(next(_codes)))
    latitude, longitude = place or (None, None)
    body = UnitBody(nome=f"Unidade {cnes}", tipo=Tipo.CF, area=area, latitude=latitude, longitude=longitude)
    act(units.put_unit, cnes, body)
    return cnes


def list_features(read: Read, **query: Any) -> list[dict[str, Any]]:
    features: list[dict[str, Any]] = read("/unidades/mapa", query).json()["features"]
    return features


@settings(max_examples=50)
@given(_latitudes, _longitudes, _latitudes, _longitudes)
def test_a_distance_is_the_same_both_ways_and_never_more_than_half_around(
    a: float, b: float, c: float, d: float
) -> None:
    there, back = measure_distance(a, b, c, d), measure_distance(c, d, a, b)
    assert there == back
    assert 0 <= there <= HALF_AROUND
    assert measure_distance(a, b, a, b) == 0


def test_near_by_a_distance_is_that_of_the_plane() -> None:
    north, east = 0.01, 0.02
    flat = 111_195 * ((north**2 + (east * cos(radians(22.9))) ** 2) ** 0.5)
    assert abs(measure_distance(-22.9, -43.2, -22.9 + north, -43.2 + east) - flat) < 5


@pytest.mark.cases("health_units", "41")
def test_units_near_a_place_come_nearest_first_and_no_further_than_asked(act: Any, read: Read) -> None:
    near, far, nowhere = (make_unit(act, "8.1", place) for place in ((-10.0, -50.0), (-10.03, -50.0), None))
    until_now(lambda: read(f"/unidade/{nowhere.digits}").status_code == 200)
    around = {"lat": -10.001, "lon": -50, "raio": 10_000}
    found = [(each["id"], each["properties"]["distancia"]) for each in list_features(read, **around)]
    assert found == [(near.digits, 111), (far.digits, 3225)]
    assert [each["id"] for each in list_features(read, **around | {"raio": 500})] == [near.digits]
    assert [each["id"] for each in list_features(read, **around | {"limit": 1})] == [near.digits]
    assert list_features(read, **around, aberta_agora="true") == []  # without weekly hours, the state is unknown
    everywhere = list_features(read, area="8.1")
    assert [(each["id"], each["properties"]["distancia"]) for each in everywhere] == [
        (near.digits, None), (far.digits, None)
    ]  # fmt: skip


def test_the_map_is_geojson_with_the_unit_as_it_is_read_alone(act: Any, read: Read) -> None:
    cnes = make_unit(act, "8.2", (-11.5, -51.25)).digits
    until_now(lambda: read(f"/unidade/{cnes}").status_code == 200)
    answer = read("/unidades/mapa", {"area": "8.2"})
    assert (answer.headers["Content-Type"], answer.json()["type"]) == ("application/geo+json", "FeatureCollection")
    (feature,) = answer.json()["features"]
    assert feature | {"properties": ...} == {
        "type": "Feature", "id": cnes, "geometry": {"type": "Point", "coordinates": [-51.25, -11.5]}, "properties": ...
    }  # fmt: skip
    alone = read(f"/unidade/{cnes}").json()
    shown = feature["properties"]
    for clock in (alone, shown):
        clock.pop("atendimento")  # this may differ, because a minute may have passed
    assert shown == alone | {"distancia": None}
    assert read("/unidades/mapa", Accept="application/json").headers["Content-Type"] == "application/json"


@pytest.mark.cases("health_units", "42")
@pytest.mark.parametrize("query", read_values("health_units", "42"))
def test_a_malformed_place_is_a_listed_fault(read: Read, query: str) -> None:
    answer = read(f"/unidades/mapa?{query}")
    assert (answer.status_code, len(answer.json()["detail"])) == (422, 1)


@given(st.dates(date(2000, 1, 1), date(2100, 12, 31)), st.sampled_from(Periodo))
def test_periods_follow_each_other_without_gap(day: date, periodo: Periodo) -> None:
    first, last = find_start(day, periodo), find_end(day, periodo)
    assert first <= day <= last
    assert find_start(last, periodo) == first
    assert find_start(date.fromordinal(last.toordinal() + 1), periodo).toordinal() == last.toordinal() + 1
    assert format_period(first, periodo) == format_period(find_start(last, periodo), periodo)


def test_periods_are_written_as_people_write_them() -> None:
    day = date(2026, 11, 22)
    assert format_period(find_start(day, Periodo.MES), Periodo.MES) == "2026-11"
    assert format_period(find_start(day, Periodo.TRIMESTRE), Periodo.TRIMESTRE) == "2026-T4"


@pytest.mark.cases("health_units", "43", "44")
def test_notifications_are_counted_by_the_day_of_their_opening_and_their_highest_colour(act: Any, read: Read) -> None:
    first, second = make_unit(act, "8.3"), make_unit(act, "8.4")
    # The last evening of a month in the city is already the next month in UTC.
    for cnes, risco, at, cause in (
        (first, Risco.AMARELO, datetime(2021, 4, 1, 1, tzinfo=UTC), Causa.NORMALIZACAO),
        (first, Risco.VERMELHO, datetime(2021, 4, 1, 5, tzinfo=UTC), Causa.OUTRO),
        (first, Risco.LARANJA, datetime(2021, 4, 2, 5, tzinfo=UTC), Causa.ENGANO),
        (second, Risco.AMARELO, datetime(2021, 6, 30, 5, tzinfo=UTC), Causa.NORMALIZACAO),
    ):
        opened = act(notifications.open_notification, cnes, OpenBody(risco=risco), at)
        act(notifications.close_notification, cnes, opened.id, CloseBody(causa=cause, risco=Risco.VERDE), at)

    def count(**query: str) -> list[tuple[Any, ...]]:
        found = read("/notificacoes/contagens", {"de": "2021-03-15", "ate": "2021-06-01", **query}).json()["itens"]
        return [
            (each["periodo"], each["area"], each["cnes"], each["abertas"], list(each["por_cor"].values()))
            for each in found
        ]

    assert count() == [
        ("2021-03", None, None, 1, [0, 1, 0, 0]),
        ("2021-04", None, None, 1, [0, 0, 0, 1]),
        ("2021-06", None, None, 1, [0, 1, 0, 0]),
    ]
    assert count(periodo="trimestre", por="area") == [
        ("2021-T1", "8.3", None, 1, [0, 1, 0, 0]),
        ("2021-T2", "8.3", None, 1, [0, 0, 0, 1]),
        ("2021-T2", "8.4", None, 1, [0, 1, 0, 0]),
    ]
    assert count(por="unidade", cnes=second.digits) == [("2021-06", "8.4", second.digits, 1, [0, 1, 0, 0])]
    assert count(area="8.3", periodo="trimestre") == [
        ("2021-T1", None, None, 1, [0, 1, 0, 0]),
        ("2021-T2", None, None, 1, [0, 0, 0, 1]),
    ]
    whole = read("/notificacoes/contagens", {"de": "2021-03-15", "ate": "2021-06-01"}).json()
    assert (whole["de"], whole["ate"]) == ("2021-03-01", "2021-06-30")


@pytest.mark.long
@pytest.mark.usefixtures("loaded")
def test_without_days_a_year_until_today_is_counted(read: Read) -> None:
    body = read("/notificacoes/contagens", {"por": "area"}).json()
    assert {each["area"] for each in body["itens"]} >= {demo.AREAS[1]}
    assert date.fromisoformat(body["de"]).year in {utc_now().year - 1, utc_now().year}


@pytest.mark.parametrize(
    "query", ["periodo=ano", "por=rua", "de=2026-02-01&ate=2026-01-01", "de=2010-01-01&ate=2026-01-01", "cnes=1"]
)
def test_a_malformed_count_is_a_listed_fault(read: Read, query: str) -> None:
    answer = read(f"/notificacoes/contagens?{query}")
    assert (answer.status_code, len(answer.json()["detail"])) == (422, 1)


def test_a_list_grows_and_its_values_are_switched_off_but_never_deleted(manage: Read, read: Read, sql: Sql) -> None:
    path = "/listas/consequencias"
    assert {"visitas_suspensas", "outra"} <= {each["codigo"] for each in read(path).json()["itens"]}
    created = manage("PUT", f"{path}/farmacia_fechada", {"nome": "Farmácia fechada"})
    assert (created.status_code, created.json()) == (
        201, {"codigo": "farmacia_fechada", "nome": "Farmácia fechada", "ativo": True}
    )  # fmt: skip
    replaced = manage("PUT", f"{path}/farmacia_fechada", {"nome": "Farmácia sem atendimento", "ativo": False})
    assert replaced.status_code == 200
    assert replaced.json() in read(path).json()["itens"]
    for number, name in enumerate(("Zelo", "Água suja", "abalo", "Ácaro")):
        manage("PUT", f"{path}/ordem_{number}", {"nome": name})
    names = [each["nome"] for each in read(path).json()["itens"]]
    assert [name for name in names if name in {"Zelo", "Água suja", "abalo", "Ácaro"}] == [
        "abalo", "Ácaro", "Água suja", "Zelo"
    ]  # fmt: skip
    assert manage("DELETE", f"{path}/farmacia_fechada").status_code == 405
    trail = sql("SELECT action FROM platform.audit_event WHERE operation = 'health_units.put_reference_value'")
    assert sorted(row["action"] for row in trail) == ["create"] * 5 + ["update"]


@pytest.mark.parametrize(
    ("path", "body", "code", "place"),
    [
        ("/listas/cores/azul", {"nome": "x"}, "reference-list-invalid", ["path", "lista"]),
        ("/listas/ocorrencias/Com-Maiuscula", {"nome": "x"}, "reference-list-invalid", ["path", "codigo"]),
        ("/listas/ocorrencias/x", {"nome": ""}, "invalid", ["body", "nome"]),
        ("/listas/ocorrencias/x", {"nome": "a@b.com.br"}, "invalid", ["body", "nome"]),
    ],
)
def test_a_faulty_value_is_refused(manage: Read, path: str, body: Any, code: str, place: list[str]) -> None:
    answer = manage("PUT", path, body)
    assert (answer.status_code, answer.headers["Error-Code"]) == (422, code)
    assert answer.json()["detail"][0]["loc"] == place


def test_who_may_keep_the_lists(http: httpx.Client, issuer: Issuer, citizen: dict[str, str], manager: Any) -> None:
    path = "/health-units/listas/ocorrencias/x"
    operator = bearer(issuer.person("90000020443", realm_access={"roles": ["saude:risco:operador"]}))
    for headers, status in (({}, 401), (citizen, 403), (operator, 403)):
        assert http.put(path, json={}, headers=headers).status_code == status
    assert http.put(path, json={}, headers=manager).status_code == 422


@pytest.mark.cases("health_units", "46")
def test_an_event_keeps_what_kind_of_occurrence_it_was_and_the_public_does_not_see_it(
    act: Any, http: httpx.Client, manager: dict[str, str], read: Read
) -> None:
    cnes = make_unit(act, "8.5").digits
    path = f"/health-units/unidade/{cnes}/notificacoes"
    said = {"ocorrencia": "alagamento", "consequencias": ["visitas_suspensas", "acesso_limitado"]}
    opened = http.post(path, json={"risco": "Amarelo", **said}, headers=manager).json()
    assert {name: opened[name] for name in said} == said
    changed = http.patch(f"{path}/{opened['id']}", json={"risco": "Laranja"}, headers=manager).json()
    assert (changed["ocorrencia"], changed["consequencias"]) == (None, [])
    detail = http.get(f"{path}/{opened['id']}", headers=manager).json()
    assert [(each["ocorrencia"], each["consequencias"]) for each in detail["eventos"]] == [
        (said["ocorrencia"], said["consequencias"]), (None, [])
    ]  # fmt: skip
    assert not said.keys() & read(f"/unidade/{cnes}/notificacoes").json()["itens"][0].keys()


@pytest.mark.cases("health_units", "45")
def test_what_is_on_no_list_is_refused_before_the_unit_is_looked_for(
    manage: Read, http: httpx.Client, manager: dict[str, str]
) -> None:
    manage("PUT", "/listas/ocorrencias/fora_de_uso", {"nome": "Fora de uso", "ativo": False})
    path = "/health-units/unidade/9999999/notificacoes"
    body = {"risco": "Verde", "ocorrencia": "fora_de_uso", "consequencias": ["outra", "nenhuma"]}
    refused = http.post(path, json=body, headers=manager)
    assert (refused.status_code, refused.headers["Error-Code"]) == (422, "reference-value-unknown")
    assert [item["loc"] for item in refused.json()["detail"]] == [
        ["body", "ocorrencia"],
        ["body", "consequencias", "1"],
    ]
    twice = {"risco": "Verde", "consequencias": ["outra", "outra"]}
    for sent, status, code in ((twice, 422, "invalid"), ({"risco": "Verde"}, 404, "unit-not-found")):
        answer = http.post(path, json=sent, headers=manager)
        assert (answer.status_code, answer.headers["Error-Code"]) == (status, code)
