"""Tests for the links between staff and departments (rules: registry 2.6)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from balcao.registry.city.departments.imports import IMPORTS
from tests.registry.import_rows import load
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

LUIZ, ANA, ADMIN = "90000001228", "90000000175", "90000040126"
OWN, ADMINISTRATION = "/registry/v1/cpf-secretaria", "/registry/v1/admin/cpf-secretaria"
CODES = ("2000", "1100", "1110")


@pytest.fixture(scope="module", autouse=True)
def _departments(database_url: str) -> None:
    load(database_url, IMPORTS[0], *({"cd_ua": c, "sigla_ua": c, "nome_ua": c, "nivel": 2} for c in CODES))


@pytest.fixture(autouse=True)
def _nobody_linked(sql: Sql) -> None:
    sql("DELETE FROM registry.staff_department")


@pytest.fixture
def admin(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.admin())


def link(http: httpx.Client, admin: dict[str, str], cd_ua: Any, cpf: str = LUIZ, **headers: str) -> httpx.Response:
    return http.post(f"{ADMINISTRATION}/{cpf}", json={"cd_ua": cd_ua}, headers=admin | headers)


def test_a_link_appears_for_the_person_and_for_administrators_until_it_is_undone(
    http: httpx.Client, issuer: Issuer, admin: dict[str, str]
) -> None:
    empty = http.get(f"{OWN}/{LUIZ}", headers=bearer(issuer.person(LUIZ)))
    assert (empty.status_code, empty.json()) == (200, {"cpf": LUIZ, "cd_uas": []})
    made = [link(http, admin, code) for code in CODES]
    assert [answer.status_code for answer in made] == [201, 201, 201]
    shown = http.get(f"{OWN}/{LUIZ}", headers=bearer(issuer.person(LUIZ)))
    assert shown.json() == {"cpf": LUIZ, "cd_uas": ["1100", "1110", "2000"]}
    assert shown.headers["Cache-Control"] == "no-store, private"
    listed = http.get(f"{ADMINISTRATION}/{LUIZ}", headers=admin).json()
    assert listed == {"cpf": LUIZ, "mappings": sorted((one.json() for one in made), key=lambda one: one["cd_ua"])}
    gone = http.delete(f"{ADMINISTRATION}/{LUIZ}/1110", headers=admin)
    assert (gone.status_code, gone.content, gone.headers.get("Content-Type")) == (204, b"", None)
    assert refusal(http.delete(f"{ADMINISTRATION}/{LUIZ}/1110", headers=admin)) == (404, "mapping-unknown")
    left = http.get(f"{OWN}/{LUIZ}", headers=bearer(issuer.person(LUIZ))).json()
    assert left["cd_uas"] == ["1100", "2000"]


def test_a_mapping_tells_who_made_it_without_naming_them(
    http: httpx.Client, issuer: Issuer, admin: dict[str, str]
) -> None:
    mapping = link(http, admin, " 1100 ").json()
    assert set(mapping) == {"id", "cpf", "cd_ua", "created_at", "updated_at", "created_by"}
    assert (mapping["cpf"], mapping["cd_ua"], mapping["created_by"]) == (LUIZ, "1100", "***.000.401-**")
    assert mapping["created_at"].endswith("Z")


@pytest.mark.parametrize(
    ("cd_ua", "cpf", "status", "code"),
    [
        ("9999", LUIZ, 404, "department-unknown"),
        ("1100", "123", 400, "cpf-invalid"),
        ("1100", "90000001229", 400, "cpf-invalid"),
        ("", LUIZ, 400, "cd_ua-length"),
        (None, LUIZ, 400, "body-invalid"),
        (1100, LUIZ, 400, "body-invalid"),
        ("a\0b", LUIZ, 400, "cd_ua-control"),
        ("x" * 51, LUIZ, 400, "cd_ua-length"),
    ],
)
def test_a_bad_link_is_refused_and_nothing_is_stored(
    http: httpx.Client, admin: dict[str, str], sql: Sql, cd_ua: Any, cpf: str, status: int, code: str
) -> None:
    answer = link(http, admin, cd_ua, cpf)
    assert (*refusal(answer), set(answer.json())) == (status, code, {"error"})
    assert sql("SELECT FROM registry.staff_department") == []


def test_of_parallel_links_one_is_made(http: httpx.Client, admin: dict[str, str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(lambda _: refusal(link(http, admin, "1100")), range(8)))
    assert answers == [(201, None)] + [(409, "mapping-exists")] * 7


def test_a_repeated_call_with_its_key_is_answered_alike(http: httpx.Client, admin: dict[str, str]) -> None:
    key = {"Idempotency-Key": "link-1"}
    answers = [link(http, admin, "1100", **key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    assert refusal(link(http, admin, "1110", **key)) == (409, "idempotency-key-reused")


def test_who_may_read_and_write_links(http: httpx.Client, issuer: Issuer, admin: dict[str, str]) -> None:
    person, another = issuer.person(LUIZ), issuer.person(ANA)
    desk = issuer.person(ANA, realm_access={"roles": ["rmi:atendimento"]})
    platform, portal = issuer.machine("balcao-platform"), issuer.machine("portal-servidor", "rmi:pessoa-fisica:read")

    def status(method: str, path: str, token: str) -> int:
        return http.request(method, path, json={"cd_ua": "1100"}, headers=bearer(token)).status_code

    own, administration = f"{OWN}/{LUIZ}", f"{ADMINISTRATION}/{LUIZ}"
    assert [status("GET", own, t) for t in (person, desk, platform, another, portal)] == [200, 200, 200, 403, 403]
    assert [status("GET", administration, t) for t in (person, platform, another, desk)] == [200, 403, 403, 200]
    for method, path in (("POST", administration), ("DELETE", f"{administration}/1100")):
        assert [status(method, path, t) for t in (person, platform, another, desk)] == [403] * 4
    assert [http.get(path).status_code for path in (own, administration)] == [401, 401]
    assert status("GET", f"{OWN}/123", issuer.admin()) == 400
    assert status("GET", f"{OWN}/123", person) == 403


def test_reads_by_others_and_writes_leave_a_trace_and_own_reads_none(
    http: httpx.Client, issuer: Issuer, admin: dict[str, str], sql: Sql
) -> None:
    sql("DELETE FROM platform.audit_event")
    http.get(f"{OWN}/{LUIZ}", headers=bearer(issuer.person(LUIZ)))
    assert sql("SELECT FROM platform.audit_event") == []
    http.get(f"{OWN}/{LUIZ}", headers=bearer(issuer.machine("balcao-platform")))
    link(http, admin, "1100")
    link(http, admin, "1100")
    http.delete(f"{ADMINISTRATION}/{LUIZ}/1100", headers=admin)
    rows = sql('SELECT action, subject, client, "grant" FROM platform.audit_event ORDER BY at')
    assert [tuple(row) for row in rows] == [
        ("read", "***.000.012-**", "balcao-platform", "client:BALCAO_PLATFORM_CLIENTS"),
        ("create", "***.000.012-**", "portal-cidadao", "staff_departments:write"),
        ("delete", "***.000.012-**", "portal-cidadao", "staff_departments:write"),
    ]
