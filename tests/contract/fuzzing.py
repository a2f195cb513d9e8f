"""Calls generated from the descriptions. They are in a separate module because its imports take a second."""

import functools
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from balcao.core.http.shared_refusals import read_responses
from balcao.core.service import Service
from tests.contract.descriptions import is_described, list_undescribed
from tests.support.descriptions import read_description
from tests.support.issuer import bearer
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size


def _read_described(response: Any, case: Any) -> Any:
    """Return the description of a response with this status."""
    return read_responses(case.operation.schema.raw_schema, case.operation.definition.raw)[str(response.status_code)]


def error_code_is_described(_: Any, response: Any, case: Any) -> None:
    """Fail if the response's `Error-Code` is not described for its status."""
    if not (codes := response.headers.get("error-code")):
        return
    described = _read_described(response, case)
    assert is_described(codes[0], described), f"{codes[0]} is not described"


def headers_are_described(_: Any, response: Any, case: Any) -> None:
    """Fail if the response has a header that is not described."""
    described = _read_described(response, case)
    assert list_undescribed(described, response.headers) == []


CHECKS = [
    headers_are_described,
    error_code_is_described,
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def fuzz(service: Service, method: str, path: str, url: str, tokens: dict[str, str]) -> None:
    """Call one operation with each token, and compare each response with the description."""
    operation = schema(service)[path][method]

    @settings(max_examples=size(3, 100), suppress_health_check=list(HealthCheck))
    @given(data=st.data(), who=st.sampled_from(sorted(tokens)))
    def run(data: st.DataObject, who: str) -> None:
        mode = data.draw(st.sampled_from(schemathesis.GenerationMode))
        case = data.draw(operation.as_strategy(generation_mode=mode))
        with requests.Session() as session:
            case.call_and_validate(
                base_url=url, session=session, headers=bearer(tokens[who]), checks=CHECKS, timeout=PATIENCE
            )

    run()


@functools.cache
def schema(service: Service) -> Any:
    return schemathesis.openapi.from_dict(read_description(service))
