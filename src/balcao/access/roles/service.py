"""Creating roles and granting actions to them."""

from collections.abc import Sequence
from typing import Any

from balcao.access.catalogue.events import Event, author
from balcao.access.catalogue.service import writing
from balcao.access.roles import store
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound


async def create_role(call: Call, name: str, description: str) -> int:
    """Answers the catalogue version. Raises Conflict when the name exists."""
    async with writing(call, Event("role.create", "role", name=name)) as write:
        role_id = await store.insert(write.connection, name, description, author(call))
        if role_id is None:
            raise Conflict("Já existe um papel com esse nome.", code="role-exists")
        write.record(Event("role.create", "role", str(role_id), name, after={"name": name, "description": description}))
    return write.version


async def grant_action(call: Call, role_name: str, action_name: str) -> int:
    """Answers the catalogue version, the present one when the role grants it already. Raises NotFound."""
    async with writing(call, Event("role.grant", "role", name=role_name)) as write:
        role_id = await store.id_of(write.connection, role_name)
        action_id = await store.action_named(write.connection, action_name)
        if role_id is None or action_id is None:
            raise NotFound("Não há papel ou ação com esse nome.")
        if await store.grant(write.connection, role_id, action_id, author(call)):
            after = {"action_id": action_id, "action": action_name}
            write.record(Event("role.grant", "role", str(role_id), role_name, after=after))
    return write.version


async def add_roles(connection: Connection, roles: Sequence[Any]) -> list[str]:
    """Add roles of the seed data, within its transaction; return the names of the new ones."""
    return await store.add_roles(connection, roles)


async def add_grants(connection: Connection, grants: Sequence[Any]) -> list[dict[str, str]]:
    """Add grants of the seed data to its own roles; return the new ones."""
    return await store.add_grants(connection, grants)
