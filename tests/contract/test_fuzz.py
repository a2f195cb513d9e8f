"""Valid and invalid generated calls. The response is never a 5xx and always matches the description.

An ordinary run calls one operation of each kind. Operations are of one kind if they have the same service, method and
kind of body, and all have or lack path, query and header values. `test_hostile_values` covers the values of every
operation.
"""

from collections.abc import Hashable, Iterator
from typing import Any, TypeAlias

import pytest

from balcao import app
from balcao.core.service import Service
from tests.support.descriptions import read_description
from tests.support.issuer import Issuer
from tests.support.operations import CLOSES_A_SERVICE
from tests.support.proof_sizes import one_of_each
from tests.support.sandbox import Sandbox

DESCRIBED = {service: read_description(service) for service in app.SERVICES}
Case: TypeAlias = tuple[Service, str, str]


def operations(service: Service) -> Iterator[Case]:
    for path, item in DESCRIBED[service]["paths"].items():
        methods = [method for method in item if method != "parameters" and not is_endless(item[method])]
        closing = CLOSES_A_SERVICE.replace(".", "_")
        methods = [method for method in methods if item[method]["operationId"] != closing]
        yield from ((service, method, path) for method in methods)


def is_endless(operation: Any) -> bool:
    """Return whether the operation streams events. Streams never end, so they have their own tests."""
    return any("text/event-stream" in response.get("content", ()) for response in operation["responses"].values())


def kind_of(case: Case) -> Hashable:
    service, method, path = case
    item = DESCRIBED[service]["paths"][path]
    parameters = [*item.get("parameters", ()), *item[method].get("parameters", ())]
    body = item[method].get("requestBody", {}).get("content", {})
    return service.name, method, frozenset(parameter["in"] for parameter in parameters), frozenset(body)


CASES = one_of_each(kind_of, [case for service in app.SERVICES for case in operations(service)])


@pytest.mark.long
@pytest.mark.parametrize(
    ("service", "method", "path"), CASES, ids=[f"{s.name} {method.upper()} {path}" for s, method, path in CASES]
)
def test_generated_calls_are_answered_as_described(
    independent: Sandbox, issuer: Issuer, service: Service, method: str, path: str
) -> None:
    from tests.contract.fuzzing import fuzz

    tokens = {"admin": issuer.admin(), "crm": issuer.machine("crm-sandbox"), "citizen": issuer.person("90000000175")}
    fuzz(service, method, path, independent.url + service.prefix + service.base, tokens)
