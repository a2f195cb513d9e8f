"""Responses to calls that are refused before the caller is known (`core.access.refusals`)."""

from functools import lru_cache
from math import ceil
from typing import Any

from balcao.core.access.caller import TokenRefused
from balcao.core.access.keys import KeyPending
from balcao.core.access.refusals import PATH, Refusals
from balcao.core.context.headers import AUTHORIZATION
from balcao.core.errors import BalcaoError, TooMany
from balcao.core.http.dialects import Dialect
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.logs import log
from balcao.core.telemetry import counter

# Callers can cause these responses with invented key ids. The responses therefore have their own counter and do not
# raise the error rates.
_pending_keys = counter("balcao_token_keys_pending", "Tokens refused for now (503), as their key may be new", "service")


class TooManyAnonymous(TooMany):
    """A caller without a session has requested pages too often."""


def refuse_path(refusals: Refusals, request: Request, dialect: Dialect, fault: BalcaoError) -> Response[Any]:
    """Refuse a call to an unknown path, or with a method that the path does not support."""
    over = refusals.count(PATH, request.peer)
    _choose_line(refusals, request, over, fault.code)
    return refuse_often(dialect, over) if over > 0 else dialect.response(fault)


def count_anonymous(refusals: Refusals, request: Request, kind: str, who: str = "") -> None:
    """Count a request for a page without a session, by `who` or by the caller's address.

    Raises TooManyAnonymous if there were too many.
    """
    over = refusals.count(kind, who or request.peer)
    _choose_line(refusals, request, over, kind)
    if over > 0:
        raise TooManyAnonymous(retry_after=ceil(over))


def refuse_token(
    refusals: Refusals,
    request: Request,
    dialect: Dialect,
    fault: TokenRefused | KeyPending,
    service: str,
    key: str,
    *,
    knows_429: bool,
) -> Response[Any]:
    """Refuse a call whose token is invalid, or whose key is still pending. Only the log states the reason.

    `key` is the operation's key. `knows_429` is false for an operation without a rate (the webhook), which always
    answers 401.
    """
    judged = judge_pending(refusals, request, fault, service) if isinstance(fault, KeyPending) else fault
    over = note_refused_token(refusals, request, judged, key) if isinstance(judged, TokenRefused) else 0.0
    return refuse_often(dialect, over) if over > 0 and knows_429 else dialect.response(judged)


def judge_pending(refusals: Refusals, request: Request, pending: KeyPending, service: str) -> BalcaoError:
    """Return the error for a token whose key may be new.

    If it is a 503, mark the request, so that it is counted separately.
    """
    judged = refusals.judge_pending(request.peer, pending)
    if judged is pending:
        _pending_keys.inc(service)
        request.is_apart = True
    return judged


def note_refused_token(
    refusals: Refusals, request: Request, refused: TokenRefused, key: str, event: str = "request.unauthenticated"
) -> float:
    """Count and log a refused token. Return the seconds for which its sender gets 429, or 0."""
    over = refusals.count_token(request.peer, refused, request.headers.get(AUTHORIZATION))
    _choose_line(refusals, request, over, refused.reason)
    if not request.is_added_up:
        request.client_key, request.refused_because = refused.client_key, refused.reason
        log.info(event, operation=key, code=refused.reason, request_id=request.id)
    return over


def _choose_line(refusals: Refusals, request: Request, over: float, code: str) -> None:
    """Decide whether the refusal gets its own log lines. If not, add it to the next summary."""
    if over > 0 or not refusals.may_write():
        refusals.add_up(code)
        request.is_added_up = True


def refuse_often(dialect: Dialect, over: float) -> Response[Any]:
    """Return the 429 for a caller who was refused too often. Responses with the same `Retry-After` are cached."""
    return _make_too_many(dialect, ceil(over))


@lru_cache(maxsize=4096)
def _make_too_many(dialect: Dialect, seconds: int) -> Response[Any]:
    return dialect.response(TooMany(retry_after=seconds))
