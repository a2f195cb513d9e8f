"""The default rate limits, and their values in the sandbox.

In the sandbox, no developer should reach a limit by experimenting, so the defaults are a hundred times higher. Rates
that an operator sets apply as written.
"""

from pydantic import BaseModel

from balcao.settings.types import Rate

SANDBOX_FACTOR = 100


class RateSettings(BaseModel):
    """The rates that an installation may set.

    `refused_rate` is the same in every profile, because a refusal costs the same in each.
    """

    read_rate: Rate = "50/second"
    write_rate: Rate = "10/second"
    crm_rate: Rate = "10/minute"
    machine_read_rate: Rate = "500/second"
    machine_write_rate: Rate = "100/second"
    machine_crm_rate: Rate = "300/minute"
    refused_rate: Rate = "300/minute"
    export_limit: Rate = "5/day"
    access_list_limit: Rate = "60/hour"
    enumeration_limit: Rate = "300/5 minutes"


WIDENED = RateSettings.model_fields.keys() - {"refused_rate"}


def widen_rate(rate: str) -> str:
    """Return the sandbox's value of a default rate such as `300/5 minutes`. An empty rate stays unlimited."""
    amount, _, period = rate.partition("/")
    return f"{int(amount) * SANDBOX_FACTOR}/{period}" if rate else rate
