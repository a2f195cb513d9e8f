"""The sandbox's catalogue: a custom application with a rename in its history, and the demo staff in their groups."""

import tomllib
from collections.abc import Awaitable, Mapping
from importlib.resources import files
from typing import Any

import msgspec

from balcao.access.actions import service as actions
from balcao.access.actions.schemas import ActionChange
from balcao.access.groups import service as groups
from balcao.access.mappings import service as mappings
from balcao.access.roles import service as roles
from balcao.access.seed import service as seed
from balcao.access.seed.written import Written
from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import Conflict
from balcao.core.feature import Demo
from balcao.core.values.cpf import Cpf
from balcao.identity.demo import people

LOADED = Written("demo", "access")
# An action that a release ships and nobody of the demo needs: free to be renamed by whoever tries the operation.
EXAMPLE_ACTION = "avatars:write"


class DemoAction(msgspec.Struct):
    name: str
    formerly: str
    description: str


class DemoRole(msgspec.Struct):
    name: str
    description: str
    actions: list[str]


class DemoGroup(msgspec.Struct):
    name: str
    description: str
    roles: list[str] = []
    attributes: dict[str, list[str]] = {}


class DemoMapping(msgspec.Struct):
    method: str
    path: str
    action: str
    description: str


class DemoCatalogue(msgspec.Struct):
    actions: list[DemoAction]
    roles: list[DemoRole]
    groups: list[DemoGroup]
    mappings: list[DemoMapping]


def demo_catalogue() -> DemoCatalogue:
    text = (files("balcao.access") / "demo.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), DemoCatalogue)


async def load(platform: Platform) -> None:
    """Once: what somebody changed in the sandbox stays changed. A half-finished load is completed by the next."""
    async with platform.database.connection() as connection:
        if await seed.was_written(connection, LOADED):
            return
    call = operator_call(platform, "access.demo")
    await _load(call, demo_catalogue())
    async with platform.database.connection() as connection:
        await seed.mark_written(connection, LOADED)


async def _load(call: Call, demo: DemoCatalogue) -> None:
    for action in demo.actions:
        await _renamed_action(call, action)
    for role in demo.roles:
        await _unless_there(roles.create_role(call, role.name, role.description))
        for name in role.actions:
            await roles.grant_action(call, role.name, name)
    for mapping in demo.mappings:
        action_id = await actions.action_id_of(call, mapping.action)
        if action_id is not None:
            await _unless_there(
                mappings.create_mapping(call, mapping.method, mapping.path, action_id, mapping.description)
            )
    for group in demo.groups:
        await _unless_there(groups.create_group(call, group.name, group.description, group.attributes))
        for name in group.roles:
            await groups.assign_role(call, group.name, name)
    for person in people():
        for name in person.groups:
            await groups.add_member(call, name, Cpf(person.cpf))


async def _renamed_action(call: Call, action: DemoAction) -> None:
    if await actions.action_id_of(call, action.name) is not None:
        return
    former = await actions.action_id_of(call, action.formerly)
    if former is None:
        former = (await actions.create_action(call, action.formerly, action.description)).action.id
    await actions.update_action(call, former, ActionChange(name=action.name))


async def _unless_there(creation: Awaitable[Any]) -> None:
    try:
        await creation
    except Conflict:
        return


async def examples(platform: Platform) -> Mapping[str, Any]:
    return {"action_id": await actions.action_id_of_key(operator_call(platform, "access.demo"), EXAMPLE_ACTION)}


DEMO = Demo(load=load, examples=examples)
