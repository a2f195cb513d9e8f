"""Rights that a group limits to areas of the city (rules: access 3.3)."""

from typing import Any

import httpx
import pytest

from balcao.access.groups import service as groups
from balcao.core.values.cnes import Cnes
from balcao.core.values.cpf import Cpf
from balcao.health_units.records import Tipo
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now

NORTH, SOUTH, NOWHERE = "3000001", "3000002", "3000003"
NILO, RUI, OTTO = "90000040398", "90000020443", "90000040479"
WEEK: dict[str, Any] = {"semana": {"1": []}}


@pytest.fixture(scope="module", autouse=True)
def city(act: Any) -> None:
    """Create three units.

    Nilo has rights in the north, Rui in the north and in the whole city, and Otto in no area.
    """
    for cnes, area in ((NORTH, "1.0"), (SOUTH, "2.0"), (NOWHERE, None)):
        act(units.put_unit, Cnes(cnes), UnitBody(nome="Unidade de teste", tipo=Tipo.CF, area=area))
    for name, attributes, people in (
        ("norte", {"area": ["1.0", "1.1"]}, (NILO, RUI)),
        ("todas", {}, (RUI,)),
        ("nenhuma", {"area": []}, (OTTO,)),
    ):
        act(groups.create_group, name, "Grupo de teste", attributes)
        for role in ("saude:risco:operador", "saude:unidades:admin"):
            act(groups.assign_group_role, name, role)
        for cpf in people:
            act(groups.add_member, name, Cpf(cpf))


@pytest.fixture
def send(http: httpx.Client, issuer: Issuer) -> Any:
    def send(cpf: str, method: str, path: str, body: Any = None) -> httpx.Response:
        return http.request(method, f"/health-units{path}", json=body, headers=bearer(issuer.person(cpf)))

    until_now(lambda: send(RUI, "PUT", f"/unidade/{SOUTH}/horarios", WEEK).status_code == 200)
    until_now(lambda: send(OTTO, "PUT", "/unidade/9999999/horarios", WEEK).status_code == 404)
    return send


@pytest.mark.cases("health_units", "20")
def test_outside_the_areas_nothing_is_written_or_read(send: Any) -> None:
    opened = send(RUI, "POST", f"/unidade/{SOUTH}/notificacoes", {"risco": "Amarelo"}).json()
    path = f"/unidade/{SOUTH}"
    unit = {"nome": "Unidade", "tipo": "CF", "area": "1.0"}
    calls = [
        ("PUT", path, unit),
        ("PUT", f"/unidade/{NORTH}", unit | {"area": "2.0"}),
        ("PUT", "/unidade/3000009", unit | {"area": None}),
        ("PUT", f"{path}/horarios", WEEK),
        ("PUT", f"/unidade/{NOWHERE}/horarios", WEEK),
        ("PUT", f"{path}/excecoes/2026-12-24", {"intervalos": [], "motivo": "x"}),
        ("DELETE", f"{path}/excecoes/2026-12-24", None),
        ("POST", f"{path}/notificacoes", {"risco": "Verde"}),
        ("PATCH", f"{path}/notificacoes/{opened['id']}", {"risco": "Verde"}),
        ("POST", f"{path}/notificacoes/{opened['id']}/encerramento", {}),
        ("GET", f"{path}/notificacoes/{opened['id']}", None),
        ("PUT", "/feriados/2026-12-24", {"nome": "x", "ambito": "municipal", "facultativo": True, "fecha": True}),
        ("DELETE", "/feriados/2026-12-25", None),
    ]
    for cpf in (NILO, OTTO):
        answers = [send(cpf, *call) for call in calls]
        assert [(answer.status_code, answer.headers["Error-Code"]) for answer in answers] == [
            (403, "area-not-granted")
        ] * len(calls)
    assert send(RUI, "GET", f"{path}/notificacoes/{opened['id']}").json()["versao"] == 1


def test_within_the_areas_the_right_holds(send: Any) -> None:
    path = f"/unidade/{NORTH}"
    assert send(NILO, "PUT", path, {"nome": "Unidade", "tipo": "CF", "area": "1.1"}).status_code == 200
    assert send(NILO, "PUT", f"{path}/horarios", WEEK).status_code == 200
    opened = send(NILO, "POST", f"{path}/notificacoes", {"risco": "Amarelo"})
    assert opened.status_code == 201
    assert send(NILO, "GET", f"{path}/notificacoes/{opened.json()['id']}").status_code == 200
    for cpf, method, address, body, status, code in (
        (OTTO, "PUT", path, {"nome": "Unidade", "tipo": "CF"}, 403, "area-not-granted"),
        (NILO, "PATCH", f"{path}/notificacoes/x", {"risco": "Azul"}, 422, "invalid"),
        (NILO, "PUT", "/unidade/9999999/horarios", WEEK, 404, "unit-not-found"),
    ):
        answer = send(cpf, method, address, body)
        assert (answer.status_code, answer.headers["Error-Code"]) == (status, code)
    assert send(NILO, "GET", "/unidade/3000002/risco").status_code == 200


def test_a_group_without_areas_and_a_role_of_the_token_lift_the_limit(
    send: Any, http: httpx.Client, issuer: Issuer
) -> None:
    assert send(RUI, "PUT", f"/unidade/{SOUTH}/horarios", WEEK).status_code == 200
    with_role = bearer(issuer.person(NILO, realm_access={"roles": ["saude:unidades:admin"]}))
    answer = http.put(f"/health-units/unidade/{SOUTH}/horarios", json=WEEK, headers=with_role)
    assert answer.status_code == 200
