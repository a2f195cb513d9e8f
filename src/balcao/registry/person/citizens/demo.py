"""The sandbox's citizens: invented people of the invented city Porto Aurora, the same bytes on every machine."""

from collections.abc import Iterator, Mapping
from typing import Any

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.imports import service as loads
from balcao.core.service import Demo
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.registry.city.activities import demo as activities
from balcao.registry.city.companies import demo as companies
from balcao.registry.city.departments import demo as departments
from balcao.registry.city.staff_departments import demo as staff_departments
from balcao.registry.consent.preferences import demo as notifications
from balcao.registry.crm.push import demo as crm_push
from balcao.registry.loads.kinds import LOADS
from balcao.registry.mirror import service as mirror
from balcao.registry.mobility.drivers import demo as mobility
from balcao.registry.person import invented
from balcao.registry.person.citizens.base import CitizenLine
from balcao.registry.person.declared import demo as declared
from balcao.registry.person.declared import service as declaring
from balcao.registry.person.declared.schemas import GenderBody
from balcao.registry.person.pets import demo as pets
from balcao.registry.person.phones import demo as phones

# In the order in which they are loaded.
ROOMS = (
    declared,
    phones,
    notifications,
    departments,
    staff_departments,
    activities,
    companies,
    pets,
    mobility,
    crm_push,
)
CITIZENS = 200
ANA = Cpf("90000000175")
GABRIELA = Cpf("90000000760")
NOTHING_STORED = frozenset({"90000001147"})


async def load(platform: Platform) -> None:
    """Idempotent: what is loaded is written again only when it differs, the rest once."""
    await loads.load(platform, LOADS["citizens"], _known())
    await loads.load(platform, LOADS["tickets"], invented.tickets(CITIZENS))
    await _anonymised_then_declared(platform)
    for room in ROOMS:
        await room.load(platform)


def _known() -> Iterator[CitizenLine]:
    return (line for line in invented.citizens(CITIZENS) if line.cpf not in NOTHING_STORED)


async def examples(_: Platform) -> Mapping[str, Any]:
    return {
        "citizen_cpf": ANA.digits,
        "department_id": departments.HEALTH,
        "cnpj": companies.BAKERY,
        "pet_cpf": pets.FABIO.digits,
        "pet_id": pets.LOADED.id_animal,
    }


async def _anonymised_then_declared(platform: Platform) -> None:
    """Gabriela: cleared by an event, with a gender of her own afterwards."""
    call = operator_call(platform, "registry.demo")
    async with platform.database.transaction() as connection:
        if (await mirror.read(connection, GABRIELA)).known:
            return
        await mirror.anonymise(connection, GABRIELA, utc_now())
        await platform.audit.record(connection, call, "anonymise", subject=GABRIELA)
    await declaring.declare_gender(call, GABRIELA, GenderBody("Mulher cisgênero"))


DEMO = Demo(load, examples)
