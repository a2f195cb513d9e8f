"""Maintenance and changed rates apply while the platform runs, without a restart."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from limits import parse

from balcao import app
from balcao.core.access.live import CHANNEL, Maintenance
from balcao.core.errors import Invalid
from balcao.core.http.operations import UNLIMITED
from balcao.core.live import maintenance, rates
from balcao.core.live.rates import Limit
from balcao.registry.operation import FEATURES as OPERATION
from balcao.settings import Settings
from tests.core.test_gauges import read
from tests.support.demo_people import ANA
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.operations import Served, all_operations
from tests.support.operator_calls import Act, acting
from tests.support.polling import PATIENCE, until_now
from tests.support.server import RunningServer

SENTENCE = "O cadastro volta às 14h."
OPTIONS = "/registry/v1/citizen/ethnicity/options"
EVENT = {"cpf": ANA, "updatedAt": "2026-03-01T12:00:00Z", "dados": {"nomeExibicao": "Ana"}}


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        read_rate="100/hour",
        access_list_limit="100/hour",
    )


@pytest.fixture(scope="module")
def act(settings: Settings, database_url: str) -> Iterator[Act]:
    """Yield a function that acts outside the server, as an operator's command does."""
    with acting(settings, database_url, "platform.test") as act:
        yield act


Begin = Callable[..., None]


@pytest.fixture
def begin(act: Act, http: httpx.Client) -> Iterator[Begin]:
    """Yield a function that starts a service's maintenance and waits until the server applies it."""
    begun: list[str] = []

    def run(service: str, ends_at: datetime | None = None) -> None:
        begun.append(service)
        act(maintenance.begin_maintenance, [service], SENTENCE, ends_at, "ana@maquina")
        until_now(lambda: SENTENCE in http.get(f"{base_of(service)}/openapi.json").text)

    yield run
    act(maintenance.end_maintenance, begun)
    until_now(lambda: {http.get(f"{base_of(service)}/openapi.json").status_code for service in begun} <= {200})


def base_of(name: str) -> str:
    (service,) = app.choose_services([name])
    return service.prefix + service.base


def ask(http: httpx.Client, served: Served, headers: dict[str, str]) -> httpx.Response:
    return http.request(served.method, served.filled(), headers=headers)


def words_of(body: dict[str, Any]) -> str:
    return str(body.get("error") or body.get("message") or body.get("detail"))


def test_every_operation_of_a_service_in_maintenance_says_so_but_for_its_health_and_the_crms_events(
    begin: Begin, http: httpx.Client, issuer: Issuer
) -> None:
    begin("registry")
    begin("employability")
    admin = bearer(issuer.admin())
    health = {f"{service}.{word}" for service in ("registry", "employability") for word in ("liveness", "readiness")}
    found = set()
    for served in all_operations():
        if served.service.name not in {"registry", "employability"}:
            continue
        for headers in ({}, admin):
            response = ask(http, served, headers)
            if response.headers.get("Error-Code") != "maintenance":
                found.add(str(served))
                continue
            assert (response.status_code, words_of(response.json())) == (503, SENTENCE), served
            assert response.headers["Retry-After"] == "300"
            assert response.headers["Cache-Control"] == "no-store"
    # Operations that end a maintenance window or reset a limit still work.
    operation = {route.key for feature in OPERATION for route in feature.routes}
    assert found == health | operation | {"registry.receive_crm_event"}
    assert http.get("/registry/v1/readiness").status_code == http.get("/jobs/readiness").status_code == 200
    # Other services still work, and the page that lists all services shows the maintenance.
    assert http.get("/search/api/v1/categories").status_code == 200
    page = http.get("/docs").text
    assert page.count(SENTENCE) == 2


def test_what_a_maintenance_refuses_counts_as_no_error(begin: Begin, http: httpx.Client) -> None:
    def count() -> tuple[float, float]:
        found = read(http)
        errors = sum(
            number
            for (_, _, service, status), number in found["balcao_requests"].items()
            if service == "search" and status.startswith("5")
        )
        return errors, found["balcao_maintenance_refusals"].get(("search",), 0.0)

    begin("search")
    errors, refused = count()
    assert {http.get("/search/api/v1/categories").status_code for _ in range(3)} == {503}
    assert count() == (errors, refused + 3)


def test_an_event_of_the_crm_is_kept_while_the_registry_is_in_maintenance(
    begin: Begin, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    begin("registry")
    response = http.post("/registry/v1/webhooks/crm/cidadao", json=EVENT, headers=bearer(issuer.machine("crm-sandbox")))
    assert response.status_code == 202
    assert [row[0] for row in sql("SELECT count(*) FROM queue.pgqueuer WHERE entrypoint LIKE '%event%'")] == [1]


def test_gateways_may_ask_about_other_services_while_access_is_in_maintenance(begin: Begin, http: httpx.Client) -> None:
    begin("access")
    asked = http.get("/access/api/v1/check", headers={"X-Original-URI": OPTIONS, "X-Original-Method": "GET"})
    assert asked.headers.get("Error-Code") != "maintenance"
    assert http.get("/access/api/v1/actions/").headers["Error-Code"] == "maintenance"


def test_the_time_that_is_left_is_told_and_when_it_is_over_the_service_answers_by_itself(
    begin: Begin, act: Act, http: httpx.Client, sql: Sql
) -> None:
    begin("search", datetime.now(UTC) + timedelta(hours=1))
    left = int(http.get("/search/api/v1/categories").headers["Retry-After"])
    assert 3500 < left <= 3600
    assert read(http)["balcao_maintenance"]["search",] == 1
    assert read(http)["balcao_maintenance"]["registry",] == 0
    sql("UPDATE platform.live_change SET ends_at = now() WHERE name = 'search'")
    sql("SELECT pg_notify($1, '')", CHANNEL)  # otherwise the poll would find the change seconds later
    until_now(lambda: http.get("/search/api/v1/categories").status_code == 200)
    assert act(maintenance.list_services_in_maintenance) == []
    assert act(maintenance.end_maintenance, ["search"]) == []


def test_a_copy_that_cannot_be_renewed_ends_in_time_all_the_same() -> None:
    """The copy in memory contains the end time. So a maintenance ends on time even if the database is down by then."""
    now = time.monotonic()
    assert Maintenance(SENTENCE, now - 1).refusal() is None
    closed = Maintenance(SENTENCE, now + 60).refusal()
    assert closed is not None
    assert 1 <= (closed.retry_after or 0) <= 60


def test_it_is_still_in_maintenance_after_a_restart(begin: Begin, settings: Settings, database_url: str) -> None:
    begin("agents")
    with RunningServer(app.build_application(settings, database_url, ["agents"])) as restarted:
        refused = httpx.get(f"{restarted.url}{base_of('agents')}/openapi.json", timeout=PATIENCE)
    assert refused.headers["Error-Code"] == "maintenance"


def test_who_begins_and_who_ends_is_in_the_trail(begin: Begin, act: Act, sql: Sql) -> None:
    begin("agents")
    assert act(maintenance.end_maintenance, ["agents", "search"]) == ["agents"]
    events = sql("SELECT action, actor_kind, fields FROM platform.audit_event WHERE operation = 'platform.test'")
    assert [tuple(event) for event in events][-2:] == [("update", "operator", ["agents"])] * 2


def test_a_changed_rate_counts_at_once_and_the_configured_one_again_after_it(
    act: Act, http: httpx.Client, settings: Settings
) -> None:
    limits = app.list_declared_limits(settings)

    def read_often(times: int) -> set[int]:
        return {http.get(OPTIONS).status_code for _ in range(times)}

    assert read_often(100) == {200}
    until_now(lambda: read_often(1) == {429})
    act(rates.change_rate, limits["registry.list_ethnicity_options"], "200/hour", None, "ana@maquina")
    until_now(lambda: read_often(1) == {200})
    until_now(lambda: 429 in read_often(20))
    act(rates.change_rate, limits["BALCAO_READ_RATE"], "1000/hour", None, "ana@maquina")
    # A change for an operation overrides the change for its kind.
    until_now(lambda: http.get("/registry/v1/citizen/gender/options").status_code == 200)
    assert read_often(1) == {429}
    assert set(act(rates.list_changed)) == {"BALCAO_READ_RATE", "registry.list_ethnicity_options"}
    assert act(rates.reset_rate, "registry.list_ethnicity_options")
    until_now(lambda: read_often(1) == {200})
    assert act(rates.reset_rate, "BALCAO_READ_RATE")
    assert not act(rates.reset_rate, "BALCAO_READ_RATE")
    until_now(lambda: read_often(1) == {429})


def test_a_limit_that_a_use_case_counts_is_changed_in_the_same_way(
    act: Act, http: httpx.Client, issuer: Issuer, settings: Settings
) -> None:
    ana = bearer(issuer.person(ANA))

    def look(times: int = 1) -> set[int]:
        return {http.get(f"/registry/v1/citizen/{ANA}/data-access", headers=ana).status_code for _ in range(times)}

    limits = app.list_declared_limits(settings)
    act(rates.change_rate, limits["registry.list_accesses"], "1000/hour", None, "ana@maquina")
    assert look(100) == {200}
    until_now(lambda: look() == {429})
    act(rates.change_rate, limits["BALCAO_ACCESS_LIST_LIMIT"], "1000/hour", None, "ana@maquina")
    until_now(lambda: look() == {200})


def test_every_limited_operation_has_a_name_to_change_its_rate_by(settings: Settings) -> None:
    names = app.list_declared_limits(settings)
    limited = [str(served) for served in all_operations() if served.operation.rate != UNLIMITED]
    assert names.keys() >= {name for key in limited for name in (key, f"{key}:machines")}
    assert not names.keys() & {"registry.receive_crm_event", "access.check_token_get"}
    assert {"BALCAO_EXPORT_LIMIT", "BALCAO_ENUMERATION_LIMIT", "search.by_address"} <= names.keys()
    for name, limit in names.items():
        rates.check_rate(limit, limit.configured)
        assert limit.name == name


RATES = st.builds(
    "{}/{} {}".format, st.integers(0, 10**7), st.integers(1, 400), st.sampled_from(["second", "minute", "hour", "day"])
)


@examples(max_examples=50)
@given(configured=st.sampled_from(["50/second", "10/minute", "5/day"]), rate=RATES)
def test_no_change_switches_a_limit_off(configured: str, rate: str) -> None:
    """An accepted rate is at least a hundredth of the configured rate, and at most ten times as high."""
    usual, wanted = parse(configured), parse(rate)
    a_day, usually = (86_400 * one.amount / one.get_expiry() for one in (wanted, usual))
    is_near = usually / 100.0001 <= a_day <= usually * 10.0001
    try:
        rates.check_rate(Limit("x", configured, "setting"), rate)
    except Invalid:
        assert not usually / 99.9999 <= a_day <= usually * 9.9999 or wanted.get_expiry() > 3600
    else:
        assert is_near
        assert wanted.amount >= 1


@pytest.mark.parametrize("rate", ["", "muitas", "0/second", "-1/second", "10/second;5/minute", "10"])
def test_what_is_no_rate_is_refused(rate: str) -> None:
    with pytest.raises(Invalid):
        rates.check_rate(Limit("x", "10/second", "setting"), rate)
