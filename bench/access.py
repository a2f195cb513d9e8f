"""The measured operations of access administration. The Go program does not have them."""

import json
from collections.abc import Callable

from bench.cases import Case
from bench.load import COUNTED
from bench.stage import Stage

BASE = "/access/api/v1"
# A path of another application in the demo data. Administrators hold the action that the path requires.
INVOICE = "/iptu/api/v1/boletos/7"
ACTIONS = range(10, 30)


def access_cases(stage: Stage) -> list[Case]:
    """Return the cases. Their requests rotate among the administrators, so that no caller reaches a rate limit."""
    updated = json.dumps({"description": f"Uma ação {COUNTED.decode()}"})
    return [
        staff_case("action_list", stage, lambda _: ("GET", f"{BASE}/actions?limit=50", ""), b'"total":'),
        staff_case("action_get", stage, lambda turn: ("GET", _path(turn), ""), b'"endpoint_count":'),
        staff_case("action_put", stage, lambda turn: ("PUT", _path(turn), updated), b'"endpoint_count":'),
        staff_case("check", stage, lambda _: ("GET", f"{BASE}/check{INVOICE}", ""), b""),
        staff_case("explain", stage, lambda _: ("GET", f"{BASE}/explain?method=GET&path={INVOICE}", ""), b'"allow"'),
    ]


def _path(turn: int) -> str:
    return f"{BASE}/actions/{ACTIONS[turn % len(ACTIONS)]}"


def staff_case(key: str, stage: Stage, ask: Callable[[int], tuple[str, str, str]], expected: bytes) -> Case:
    """Return a case with one request for each administrator.

    `ask` returns the method, path and body of the request with this number.
    """
    requests = [_format(*ask(turn), token) for turn, token in enumerate(stage.administrators)]
    return Case(key, requests, [expected] * len(requests))


def _format(method: str, path: str, body: str, token: str) -> bytes:
    content = body.encode()
    described = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n" if content else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n{described}\r\n"
    return head.encode() + content
