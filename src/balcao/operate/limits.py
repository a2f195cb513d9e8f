"""List, change and reset rate limits while the platform runs."""

import difflib
from datetime import UTC, datetime
from typing import NamedTuple

from balcao.core.access.live import Change
from balcao.core.context.call import Call
from balcao.core.live import rates
from balcao.core.live.rates import Limit
from balcao.operate.expiry import name_operator, parse_end
from balcao.operate.faults import OperatorFault
from balcao.operate.use_cases import run_use_case
from balcao.settings import Settings


class LimitInForce(NamedTuple):
    """A rate limit, and its live change or None."""

    limit: Limit
    change: Change | None

    @property
    def rate(self) -> str:
        """The rate that applies now."""
        return self.change.value if self.change else self.limit.configured


class LimitChanged(NamedTuple):
    """A changed limit. `ends_at` is None if the change has no end."""

    limit: Limit
    ends_at: datetime | None


def list_limits() -> list[LimitInForce]:
    """Return all rate limits with their live changes."""
    changed = run_use_case("platform.list_limits", rates.list_changed)
    return [LimitInForce(limit, changed.get(limit.name)) for limit in _load_limits().values()]


def change_limit(name: str, rate: str, lasting: str) -> LimitChanged:
    """Change a limit's rate, until an end or until it is reset.

    Raises OperatorFault for an unknown limit, a rate outside the allowed range, or an invalid duration.
    """
    limit = find_limit(name)
    ends_at = parse_end(lasting, "", datetime.now(UTC), Settings.load().zone)
    author = name_operator()

    async def change(call: Call) -> None:
        call.state_reason(f"{author}: {rate}")
        await rates.change_rate(call, limit, rate, ends_at, author)

    run_use_case("platform.change_limit", change)
    return LimitChanged(limit, ends_at)


def reset_limit(name: str) -> Limit:
    """Restore the configured rate. Raises OperatorFault for an unknown limit, or if its rate was not changed."""
    limit = find_limit(name)
    author = name_operator()

    async def reset(call: Call) -> bool:
        call.state_reason(author)
        return await rates.reset_rate(call, name)

    if not run_use_case("platform.reset_limit", reset):
        raise OperatorFault(f"{name} já está como configurado: {limit.configured}.")
    return limit


def find_limit(name: str) -> Limit:
    """Return the limit with this name. Raises OperatorFault, with the most similar name, if it does not exist."""
    known = _load_limits()
    if name not in known:
        close = difflib.get_close_matches(name, known, 1, 0.6)
        hint = f": quis dizer {close[0]}?" if close else ". `balcao limits show` mostra todos."
        raise OperatorFault(f"Não há limite {name}{hint}")
    return known[name]


def _load_limits() -> dict[str, Limit]:
    from balcao import app  # this imports every service, and command help needs none

    return app.list_declared_limits(Settings.load())
