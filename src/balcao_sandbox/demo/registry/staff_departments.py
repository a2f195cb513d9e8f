"""The departments to which the demo staff belong."""

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.city.staff_departments import service
from balcao.registry.city.staff_departments.jobs import hash_staff
from balcao.registry.city.staff_departments.schemas import StaffMappingBody
from balcao_sandbox.identity.demo import people


async def load_demo_staff_departments(platform: Platform) -> None:
    """Link the staff to their departments, which must already exist. Existing links do not change.

    The worker hashes new staff every minute. Hash them now, so that access lists show departments from the start.
    """
    call = operator_call(platform, "registry.demo")
    for person in people():
        if person.departments:
            present = await service.read_staff_departments(call, Cpf(person.cpf))
            for cd_ua in sorted(set(person.departments) - set(present.cd_uas)):
                await service.create_staff_mapping(call, Cpf(person.cpf), StaffMappingBody(cd_ua))
    await hash_staff(platform, {})
