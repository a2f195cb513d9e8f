"""The sandbox's verified phone: Ana's own, over the one that the city has loaded."""

from balcao.core.call import operator_call
from balcao.core.cpf import Cpf
from balcao.core.platform import Platform
from balcao.registry.citizens import service as citizens
from balcao.registry.citizens.merge import SELF_DECLARED
from balcao.registry.phones import service
from balcao.registry.phones.number import Number

ANA = Cpf("90000000175")
PHONE = Number("55", "21", "900010175")


async def load(platform: Platform) -> None:
    """Once; as if the code had come back."""
    async with platform.database.transaction() as connection:
        phones = (await citizens.record_of(connection, ANA)).telefone
        if phones is None or phones.principal is None or phones.principal.origem != SELF_DECLARED:
            await service.write_confirmed(connection, operator_call(platform, "registry.demo"), ANA, PHONE)
