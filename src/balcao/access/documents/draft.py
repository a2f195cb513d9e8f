"""The catalogue as it would be after a plan. Each step is applied to a draft, by the same rules as a single change.

No lock is needed, however large the plan is. The result consists of the rows to write (see `writing`) and the events
for the chain.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count

from balcao.access.actions.deletion import check_deletion
from balcao.access.actions.renaming import make_name_in_code, make_name_reserved, make_name_taken
from balcao.access.catalogue import authority
from balcao.access.catalogue.events import CatalogueEvent
from balcao.access.documents.difference import make_temporary_name
from balcao.access.documents.draft_records import (
    BlockedStep,
    Change,
    DraftAction,
    DraftGroup,
    DraftMapping,
    DraftRole,
    Members,
)
from balcao.access.documents.schemas import Item
from balcao.access.documents.store import StoredCatalogue
from balcao.access.groups.rules import check_name
from balcao.access.mappings.places import MappingTree
from balcao.access.mappings.rules import check_conflicts, check_floor
from balcao.access.roles import rules as roles_rules
from balcao.core.access.reach import NOTHING_HELD, HeldRights, HeldRole
from balcao.core.access.snapshot import Role
from balcao.core.errors import BalcaoError, Conflict, NotFound


class Draft:
    """A draft of the catalogue. `ids` yields new ids by kind.

    Without `ids`, new ids are negative and are never stored.
    """

    def __init__(
        self,
        catalogue: StoredCatalogue,
        held: HeldRights,
        managing: frozenset[str],
        *,
        admin_from_token: bool,
        ids: Mapping[str, Iterator[int]] | None = None,
    ) -> None:
        self._held, self._managing, self._admin_from_token = held, managing, admin_from_token
        self._ids: Mapping[str, Iterator[int]] = ids or defaultdict(lambda: count(-1, -1))
        self.changes: list[Change] = []
        self.blocked: list[BlockedStep] = []
        self._actions = {
            one.name: DraftAction(one.id, one.name, one.description, one.code_key) for one in catalogue.actions
        }
        self._action_of = {action.id: action for action in self._actions.values()}
        self._kept_names = set(catalogue.deleted_keys)  # no other action may get these names
        known = {action.name: action.id for action in self._actions.values()}
        self._roles = {
            one.name: DraftRole(
                one.id, one.name, one.description, one.administrative, {known[name] for name in one.actions}, one.people
            )
            for one in catalogue.roles
        }
        self._groups = {
            one.name: DraftGroup(one.id, one.name, one.description, one.attributes, set(one.roles), one.member_count)
            for one in catalogue.groups
        }
        self._mappings: dict[int, DraftMapping] = {}
        self._operations: dict[str, DraftMapping] = {}
        self._mapping_tree: MappingTree[DraftMapping] = MappingTree()
        for custom in catalogue.mappings:
            self._place(DraftMapping(custom.id, custom.method, custom.path, known[custom.action], custom.description))
        for bound in catalogue.bindings:
            mapping = DraftMapping(
                bound.id, bound.method, bound.path, known[bound.action], bound.description,
                bound.operation, bound.floor, bound.declared_key,
            )  # fmt: skip
            self._operations[bound.operation] = mapping
            self._place(mapping)
        self._unsettled: list[tuple[Item, DraftMapping, Change]] = []
        self._uses: dict[int, list[DraftMapping]] = defaultdict(list)  # filled when all mappings are final

    def _place(self, mapping: DraftMapping) -> None:
        self._mappings[mapping.id] = mapping
        self._mapping_tree.put(mapping.method, mapping.path_pattern, mapping)

    def apply(self, steps: Sequence[Item]) -> None:
        """Apply each step, or add it to `blocked` with its error. A blocked step changes nothing."""
        self._rename_actions(steps)
        for step in steps:
            self._try(step, self._apply_step)
        for step, mapping, change in self._unsettled:
            self._try(step, partial(self._check_place, mapping, change))
        for mapping in self._mappings.values():
            self._uses[mapping.action_id].append(mapping)
        for step in steps:
            self._try(step, self._delete_item)

    def _try(self, step: Item, apply: Callable[[Item], list[Change]]) -> None:
        try:
            self.changes += apply(step)
        except BalcaoError as fault:
            if fault.status >= 500:
                raise
            self.blocked.append(BlockedStep(step, fault))

    def _apply_step(self, step: Item) -> list[Change]:
        """Apply a step that creates or changes an item, or that deletes a mapping."""
        if step.kind == "mapping":
            return self._change_mapping(step)
        if step.after is None or step.kind == "action":
            return []
        if step.kind == "role":
            return self._change_role(step.key, step.before, step.after)
        return self._change_group(step.key, step.after) if step.kind == "group" else self._bind(step, step.after)

    def _delete_item(self, step: Item) -> list[Change]:
        if step.after is not None or step.before is None or step.kind == "mapping":
            return []
        if step.kind == "group":
            return self._delete_group(step.key)
        return self._delete_role(step.key) if step.kind == "role" else self._delete_action(step.before)

    # Actions. All names are changed together, so that two actions can swap names.

    def _rename_actions(self, steps: Sequence[Item]) -> None:
        steps = [step for step in steps if step.kind == "action"]
        former = {
            step.key if step.after is None else step.before["name"]: step for step in steps if step.before is not None
        }
        wanted = {step.key for step in steps if step.after is not None}
        going = [self._action_of[step.before["id"]] for step in steps if step.after is None and step.before is not None]
        self._kept_names |= {action.code_key for action in going if action.code_key is not None}
        leaving = {name for name, step in former.items() if step.after is None or name != step.key}
        present, self._actions = self._actions, {}
        for name, action in present.items():
            if name not in leaving or action.is_reserved:
                self._actions[name] = action
            elif former[name].after is None and name in wanted:
                self.changes.append(self._rename(action, make_temporary_name(action.id), action.description))
            elif former[name].after is None:
                self._actions[name] = action
        for step in steps:
            if step.after is not None:
                self._try(step, partial(self._change_action, present, step.after))

    def _change_action(self, present: Mapping[str, DraftAction], after: Members, step: Item) -> list[Change]:
        before, name, description = step.before, after["name"], after["description"]
        if before is None:
            if name in self._actions:
                raise make_name_taken()
            if name in self._kept_names:
                raise make_name_in_code()
            action = DraftAction(next(self._ids["action"]), name, description, None)
            self._actions[name] = self._action_of[action.id] = action
            row = {"id": action.id, "name": name, "description": description}
            shown = {"name": name, "description": description}
            return [Change(CatalogueEvent("action.create", "action", str(action.id), name, after=shown), row)]
        action = present[before["name"]]
        if name != action.name and action.is_reserved:
            raise make_name_reserved()
        if self._actions.get(name, action) is not action:
            raise make_name_taken()
        if name != action.name and name in self._kept_names:
            raise make_name_in_code()
        return [self._rename(action, name, description)]

    def _rename(self, action: DraftAction, name: str, description: str) -> Change:
        before = {"name": action.name, "description": action.description}
        action.name, action.description = name, description
        self._actions[name] = action
        row = {"id": action.id, "name": name, "description": description}
        after = {"name": name, "description": description}
        event = CatalogueEvent("action.update", "action", str(action.id), name, before=before, after=after)
        return Change(event, row)

    def _delete_action(self, before: Members) -> list[Change]:
        """Delete an action that nothing uses. The steps for the mappings and roles that the document omits come first.

        A use that remains is one that the document names, so the plan must not delete it with the action.
        """
        action = self._action_of[before["id"]]
        bound = self._uses[action.id]
        custom = sum(mapping.operation is None for mapping in bound)
        roles = sum(action.id in role.actions for role in self._roles.values())
        check_deletion(reserved=action.is_reserved, system=len(bound) - custom, custom=custom, roles=roles, force=True)
        if custom or roles:
            text = f"{custom} mapeamentos e {roles} papéis ainda usam a ação, que não está no documento."
            raise Conflict(text, code="action-in-use")
        shown: Members = {
            "name": action.name,
            "description": action.description,
            "code_key": action.code_key,
            "roles": [],
            "mappings": [],
        }
        event = CatalogueEvent("action.delete", "action", str(action.id), action.name, before=shown)
        return [Change(event, {"id": action.id})]

    def _find_action(self, name: str) -> DraftAction:
        action = self._actions.get(name)
        if action is None:
            raise Conflict(f"Não há ação {name}, nem aqui nem no documento.", code="action-unknown")
        return action

    # Roles.

    def _change_role(self, name: str, before: Members | None, after: Members) -> list[Change]:
        changes = []
        role = self._roles.get(name)
        if role is None:
            role = DraftRole(next(self._ids["role"]), name, after["description"])
            shown = {"name": name, "description": role.description}
            event = CatalogueEvent("role.create", "role", str(role.id), name, after=shown)
            changes.append(Change(event, {"id": role.id, **shown}))
        elif role.description != after["description"]:
            was, now = {"description": role.description}, {"description": after["description"]}
            event = CatalogueEvent("role.update", "role", str(role.id), name, before=was, after=now)
            changes.append(Change(event, {"id": role.id, **now}))
        listed, known = set(after["actions"]), set(before["actions"] if before else ())
        new = [self._find_action(one) for one in after["actions"] if one not in known]
        gone = [self._find_action(one) for one in sorted(known - listed)]
        if new or gone:
            roles_rules.refuse_administrative_role(administrative=role.administrative)
        for action in new:
            roles_rules.check_grantable(action.code_key)
        for verb, actions in (("grant", new), ("revoke", gone)):
            for action in actions:
                event = _pair(f"role.{verb}", role, {"action_id": action.id, "action": action.name})
                changes.append(Change(event, {"role_id": role.id, "action_id": action.id}))
        role.description = after["description"]
        role.actions = role.actions - {action.id for action in gone} | {action.id for action in new}
        self._roles[name] = role
        return changes

    def _delete_role(self, name: str) -> list[Change]:
        role = self._roles[name]
        roles_rules.refuse_administrative_role(administrative=role.administrative)
        roles_rules.refuse_role_in_use(sorted(group.name for group in self._groups.values() if name in group.roles))
        del self._roles[name]
        actions = sorted(self._action_of[one].name for one in role.actions)
        shown = {"name": name, "description": role.description, "actions": actions, "people": []}
        event = CatalogueEvent("role.delete", "role", str(role.id), name, before=shown)
        return [Change(event, {"id": role.id}, len(actions) + role.people)]

    # Groups.

    def _change_group(self, name: str, after: Members) -> list[Change]:
        changes = []
        group = self._groups.get(name)
        shown = {"description": after["description"], "attributes": after["attributes"]}
        if group is None:
            check_name(self._held, name, (one.attributes for one in self._groups.values()))
            group = DraftGroup(next(self._ids["group"]), name, after["description"], after["attributes"])
            event = CatalogueEvent("group.create", "group", str(group.id), name, after={"name": name, **shown})
            changes.append(Change(event, {"id": group.id, "name": name, **shown}))
        elif shown != (was := {"description": group.description, "attributes": group.attributes}):
            event = CatalogueEvent("group.update", "group", str(group.id), name, before=was, after=shown)
            changes.append(Change(event, {"id": group.id, **shown}))
        listed = set(after["roles"])
        roles = set(group.roles)
        for verb, names in (("assign_role", listed - roles), ("remove_role", roles - listed)):
            for role in map(self._find_role, sorted(names)):
                authority.check_administration(self._held, concerned=role.administrative)
                if verb == "assign_role":
                    authority.refuse_escalation(self._held.find_excess(NOTHING_HELD, self._weigh(role)))
                event = _pair(f"group.{verb}", group, {"role_id": role.id, "role": role.name})
                changes.append(Change(event, {"group_id": group.id, "role_id": role.id}))
        known, self._groups[name] = self._groups.get(name), group
        group.roles = listed
        try:
            self._require_administrators()
        except Conflict:
            group.roles, self._groups[name] = roles, known or group
            raise
        group.description, group.attributes = after["description"], after["attributes"]
        return changes

    def _weigh(self, role: DraftRole) -> HeldRights:
        """Return the rights of a person who has only this role."""
        keys = frozenset(self._action_of[one].key for one in role.actions)
        granted = Role(role.id, role.name, administrative=role.administrative, actions=keys)
        return HeldRights.of([HeldRole(granted, {})], [], self._managing)

    def _find_role(self, name: str) -> DraftRole:
        role = self._roles.get(name)
        if role is None:
            raise roles_rules.make_unknown_role()
        return role

    def _delete_group(self, name: str) -> list[Change]:
        group = self._groups[name]
        concerned = any(self._roles[role].administrative for role in group.roles)
        authority.check_administration(self._held, concerned=concerned)
        del self._groups[name]
        try:
            self._require_administrators()
        except Conflict:
            self._groups[name] = group
            raise
        shown = {
            "name": name,
            "description": group.description,
            "roles": sorted(group.roles),
            "members": [],
            "attributes": group.attributes,
        }
        event = CatalogueEvent("group.delete", "group", str(group.id), name, before=shown)
        return [Change(event, {"id": group.id}, group.members)]

    def _require_administrators(self) -> None:
        administrative = {role.name for role in self._roles.values() if role.administrative}
        authority.check_administrators_left(
            is_there=self._admin_from_token
            or any(self._roles[name].people for name in administrative)
            or any(group.members and group.roles & administrative for group in self._groups.values())
        )

    # Mappings. The check for ambiguous patterns runs after all mappings are in place.

    def _change_mapping(self, step: Item) -> list[Change]:
        method, _, path = step.key.partition(" ")
        if step.after is None:
            return [self._delete_mapping(self._mappings[(step.before or {})["id"]])]
        action = self._find_action(step.after["action"])
        description = step.after["description"]
        if step.before is None:
            mapping = DraftMapping(next(self._ids["mapping"]), method, path, action.id, description)
            if (other := self._mapping_tree.find(method, path)) is not None:
                check_conflicts(mapping, other, (), ())
            event = CatalogueEvent("mapping.create", "mapping", str(mapping.id), step.key, after=self._show(mapping))
        else:
            known = self._mapping_tree.find(method, path)
            if known is None:
                raise NotFound("Não há mapeamento com esse id.")
            before = self._show(known)
            mapping = DraftMapping(known.id, method, path, action.id, description)
            after = self._show(mapping)
            event = CatalogueEvent("mapping.update", "mapping", str(known.id), step.key, before=before, after=after)
        self._place(mapping)
        row = {
            "id": mapping.id, "method": method, "path_pattern": path, "action_id": action.id, "description": description
        }  # fmt: skip
        self._unsettled.append((step, mapping, Change(event, row)))
        return []

    def _check_place(self, mapping: DraftMapping, change: Change, _: Item) -> list[Change]:
        method, pattern = mapping.method, mapping.path_pattern
        of_get = self._mapping_tree.find_overlapping("GET", pattern) if method == "HEAD" else iter(())
        check_conflicts(mapping, None, self._mapping_tree.find_overlapping(method, pattern), of_get)
        return [change]

    def _delete_mapping(self, mapping: DraftMapping) -> Change:
        del self._mappings[mapping.id]
        self._mapping_tree.put(mapping.method, mapping.path_pattern, None)
        name = f"{mapping.method} {mapping.path_pattern}"
        event = CatalogueEvent("mapping.delete", "mapping", str(mapping.id), name, before=self._show(mapping))
        return Change(event, {"id": mapping.id})

    def _bind(self, step: Item, after: Members) -> list[Change]:
        mapping, action = self._operations[step.key], self._find_action(after["action"])
        present = self._action_of[mapping.action_id].code_key
        check_floor(mapping.floor, mapping.declared, present, action.code_key, self._held)
        before = self._show(mapping)
        mapping.action_id = action.id
        name = f"{mapping.method} {mapping.path_pattern}"
        shown = self._show(mapping)
        event = CatalogueEvent("mapping.update", "mapping", str(mapping.id), name, before=before, after=shown)
        row = {
            "id": mapping.id, "method": mapping.method, "path_pattern": mapping.path_pattern, "action_id": action.id,
            "description": mapping.description,
        }  # fmt: skip
        return [Change(event, row)]

    def _show(self, mapping: DraftMapping) -> Members:
        return {
            "method": mapping.method,
            "path_pattern": mapping.path_pattern,
            "action_id": mapping.action_id,
            "action": self._action_of[mapping.action_id].name,
            "description": mapping.description,
        }


def _pair(operation: str, owner: DraftRole | DraftGroup, held: Members) -> CatalogueEvent:
    """Return the event for a role that gains or loses an action, or a group that gains or loses a role.

    `held` is that action or role.
    """
    kind, _, verb = operation.partition(".")
    loses = verb in {"revoke", "remove_role"}
    before, after = (held, None) if loses else (None, held)
    return CatalogueEvent(operation, kind, str(owner.id), owner.name, before=before, after=after)
