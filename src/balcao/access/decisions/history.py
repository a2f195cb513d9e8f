"""Rebuilds an earlier version of the catalogue from the current one by undoing later changes, newest first.

The audit chain contains the effect of each change (rules: access 2.5). Actions that a later release added are not
removed, because they affect no decision without mappings and grants.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from balcao.core.access.membership_index import Membership
from balcao.core.access.snapshot import EMPTY, Action, Changes, Group, MappedEndpoint, Role, Snapshot
from balcao.core.database.results import Json
from balcao.core.errors import NotFound
from balcao.core.values.cpf import Cpf


class ChainedEvent(NamedTuple):
    """A change in the chain. `subject` is the hash of the affected person's CPF."""

    operation: str
    target_id: str | None
    target_name: str | None
    subject: str | None
    before: Json[Any]
    after: Json[Any]


def rebuild_snapshot(
    present: Snapshot, version: int, events: Iterable[ChainedEvent], cpf: Cpf | None, hashes: list[str]
) -> Snapshot:
    """Return an earlier version of the catalogue that contains only this person.

    `hashes` identify the person in the chain.

    Raises NotFound if an event, for example of an earlier release, lacks the data that is needed to undo it.
    """
    past = _EarlierState(present, cpf, hashes)
    for event in events:
        try:
            past.undo(event)
        except (KeyError, TypeError, ValueError) as missing:
            raise make_version_unavailable() from missing
    return past.to_snapshot(version)


def make_version_unavailable() -> NotFound:
    """Return the error for a version that cannot be rebuilt or does not exist yet."""
    return NotFound("A auditoria não permite refazer essa versão do catálogo.", code="catalogue-version-not-kept")


class _EarlierState:
    def __init__(self, present: Snapshot, cpf: Cpf | None, hashes: list[str]) -> None:
        self._actions = dict(present.actions)
        self._mappings = dict(present.mappings)
        self._roles = dict(present.roles)
        self._groups = dict(present.groups)
        membership = present.people.find(cpf)
        self._held_groups, self._held_roles = set(membership.groups), set(membership.roles)
        self._cpf = cpf
        self._hashes = frozenset(hashes)

    def to_snapshot(self, version: int) -> Snapshot:
        membership = Membership(tuple(sorted(self._held_groups)), tuple(sorted(self._held_roles)))
        changes = Changes(
            version=version,
            position=0,
            whole=True,
            actions=dict(self._actions),
            mappings=dict(self._mappings),
            roles=dict(self._roles),
            groups=dict(self._groups),
            people={self._cpf.digits: membership} if self._cpf else {},
        )
        return EMPTY.following(changes)

    def undo(self, event: ChainedEvent) -> None:
        """Undo a change. A change that affects no decision, for example a role's new description, is skipped."""
        undo = _UNDO.get(event.operation)
        if undo is not None:
            undo(self, event)

    def create_action(self, event: ChainedEvent) -> None:
        # Remove the action before earlier changes are undone, because another action may have had this name.
        self._actions.pop(int(event.target_id or ""), None)

    def update_action(self, event: ChainedEvent) -> None:
        action_id = int(event.target_id or "")
        self._actions[action_id] = msgspec.structs.replace(self._actions[action_id], name=event.before["name"])

    def delete_action(self, event: ChainedEvent) -> None:
        action_id, was = int(event.target_id or ""), event.before
        key = was["code_key"] or f"#{action_id}"
        self._actions[action_id] = Action(action_id, key, was["name"], was["description"])
        for name in was["roles"]:
            self._grant(self._role_named(name), key)
        for mapping in was["mappings"]:
            self._mappings[mapping["id"]] = MappedEndpoint(**mapping, action_id=action_id)

    def create_mapping(self, event: ChainedEvent) -> None:
        del self._mappings[int(event.target_id or "")]

    def change_mapping(self, event: ChainedEvent) -> None:
        mapping_id, was = int(event.target_id or ""), event.before
        known = self._mappings.get(mapping_id) or MappedEndpoint(mapping_id, "", "", 0)
        self._mappings[mapping_id] = msgspec.structs.replace(
            known, method=was["method"], path_pattern=was["path_pattern"], action_id=was["action_id"]
        )

    def register(self, event: ChainedEvent) -> None:
        """Undo the registration or the retirement of operations: restore the mappings to their earlier state."""
        announced, was = set(event.after["operations"]), [MappedEndpoint(**mapping) for mapping in event.before]
        kept = {item: mapping for item, mapping in self._mappings.items() if mapping.operation not in announced}
        self._mappings = kept | {mapping.id: mapping for mapping in was}

    def create_role(self, event: ChainedEvent) -> None:
        del self._roles[int(event.target_id or "")]

    def delete_role(self, event: ChainedEvent) -> None:
        role_id, was = int(event.target_id or ""), event.before
        keys = {action.name: action.key for action in self._actions.values()}
        granted = frozenset(keys[name] for name in was["actions"])
        self._roles[role_id] = Role(role_id, was["name"], administrative=False, actions=granted)
        if any(person["hash"] in self._hashes for person in was["people"]):
            self._held_roles.add(role_id)

    def grant(self, event: ChainedEvent) -> None:
        role = self._roles[int(event.target_id or "")]
        key = self._actions[event.after["action_id"]].key
        self._roles[role.id] = msgspec.structs.replace(role, actions=role.actions - {key})

    def revoke(self, event: ChainedEvent) -> None:
        self._grant(int(event.target_id or ""), self._actions[event.before["action_id"]].key)

    def create_group(self, event: ChainedEvent) -> None:
        del self._groups[int(event.target_id or "")]

    def update_group(self, event: ChainedEvent) -> None:
        group_id, was = int(event.target_id or ""), event.before["attributes"]
        self._groups[group_id] = msgspec.structs.replace(self._groups[group_id], attributes=was)

    def delete_group(self, event: ChainedEvent) -> None:
        group_id, was = int(event.target_id or ""), event.before
        roles = tuple(sorted(self._role_named(name) for name in was["roles"]))
        self._groups[group_id] = Group(group_id, was["name"], roles, was.get("attributes", {}))
        if any(person["hash"] in self._hashes for person in was["members"]):
            self._held_groups.add(group_id)

    def assign_to_group(self, event: ChainedEvent) -> None:
        self._change_group(int(event.target_id or ""), without=event.after["role_id"])

    def remove_from_group(self, event: ChainedEvent) -> None:
        self._change_group(int(event.target_id or ""), plus=event.before["role_id"])

    def join(self, event: ChainedEvent) -> None:
        if event.subject in self._hashes:
            self._held_groups.remove(int(event.target_id or ""))

    def leave(self, event: ChainedEvent) -> None:
        if event.subject in self._hashes:
            self._held_groups.add(int(event.target_id or ""))

    def assign_to_person(self, event: ChainedEvent) -> None:
        if event.subject in self._hashes:
            self._held_roles.remove(event.after["role_id"])

    def remove_from_person(self, event: ChainedEvent) -> None:
        if event.subject in self._hashes:
            self._held_roles.add(event.before["role_id"])

    def load_release(self, event: ChainedEvent) -> None:
        """Undo the seed data of a release.

        The event of an applied plan has the same name, but lists no items: each step of the plan has its own event.
        """
        brought = event.after or {}
        groups = {group.name: group.id for group in self._groups.values()}
        for pair in brought.get("group_roles", ()):
            self._change_group(groups[pair["group"]], without=self._role_named(pair["role"]))
        for name in brought.get("groups", ()):
            del self._groups[groups[name]]
        for pair in brought.get("grants", ()):
            role = self._roles[self._role_named(pair["role"])]
            self._roles[role.id] = msgspec.structs.replace(role, actions=role.actions - {pair["action"]})
        for name in brought.get("roles", ()):
            del self._roles[self._role_named(name)]

    def _role_named(self, name: str) -> int:
        return {role.name: role.id for role in self._roles.values()}[name]

    def _grant(self, role_id: int, key: str) -> None:
        role = self._roles[role_id]
        self._roles[role_id] = msgspec.structs.replace(role, actions=role.actions | {key})

    def _change_group(self, group_id: int, *, plus: int | None = None, without: int | None = None) -> None:
        group = self._groups[group_id]
        roles = {*group.roles, plus} - {without, None}
        self._groups[group_id] = msgspec.structs.replace(group, roles=tuple(sorted(roles)))


_UNDO: Mapping[str, Callable[[_EarlierState, ChainedEvent], None]] = {
    "action.create": _EarlierState.create_action,
    "action.update": _EarlierState.update_action,
    "action.delete": _EarlierState.delete_action,
    "mapping.create": _EarlierState.create_mapping,
    "mapping.update": _EarlierState.change_mapping,
    "mapping.delete": _EarlierState.change_mapping,
    "role.create": _EarlierState.create_role,
    "role.delete": _EarlierState.delete_role,
    "role.grant": _EarlierState.grant,
    "role.revoke": _EarlierState.revoke,
    "group.create": _EarlierState.create_group,
    "group.update": _EarlierState.update_group,
    "group.delete": _EarlierState.delete_group,
    "group.assign_role": _EarlierState.assign_to_group,
    "group.remove_role": _EarlierState.remove_from_group,
    "group.add_member": _EarlierState.join,
    "group.remove_member": _EarlierState.leave,
    "user.assign_role": _EarlierState.assign_to_person,
    "user.remove_role": _EarlierState.remove_from_person,
    "catalogue.apply": _EarlierState.load_release,
    "registration.sync": _EarlierState.register,
}
