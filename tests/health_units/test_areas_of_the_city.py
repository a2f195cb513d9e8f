"""Areas with outlines, concurrent edits of one record, opening days, and units by risk.

Rules: health_units 2.3, 2.6.
"""

import itertools
import json
import math
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.access.groups import service as groups
from balcao.core.values.cpf import Cpf
from balcao.health_units.areas.outlines import MOST_POSITIONS, find_outline_fault, measure_ring, orient_polygon
from balcao_sandbox.demo import health_units_city as city
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now
from tests.support.rules import read_values

NILO = "90000040398"
SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
HOLE = [[1, 1], [2, 1], [2, 2], [1, 1]]
UNIT = {"nome": "Unidade", "tipo": "CF"}
WEEK: dict[str, Any] = {"semana": {"1": [{"inicio": "08:00", "fim": "12:00"}]}}
HOLIDAY = {"nome": "Aniversário da cidade", "ambito": "municipal", "facultativo": False, "fecha": True}
_codes = itertools.count(8700001)


def polygon(*rings: Any) -> dict[str, Any]:
    return {"nome": "Centro e Porto", "contorno": {"type": "Polygon", "coordinates": list(rings)}}


@pytest.fixture
def send(http: httpx.Client, manager: dict[str, str]) -> Any:
    return lambda method, path, body=None, **headers: http.request(
        method, f"/health-units{path}", json=body, headers=manager | headers
    )


def test_an_area_is_drawn_as_it_was_written_with_its_rings_the_right_way_round(send: Any) -> None:
    created = send("PUT", "/areas/A%201", polygon(SQUARE[::-1], HOLE))
    assert created.status_code == 201, created.text
    shown = send("GET", "/areas/A%201")
    assert (shown.content, shown.headers["ETag"]) == (created.content, created.headers["ETag"])
    feature = shown.json()
    assert (feature["id"], feature["properties"]) == ("A 1", {"area": "A 1", "nome": "Centro e Porto"})
    assert feature["geometry"]["coordinates"] == [SQUARE, HOLE[::-1]]
    islands = {
        "nome": "Ilhas",
        "contorno": {"type": "MultiPolygon", "coordinates": [[SQUARE], [[[9, 9], *HOLE[1:3], [9, 9]]]]},
    }
    replaced = send("PUT", "/areas/A%201", islands)
    assert (replaced.status_code, replaced.json()["geometry"]["type"]) == (200, "MultiPolygon")
    listed = send("GET", "/areas", Accept="*/*")
    assert listed.headers["Content-Type"] == "application/geo+json"
    assert replaced.json() in listed.json()["features"]
    assert send("DELETE", "/areas/A%201").status_code == 204
    answers = [send("GET", "/areas/A%201"), send("DELETE", "/areas/A%201"), send("GET", f"/areas/{'x' * 21}")]
    assert [(answer.status_code, answer.headers["Error-Code"]) for answer in answers] == [
        (404, "area-not-found"), (404, "area-not-found"), (422, "area-invalid"),
    ]  # fmt: skip


@pytest.mark.cases("health_units", "61")
@pytest.mark.parametrize("rings", read_values("health_units", "61"), ids=json.dumps)
def test_a_faulty_outline_is_refused(send: Any, rings: Any) -> None:
    answer = send("PUT", "/areas/torta", polygon(*rings))
    assert (answer.status_code, len(answer.json()["detail"])) == (422, 1), answer.text
    assert answer.json()["detail"][0]["loc"][:2] == ["body", "contorno"]
    assert send("GET", "/areas/torta").status_code == 404


def test_an_outline_has_so_many_positions_and_no_more(send: Any) -> None:
    def circle(positions: int) -> Any:
        turns = [2 * math.pi * step / positions for step in range(positions)]
        ring = [[round(math.cos(turn), 6), round(math.sin(turn), 6)] for turn in turns]
        return polygon([*ring, ring[0]])

    assert send("PUT", "/areas/redonda", circle(MOST_POSITIONS - 1)).status_code == 201
    refused = send("PUT", "/areas/redonda", circle(MOST_POSITIONS))
    assert (refused.status_code, str(MOST_POSITIONS) in refused.text) == (422, True)
    assert send("PUT", "/areas/redonda", circle(5000)).status_code == 413
    send("DELETE", "/areas/redonda")


@given(st.lists(st.tuples(st.floats(0.2, 1), st.floats(0.1, 0.9)), min_size=3, max_size=40))
def test_a_star_around_its_centre_is_an_outline_whichever_way_it_runs(
    corners: list[tuple[float, float]],
) -> None:
    step = 2 * math.pi / len(corners)
    turns = [(number + part) * step for number, (_, part) in enumerate(corners)]
    if any(later - earlier >= math.pi for earlier, later in itertools.pairwise([*turns, turns[0] + 2 * math.pi])):
        return  # the centre is outside, so the outline is not star-shaped
    ring = [
        [radius * math.cos(turn), radius * math.sin(turn)] for (radius, _), turn in zip(corners, turns, strict=True)
    ]
    closed = [*ring, ring[0]]
    assert find_outline_fault([[closed]]) is None
    assert measure_ring(orient_polygon([closed[::-1]])[0]) > 0


def test_who_administers_an_area_draws_that_one(act: Any, http: httpx.Client, issuer: Issuer, send: Any) -> None:
    act(groups.create_group, "so_norte", "Grupo de teste", {"area": ["N1"]})
    act(groups.assign_group_role, "so_norte", "saude:unidades:admin")
    act(groups.add_member, "so_norte", Cpf(NILO))
    headers = bearer(issuer.person(NILO))

    def write(method: str, area: str) -> httpx.Response:
        return http.request(method, f"/health-units/areas/{area}", json=polygon(SQUARE), headers=headers)

    until_now(lambda: write("PUT", "N1").is_success)
    for method in ("PUT", "DELETE"):
        refused = write(method, "S1")
        assert (refused.status_code, refused.headers["Error-Code"]) == (403, "area-not-granted")
    assert write("DELETE", "N1").status_code == 204


def test_there_are_so_many_areas_and_no_more(send: Any, sql: Sql) -> None:
    sql(
        "INSERT INTO health_units.areas SELECT 'cheia ' || n, 'Área', $1::text::jsonb FROM generate_series(1, 100) n",
        json.dumps({"type": "Polygon", "coordinates": [SQUARE]}),
    )
    refused = send("PUT", "/areas/mais", polygon(SQUARE))
    assert (refused.status_code, refused.headers["Error-Code"]) == (409, "too-many-areas")
    assert send("PUT", "/areas/cheia%201", polygon(SQUARE)).status_code == 200
    sql("DELETE FROM health_units.areas WHERE area LIKE 'cheia %'")


@pytest.mark.cases("health_units", "58")
def test_of_two_editors_the_second_is_told(send: Any) -> None:
    cnes = next(_codes)
    unit, day = f"/unidade/{cnes}", "2027-03-05"
    for read, write, body, other in (
        (f"{unit}/registro", unit, UNIT, {"nome": "Outro nome"}),
        (f"{unit}/semana", f"{unit}/horarios", WEEK, {"abre_feriado": True}),
        (f"{unit}/excecoes/{day}", f"{unit}/excecoes/{day}", {"intervalos": [], "motivo": "obra"}, {"motivo": "festa"}),
        (f"/feriados/{day}", f"/feriados/{day}", HOLIDAY, {"nome": "Outro"}),
        ("/areas/dupla", "/areas/dupla", polygon(SQUARE), {"nome": "Outra"}),
    ):
        for tag in ('"nada"', "*"):  # either tag means that the caller expects an existing record
            assert send("PUT", write, body, **{"If-Match": tag}).status_code == 412, write
        assert send("PUT", write, body).is_success
        seen = send("GET", read)
        mine = send("PUT", write, body | other, **{"If-Match": seen.headers["ETag"]})
        assert mine.status_code == 200, mine.text
        assert send("GET", read).headers["ETag"] == mine.headers["ETag"] != seen.headers["ETag"]
        late = send("PUT", write, body, **{"If-Match": seen.headers["ETag"]})
        assert (late.status_code, late.headers["Error-Code"]) == (412, "precondition-failed")
        assert send("GET", read).content == mine.content
        if write not in {unit, f"{unit}/horarios"}:
            assert send("DELETE", write, **{"If-Match": seen.headers["ETag"]}).status_code == 412
            assert send("DELETE", write, **{"If-Match": mine.headers["ETag"]}).status_code == 204
            assert send("DELETE", write, **{"If-Match": mine.headers["ETag"]}).status_code == 404


@pytest.mark.cases("health_units", "60")
def test_a_preview_shows_the_days_that_would_come_and_writes_nothing(send: Any) -> None:
    unit = f"/unidade/{next(_codes)}"
    send("PUT", unit, UNIT)
    nothing = send("GET", f"{unit}/semana")
    assert (nothing.status_code, nothing.headers["Error-Code"]) == (404, "timetable-not-found")
    send("PUT", f"{unit}/horarios", {"semana": dict.fromkeys("12345", WEEK["semana"]["1"])})
    send("PUT", f"{unit}/excecoes/2027-03-03", {"intervalos": [], "motivo": "obra"})
    days = "?de=2027-03-01&ate=2027-03-05"
    now = send("GET", f"{unit}/horarios{days}").json()
    assert send("POST", f"{unit}/horarios/previa{days}", {}).json() == now
    body = {
        "semana": {"1": [{"inicio": "07:00", "fim": "19:00"}]},
        "excecoes": [
            {"data": "2027-03-03", "intervalos": None},
            {"data": "2027-03-05", "intervalos": [{"inicio": "10:00", "fim": "11:00"}], "motivo": "vacinação"},
        ],
    }
    preview = send("POST", f"{unit}/horarios/previa{days}", body).json()
    assert [(len(day["intervalos"]), day["motivo"]) for day in preview["dias"]] == [
        (1, None), (0, None), (0, None), (0, None), (1, "vacinação"),
    ]  # fmt: skip
    assert preview["dias"][0]["intervalos"] == [{"inicio": "07:00", "fim": "19:00"}]
    assert send("GET", f"{unit}/horarios{days}").json() == now
    (exception,) = send("GET", f"{unit}/excecoes?de=2027-01-01").json()["itens"]
    assert exception == send("GET", f"{unit}/excecoes/2027-03-03").json()
    assert send("GET", f"{unit}/excecoes?de=2027-01-01&ate=2029-01-01").status_code == 422
    for path in ("semana", "excecoes", "excecoes/2027-03-03", "registro"):
        assert send("GET", f"/unidade/9999999/{path}").headers["Error-Code"] == "unit-not-found"
    assert send("GET", f"{unit}/excecoes/2027-03-04").headers["Error-Code"] == "exception-not-found"


def test_units_are_listed_by_risk(send: Any) -> None:
    codes = [str(next(_codes)) for _ in range(3)]
    for cnes, name in zip(codes, ("b", "a", "c"), strict=True):
        send("PUT", f"/unidade/{cnes}", {"nome": f"Por risco {name}", "tipo": "CF"})
    send("POST", f"/unidade/{codes[2]}/notificacoes", {"risco": "Vermelho"})
    path = "/unidades?busca=por%20risco"
    until_now(
        lambda: (
            [unit["risco_atual"]["risco"] for unit in send("GET", f"{path}&ordem=risco").json()["data"]]
            == ["Vermelho", "Verde", "Verde"]
        )
    )
    assert [unit["nome"][-1] for unit in send("GET", f"{path}&ordem=risco").json()["data"]] == ["c", "a", "b"]
    assert [unit["nome"][-1] for unit in send("GET", path).json()["data"]] == ["a", "b", "c"]
    assert send("GET", f"{path}&ordem=cor").status_code == 422


def test_every_unit_of_the_demo_lies_within_its_area() -> None:
    for unit in city.UNITS.values():
        (ring,) = city.AREAS[unit.area or ""].model_dump()["contorno"]["coordinates"]
        east, north = unit.longitude or 0.0, unit.latitude or 0.0
        around = [[east, north], [east + 1e-6, north], [east, north + 1e-6], [east, north]]
        assert find_outline_fault([[ring, around]]) is None
    assert len({(unit.latitude, unit.longitude) for unit in city.UNITS.values()}) == len(city.UNITS)
    assert len({unit.bairro for unit in city.UNITS.values()}) > 20
