"""Creates, changes and deletes roles, and grants actions to them."""

from typing import NamedTuple

from balcao.access.catalogue.events import CatalogueEvent, Rows, describe_person, mask_author
from balcao.access.catalogue.service import (
    CatalogueWrite,
    make_once,
    write_catalogue,
)
from balcao.access.catalogue.store import write_planned_rows
from balcao.access.conventions import MOST_AT_ONCE, SliceQuery
from balcao.access.records import Role
from balcao.access.roles import planned_store, rules, store
from balcao.access.roles.schemas import GrantedAction, Roles
from balcao.access.users import service as users
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.etags import require_match
from balcao.core.values.ready import Ready


class SavedRole(NamedTuple):
    """A stored role, and the catalogue version that contains it."""

    role: Role
    version: int


async def list_roles(call: Call, query: SliceQuery) -> Roles:
    """Return a page of roles, sorted by name."""
    async with call.platform.database.connection() as connection:
        items, total = await store.select_roles(connection, query.limit, query.skip)
    return Roles(items, total, query.skip, query.limit, has_more=query.skip + len(items) < total)


async def read_role(call: Call, name: str) -> Role:
    """Return a role. Raises NotFound if no role has this name."""
    return _require(await store.select_role(call.platform.database, name))


def _require(role: Role | None) -> Role:
    if role is None:
        raise rules.make_unknown_role()
    return role


async def create_role(call: Call, name: str, description: str) -> SavedRole:
    """Create a role without grants. Raises Conflict if the name exists, and the errors of `make_once`."""
    async with write_catalogue(call, CatalogueEvent("role.create", "role", name=name)) as write:

        async def insert() -> Role:
            role = await store.insert_role(write.connection, name, description, mask_author(call))
            if role is None:
                raise Conflict("Já existe um papel com esse nome.", code="role-exists")
            after = {"name": name, "description": description}
            write.record(CatalogueEvent("role.create", "role", str(role.id), name, after=after))
            return role

        role = await make_once(call, write, Role, [name, description], insert)
    return SavedRole(role, write.version)


async def update_role(call: Call, name: str, description: str) -> SavedRole:
    """Change a role's description. If the new description equals the stored one, nothing is written.

    Raises NotFound for an unknown role, and PreconditionFailed if `If-Match` does not match.
    """
    async with write_catalogue(call, CatalogueEvent("role.update", "role", name=name or None)) as write:
        present = _require(await store.select_role(write.connection, name))
        require_match(call.if_match, Ready.of(present).etag)
        role = await store.update_role(write.connection, present.id, description)
        if role != present:
            before, after = {"description": present.description}, {"description": description}
            write.record(CatalogueEvent("role.update", "role", str(role.id), name, before=before, after=after))
    return SavedRole(role, write.version)


async def delete_role(call: Call, name: str) -> int:
    """Delete a role with its grants and return the catalogue version.

    If very many people have the role directly, most of them lose it first, in batches with their own transactions.
    Other writes to the catalogue can then run in between. Raises NotFound for an unknown role, Forbidden for the
    administrative roles, and Conflict while groups give the role.
    """
    while await _revoke_from_some(call, name):
        pass
    async with write_catalogue(call, _name_deletion(name)) as write:
        role = await _find_deletable(write.connection, name)
        uses = await store.read_role_uses(write.connection, role.id)
        await store.delete_role(write.connection, role.id)
        people = [describe_person(call, cpf) for cpf in uses.people]
        before = {
            "name": role.name,
            "description": role.description,
            "actions": uses.actions,
            "people": people,
        }
        write.record(CatalogueEvent("role.delete", "role", str(role.id), role.name, before=before))
    return write.version


async def _revoke_from_some(call: Call, name: str) -> bool:
    """Remove the role from a batch of people if more than `MOST_AT_ONCE` people have it.

    Return whether a batch was processed.
    """
    async with write_catalogue(call, _name_deletion(name)) as write:
        role = await _find_deletable(write.connection, name)
        return await users.remove_role_from_some_people(write, role.id, role.name, MOST_AT_ONCE)


def _name_deletion(name: str) -> CatalogueEvent:
    return CatalogueEvent("role.delete", "role", name=name or None)


async def _find_deletable(connection: Connection, name: str) -> store.FoundRole:
    role = await _find(connection, name)
    rules.refuse_administrative_role(administrative=role.administrative)
    rules.refuse_role_in_use(role.groups)
    return role


async def list_granted_actions(call: Call, name: str) -> list[GrantedAction]:
    """Return the actions that the role grants, sorted by name. Raises NotFound for an unknown role."""
    async with call.platform.database.connection() as connection:
        return await store.select_granted_actions(connection, await _find(connection, name))


async def grant_action(call: Call, role_name: str, action_name: str) -> int:
    """Grant an action to a role, and return the catalogue version. It stays the same if the role already grants it.

    Raises NotFound for an unknown role or action, and Conflict for an action reserved to the platform. Raises Forbidden
    for an administrative role, and for an action that only administrative roles grant (rules: access 4.4).
    """
    async with write_catalogue(call, CatalogueEvent("role.grant", "role", name=role_name or None)) as write:
        role = await _find(write.connection, role_name)
        rules.refuse_administrative_role(administrative=role.administrative)
        action = await _find_action(write.connection, action_name)
        rules.check_grantable(action.code_key)
        if await store.insert_role_action(write.connection, role.id, action.id, mask_author(call)):
            after = {"action_id": action.id, "action": action.name}
            write.record(CatalogueEvent("role.grant", "role", str(role.id), role.name, after=after))
    return write.version


async def revoke_action(call: Call, role_name: str, action_name: str) -> int:
    """Revoke an action from a role, and return the catalogue version. It stays the same if the role lacks the action.

    Raises NotFound for an unknown role or action, and Forbidden for an administrative role.
    """
    async with write_catalogue(call, CatalogueEvent("role.revoke", "role", name=role_name or None)) as write:
        role = await _find(write.connection, role_name)
        rules.refuse_administrative_role(administrative=role.administrative)
        action = await _find_action(write.connection, action_name)
        if await store.delete_role_action(write.connection, role.id, action.id):
            before = {"action_id": action.id, "action": action.name}
            write.record(CatalogueEvent("role.revoke", "role", str(role.id), role.name, before=before))
    return write.version


async def revoke_action_from_some_roles(write: CatalogueWrite, action_id: int, action_name: str, kept: int) -> bool:
    """Revoke an action from a batch of roles, but leave the first `kept` roles. The action will be deleted later.

    Return whether the batch was not empty.
    """
    losing = await store.revoke_action_beyond(write.connection, action_id, kept)
    before = {"action_id": action_id, "action": action_name}
    for role_id, name in losing:
        write.record(CatalogueEvent("role.revoke", "role", str(role_id), name, before=before))
    return bool(losing)


async def _find(connection: Connection, name: str) -> store.FoundRole:
    role = await store.find_role(connection, name)
    if role is None:
        raise rules.make_unknown_role()
    return role


async def _find_action(connection: Connection, name: str) -> store.FoundAction:
    action = await store.find_action_named(connection, name)
    if action is None:
        raise NotFound("Não há ação com esse nome.")
    return action


async def write_planned_roles(connection: Connection, operation: str, rows: Rows, author: str | None) -> None:
    """Write a plan's rows for this operation, in the plan's transaction.

    All rules were already checked for the plan.
    """
    await write_planned_rows(connection, planned_store.STATEMENTS[operation], rows, author)
