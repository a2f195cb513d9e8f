"""The people who call the access service in its tests, and a helper that sends their calls."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx

from tests.support.demo_people import CARLA, MARINA
from tests.support.issuer import bearer

BASE = "/access/api/v1"
CITIZEN, EDITOR, NEWCOMER = "90000000175", "90000020109", "90000040479"
SUPERADMIN = MARINA
ALONE = CARLA  # no test adds this person to any group

Send = Callable[..., httpx.Response]


def sender(http: httpx.Client, token: str) -> Send:
    def send(method: str, path: str, json: Any = None) -> httpx.Response:
        return http.request(method, BASE + path, json=json, headers=bearer(token))

    return send


def make_name() -> str:
    return f"teste:{uuid4().hex}"
