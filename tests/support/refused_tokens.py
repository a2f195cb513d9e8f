"""Checks that every operation refuses tokens that grant nothing, and all in the same way.

Public operations are left out.
"""

from collections.abc import Mapping

import httpx
import msgspec

from tests.support.operations import Served, all_operations

GUARDED = [served for served in all_operations() if not served.public]


def assert_refused_alike(http: httpx.Client, headers: Mapping[str, str | None], served: Served) -> None:
    """Check that every `Authorization` value gets the same 401, in the error format of the operation."""
    answers = {}
    for name, value in headers.items():
        sent = [(b"Authorization", value.encode("latin-1"))] if value is not None else []
        answers[name] = http.request(served.method, served.filled(), headers=sent)
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(headers, 401)
    assert {answer.headers["www-authenticate"] for answer in answers.values()} == {"Bearer"}
    assert {frozenset(answer.json()) for answer in answers.values()} == {
        frozenset(field.name for field in msgspec.structs.fields(served.operation.dialect.schema) if field.required)
    }
