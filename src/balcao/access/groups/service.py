"""Manages groups, their roles and their members."""

from typing import Any, NamedTuple

import msgspec

from balcao.access.catalogue import authority
from balcao.access.catalogue.events import CatalogueEvent, Rows, describe_person, mask_author
from balcao.access.catalogue.service import (
    make_once,
    record_read,
    write_catalogue,
)
from balcao.access.catalogue.store import write_planned_rows
from balcao.access.conventions import MOST_AT_ONCE, OptionalSliceQuery
from balcao.access.groups import planned_store, store
from balcao.access.groups.rules import check_name
from balcao.access.groups.schemas import Attributes, Group, GroupChange, Member
from balcao.access.records import Role
from balcao.access.users.store import save_person
from balcao.core.access.reach import MANAGED
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.cpf import Cpf
from balcao.core.values.etags import require_match
from balcao.core.values.ready import Ready


class SavedGroup(NamedTuple):
    """A stored group, and the catalogue version that contains it."""

    group: Group
    version: int


async def create_group(call: Call, name: str, description: str, attributes: Attributes) -> SavedGroup:
    """Create a group.

    Raises Conflict if the name exists, Forbidden if the members of another group would manage the new group, and the
    errors of `make_once`.
    """
    async with write_catalogue(call, CatalogueEvent("group.create", "group", name=name)) as write:

        async def insert() -> Group:
            held = await authority.read_held_rights(write.connection, call)
            check_name(held, name, await store.list_managing_attributes(write.connection))
            group = await store.insert_group(write.connection, name, description, attributes, mask_author(call))
            if group is None:
                raise Conflict("Já existe um grupo com esse nome.", code="group-exists")
            after = {"name": name, **_describe(group)}
            write.record(CatalogueEvent("group.create", "group", str(group.id), name, after=after))
            return group

        group = await make_once(call, write, Group, [name, description, attributes], insert)
    return SavedGroup(group, write.version)


async def read_group(call: Call, name: str) -> Group:
    """Return a group. Raises NotFound if no group has this name."""
    return _require(await store.select_group(call.platform.database, name))


def _require(group: Group | None) -> Group:
    if group is None:
        raise _make_unknown()
    return group


async def update_group(call: Call, name: str, change: GroupChange) -> SavedGroup:
    """Change a group's description or replace its attributes. If nothing differs, nothing is written.

    Raises NotFound for an unknown group, and PreconditionFailed if `If-Match` does not match.
    """
    async with write_catalogue(call, CatalogueEvent("group.update", "group", name=name or None)) as write:
        present = _require(await store.select_group(write.connection, name))
        require_match(call.if_match, Ready.of(present).etag)
        group = msgspec.structs.replace(
            present,
            description=change.description or present.description,
            attributes=present.attributes if change.attributes is None else change.attributes,
        )
        if group != present:
            await store.update_group(write.connection, group)
            before, after = _describe(present), _describe(group)
            write.record(CatalogueEvent("group.update", "group", str(group.id), name, before=before, after=after))
    return SavedGroup(group, write.version)


async def delete_group(call: Call, name: str) -> int:
    """Delete a group with its memberships, and return the catalogue version. The audit event lists the members.

    Most members of a large group are removed first, in batches with their own transactions. Other writes to the
    catalogue can then run in between. Raises NotFound for an unknown group, and Forbidden if the group gives an
    administrative role and the caller is not a superadmin. Raises Conflict if no administrator would remain (rules:
    access 4.4).
    """
    while await _remove_some_members(call, name):
        pass
    async with write_catalogue(call, CatalogueEvent("group.delete", "group", name=name or None)) as write:
        group = await _find(write.connection, name)
        await authority.require_power_over(write.connection, call, group.roles)
        contents = await store.read_group_contents(write.connection, group.id)
        await store.delete_group(write.connection, group.id)
        if group.roles:
            await authority.require_administrators_left(write.connection, call)
        members = [describe_person(call, cpf) for cpf in contents.members]
        before: dict[str, Any] = {
            "name": name,
            "description": group.description,
            "roles": contents.roles,
            "members": members,
            "attributes": group.attributes,
        }
        write.record(CatalogueEvent("group.delete", "group", str(group.id), name, before=before))
    return write.version


async def _remove_some_members(call: Call, name: str) -> bool:
    """Remove a batch of members if the group has more than `MOST_AT_ONCE`. Return whether a batch was removed."""
    async with write_catalogue(call, CatalogueEvent("group.delete", "group", name=name or None)) as write:
        group = await _find(write.connection, name)
        await authority.require_power_over(write.connection, call, group.roles)
        leaving = await store.remove_members_beyond(write.connection, group.id, MOST_AT_ONCE)
        for cpf in leaving:
            write.record(CatalogueEvent("group.remove_member", "group", str(group.id), name, subject=cpf))
    return bool(leaving)


async def list_group_roles(call: Call, name: str) -> list[Role]:
    """Return the group's roles, sorted by name. Raises NotFound for an unknown group."""
    async with call.platform.database.connection() as connection:
        return await store.select_group_roles(connection, (await _find(connection, name)).id)


async def assign_group_role(call: Call, group_name: str, role_name: str) -> int:
    """Give a group a role, and return the catalogue version. It stays the same if the group already has the role.

    Raises NotFound for an unknown group or role, and Forbidden for a role that grants more than the caller has.
    """
    attempt = CatalogueEvent("group.assign_role", "group", name=group_name or None)
    async with write_catalogue(call, attempt) as write:
        group = await _find(write.connection, group_name)
        role_id = await authority.find_role_id(write.connection, role_name)
        held = await authority.read_held_rights(write.connection, call)
        # Check the role as if it were given to a person who has no rights yet. Only administrators may call this
        # operation, and they have every action.
        await authority.require_no_escalation(
            write.connection, call, held, authority.Assignments([role_id], direct=[role_id])
        )
        if await store.insert_group_role(write.connection, group.id, role_id, mask_author(call)):
            after = {"role_id": role_id, "role": role_name}
            write.record(CatalogueEvent("group.assign_role", "group", str(group.id), group_name, after=after))
    return write.version


async def remove_group_role(call: Call, group_name: str, role_name: str) -> int:
    """Remove a role from a group, and return the catalogue version. It stays the same if the group lacks the role.

    Raises NotFound for an unknown group or role, and Forbidden if the role is administrative and the caller is not a
    superadmin. Raises Conflict if no administrator would remain (rules: access 4.4).
    """
    attempt = CatalogueEvent("group.remove_role", "group", name=group_name or None)
    async with write_catalogue(call, attempt) as write:
        group = await _find(write.connection, group_name)
        role_id = await authority.find_role_id(write.connection, role_name)
        await authority.require_power_over(write.connection, call, [role_id])
        if await store.delete_group_role(write.connection, group.id, role_id):
            await authority.require_administrators_left(write.connection, call)
            before = {"role_id": role_id, "role": role_name}
            write.record(CatalogueEvent("group.remove_role", "group", str(group.id), group_name, before=before))
    return write.version


async def list_members(call: Call, name: str, query: OptionalSliceQuery) -> tuple[list[Member], int]:
    """Return a group's members, newest first, and their number. The list shows full CPFs, so the read is audited.

    Raises NotFound for an unknown group, and Forbidden for a group whose members the caller does not manage.
    """
    authority.check_management(call.find_limits(MANAGED), name)
    # The two statements need one snapshot. If another call deletes the group between them, the caller still gets the
    # group's members. If the group was deleted earlier, the caller gets a 404.
    async with call.platform.database.transaction(isolation="repeatable_read") as connection:
        group = await _find(connection, name)
        members = await store.select_members(connection, group.id, query.limit, query.skip)
    await record_read(call, CatalogueEvent("group.read_members", "group", str(group.id), name))
    return members


async def add_member(call: Call, group_name: str, subject: Cpf) -> int:
    """Add a person to a group, and return the catalogue version. It stays the same if they are already a member.

    Raises NotFound for an unknown group, and Forbidden if the person would get more rights than the caller or if the
    caller does not manage the group. After an error, the person is not added to the catalogue either.
    """
    attempt = CatalogueEvent("group.add_member", "group", name=group_name or None, subject=subject)
    async with write_catalogue(call, attempt) as write:
        group = await _find(write.connection, group_name)
        held = await authority.require_management(write.connection, call, group_name)
        given = authority.Assignments(group.roles, cpf=subject, group=group.id)
        await authority.require_no_escalation(write.connection, call, held, given)
        person_id = await save_person(write.connection, subject)
        if await store.insert_member(write.connection, group.id, person_id, mask_author(call)):
            write.record(CatalogueEvent("group.add_member", "group", str(group.id), group_name, subject=subject))
    return write.version


async def remove_member(call: Call, group_name: str, subject: Cpf) -> int:
    """Remove a person from a group, and return the catalogue version. It stays the same if they are not a member.

    Any person may leave a group. Raises NotFound for an unknown group, and Forbidden if the caller may not remove
    another person from this group. Raises Conflict if no administrator would remain (rules: access 4.4).
    """
    attempt = CatalogueEvent("group.remove_member", "group", name=group_name or None, subject=subject)
    async with write_catalogue(call, attempt) as write:
        group = await _find(write.connection, group_name)
        if subject != call.actor_cpf:
            await authority.require_management(write.connection, call, group_name)
            await authority.require_power_over(write.connection, call, group.roles)
        if await store.delete_member(write.connection, group.id, subject):
            if group.roles:
                await authority.require_administrators_left(write.connection, call)
            write.record(CatalogueEvent("group.remove_member", "group", str(group.id), group_name, subject=subject))
    return write.version


async def _find(connection: Connection, name: str) -> store.FoundGroup:
    group = await store.find_group(connection, name)
    if group is None:
        raise _make_unknown()
    return group


def _make_unknown() -> NotFound:
    return NotFound("Não há grupo com esse nome.")


def _describe(group: Group) -> dict[str, Any]:
    return {"description": group.description, "attributes": group.attributes}


async def write_planned_groups(connection: Connection, operation: str, rows: Rows, author: str | None) -> None:
    """Write a plan's rows for this operation, in the plan's transaction.

    All rules were already checked for the plan.
    """
    await write_planned_rows(connection, planned_store.STATEMENTS[operation], rows, author)
