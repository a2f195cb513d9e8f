"""Rate limits of public operations: one for each address, and a higher one for a portal that calls for many people."""

from balcao.core.access.caller import TokenRefused
from balcao.core.context.call import Call
from balcao.core.context.headers import AUTHORIZATION
from balcao.search.public import SEARCH_SCOPE


async def spend(call: Call, peer: str, name: str, rate: str, portal_rate: str) -> None:
    """Count the call for its address, or for the portal that makes it for its users. Raises TooMany above the rate.

    `name` is the prefix of the limits' names. The feature declares the two rates.
    """
    settings, limits, live = call.platform.settings, call.platform.limits, call.platform.live
    portal = peer if peer in settings.search_portals else await _find_client(call)
    if portal is not None:
        await limits.spend(live.rate(f"{name}.by_portal", settings.declared_rate(portal_rate)), name, portal)
    else:
        await limits.spend(live.rate(f"{name}.by_address", settings.declared_rate(rate)), name, peer)


async def _find_client(call: Call) -> str | None:
    """Return the key of a calling machine that has the scope of the search. Return None for any other caller."""
    header = call.headers.get(AUTHORIZATION)
    if header is None:
        return None
    try:
        caller = call.platform.tokens.known(header) or await call.platform.tokens.caller(header)
    except TokenRefused:
        return None
    return caller.key if caller.is_machine and SEARCH_SCOPE in caller.scopes else None
