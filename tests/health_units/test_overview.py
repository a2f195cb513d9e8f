"""The staff's overview of the whole city, and repeated openings and closings (rules: health_units 2.3)."""

import itertools
from datetime import timedelta
from typing import Any

import httpx
import pytest

from balcao.access.groups import service as groups
from balcao.core.values.clock import utc_now
from balcao.core.values.cnes import Cnes
from balcao.core.values.cpf import Cpf
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import Causa, ChangeBody, CloseBody, OpenBody
from balcao.health_units.records import Tipo
from balcao.health_units.situation import Risco
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import until_now

NILO, OTTO = "90000040398", "90000040479"
_codes = itertools.count(8500001)


@pytest.fixture
def operator(issuer: Issuer) -> dict[str, str]:
    roles = {"roles": ["saude:risco:operador"]}
    return bearer(issuer.person("90000020443", name="Rui Campos", realm_access=roles))


def make_unit(act: Any, area: str | None = None) -> Cnes:
    cnes = Cnes(str(next(_codes)))
    act(units.put_unit, cnes, UnitBody(nome=f"Unidade {cnes.digits}", tipo=Tipo.CF, area=area, bairro="Cais Velho"))
    return cnes


@pytest.mark.cases("health_units", "57")
def test_what_is_open_in_the_city_is_listed_as_far_as_the_right_reaches(
    act: Any, http: httpx.Client, issuer: Issuer, operator: dict[str, str], sql: Sql
) -> None:
    north, south, nowhere, closed = (make_unit(act, area) for area in ("N1", "S1", None, "N1"))
    two_hours_ago = utc_now() - timedelta(hours=2)
    for cnes, color in ((north, Risco.AMARELO), (south, Risco.LARANJA), (nowhere, Risco.LARANJA)):
        act(notifications.open_notification, cnes, OpenBody(risco=color, motivo="barulho"), two_hours_ago)
    touched = act(notifications.read_latest_notification, south)
    act(notifications.change_notification, south, touched.id, ChangeBody(risco=Risco.LARANJA, motivo="segue"))
    mistaken = act(notifications.open_notification, closed, OpenBody(risco=Risco.VERMELHO))
    act(notifications.close_notification, closed, mistaken.id, CloseBody(causa=Causa.ENGANO))
    ours = {north.digits, south.digits, nowhere.digits, closed.digits}

    def read(path: str, headers: dict[str, str]) -> list[dict[str, Any]]:
        found = http.get(f"/health-units/notificacoes/{path}", headers=headers).json()["itens"]
        return [each for each in found if each["unidade"]["cnes"] in ours]

    listed = read("ativas", operator)
    assert [each["unidade"]["cnes"] for each in listed] == [nowhere.digits, south.digits, north.digits]
    confirmed = listed[1]
    assert (confirmed["motivo"], confirmed["ultimo_evento"], confirmed["risco_antes"]) == (
        "segue", "confirmacao", "Laranja",
    )  # fmt: skip
    assert (confirmed["minutos_aberta"], confirmed["minutos_sem_confirmacao"], confirmed["versao"]) == (120, 0, 2)
    assert (listed[0]["ultimo_evento"], listed[0]["risco_antes"], listed[0]["minutos_sem_confirmacao"]) == (
        "abertura", None, 120,
    )  # fmt: skip
    assert [each["unidade"]["area"] for each in read("ativas?area=N1", operator)] == ["N1"]

    events = read("eventos?limit=500", operator)
    newest = events[0]
    assert (newest["unidade"]["cnes"], newest["evento"]["tipo"], newest["engano"]) == (
        closed.digits, "encerramento", True,
    )  # fmt: skip
    instants = [each["evento"]["em"] for each in events]
    assert (instants, len(events)) == (sorted(instants, reverse=True), 6)
    page = http.get("/health-units/notificacoes/eventos?limit=2", headers=operator).json()
    assert (len(page["itens"]), page["ha_mais"]) == (2, True)
    of_unit = read(f"eventos?cnes={south.digits}&ate={instants[-1]}".replace("+", "%2B"), operator)
    assert [each["evento"]["tipo"] for each in of_unit] == ["abertura"]
    assert sql("SELECT action FROM platform.audit_event WHERE operation = 'health_units.list_notification_events'")

    for name, areas, cpf in (("so_norte", ["N1"], NILO), ("sem_area", [], OTTO)):
        act(groups.create_group, name, "Grupo de teste", {"area": areas})
        act(groups.assign_group_role, name, "saude:risco:operador")
        act(groups.add_member, name, Cpf(cpf))
    in_north, in_none = bearer(issuer.person(NILO)), bearer(issuer.person(OTTO))
    until_now(lambda: http.get("/health-units/notificacoes/ativas", headers=in_none).status_code == 200)
    assert [each["unidade"]["area"] for each in read("ativas", in_north)] == ["N1"]
    assert {each["unidade"]["area"] for each in read("eventos?limit=500", in_north)} == {"N1"}
    for path in ("ativas?area=S1", f"eventos?cnes={south.digits}"):
        assert read(path, in_north) == []
    assert read("ativas", in_none) == read("eventos", in_none) == []


def test_who_may_see_what_is_open(http: httpx.Client, citizen: dict[str, str], operator: dict[str, str]) -> None:
    for path in ("ativas", "eventos"):
        for headers, status in (({}, 401), (citizen, 403), (operator, 200)):
            answer = http.get(f"/health-units/notificacoes/{path}", headers=headers)
            assert answer.status_code == status
    backwards = "eventos?de=2026-01-02T00:00:00Z&ate=2026-01-01T00:00:00Z"
    assert http.get(f"/health-units/notificacoes/{backwards}", headers=operator).status_code == 422


@pytest.mark.cases("health_units", "59")
def test_a_repeated_opening_and_closing_happen_once(
    act: Any, http: httpx.Client, operator: dict[str, str], sql: Sql
) -> None:
    cnes = make_unit(act)
    path = f"/health-units/unidade/{cnes.digits}/notificacoes"

    def post(path: str, key: str, body: Any) -> httpx.Response:
        return http.post(path, json=body, headers=operator | {"Idempotency-Key": key})

    first, second = (post(path, "abrir", {"risco": "Amarelo", "motivo": "barulho"}) for _ in range(2))
    assert (first.status_code, second.status_code, first.json()) == (201, 201, second.json())
    assert (first.headers["Location"], first.headers["ETag"]) == (second.headers["Location"], second.headers["ETag"])
    other = post(path, "abrir", {"risco": "Vermelho"})
    assert (other.status_code, other.headers["Error-Code"]) == (409, "idempotency-key-reused")
    assert post(path, "outra", {"risco": "Vermelho"}).headers["Error-Code"] == "notification-active"
    closing = f"{path}/{first.json()['id']}/encerramento"
    closed = [post(closing, "encerrar", {"risco": "Verde"}) for _ in range(2)]
    assert [answer.status_code for answer in closed] == [200, 200]
    assert closed[0].json() == closed[1].json()
    assert post(closing, "de novo", {}).headers["Error-Code"] == "notification-closed"
    events = sql(
        "SELECT tipo FROM health_units.notification_events JOIN health_units.notifications AS of "
        "ON of.id = notification_id WHERE cnes = $1 ORDER BY em",
        cnes.digits,
    )
    assert [row["tipo"] for row in events] == ["abertura", "encerramento"]
