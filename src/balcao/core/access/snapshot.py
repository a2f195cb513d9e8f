"""A complete version of the access catalogue, and how changes make the next version (rules: access 4.5)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeVar

import msgspec

from balcao.core.access.caller import Caller
from balcao.core.access.membership_index import EMPTY_INDEX, Membership, MembershipIndex
from balcao.core.access.paths import Entry, PatternTree, bind_path, split_path
from balcao.core.values.cpf import Cpf

T = TypeVar("T")


class Action(msgspec.Struct, frozen=True):
    """An action. `key` is the code key, or `#id` for a custom action. `name` and `description` are current."""

    id: int
    key: str
    name: str
    description: str = ""


class MappedEndpoint(msgspec.Struct, frozen=True):
    """An endpoint and its action.

    `service`, `operation` and `guard` are None for an endpoint of another application.
    """

    id: int
    method: str
    path_pattern: str
    action_id: int
    service: str | None = None
    operation: str | None = None
    guard: str | None = None

    @property
    def entry(self) -> Entry:
        """The endpoint as an entry of the pattern tree."""
        return Entry(self.method, self.path_pattern, self.id)


class Role(msgspec.Struct, frozen=True):
    """A role. `actions` are action keys. An administrative role grants every action, including future ones."""

    id: int
    name: str
    administrative: bool
    actions: frozenset[str]

    def grants(self, action: str) -> bool:
        """Return whether the role grants the action."""
        return self.administrative or action in self.actions


class Group(msgspec.Struct, frozen=True):
    """A group. `roles` are the ids of the roles that it gives. Services decide what `attributes` limit."""

    id: int
    name: str
    roles: tuple[int, ...]
    attributes: dict[str, list[str]]


class Changes(msgspec.Struct):
    """The changes that lead to a version, by id or CPF. None marks a deletion.

    If `whole`, the changes contain the complete catalogue except the people.
    """

    version: int
    position: int
    whole: bool
    actions: dict[int, Action | None]
    mappings: dict[int, MappedEndpoint | None]
    roles: dict[int, Role | None]
    groups: dict[int, Group | None]
    people: dict[str, Membership]


class Match(NamedTuple):
    """The mapping that decides on a request, and the values of the path's named parameters."""

    mapping: MappedEndpoint
    action: Action
    values: dict[str, str]


class Way(NamedTuple):
    """One way in which a person gets a role: by the token, directly, or through a group."""

    role: Role
    source: Literal["token", "direct", "group"]
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A version of the catalogue.

    `position` is its last change; `bindings` maps our operations to their action keys.
    """

    version: int = 0
    position: int = 0
    actions: Mapping[int, Action] = field(default_factory=dict)
    mappings: Mapping[int, MappedEndpoint] = field(default_factory=dict)
    roles: Mapping[int, Role] = field(default_factory=dict)
    groups: Mapping[int, Group] = field(default_factory=dict)
    people: MembershipIndex = EMPTY_INDEX
    bindings: Mapping[str, str] = field(default_factory=dict)
    roles_by_name: Mapping[str, Role] = field(default_factory=dict)
    patterns: PatternTree = field(default_factory=PatternTree)

    def grants(self, caller: Caller, action: str) -> bool:
        """Return whether one of the caller's roles, from the token or stored, grants the action."""
        for name in caller.roles:  # plain loops, because they are fast and every decision runs them
            role = self.roles_by_name.get(name)
            if role is not None and role.grants(action):
                return True
        membership = self.people.find(caller.cpf)
        for role_id in membership.roles:
            if self._does_grant(role_id, action):
                return True
        for group_id in membership.groups:
            group = self.groups.get(group_id)
            if group is not None and any(self._does_grant(role_id, action) for role_id in group.roles):
                return True
        return False

    def _does_grant(self, role_id: int, action: str) -> bool:
        role = self.roles.get(role_id)
        return role is not None and role.grants(action)

    def holds_role(self, caller: Caller) -> bool:
        """Return whether the caller has any role of the catalogue: from the token, directly or through a group."""
        if not self.roles_by_name.keys().isdisjoint(caller.roles):
            return True
        held = self.people.find(caller.cpf)
        return bool(held.roles) or any(group.roles for group in self.groups_of(caller.cpf))

    def groups_of(self, cpf: Cpf | None) -> list[Group]:
        """Return the groups of a person."""
        held = self.people.find(cpf).groups
        return [group for group_id in held if (group := self.groups.get(group_id)) is not None]

    def find_limits(self, caller: Caller, action: str, attribute: str) -> frozenset[str] | None:
        """Return the attribute's values to which the caller's right to an action is limited, or None without a limit.

        Rights through several groups are combined. There is no limit if one of the groups lacks the attribute, if the
        caller has such a role in another way, or if the caller has any administrative role (rules: access 3.3, 4.8).
        """
        others = [way.role for way in self.list_ways(caller) if way.source != "group" or way.role.administrative]
        granting = [
            group
            for group in self.groups_of(caller.cpf)
            if any(self._does_grant(role_id, action) for role_id in group.roles)
        ]
        if any(role.grants(action) for role in others) or any(attribute not in each.attributes for each in granting):
            return None
        return frozenset(value for group in granting for value in group.attributes[attribute])

    def list_ways(self, caller: Caller) -> Iterator[Way]:
        """Yield each role of the caller with its source, sorted by role and group name."""
        ways = [Way(self.roles_by_name[name], "token") for name in caller.roles if name in self.roles_by_name]
        held = self.people.find(caller.cpf).roles
        ways += [Way(self.roles[role_id], "direct") for role_id in held if role_id in self.roles]
        for group in self.groups_of(caller.cpf):
            ways += [Way(self.roles[role_id], "group", group.name) for role_id in group.roles if role_id in self.roles]
        yield from sorted(ways, key=lambda way: (way.role.name, way.source, way.group or ""))

    def match(self, method: str, path: str) -> Match | None:
        """Return the mapping that decides on a request: the most specific match, or None."""
        segments = split_path(path)
        found = None if segments is None else self.patterns.find(method, segments)
        if segments is None or found is None:
            return None
        mapping = self.mappings[found]
        return Match(mapping, self.actions[mapping.action_id], bind_path(mapping.path_pattern, segments))

    def following(self, changes: Changes) -> "Snapshot":
        """Return the next version. It shares everything that did not change with this version."""
        old = [self.mappings[item] for item in changes.mappings if item in self.mappings]
        new = [mapping for mapping in changes.mappings.values() if mapping is not None]
        actions = _merge(self.actions, changes.actions)
        roles = _merge(self.roles, changes.roles)
        by_name = {role.name: role for role in roles.values()} if changes.roles else self.roles_by_name
        return replace(
            self,
            version=changes.version,
            position=changes.position,
            actions=actions,
            mappings=_merge(self.mappings, changes.mappings),
            roles=roles,
            groups=_merge(self.groups, changes.groups),
            people=self.people.replacing(changes.people),
            bindings=_bind(self.bindings, old, new, actions),
            roles_by_name=by_name,
            patterns=self._replace_patterns(old, new),
        )

    def _replace_patterns(self, old: list[MappedEndpoint], new: list[MappedEndpoint]) -> PatternTree:
        if not self.mappings:
            return PatternTree(mapping.entry for mapping in new)
        if not old and not new:
            return self.patterns
        return self.patterns.replacing([mapping.entry for mapping in old], [mapping.entry for mapping in new])


def _merge(known: Mapping[int, T], changed: Mapping[int, T | None]) -> Mapping[int, T]:
    if not changed:
        return known
    merged = dict(known)
    for item, now in changed.items():
        if now is None:
            merged.pop(item, None)
        else:
            merged[item] = now
    return merged


def _bind(
    known: Mapping[str, str],
    old: list[MappedEndpoint],
    new: list[MappedEndpoint],
    actions: Mapping[int, Action],
) -> Mapping[str, str]:
    """Return the action keys of our operations after some mappings have changed. The key of an action never changes."""
    if not old and not new:
        return known
    gone = {mapping.operation for mapping in old}
    bound = {operation: key for operation, key in known.items() if operation not in gone}
    bound |= {mapping.operation: actions[mapping.action_id].key for mapping in new if mapping.operation is not None}
    return bound


EMPTY = Snapshot()
