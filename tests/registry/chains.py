"""Verifies ledgers next to a running server, as the operator's command does."""

from balcao.core.context.call import Call
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.ledger import service as ledger
from balcao.registry.consent.ledger.service import Verification


async def verify(call: Call, cpf: str) -> Verification:
    """Verify a citizen's ledger. Tests run this use case through `acting`."""
    async with call.platform.database.transaction(isolation="repeatable_read") as connection:
        return await ledger.verify_ledger(connection, Cpf(cpf))
