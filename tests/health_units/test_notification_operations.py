"""Notifications over HTTP, for each kind of caller (rules: health_units 2.2, 2.3)."""

import itertools
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.errors import Unprocessable
from balcao.core.values.cnes import Cnes
from balcao.health_units.notifications.cursors import decode_notification_cursor, encode_notification_cursor
from balcao.health_units.records import Tipo
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from tests.support.issuer import Issuer, bearer
from tests.support.rules import read_values

UNKNOWN = "00000000-0000-4000-8000-000000000000"
PUBLIC = {"id", "risco", "status", "aberta_em", "ultima_atualizacao", "encerrada_em", "risco_maximo"}
STAFF = PUBLIC | {
    "causa", "versao", "motivo", "ocorrencia", "consequencias", "autor_nome", "desatualizada"
}  # fmt: skip
_codes = itertools.count(8000001)

Send = Callable[..., httpx.Response]


@pytest.fixture
def unit(act: Any) -> str:
    cnes = str(next(_codes))
    act(units.put_unit, Cnes(cnes), UnitBody(nome="Unidade de teste", tipo=Tipo.CF))
    return cnes


def staff(issuer: Issuer, role: str) -> dict[str, str]:
    return bearer(issuer.person("90000020443", name="Rui Campos", realm_access={"roles": [role]}))


@pytest.fixture
def send(http: httpx.Client, issuer: Issuer) -> Send:
    """Return a function that calls as an operator, unless the test gives other headers.

    `path` is appended to the path of the unit's notifications.
    """
    operator = staff(issuer, "saude:risco:operador")

    def send(method: str, unit: str, path: str = "", body: Any = None, **headers: str) -> httpx.Response:
        address = f"/health-units/unidade/{unit}/notificacoes{path}"
        return http.request(method, address, json=body, headers=operator | headers)

    return send


def open_one(send: Send, unit: str, risco: str = "Amarelo") -> dict[str, Any]:
    answer = send("POST", unit, body={"risco": risco})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_a_whole_episode_as_staff_see_it(send: Send, unit: str) -> None:
    answer = send("POST", unit, body={"risco": "Amarelo", "motivo": "barulho"})
    opened = answer.json()
    assert (answer.status_code, answer.headers["ETag"]) == (201, '"v1"')
    assert answer.headers["Location"] == f"notificacoes/{opened['id']}"
    assert set(opened) == STAFF
    assert (opened["status"], opened["motivo"], opened["autor_nome"]) == ("Ativo", "barulho", "Rui Campos")
    assert opened["aberta_em"] == opened["ultima_atualizacao"]
    assert opened["aberta_em"].endswith("-03:00")
    path = f"/{opened['id']}"
    raised = send("PATCH", unit, path, {"risco": "Vermelho"})
    assert (raised.json()["risco"], raised.headers["ETag"]) == ("Vermelho", '"v2"')
    confirmed = send("PATCH", unit, path, {"risco": "Vermelho"}).json()
    assert confirmed["ultima_atualizacao"] >= raised.json()["ultima_atualizacao"]
    assert confirmed["versao"] == raised.json()["versao"] + 1
    closed = send("POST", unit, f"{path}/encerramento", {"risco": "Verde", "motivo": "calmo"}).json()
    assert (closed["risco"], closed["risco_maximo"], closed["causa"]) == ("Verde", "Vermelho", "normalizacao")
    detail = send("GET", unit, path).json()
    assert set(detail) == STAFF | {"eventos"}
    assert {name: detail[name] for name in STAFF} == closed
    assert [(event["tipo"], event["risco_antes"], event["risco_depois"]) for event in detail["eventos"]] == [
        ("abertura", None, "Amarelo"),
        ("mudanca", "Amarelo", "Vermelho"),
        ("confirmacao", "Vermelho", "Vermelho"),
        ("encerramento", "Vermelho", "Verde"),
    ]


def test_one_notification_is_active_at_a_time_and_a_closed_one_never_changes(send: Send, unit: str) -> None:
    opened = open_one(send, unit, "Laranja")
    refused = send("POST", unit, body={"risco": "Verde"})
    assert (refused.status_code, refused.headers["Error-Code"]) == (409, "notification-active")
    assert f"{opened['id']}, Laranja" in refused.json()["detail"]
    assert send("POST", unit, f"/{opened['id']}/encerramento", {}).status_code == 200
    for answer in (
        send("PATCH", unit, f"/{opened['id']}", {"risco": "Verde"}),
        send("POST", unit, f"/{opened['id']}/encerramento", {}),
    ):
        assert (answer.status_code, answer.headers["Error-Code"]) == (409, "notification-closed")


@pytest.mark.cases("health_units", "18")
def test_of_two_changes_of_one_state_the_second_is_refused(send: Send, unit: str) -> None:
    path = f"/{open_one(send, unit)['id']}"
    answers = [send("PATCH", unit, path, {"risco": "Laranja"}, **{"If-Match": '"v1"'}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 412]
    assert answers[1].headers["Error-Code"] == "precondition-failed"


@pytest.mark.cases("health_units", "11")
def test_a_mistake_is_kept_from_the_public_and_not_from_staff(send: Send, unit: str) -> None:
    first = open_one(send, unit)
    send("POST", unit, f"/{first['id']}/encerramento", {})
    mistake = open_one(send, unit, "Vermelho")
    send("POST", unit, f"/{mistake['id']}/encerramento", {"causa": "engano"})
    assert [item["id"] for item in send("GET", unit).json()["itens"]] == [first["id"]]
    assert send("GET", unit, f"/{mistake['id']}").json()["causa"] == "engano"


@pytest.mark.long
@pytest.mark.usefixtures("loaded")
def test_the_public_list_is_paged_and_filtered(http: httpx.Client, issuer: Issuer) -> None:
    path, headers = "/health-units/unidade/9900002/notificacoes", bearer(issuer.person("90000000175"))

    def read(**query: Any) -> Any:
        return http.get(path, params=query, headers=headers).json()

    everything = read(limit=200)
    assert everything["proximo"] is None
    assert all(set(item) == PUBLIC for item in everything["itens"])
    opened = [item["aberta_em"] for item in everything["itens"]]
    assert opened == sorted(opened, reverse=True)
    seen: list[Any] = []
    after: str | None = ""
    while after is not None:
        page = read(limit=7, after=after)
        seen, after = seen + page["itens"], page["proximo"]
    assert seen == everything["itens"]
    (active,) = read(status="Ativo")["itens"]
    assert active == everything["itens"][0]
    assert [item["aberta_em"] for item in read(de=opened[9], ate=opened[3])["itens"]] == opened[3:10]


def test_who_may_do_what(http: httpx.Client, issuer: Issuer, send: Send, unit: str) -> None:
    address = f"/health-units/unidade/{unit}/notificacoes"
    id = open_one(send, unit)["id"]
    operator, auditor = staff(issuer, "saude:risco:operador"), staff(issuer, "saude:risco:auditor")
    citizen, panel = bearer(issuer.person("90000000175")), bearer(issuer.machine("painel-saude", "sms:read"))
    other = bearer(issuer.machine("painel-saude", "catalogo:read"))
    callers: list[dict[str, str]] = [{}, citizen, panel, other, auditor, operator]
    for method, path, body, statuses in (
        ("GET", "", None, [401, 200, 200, 403, 200, 200]),
        ("GET", f"/{id}", None, [401, 403, 403, 403, 200, 200]),
        ("PATCH", f"/{id}", {"risco": "Laranja"}, [401, 403, 403, 403, 403, 200]),
        ("POST", "", {"risco": "Laranja"}, [401, 403, 403, 403, 403, 409]),
        ("POST", f"/{id}/encerramento", {}, [401, 403, 403, 403, 403, 200]),
    ):
        answers = [http.request(method, address + path, json=body, headers=caller) for caller in callers]
        assert [answer.status_code for answer in answers] == statuses, (method, path)


@pytest.mark.cases("health_units", "19")
def test_a_citizen_does_not_learn_what_exists_or_what_is_wrong(http: httpx.Client, issuer: Issuer) -> None:
    citizen = bearer(issuer.person("90000000175"))
    for path in ("9999999/notificacoes", "123/notificacoes"):
        answer = http.post(f"/health-units/unidade/{path}", json={"risco": "Azul"}, headers=citizen)
        assert answer.status_code == 403


def test_what_is_unknown_is_not_found(send: Send, unit: str) -> None:
    id = open_one(send, unit)["id"]
    for answer, code in (
        (send("GET", "9999999"), "unit-not-found"),
        (send("POST", "9999999", body={"risco": "Verde"}), "unit-not-found"),
        (send("GET", unit, f"/{UNKNOWN}"), "notification-not-found"),
        (send("PATCH", "9900013", f"/{id}", {"risco": "Verde"}), "notification-not-found"),
        (send("POST", "9900013", f"/{id}/encerramento", {}), "notification-not-found"),
    ):
        assert (answer.status_code, answer.headers["Error-Code"]) == (404, code)
        assert isinstance(answer.json()["detail"], str)


def test_a_deactivated_unit_gets_no_notification(send: Send, unit: str, act: Any) -> None:
    act(units.put_unit, Cnes(unit), UnitBody(nome="Unidade de teste", tipo=Tipo.CF, ativa=False))
    answer = send("POST", unit, body={"risco": "Verde"})
    assert (answer.status_code, answer.headers["Error-Code"]) == (404, "unit-not-found")


@pytest.mark.cases("health_units", "16")
@pytest.mark.parametrize(
    ("body", "places"), [*read_values("health_units", "16"), ({"motivo": "x" * 1001, "risco": "Verde"}, ["motivo"])]
)
def test_a_faulty_body_stores_nothing_and_all_its_faults_are_listed(
    send: Send, unit: str, body: Any, places: list[str]
) -> None:
    answer = send("POST", unit, body=body)
    assert answer.status_code == 422
    assert sorted(fault["loc"][1] for fault in answer.json()["detail"]) == places
    assert "900.000.001-75" not in answer.text
    assert send("GET", unit).json() == {"itens": [], "proximo": None}


@pytest.mark.parametrize(
    "query",
    [
        "limit=0", "limit=201", "limit=x", "limit=1.5", "status=ativo", "de=2026", "de=2026-10-05", "after=abc",
        "de=2026-10-05T00:00:00Z&ate=2026-10-04T00:00:00Z", "after=" + "A" * 24,
    ],
)  # fmt: skip
def test_a_malformed_parameter_is_a_listed_fault(send: Send, unit: str, query: str) -> None:
    answer = send("GET", unit, f"?{query}")
    assert answer.status_code == 422
    assert len(answer.json()["detail"]) == 1


@pytest.mark.parametrize("id", ["1", "abc", UNKNOWN + "0", UNKNOWN.replace("-", "")])
def test_a_malformed_id_is_a_fault_in_the_path(send: Send, unit: str, id: str) -> None:
    answer = send("GET", unit, f"/{id}")
    assert (answer.status_code, answer.headers["Error-Code"]) == (422, "notification-id-invalid")
    assert answer.json()["detail"][0]["loc"] == ["path", "id"]


def test_reading_a_log_is_recorded(send: Send, unit: str, sql: Any) -> None:
    count = "SELECT count(*) FROM platform.audit_event WHERE operation = 'health_units.read_notification'"
    id = open_one(send, unit)["id"]
    (before,) = sql(count)
    assert send("GET", unit, f"/{id}").status_code == 200
    assert sql(count)[0][0] == before[0] + 1


@given(at=st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC)), number=st.integers(0, 9_999_998))
def test_a_cursor_comes_back_as_its_instant_and_is_no_other_units(at: datetime, number: int) -> None:
    at = at.replace(microsecond=0)
    cnes = Cnes(f"{number:07}")
    text = encode_notification_cursor(cnes, at)
    assert decode_notification_cursor(cnes, text) == at
    with pytest.raises(Unprocessable):
        decode_notification_cursor(Cnes(f"{number + 1:07}"), text)
