"""How far grants reach (areas, departments, groups to manage), and what further grants add (rules: access 4.8).

A grant is an action and its reach. A reach maps each limiting key to the allowed values. A missing key does not limit.
If several groups or roles grant an action, its reach is the union of theirs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from balcao.core.access.snapshot import Role, Snapshot
from balcao.core.values.cpf import Cpf

# Membership of a group whose name has this prefix grants a department, whatever roles the group gives.
DEPARTMENT_GROUP = "go:orgao:"
DEPARTMENT = "go:orgao"
ANY_DEPARTMENT = "job_listing:any_department"
# The actions whose reach departments limit.
_DEPARTMENTAL = ("job_listing:", "job_application:")
# The attribute that lists the groups whose members a person manages: names, or prefixes that end with `*`.
MANAGED = "manages"

Reach: TypeAlias = Mapping[str, frozenset[str]]
Attributes: TypeAlias = Mapping[str, Sequence[str]]
UNLIMITED: Reach = {}


class HeldRole(NamedTuple):
    """A role with the attributes of the group that gives it.

    A role that is held directly or through the token has no attributes.
    """

    role: Role
    attributes: Attributes


class Excess(NamedTuple):
    """An action beyond a person's own rights. `key` is the limit it exceeds, or None if the person lacks the action."""

    action: str
    key: str | None


@dataclass(frozen=True)
class HeldRights:
    """A person's rights: each action with its reach. An administrator has all actions without limits."""

    is_superadmin: bool = False
    is_administrator: bool = False
    grants: Mapping[str, Reach] = field(default_factory=dict)

    @classmethod
    def of(cls, held_roles: Iterable[HeldRole], groups: Iterable[str], managing: frozenset[str]) -> "HeldRights":
        """Combine the rights that all these roles give.

        `groups` are the person's group names, `managing` the actions that `manages` limits.
        """
        held_roles = list(held_roles)
        ways: dict[str, list[Attributes]] = {}
        for held_role in held_roles:
            for action in held_role.role.actions:
                ways.setdefault(action, []).append(held_role.attributes)
        departments = list_group_departments(groups)
        everywhere = ANY_DEPARTMENT in ways
        grants = {
            action: measure_reach(action, found, None if everywhere else departments, managing)
            for action, found in ways.items()
        }
        if departments or everywhere:
            grants[DEPARTMENT] = UNLIMITED if everywhere else {DEPARTMENT: departments}
        return cls(
            is_superadmin=any(held_role.role.name == "superadmin" for held_role in held_roles),
            is_administrator=any(held_role.role.administrative for held_role in held_roles),
            grants=grants,
        )

    def find_limit(self, action: str, key: str) -> frozenset[str] | None:
        """Return the values to which this key limits the action, or None if it does not limit the action.

        An action that the person does not have is limited to no values.
        """
        if self.is_administrator:
            return None
        reach = self.grants.get(action)
        return frozenset() if reach is None else reach.get(key)

    def find_excess(self, before: "HeldRights", after: "HeldRights") -> Excess | None:
        """Return a right that `after` adds to `before` and this person lacks, or None. Missing actions come first."""
        if self.is_administrator:
            return None
        found = self._list_excesses(before, after)
        return min(found, key=lambda excess: (excess.key is not None, excess.action), default=None)

    def _list_excesses(self, before: "HeldRights", after: "HeldRights") -> Iterator[Excess]:
        for action, reach in after.grants.items():
            mine, was = self.grants.get(action), before.grants.get(action)
            if was is not None and not _list_widened(was, reach):
                continue
            if mine is None:
                yield Excess(action, None)
            elif (key := _find_beyond(mine, was, reach)) is not None:
                yield Excess(action, key)


NOTHING_HELD = HeldRights()


def find_held_rights(snapshot: Snapshot, cpf: Cpf | None, roles: Iterable[str], managing: frozenset[str]) -> HeldRights:
    """Return a person's rights in a version of the catalogue, including these roles of their token."""
    groups = snapshot.groups_of(cpf)
    direct = [snapshot.roles_by_name[name] for name in roles if name in snapshot.roles_by_name]
    direct += [snapshot.roles[item] for item in snapshot.people.find(cpf).roles if item in snapshot.roles]
    held_roles = [HeldRole(role, {}) for role in direct] + [
        HeldRole(snapshot.roles[item], group.attributes)
        for group in groups
        for item in group.roles
        if item in snapshot.roles
    ]
    return HeldRights.of(held_roles, [group.name for group in groups], managing)


def list_group_departments(groups: Iterable[str]) -> frozenset[str]:
    """Return the codes of the departments that membership of these groups grants."""
    return frozenset(name.removeprefix(DEPARTMENT_GROUP) for name in groups if name.startswith(DEPARTMENT_GROUP))


def describe_group(name: str, attributes: Attributes) -> dict[str, list[str]]:
    """Return, for display, the reach that a group gives to the grants of its members."""
    department = {DEPARTMENT: [name.removeprefix(DEPARTMENT_GROUP)]} if name.startswith(DEPARTMENT_GROUP) else {}
    return {key: sorted(attributes[key]) for key in sorted(attributes)} | department


def describe_reach(reach: Reach) -> dict[str, list[str]]:
    """Return a reach in the form for display. A missing key sets no limit."""
    return {key: sorted(reach[key]) for key in sorted(reach)}


def measure_reach(
    action: str, ways: Sequence[Attributes], departments: frozenset[str] | None, managing: frozenset[str]
) -> Reach:
    """Combine the reach that several roles give to an action. `departments` is None for all departments.

    `ways` contains, for each role that grants the action, the limiting attributes of the group that gives the role.
    """
    common = frozenset.intersection(*(frozenset(way) for way in ways))
    reach = {
        key: frozenset(value for way in ways for value in way[key])
        for key in common
        if key != MANAGED or action in managing
    }
    if departments is not None and action.startswith(_DEPARTMENTAL):
        reach[DEPARTMENT] = departments
    return reach


def is_wider(was: Reach, now: Reach) -> bool:
    """Return whether the new reach includes anything that the former reach did not."""
    return bool(_list_widened(was, now))


def limit_covers(key: str, limit: frozenset[str], value: str) -> bool:
    """Return whether the limit allows this value. A limit on groups to manage may contain prefixes."""
    if value in limit:
        return True
    return key == MANAGED and any(name.endswith("*") and value.startswith(name[:-1]) for name in limit)


def _exceeds(key: str, limit: frozenset[str], values: frozenset[str] | None) -> bool:
    """Return whether some of the values are outside the limit. None means all possible values."""
    return values is None or not all(limit_covers(key, limit, value) for value in values)


def _list_widened(was: Reach, now: Reach) -> list[str]:
    return [key for key, limit in was.items() if _exceeds(key, limit, now.get(key))]


def _find_beyond(mine: Reach, was: Reach | None, now: Reach) -> str | None:
    """Return the key in which the additions from `was` to `now` exceed `mine`, or None.

    An addition under one key also applies to the values that the reach already has under the other keys. Therefore all
    keys are checked together. Otherwise two changes, each within `mine`, could together exceed it.
    """
    for widened in [None] if was is None else _list_widened(was, now):
        for key, limit in mine.items():
            values = now.get(key)
            if key == widened and values is not None and was is not None:
                values = frozenset(value for value in values if not limit_covers(key, was[key], value))
            if _exceeds(key, limit, values):
                return key
    return None
