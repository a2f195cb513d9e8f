"""Reads and changes the people in the catalogue: the caller, and the people that administrators manage."""

from typing import TypedDict

from balcao.access.catalogue import authority
from balcao.access.catalogue.events import CatalogueEvent, mask_author
from balcao.access.catalogue.service import CatalogueWrite, record_read, write_catalogue
from balcao.access.records import Role
from balcao.access.users import store
from balcao.access.users.schemas import OwnAction, OwnActions, User, Users, UsersQuery
from balcao.core.access.reach import describe_reach, find_held_rights
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Forbidden, NotFound
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import MAX_INT64

# Actions with this prefix open an operation to every caller, to every valid token or only to machines. No role grants
# them.
PLATFORM_PREFIX = "platform:"


async def read_own_user(call: Call) -> User:
    """Return the caller with the stored roles and the roles of the token. Store a new person or a changed name.

    Raises Forbidden if the token contains no CPF.
    """
    caller = call.identified_caller
    if caller.cpf is None:
        raise Forbidden("O token não identifica uma pessoa (CPF).", code="user-without-cpf")
    async with call.platform.database.connection() as connection:
        user = await store.select_own_user(connection, caller.cpf, caller.roles)
        if user is None or (caller.name is not None and user.display_name != caller.name):
            await store.save_person(connection, caller.cpf, caller.name)
            user = await store.select_user(connection, caller.cpf, caller.roles)
    if user is None:  # retention has deleted the person in the meantime
        raise _make_unknown()
    return user


async def find_user(call: Call, id_: int) -> User:
    """Return the person with this id and their stored roles. The read is audited.

    Raises NotFound if no person has this id.
    """
    user = None
    if 0 < id_ <= MAX_INT64:
        async with call.platform.database.connection() as connection:
            user = await store.find_user(connection, id_)
    if user is None:
        raise _make_unknown()
    await record_read(call, CatalogueEvent("user.read", "user", subject=Cpf(user.cpf)))
    return user


def list_own_actions(call: Call) -> OwnActions:
    """Return the actions that the caller's roles (stored or from the token) grant, with their reach."""
    caller, snapshot = call.identified_caller, call.platform.catalogue.snapshot
    held = find_held_rights(snapshot, caller.cpf, caller.roles, authority.list_managed_actions(snapshot))
    granted = [
        OwnAction(
            action.key,
            action.name,
            action.description,
            {} if held.is_administrator else describe_reach(held.grants[action.key]),
        )
        for action in snapshot.actions.values()
        if not action.key.startswith(PLATFORM_PREFIX) and (held.is_administrator or action.key in held.grants)
    ]
    by_key = sorted(granted, key=lambda one: one.action)
    return OwnActions(held.is_administrator, held.is_superadmin, by_key, snapshot.version)


class _Page(TypedDict):
    has_groups: bool
    limit: int
    skip: int


async def list_users(call: Call, query: UsersQuery) -> Users:
    """Return a page of people. The read is audited, because the page contains full CPFs."""
    page: _Page = {"has_groups": query.has_groups, "limit": query.limit, "skip": query.skip}
    async with call.platform.database.connection() as connection:
        if query.search:
            items, total = await store.search_users(connection, search=query.search, **page)
        else:
            items, total = await store.select_users(connection, **page)
    await record_read(call, CatalogueEvent("user.list", "user"))
    return Users(items, total, query.skip, query.limit, has_more=query.skip + len(items) < total)


async def read_user(call: Call, cpf: Cpf) -> User:
    """Return a person with their stored roles. A read by another caller is audited.

    Raises NotFound if the catalogue does not contain the person.
    """
    async with call.platform.database.connection() as connection:
        user = await store.select_user(connection, cpf)
    if not call.is_owner:
        await record_read(call, CatalogueEvent("user.read", "user", subject=cpf))
    if user is None:
        raise _make_unknown()
    return user


async def list_direct_roles(call: Call, cpf: Cpf) -> list[Role]:
    """Return a person's direct roles, sorted by name. The read is audited.

    Raises NotFound if the catalogue does not contain the person.
    """
    async with call.platform.database.connection() as connection:
        person = await _find(connection, cpf)
        roles = await store.select_direct_roles(connection, person.id)
    await record_read(call, CatalogueEvent("user.read_roles", "user", subject=cpf))
    return roles


async def assign_person_role(call: Call, cpf: Cpf, role_name: str) -> int:
    """Give a person a direct role, and return the catalogue version. It stays the same if they already have it.

    Raises NotFound for an unknown role, and Forbidden for a role that grants more than the caller has. After an error,
    a new person is not stored either (rules: access 4.4).
    """
    async with write_catalogue(call, CatalogueEvent("user.assign_role", "user", subject=cpf)) as write:
        role_id = await authority.find_role_id(write.connection, role_name)
        held = await authority.read_held_rights(write.connection, call)
        given = authority.Assignments([role_id], cpf=cpf, direct=[role_id])
        await authority.require_no_escalation(write.connection, call, held, given)
        person_id = await store.save_person(write.connection, cpf)
        if await store.assign_direct_role(write.connection, person_id, role_id, mask_author(call)):
            after = {"role_id": role_id, "role": role_name}
            write.record(CatalogueEvent("user.assign_role", "user", str(person_id), subject=cpf, after=after))
    return write.version


async def remove_person_role(call: Call, cpf: Cpf, role_name: str) -> int:
    """Remove a direct role from a person, and return the catalogue version. It stays the same if they lack the role.

    Every person may give up their own role. Raises NotFound for an unknown person or role, and Forbidden if the role is
    administrative and the caller is not a superadmin. Raises Conflict if no administrator would remain
    (rules: access 4.4).
    """
    async with write_catalogue(call, CatalogueEvent("user.remove_role", "user", subject=cpf)) as write:
        person = await _find(write.connection, cpf)
        role_id = await authority.find_role_id(write.connection, role_name)
        if cpf != call.actor_cpf:
            await authority.require_power_over(write.connection, call, [role_id])
        if await store.remove_direct_role(write.connection, person.id, role_id):
            await authority.require_administrators_left(write.connection, call)
            before = {"role_id": role_id, "role": role_name}
            write.record(CatalogueEvent("user.remove_role", "user", str(person.id), subject=cpf, before=before))
    return write.version


async def remove_role_from_some_people(write: CatalogueWrite, role_id: int, role_name: str, kept: int) -> bool:
    """Remove a role from a batch of its direct holders, but leave the first `kept`. The role will be deleted later.

    Return whether the batch was not empty.
    """
    losing = await store.remove_direct_roles_beyond(write.connection, role_id, kept)
    before = {"role_id": role_id, "role": role_name}
    for person_id, cpf in losing:
        write.record(CatalogueEvent("user.remove_role", "user", str(person_id), subject=cpf, before=before))
    return bool(losing)


async def delete_user(call: Call, cpf: Cpf) -> int:
    """Delete a person without groups and direct roles, and return the catalogue version.

    Raises NotFound for an unknown person, and Conflict if the person still has groups or direct roles. The message
    names these groups and roles.
    """
    async with write_catalogue(call, CatalogueEvent("user.delete", "user", subject=cpf)) as write:
        person = await _find(write.connection, cpf)
        if held := person.groups + person.roles:
            raise Conflict(f"A pessoa ainda tem grupos ou papéis: {', '.join(held)}.", code="user-in-use")
        await store.delete_person(write.connection, person.id)
        write.record(CatalogueEvent("user.delete", "user", str(person.id), subject=cpf))
    return write.version


async def _find(connection: Connection, cpf: Cpf) -> store.FoundPerson:
    person = await store.find_person(connection, cpf)
    if person is None:
        raise _make_unknown()
    return person


def _make_unknown() -> NotFound:
    return NotFound("O catálogo de acessos não conhece essa pessoa.")
