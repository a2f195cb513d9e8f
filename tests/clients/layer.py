"""Helpers for the tests of our Python client's runtime layer: platform responses, and the type of a call."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.http_receiver import Answer, Receiver

CALLER = "token"
# A function that makes calls with one client, one after the other, and returns their results. Iterators become lists.
Calling = Callable[..., list[Any]]


def answer(status: int, body: object = None, **headers: str) -> Answer:
    """Return a response in the form that the platform sends."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, b"" if body is None else json.dumps(body).encode(), named)


def provider(platform: Receiver) -> dict[str, str]:
    """Return the discovery document of a provider that runs at the receiver's address."""
    return {"authorization_endpoint": f"{platform.url}/login", "token_endpoint": f"{platform.url}/token"}
