"""The people in the sandbox who have accepted the terms (rules: employability 7)."""

from datetime import timedelta

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.employability.terms import service

# The job that reads names from the registry waits this long, because the demo data is loaded before any service starts.
REGISTRY_STARTS = timedelta(seconds=20)
# Ana, Bruno, Carla, Davi and Elisa. Fábio has not accepted the terms.
ACCEPTING = ("90000000175", "90000000256", "90000000337", "90000000418", "90000000507")


async def load_demo_terms(platform: Platform) -> None:
    """Accept the current terms on behalf of these people. Repeating this changes nothing."""
    call = operator_call(platform, "employability.demo")
    for digits in ACCEPTING:
        await service.accept_terms(call, Cpf(digits), names_after=REGISTRY_STARTS)
