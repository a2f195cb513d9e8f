"""Creating groups, giving them roles, and adding people to them."""

from collections.abc import Sequence
from typing import Any

from balcao.access.catalogue.events import CatalogueEvent, mask_author
from balcao.access.catalogue.service import write_catalogue
from balcao.access.groups import store
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.cpf import Cpf


async def create_group(call: Call, name: str, description: str, attributes: store.Attributes) -> int:
    """Create a group and return the catalogue version. Raises Conflict when the name exists."""
    async with write_catalogue(call, CatalogueEvent("group.create", "group", name=name)) as write:
        group_id = await store.insert(write.connection, name, description, attributes, mask_author(call))
        if group_id is None:
            raise Conflict("Já existe um grupo com esse nome.", code="group-exists")
        after = {"name": name, "description": description, "attributes": attributes}
        write.record(CatalogueEvent("group.create", "group", str(group_id), name, after=after))
    return write.version


async def assign_role(call: Call, group_name: str, role_name: str) -> int:
    """Give a group a role and return the catalogue version, the present one when it has the role already.

    Raises NotFound for an unknown group or role.
    """
    async with write_catalogue(call, CatalogueEvent("group.assign_role", "group", name=group_name)) as write:
        group_id = await store.find_id(write.connection, group_name)
        role_id = await store.find_role_id(write.connection, role_name)
        if group_id is None or role_id is None:
            raise NotFound("Não há grupo ou papel com esse nome.")
        if await store.assign(write.connection, group_id, role_id, mask_author(call)):
            after = {"role_id": role_id, "role": role_name}
            write.record(CatalogueEvent("group.assign_role", "group", str(group_id), group_name, after=after))
    return write.version


async def add_member(call: Call, group_name: str, subject: Cpf) -> int:
    """Add a person to a group and return the catalogue version, the present one for a member already.

    Raises NotFound for an unknown group.
    """
    async with write_catalogue(
        call, CatalogueEvent("group.add_member", "group", name=group_name, subject=subject)
    ) as write:
        group_id = await store.find_id(write.connection, group_name)
        if group_id is None:
            raise NotFound("Não há grupo com esse nome.")
        if await store.add_member(write.connection, group_id, subject, mask_author(call)):
            write.record(CatalogueEvent("group.add_member", "group", str(group_id), group_name, subject=subject))
    return write.version


async def add_groups(connection: Connection, groups: Sequence[Any]) -> list[str]:
    """Add groups of the seed data, within its transaction; return the names of the new ones."""
    return await store.add_groups(connection, groups)


async def add_group_roles(connection: Connection, group_roles: Sequence[Any]) -> list[dict[str, str]]:
    """Give the seed data's own groups their roles; return the new ones."""
    return await store.add_group_roles(connection, group_roles)
