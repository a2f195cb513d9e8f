"""The default rate limits, and their values in the sandbox.

Developers who experiment in the sandbox should not reach a limit, so the defaults are a hundred times higher there.
Rates that an operator sets are used unchanged.
"""

from pydantic import BaseModel

from balcao.settings.types import Rate

SANDBOX_FACTOR = 100


class RateSettings(BaseModel):
    """The rate limits that an operator can set.

    `refused_rate` has the same default in every profile, because a refusal costs the same in all of them.
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
    recipients_limit: Rate = "300000/day"
    refused_recipients_limit: Rate = "50000/day"
    campaigns_limit: Rate = "50/day"


WIDENED = RateSettings.model_fields.keys() - {"refused_rate"}


def widen_rate(rate: str) -> str:
    """Multiply a default rate, such as `300/5 minutes`, for the sandbox.

    An empty rate means unlimited and stays empty.
    """
    amount, _, period = rate.partition("/")
    return f"{int(amount) * SANDBOX_FACTOR}/{period}" if rate else rate
