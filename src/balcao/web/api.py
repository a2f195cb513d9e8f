"""HTTP calls to the services with the person's own token. Errors become these exceptions; a 401 is SessionOver.

ApiFault
├── ServiceUnavailable    the service is down, failed (5xx), or sent an unexpected response
│   └── InMaintenance     503, with the operators' text and end
├── RateLimited           429
└── Refused
    ├── NotAllowed        403
    ├── NotFound          404
    ├── Conflict          409
    ├── Outdated          412, 428
    └── ValidationFailed  400, 413, 422
"""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from balcao.core.access.live import MAINTENANCE
from balcao.core.logs import log
from balcao.web.sessions.session import SessionOver

T = TypeVar("T")

READ_TIMEOUT = httpx.Timeout(3.0, connect=2.0)
WRITE_TIMEOUT = httpx.Timeout(10.0, connect=2.0)
# Another caller's image may have to be decoded first, and each image can take 10 seconds.
UPLOAD_TIMEOUT = httpx.Timeout(25.0, connect=2.0)
NO_QUERY: Mapping[str, Any] = {}


class ApiFault(Exception):
    """A failed call. `text` is shown to people, and `request_id` helps the operator find the call in the logs.

    `service` is the path prefix of the called service, if the caller has set it.
    """

    service: str = ""

    def __init__(self, text: str, *, request_id: str = "", status: int = 0) -> None:
        super().__init__(text)
        self.text = text
        self.request_id = request_id
        self.status = status


class ServiceUnavailable(ApiFault):
    pass


class InMaintenance(ServiceUnavailable):
    """A call that was refused during maintenance. `text` is the operators' message. `retry_after` is in seconds."""

    retry_after: int = 1


class RateLimited(ApiFault):
    """A call that was refused because of a rate limit. `retry_after` is in seconds."""

    retry_after: int = 1


@dataclass(frozen=True)
class FieldFault:
    """An error in one member of the body. `path` joins the member's names with dots. It is empty for the whole body."""

    path: str
    text: str


class Refused(ApiFault):
    """A refused call.

    `code` is the value of the `Error-Code` header. `body` is the whole response, because some services add their own
    members.
    """

    code: str = ""
    faults: Sequence[FieldFault] = ()
    body: Any = None


class NotAllowed(Refused):
    pass


class NotFound(Refused):
    pass


class Conflict(Refused):
    pass


class Outdated(Refused):
    pass


class ValidationFailed(Refused):
    pass


_KINDS: Mapping[int, type[Refused]] = {
    400: ValidationFailed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    412: Outdated,
    413: ValidationFailed,
    422: ValidationFailed,
    428: Outdated,
}


@dataclass(frozen=True)
class Read(Generic[T]):
    """A decoded response, with the version (`ETag`) that a later change must send."""

    value: T
    etag: str


@dataclass(frozen=True)
class Block(Generic[T]):
    """The result of a call whose failure the page can tolerate: the value, or the exception if it failed."""

    value: T | None
    fault: ApiFault | None = None


class Api:
    """A client for the services, with the person's token, for one page request.

    Paths include the gateway's prefixes. The body is decoded as `kind`, a type that contains only the members that a
    page uses. Other members are ignored.
    """

    def __init__(self, http: httpx.AsyncClient, base: str, token: str, request_id: str, peer: str) -> None:
        self._http = http
        self._base = base
        self._headers = {"Authorization": f"Bearer {token}", "X-Request-ID": request_id, "X-Forwarded-For": peer}
        self.calls = 0

    async def get(self, path: str, kind: type[T], query: Mapping[str, Any] = NO_QUERY, *, reason: str = "") -> T:
        """Read a resource. Parameters that are None are omitted. `reason` states why a person's data is read."""
        return (await self.read(path, kind, query, reason=reason)).value

    async def read(self, path: str, kind: type[T], query: Mapping[str, Any] = NO_QUERY, *, reason: str = "") -> Read[T]:
        """Read a resource and its version."""
        answer = await self._call("GET", path, query, reason=reason)
        return Read(decode_body(answer, kind), answer.headers.get("etag", ""))

    async def send(
        self,
        method: str,
        path: str,
        kind: type[T],
        body: Any = None,
        query: Mapping[str, Any] = NO_QUERY,
        *,
        etag: str = "",
        key: str = "",
        reason: str = "",
    ) -> T:
        """Write a resource at the version `etag`, at most once for each `key` (`Idempotency-Key`).

        `kind` is `type(None)` for an operation without a response body.
        """
        answer = await self._call(method, path, query, body=body, etag=etag, key=key, reason=reason)
        return decode_body(answer, kind)

    async def upload(self, path: str, kind: type[T], content: bytes, *, key: str = "", reason: str = "") -> T:
        """Send a file as the body, at most once for each `key`."""
        return decode_body(await self._call("POST", path, NO_QUERY, content=content, key=key, reason=reason), kind)

    async def download(self, path: str, query: Mapping[str, Any] = NO_QUERY, *, reason: str = "") -> httpx.Response:
        """Return the undecoded response, for a file that the page passes on to the browser."""
        return await self._call("GET", path, query, reason=reason)

    async def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        *,
        body: Any = None,
        content: bytes | None = None,
        etag: str = "",
        key: str = "",
        reason: str = "",
    ) -> httpx.Response:
        self.calls += 1
        headers: dict[str, str | bytes] = dict(self._headers)
        given = {"If-Match": etag, "Idempotency-Key": key, "X-Access-Reason": reason}
        # httpx encodes text headers as ASCII. A reason contains accents, and a form may send any text as version or
        # key, so send bytes.
        headers |= {name: value.encode() for name, value in given.items() if value}
        timeout = READ_TIMEOUT if method == "GET" else WRITE_TIMEOUT
        if content is not None:
            headers["Content-Type"], timeout = "application/octet-stream", UPLOAD_TIMEOUT
        elif body is not None:
            headers["Content-Type"], content = "application/json", msgspec.json.encode(body)
        try:
            answer = await self._http.request(
                method,
                self._base + path,
                params=[pair for name, value in query.items() for pair in list_pairs(name, value)],
                content=content,
                headers=headers,  # type: ignore[arg-type] # httpx also accepts bytes
                timeout=timeout,
            )
        except httpx.HTTPError as fault:
            log.warning("pages.api_away", code=type(fault).__name__)
            raise ServiceUnavailable(
                "O serviço não respondeu a tempo.", request_id=str(self._headers["X-Request-ID"])
            ) from None
        if answer.status_code >= 300:
            raise to_fault(answer)
        return answer


async def gather_blocks(*reading: Awaitable[T] | None) -> list[Block[T]]:
    """Run all calls concurrently. If a call fails, its block contains the exception. The other blocks are unaffected.

    Pass None instead of a call for data that the person may not read. Its block is then empty. Raises SessionOver if
    the session has ended, because that affects the whole page.
    """
    results = await asyncio.gather(*map(_read_block, reading), return_exceptions=True)
    blocks: list[Block[T]] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        blocks.append(result)
    return blocks


async def _read_block(reading: Awaitable[T] | None) -> Block[T]:
    try:
        return Block(None if reading is None else await reading)
    except ApiFault as fault:
        return Block(None, fault)


def quoted(value: object) -> str:
    """Percent-encode a value as one path segment."""
    return quote(str(value), safe="")


def list_pairs(name: str, value: Any) -> list[tuple[str, str]]:
    """Return the (name, value) pairs for one query parameter: none for None, and one for each item of a list."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [(name, str(each)) for each in value]
    return [(name, str(value).lower() if isinstance(value, bool) else str(value))]


def decode_body(answer: httpx.Response, kind: type[T]) -> T:
    """Decode a response's body. Raises ServiceUnavailable if the body does not match the type."""
    if kind is type(None) or not answer.content:
        return None  # type: ignore[return-value]
    try:
        return msgspec.json.decode(answer.content, type=kind)
    except msgspec.MsgspecError as fault:
        log.error("pages.unexpected_response", code=type(fault).__name__)
        request_id = answer.headers.get("x-request-id", "")
        raise ServiceUnavailable(
            "O serviço deu uma resposta que a página não entende.", request_id=request_id
        ) from None


def to_fault(answer: httpx.Response) -> ApiFault:
    """Convert an error response.

    It can have any of these formats: {error}, {error, message}, {code, message}, {detail}.

    Raises SessionOver for a 401.
    """
    if answer.status_code == 401:
        raise SessionOver
    try:
        body = msgspec.json.decode(answer.content)
    except msgspec.MsgspecError:
        body = {}
    members = body if isinstance(body, dict) else {}
    request_id = answer.headers.get("x-request-id", "")
    detail = members.get("detail")
    text = next((each for each in (members.get("message"), members.get("error"), detail) if isinstance(each, str)), "")
    if answer.status_code == 429:
        often = RateLimited(text, request_id=request_id, status=429)
        often.retry_after = _read_wait(answer)
        return often
    if answer.status_code == 503 and answer.headers.get("error-code") == MAINTENANCE:
        closed = InMaintenance(text, request_id=request_id, status=503)
        closed.retry_after = _read_wait(answer)
        return closed
    kind = _KINDS.get(answer.status_code)
    if kind is None:
        return ServiceUnavailable(
            text or "O serviço não conseguiu responder.", request_id=request_id, status=answer.status_code
        )
    refused = kind(text or "Há dados que precisam de correção.", request_id=request_id, status=answer.status_code)
    refused.code = answer.headers.get("error-code", "")
    refused.body = body
    refused.faults = [_read_item(item) for item in detail if isinstance(item, dict)] if isinstance(detail, list) else []
    return refused


def _read_wait(answer: httpx.Response) -> int:
    wait = answer.headers.get("retry-after", "1")
    return int(wait) if wait.isdigit() else 1


def _read_item(item: Mapping[str, Any]) -> FieldFault:
    """Convert an item of {detail}. Drop the first element of `loc`, which is `body`, `query` or `path`."""
    places = [str(place) for place in item.get("loc", [])]
    return FieldFault(".".join(places[1:]), str(item.get("msg", "")))
