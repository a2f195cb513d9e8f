"""Creates, changes and deletes actions. Mappings and grants refer to an action by id; code refers to it by code key."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from balcao.access.actions import planned_store, store
from balcao.access.actions.deletion import check_deletion
from balcao.access.actions.renaming import KnownActions, make_name_in_code, make_name_taken, make_unknown_action
from balcao.access.actions.schemas import (
    Action,
    ActionChange,
    Actions,
    ActionsQuery,
    Change,
    Holder,
    Holders,
    Impact,
    ImpactQuery,
    Obstacle,
)
from balcao.access.catalogue.authority import describe_right
from balcao.access.catalogue.events import CatalogueEvent, Rows, mask_author
from balcao.access.catalogue.service import (
    CompletedChange,
    GroupedChange,
    RequestedChange,
    make_once,
    record_read,
    write_catalogue,
)
from balcao.access.catalogue.store import write_planned_rows
from balcao.access.conventions import MOST_AT_ONCE, SliceQuery
from balcao.access.mappings import service as mappings
from balcao.access.mappings.store import delete_mappings_of_action
from balcao.access.roles import service as roles
from balcao.core.access.reach import describe_group
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection, Source
from balcao.core.errors import BalcaoError
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import MAX_INT64


class SavedAction(NamedTuple):
    """A stored action, and the catalogue version that contains it."""

    action: Action
    version: int


async def update_action(call: Call, action_id: int, change: ActionChange) -> SavedAction:
    """Change an action's name or description. If nothing differs, nothing is written.

    Raises NotFound for an unknown action, Forbidden for a reserved name, and PreconditionFailed if `If-Match` does not
    match. Raises Invalid if the name is in use, or if it belongs to a deleted action that is declared in code.
    """
    attempt = CatalogueEvent("action.update", "action", str(action_id))
    return SavedAction(*await _CHANGE.run(call, attempt, WantedChange(action_id, change)))


class WantedChange(NamedTuple):
    """A requested change, with the id of the action."""

    action_id: int
    change: ActionChange


async def _make_changes(
    connection: Connection, turns: Sequence[RequestedChange[WantedChange]]
) -> list[CompletedChange[Action] | BalcaoError]:
    names = [turn.wanted.change.name for turn in turns if turn.wanted.change.name]
    ids = {turn.wanted.action_id for turn in turns if 0 < turn.wanted.action_id <= MAX_INT64}
    found = await store.find_actions(connection, ids, names)
    kept_names = await store.list_names_of_deleted_actions(connection, names) if names else []
    known, changed = KnownActions(found, kept_names), []
    outcomes: list[CompletedChange[Action] | BalcaoError] = []
    for call, (action_id, change) in turns:
        try:
            before, after = known.change(action_id, change, call.if_match)
        except BalcaoError as refusal:
            outcomes.append(refusal)
            continue
        event = None
        if after != before:
            changed.append(after)
            event = CatalogueEvent(
                "action.update", "action", str(after.id), after.name, before=_describe(before), after=_describe(after)
            )
        outcomes.append(CompletedChange(after, event))
    if changed:
        await store.update_actions(connection, changed)
    return outcomes


_CHANGE = GroupedChange(_make_changes)


async def create_action(call: Call, name: str, description: str) -> SavedAction:
    """Create an action.

    Raises Invalid if the name is in use or belongs to a deleted action that is declared in code, and the errors of
    `make_once`.
    """
    async with write_catalogue(call, CatalogueEvent("action.create", "action", name=name)) as write:

        async def insert() -> Action:
            if await store.list_names_of_deleted_actions(write.connection, [name]):
                raise make_name_in_code()
            action_id = await store.insert_action(write.connection, name, description, mask_author(call))
            if action_id is None:
                raise make_name_taken()
            action = Action(action_id, name, description, 0)
            write.record(CatalogueEvent("action.create", "action", str(action_id), name, after=_describe(action)))
            return action

        action = await make_once(call, write, Action, [name, description], insert)
    return SavedAction(action, write.version)


async def list_actions(call: Call, query: ActionsQuery) -> Actions:
    """Return a page of actions, sorted by id."""
    async with call.platform.database.connection() as connection:
        found, total = await store.select_actions(connection, query.search, query.limit, query.skip)
    return Actions(found, total, query.skip, query.limit)


async def read_action(call: Call, action_id: int) -> Action:
    """Return an action. Raises NotFound if no action has this id."""
    return (await _find(call.platform.database, action_id)).action


async def delete_action(call: Call, action_id: int, *, force: bool) -> int:
    """Delete an action and return the catalogue version. With `force`, its custom mappings and grants are deleted too.

    If the action has very many mappings or grants, most are deleted first, in batches with their own transactions.
    Other writes to the catalogue can then run in between. Raises NotFound for an unknown action, Forbidden for a
    reserved action, and Conflict for an action in use (rules: access 4.3).
    """
    while force and await _delete_batch(call, action_id):
        pass
    async with write_catalogue(call, _name_deletion(action_id)) as write:
        found = await _find_deletable(write.connection, action_id, force=force)
        lost = await store.read_dependent_names(write.connection, action_id)
        await delete_mappings_of_action(write.connection, action_id)
        code_key = await store.delete_action(write.connection, action_id)
        before = _describe(found) | {"code_key": code_key} | lost._asdict()
        write.record(CatalogueEvent("action.delete", "action", str(action_id), found.name, before=before))
    return write.version


async def _delete_batch(call: Call, action_id: int) -> bool:
    """Delete a batch of grants or, once few enough are left, of custom mappings. Return whether a batch was deleted.

    Leave up to `MOST_AT_ONCE` grants and `MOST_AT_ONCE` mappings for the transaction that deletes the action. Delete
    grants before mappings, because a path without its mapping may match a wider pattern.
    """
    async with write_catalogue(call, _name_deletion(action_id)) as write:
        action = await _find_deletable(write.connection, action_id, force=True)
        return await roles.revoke_action_from_some_roles(write, action_id, action.name, MOST_AT_ONCE) or (
            await mappings.delete_some_mappings_of_action(write, action_id, MOST_AT_ONCE)
        )


def _name_deletion(action_id: int) -> CatalogueEvent:
    return CatalogueEvent("action.delete", "action", str(action_id))


async def _find_deletable(connection: Connection, action_id: int, *, force: bool) -> Action:
    found = await _find(connection, action_id)
    system, custom, granting = await store.count_dependents(connection, action_id)
    check_deletion(reserved=found.reserved, system=system, custom=custom, roles=granting, force=force)
    return found.action


async def read_impact(call: Call, action_id: int, query: ImpactQuery) -> Impact:
    """Return the impact of renaming or deleting an action, and the reasons why it is blocked (rules: access 4.2).

    Raises NotFound for an unknown action.
    """
    async with call.platform.database.connection() as connection:
        found = await _find(connection, action_id, query.new_name)
        uses = await store.read_uses(connection, action_id)
    return Impact(
        action=found.action,
        operation=query.operation.value,
        new_name=query.new_name,
        name_available=None if query.new_name is None else not found.name_taken,
        mappings=uses.mappings,
        roles=uses.roles,
        groups=uses.groups,
        also_checked_by=uses.also_checked_by,
        people_count=uses.people_count,
        blocked_by=_list_obstacles(query, found, uses),
        catalogue_version=uses.version,
    )


def _list_obstacles(query: ImpactQuery, found: store.FoundAction, uses: store.ActionUses) -> list[Obstacle]:
    deletes = query.operation is Change.DELETE
    obstacles: dict[Obstacle, bool] = {
        "name_taken": not deletes and found.name_taken,
        "reserved": found.reserved,
        "system_mappings": deletes and uses.system > 0,
        "custom_mappings": deletes and uses.custom > 0,
        "grants": deletes and bool(uses.roles),
    }
    return [code for code, stands in obstacles.items() if stands]


async def list_holders(call: Call, action_id: int, query: SliceQuery) -> Holders:
    """Return the people who have the action through stored roles. Raises NotFound for an unknown action.

    The response contains full CPFs, so the read is audited.
    """
    async with call.platform.database.connection() as connection:
        found = await _find(connection, action_id)
        found_holders, total = await store.select_holders(connection, action_id, query.limit, query.skip)
        roles = await store.list_granting_roles(connection, action_id)
    await record_read(call, CatalogueEvent("action.holders", "action", str(action_id), found.action.name))
    snapshot = call.platform.catalogue.snapshot
    action = snapshot.actions.get(action_id)
    key = action.key if action else ""
    items = [
        Holder(
            holder.subject,
            holder.display_name,
            [msgspec.structs.replace(way, reach=describe_group(way.group or "", way.reach)) for way in holder.via],
            describe_right(snapshot, Cpf(holder.subject), (), key),
        )
        for holder in found_holders
    ]
    has_more = query.skip + len(items) < total
    return Holders(items, total, query.skip, query.limit, has_more, roles)


async def _find(source: Source, action_id: int, new_name: str | None = None) -> store.FoundAction:
    """Return the action. Raises NotFound for an unknown id, even if the id does not fit into a bigint."""
    found = await store.find_action(source, action_id, new_name) if 0 < action_id <= MAX_INT64 else None
    if found is None:
        raise make_unknown_action()
    return found


async def find_action_id(call: Call, name: str) -> int | None:
    """Return the id of the action with this name, or None."""
    async with call.platform.database.connection() as connection:
        return await store.select_action_id(connection, name)


async def find_action_id_by_key(call: Call, code_key: str) -> int | None:
    """Return the id of the action with this code key, or None. An action keeps its code key when it is renamed."""
    async with call.platform.database.connection() as connection:
        return await store.select_action_id_by_key(connection, code_key)


def _describe(action: Action) -> dict[str, str]:
    return {"name": action.name, "description": action.description}


async def write_planned_actions(connection: Connection, operation: str, rows: Rows, author: str | None) -> None:
    """Write a plan's rows for this operation, in the plan's transaction.

    All rules were already checked for the plan.
    """
    if operation == "action.delete":
        await mappings.delete_mappings_of_actions(connection, rows)
    await write_planned_rows(connection, planned_store.STATEMENTS[operation], rows, author)
