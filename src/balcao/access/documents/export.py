"""Writes the catalogue as a document.

The document is sorted, so that exports of the same version are equal byte by byte (rules: access 4.7).
"""

from typing import Any

import msgspec

from balcao.access.documents import yaml_subset
from balcao.access.documents.schemas import Format
from balcao.access.documents.store import StoredAction, StoredCatalogue, StoredGroup, StoredMapping


def render_document(catalogue: StoredCatalogue) -> dict[str, Any]:
    """Return the document. It omits operations of the platform whose action is the one declared in code."""
    return {
        "format": 1,
        "actions": [_show_action(action) for action in catalogue.actions],
        "roles": [
            {"name": role.name, "description": role.description, "actions": role.actions} for role in catalogue.roles
        ],
        "groups": [_show_group(group) for group in catalogue.groups],
        "mappings": [_show_mapping(mapping) for mapping in catalogue.mappings],
        "bindings": [
            {"operation": one.operation, "action": one.action}
            for one in catalogue.bindings
            if one.declared_key is not None and one.action != one.declared  # or the declared action was deleted
        ],
    }


def encode_document(document: dict[str, Any], written_as: Format) -> bytes:
    """Encode the document as YAML or JSON."""
    if written_as is Format.JSON:
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
    return yaml_subset.write_yaml(document)


def _show_action(action: StoredAction) -> dict[str, Any]:
    shown = {"name": action.name, "description": action.description}
    if action.code_key is not None and action.code_key != action.name:  # lets another catalogue match the action
        shown["renamed_from"] = action.code_key
    return shown


def _show_group(group: StoredGroup) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": group.name, "description": group.description, "roles": group.roles}
    if group.attributes:
        shown["attributes"] = {name: group.attributes[name] for name in sorted(group.attributes)}
    return shown


def _show_mapping(mapping: StoredMapping) -> dict[str, Any]:
    shown = {"method": mapping.method, "path": mapping.path, "action": mapping.action}
    if mapping.description is not None:
        shown["description"] = mapping.description
    return shown
