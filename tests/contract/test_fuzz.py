"""Generated calls, valid and invalid, to operations of every description: never a 5xx, and always what is described.

In an ordinary run one operation represents each kind: a service, a method, with or without values in path, query and
headers, and a kind of body. `test_hostile_values` tests the values in bodies and parameters of every operation.
"""

import json
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from balcao import app
from balcao.core.service import Service
from tests.support.issuer import Issuer
from tests.support.operations import CLOSES_A_SERVICE
from tests.support.proof_sizes import one_of_each
from tests.support.sandbox import Sandbox

DESCRIPTIONS = Path(__file__).parents[2] / "openapi"  # another test proves that they match the code
DESCRIBED = {service: json.loads((DESCRIPTIONS / f"{service.name}.json").read_text()) for service in app.SERVICES}
Case: TypeAlias = tuple[Service, str, str]


def operations(service: Service) -> Iterator[Case]:
    for path, item in DESCRIBED[service]["paths"].items():
        methods = [method for method in item if method != "parameters" and not is_endless(item[method])]
        closing = CLOSES_A_SERVICE.replace(".", "_")
        methods = [method for method in methods if item[method]["operationId"] != closing]
        yield from ((service, method, path) for method in methods)


def is_endless(operation: Any) -> bool:
    """Return whether the operation is a stream of events. Streams have their own tests, because they have no end."""
    return any("text/event-stream" in response.get("content", ()) for response in operation["responses"].values())


def kind_of(case: Case) -> Hashable:
    service, method, path = case
    item = DESCRIBED[service]["paths"][path]
    parameters = [*item.get("parameters", ()), *item[method].get("parameters", ())]
    body = item[method].get("requestBody", {}).get("content", {})
    return service.name, method, frozenset(parameter["in"] for parameter in parameters), frozenset(body)


CASES = one_of_each(kind_of, [case for service in app.SERVICES for case in operations(service)])


@pytest.mark.parametrize(
    ("service", "method", "path"), CASES, ids=[f"{s.name} {method.upper()} {path}" for s, method, path in CASES]
)
def test_generated_calls_are_answered_as_described(
    independent: Sandbox, issuer: Issuer, service: Service, method: str, path: str
) -> None:
    from tests.contract.fuzzing import fuzz

    tokens = {"admin": issuer.admin(), "crm": issuer.machine("crm-sandbox"), "citizen": issuer.person("90000000175")}
    fuzz(service, method, path, independent.url + service.prefix + service.base, tokens)
