"""The OpenAPI documents describe everything that integrators need, and code generators can process them."""

import functools
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from openapi_schema_validator import OAS31Validator

from balcao import app
from balcao.core.access.rules import public
from balcao.core.audit.personal_data import list_export_members
from balcao.core.http import openapi, pages
from balcao.core.http.decoding import is_model
from balcao.core.http.error_codes import codes_by_status
from balcao.core.http.operations import Operation, Routes
from balcao.core.http.responses import Response
from balcao.core.http.shared_refusals import read_responses
from balcao.core.service import Service
from balcao.registry import SERVICE as REGISTRY
from balcao.registry.person.files.service import ContentLost

describe = functools.cache(openapi.describe_api)
METHODS = {"get", "put", "post", "patch", "delete"}
each_service = pytest.mark.parametrize("service", app.SERVICES, ids=app.NAMES)


def operations(service: Service) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in describe(service)["paths"].items():
        yield from ((f"{method.upper()} {path}", item[method]) for method in METHODS & set(item))


def with_body(service: Service) -> Iterator[tuple[Operation, Any]]:
    for operation in service.operations():
        if operation.in_description and (kind := operation.signature.body or operation.described_body):
            yield operation, kind


@each_service
def test_a_refusal_of_several_operations_is_written_once_and_read_as_before(service: Service) -> None:
    served = json.loads(pages.document(service))
    for path, item in describe(service)["paths"].items():
        for method in METHODS & set(item):
            assert read_responses(served, served["paths"][path][method]) == item[method]["responses"]
    inline = [
        json.dumps(response, sort_keys=True)
        for item in served["paths"].values()
        for method in METHODS & set(item)
        for status, response in item[method]["responses"].items()
        if status >= "400" and "$ref" not in response
    ]
    shared = [json.dumps(response, sort_keys=True) for response in served["components"]["responses"].values()]
    assert len({*inline, *shared}) == len(inline) + len(shared)


def test_every_operation_that_stores_or_reads_a_file_names_the_error_of_the_storage() -> None:
    """The operations reach the error only through the storage's interface."""
    found = dict(operations(REGISTRY))
    paths = ("/citizen/{cpf}/files", "/citizen/{cpf}/files/{file_id}/content")
    names = (f"POST {paths[0]}", f"GET {paths[1]}", "GET /admin/maintenance-requests/{number}/files/{file_id}")
    assert [name for name in names if "`file-storage-down`" not in found[name]["responses"]["503"]["description"]] == []


def test_an_error_without_its_own_code_has_the_code_of_its_base_class() -> None:
    """The base class is in another package than the subclass, whose package does not explain the code."""

    async def fail() -> Response[None]:
        raise ContentLost

    fail.__module__ = "balcao.registry.example"  # the code of other packages is not inspected
    routes = Routes()
    routes.get("/lost", "test.lost", public(), "Perdido")(fail)
    (operation,) = routes.declared
    assert "file-storage-down" in codes_by_status(operation, [503])[503]


@each_service
def test_no_schema_has_the_name_of_the_constructor_that_generators_make(service: Service) -> None:
    """Generators for Go create a function `NewAvatar` for a type `Avatar`."""
    names = set(describe(service)["components"]["schemas"])
    assert {name for name in names if name.startswith("New") and name.removeprefix("New") in names} == set()


@each_service
def test_no_parameter_brings_a_title_or_an_empty_default(service: Service) -> None:
    """Generators name a type after its title, so two types with one title would collide.

    Some generators cannot express an empty list as a default.
    """
    for name, operation in operations(service):
        for parameter in operation.get("parameters", ()):
            schema = parameter.get("schema", {})
            assert "title" not in schema, (name, parameter["name"])
            assert schema.get("default") != [], (name, parameter["name"])


@each_service
def test_no_sent_body_has_an_empty_list_or_object_as_its_default(service: Service) -> None:
    """Some generators share one default object among all bodies. Other generators write code that does not compile."""
    schemas = describe(service)["components"]["schemas"]
    waiting = {name for _, operation in operations(service) for name in _named(operation.get("requestBody", {}))}
    sent: set[str] = set()
    while waiting:
        sent |= waiting
        waiting = {inner for each in waiting for inner in _named(schemas[each])} - sent
    members = [(f"{name}.{key}", each) for name in sent for key, each in _members(schemas[name])]
    assert {name for name, each in members if each.get("default") in ([], {})} == set()


@each_service
def test_no_member_is_a_discriminated_union_without_a_name(service: Service) -> None:
    """Each generator would invent its own name for a union."""
    schemas = describe(service)["components"]["schemas"]
    members = [(f"{name}.{key}", each) for name, schema in schemas.items() for key, each in _members(schema)]
    assert {name for name, each in members if "discriminator" in each} == set()


@each_service
def test_no_value_of_a_path_is_called_data(service: Service) -> None:
    """Generators for TypeScript name the body `data`, so a function would get two parameters with that name."""
    assert {path for path in describe(service)["paths"] if "{data}" in path} == set()


@each_service
def test_every_operation_has_a_summary_a_description_and_a_described_tag(service: Service) -> None:
    tags = {tag["name"] for tag in describe(service)["tags"] if tag["description"]}
    found = list(operations(service))
    assert [name for name, each in found if not each.get("description")] == []
    assert [name for name, each in found if not each["summary"] or not set(each.get("tags", ())) & tags] == []


@each_service
def test_every_parameter_has_a_description(service: Service) -> None:
    parameters = [(name, each) for name, operation in operations(service) for each in operation.get("parameters", ())]
    assert [f"{name}: {each['name']}" for name, each in parameters if not each.get("description")] == []


@each_service
def test_nobody_is_asked_why_where_everybody_may_call(service: Service) -> None:
    """Staff give a reason when they read another person's data. A public operation needs no reason."""
    asked = {
        name
        for name, operation in operations(service)
        if "X-Access-Reason" in {each["name"] for each in operation.get("parameters", ())}
        and operation["x-access-rule"] == "public"
    }
    assert asked == set()


@each_service
def test_every_member_has_a_description(service: Service) -> None:
    schemas = describe(service)["components"]["schemas"]
    members = [(f"{name}.{key}", each) for name, schema in schemas.items() for key, each in _members(schema)]
    assert [name for name, each in members if not each.get("description")] == []


def _members(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from schema.get("properties", {}).items()


@pytest.mark.parametrize("key", ["registry.export_data", "employability.export_data"])
def test_every_member_of_a_persons_export_has_a_type(key: str) -> None:
    """Each feature declares complete types for the rows that it exports, so that generated clients are typed too."""
    service = next(each for each in app.SERVICES if key.startswith(f"{each.name}."))
    document = describe(service)
    schemas = document["components"]["schemas"]
    (operation,) = (each for _, each in operations(service) if each["operationId"] == key.replace(".", "_"))
    (name,) = _named(operation["responses"]["200"])
    declared = [member.name for member in list_export_members(service.personal_data)]
    assert declared == [member for member in schemas[name]["properties"] if member in declared]
    reached: set[str] = set()
    waiting = {name}
    while waiting:
        reached |= waiting
        waiting = {inner for each in waiting for inner in _named(schemas[each])} - reached
    untyped = {path for each in reached for path in _untyped(schemas[each], each)}
    assert untyped == FREE & untyped


# these data have the format in which the city loads them
FREE = {"Company.sucessoes[]"}
_TYPED = {"$ref", "type", "anyOf", "enum", "const"}


def _named(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return {name for each in schema for name in _named(each)}
    if not isinstance(schema, dict):
        return set()
    own = {str(schema["$ref"]).rpartition("/")[2]} if "/schemas/" in str(schema.get("$ref", "")) else set()
    return own | {name for each in schema.values() for name in _named(each)}


def _untyped(schema: dict[str, Any], path: str) -> Iterator[str]:
    """Yield the paths at which a schema allows any value."""
    if not _TYPED & set(schema) or (
        schema.get("type") == "object" and not {"properties", "additionalProperties"} & set(schema)
    ):
        yield path
    for name, member in schema.get("properties", {}).items():
        yield from _untyped(member, f"{path}.{name}")
    for option in schema.get("anyOf", ()):
        yield from _untyped(option, path)
    if schema.get("type") == "array":
        yield from _untyped(schema["items"], f"{path}[]")


@each_service
def test_every_parameter_has_an_example_and_every_schema_says_what_it_is_for(service: Service) -> None:
    parameters = [(name, each) for name, operation in operations(service) for each in operation.get("parameters", ())]
    assert [f"{name}: {each['name']}" for name, each in parameters if "example" not in each] == []
    schemas = describe(service)["components"]["schemas"]
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []


@each_service
def test_every_header_that_counts_is_a_parameter(service: Service) -> None:
    """An operation that may return 412 has the parameter `If-Match`. The same applies to the other headers.

    Only then can generated clients send these headers.
    """
    for name, operation in operations(service):
        headers = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "header"}
        assert ("If-Match" in headers) == ("412" in operation["responses"]), name
        assert ("If-None-Match" in headers) == ("304" in operation["responses"]), name
        keys = "`idempotency-key-invalid`" in operation["responses"].get("400", {}).get("description", "")
        assert ("Idempotency-Key" in headers) == (keys and name.startswith("POST")), name


@each_service
def test_the_example_of_a_refusal_is_that_of_its_status(service: Service) -> None:
    document = describe(service)
    for name, operation in operations(service):
        for status, response in operation["responses"].items():
            for content in response.get("content", {}).values() if int(status) >= 400 else ():
                if "example" in content:
                    schema = {**content["schema"], "components": document["components"]}
                    OAS31Validator(schema).validate(content["example"])
                    assert content["example"].get("code", int(status)) == int(status), name


@each_service
def test_every_body_has_an_example_of_its_own_type(service: Service) -> None:
    shown = {
        described["operationId"]: described["requestBody"]["content"]["application/json"]["example"]
        for methods in describe(service)["paths"].values()
        for described in methods.values()
        if "application/json" in described.get("requestBody", {}).get("content", {})
    }
    for operation, kind in with_body(service):
        example = shown[operation.key.replace(".", "_")]
        if is_model(kind):
            kind.model_validate(example)
        else:
            msgspec.convert(example, kind)


@each_service
def test_every_response_names_its_headers_and_every_error_its_codes(service: Service) -> None:
    for name, operation in operations(service):
        for status, response in operation["responses"].items():
            assert "X-Request-ID" in response["headers"], name
            if status == "503" and response["content"] == operation["responses"].get("200", {}).get("content"):
                continue  # readiness has its own format, not the error format
            if int(status) >= 400:
                assert "Error-Code" in response["headers"], name
                assert "\n- `" in response["description"], (name, status)
            if status in {"429", "503"}:
                assert "Retry-After" in response["headers"], name
            if status == "304":
                assert "ETag" in response["headers"], name


@each_service
def test_one_schema_stands_for_one_type(service: Service) -> None:
    """If two types share a name, msgspec and pydantic generate schema names that contain module paths."""
    names = describe(service)["components"]["schemas"]
    assert [name for name in names if "." in name or "__" in name or "_balcao" in name] == []


@each_service
def test_the_addresses_are_complete(service: Service) -> None:
    document = describe(service)
    assert [server["url"] for server in document["servers"]] == [f"http://127.0.0.1:8080{service.prefix}{service.base}"]
    assert document["info"]["description"]
    assert document["info"]["contact"]


def test_packages_named_after_the_titles_are_ascii_and_tell_the_services_apart() -> None:
    """Generators build package names from the title, so titles are ASCII. People read the summary."""
    info = [describe(service)["info"] for service in app.SERVICES]
    packages = {"_".join(each["title"].lower().split()) for each in info}
    assert [name for name in packages if not (name.isascii() and name.isidentifier())] == []
    assert len(packages) == len(app.SERVICES)
    assert [each["summary"] for each in info] == [service.title for service in app.SERVICES]
