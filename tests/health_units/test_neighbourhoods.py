"""The neighbourhoods of the city, each with the coordinates of a point (rules: health_units 2.6)."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.values.text import fold_text
from balcao.health_units.neighbourhoods import service
from balcao.health_units.neighbourhoods.schemas import Neighbourhood
from balcao.health_units.records import Tipo, UnitRecord
from balcao_sandbox.demo import health_units_city as city
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now

_codes = itertools.count(8900001)
_names = st.sampled_from(["Centro", "CENTRO", "Praça", "praca", "Farol", None])
_degrees = st.none() | st.floats(-80, 80, allow_nan=False)


@pytest.fixture
def send(http: Any, manager: dict[str, str]) -> Any:
    return lambda method, path, body=None, **headers: http.request(
        method, f"/health-units{path}", json=body, headers=manager | headers
    )


def listed(send: Any) -> dict[str, dict[str, Any]]:
    return {each["bairro"]: each for each in send("GET", "/bairros").json()["itens"]}


def make_unit(send: Any, bairro: str, latitude: float | None, *, ativa: bool = True) -> None:
    body = {"nome": "Unidade", "tipo": "CF", "bairro": bairro, "latitude": latitude, "ativa": ativa}
    longitude = None if latitude is None else -43.5
    assert send("PUT", f"/unidade/{next(_codes)}", body | {"longitude": longitude}).status_code == 201


def make_record(bairro: str | None, latitude: float | None, longitude: float | None, ativa: bool) -> UnitRecord:
    return UnitRecord(
        cnes=str(next(_codes)), nome="Unidade", logradouro=None, numero=None, complemento=None, cep=None, telefone=None,
        celular=None, tipo=Tipo.CF, area=None, bairro=bairro, latitude=latitude, longitude=longitude, ativa=ativa,
        atualizado_em="2026-10-05T14:30:00-03:00",
    )  # fmt: skip


_records = st.lists(st.builds(make_record, _names, _degrees, _degrees, st.booleans()), max_size=12)
_registered = st.lists(
    st.builds(Neighbourhood, st.sampled_from(["Centro", "Serra"]), st.just(1.0), st.just(2.0)),
    max_size=2,
    unique_by=lambda each: each.bairro,
)


@given(records=_records, registered=_registered)
def test_the_list_has_each_neighbourhood_once_with_a_point(
    records: list[UnitRecord], registered: list[Neighbourhood]
) -> None:
    found = service.merge_neighbourhoods(records, registered)
    keys = [fold_text(each.bairro) for each in found]
    assert keys == sorted(set(keys))
    assert [each.bairro for each in found if each.cadastrado] == sorted(each.bairro for each in registered)
    for each in found:
        here = [
            record
            for record in records
            if record.ativa and record.bairro and fold_text(record.bairro) == fold_text(each.bairro)
        ]
        assert each.unidades == len(here)
        if not each.cadastrado:
            latitudes = [record.latitude for record in here if None not in (record.latitude, record.longitude)]
            assert min(latitudes) - 1e-4 <= each.latitude <= max(latitudes) + 1e-4  # type: ignore[type-var,operator]


def test_a_neighbourhood_of_units_has_their_mean_until_the_city_registers_a_point(send: Any) -> None:
    make_unit(send, "Água Mansa", -22.0)
    make_unit(send, "agua mansa", -24.0)
    make_unit(send, "AGUA MANSA", None)
    make_unit(send, "Água Mansa", 50.0, ativa=False)
    make_unit(send, "Sem Lugar", None)
    until_now(lambda: listed(send).get("Água Mansa", {}).get("unidades") == 3)
    usual = listed(send)["Água Mansa"]
    assert usual == {
        "bairro": "Água Mansa", "latitude": -23.0, "longitude": -43.5, "unidades": 3, "cadastrado": False
    }  # fmt: skip
    assert "Sem Lugar" not in listed(send)
    assert send("GET", "/bairros/Água Mansa").headers["Error-Code"] == "neighbourhood-not-found"
    created = send("PUT", "/bairros/ÁGUA mansa", {"latitude": -22.1234567, "longitude": -43.1})
    assert (created.status_code, created.json()) == (
        201, {"bairro": "ÁGUA mansa", "latitude": -22.12346, "longitude": -43.1}
    )  # fmt: skip
    assert listed(send)["ÁGUA mansa"] == created.json() | {"unidades": 3, "cadastrado": True}
    assert send("DELETE", "/bairros/agua MANSA").status_code == 204
    assert listed(send)["Água Mansa"] == usual


def test_of_two_editors_of_a_neighbourhood_the_second_is_told(send: Any) -> None:
    point = {"latitude": -22.5, "longitude": -43.5}
    tag = send("PUT", "/bairros/Vila", point).headers["ETag"]
    shown = send("GET", "/bairros/vila")
    assert (shown.headers["ETag"], shown.json()) == (tag, {"bairro": "Vila", **point})
    moved = send("PUT", "/bairros/vila", point | {"latitude": -23}, **{"If-Match": tag})
    assert (moved.status_code, moved.json()["bairro"]) == (200, "vila")
    assert send("PUT", "/bairros/Vila", point, **{"If-Match": tag}).status_code == 412
    assert send("DELETE", "/bairros/Vila", **{"If-Match": tag}).status_code == 412
    assert send("PUT", "/bairros/Outra", point, **{"If-Match": tag}).status_code == 412
    assert send("DELETE", "/bairros/Vila", **{"If-Match": moved.headers["ETag"]}).status_code == 204
    assert send("DELETE", "/bairros/Vila").status_code == 404


@pytest.mark.parametrize("name", ["x" * 101, "%20Centro", "a%00b", "a" + "%CC%81" * 50, "%CC%81", "%EF%B7%BA" * 30])
def test_a_name_that_is_none_is_a_fault_in_the_path(send: Any, name: str) -> None:
    answer = send("PUT", f"/bairros/{name}", {"latitude": 0, "longitude": 0})
    assert (answer.status_code, answer.headers["Error-Code"]) == (422, "neighbourhood-invalid")


@pytest.mark.parametrize("body", [{}, {"latitude": 91, "longitude": 0}, {"latitude": "x", "longitude": 0}])
def test_a_point_that_is_none_is_refused(send: Any, body: Any) -> None:
    assert send("PUT", "/bairros/Nenhum", body).status_code == 422
    assert send("GET", "/bairros/Nenhum").status_code == 404


def test_no_more_neighbourhoods_than_a_city_has(send: Any, sql: Sql, monkeypatch: pytest.MonkeyPatch) -> None:
    sql(
        "INSERT INTO health_units.neighbourhoods SELECT 'cheio ' || n, 'Cheio ' || n, 0, 0"
        " FROM generate_series(1, $1::int) AS n",
        service.MOST_NEIGHBOURHOODS,
    )
    try:
        full = send("PUT", "/bairros/Mais um", {"latitude": 0, "longitude": 0})
        assert (full.status_code, full.headers["Error-Code"]) == (409, "too-many-neighbourhoods")
        assert send("PUT", "/bairros/CHEIO 1", {"latitude": 1, "longitude": 0}).status_code == 200
    finally:
        sql("DELETE FROM health_units.neighbourhoods WHERE chave LIKE 'cheio %'")


def test_only_staff_of_the_units_write_neighbourhoods(send: Any, issuer: Issuer) -> None:
    citizen = bearer(issuer.person("90000000175"))
    point = {"latitude": 0, "longitude": 0}
    assert send("PUT", "/bairros/Vila", point, **citizen).status_code == 403
    assert send("DELETE", "/bairros/Vila", **citizen).status_code == 403
    assert send("GET", "/bairros", **citizen).status_code == 200


@pytest.mark.long
@pytest.mark.usefixtures("loaded")
def test_the_demo_has_neighbourhoods_without_units(send: Any) -> None:
    found = listed(send)
    assert all(found[name]["cadastrado"] and found[name]["unidades"] == 0 for name in city.NEIGHBOURHOODS)
