"""Does one step of a plan by the use case that would do it alone: there is one rule for what may be changed."""

from typing import Any

from balcao.access.actions import service as actions
from balcao.access.actions.schemas import ActionChange
from balcao.access.documents import store
from balcao.access.documents.schemas import Item
from balcao.access.groups import service as groups
from balcao.access.groups.schemas import GroupChange
from balcao.access.mappings import service as mappings
from balcao.access.mappings.patterns import erase_names
from balcao.access.mappings.schemas import MappingChange
from balcao.access.roles import service as roles
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict

Members = dict[str, Any]


async def perform(call: Call, connection: Connection, step: Item) -> None:
    """Make the change, within the write that is open on the connection. Raises what the use case raises."""
    before, after = step.before, step.after
    if step.kind == "action":
        await _change_action(call, connection, before, after)
    elif step.kind == "role":
        await _change_role(call, step.key, before, after)
    elif step.kind == "group":
        await _change_group(call, step.key, before, after)
    elif step.kind == "mapping":
        await _change_mapping(call, connection, step.key, before, after)
    elif after is not None:
        mapping_id = await store.find_operation_id(connection, step.key)
        change = MappingChange(action_id=await _find_action(connection, after["action"]))
        await mappings.update_mapping(call, mapping_id or 0, change)


async def _change_action(call: Call, connection: Connection, before: Members | None, after: Members | None) -> None:
    if before is None and after is not None:
        await actions.create_action(call, after["name"], after["description"])
    elif before is not None and after is not None:
        change = ActionChange(name=after["name"], description=after["description"])
        await actions.update_action(call, await _find_action(connection, before["name"]), change)
    elif before is not None:
        await actions.delete_action(call, before["id"], force=True)


async def _change_role(call: Call, name: str, before: Members | None, after: Members | None) -> None:
    if after is None:
        await roles.delete_role(call, name)
        return
    if before is None:
        await roles.create_role(call, name, after["description"])
    elif before["description"] != after["description"]:
        await roles.update_role(call, name, after["description"])
    new, gone = _compare(before, after, "actions")
    for action in new:
        await roles.grant_action(call, name, action)
    for action in gone:
        await roles.revoke_action(call, name, action)


async def _change_group(call: Call, name: str, before: Members | None, after: Members | None) -> None:
    if after is None:
        await groups.delete_group(call, name)
        return
    if before is None:
        await groups.create_group(call, name, after["description"], after["attributes"])
    else:
        change = GroupChange(description=after["description"], attributes=after["attributes"])
        await groups.update_group(call, name, change)
    new, gone = _compare(before, after, "roles")
    for role in new:
        await groups.assign_role(call, name, role)
    for role in gone:
        await groups.remove_role(call, name, role)


async def _change_mapping(
    call: Call, connection: Connection, key: str, before: Members | None, after: Members | None
) -> None:
    method, _, path = key.partition(" ")
    if after is None:
        await mappings.delete_mapping(call, before["id"] if before else 0)
        return
    action_id = await _find_action(connection, after["action"])
    if before is None:
        await mappings.create_mapping(call, method, path, action_id, after["description"])
        return
    mapping_id = await store.find_mapping_id(connection, method, erase_names(path))
    change = MappingChange(path_pattern=path, action_id=action_id, description=after["description"])
    await mappings.update_mapping(call, mapping_id or 0, change)


def _compare(before: Members | None, after: Members, name: str) -> tuple[list[str], list[str]]:
    """Return what is new in a list, and what is gone."""
    known = before[name] if before else []
    return [one for one in after[name] if one not in known], [one for one in known if one not in after[name]]


async def _find_action(connection: Connection, name: str) -> int:
    found = await store.find_action_id(connection, name)
    if found is None:
        raise Conflict(f"Não há ação {name}, nem aqui nem no documento.", code="action-unknown")
    return found
