"""Reads a client's recent calls, and explains why calls were refused (rules: access 4.10)."""

from balcao.access.calls.schemas import OwnCall, OwnCalls, OwnCallsQuery
from balcao.core.context.call import Call
from balcao.core.errors import Forbidden
from balcao.core.live import call_log
from balcao.core.live.call_log import RETENTION_PERIOD, LoggedCall

# The meaning of each check that a token can fail, and the remedy. The response to a refused call does not name the
# failed check. The list of a client's own calls can name it, because the client has authenticated with a valid token.
REFUSED_TOKENS = {
    "token-expired": ("O token venceu.", "Peça outro antes do fim (`expires_in`)."),
    "token-audience": (
        "O token não é para esta plataforma: falta a audiência que ela espera.",
        "Peça a quem administra o provedor que dê ao cliente a audiência `account`.",
    ),
    "token-not-yet-valid": ("O token ainda não vale.", "Acerte o relógio de quem o emite ou de quem o usa."),
    "token-times": ("As datas do token não são datas.", "Peça outro token ao provedor da cidade."),
    "token-session-ended": ("A sessão da pessoa terminou.", "Peça novo login."),
}


async def list_own_calls(call: Call, query: OwnCallsQuery) -> OwnCalls:
    """Return the recent calls of the caller's client. Raises Forbidden unless the caller is a machine.

    A person who logs in through a portal has a token of the portal's client, and must not see other people's calls.
    """
    caller = call.identified_caller
    if not caller.is_machine:
        raise Forbidden("As chamadas de um cliente são lidas com um token dele próprio.", code="calls-of-a-client")
    least, most = query.bounds
    found = await call_log.list_calls(
        call.platform.database,
        caller.issuer,
        caller.client,
        age=RETENTION_PERIOD,
        least=least,
        most=most,
        code=query.code,
        request_id=query.request_id,
        limit=query.limit + 1,
        skip=query.skip,
    )
    items = [_describe(call, each) for each in found[: query.limit]]
    return OwnCalls(caller.client, items, query.skip, query.limit, has_more=len(found) > query.limit)


def _describe(call: Call, logged: LoggedCall) -> OwnCall:
    meaning, remedy = _explain(call, logged)
    return OwnCall(
        logged.called_at,
        logged.operation,
        logged.status,
        logged.code,
        meaning,
        remedy,
        logged.request_id,
        logged.microseconds / 1000,
    )


def _explain(call: Call, logged: LoggedCall) -> tuple[str | None, str | None]:
    if logged.code is None:
        return None, None
    if logged.code in REFUSED_TOKENS:
        return REFUSED_TOKENS[logged.code]
    said = call_log.explain_code(call.platform, logged.operation, logged.code)
    return (said.meaning, said.remedy) if said else (None, None)
