"""The sandbox's self-declared data: an address of Ana's own, over the one that the city has loaded."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.person.citizens import service as citizens
from balcao.registry.person.citizens.merge import SELF_DECLARED
from balcao.registry.person.declared import service
from balcao.registry.person.declared.schemas import AddressBody

ANA = Cpf("90000000175")
HOME = AddressBody(
    tipo_logradouro="Rua",
    logradouro="das Marés",
    numero="120",
    complemento="apto 301",
    bairro="Praia Grande",
    municipio="Porto Aurora",
    estado="RJ",
    cep="24000120",
)


async def load(platform: Platform) -> None:
    """Once: whoever tries the sandbox out may have changed it since."""
    async with platform.database.connection() as connection:
        shown = (await citizens.record_of(connection, ANA)).endereco.principal
    if shown is None or shown.origem != SELF_DECLARED:
        await service.declare_address(operator_call(platform, "registry.demo"), ANA, HOME)
