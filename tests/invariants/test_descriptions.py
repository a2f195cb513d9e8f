"""What integrators find in the OpenAPI documents: operations, parameters and members explained, bodies that work."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pydantic
import pytest

from balcao import app
from balcao.core.http.openapi import describe
from balcao.core.http.operations import Operation
from balcao.core.service import Service
from tests.support import node

FOLDER = Path(__file__).parents[2] / "openapi"
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
def test_every_member_has_a_description(service: Service) -> None:
    schemas = describe(service)["components"]["schemas"]
    members = [(f"{name}.{key}", each) for name, schema in schemas.items() for key, each in _members(schema)]
    assert [name for name, each in members if not each.get("description")] == []


def _members(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from schema.get("properties", {}).items()


@each_service
def test_every_body_has_an_example_of_its_own_type(service: Service) -> None:
    for operation, kind in with_body(service):
        assert operation.example is not None, operation.key
        if issubclass(kind, pydantic.BaseModel):
            kind.model_validate(operation.example)
        else:
            msgspec.convert(operation.example, kind)


@each_service
def test_every_response_names_its_headers_and_every_error_its_codes(service: Service) -> None:
    for name, operation in operations(service):
        for status, response in operation["responses"].items():
            assert "X-Request-ID" in response["headers"], name
            if status == "503" and response["content"] == operation["responses"].get("200", {}).get("content"):
                continue  # who is not ready says so in the words of readiness, not as an error
            if int(status) >= 400:
                assert "Error-Code" in response["headers"], name
                assert "\n- `" in response["description"], (name, status)
            if status in {"429", "503"}:
                assert "Retry-After" in response["headers"], name
            if status == "304":
                assert "ETag" in response["headers"], name


@each_service
def test_one_schema_stands_for_one_type(service: Service) -> None:
    """Of two types with one name msgspec and pydantic make names with the modules' path in them."""
    names = describe(service)["components"]["schemas"]
    assert [name for name in names if "." in name or "__" in name or "_balcao" in name] == []


@each_service
def test_the_addresses_are_complete(service: Service) -> None:
    document = describe(service)
    assert [server["url"] for server in document["servers"]] == [f"http://127.0.0.1:8080{service.prefix}{service.base}"]
    assert document["info"]["description"]
    assert document["info"]["contact"]


@pytest.mark.node
@pytest.mark.parametrize(
    ("tool", "options"),
    [
        ("spectral", ["lint", "--fail-severity", "hint", "--ruleset", ".spectral.yaml"]),
        ("redocly", ["lint", "--max-problems", "1000"]),
    ],
)
def test_the_documents_are_as_the_linters_want_them(tool: str, options: list[str]) -> None:
    done = node.run(tool, *options, *sorted(path.name for path in FOLDER.glob("*.json")), folder=FOLDER)
    assert done.returncode == 0, done.stdout
    assert "warning" not in (done.stdout + done.stderr).lower().replace("deprecation warning", ""), done.stderr
