"""What the tests of our Python client's own layer share: the platform's answers, and ways to call the client."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.http_receiver import Answer, Receiver

CALLER = "token"
# Runs calls one after another with one client. Returns the result of each; the items of an iterator come as a list.
Calling = Callable[..., list[Any]]


def answer(status: int, body: object = None, **headers: str) -> Answer:
    """Return a response of the platform."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, b"" if body is None else json.dumps(body).encode(), named)


def provider(platform: Receiver) -> dict[str, str]:
    """Return the discovery document of a provider at the receiver's address."""
    return {"authorization_endpoint": f"{platform.url}/login", "token_endpoint": f"{platform.url}/token"}
