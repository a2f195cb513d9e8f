"""Records whether a person has completed the introduction to the job listings (rules: employability 2.9)."""

from balcao.core.context.call import Call
from balcao.core.values.cpf import Cpf
from balcao.employability.onboarding import store
from balcao.employability.onboarding.schemas import Onboarding
from balcao.employability.schemas import Message

FIELDS = ["onboarding"]


async def read_onboarding(call: Call, cpf: Cpf) -> Onboarding:
    """Return whether the person still has to complete the introduction."""
    async with call.reading(cpf, FIELDS) as source:
        return Onboarding(await store.read_completion(source, cpf) is None)


async def complete_onboarding(call: Call, cpf: Cpf) -> Message:
    """Record that the person completed the introduction. A repeated call changes nothing."""
    async with call.platform.database.transaction() as connection:
        if await store.insert_completion(connection, cpf):
            await call.platform.audit.record(connection, call, "create", subject=cpf, fields=FIELDS)
    return Message("Apresentação concluída.")
