"""The check before every call: the token, the operation's rule on the present snapshot, and the rate."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from litestar import Request

from balcao.core.access.caller import Caller
from balcao.core.access.catalogue import Snapshot
from balcao.core.access.enumeration import NUMBERS
from balcao.core.access.rules import PUBLIC, Decision, Reason, decide
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.errors import Forbidden, NotFound
from balcao.core.logs import request_id
from balcao.core.values.cpf import Cpf

if TYPE_CHECKING:
    from balcao.core.http.operations import Operation

CALL = "balcao.call"
OPERATION = "balcao.operation"
# Who calls a path that holds a person's or company's number: their refusals are counted.
_ASKS_BY_NUMBER = "balcao.asks-by-number"
# How many refusals of one caller are kept, and under which key they are counted.
DENIED = ("60/minute", "denied")
AUTHORIZATION = b"authorization"
_LOOKED_AT = {AUTHORIZATION, b"x-access-reason", b"if-none-match", b"if-match", b"idempotency-key"}


def check(operation: "Operation") -> Callable[[Request[Any, Any, Any]], Awaitable[None]]:
    """The hook of one operation: leaves the Call in the request's scope or refuses."""

    async def before(request: Request[Any, Any, Any]) -> None:
        scope: Any = request.scope
        scope[OPERATION] = operation.key
        scope[CALL] = await _admit(operation, request.app.state.platform, scope)

    return before


async def _admit(operation: "Operation", platform: Platform, scope: Any) -> Call:
    headers = _looked_at(scope)
    snapshot = platform.catalogue.latest  # one version for the whole decision, whatever is loaded meanwhile
    if snapshot.binding(operation.key, operation.rule.action) == PUBLIC:
        call = _call(operation, platform, Decision(Reason.PUBLIC, "public"), headers)
    else:
        call = await _identified(operation, snapshot, platform, scope, headers)
    if rate := operation.rate_of(call.caller):
        await platform.limits.spend(rate, operation.key, _who(call, scope))
    return call


async def _identified(
    operation: "Operation", snapshot: Snapshot, platform: Platform, scope: Any, headers: dict[bytes, str]
) -> Call:
    caller = await platform.tokens.caller(headers.get(AUTHORIZATION))
    if not NUMBERS.isdisjoint(scope["path_params"]):
        platform.enumeration.refuse_shut(caller.key)
        scope[_ASKS_BY_NUMBER] = caller.key
    if operation.ready is not None:
        operation.ready(platform)
    owner = Cpf.parse_path(scope["path_params"].get("cpf", "")) if operation.rule.owner else None
    platform.catalogue.require_confirmed()
    bound = snapshot.binding(operation.key, operation.rule.action)
    decision = decide(operation.rule, bound, caller, owner, snapshot, platform.client_lists)
    call = _call(operation, platform, decision, headers, caller)
    if not decision.allowed:
        await _leave_trace(operation, call, scope)
        raise Forbidden()
    if "cpf" in scope["path_params"]:
        call.require_reason()
    return call


async def count_refusal(fault: Exception, scope: Any) -> None:
    """The framework's hook for every fault, awaited before it is answered."""
    who = scope.get(_ASKS_BY_NUMBER)
    if who is not None and isinstance(fault, (Forbidden, NotFound)):
        await scope["litestar_app"].state.platform.enumeration.count(who)


def _call(
    operation: "Operation",
    platform: Platform,
    decision: Decision,
    headers: dict[bytes, str],
    caller: Caller | None = None,
) -> Call:
    return Call(
        platform,
        operation.key,
        request_id.get(),
        decision,
        caller,
        reason=headers.get(b"x-access-reason", "").strip()[:200] or None,
        if_none_match=headers.get(b"if-none-match"),
        if_match=headers.get(b"if-match"),
        idempotency_key=headers.get(b"idempotency-key"),
    )


def _looked_at(scope: Any) -> dict[bytes, str]:
    """Two `Authorization` headers are none: whoever checked before us may have read the other one."""
    headers: dict[bytes, str] = {}
    for name, value in scope["headers"]:
        if name in _LOOKED_AT:
            headers[name] = "" if name == AUTHORIZATION and name in headers else _text(value)
    return headers


def _text(value: bytes) -> str:
    """Headers are bytes; people write UTF-8 into them."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


async def _leave_trace(operation: "Operation", call: Call, scope: Any) -> None:
    """A refused attempt is kept for the person concerned to see; a flood of them only counted."""
    if not await call.platform.limits.within(*DENIED, _who(call, scope)):
        return
    if operation.refused is not None:
        await operation.refused(call, scope["path_params"])
        return
    async with call.platform.database.connection() as connection:
        subject = Cpf.parse_path(scope["path_params"].get("cpf", ""))
        await call.platform.audit.record(connection, call, "denied", subject=subject, outcome="denied")


def _who(call: Call, scope: Any) -> str:
    if call.caller is not None:
        return call.caller.key
    client = scope.get("client")
    return client[0] if client else ""
