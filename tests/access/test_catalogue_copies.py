"""Applying one catalogue's document to another catalogue makes them equal (rules: access 4.7)."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest

from balcao import app
from balcao.access.actions import service as actions
from balcao.access.actions.schemas import ActionChange
from balcao.access.documents import service as documents
from balcao.access.documents.schemas import Format
from balcao.access.groups import service as groups
from balcao.access.groups.schemas import GroupChange
from balcao.access.mappings import service as mappings
from balcao.access.mappings.schemas import MappingChange
from balcao.access.roles import service as roles
from balcao.core.access import catalogue
from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform, assemble
from balcao.core.errors import Conflict, Forbidden, Invalid, NotFound
from balcao.core.service import describe_operations
from balcao.settings import Settings
from tests.support import databases
from tests.support.proof_sizes import size

WORDS = [f"w{number}" for number in range(6)]


@pytest.fixture
async def other(settings: Settings) -> AsyncIterator[Platform]:
    """Yield another installation with its own database."""
    name = databases.new_name()
    opened = assemble(settings, await asyncio.to_thread(databases.create, name))
    async with app.open_services(opened):
        yield opened
    await asyncio.to_thread(databases.drop, name)


async def announce(platform: Platform) -> None:
    async with platform.database.transaction() as connection:
        await catalogue.announce_operations(connection, describe_operations(app.choose_services(["access"])[0]))
    await platform.catalogue.reload()


async def change(call: Call, chosen: random.Random) -> None:
    """Make a random change through a use case. The use case may refuse it."""
    snapshot = call.platform.catalogue.latest
    action = chosen.choice(sorted(snapshot.actions.values(), key=lambda one: one.id))
    own = chosen.choice([one.id for one in snapshot.actions.values() if one.key.startswith("#")] or [0])
    role, group = (chosen.choice(sorted(kind)) for kind in (snapshot.roles_by_name, [*WORDS, "administradores"]))
    word, name = chosen.choice(WORDS), f"{chosen.choice(WORDS)}:{chosen.choice(WORDS)}"
    mapping = chosen.choice(sorted(snapshot.mappings))
    changes: list[Callable[[], Awaitable[object]]] = [
        lambda: actions.create_action(call, name, word),
        lambda: actions.update_action(call, action.id, ActionChange(name=name)),
        lambda: actions.update_action(call, action.id, ActionChange(name=name, description=word)),
        # Only custom actions are deleted, because a document cannot express the deletion of an action defined in code.
        lambda: actions.delete_action(call, own, force=True),
        lambda: roles.create_role(call, word, word),
        lambda: roles.update_role(call, role, word),
        lambda: roles.grant_action(call, word, action.name),
        lambda: roles.revoke_action(call, role, action.name),
        lambda: roles.delete_role(call, role),
        lambda: groups.create_group(call, word, word, {"area": [word]} if chosen.random() < 0.5 else {}),
        lambda: groups.update_group(call, group, GroupChange(description=word, attributes={"area": [name]})),
        lambda: groups.assign_group_role(call, group, role),
        lambda: groups.remove_group_role(call, group, role),
        lambda: groups.delete_group(call, word),
        lambda: mappings.create_mapping(call, "GET", f"/{word}/{{{chosen.choice('xyz')}}}", action.id, word),
        lambda: mappings.update_mapping(call, mapping, MappingChange(action_id=action.id)),
        lambda: mappings.delete_mapping(call, mapping),
    ]
    with suppress(Invalid, Forbidden, NotFound, Conflict):
        await chosen.choice(changes)()


async def test_the_document_of_any_catalogue_makes_another_one_equal(platform: Platform, other: Platform) -> None:
    chosen = random.Random(11)
    ours, theirs = (operator_call(one, "access.test") for one in (platform, other))
    for one in (platform, other):
        await announce(one)
    for _ in range(size(2, 200)):
        for call in (ours, theirs, ours):
            for _ in range(chosen.randint(5, 25)):
                await change(call, chosen)
        document, _ = await documents.export_catalogue(ours, chosen.choice(list(Format)))
        again = await documents.plan_changes(ours, document, prune=True)
        assert (again.create, again.update, again.delete, again.blocked) == ([], [], [], [])
        planned = await documents.plan_changes(theirs, document, prune=True)
        assert planned.blocked == []
        applied = await documents.apply_plan(theirs, planned.plan_id)
        assert applied.applied
        exports = [(await documents.export_catalogue(call, Format.YAML))[0] for call in (ours, theirs)]
        assert exports[0] == exports[1]
