"""One call to the CRM as HTTP: token, tries, limits, and which answers are worth another try."""

import asyncio
import math
import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import msgspec
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_before_delay

from balcao.core.logs import log, request_id
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway, CrmRefused
from balcao.crm.token import ClientCredentials, Token

CONNECT_SECONDS, ANSWER_SECONDS = 2.0, 3.0
MAX_ANSWER_BYTES = 1_048_576
REPEATED = frozenset({"GET", "PATCH"})  # a POST that took effect before its answer was lost would be filed twice
FIRST_WAIT_SECONDS = 0.1
AGAIN_STATUSES = frozenset({429, 500, 502, 503, 504})
AWAY_STATUSES = frozenset({401, 408})
AWAY_CODES = frozenset({"REQUEST_LIMIT_EXCEEDED", "UNABLE_TO_LOCK_ROW"})
_ERROR_CODE = re.compile(r"[A-Z][A-Z_]{0,63}")
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_UNANSWERED: Mapping[type[Exception], str] = {
    httpx.ConnectError: "NOT_REACHED",
    httpx.ConnectTimeout: "NOT_REACHED",
    httpx.ReadTimeout: "TIMEOUT",
    TimeoutError: "TIMEOUT",
}


class _TryError(Exception):
    """This try failed in a way that the next one may not."""

    def __init__(self, error_code: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(error_code)
        self.error_code = error_code
        self.status = status
        self.retry_after = retry_after


class Answer(msgspec.Struct):
    """`json` is None for a refusal that is not JSON: proxies on the way answer in HTML."""

    status: int
    json: Any
    retry_after: float | None = None


class Transport:
    """`base` is where tokens are given; the calls go where the token's answer says."""

    def __init__(self, http: httpx.AsyncClient, base: str, client_id: str, client_secret: str) -> None:
        self._http = http
        self._base = base
        self._credentials = ClientCredentials(self._ask_for_token, client_id, client_secret)

    async def call(self, method: str, path: str, deadline: Deadline, **content: Any) -> Answer:
        """The CRM's 2xx or 300. Raises CrmRefused, or CrmAway when tries or time are used up."""
        tries = AsyncRetrying(
            stop=stop_after_attempt(deadline.tries if method in REPEATED else 1)
            | stop_before_delay(deadline.remaining),
            wait=_wait,
            retry=retry_if_exception(lambda fault: isinstance(fault, _TryError)),
            reraise=True,
        )
        try:
            async with asyncio.timeout(deadline.remaining):
                return await tries(self._authorised, method, path, content)
        except _TryError as fault:
            raise _away(fault.error_code, fault.status, fault.retry_after) from None
        except TimeoutError:
            raise _away("TIMEOUT") from None

    async def _authorised(self, method: str, path: str, content: Mapping[str, Any]) -> Answer:
        token = await self._credentials.get()
        answer = await self._send(method, (token.instance_url or self._base) + path, token, content)
        if answer.status == 401:
            self._credentials.refused(token)
            token = await self._credentials.get()
            answer = await self._send(method, (token.instance_url or self._base) + path, token, content)
        return _accepted(answer)

    async def _ask_for_token(self, form: Mapping[str, str]) -> Mapping[str, Any]:
        answer = await self._send("POST", f"{self._base}/services/oauth2/token", None, {"data": form})
        if answer.status == 200 and isinstance(answer.json, dict) and answer.json.get("access_token"):
            return answer.json
        raise _away("TOKEN_REFUSED", answer.status)

    async def _send(self, method: str, url: str, token: Token | None, content: Mapping[str, Any]) -> Answer:
        headers = {"Authorization": f"Bearer {token.value}"} if token else {}
        if current := request_id.get():
            headers["X-Request-ID"] = current
        try:
            # The library bounds each read; the sum bounds an answer that comes in drops.
            async with (
                asyncio.timeout(_total(self._http.timeout)),
                self._http.stream(method, url, headers=headers, **content) as response,
            ):
                body = await _read(response)
        except (httpx.TransportError, TimeoutError) as fault:
            raise _TryError(_UNANSWERED.get(type(fault), "CONNECTION_LOST")) from None
        status, retry_after = response.status_code, _seconds(response.headers.get("Retry-After"))
        answer = Answer(status, _json(body, status), retry_after)
        if status in AGAIN_STATUSES:
            raise _TryError(_complaint(answer)[0], status, retry_after)
        return answer


async def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise _away("ANSWER_TOO_LARGE")
    return bytes(body)


def _total(timeout: httpx.Timeout) -> float | None:
    return None if timeout.connect is None or timeout.read is None else timeout.connect + timeout.read


def _json(body: bytes, status: int) -> Any:
    if not body:
        return None
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        if status >= 400:
            return None
        raise _away("ANSWER_NOT_JSON", status) from None


def _accepted(answer: Answer) -> Answer:
    if answer.status <= 300:
        return answer
    code, fields = _complaint(answer)
    if answer.status in AWAY_STATUSES or code in AWAY_CODES or not 400 <= answer.status < 500:
        raise _away(code, answer.status, answer.retry_after)
    log.warning("crm.refused", status=answer.status, error_code=code, fields=fields)
    raise CrmRefused(answer.status, code, fields)


def _complaint(answer: Answer) -> tuple[str, list[str]]:
    """The first error's code and the fields it names; never its message."""
    first = answer.json[0] if isinstance(answer.json, list) and answer.json else {}
    first = first if isinstance(first, dict) else {}
    names = first.get("fields")
    fields = [name for name in names if _word(_FIELD, name)] if isinstance(names, list) else []
    return _word(_ERROR_CODE, first.get("errorCode")) or "UNKNOWN", fields


def _word(pattern: re.Pattern[str], value: object) -> str | None:
    """Only what looks like a name: whatever else a CRM puts there may belong to a person."""
    return value if isinstance(value, str) and pattern.fullmatch(value) else None


def _away(error_code: str, status: int | None = None, retry_after: float | None = None) -> CrmAway:
    log.warning("crm.away", error_code=error_code, status=status)
    seconds = None if retry_after is None else max(1, math.ceil(retry_after))
    return CrmAway(error_code, http_status=status, retry_after=seconds)


def _wait(state: RetryCallState) -> float:
    """100 ms, then 200 ms, each ± 50 %, but never less than the CRM asked for."""
    fault = state.outcome.exception() if state.outcome else None
    asked = fault.retry_after if isinstance(fault, _TryError) else None
    pause: float = FIRST_WAIT_SECONDS * 2 ** (state.attempt_number - 1) * random.uniform(0.5, 1.5)  # noqa: S311
    return pause if asked is None else max(pause, asked)


def _seconds(retry_after: str | None) -> float | None:
    """Both forms of the header, a number of seconds or a date; None for anything else."""
    if retry_after is None:
        return None
    if retry_after.strip().isdigit():
        return float(retry_after)
    try:
        instant = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (instant.replace(tzinfo=instant.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
