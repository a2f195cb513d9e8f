"""Creating roles and granting actions to them."""

from collections.abc import Sequence
from typing import Any

from balcao.access.catalogue.events import CatalogueEvent, mask_author
from balcao.access.catalogue.service import write_catalogue
from balcao.access.roles import store
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound


async def create_role(call: Call, name: str, description: str) -> int:
    """Create a role and return the catalogue version. Raises Conflict when the name exists."""
    async with write_catalogue(call, CatalogueEvent("role.create", "role", name=name)) as write:
        role_id = await store.insert(write.connection, name, description, mask_author(call))
        if role_id is None:
            raise Conflict("Já existe um papel com esse nome.", code="role-exists")
        write.record(
            CatalogueEvent("role.create", "role", str(role_id), name, after={"name": name, "description": description})
        )
    return write.version


async def grant_action(call: Call, role_name: str, action_name: str) -> int:
    """Grant an action to a role and return the catalogue version, the present one when it is granted already.

    Raises NotFound for an unknown role or action.
    """
    async with write_catalogue(call, CatalogueEvent("role.grant", "role", name=role_name)) as write:
        role_id = await store.find_id(write.connection, role_name)
        action_id = await store.find_action_id(write.connection, action_name)
        if role_id is None or action_id is None:
            raise NotFound("Não há papel ou ação com esse nome.")
        if await store.grant(write.connection, role_id, action_id, mask_author(call)):
            after = {"action_id": action_id, "action": action_name}
            write.record(CatalogueEvent("role.grant", "role", str(role_id), role_name, after=after))
    return write.version


async def add_roles(connection: Connection, roles: Sequence[Any]) -> list[str]:
    """Add roles of the seed data, within its transaction; return the names of the new ones."""
    return await store.add_roles(connection, roles)


async def add_grants(connection: Connection, grants: Sequence[Any]) -> list[dict[str, str]]:
    """Add grants of the seed data to its own roles; return the new ones."""
    return await store.add_grants(connection, grants)
