"""Links between members of staff and departments. Other services derive a person's permissions from these links."""

from uuid import UUID

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.errors import NotFound
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.core.values.text import clean_text, has_control
from balcao.registry.city.staff_departments import store
from balcao.registry.city.staff_departments.schemas import (
    StaffDepartments,
    StaffMapping,
    StaffMappingBody,
    StaffMappings,
)
from balcao.registry.filters import CODE_LENGTH

FIELDS = ["cd_uas"]


async def read_staff_departments(call: Call, cpf: Cpf) -> StaffDepartments:
    """Return the codes of the person's departments, in ascending order."""
    async with call.reading(cpf, FIELDS) as source:
        return StaffDepartments(cpf.digits, [mapping.cd_ua for mapping in await store.list_staff_mappings(source, cpf)])


async def read_staff_mappings(call: Call, cpf: Cpf) -> StaffMappings:
    """Return the person's links, sorted by department code."""
    async with call.reading(cpf, FIELDS) as source:
        return StaffMappings(cpf.digits, await store.list_staff_mappings(source, cpf))


async def create_staff_mapping(call: Call, cpf: Cpf, body: StaffMappingBody) -> bytes:
    """Link a person to a department and return the link as JSON.

    Raises Invalid for an invalid body, NotFound for an unknown department, and Conflict if the link exists.
    """
    cd_ua = clean_text("cd_ua", body.cd_ua, longest=CODE_LENGTH)
    async with call.platform.database.transaction() as connection:

        async def make() -> StaffMapping:
            mapping = await store.insert_staff_mapping(connection, UUID(new_id()), cpf, cd_ua, call.actor_cpf)
            await call.platform.audit.record(connection, call, "create", subject=cpf, fields=FIELDS)
            return mapping

        return await run_once(connection, call, cpf, [cpf.digits, cd_ua], make)


async def delete_staff_mapping(call: Call, cpf: Cpf, cd_ua: str) -> None:
    """Remove the link. Raises NotFound if it does not exist."""
    async with call.platform.database.transaction() as connection:
        if has_control(cd_ua) or not await store.delete_staff_mapping(connection, cpf, cd_ua):
            raise NotFound("Esta pessoa não está vinculada a este órgão.", code="mapping-unknown")
        await call.platform.audit.record(connection, call, "delete", subject=cpf, fields=FIELDS)
