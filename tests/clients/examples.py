"""The example of every operation as a call of a client: whose it is, its values, and what may come of it."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from balcao import app
from balcao.core.http.openapi import find_example
from balcao.core.http.operations import Operation
from balcao.core.http.responses import EVENTS
from tests.support.sandbox import ADMIN, Sandbox

# Reads first, and what deletes last, so that an example finds what it reads.
ORDER = ("GET", "HEAD", "PUT", "POST", "PATCH", "DELETE")
# Statuses that say that the call itself is wrong; the others speak of the data that it found.
WRONG = (400, 401, 403, 405, 413, 415, 422, 500, 502, 503, 504)
# What these examples name has to be made first, and is what the refusal says.
OF_SOMETHING_MADE_BEFORE: dict[str, tuple[int, ...]] = {}


@dataclass
class ExampleCall:
    """A call as both languages read it: `values` are those of the path, in their order."""

    service: str
    key: str
    token: str
    values: list[str]
    body: Any
    is_stream: bool


def list_calls(sandbox: Sandbox) -> list[ExampleCall]:
    """Return the calls of all described operations."""
    return [call for _, call in sorted(_list_ordered(sandbox), key=lambda pair: pair[0])]


def write_calls(sandbox: Sandbox) -> str:
    """Return the calls as JSON."""
    return json.dumps([asdict(call) for call in list_calls(sandbox)])


def check_outcomes(printed: str, sandbox: Sandbox, *, kinds: int) -> list[tuple[str, str, int | str]]:
    """Return what came of every call, as (operation, kind of client, status or name of a fault); none was wrong."""
    outcomes: list[tuple[str, str, int | str]] = [json.loads(line) for line in printed.splitlines()]
    wrong = [
        (key, kind, outcome)
        for key, kind, outcome in outcomes
        if isinstance(outcome, str) or (outcome in WRONG and outcome not in OF_SOMETHING_MADE_BEFORE.get(key, ()))
    ]
    assert not wrong, wrong
    assert len(outcomes) == kinds * len(list_calls(sandbox))
    return outcomes


def _list_ordered(sandbox: Sandbox) -> Iterator[tuple[int, ExampleCall]]:
    for service in app.SERVICES:
        for operation in service.operations():
            if operation.in_description:
                call = ExampleCall(
                    service.name,
                    operation.key.removeprefix(f"{service.name}.").replace(".", "_"),
                    _token_for(sandbox, operation),
                    list(_values_of(sandbox, operation).values()),
                    find_example(operation),
                    EVENTS in operation.media_types,
                )
                yield ORDER.index(operation.method), call


def _values_of(sandbox: Sandbox, operation: Operation) -> dict[str, str]:
    return {name: str(marker.example) for name, marker in operation.signature.path.items()}


def _token_for(sandbox: Sandbox, operation: Operation) -> str:
    """Return the token of the person concerned where they may call, of the CRM's webhook, or of an administrator."""
    if operation.rule.clients:
        return sandbox.tokens.client("crm-sandbox")
    values = _values_of(sandbox, operation)
    return sandbox.tokens.person(values["cpf"] if "cpf" in values and operation.rule.owner else ADMIN)
