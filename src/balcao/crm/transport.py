"""Make HTTP calls to the CRM: handle the access token, retries and limits, and interpret responses."""

import asyncio
import math
import random
import re
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_before_delay

from balcao.core.client_credentials import ClientCredentials, Token
from balcao.core.logs import log, request_id
from balcao.core.values.retry_after import parse_retry_after
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway, CrmRefused

CONNECT_SECONDS, READ_SECONDS = 2.0, 3.0
MAX_RESPONSE_BYTES = 1_048_576
# A POST is not retried, except once with a new token after a 401. If it had succeeded and only its response was lost, a
# retry would create the record twice.
REPEATABLE_METHODS = frozenset({"GET", "PATCH"})
FIRST_WAIT_SECONDS = 0.1
RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})
DOWN_STATUSES = frozenset({401, 408})
DOWN_CODES = frozenset({"REQUEST_LIMIT_EXCEEDED", "UNABLE_TO_LOCK_ROW"})
_ERROR_CODE = re.compile(r"[A-Z][A-Z_]{0,63}")
_TOKEN = re.compile(r"[\x21-\x7e]{1,16384}")
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_UNANSWERED: Mapping[type[Exception], str] = {
    httpx.ConnectError: "NOT_REACHED",
    httpx.ConnectTimeout: "NOT_REACHED",
    httpx.ReadTimeout: "TIMEOUT",
    TimeoutError: "TIMEOUT",
    httpx.DecodingError: "ANSWER_NOT_READABLE",
}


class _TryError(Exception):
    """Raised if an attempt failed but a retry may succeed."""

    def __init__(self, error_code: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(error_code)
        self.error_code = error_code
        self.status = status
        self.retry_after = retry_after


class CrmResponse(msgspec.Struct):
    """A response. `json` is None if the body is empty, or if an error is not JSON, such as a proxy's HTML page."""

    status: int
    json: Any
    retry_after: float | None = None


class Transport:
    """The HTTP transport. `base` is the address for token requests.

    Other calls go to the `instance_url` in the token's response, or to `base` if there is none. The host of
    `instance_url` must be the host of `base`, one of `hosts`, or a subdomain of one of them.
    """

    def __init__(
        self, http: httpx.AsyncClient, base: str, client_id: str, client_secret: str, hosts: Collection[str] = ()
    ) -> None:
        self._http = http
        self._base = base
        self._hosts = {(urlsplit(base).hostname or "").lower(), *hosts}
        self._credentials = ClientCredentials(self._request_token, client_id, client_secret)

    async def call(self, method: str, path: str, deadline: Deadline, **content: Any) -> CrmResponse:
        """Return the CRM's response if its status is 300 or lower.

        Raises CrmRefused if the CRM rejects the call, or CrmAway if there is no usable response within the allowed
        attempts and the deadline.
        """
        tries = AsyncRetrying(
            stop=stop_after_attempt(deadline.tries if method in REPEATABLE_METHODS else 1)
            | stop_before_delay(deadline.remaining),
            wait=_choose_wait,
            retry=retry_if_exception(lambda fault: isinstance(fault, _TryError)),
            reraise=True,
        )
        try:
            async with asyncio.timeout(deadline.remaining):
                return await tries(self._call_authorised, method, path, content)
        except _TryError as fault:
            raise _make_unavailable(fault.error_code, fault.status, fault.retry_after) from None
        except TimeoutError:
            raise _make_unavailable("TIMEOUT") from None

    def find_instance(self, token: Token) -> str:
        """Return the address for calls with this token. Raises CrmAway if personal data must not be sent there."""
        if not token.instance_url:
            return self._base
        try:
            found, base = urlsplit(token.instance_url), urlsplit(self._base)
            host = (found.hostname or "").lower()
            is_ours = any(host == allowed or host.endswith(f".{allowed}") for allowed in self._hosts)
            # Accept http only if the configured address also uses http.
            is_safe = found.scheme in {"https", base.scheme}
            is_bare = found.username is None and found.path in {"", "/"} and not found.query and found.port != 0
        except ValueError:
            is_ours = is_safe = is_bare = False
        if not (is_ours and is_safe and is_bare):
            self._credentials.discard(token)
            raise _make_unavailable("INSTANCE_REFUSED")
        return token.instance_url

    async def _call_authorised(self, method: str, path: str, content: Mapping[str, Any]) -> CrmResponse:
        token = await self._credentials.get()
        response = await self._send(method, self.find_instance(token) + path, token, content)
        if response.status == 401:
            self._credentials.discard(token)
            token = await self._credentials.get()
            response = await self._send(method, self.find_instance(token) + path, token, content)
        return _require_success(response)

    async def _request_token(self, form: Mapping[str, str]) -> Mapping[str, Any]:
        response = await self._send("POST", f"{self._base}/services/oauth2/token", None, {"data": form})
        given = response.json if response.status == 200 and isinstance(response.json, dict) else {}
        if _match_name(_TOKEN, given.get("access_token")):
            return given
        raise _make_unavailable("TOKEN_REFUSED", response.status)

    async def _send(self, method: str, url: str, token: Token | None, content: Mapping[str, Any]) -> CrmResponse:
        headers = {"Authorization": f"Bearer {token.value}"} if token else {}
        if current := request_id.get():
            headers["X-Request-ID"] = current
        # httpx limits the time of each read. This limit on the total time also stops a response that arrives in tiny
        # pieces.
        limits = self._http.timeout
        seconds = None if limits.connect is None or limits.read is None else limits.connect + limits.read
        try:
            async with (
                asyncio.timeout(seconds),
                self._http.stream(method, url, headers=headers, **content) as received,
            ):
                body = await _read(received)
        except (httpx.RequestError, TimeoutError) as fault:
            raise _TryError(_UNANSWERED.get(type(fault), "CONNECTION_LOST")) from None
        status, retry_after = received.status_code, parse_retry_after(received.headers.get("Retry-After"))
        response = CrmResponse(status, _decode(body, status), retry_after)
        if status in RETRIED_STATUSES:
            raise _TryError(_parse_complaint(response)[0], status, retry_after)
        return response


async def _read(received: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in received.aiter_bytes():
        body += chunk
        if len(body) > MAX_RESPONSE_BYTES:
            raise _make_unavailable("ANSWER_TOO_LARGE")
    return bytes(body)


def _decode(body: bytes, status: int) -> Any:
    if not body:
        return None
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        if status >= 400:
            return None
        raise _make_unavailable("ANSWER_NOT_JSON", status) from None


def _require_success(response: CrmResponse) -> CrmResponse:
    if response.status <= 300:
        return response
    code, fields = _parse_complaint(response)
    is_down = response.status in DOWN_STATUSES or code in DOWN_CODES or not _has_complaint(response)
    if is_down or not 400 <= response.status < 500:
        raise _make_unavailable(code, response.status, response.retry_after)
    log.warning("crm.refused", status=response.status, error_code=code, fields=fields)
    raise CrmRefused(response.status, code, fields)


def _has_complaint(response: CrmResponse) -> bool:
    """Return whether an error has the CRM's form. Otherwise a proxy or a maintenance page has answered in its place."""
    return isinstance(response.json, list) and bool(response.json) and isinstance(response.json[0], dict)


def _parse_complaint(response: CrmResponse) -> tuple[str, list[str]]:
    """Return the code and the field names of the first error. The error's message is ignored."""
    first = response.json[0] if isinstance(response.json, list) and response.json else {}
    first = first if isinstance(first, dict) else {}
    names = first.get("fields")
    fields = [name for name in names if _match_name(_FIELD, name)] if isinstance(names, list) else []
    return _match_name(_ERROR_CODE, first.get("errorCode")) or "UNKNOWN", fields


def _match_name(pattern: re.Pattern[str], value: object) -> str | None:
    """Return the value if it is a string that matches, or else None, because other values may be personal data."""
    return value if isinstance(value, str) and pattern.fullmatch(value) else None


def _make_unavailable(error_code: str, status: int | None = None, retry_after: float | None = None) -> CrmAway:
    log.warning("crm.away", error_code=error_code, status=status)
    seconds = None if retry_after is None else max(1, math.ceil(retry_after))
    return CrmAway(error_code, http_status=status, retry_after=seconds)


def _choose_wait(state: RetryCallState) -> float:
    """Return the delay before the next attempt: 100 ms, then 200 ms, each ± 50 %.

    Return at least the delay that the CRM requested.
    """
    fault = state.outcome.exception() if state.outcome else None
    asked = fault.retry_after if isinstance(fault, _TryError) else None
    pause: float = FIRST_WAIT_SECONDS * 2 ** (state.attempt_number - 1) * random.uniform(0.5, 1.5)  # noqa: S311
    return pause if asked is None else max(pause, asked)
