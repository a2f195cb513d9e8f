"""Every operation of every description against generated calls, good and bad: never a 5xx, always what is described."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from balcao import app
from balcao.core.http.pages import document
from balcao.core.service import Service
from balcao.settings import Settings
from tests.support.issuer import Issuer, bearer
from tests.support.sandbox import IndependentTokens, Sandbox, running
from tests.support.server import free_port
from tests.support.sizes import size

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def sandbox(issuer: Issuer, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    fuzzed = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port(), auth_issuer=issuer.address)
    with running(fuzzed, database_url, IndependentTokens(issuer)) as opened:
        yield opened


def operations(service: Service) -> list[schemathesis.APIOperation[Any, Any, Any, Any]]:
    schema = schemathesis.openapi.from_dict(json.loads(document(service)))
    return [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]


CASES = [(service, operation) for service in app.SERVICES for operation in operations(service)]


@pytest.mark.parametrize(("service", "operation"), CASES, ids=[f"{s.name} {o.label}" for s, o in CASES])
def test_generated_calls_are_answered_as_described(
    sandbox: Sandbox, issuer: Issuer, service: Service, operation: schemathesis.APIOperation[Any, Any, Any, Any]
) -> None:
    tokens = {"admin": issuer.admin(), "crm": issuer.machine("crm-sandbox"), "citizen": issuer.person("90000000175")}
    base = sandbox.url + service.prefix + service.base

    @settings(max_examples=size(15, 1_000), suppress_health_check=list(HealthCheck))
    @given(data=st.data(), who=st.sampled_from(sorted(tokens)))
    def run(data: st.DataObject, who: str) -> None:
        mode = data.draw(st.sampled_from(schemathesis.GenerationMode))
        case = data.draw(operation.as_strategy(generation_mode=mode))
        with requests.Session() as session:
            case.call_and_validate(
                base_url=base, session=session, headers=bearer(tokens[who]), checks=CHECKS, timeout=30
            )

    run()
