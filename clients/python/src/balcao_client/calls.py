"""A single call: its request, its retries, and the parsing of its response. This module does no I/O."""

import functools
import random
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Any
from urllib.parse import quote

import httpx
import msgspec

from balcao_client.faults import NotModified, UnexpectedResponse, make_fault, read_retry_after
from balcao_client.model import Model
from balcao_client.version import __version__

USER_AGENT = f"balcao-client/{__version__} (python)"

_SAFE_TO_REPEAT = {"GET", "HEAD", "PUT", "DELETE"}
FIRST_WAIT = 0.25
_PASSING = {502, 503, 504}
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True)
class Retries:
    """The number of retries of a call, and the maximum wait before each of them, in seconds."""

    times: int = 3
    longest_wait: float = 30.0


@dataclass
class Call:
    """A request without its address and token. `path` is quoted. None values in `query` and `headers` are not sent."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: Any = None
    # Whether the operation accepts an `Idempotency-Key`. The key is created once and used for every attempt.
    keyed: bool = False
    # Whether a POST or PATCH has the same effect however often it is sent.
    idempotent: bool = False
    accept: str = "application/json"
    service: str = ""

    def request(self, client: httpx.Client | httpx.AsyncClient, base: str, token: str) -> httpx.Request:
        """Return the request for an attempt."""
        headers = {"Accept": self.accept, **name_agent(client)}
        headers |= {name: _header(value) for name, value in self.headers.items() if value is not None}
        content = None
        if self.body is not None and self.body is not msgspec.UNSET:
            is_file = isinstance(self.body, bytes)
            content = self.body if is_file else msgspec.json.encode(self.body)
            headers["Content-Type"] = "application/octet-stream" if is_file else "application/json"
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return client.build_request(
            self.method, base + self.path, params=_list_query(self.query), headers=headers, content=content
        )

    def prepare(self) -> None:
        """Create the idempotency key, unless the caller set one."""
        if self.keyed and self.headers.get("Idempotency-Key") is None:
            self.headers = {**self.headers, "Idempotency-Key": str(uuid.uuid4())}

    @property
    def repeatable(self) -> bool:
        """Whether an attempt with an unknown outcome may be repeated.

        A call with `If-Match` may not, unless it has an idempotency key or its operation is idempotent: the first
        attempt may have changed the record, and the second would then be rejected.
        """
        if self.keyed or self.idempotent:
            return True
        return self.method in _SAFE_TO_REPEAT and not self.headers.get("If-Match")


def name_agent(client: httpx.Client | httpx.AsyncClient) -> dict[str, str]:
    """Return our `User-Agent`, or nothing if the caller's client sets its own."""
    own = client.headers.get("User-Agent", "")
    return {"User-Agent": USER_AGENT} if own.startswith("python-httpx/") or not own else {}


def next_wait(
    call: Call,
    retries: Retries,
    tried: int,
    outcome: httpx.Response | httpx.TransportError | None,
    first: float = FIRST_WAIT,
) -> float | None:
    """Return the seconds to wait before another attempt, or None if the outcome is final.

    A call refused with 429 was not started, and a call without a connection was not sent, so both may always be
    repeated. `outcome` is None for a stream that ended. `first` is the wait before the first retry. Each later wait is
    twice as long.
    """
    if tried >= retries.times:
        return None
    wait = None
    if isinstance(outcome, httpx.Response):
        passing = outcome.status_code == 429 or (call.repeatable and outcome.status_code in _PASSING)
        wait = read_retry_after(outcome)
    else:
        passing = call.repeatable or isinstance(outcome, _NOT_SENT)
    if not passing:
        return None
    if wait is None:
        wait = min(first * 2**tried, retries.longest_wait) * random.uniform(0.5, 1)  # noqa: S311 # no secret
    return wait if wait <= retries.longest_wait else None


def read_response(response: httpx.Response, result: Any, service: str) -> Any:
    """Return the content of a service's response, a value of the type `result`.

    Raises:
        Fault: the response is a refusal or a failure.
        NotModified: the response is a 304.
        UnexpectedResponse: the content is not of the type `result`.
    """
    if response.status_code == 304:
        raise NotModified
    if response.status_code >= 400:
        raise make_fault(response, service)
    if result is type(None):
        return None
    if result is bytes:
        return response.content
    try:
        value = _decoder(result).decode(response.content)
    except msgspec.DecodeError as fault:
        raise UnexpectedResponse(f"{response.request.method} {response.request.url.path}: {fault}") from fault
    if isinstance(value, Model):
        value.attach_etag(response.headers.get("ETag"))
    return value


@functools.cache
def _decoder(result: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(result)


def _header(value: str) -> str:
    """Return the value, encoded for a header. The platform decodes percent-encoded headers."""
    return value if value.isascii() else quote(value)


def segment(value: object) -> str:
    """Return the value as an encoded path segment."""
    return quote(_text(value), safe="")


def _list_query(query: Mapping[str, Any]) -> httpx.QueryParams:
    given = ((name, value) for name, value in query.items() if value is not None)
    return httpx.QueryParams([(name, _text(one)) for name, value in given for one in _each(value)])


def _each(value: object) -> Iterable[object]:
    return value if isinstance(value, list | tuple | set | frozenset) else (value,)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):  # includes `datetime`
        return value.isoformat()
    return str(value.value) if isinstance(value, Enum) else str(value)
