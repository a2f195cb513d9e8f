"""The sandbox's stand-in for a message gateway: takes the codes that the platform sends to phones and shows them.

It lives in the sandbox's own server because that is one process and on the loopback address, whichever and however many
processes serve the API and run the jobs.
"""

import secrets
from collections import deque
from datetime import UTC, datetime
from typing import Any

import msgspec
from litestar import Request, Response, get, post
from litestar.handlers import HTTPRouteHandler

Call = Request[Any, Any, Any]
KEPT = 1_000


class Sent(msgspec.Struct):
    """`to` is in E.164."""

    to: str
    code: str
    text: str = ""
    at: datetime = msgspec.field(default_factory=lambda: datetime.now(UTC))


class Mailbox:
    """The newest codes, oldest first; `secret` is what the platform shows as its right to send."""

    def __init__(self, secret: str) -> None:
        self._authorization = f"Bearer {secret}".encode()
        self._sent: deque[Sent] = deque(maxlen=KEPT)

    def admits(self, authorization: str | None) -> bool:
        return secrets.compare_digest((authorization or "").encode(), self._authorization)

    def take(self, sent: Sent) -> None:
        self._sent.append(sent)

    def listed(self, to: str | None) -> list[Sent]:
        return [sent for sent in self._sent if to in (None, sent.to)]


@post("/_sandbox/codes")
async def take_code(request: Call) -> Response[Any]:
    mailbox: Mailbox = request.app.state.mailbox
    if not mailbox.admits(request.headers.get("Authorization")):
        return Response({"error": "unauthorized"}, status_code=401)
    try:
        mailbox.take(msgspec.json.decode(await request.body(), type=Sent))
    except msgspec.MsgspecError as fault:
        return Response({"error": str(fault)}, status_code=400)
    return Response(None, status_code=204)


@get("/_sandbox/codes")
async def list_codes(request: Call) -> list[dict[str, Any]]:
    """All, or those sent to one number: `?to=+5521999999999`, where the `+` may have become a blank."""
    mailbox: Mailbox = request.app.state.mailbox
    to = request.query_params.get("to")
    wanted = None if to is None else f"+{to.strip().removeprefix('+')}"
    return [msgspec.to_builtins(sent) for sent in mailbox.listed(wanted)]


ROUTES: list[HTTPRouteHandler] = [take_code, list_codes]
