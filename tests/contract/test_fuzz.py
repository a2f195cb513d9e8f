"""Every operation of every description against generated calls, good and bad: never a 5xx, always what is described."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from balcao import app
from balcao.core.service import Service
from tests.support.issuer import Issuer
from tests.support.operations import CLOSES_A_SERVICE
from tests.support.sandbox import Sandbox

DESCRIPTIONS = Path(__file__).parents[2] / "openapi"  # those of the code: a test of the command sees to it


def operations(service: Service) -> Iterator[tuple[Service, str, str]]:
    described = json.loads((DESCRIPTIONS / f"{service.name}.json").read_text())
    for path, item in described["paths"].items():
        methods = [method for method in item if method != "parameters" and not is_endless(item[method])]
        closing = CLOSES_A_SERVICE.replace(".", "_")
        methods = [method for method in methods if item[method]["operationId"] != closing]
        yield from ((service, method, path) for method in methods)


def is_endless(operation: Any) -> bool:
    """A stream of events has tests of its own: nobody reads it to its end."""
    return any("text/event-stream" in response.get("content", ()) for response in operation["responses"].values())


CASES = [case for service in app.SERVICES for case in operations(service)]


@pytest.mark.parametrize(
    ("service", "method", "path"), CASES, ids=[f"{s.name} {method.upper()} {path}" for s, method, path in CASES]
)
def test_generated_calls_are_answered_as_described(
    independent: Sandbox, issuer: Issuer, service: Service, method: str, path: str
) -> None:
    from tests.contract.fuzzing import fuzz

    tokens = {"admin": issuer.admin(), "crm": issuer.machine("crm-sandbox"), "citizen": issuer.person("90000000175")}
    fuzz(service, method, path, independent.url + service.prefix + service.base, tokens)
