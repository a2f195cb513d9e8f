"""Compares a document with the catalogue, item by item (rules: access 4.7)."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from balcao.access.documents.schemas import Document, DocumentAction, Item, Kind, Remark
from balcao.access.documents.store import StoredAction, StoredCatalogue
from balcao.access.mappings.patterns import erase_parameter_names
from balcao.core.access.reach import describe_group

Members = dict[str, Any]


class Difference(msgspec.Struct):
    """The changes that a document makes.

    `unchanged` is the number of its items that are equal to those in the catalogue.
    """

    steps: list[Item] = []
    unchanged: int = 0
    warnings: list[Remark] = []

    def list_by_verb(self) -> tuple[list[Item], list[Item], list[Item]]:
        """Return the steps in three lists: those that create, those that change and those that delete an item."""
        return (
            [step for step in self.steps if step.before is None],
            [step for step in self.steps if step.before is not None and step.after is not None],
            [step for step in self.steps if step.after is None],
        )

    def compare(self, kind: Kind, key: str, before: Members | None, after: Members) -> None:
        """Add a step if the item is new or differs from the stored one. Otherwise, count it as unchanged."""
        if before == after:
            self.unchanged += 1
        else:
            reach = describe_group(key, after["attributes"]) if kind == "group" else None
            self.steps.append(Item(kind, key, before, after, reach))

    def delete(self, kind: Kind, key: str, before: Members) -> None:
        self.steps.append(Item(kind, key, before, None))

    def warn(self, kind: Kind, key: str, code: str, message: str) -> None:
        self.warnings.append(Remark(kind, key, code, message))


def compare_documents(catalogue: StoredCatalogue, document: Document, *, prune: bool) -> Difference:
    """Compare the document with the catalogue. Without `prune`, items that the document omits are not deleted."""
    found = Difference()
    known = _match_actions(catalogue, document, found)
    for action in document.actions:
        stored = known.get(action.name)
        before = {"name": stored.name, "description": stored.description} if stored else None
        found.compare("action", action.name, before, {"name": action.name, "description": action.description})
    kept = {stored.id for stored in known.values()} if prune else {action.id for action in catalogue.actions}
    renamed = {stored.name: name for name, stored in known.items()}
    wanted = {action.name for action in document.actions}
    renamed |= {
        one.name: make_temporary_name(one.id) for one in catalogue.actions if one.id not in kept and one.name in wanted
    }
    _compare_roles(catalogue, document, found, renamed, prune=prune)
    _compare_groups(catalogue, document, found, prune=prune)
    _compare_mappings(catalogue, document, found, renamed, prune=prune)
    _compare_bindings(catalogue, document, found, renamed, prune=prune)
    if prune:
        _delete_the_rest(catalogue, document, found, kept)
    return found


def _match_actions(catalogue: StoredCatalogue, document: Document, found: Difference) -> dict[str, StoredAction]:
    """Return the stored action for each action name in the document, matched by code key, former name or name."""
    by_name = {action.name: action for action in catalogue.actions}
    by_key = {action.code_key: action for action in catalogue.actions if action.code_key}
    claimed = {action.renamed_from for action in document.actions}
    matched: dict[str, StoredAction] = {}
    taken: set[int] = set()
    for action in sorted(document.actions, key=lambda one: one.renamed_from is None):
        candidates = _list_candidates(action, by_name, by_key, claimed)
        stored = next((one for one in candidates if one.id not in taken), None)
        if stored is not None:
            matched[action.name] = stored
            taken.add(stored.id)
        former = action.renamed_from
        if former in by_name and former not in by_key and stored is not by_name[former]:
            found.warn("action", action.name, "renamed-from-ignored", "As duas ações existem: nenhuma muda de nome.")
    return matched


def make_temporary_name(action_id: int) -> str:
    """Return a temporary name for an action that will be deleted, because another action will get its name."""
    return f"aside:{action_id}"


# Yield the stored actions to which an action of the document may refer. The order is: the stored action whose code key
# is `renamed_from`, the one with the document's name, the one whose name is `renamed_from`, and the one whose code key
# is the document's name. If the document refers to a stored action by its code key, it does not also refer to it by
# name.
def _list_candidates(
    action: DocumentAction, by_name: dict[str, StoredAction], by_key: dict[str, StoredAction], claimed: set[str | None]
) -> Iterator[StoredAction]:
    former = action.renamed_from
    if former in by_key:
        yield by_key[former]
    if action.name in by_name and not (former is None and _is_claimed(by_name[action.name], claimed)):
        yield by_name[action.name]
    if former in by_name:
        yield by_name[former]
    if former is None and action.name in by_key and action.name not in claimed:
        yield by_key[action.name]


def _is_claimed(stored: StoredAction, claimed: set[str | None]) -> bool:
    """Return whether the document refers to this action by its code key."""
    return stored.code_key is not None and stored.code_key in claimed


def _grow(listed: Sequence[str], present: Sequence[str], *, prune: bool) -> list[str]:
    """Return the sorted new list. Without `prune`, it also contains all items that the stored item has."""
    return sorted({*listed} if prune else {*listed, *present})


def _compare_roles(
    catalogue: StoredCatalogue, document: Document, found: Difference, renamed: dict[str, str], *, prune: bool
) -> None:
    known = {role.name: role for role in catalogue.roles}
    for role in document.roles:
        stored = known.get(role.name)
        present = sorted(renamed.get(name, name) for name in stored.actions) if stored else []
        before = {"name": stored.name, "description": stored.description, "actions": present} if stored else None
        actions = _grow(role.actions, present, prune=prune)
        after = {"name": role.name, "description": role.description, "actions": actions}
        found.compare("role", role.name, before, after)


def _compare_groups(catalogue: StoredCatalogue, document: Document, found: Difference, *, prune: bool) -> None:
    known = {group.name: group for group in catalogue.groups}
    for group in document.groups:
        stored = known.get(group.name)
        before = None
        attributes = group.attributes
        if stored is not None:
            attributes = stored.attributes if attributes is None and not prune else attributes
            before = {
                "name": stored.name,
                "description": stored.description,
                "roles": sorted(stored.roles),
                "attributes": stored.attributes,
            }
        after = {
            "name": group.name,
            "description": group.description,
            "roles": _grow(group.roles, stored.roles if stored else [], prune=prune),
            "attributes": attributes or {},
        }
        found.compare("group", group.name, before, after)


def _compare_mappings(
    catalogue: StoredCatalogue, document: Document, found: Difference, renamed: dict[str, str], *, prune: bool
) -> None:
    """Compare mappings by method and shape. Deletions come first, so that they free their paths for other mappings."""
    known = {(mapping.method, mapping.shape): mapping for mapping in catalogue.mappings}
    wanted = {(mapping.method.value, erase_parameter_names(mapping.path)): mapping for mapping in document.mappings}
    for place, left_out in known.items():
        if place not in wanted and (prune or _is_below(left_out.path, document.complete)):
            key = f"{left_out.method} {left_out.path}"
            found.delete("mapping", key, {"id": left_out.id, "action": left_out.action})
    for place, mapping in wanted.items():
        stored = known.get(place)
        description = mapping.description
        before = None
        if stored is not None:
            description = description or stored.description
            action = renamed.get(stored.action, stored.action)
            before = {"path": stored.path, "action": action, "description": stored.description}
        after = {"path": mapping.path, "action": mapping.action, "description": description}
        found.compare("mapping", f"{mapping.method.value} {mapping.path}", before, after)


def _is_below(path: str, prefixes: Sequence[str]) -> bool:
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)


def _compare_bindings(
    catalogue: StoredCatalogue, document: Document, found: Difference, renamed: dict[str, str], *, prune: bool
) -> None:
    known = {binding.operation: binding for binding in catalogue.bindings}
    for binding in document.bindings:
        stored = known.get(binding.operation)
        if stored is None:
            found.warn("binding", binding.operation, "operation-unknown", "Nenhum serviço daqui tem essa operação.")
            continue
        before = {"action": renamed.get(stored.action, stored.action)}
        found.compare("binding", binding.operation, before, {"action": binding.action})
    listed = {binding.operation for binding in document.bindings}
    for stored in catalogue.bindings:
        if prune and stored.operation not in listed and stored.declared not in {None, stored.action}:
            declared = renamed.get(str(stored.declared), str(stored.declared))
            before = {"action": renamed.get(stored.action, stored.action)}
            found.compare("binding", stored.operation, before, {"action": declared})


def _delete_the_rest(catalogue: StoredCatalogue, document: Document, found: Difference, kept: set[int]) -> None:
    groups, roles = {group.name for group in document.groups}, {role.name for role in document.roles}
    for group in catalogue.groups:
        if group.name not in groups:
            found.delete("group", group.name, {"description": group.description, "roles": group.roles})
            if group.member_count:
                found.warn("group", group.name, "members-lost", f"O grupo tem {group.member_count} membros.")
    for role in catalogue.roles:
        if role.name not in roles:
            found.delete("role", role.name, {"description": role.description, "actions": role.actions})
    for action in catalogue.actions:
        if action.id not in kept:
            found.delete("action", action.name, {"id": action.id, "description": action.description})
