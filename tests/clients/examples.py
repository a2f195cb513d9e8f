"""Calls built from the operations' examples, and the results that each may have.

A proof calls every operation. An ordinary run calls one operation of each kind. `_kind_of` includes the service, and
everything that affects the generated code.
"""

import json
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from balcao import app
from balcao.core.access.rules import MACHINE
from balcao.core.http.operations import Operation
from balcao.developer_portal.descriptions import Document, name_of
from balcao.developer_portal.descriptions import Operation as DescribedOperation
from balcao.developer_portal.snippets import find_values, write_snippets
from clients.generator.documents import read_documents
from tests.support.operations import CLOSES_A_SERVICE
from tests.support.proof_sizes import FULL, one_of_each
from tests.support.sandbox import ADMIN, Sandbox

# Reads run first and deletions last, so that examples find the data that they need. CLOSES_A_SERVICE comes right before
# the deletions, because one of them ends the maintenance.
ORDER = ("GET", "HEAD", "PUT", "POST", "PATCH", CLOSES_A_SERVICE, "DELETE")
# Statuses that mean that the call itself is faulty. Other statuses depend on the stored data.
WRONG = (400, 401, 403, 405, 413, 415, 422, 500, 502, 503, 504)
# Statuses in WRONG that are correct for these operations: the example's caller lacks a right, the action is defined in
# code, the ticket or handle has expired, the application exists, or an earlier call has taken the name or deleted the
# category.
EXPECTED = {
    "access.create_action": (400,),
    "access.delete_action": (403,),
    "employability.submit_application": (400,),
    "health_units.stream_changes_by_ticket": (401, 403),
    "registry.check_recipients": (422,),
    "registry.choose_notification_category": (422,),
    "registry.identify_citizen": (400,),
}
# Operations whose rule allows every token, but whose use case allows only machines.
OF_MACHINES = {"access.list_own_calls"}
# The operation and the kind of client, and the status or the error's name.
Outcome = tuple[str, str, int | str]
CHECKS = ("access.check_headers_", "access.check_path_")


@dataclass
class ExampleCall:
    """A call, and the code that the portal shows for it in each language. `path` holds the path values in order."""

    service: str
    key: str
    token: str
    path: list[Any]
    query: Mapping[str, Any]
    body: Any
    is_stream: bool
    takes_reason: bool
    curl: str
    python: str
    typescript: str


def list_calls(sandbox: Sandbox) -> list[ExampleCall]:
    """Return the calls in the order in which they must run."""
    documents = {document.service: document for document in read_documents()}
    chosen = one_of_each(_kind_of, sorted(list_described(documents), key=place_of))
    return [make_call(sandbox, documents[one.service], one) for one in chosen]


def write_calls(sandbox: Sandbox) -> str:
    """Return the calls as JSON."""
    return json.dumps([asdict(call) for call in list_calls(sandbox)])


def read_outcomes(printed: str) -> list[Outcome]:
    """Parse the results that a client printed."""
    return [json.loads(line) for line in printed.splitlines()]


def check_outcomes(outcomes: list[Outcome], sandbox: Sandbox, *, kinds: int) -> list[Outcome]:
    """Check that no call was faulty, and return the results."""
    wrong = [
        (key, kind, outcome)
        for key, kind, outcome in outcomes
        if isinstance(outcome, str) or (outcome in WRONG and not _is_expected(key, outcome))
    ]
    assert not wrong, wrong
    assert len(outcomes) == kinds * len(list_calls(sandbox))
    return outcomes


def _is_expected(key: str, outcome: int) -> bool:
    return outcome in EXPECTED.get(key, ()) or (outcome == 403 and key.startswith(CHECKS))


class Described(NamedTuple):
    """An operation, as its route declares it and as its document describes it."""

    service: str
    declared: Operation
    own: DescribedOperation


def list_described(documents: Mapping[str, Document]) -> Iterator[Described]:
    for service in app.SERVICES:
        described = {each.key: each for each in documents[service.name].operations}
        for operation in service.operations():
            if operation.accepts:  # the example sends a file from the reader's machine
                continue
            if operation.in_description and (FULL or operation.key != CLOSES_A_SERVICE):
                own = described[operation.key.removeprefix(f"{service.name}.").replace(".", "_")]
                yield Described(service.name, operation, own)


def place_of(one: Described) -> int:
    return ORDER.index(one.declared.key if one.declared.key == CLOSES_A_SERVICE else one.declared.method)


def _kind_of(one: Described) -> Hashable:
    own, values, schema = one.own, find_values(one.service, one.own), one.own.body or {}
    path = tuple(map(type, values.path))
    body = (values.body is None, name_of(schema) is None, name_of(schema.get("items", {})) is None)
    rest = (bool(values.query), values.reason is None, own.is_public, own.is_stream, own.content, own.keyed)
    return one.service, own.method, path, body, rest


def make_call(sandbox: Sandbox, document: Document, one: Described) -> ExampleCall:
    values = find_values(one.service, one.own)
    return ExampleCall(
        one.service,
        one.own.key,
        token_for(sandbox, one.declared),
        values.path,
        values.query,
        values.body,
        one.own.is_stream,
        values.reason is not None,
        *write_snippets(document, one.own, sandbox.url),
    )


def token_for(sandbox: Sandbox, operation: Operation) -> str:
    """Return a token that may make the call.

    It is the owner's, a machine's if only machines may call, or an administrator's.
    """
    path = operation.signature.path
    if "cpf" in path and operation.rule.owner:
        return sandbox.tokens.person(str(path["cpf"].example))
    if operation.rule.action == MACHINE or operation.key in OF_MACHINES:
        return sandbox.tokens.client("balcao-platform" if operation.rule.scopes else "crm-sandbox")
    return sandbox.tokens.person(ADMIN)
