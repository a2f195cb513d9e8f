"""Ana's verified phone number, which takes precedence over the number in the city's records."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens import service as citizens
from balcao.registry.person.citizens.merge import SELF_DECLARED
from balcao.registry.person.phones.number import Number

ANA = Cpf("90000000175")
PHONE = Number("55", "21", "900010175")


async def load_demo_phones(platform: Platform) -> None:
    """Store the number once, as if Ana had confirmed it with a code."""
    async with platform.database.connection() as connection:
        phones = (await citizens.read_citizen_record(connection, ANA)).telefone
    if phones is None or phones.principal is None or phones.principal.origem != SELF_DECLARED:
        await citizens.write_own_data(operator_call(platform, "registry.demo"), ANA, "telefone", PHONE.own_write)
