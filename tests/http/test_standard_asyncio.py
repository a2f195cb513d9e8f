"""Handlers may use every way of waiting that asyncio offers, because each request runs in its own task."""

import httpx
import pytest

from tests.support.server import RunningServer

FORMS = ["timeout", "wait_for", "group", "gather", "client"]


@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize("form", FORMS)
def test_a_handler_waits_by_any_form_of_asyncio(server: RunningServer, form: str, method: str) -> None:
    answer = httpx.request(method, f"{server.url}/asyncio?{form}")
    assert (answer.status_code, answer.text) == (200, form)
