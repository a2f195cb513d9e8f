"""Read and change rate limits over HTTP.

The bounds are narrow enough that the author of a change can still make the call that reverts it. Operators can also use
`balcao limits`, which has wider bounds.
"""

from collections.abc import Mapping
from datetime import timedelta

from balcao.core.access.live import Change
from balcao.core.context.call import Call
from balcao.core.declared import Declared
from balcao.core.errors import Conflict, NotFound
from balcao.core.live import rates
from balcao.core.live.rates import OVER_HTTP, Limit
from balcao.core.values.clock import utc_now
from balcao.core.values.flags import parse_flag_parameter
from balcao.core.values.page import Page
from balcao.core.values.text import clean_parameter, fold_text
from balcao.registry.operation.limits.schemas import LimitChange, LimitPage, LimitState


async def list_limits(call: Call, query: Mapping[str, str], page: Page) -> LimitPage:
    """Return a page of rate limits, changed limits first. Raises Invalid if a filter is not valid."""
    search = fold_text(clean_parameter(query, "search", longest=100) or "")
    wanted = parse_flag_parameter(query, "changed")
    changed = await rates.list_changed(call)
    found = [
        _describe(limit, changed.get(limit.name))
        for limit in call.platform.part(Declared).limits.values()
        if search in fold_text(f"{limit.name} {limit.summary}") and wanted in (None, limit.name in changed)
    ]
    found.sort(key=lambda limit: limit.changed_at is None)
    return LimitPage(found[page.offset : page.offset + page.limit], page.of(len(found)))


async def read_limit(call: Call, name: str) -> LimitState:
    """Return one rate limit. Raises NotFound if no limit has this name."""
    return _describe(_find_limit(call, name), (await rates.list_changed(call)).get(name))


async def change_limit(call: Call, name: str, body: LimitChange) -> LimitState:
    """Set a different rate for a limited time (rules: registry 4.16).

    Raises NotFound if no limit has this name, and Invalid if the rate is malformed or out of bounds.
    """
    limit = _find_limit(call, name)
    call.give_reason("reason", body.reason)
    rates.check_rate(limit, body.rate, OVER_HTTP)
    call.state_reason(f"{body.rate}: {call.reason}")
    ends_at = utc_now() + timedelta(minutes=body.minutes)
    await rates.change_rate(call, limit, body.rate, ends_at, call.author.name, OVER_HTTP)
    return await read_limit(call, name)


async def reset_limit(call: Call, name: str) -> None:
    """Restore the configured rate.

    Raises NotFound if no limit has this name, and Conflict if the limit was not changed.
    """
    limit = _find_limit(call, name)
    if not await rates.reset_rate(call, limit.name):
        raise Conflict(f"{name} já está como configurado: {limit.configured}.", code="limit-not-changed")


def _find_limit(call: Call, name: str) -> Limit:
    limit = call.platform.part(Declared).limits.get(name)
    if limit is None:
        raise NotFound(f"Não há limite {name}.", code="limit-unknown")
    return limit


def _describe(limit: Limit, change: Change | None) -> LimitState:
    return LimitState(
        name=limit.name,
        about=limit.about,
        summary=limit.summary,
        rate=change.value if change else limit.configured,
        configured=limit.configured,
        changed_at=change.changed_at if change else None,
        ends_at=change.ends_at if change else None,
        by=change.author if change else None,
    )
