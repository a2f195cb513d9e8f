"""Mappings that are read from an OpenAPI description, then planned and applied (rules: access 4.9)."""

from typing import Any

import httpx
import pytest
import yaml

from balcao.access.documents import openapi
from tests.access import stored
from tests.access.callers import EDITOR, SUPERADMIN, Send, sender
from tests.access.test_catalogue_documents import count
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer

PATH = "/access/api/v1/catalogue/plan/openapi"


@pytest.fixture
def token(issuer: Issuer) -> str:
    return issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]})


@pytest.fixture
def superadmin(http: httpx.Client, token: str) -> Send:
    return sender(http, token)


def describe(stem: str, **paths: Any) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "IPTU", "version": "1"},
        "servers": [{"url": f"https://cidade.example/{stem}/api"}],
        "x-balcao-actions": {f"{stem}:invoice:read": "Consultar boletos", f"{stem}:invoice:pay": "Pagar boletos"},
        "x-balcao-action": f"{stem}:invoice:read",
        "paths": {
            "/boletos": {"get": {"summary": "Boletos", "responses": {"200": {"description": "ok"}}}},
            "/boletos/{numero-do-boleto}/": {
                "parameters": [],
                "get": {"operationId": "lerBoleto"},
                "post": {"x-balcao-action": f"{stem}:invoice:pay"},
            },
        }
        | paths,
    }


def send(http: httpx.Client, token: str, description: Any, query: str = "") -> httpx.Response:
    return http.post(f"{PATH}{query}", json=description, headers=bearer(token))


def list_mapped(superadmin: Send, stem: str) -> dict[str, str]:
    found = superadmin("GET", f"/mappings/list?action_filter={stem}").json()
    return {f"{one['method']} {one['path_pattern']}": one["action"] for one in found}


def test_an_application_is_mapped_and_its_next_release_followed(
    http: httpx.Client, superadmin: Send, token: str
) -> None:
    stem = f"app{stored.make_name().removeprefix('teste:')}"
    planned = send(http, token, describe(stem)).json()
    assert count(planned) == (5, 0, 0, 0)
    assert list_mapped(superadmin, stem) == {}
    assert superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]}).status_code == 200
    one = f"/{stem}/api/boletos/{{numero_do_boleto}}"
    assert list_mapped(superadmin, stem) == {
        f"GET /{stem}/api/boletos": f"{stem}:invoice:read",
        f"GET {one}": f"{stem}:invoice:read",
        f"POST {one}": f"{stem}:invoice:pay",
    }
    assert count(send(http, token, describe(stem)).json()) == (0, 0, 0, 0)
    newer = describe(stem)
    del newer["paths"]["/boletos"]
    assert count(send(http, token, newer).json()) == (0, 0, 0, 0)
    other = superadmin("POST", "/mappings", {
        "path_pattern": f"/{stem}/api2", "method": "GET",
        "action_id": superadmin("GET", f"/actions?search={stem}").json()["actions"][0]["id"],
    })  # fmt: skip
    assert other.status_code == 201
    planned = send(http, token, newer, "?prune=true").json()
    assert [item["key"] for item in planned["delete"]] == [f"GET /{stem}/api/boletos"]
    assert superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]}).status_code == 200
    assert f"GET /{stem}/api2" in list_mapped(superadmin, stem)
    assert f"GET /{stem}/api/boletos" not in list_mapped(superadmin, stem)


def test_yaml_a_prefix_and_an_action_for_all_do_as_well(http: httpx.Client, token: str, sql: Sql) -> None:
    stem = stored.make_name().replace(":", "")
    content = yaml.safe_dump({"openapi": "3.0.3", "paths": {"/": {"get": {}}, "/a/{1}": {"put": {}, "trace": {}}}})
    query = f"?prefix=/{stem}&action=pets:read"
    planned = http.post(f"{PATH}{query}", content=content, headers=bearer(token)).json()
    assert [item["key"] for item in planned["create"]] == [f"GET /{stem}", f"PUT /{stem}/a/{{_1}}"]
    assert {item["after"]["action"] for item in planned["create"]} == {"pets:read"}


@pytest.mark.parametrize(
    ("changed", "query", "loc"),
    [
        ({"x-balcao-action": None}, "", ["body", "paths", "/boletos", "get"]),
        ({"openapi": "2.0"}, "", ["body", "openapi"]),
        ({"paths": []}, "", ["body", "paths"]),
        ({"paths": {"/a//b": {"get": {}}}}, "", ["body", "mappings", "0", "path"]),
        ({"paths": {"/a/{x}": {"get": {}}, "/a/{y}": {"get": {}}}}, "", ["body", "mappings"]),
        ({"servers": [{"url": "http://[x"}]}, "", ["body", "servers", "0", "url"]),
        ({"servers": []}, "?prune=true", ["query", "prefix"]),
        ({}, "?prefix=iptu", ["query", "prefix"]),
    ],
)
def test_what_cannot_be_mapped_is_named(
    http: httpx.Client, token: str, changed: dict[str, Any], query: str, loc: list[str]
) -> None:
    refused = send(http, token, describe("iptux") | changed, query)
    assert (refused.status_code, refused.json()["detail"][0]["loc"]) == (422, loc)


def test_an_unknown_action_and_a_path_of_the_platforms_own_block_the_plan(http: httpx.Client, token: str) -> None:
    description = {
        "openapi": "3.1.0",
        "paths": {
            "/registry/v1/citizen/{cpf}/pets": {"get": {"x-balcao-action": "pets:write"}},
            "/outra": {"get": {"x-balcao-action": "ninguem:criou"}},
        },
    }
    planned = send(http, token, description).json()
    assert {one["code"] for one in planned["blocked"]} == {"mapping-exists", "action-unknown"}


def test_it_is_for_readers_of_the_catalogue(http: httpx.Client, issuer: Issuer) -> None:
    assert send(http, issuer.person(EDITOR), describe("iptux")).status_code == 403
    reader = issuer.person(EDITOR, realm_access={"roles": ["acessos:leitor"]})
    assert send(http, reader, describe("iptux")).status_code == 200


def test_the_action_of_a_path_holds_for_its_operations_before_that_of_the_whole() -> None:
    paths = {"/a": {"x-balcao-action": "iptu:path:read", "get": {}}, "/b": {"get": {}}}
    described = openapi.OpenApi.model_validate({"openapi": "3.1.0", "paths": paths})
    made = openapi.to_document(described, openapi.OpenApiQuery(prefix="/iptu", action="iptu:all:read"))
    assert {one.path: one.action for one in made.mappings} == {"/iptu/a": "iptu:path:read", "/iptu/b": "iptu:all:read"}
