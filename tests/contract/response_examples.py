"""Collects an example response of every operation from a platform with the demo data.

Each service's package stores its examples in `response_examples.json`, and the OpenAPI documents show them. `make
examples` writes the files. It replaces an example only if the example's members have changed, so that new ids and times
cause no differences.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import balcao
from balcao.agent_docs.description.examples import make_example
from balcao.core.access.rules import MACHINE
from balcao.developer_portal.descriptions import Document, is_json
from balcao.developer_portal.descriptions import Operation as DescribedOperation
from clients.generator.documents import read_documents
from tests.clients.examples import Described, list_described, make_call, place_of
from tests.support.issuer import bearer
from tests.support.operations import find_machine
from tests.support.sandbox import Sandbox

FILE = "response_examples.json"
# Examples show the form of lists and strings, so long ones are shortened.
MAX_ITEMS = 2
MAX_TEXT = 300
# No type has this many members, so an object with more keys is a map.
MAX_MEMBERS = 60
# An OpenAPI document in a response is reduced to these two members.
DOCUMENT_MEMBERS = ("openapi", "info")
PARAMETER = re.compile(r"\{(\w+)\}")

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class _Creation:
    """A resource that an example call created, with the call's path values."""

    values: dict[str, str]
    body: Mapping[str, Any]


class Collector:
    """A collector that calls every operation with its example. Reads run first and deletions last.

    If a call fails, it is repeated with the path values of a resource that another example created.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._documents = {document.service: document for document in read_documents()}
        self._creations: dict[str, _Creation] = {}

    def collect(self) -> Iterator[tuple[Described, Any]]:
        """Yield every operation whose call succeeded, with its response body."""
        retried = []
        for one in sorted(list_described(self._documents), key=place_of):
            if not has_json_result(one.own):
                continue
            if (body := self._call(one, {})) is not None:
                yield one, body
            else:
                retried.append(one)
        for one in retried:
            if (values := self._find_created(one)) and (body := self._call(one, values)) is not None:
                yield one, body

    def _call(self, one: Described, made: dict[str, str]) -> Any:
        document = self._documents[one.service]
        call = make_call(self._sandbox, document, one)
        names = [parameter.name for parameter in one.own.path_parameters]
        values = dict(zip(names, map(str, call.path), strict=True)) | self._choose_values(one) | made
        path = PARAMETER.sub(lambda found: quote(values[found[1]], safe=""), one.own.path)
        token = self._find_token(one) or call.token
        answer = self._sandbox.http.request(
            one.own.method,
            document.prefix + path,
            params=call.query,
            json=call.body,
            headers=bearer(token) | {"X-Access-Reason": "Atendimento 7"},
        )
        if not answer.is_success or not is_json(answer.headers.get("content-type", "").partition(";")[0]):
            return None
        body = answer.json()
        if one.own.method == "POST" and isinstance(body, dict):
            self._creations[f"{one.service} {one.own.path}"] = _Creation(values, body)
        return body

    def _choose_values(self, one: Described) -> dict[str, str]:
        """Return the path values that leave the demo data usable for other examples."""
        if one.declared.key == "health_units.open_notification":
            return {"cnes": str(self._sandbox.examples["cnes_quiet"])}
        return {}

    def _find_token(self, one: Described) -> str | None:
        """Return a machine's token if the rule allows only the owner or machines. Otherwise return None."""
        machine = find_machine(one.declared)
        if machine is None and one.declared.rule.action == MACHINE and not one.declared.rule.scopes:
            machine = "crm-sandbox"
        return machine and self._sandbox.tokens.client(machine)

    def _find_created(self, one: Described) -> dict[str, str] | None:
        """Return the path values of a resource that was created earlier in the same collection."""
        for place in PARAMETER.finditer(one.own.path):
            created = self._creations.get(f"{one.service} {one.own.path[: place.start()].rstrip('/')}")
            if created is None:
                continue
            for name in (place[1], "id", *created.body):
                if isinstance(value := created.body.get(name), (str, int)):
                    return {**created.values, place[1]: str(value)}
        return None


def has_json_result(operation: DescribedOperation) -> bool:
    """Return whether a successful response has a JSON body."""
    return operation.result is not None and operation.content is not None and is_json(operation.content)


def name_operation(service: str, operation: DescribedOperation) -> str:
    """Return the `operationId` of an operation."""
    return f"{service}_{operation.key}"


def shorten(value: Any) -> Any:
    """Return the body with shortened lists and strings."""
    if isinstance(value, dict):
        if set(DOCUMENT_MEMBERS) <= set(value) and "paths" in value:
            return {name: value[name] for name in DOCUMENT_MEMBERS}
        members = list(value.items())
        return {name: shorten(inner) for name, inner in members[: MAX_ITEMS if len(members) > MAX_MEMBERS else None]}
    if isinstance(value, list):
        return [shorten(item) for item in value[:MAX_ITEMS]]
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return value[:MAX_TEXT].rpartition(" ")[0] + " ..."
    return value


def have_same_members(first: Any, second: Any) -> bool:
    """Return whether two bodies have the same top-level members, or are both lists."""
    if isinstance(first, dict) and isinstance(second, dict):
        return len(first) > MAX_MEMBERS or len(second) > MAX_MEMBERS or set(first) == set(second)
    return type(first) is type(second)


def list_faults(example: Any, operation: DescribedOperation, document: Document) -> list[str]:
    """Return the locations where an example does not match the response schema."""
    from jsonschema import Draft202012Validator  # imported here, because that takes two seconds

    schema = {**(operation.result or {}), "components": {"schemas": document.schemas}}
    return [f"{error.json_path} {error.message[:80]}" for error in Draft202012Validator(schema).iter_errors(example)]


def locate(service: str) -> Path:
    """Return the path of the file with a service's examples."""
    return Path(balcao.__file__).parent / service / FILE


def read_stored(service: str) -> dict[str, Any]:
    """Return a service's stored examples by operation id."""
    file = locate(service)
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


def collect(sandbox: Sandbox) -> dict[str, Any]:
    """Return the platform's shortened response bodies by operation id."""
    schemas = {document.service: document.schemas for document in read_documents()}
    return {
        name_operation(one.service, one.own): shorten(keep_described(body, one.own.result or {}, schemas[one.service]))
        for one, body in Collector(sandbox).collect()
    }


def keep_described(body: Any, schema: Schema, schemas: Mapping[str, Schema]) -> Any:
    """Remove members that the schema does not describe.

    For example, other services in the same process add members to an export.
    """
    described = schemas.get(schema.get("$ref", "").rpartition("/")[2], schema).get("properties")
    if described is None or not isinstance(body, dict):
        return body
    return {name: value for name, value in body.items() if name in described}


def write_stored(answers: Mapping[str, Any]) -> None:
    """Write all examples.

    A stored example does not change if it has the response's members and still fits the schema.
    """
    for document in read_documents():
        stored = read_stored(document.service)
        found = _complete(document, answers)
        for key, operation in list_with_json(document):
            kept = stored.get(key)
            if have_same_members(kept, found[key]) and not list_faults(kept, operation, document):
                found[key] = kept
        text = json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True)
        locate(document.service).write_text(f"{text}\n", "utf-8")


def _complete(document: Document, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return an example for each operation of a service.

    The example is the operation's own response. If it has none, the example is another operation's response with the
    same schema, or is made from the members' examples. A message belongs to one operation, so it is never shared.
    """
    found: dict[str, Any] = {}
    by_schema: dict[str, Any] = {}
    missing = []
    for key, operation in list_with_json(document):
        schema = json.dumps(operation.result)
        if key not in answers:
            missing.append((key, schema))
            continue
        found[key] = answers[key]
        if not have_same_members(found[key], {"message": ""}):
            by_schema.setdefault(schema, found[key])
    for key, schema in missing:
        found[key] = by_schema.get(schema) or make_example(json.loads(schema), document.schemas)
    return found


def list_with_json(document: Document) -> Iterator[tuple[str, DescribedOperation]]:
    """Yield the operations whose success response has a JSON body, with their ids."""
    for operation in document.operations:
        if has_json_result(operation):
            yield name_operation(document.service, operation), operation
