"""The exceptions that a call can raise.

BalcaoError
├── ConnectionFailed      no response, or too late; a write may or may not have been applied
├── LoginFailed           the identity provider refused a login or a token, with a reason (`balcao_client.tokens`)
│   └── LoginEnded        the person must log in again
├── UnexpectedResponse    not a response of the platform, or of a version that this client does not support
├── NotModified           304: nothing changed since `if_none_match`
└── Fault                 the platform refused or failed, with a reason
    ├── BadRequest        400
    ├── Unauthenticated   401
    ├── Forbidden         403
    ├── NotFound          404
    ├── Conflict          409
    ├── PreconditionFailed 412
    ├── TooLarge          413
    ├── Unprocessable     422
    ├── TooManyRequests   429
    └── Unavailable       5xx
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import msgspec

from balcao_client.codes import CODES


class BalcaoError(Exception):
    """The base class of all exceptions that a call can raise."""


class ConnectionFailed(BalcaoError):
    """The response did not arrive, or not in time. A write may or may not have been applied."""


class UnexpectedResponse(BalcaoError):
    """The response does not belong to the operation. It may come from a proxy or from another platform version."""


class NotModified(BalcaoError):
    """Nothing has changed since the version given in `if_none_match`."""


class Fault(BalcaoError):
    """A refusal or failure, with the platform's text.

    `code` is stable, so that programs can compare it. `message` is Portuguese text for people. `remedy` explains in
    English how to fix the call, if the code is known. Quote `request_id` to the operators of the platform.
    """

    def __init__(self, response: httpx.Response, service: str = "") -> None:
        self.status = response.status_code
        self.code = response.headers.get("Error-Code", "")
        self.request_id = response.headers.get("X-Request-ID", "")
        self.retry_after = read_retry_after(response)
        self.body = _read_body(response)
        self.items = _read_items(self.body)
        self.message = _read_message(self.body, self.items) or response.reason_phrase
        self.remedy = _find_remedy(service, self.code)
        super().__init__(self._describe())

    def _describe(self) -> str:
        parts = [f"{self.status} {self.code}".strip(), self.message]
        if self.remedy:
            parts.append(self.remedy)
        if self.request_id:
            parts.append(f"request {self.request_id}")
        return " | ".join(parts)


class BadRequest(Fault):
    """400: the request itself is not valid."""


class Unauthenticated(Fault):
    """401: no valid token."""


class Forbidden(Fault):
    """403: the token is valid, but its holder may not make this call."""


class NotFound(Fault):
    """404: the resource does not exist."""


class Conflict(Fault):
    """409: the call conflicts with the current state."""


class PreconditionFailed(Fault):
    """412: the resource has changed since the version given in `if_match`."""


class TooLarge(Fault):
    """413: the body is larger than the operation accepts."""


class Unprocessable(Fault):
    """422: members are invalid or contradict each other. `items` lists them if the service does."""


class TooManyRequests(Fault):
    """429: wait for `retry_after` seconds."""


class Unavailable(Fault):
    """5xx: the platform or one of its upstreams failed. A write may be repeated with the same idempotency key."""


_BY_STATUS: dict[int, type[Fault]] = {
    400: BadRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: PreconditionFailed,
    413: TooLarge,
    422: Unprocessable,
    429: TooManyRequests,
}


def make_fault(response: httpx.Response, service: str = "") -> Fault:
    """Return the exception for a response of 400 or above whose body was read. `service` is the called service."""
    status = response.status_code
    return _BY_STATUS.get(status, Unavailable if status >= 500 else Fault)(response, service)


def read_retry_after(response: httpx.Response) -> float | None:
    """Return the seconds to wait before the next attempt, or None if the response does not contain them.

    A date is compared with the response's own `Date`, so that a wrong local clock has no effect.
    """
    text = response.headers.get("Retry-After", "")
    if text.isascii() and text.isdigit():
        return float(text)
    if (until := _read_date(text)) is None:
        return None
    sent = _read_date(response.headers.get("Date", "")) or datetime.now(UTC)
    return max(0.0, (until - sent).total_seconds())


def _read_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_body(response: httpx.Response) -> Any:
    try:
        return msgspec.json.decode(response.content)
    except msgspec.DecodeError:
        return None


def _read_items(body: Any) -> list[dict[str, Any]]:
    items = body.get("detail") if isinstance(body, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _read_message(body: Any, items: list[dict[str, Any]]) -> str:
    if items:
        return "; ".join(f"{'.'.join(map(str, item.get('loc', ())))}: {item.get('msg', '')}" for item in items)
    if not isinstance(body, dict):
        return ""
    words = (body.get(name) for name in ("error", "message", "detail", "error_description"))
    return next((text for text in words if isinstance(text, str)), "")


def _find_remedy(service: str, code: str) -> str:
    """Return the remedy for a service's error code, or an empty string.

    Try the exact code first, then its pattern: `nome-length` matches `<field>-length`.
    """
    kind = "<field>-" + code.rpartition("-")[2]
    known = (CODES.get(where, {}).get(name) for name in (code, kind) for where in (service, "core", "crm"))
    return next(filter(None, known), "")
