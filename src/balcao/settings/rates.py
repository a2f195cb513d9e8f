"""How often callers may call: the defaults, and what those of the code mean in the sandbox.

Nobody shall meet a limit in the sandbox by trying things out, so it allows a hundred times as much. That holds for what
the code declares alone: a rate that an operator wrote counts as it is written.
"""

from pydantic import BaseModel

from balcao.settings.types import Rate

SANDBOX_FACTOR = 100


class RateSettings(BaseModel):
    """The rates that an installation may set; `refused_rate` is the same in every profile, as its cost is."""

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
    """Return a rate of the code, such as `300/5 minutes`, as the sandbox has it; one without a limit stays so."""
    amount, _, period = rate.partition("/")
    return f"{int(amount) * SANDBOX_FACTOR}/{period}" if rate else rate
