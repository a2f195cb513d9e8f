"""The sandbox's access catalogue: an application of the city with a renamed action, and the demo staff's groups."""

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
from balcao.access.seed.items import SeedItem
from balcao.access.users import store as users
from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import Conflict
from balcao.core.values.cpf import Cpf
from balcao_sandbox.identity.demo import Person, people

DEMO_ITEM = SeedItem("demo", "access")
# An action from the seed that no demo person needs. Users can rename it to try out the operation.
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


def read_demo_catalogue() -> DemoCatalogue:
    text = (files(__package__) / "access.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), DemoCatalogue)


async def load_demo_access(platform: Platform) -> None:
    """Load the sandbox's catalogue only once, so that later changes by users are not overwritten.

    If loading was interrupted, the next start completes it.
    """
    async with platform.database.connection() as connection:
        if await seed.is_item_written(connection, DEMO_ITEM):
            return
    call = operator_call(platform, "access.demo")
    await _load(call, read_demo_catalogue())
    async with platform.database.connection() as connection:
        await seed.mark_item_written(connection, DEMO_ITEM)


async def _load(call: Call, demo: DemoCatalogue) -> None:
    for action in demo.actions:
        await _create_renamed_action(call, action)
    for role in demo.roles:
        await _ignore_conflict(roles.create_role(call, role.name, role.description))
        for name in role.actions:
            await roles.grant_action(call, role.name, name)
    for mapping in demo.mappings:
        action_id = await actions.find_action_id(call, mapping.action)
        if action_id is not None:
            await _ignore_conflict(
                mappings.create_mapping(call, mapping.method, mapping.path, action_id, mapping.description)
            )
    for group in demo.groups:
        await _ignore_conflict(groups.create_group(call, group.name, group.description, group.attributes))
        for name in group.roles:
            await groups.assign_group_role(call, group.name, name)
    for person in people():
        if person.groups:
            await _enter_name(call, person)
        for name in person.groups:
            await groups.add_member(call, name, Cpf(person.cpf))


async def _enter_name(call: Call, person: Person) -> None:
    """Store the name of a member of staff. Without this, their first login would store it."""
    async with call.platform.database.connection() as connection:
        await users.save_person(connection, Cpf(person.cpf), person.name)


async def _create_renamed_action(call: Call, action: DemoAction) -> None:
    if await actions.find_action_id(call, action.name) is not None:
        return
    former = await actions.find_action_id(call, action.formerly)
    if former is None:
        former = (await actions.create_action(call, action.formerly, action.description)).action.id
    await actions.update_action(call, former, ActionChange(name=action.name))


async def _ignore_conflict(creation: Awaitable[Any]) -> None:
    try:
        await creation
    except Conflict:
        return


async def find_access_examples(platform: Platform) -> Mapping[str, Any]:
    return {"action_id": await actions.find_action_id_by_key(operator_call(platform, "access.demo"), EXAMPLE_ACTION)}
