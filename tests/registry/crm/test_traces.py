"""A trace from the gateway to the statement, the job and the CRM call, as an OpenTelemetry collector receives it."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.database import pool
from balcao.core.database.pool import Database
from balcao.core.database.traced import TracedDatabase
from balcao.core.errors import Unavailable
from balcao.core.http.operation_endpoint import OperationEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.http.traced import TracedEndpoint
from balcao.core.tracing import TracedClient, span, tracing
from balcao.gateway.gateway import Gateway
from balcao.settings import Settings, SettingsError
from tests.core.relay import Relay
from tests.registry.conftest import DUE, drain
from tests.support.crm import RunningCrm
from tests.support.demo_people import CARLA
from tests.support.fixture_types import Sql
from tests.support.http_receiver import Receiver
from tests.support.issuer import Issuer, bearer
from tests.support.operations import all_operations
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer
from tests.support.single_services import no_pages

pytestmark = pytest.mark.long

FROZEN_SECONDS = 25  # less than the driver's own limit of 30
TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PUT = "registry.declare_gender"


@pytest.fixture(scope="module")
def collector() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm, collector: Receiver) -> Settings:
    return running_crm.settings.model_copy(update={"traces_url": collector.url})


def read_spans(collector: Receiver) -> list[Span]:
    spans: list[Span] = []
    for received in collector.received:
        assert (received.method, received.path) == ("POST", "/v1/traces")
        request = ExportTraceServiceRequest.FromString(received.body)
        spans += [one for resource in request.resource_spans for scope in resource.scope_spans for one in scope.spans]
    return spans


@pytest.fixture(scope="module")
def spans(settings: Settings, database_url: str, issuer: Issuer, collector: Receiver, sql: Sql) -> list[Span]:
    """Return the spans of two calls: a citizen's write with the push to the CRM, and a refused call."""
    with (
        RunningServer(app.build_application(settings, database_url)) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as http,
    ):
        carla = bearer(issuer.person(CARLA, name="Carla Dias", email="carla@exemplo.org"))
        traced = {**carla, "traceparent": f"00-{TRACE}-{CALLER}-01"}
        path = f"/registry/v1/citizen/{CARLA}/gender"
        assert http.put(path, json={"valor": "Não binário"}, headers=traced).status_code == 200
        sql(DUE)
        asyncio.run(drain(settings, database_url))
        assert http.put(path, json={"valor": "x"}).status_code == 401
    return read_spans(collector)


def attributes(span: Span) -> dict[str, Any]:
    return {
        each.key: each.value.string_value or each.value.int_value or each.value.bool_value for each in span.attributes
    }


def test_a_write_its_statements_its_job_and_the_call_of_the_crm_are_one_trace(
    spans: list[Span],
) -> None:
    by_id = {one.span_id: one for one in spans if one.trace_id.hex() == TRACE}

    def list_ancestors(one: Span) -> list[str]:
        parent = by_id.get(one.parent_span_id)
        return [] if parent is None else [parent.name, *list_ancestors(parent)]

    (request,) = [one for one in by_id.values() if one.name == PUT]
    assert (request.parent_span_id.hex(), request.kind) == (CALLER, Span.SPAN_KIND_SERVER)
    assert attributes(request)["http.response.status_code"] == 200
    (job,) = [one for one in by_id.values() if one.name == "crm_push"]
    assert (list_ancestors(job), job.kind) == ([PUT], Span.SPAN_KIND_CONSUMER)
    calls = [one for one in by_id.values() if one.name.endswith(" 127.0.0.1") and one.kind == Span.SPAN_KIND_CLIENT]
    assert {tuple(list_ancestors(one)) for one in calls if one.name.startswith("PATCH")} == {("crm_push", PUT)}
    assert {attributes(one)["server.address"] for one in calls} == {"127.0.0.1"}
    statements = [one for one in by_id.values() if "db.query.text" in attributes(one)]
    assert {one.name for one in statements} & {"WITH", "INSERT", "UPDATE", "SELECT"}
    assert {list_ancestors(one)[0] for one in statements} >= {PUT, "crm_push"}
    for one in by_id.values():
        assert one.start_time_unix_nano <= one.end_time_unix_nano


def test_a_call_without_a_trace_begins_one_and_a_refusal_is_in_it(spans: list[Span]) -> None:
    (refused,) = [one for one in spans if one.name == PUT and one.trace_id.hex() != TRACE]
    assert refused.parent_span_id == b""
    assert attributes(refused)["http.response.status_code"] == 401


@pytest.mark.usefixtures("spans")
def test_no_person_is_in_what_the_collector_is_sent(collector: Receiver) -> None:
    sent = b"".join(received.body for received in collector.received)
    for word in (CARLA, "900.000.003-37", "Carla", "carla@", "Não binário", "Bearer", "/citizen/"):
        assert word.encode() not in sent


@pytest.mark.usefixtures("spans")
def test_with_traces_off_a_request_meets_nothing_of_them(settings: Settings, database_url: str) -> None:
    off = settings.model_copy(update={"traces_url": ""})
    for wanted, endpoint, database, client in (
        (off, OperationEndpoint, Database, httpx.AsyncClient),
        (settings, TracedEndpoint, TracedDatabase, TracedClient),
    ):
        platform = assemble(wanted, database_url)
        mounted = app.mount_service(app.SERVICES[1], platform)
        assert {type(each) for _, _, each in mounted.endpoints} == {endpoint}
        assert (type(platform.database), type(platform.http)) == (database, client)


def test_with_traces_on_a_refused_method_is_answered_in_the_same_words(settings: Settings) -> None:
    def refuse_all(wanted: Settings) -> dict[str, bytes]:
        platform = assemble(wanted, "postgresql://nobody@127.0.0.1:9/none")
        gateway = Gateway([app.mount_service(service, platform) for service in app.SERVICES], no_pages(), nullcontext)
        paths = {served.filled() for served in all_operations()}
        refused = {path: gateway.match(Request("PROPFIND", path.encode())) for path in paths}
        responses = {path: endpoint.respond(Request("PROPFIND", b"")) for path, endpoint in refused.items()}
        return {path: response.body for path, response in responses.items() if isinstance(response, Response)}

    assert refuse_all(settings) == refuse_all(settings.model_copy(update={"traces_url": ""}))


async def test_a_server_that_freezes_is_down_as_soon_as_without_traces(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "SERVING_SECONDS", 0.1)
    with Receiver() as collector, Relay(database_url) as relay:
        database = TracedDatabase(relay.url, size=1)
        database.is_serving = True
        await database.open()
        relay.stop()
        async with tracing(collector.url, 1.0, "api-0"), asyncio.timeout(FROZEN_SECONDS):
            with span("call", "SERVER", {}), pytest.raises(Unavailable):
                async with database.connection():
                    pass
        relay.resume()
        await database.close()


def test_with_traces_off_the_libraries_are_not_loaded() -> None:
    code = "import sys, balcao.app; sys.exit('opentelemetry.sdk' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_without_the_libraries_the_operator_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(SettingsError, match=r"requirements-traces\.lock"):
        async with tracing("http://127.0.0.1:9", 1.0, "api-0"):
            pass


async def test_a_share_of_nothing_sends_nothing_whatever_the_caller_says(collector: Receiver) -> None:
    before = len(collector.received)
    async with tracing(collector.url, 0.0, "api-0"), TracedClient() as http:
        with_parent = {"traceparent": f"00-{TRACE}-{CALLER}-01"}
        await http.get(collector.url, headers=with_parent)
    assert [received.path for received in collector.received[before:]] == ["/"]


async def test_an_own_call_carries_the_trace_and_a_failed_one_is_marked() -> None:
    with Receiver() as collector, Receiver() as called:
        async with tracing(collector.url, 1.0, "api-0"), TracedClient() as http:
            await http.get(f"{called.url}/caminho?cpf={CARLA}")
            with pytest.raises(httpx.ConnectError):
                await http.get("http://127.0.0.1:9/")
        made, failed = read_spans(collector)
    assert called.received[0].headers["traceparent"].startswith(f"00-{made.trace_id.hex()}-{made.span_id.hex()}-0")
    assert attributes(failed)["error.type"] == "ConnectError"
    assert failed.status.code == failed.status.STATUS_CODE_ERROR
    assert CARLA.encode() not in collector.received[0].body
