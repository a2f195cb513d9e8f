"""Data that people in the sandbox declared: Ana's address, Elisa's disability and Gabriela's gender."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import service as mirror
from balcao.registry.mirror.store import read_mirror
from balcao.registry.person.citizens import service as citizens
from balcao.registry.person.citizens.merge import SELF_DECLARED
from balcao.registry.person.declared import service
from balcao.registry.person.declared.choices import CHOICES
from balcao.registry.person.declared.schemas import AddressBody, GenderBody, ValueBody

ANA = Cpf("90000000175")
ELISA = Cpf("90000000507")
GABRIELA = Cpf("90000000760")
[DISABILITY] = [choice for choice in CHOICES if choice.path == "disability"]
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


async def load_demo_declared_data(platform: Platform) -> None:
    """Load the data only once, because users of the sandbox may change it later."""
    await _erase_then_declare(platform)
    async with platform.database.connection() as connection:
        current = (await citizens.read_citizen_record(connection, ANA)).endereco.principal
        disability = (await citizens.read_citizen_record(connection, ELISA)).deficiencia
    if disability is None:
        await service.declare_choice(operator_call(platform, "registry.demo"), ELISA, DISABILITY, ValueBody("Auditiva"))
    if current is None or current.origem != SELF_DECLARED:
        await service.declare_address(operator_call(platform, "registry.demo"), ANA, HOME)


async def _erase_then_declare(platform: Platform) -> None:
    """Anonymise Gabriela, as an event from the CRM would, and then declare her gender."""
    call = operator_call(platform, "registry.demo")
    async with platform.database.transaction() as connection:
        if (await read_mirror(connection, GABRIELA)).known:
            return
        await mirror.anonymise_mirror(connection, GABRIELA, utc_now())
        await platform.audit.record(connection, call, "anonymise", subject=GABRIELA)
    await service.declare_gender(call, GABRIELA, GenderBody("Mulher cisgênero"))
