"""The export of a person's data matches its description, member by member."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from openapi_schema_validator import OAS31Validator, oas31_format_checker

from balcao import app
from balcao.core.audit.personal_data import list_export_members
from balcao.core.http.openapi import describe_api
from balcao.core.service import Service
from balcao_sandbox.identity.demo import people
from tests.support.demo_people import CARLA
from tests.support.issuer import bearer
from tests.support.sample_files import document
from tests.support.sandbox import Sandbox

Schema = dict[str, Any]
JOBS, REGISTRY = (
    next((each, operation.path) for each in app.SERVICES for operation in each.routes if operation.key == key)
    for key in ("employability.export_data", "registry.export_data")
)


def close(schema: Any) -> Any:
    """Return a copy of the schema that forbids undeclared members."""
    if isinstance(schema, list):
        return [close(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: close(each) for name, each in schema.items()}
    return {"additionalProperties": False} | found if isinstance(schema.get("properties"), dict) else found


def describe_members(service: Service, path: str) -> dict[str, Schema]:
    """Return the schema of each member in an operation's export. Each schema is complete without the document."""
    document = describe_api(service)
    response = document["paths"][path]["get"]["responses"]["200"]
    name = response["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    components = {"schemas": close(document["components"]["schemas"])}
    file = document["components"]["schemas"][name]
    assert set(file["required"]) == set(file["properties"])
    return {member: {**close(schema), "components": components} for member, schema in file["properties"].items()}


def describe_members_without_file() -> dict[str, Schema]:
    """Return the schemas of members from services that have no export of their own.

    The registry's export contains these members.
    """
    others = [each for each in app.SERVICES if each.name not in {JOBS[0].name, REGISTRY[0].name}]
    members = list_export_members(declared for each in others for declared in each.personal_data)
    return {member.name: close(msgspec.json.schema(member.kind)) for member in members}


def list_faults(file: dict[str, Any], described: dict[str, Schema]) -> Iterator[str]:
    """Yield each difference between an export and its description. An undescribed member counts as one fault."""
    for name, value in file.items():
        if name not in described:
            yield f"{name}: undeclared"
            continue
        validator = OAS31Validator(described[name], format_checker=oas31_format_checker)
        yield from (f"{name}{error.json_path}: {error.message}" for error in validator.iter_errors(value))


def test_what_is_exported_of_every_person_of_the_demo_is_as_described(independent: Sandbox) -> None:
    """The registry's export also contains members of other services, each described by its own service."""
    jobs, registry = describe_members(*JOBS), describe_members(*REGISTRY)
    everything = jobs | registry | describe_members_without_file()
    fill_what_the_demo_leaves_empty(independent)
    faults: list[str] = []
    filled: set[str] = set()
    for person in people():
        headers = bearer(independent.tokens.person(person.cpf))
        for (service, path), own, described in ((JOBS, jobs, jobs), (REGISTRY, registry, everything)):
            address = service.prefix + service.base + path.format(cpf=person.cpf)
            file = independent.http.get(address, headers=headers).raise_for_status().json()
            assert set(file) >= set(own)
            faults += (f"{person.username}: {fault}" for fault in list_faults(file, described))
            filled |= {name for name, value in file.items() if value}
    assert faults == []
    assert everything.keys() - filled == set(), "empty for every person: `fill_what_the_demo_leaves_empty` fills them"


def fill_what_the_demo_leaves_empty(sandbox: Sandbox) -> None:
    carla = bearer(sandbox.tokens.person(CARLA))
    avatar = sandbox.http.get("/registry/v1/avatars").json()["data"][0]["id"]
    consent = {"categoria": "saude", "acao": "optin", "canal": "email", "finalidade": "Campanhas de saúde"}
    for method, path, body in (
        ("PUT", f"/registry/v1/citizen/{CARLA}/avatar", {"avatar_id": avatar}),
        ("PUT", f"/registry/v1/citizen/{CARLA}/gender", {"valor": "Travesti"}),
        ("PATCH", f"/registry/v1/crm/cidadao/{CARLA}/consentimento", consent),
        ("PUT", f"/jobs/api/v1/empregabilidade/onboarding/{CARLA}/complete", None),
    ):
        sandbox.http.request(method, path, json=body, headers=carla).raise_for_status()
    files = f"/registry/v1/citizen/{CARLA}/files"
    sandbox.http.post(files, content=document(), headers=carla).raise_for_status()


@pytest.mark.parametrize("value", [[{"name": "x"}], "x", [{"inventado": 1}]])
def test_what_is_not_described_is_a_fault(value: Any) -> None:
    described = describe_members(*REGISTRY)
    assert list(list_faults({"autodeclarado": value}, described)) != []
    assert list(list_faults({"inventado": value}, described)) == ["inventado: undeclared"]
