"""What a call can end in besides its result.

BalcaoError
├── ConnectionFailed      nothing answered, or too late; whether a write was applied is not known
├── LoginFailed           the identity provider refused a login or a token, and said why (`balcao_client.tokens`)
│   └── LoginEnded        the person has to log in again
├── UnexpectedResponse    what answered is not the platform, or one that this client is too old or too new for
├── NotModified           304: nothing changed since `if_none_match`
└── Fault                 the platform refused or failed, and said why
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
    """Anything that a call can end in besides its result."""


class ConnectionFailed(BalcaoError):
    """Nothing answered, or not in time. A write may have been applied or not."""


class UnexpectedResponse(BalcaoError):
    """The response is not what the operation answers with: a proxy's page, or a platform of another edition."""


class NotModified(BalcaoError):
    """Nothing changed since the state that `if_none_match` names."""


class Fault(BalcaoError):
    """A refusal or failure, in the platform's words.

    `code` is stable and made to be compared; `message` is Portuguese text for people; `remedy` says in English how to
    fix the call, where the code is known; `request_id` is what to quote to those who operate the platform.
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
    """400: what was sent is wrong by itself."""


class Unauthenticated(Fault):
    """401: no valid token."""


class Forbidden(Fault):
    """403: the token is valid, and this call is not for its holder."""


class NotFound(Fault):
    """404: nothing is there."""


class Conflict(Fault):
    """409: what is there already stands against it."""


class PreconditionFailed(Fault):
    """412: somebody changed it since the state that `if_match` names."""


class TooLarge(Fault):
    """413: the body is larger than the operation takes."""


class Unprocessable(Fault):
    """422: members are wrong, each listed in `items`, or stand against each other."""


class TooManyRequests(Fault):
    """429: wait for `retry_after` seconds."""


class Unavailable(Fault):
    """5xx: the platform failed, or something behind it; a write may be repeated under the same idempotency key."""


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
    """Return the exception for a response of 400 or above, read to its end; `service` is the one that was called."""
    status = response.status_code
    return _BY_STATUS.get(status, Unavailable if status >= 500 else Fault)(response, service)


def read_retry_after(response: httpx.Response) -> float | None:
    """Return how many seconds to wait before the next try; None where the response does not say.

    A date is compared with the response's own `Date`, so that a wrong clock on this side does not matter.
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
    """Return the remedy of a service's code, or of its kind: `nome-length` is one of `<field>-length`."""
    kind = "<field>-" + code.rpartition("-")[2]
    known = (CODES.get(where, {}).get(name) for name in (code, kind) for where in (service, "core", "crm"))
    return next(filter(None, known), "")
