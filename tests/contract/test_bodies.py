"""Every operation that accepts a body rejects each invalid body as described."""

import gzip
from collections.abc import Iterator, Mapping
from typing import Any, get_origin

import httpx
import pytest

from balcao import app
from balcao.core.access.rules import own_only
from balcao.core.http.decoding import MAX_DEPTH, MAX_VALUES
from balcao.core.http.operations import Operation
from balcao.core.http.shared_refusals import read_responses
from balcao.core.service import Service
from tests.contract.descriptions import is_described, list_undescribed
from tests.support.descriptions import read_description
from tests.support.issuer import bearer
from tests.support.operations import find_machine
from tests.support.sandbox import ADMIN, Sandbox

BODIES = {
    "nothing": b"",
    "blank": b" ",
    "no JSON": b"{",
    "not UTF-8": b'{"a": "\xe9"}',
    "a list": b"[1]",
    "a text": b'"a"',
    "null": b"null",
    "deeper than any": b'{"a":' * (MAX_DEPTH + 1) + b"0" + b"}" * (MAX_DEPTH + 1),
    "more values than any": b"[" + b"0," * MAX_VALUES + b"0]",
}
# Error codes for an operation that accepts an object.
CODES = {
    "nothing": "body-missing",
    "blank": "body-missing",
    "no JSON": "body-malformed",
    "not UTF-8": "body-malformed",
    "a list": "body-not-object",
    "a text": "body-not-object",
    "null": "body-not-object",
    "deeper than any": "body-too-deep",
    "more values than any": "body-too-many-values",
}
OF_AN_ARRAY = {"a list": "body-invalid", "a text": "body-not-array", "null": "body-not-array"}


@pytest.mark.parametrize("service", app.SERVICES, ids=app.NAMES)
def test_a_body_that_no_operation_takes_is_refused_as_described(independent: Sandbox, service: Service) -> None:
    described = read_description(service)
    paths = described["paths"]
    faults = []
    for operation in service.operations():
        if not operation.in_description or not (operation.signature.body or operation.signature.takes_content):
            continue
        responses = read_responses(described, paths[operation.path][operation.method.lower()])
        bodies = BODIES | {"larger than the limit": b'"' + b"a" * operation.body_limit + b'"'}
        answers = {name: send(independent, service, operation, body) for name, body in bodies.items()}
        answers["compressed"] = send(
            independent, service, operation, gzip.compress(b"{}"), {"Content-Encoding": "gzip"}
        )
        for name, answer in answers.items():
            faults += [f"{operation.key}, {name}: {fault}" for fault in compare(answer, responses)]
        if operation.signature.body is not None:
            found = {name: (answer.status_code, answer.headers["Error-Code"]) for name, answer in answers.items()}
            assert found == dict(list_refusals(operation, bodies)), operation.key
    assert faults == []


def list_refusals(operation: Operation, bodies: Mapping[str, bytes]) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yield the expected status and error code for each of the bodies, and for a compressed body."""
    codes = CODES | (OF_AN_ARRAY if get_origin(operation.signature.body) is list else {})
    too_large = operation.too_large()
    for name, body in bodies.items():
        if len(body) > operation.body_limit:
            yield name, (too_large.status, too_large.code)
        elif operation.dialect.items_schema is not None:  # the operation lists all faults
            yield name, (422, "invalid")
        else:
            yield name, (400, codes[name])
    yield "compressed", (415, "body-compressed")


def compare(answer: httpx.Response, responses: Any) -> Iterator[str]:
    """Yield the ways in which a response differs from its description."""
    described = responses.get(str(answer.status_code))
    if described is None or answer.status_code >= 500:
        yield f"{answer.status_code} {answer.text}"
        return
    yield from list_undescribed(described, answer.headers)
    if answer.status_code >= 400 and not is_described(answer.headers["Error-Code"], described):
        yield answer.headers["Error-Code"]


def send(
    sandbox: Sandbox, service: Service, operation: Operation, body: bytes, headers: dict[str, str] | None = None
) -> httpx.Response:
    """Make the call as an administrator, as a machine, or as the owner if the rule allows only the owner.

    The path values come from the path's own examples.
    """
    values = {name: str(marker.example) for name, marker in operation.signature.path.items()}
    who = values["cpf"] if operation.rule == own_only() else ADMIN
    machine = find_machine(operation)
    token = sandbox.tokens.person(who) if machine is None else sandbox.tokens.client(machine)
    path = service.prefix + service.base + operation.path.format(**values)
    return sandbox.http.request(operation.method, path, content=body, headers=bearer(token) | (headers or {}))
