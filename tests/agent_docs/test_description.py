"""The OpenAPI description of the agent API (rules: agents 6)."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

from balcao.agent_docs import describe_service
from balcao.agent_docs.description.document import build_document
from balcao.agents import SERVICE as AGENTS
from balcao.core.context.platform import Platform
from balcao.core.feature import Feature
from balcao.core.http.encoded_bodies import accepts_gzip
from balcao.core.http.openapi import describe_api
from balcao.core.http.shared_refusals import read_responses
from balcao.core.service import Service
from balcao.gateway.asgi import AsgiApplication
from tests.support.issuer import bearer
from tests.support.single_services import service_alone

ROOT = "/agent-docs/"
DOCUMENT = "/agent-docs/swagger.json"
ANSWERS_WITH_INPUT = "/api/v1/dataset_examples_data"


@pytest.fixture(scope="module")
def described(http: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = http.get(DOCUMENT).json()
    return found


def operations(found: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and operation."""
    for path, item in found["paths"].items():
        yield from ((path, method, item[method]) for method in item if method != "servers")


@pytest.mark.cases("agents", "43")
def test_the_root_needs_no_token_and_ignores_a_bad_one(http: httpx.Client) -> None:
    for headers in ({}, bearer("a.b.c"), {"Authorization": "Basic x"}):
        for path in (ROOT, ROOT.rstrip("/"), DOCUMENT, DOCUMENT + "/"):
            answer = http.get(path, headers=headers)
            assert answer.status_code == 200
            assert answer.headers["Content-Type"] == "application/json"


def test_the_root_leads_on_by_relative_links(http: httpx.Client) -> None:
    root = http.get(ROOT).json()
    assert set(root) == {"name", "message", "version", "description", "health", "services"}
    for link in (root["description"], root["health"], root["services"][0]["base"] + "/liveness"):
        assert not link.startswith(("/", "http"))
        assert http.get(urljoin(ROOT, link)).status_code == 200


def test_the_document_is_openapi_3_1_and_valid(described: dict[str, Any]) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator  # imported here, because that takes two seconds

    assert described["openapi"] == "3.1.0"
    OpenAPIV31SpecValidator(described).validate()
    assert described["components"]["securitySchemes"]["bearer"]["bearerFormat"] == "JWT"
    assert described["info"]["license"]


@pytest.mark.cases("agents", "44")
def test_the_routes_that_run_and_both_own_paths_are_in_it_and_nothing_else(described: dict[str, Any]) -> None:
    running = AGENTS.operations()
    for_people = {"/docs", "/docs/assets/{name}"}
    routes = {(each.path, each.method.lower()) for each in running if each.path not in for_people}
    documented = {(path, method) for path, method, _ in operations(described)}
    assert documented == routes | {("/", "get"), ("/swagger.json", "get")}


def test_every_documented_address_exists(http: httpx.Client, described: dict[str, Any]) -> None:
    for path, method, _ in operations(described):
        server = described["paths"][path].get("servers", described["servers"])[0]["url"]
        address = urljoin(ROOT, server).rstrip("/") + path.replace("{config_id}", "x").replace("{name}", "page.js")
        answer = http.request(method, address)
        assert answer.status_code in {200, 401}, address


def test_each_operation_has_a_rule_an_id_of_its_own_and_security_unless_public(described: dict[str, Any]) -> None:
    found = list(operations(described))
    ids = [operation["operationId"] for _, _, operation in found]
    assert len(ids) == len(set(ids))
    for _, _, operation in found:
        assert (operation["security"] == []) == (operation["x-access-rule"] == "public")


def test_input_and_context_are_described_for_the_examples_alone(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    for path, _, operation in operations(described):
        responses = read_responses(described, operation)
        if "422" in responses:
            reference = responses["422"]["content"]["application/json"]["schema"]["$ref"]
            items = schemas[reference.rsplit("/", 1)[-1]]["properties"]["detail"]["items"]["$ref"]
            members = set(schemas[items.rsplit("/", 1)[-1]]["required"])
            further = {"input", "ctx"} if path == ANSWERS_WITH_INPUT else set()
            assert members == {"loc", "msg", "type"} | further


def test_path_parameters_are_texts_with_a_pattern_and_all_others_have_limits(described: dict[str, Any]) -> None:
    for path, _, operation in operations(described):
        for parameter in operation.get("parameters", ()):
            schema = parameter["schema"]
            limits = schema["type"] == "boolean" or {"pattern", "maxLength", "maximum", "enum"} & set(schema)
            assert limits or path.startswith("/docs") or parameter["in"] == "header"
            assert parameter["in"] != "path" or parameter["schema"]["type"] == "string"


def test_an_example_that_an_operation_has_of_its_own_is_shown(described: dict[str, Any]) -> None:
    """If an operation declares an example, the description shows it unchanged."""
    shown = {key: holder["example"] for key, holder in list_examples(described)}
    own = {key: holder["example"] for key, holder in list_examples(describe_api(AGENTS)) if "example" in holder}
    assert len(own) > 200
    assert {key for key, example in own.items() if shown[key] != example} == set()


def list_examples(document: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield each object that may have an example, with its location."""
    for path, method, operation in operations(document):
        yield from (((path, method, each["in"], each["name"]), each) for each in operation.get("parameters", ()))
        for name, holder in {
            "request": operation.get("requestBody", {}),
            **read_responses(document, operation),
        }.items():
            yield from (((path, method, name), media) for media in _json(holder))


def test_each_example_is_valid(described: dict[str, Any]) -> None:
    from openapi_schema_validator import OAS31Validator  # imported here, because that takes two seconds

    checked = 0
    for _, holder in list_examples(described):
        schema = {**holder["schema"], "components": described["components"]}
        OAS31Validator(schema).validate(holder["example"])
        checked += 1
    assert checked > 40


def _json(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [media for kind, media in answer.get("content", {}).items() if kind == "application/json"]


def test_two_starts_give_the_same_bytes(http: httpx.Client) -> None:
    own = describe_service(AGENTS)
    assert build_document(AGENTS, own) == build_document(AGENTS, own) == http.get(DOCUMENT).content
    public = json.loads(build_document(AGENTS, own, "https://api.exemplo.gov.br"))
    assert public["servers"] == [{"url": "https://api.exemplo.gov.br/agent"}]


@pytest.mark.cases("agents", "45")
@pytest.mark.parametrize("path", [ROOT, DOCUMENT])
def test_a_known_answer_is_not_sent_again(http: httpx.Client, path: str) -> None:
    first = http.get(path)
    assert first.headers["Cache-Control"] == "public, max-age=300"
    again = http.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])


def test_it_is_compressed_when_asked_with_an_etag_of_its_own(http: httpx.Client) -> None:
    plain = http.get(DOCUMENT, headers={"Accept-Encoding": "identity"})
    zipped = http.get(DOCUMENT, headers={"Accept-Encoding": "br, gzip;q=0.5"})
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert zipped.content == plain.content
    assert zipped.num_bytes_downloaded == len(gzip.compress(plain.content, mtime=0)) < plain.num_bytes_downloaded
    assert plain.headers["Vary"] == zipped.headers["Vary"]
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert plain.headers["ETag"] != zipped.headers["ETag"]


@pytest.mark.parametrize(
    ("header", "wanted"),
    [("gzip", True), ("GZIP", True), ("*", True), ("gzip;q=0", False), ("gzip; q=0.001", True), ("*, gzip;q=0", False),
     ("", False), ("br", False), ("gzip;q=x", False), ("a," * 1_000 + "gzip", False)],
)  # fmt: skip
def test_what_a_caller_accepts(header: str, wanted: bool) -> None:
    assert accepts_gzip(header) is wanted


@pytest.mark.parametrize("accept", ["text/html", "application/yaml", "*/*", "nonsense"])
def test_it_is_json_whatever_is_accepted(http: httpx.Client, accept: str) -> None:
    for path in (ROOT, DOCUMENT):
        answer = http.get(path, headers={"Accept": accept})
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")


@pytest.mark.cases("agents", "46")
@pytest.mark.parametrize("path", [ROOT, DOCUMENT])
def test_head_has_the_same_headers_and_other_methods_are_refused(http: httpx.Client, path: str) -> None:
    head, get = http.head(path), http.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["ETag"] == get.headers["ETag"]
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        refused = http.request(method, path)
        assert refused.status_code == 405
        assert {"GET", "HEAD"} <= set(refused.headers["Allow"].split(", "))
        assert isinstance(refused.json()["detail"], str)


def test_other_paths_are_not_found(http: httpx.Client) -> None:
    answer = http.get("/agent-docs/other")
    assert (answer.status_code, set(answer.json())) == (404, {"detail"})


@pytest.mark.cases("agents", "47")
async def test_a_failed_generation_is_told_by_every_answer_and_by_readiness(platform: Platform) -> None:
    twice_the_same_id: Service = replace(AGENTS, features=[*AGENTS.features, Feature(routes=_again(AGENTS))])
    broken = describe_service(twice_the_same_id)
    async with broken.lifespan(platform):
        transport = httpx.ASGITransport(AsgiApplication(service_alone(broken, platform)))
        async with httpx.AsyncClient(transport=transport, base_url="http://docs") as client:
            answer = await client.get("/swagger.json")
            assert (answer.status_code, answer.headers["Error-Code"]) == (503, "description-missing")
            assert isinstance(answer.json()["detail"], str)
            assert (await client.get("/")).status_code == 200
            readiness = await client.get("/readiness")
            assert (readiness.status_code, readiness.json()["checks"]["description"]) == (503, False)


def _again(service: Service) -> Any:
    """Register one of the service's routes under a second path.

    A description cannot contain two operations with the same id.
    """
    return [replace(service.routes[0], path="/again")]
