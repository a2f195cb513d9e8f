"""The API operations that the area calls. The types contain only the members that its pages use."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from balcao.web.api import Api, Read, quoted
from balcao.web.envelopes import Items

_BASE = "/access/api/v1"
_NOTHING = type(None)
Reach = dict[str, list[str]]


class User(msgspec.Struct):
    id: int
    cpf: str
    display_name: str | None
    groups: list[str]
    roles: list[str]


class Way(msgspec.Struct):
    role: str
    source: str
    group: str | None
    reach: Reach


class PersonAction(msgspec.Struct):
    action: str
    reach: Reach
    via: list[Way]
    gained: bool


class PersonActions(msgspec.Struct):
    administrator: bool
    actions: list[PersonAction]
    departments: list[str]

    def group_by_origin(self, *, gained: bool = False) -> list[list[PersonAction]]:
        """Group the actions that the person has for the same reasons and with the same reach.

        With `gained`, omit the actions that the person has already.
        """
        groups: dict[bytes, list[PersonAction]] = {}
        for one in self.actions:
            if one.gained or not gained:
                groups.setdefault(msgspec.json.encode((one.reach, one.via), order="sorted"), []).append(one)
        return list(groups.values())


class Role(msgspec.Struct):
    name: str
    description: str
    created_by: str | None = None
    created_at: datetime | None = None


class Group(msgspec.Struct):
    name: str
    description: str
    member_count: int
    attributes: dict[str, list[str]]
    created_by: str | None
    created_at: datetime | None


class Member(msgspec.Struct):
    subject: str
    display_name: str | None
    joined_at: datetime
    added_by: str | None


class NamedAction(msgspec.Struct):
    id: int
    name: str
    description: str


class Action(NamedAction):
    endpoint_count: int


class Actions(msgspec.Struct):
    actions: list[Action]
    total: int


class BoundMapping(msgspec.Struct):
    id: int
    method: str
    path_pattern: str
    service: str | None


class Named(msgspec.Struct):
    name: str


class GivingGroup(msgspec.Struct):
    name: str
    member_count: int
    reach: Reach


class Impact(msgspec.Struct):
    action: Action
    mappings: list[BoundMapping]
    roles: list[Named]
    groups: list[GivingGroup]
    also_checked_by: list[str]
    people_count: int
    blocked_by: list[str]


class Holder(msgspec.Struct):
    subject: str
    display_name: str | None
    via: list[Way]
    reach: Reach


class Holders(Items[Holder]):
    roles: list[str]


class EndpointMapping(msgspec.Struct):
    id: int
    path_pattern: str
    method: str
    action: str
    action_id: int
    description: str | None
    service: str | None
    operation: str | None
    guard: str | None


# ---- people ----


async def list_users(api: Api, *, search: str | None, in_groups: bool, limit: int, skip: int) -> Items[User]:
    query = {"search": search, "has_groups": in_groups or None, "limit": limit, "skip": skip}
    return await api.get(f"{_BASE}/users", Items[User], query)


async def find_user(api: Api, person: str) -> User:
    return await api.get(f"{_BASE}/users/by-id/{quoted(person)}", User)


async def list_person_actions(api: Api, cpf: str, group: str | None = None) -> PersonActions:
    return await api.get(f"{_BASE}/users/{cpf}/actions", PersonActions, {"group": group})


async def list_direct_roles(api: Api, cpf: str) -> list[Role]:
    return await api.get(f"{_BASE}/users/{cpf}/roles", list[Role])


async def assign_direct_role(api: Api, cpf: str, role: str) -> None:
    await api.send("POST", f"{_BASE}/users/{cpf}/roles", _NOTHING, {"role_name": role})


async def remove_direct_role(api: Api, cpf: str, role: str) -> None:
    await api.send("DELETE", f"{_BASE}/users/{cpf}/roles/{quoted(role)}", _NOTHING)


# ---- groups ----


async def list_groups(api: Api, prefix: str = "") -> list[Group]:
    return await api.get(f"{_BASE}/groups", list[Group], {"prefix": prefix or None})


async def read_group(api: Api, group: str) -> Read[Group]:
    return await api.read(f"{_BASE}/groups/{quoted(group)}", Group)


async def create_group(api: Api, name: str, description: str, attributes: Any, *, key: str) -> Group:
    body = {"name": name, "description": description, "attributes": attributes}
    return await api.send("POST", f"{_BASE}/groups", Group, body, key=key)


async def update_group(api: Api, group: str, description: str, attributes: Any, *, etag: str) -> Group:
    body = {"description": description, "attributes": attributes}
    return await api.send("PUT", f"{_BASE}/groups/{quoted(group)}", Group, body, etag=etag)


async def delete_group(api: Api, group: str) -> None:
    await api.send("DELETE", f"{_BASE}/groups/{quoted(group)}", _NOTHING)


async def list_members(api: Api, group: str, *, limit: int, skip: int) -> list[Member]:
    return await api.get(f"{_BASE}/groups/{quoted(group)}/members", list[Member], {"limit": limit, "skip": skip})


async def add_member(api: Api, group: str, cpf: str) -> None:
    await api.send("POST", f"{_BASE}/groups/{quoted(group)}/members", _NOTHING, {"subject": cpf})


async def remove_member(api: Api, group: str, cpf: str) -> None:
    await api.send("DELETE", f"{_BASE}/groups/{quoted(group)}/members/{cpf}", _NOTHING)


async def list_group_roles(api: Api, group: str) -> list[Role]:
    return await api.get(f"{_BASE}/roles/groups/{quoted(group)}/roles", list[Role])


async def assign_group_role(api: Api, group: str, role: str) -> None:
    await api.send("POST", f"{_BASE}/roles/groups/{quoted(group)}/roles", _NOTHING, {"role_name": role})


async def remove_group_role(api: Api, group: str, role: str) -> None:
    await api.send("DELETE", f"{_BASE}/roles/groups/{quoted(group)}/roles/{quoted(role)}", _NOTHING)


# ---- roles ----


async def list_all_roles(api: Api) -> list[Role]:
    """Return all roles, page by page."""
    found: list[Role] = []
    while True:
        page = await list_roles(api, skip=len(found))
        found += page.items
        if not page.items or len(found) >= page.total:
            return found


async def list_roles(api: Api, *, limit: int = 100, skip: int = 0) -> Items[Role]:
    return await api.get(f"{_BASE}/roles", Items[Role], {"limit": limit, "skip": skip})


async def read_role(api: Api, role: str) -> Read[Role]:
    return await api.read(f"{_BASE}/roles/{quoted(role)}", Role)


async def create_role(api: Api, name: str, description: str, *, key: str) -> Role:
    return await api.send("POST", f"{_BASE}/roles", Role, {"name": name, "description": description}, key=key)


async def update_role(api: Api, role: str, description: str, *, etag: str) -> Role:
    return await api.send("PUT", f"{_BASE}/roles/{quoted(role)}", Role, {"description": description}, etag=etag)


async def delete_role(api: Api, role: str) -> None:
    await api.send("DELETE", f"{_BASE}/roles/{quoted(role)}", _NOTHING)


async def list_role_actions(api: Api, role: str) -> list[NamedAction]:
    return await api.get(f"{_BASE}/roles/{quoted(role)}/actions", list[NamedAction])


async def grant_action(api: Api, role: str, action: str) -> None:
    await api.send("POST", f"{_BASE}/roles/{quoted(role)}/actions", _NOTHING, {"action_name": action})


async def revoke_action(api: Api, role: str, action: str) -> None:
    await api.send("DELETE", f"{_BASE}/roles/{quoted(role)}/actions/{quoted(action)}", _NOTHING)


# ---- actions and addresses ----


async def list_actions(api: Api, *, search: str | None, limit: int, skip: int) -> Actions:
    return await api.get(f"{_BASE}/actions", Actions, {"search": search, "limit": limit, "skip": skip})


async def read_action(api: Api, action: str) -> Read[Action]:
    return await api.read(f"{_BASE}/actions/{quoted(action)}", Action)


async def create_action(api: Api, body: Mapping[str, str], *, key: str) -> Action:
    return await api.send("POST", f"{_BASE}/actions", Action, body, key=key)


async def update_action(api: Api, action: str, body: Mapping[str, str], *, etag: str) -> Action:
    return await api.send("PUT", f"{_BASE}/actions/{quoted(action)}", Action, body, etag=etag)


async def delete_action(api: Api, action: str, *, force: bool) -> None:
    await api.send("DELETE", f"{_BASE}/actions/{quoted(action)}", _NOTHING, query={"force": force})


async def read_impact(api: Api, action: str, operation: str = "rename", new_name: str | None = None) -> Impact:
    query = {"operation": operation, "new_name": new_name}
    return await api.get(f"{_BASE}/actions/{quoted(action)}/impact", Impact, query)


async def list_holders(api: Api, action: str, *, limit: int, skip: int = 0) -> Holders:
    return await api.get(f"{_BASE}/actions/{quoted(action)}/holders", Holders, {"limit": limit, "skip": skip})


async def list_mappings(api: Api, *, action: str | None, service: str | None) -> list[EndpointMapping]:
    return await api.get(f"{_BASE}/mappings/list", list[EndpointMapping], {"action_filter": action, "service": service})


async def read_mapping(api: Api, mapping: str) -> Read[EndpointMapping]:
    return await api.read(f"{_BASE}/mappings/{quoted(mapping)}", EndpointMapping)


async def create_mapping(api: Api, body: Mapping[str, Any], *, key: str) -> EndpointMapping:
    return await api.send("POST", f"{_BASE}/mappings", EndpointMapping, body, key=key)


async def update_mapping(api: Api, mapping: str, body: Mapping[str, Any], *, etag: str) -> EndpointMapping:
    return await api.send("PUT", f"{_BASE}/mappings/{quoted(mapping)}", EndpointMapping, body, etag=etag)


async def delete_mapping(api: Api, mapping: str) -> None:
    await api.send("DELETE", f"{_BASE}/mappings/{quoted(mapping)}", _NOTHING)
