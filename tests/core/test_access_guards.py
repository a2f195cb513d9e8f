"""The guards that protect a person's data in addition to the rule (rules: registry 1.1, 5).

The guards are the access reason, the audit of a person's own reads, and the lockout of callers who try many CPFs.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.core.access.enumeration import EnumerationGuard
from balcao.core.access.limits import Limits
from balcao.core.errors import TooMany
from balcao.core.values.cpf import Cpf
from balcao.settings import Settings, SettingsError
from tests.support.issuer import Issuer, bearer

Sql = Callable[..., list[asyncpg.Record]]
ANA, ADMIN = "90000000175", "90000040126"
ALLOWED = 10


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        require_access_reason=True,
        audit_own_reads=True,
        enumeration_limit=f"{ALLOWED}/5 minutes",
    )


def path(cpf: str = ANA, of: str = "/notification-preferences") -> str:
    return f"/registry/v1/citizen/{cpf}{of}"


PERSONAL: list[tuple[str, str, Any]] = [
    ("GET", path(of=""), None),
    ("GET", path(), None),
    ("PUT", path(of="/gender"), {"valor": "Outro"}),
    ("GET", path(of="/data-export"), None),
    ("GET", path(of="/data-access"), None),
    ("POST", path(of="/anonymisation"), {"reason": "Pedido"}),
    ("GET", "/registry/v1/admin/audit?from=2026-01-01&to=2026-01-02", None),
]


@pytest.mark.parametrize(("method", "address", "body"), PERSONAL, ids=lambda value: str(value).partition("?")[0])
def test_staff_say_why_before_they_get_near_a_persons_data(
    http: httpx.Client, issuer: Issuer, sql: Sql, method: str, address: str, body: Any
) -> None:
    staff = bearer(issuer.admin(ADMIN))
    sql(
        "INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, '{\"_id\": \"a\"}', 'teste') "
        "ON CONFLICT DO NOTHING",
        ANA,
    )
    for reason in ({}, {"X-Access-Reason": ""}):
        answer = http.request(method, address, headers=staff | reason, json=body)
        assert (answer.status_code, answer.headers["Error-Code"]) == (400, "access-reason-missing")
        assert "X-Access-Reason" in answer.json()["error"]
    assert (
        http.request(method, address, headers=staff | {"X-Access-Reason": "Atendimento 7"}, json=body).status_code
        == 200
    )


def test_neither_the_person_nor_a_machine_nor_what_concerns_nobody_needs_a_reason(
    http: httpx.Client, issuer: Issuer
) -> None:
    assert http.get(path(), headers=bearer(issuer.person(ANA))).status_code == 200
    assert http.put(path(of="/gender"), headers=bearer(issuer.person(ANA)), json={"valor": "Outro"}).status_code == 200
    platform = bearer(issuer.machine("balcao-platform"))
    assert http.get(path(of=""), headers=platform).status_code == 200
    assert http.get("/registry/v1/citizen/gender/options").status_code == 200
    assert http.get(path(), headers=bearer(issuer.person("90000000256"))).status_code == 403


def test_own_reads_are_recorded_where_the_city_wants_it(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    sql("DELETE FROM platform.audit_event")
    http.get(path(), headers=bearer(issuer.person(ANA))).raise_for_status()
    trail = sql("SELECT action, actor_kind, operation FROM platform.audit_event")
    assert [tuple(event) for event in trail] == [("read", "owner", "registry.read_preferences")]


@pytest.fixture
def numbers() -> Iterator[str]:
    """Yield valid CPFs of invented people."""
    return (Cpf.with_stem(f"{stem:09}").digits for stem in itertools.count(123_000_000))


def test_who_tries_number_after_number_is_shut(http: httpx.Client, issuer: Issuer, numbers: Iterator[str]) -> None:
    prober = bearer(issuer.person("90000000337"))
    for _ in range(ALLOWED + 1):
        assert http.get(path(next(numbers)), headers=prober).status_code == 403
    shut = http.get(path(next(numbers)), headers=prober)
    assert (shut.status_code, shut.headers["Error-Code"]) == (429, "enumeration")
    assert 1 <= int(shut.headers["Retry-After"]) <= 300
    # Only this caller is locked out, and only from operations on a person's data.
    assert http.get(path("90000000337"), headers=prober).status_code == 429
    assert http.get(path(), headers=bearer(issuer.person(ANA))).status_code == 200
    assert http.get("/registry/v1/citizen/gender/options", headers=prober).status_code == 200
    assert http.get("/registry/v1/admin/audit", headers=prober).status_code == 403


def test_numbers_that_are_not_there_count_as_those_that_are_refused(
    http: httpx.Client, issuer: Issuer, numbers: Iterator[str]
) -> None:
    client = bearer(issuer.machine("painel-saude", "rmi:pessoa-fisica:read"))
    for _ in range(ALLOWED + 1):
        assert http.get(path(next(numbers), ""), headers=client).status_code == 404
    assert http.get(path(next(numbers), ""), headers=client).status_code == 429


async def test_without_the_shared_counter_each_machine_shuts_by_its_own_count() -> None:
    away = EnumerationGuard(Limits("redis://127.0.0.1:1"), "3/minute")
    for _ in range(3):
        await away.count("caller")
    away.refuse_shut("caller")
    await away.count("caller")
    with pytest.raises(TooMany):
        away.refuse_shut("caller")


def test_a_rate_that_cannot_be_read_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match="BALCAO_ENUMERATION_LIMIT"):
        Settings.load({"BALCAO_ENUMERATION_LIMIT": "muitas"})
