"""Change rate limits while the platform runs: by name, within bounds, until the change ends or is reverted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from limits import parse, parse_many

from balcao.core.access import live
from balcao.core.access.live import RATE, Change
from balcao.core.context.call import Call
from balcao.core.errors import Invalid
from balcao.core.http.operations import Operation, name_for_machines
from balcao.settings import Settings, variable_of

# A change may raise a rate to at most this multiple of the configured rate.
MOST_TIMES = 10
SETTINGS = (
    "read_rate",
    "write_rate",
    "crm_rate",
    "machine_read_rate",
    "machine_write_rate",
    "machine_crm_rate",
    "export_limit",
    "access_list_limit",
    "enumeration_limit",
    "recipients_limit",
    "refused_recipients_limit",
    "campaigns_limit",
    "refused_rate",
)


@dataclass(frozen=True)
class Bounds:
    """The bounds for a change.

    The lowest rate is 1/`least_share` of the configured rate. `least` names that share in Portuguese.
    """

    least_share: int
    least: str
    longest_period_seconds: int


# These changes are for short incidents. Permanent changes belong in the configuration. The bounds prevent a typing
# error from removing a limit or blocking every caller.
BY_COMMAND = Bounds(100, "um centésimo", 3600)
# A change over HTTP may affect the limit for the call that would revert the change. The bounds are narrower, so that
# this call is never blocked for long.
OVER_HTTP = Bounds(10, "um décimo", 60)


@dataclass(frozen=True)
class Limit:
    """A limit that can be changed. `configured` is its rate before any change. `about` names its kind.

    `summary` is the operation's summary in Portuguese, or "" if the limit applies to several operations.
    """

    name: str
    configured: str
    about: str
    summary: str = ""


def collect_limits(settings: Settings, operations: Iterable[Operation], further: Mapping[str, str]) -> dict[str, Limit]:
    """Return all limits by name: settings, use cases (`further`), operations and their machine callers.

    Operations with their own protection against overload are not listed, because they have no limit.
    """
    found = [Limit(variable_of(name), getattr(settings, name), "setting") for name in SETTINGS]
    found += [Limit(name, rate, "use case") for name, rate in further.items()]
    for operation in sorted(operations, key=lambda operation: operation.key):
        about = "operation" if operation.rate is None else "operation's own"
        people, machines = operation.rates(settings)
        found += [Limit(operation.key, people, about, operation.summary)] if people else []
        found += [Limit(name_for_machines(operation.key), machines, about, operation.summary)] if machines else []
    return {limit.name: limit for limit in found}


def check_rate(limit: Limit, rate: str, bounds: Bounds = BY_COMMAND) -> None:
    """Raise Invalid if the rate is malformed, too far from the configured rate, or its period is too long."""
    try:
        (wanted,) = parse_many(rate)
    except ValueError:
        raise Invalid(
            f"A taxa {rate} não tem a forma esperada: use, por exemplo, 60/hour ou 300/5 minutes.", code="rate-invalid"
        ) from None
    usual = parse(limit.configured)
    share = Fraction(wanted.amount, wanted.get_expiry()) / Fraction(usual.amount, usual.get_expiry())
    if not Fraction(1, bounds.least_share) <= share <= MOST_TIMES:
        raise Invalid(
            f"{limit.name} é {limit.configured}: ao vivo, só entre {bounds.least} e dez vezes disso. Para durar, mude "
            "a configuração.",
            code="rate-out-of-bounds",
        )
    longest = max(bounds.longest_period_seconds, usual.get_expiry())
    if wanted.get_expiry() > longest:
        raise Invalid(
            f"O período de {rate} é longo demais: quem o gasta de uma vez espera até o fim. Use um menor.",
            code="rate-period-too-long",
        )


async def change_rate(
    call: Call, limit: Limit, rate: str, ends_at: datetime | None, author: str, bounds: Bounds = BY_COMMAND
) -> None:
    """Change a limit to `rate` until `ends_at`. Raises Invalid if `check_rate` rejects the rate."""
    check_rate(limit, rate, bounds)
    async with call.platform.database.transaction() as connection:
        await live.put_live_change(connection, RATE, limit.name, rate, ends_at, author)
        await call.platform.audit.record(connection, call, "update", fields=[limit.name])


async def reset_rate(call: Call, name: str) -> bool:
    """Restore the configured rate. Return whether it had been changed."""
    async with call.platform.database.transaction() as connection:
        was_changed = await live.remove_live_change(connection, RATE, name)
        if was_changed:
            await call.platform.audit.record(connection, call, "update", fields=[name])
    return was_changed


async def list_changed(call: Call) -> dict[str, Change]:
    """Return the changed rates by name."""
    async with call.platform.database.connection() as connection:
        changes = await live.list_live_changes(connection)
    return {change.name: change for change in changes if change.kind == RATE}
