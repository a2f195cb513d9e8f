"""Every row and error of the specification, called through the gateway with the demo data."""

import re
from typing import Any

import httpx
import pytest

from tests.contract.table import CASES, Case
from tests.support.body_shapes import differences
from tests.support.issuer import bearer
from tests.support.sandbox import Sandbox
from tools.error_codes import PACKAGES, declared

# The expression matches every code in docs/reference/errors.md.
EXPLAINED = re.compile(
    "|".join(re.escape(code).replace("<field>", r"[\w.\[\]]+") for package in PACKAGES for code in declared(package))
)


@pytest.mark.cases("registry", "A8")
def test_the_contract_table_holds(sandbox: Sandbox) -> None:
    """The rows must run in order, because some rows delete data that later rows expect to be missing."""
    faults = [f"{case}: {fault}" for case in CASES for fault in check(sandbox, case)]
    assert faults == []


def check(sandbox: Sandbox, case: Case) -> list[str]:
    answer = call(sandbox, case)
    if answer.status_code != case.status:
        return [f"{answer.status_code} instead of {case.status}: {answer.text[:200]}"]
    faults = differences(answer.json(), case.shape)
    faults += [] if answer.headers["content-type"] == "application/json" else ["no application/json"]
    faults += [] if answer.headers.get("x-request-id") else ["no request id"]
    if case.status >= 400 and not EXPLAINED.fullmatch(code := answer.headers.get("error-code", "")):
        faults.append(f"an Error-Code that no page explains: {code!r}")
    if case.status == 401 and answer.headers.get("www-authenticate") != "Bearer":
        faults.append("no WWW-Authenticate")
    return faults


def call(sandbox: Sandbox, case: Case) -> httpx.Response:
    headers = dict(case.headers)
    if case.who is not None:
        headers |= bearer(sandbox.tokens.person(case.who) if case.who.isdigit() else sandbox.tokens.client(case.who))
    body = filled(case.body, sandbox.examples)
    path = case.path.format(**sandbox.examples)
    return sandbox.http.request(case.method, path, json=body, content=case.content, headers=headers)


def filled(body: Any, examples: dict[str, Any]) -> Any:
    if not isinstance(body, dict):
        return body
    return {key: value.format(**examples) if isinstance(value, str) else value for key, value in body.items()}


@pytest.mark.parametrize("operation", sorted({case.operation for case in CASES}))
def test_every_operation_has_a_success_and_a_refusal_or_is_public(operation: str) -> None:
    statuses = {case.status for case in CASES if case.operation == operation}
    assert statuses & {200, 202}
    assert 401 in statuses or operation in {"gender options", "health check", "description"}
