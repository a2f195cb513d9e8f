"""Lists a person's actions from stored roles, and the actions that another group would add (rules: access 2.4, 4.8)."""

from collections import defaultdict
from dataclasses import replace

from balcao.access.catalogue.authority import list_managed_actions
from balcao.access.catalogue.events import CatalogueEvent
from balcao.access.catalogue.service import record_read
from balcao.access.decisions.schemas import ExplainedWay, PersonAction, PersonActions
from balcao.access.users.service import PLATFORM_PREFIX
from balcao.core.access.membership_index import Membership
from balcao.core.access.reach import (
    DEPARTMENT,
    UNLIMITED,
    HeldRights,
    describe_group,
    describe_reach,
    find_held_rights,
    is_wider,
)
from balcao.core.access.snapshot import Group, Snapshot
from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.values.cpf import Cpf


async def list_person_actions(call: Call, cpf: Cpf, group_name: str | None) -> PersonActions:
    """Return a person's actions. With `group_name`, return the actions that the person would have as a member.

    In this case, the actions that the group would add are marked. Roles that exist only in a token are not included.
    Raises NotFound for an unknown group.
    """
    if not call.is_owner:
        await record_read(call, CatalogueEvent("user.read_actions", "user", subject=cpf))
    snapshot = call.platform.catalogue.snapshot
    supposed = snapshot if group_name is None else _join(snapshot, cpf, group_name)
    managing = list_managed_actions(snapshot)
    before = find_held_rights(snapshot, cpf, (), managing)
    after = find_held_rights(supposed, cpf, (), managing)
    ways = _list_ways(call, supposed, cpf)
    actions = [
        PersonAction(
            action.name,
            {} if after.is_administrator else describe_reach(after.grants[action.key]),
            [*ways[action.key], *ways[_EVERYTHING]],
            gained=_is_gained(before, after, action.key),
        )
        for action in sorted(supposed.actions.values(), key=lambda action: action.name)
        if not action.key.startswith(PLATFORM_PREFIX) and (after.is_administrator or action.key in after.grants)
    ]
    departments = describe_reach(after.grants.get(DEPARTMENT, UNLIMITED)).get(DEPARTMENT, [])
    return PersonActions(after.is_administrator, actions, departments, snapshot.version)


def _join(snapshot: Snapshot, cpf: Cpf, group_name: str) -> Snapshot:
    """Return the snapshot as if the person were in the group. Raises NotFound for an unknown group."""
    group = next((group for group in snapshot.groups.values() if group.name == group_name), None)
    if group is None:
        raise NotFound("Não há grupo com esse nome.")
    held = snapshot.people.find(cpf)
    joined = Membership(tuple(sorted({*held.groups, group.id})), held.roles)
    return replace(snapshot, people=snapshot.people.replacing({cpf.digits: joined}))


_EVERYTHING = ""


def _list_ways(call: Call, snapshot: Snapshot, cpf: Cpf) -> dict[str, list[ExplainedWay]]:
    """Return the ways in which the person has each action, by action key.

    The empty key contains the ways in which the person has all actions.
    """
    person = replace(
        call.identified_caller, cpf=cpf, roles=frozenset(), scopes=frozenset(), client="", is_machine=False
    )
    groups: dict[str | None, Group] = {group.name: group for group in snapshot.groups_of(cpf)}
    found: dict[str, list[ExplainedWay]] = defaultdict(list)
    for way in snapshot.list_ways(person):
        group = groups.get(way.group)
        reach = describe_group(group.name, group.attributes) if group is not None else {}
        shown = ExplainedWay(way.role.name, way.source, way.group, reach)
        for key in [_EVERYTHING] if way.role.administrative else way.role.actions:
            found[key].append(shown)
    return found


def _is_gained(before: HeldRights, after: HeldRights, action: str) -> bool:
    """Return whether the person gains the action or a wider reach."""
    if before.is_administrator or after.is_administrator:
        return not before.is_administrator
    was = before.grants.get(action)
    return was is None or is_wider(was, after.grants[action])
