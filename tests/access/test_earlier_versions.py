"""Decisions based on an earlier catalogue version, which is rebuilt from the audit chain (rules: access 2.5)."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.access import SERVICE
from balcao.access.actions import service as actions
from balcao.access.actions.schemas import ActionChange
from balcao.access.audit import service as audit
from balcao.access.audit.schemas import AuditQuery
from balcao.access.decisions import service as decisions
from balcao.access.groups import service as groups
from balcao.access.mappings import service as mappings
from balcao.access.mappings.schemas import MappingChange
from balcao.access.roles import service as roles
from balcao.access.users import service as users
from balcao.core.access.snapshot import Snapshot
from balcao.core.context.audit import Audit, HashKey
from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import BalcaoError, NotFound
from balcao.core.values.cpf import Cpf
from tests.access import stored
from tests.access.callers import BASE, EDITOR, SUPERADMIN, Send, sender
from tests.access.test_registration import announce, operation
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.proof_sizes import size
from tests.support.refusals import refusal

PEOPLE = (Cpf("90000040550"), Cpf("90000040630"))
NAMES = [f"passado:n{number}" for number in range(6)]
Change = Callable[[Call, random.Random], Awaitable[object]]


def pick_action(call: Call, chosen: random.Random) -> int:
    own = [one.id for one in call.platform.catalogue.latest.actions.values() if one.key.startswith("#")]
    return chosen.choice([*own, 0])


def pick_mapping(call: Call, chosen: random.Random) -> int:
    own = [one.id for one in call.platform.catalogue.latest.mappings.values() if one.operation is None]
    return chosen.choice([*own, 0])


def pick_name(chosen: random.Random) -> str:
    return chosen.choice(NAMES)


def pick_person(chosen: random.Random) -> Cpf:
    return chosen.choice(PEOPLE)


async def map_something(call: Call, chosen: random.Random) -> None:
    path = f"/passado/{chosen.randrange(4)}"
    await mappings.create_mapping(call, "GET", path, pick_action(call, chosen), None)


async def remap(call: Call, chosen: random.Random) -> None:
    change = MappingChange(action_id=pick_action(call, chosen) or None, path_pattern=f"/passado/{chosen.randrange(9)}")
    await mappings.update_mapping(call, pick_mapping(call, chosen), change)


async def rebind(call: Call, chosen: random.Random) -> None:
    of_code = [one.id for one in call.platform.catalogue.latest.mappings.values() if one.operation is not None]
    change = MappingChange(action_id=pick_action(call, chosen) or None)
    await mappings.update_mapping(call, chosen.choice([*of_code, 0]), change)


async def register(call: Call, chosen: random.Random) -> None:
    """Announce an operation at a random path, where a custom mapping may already exist."""
    number = chosen.randrange(2)
    new = operation(operation=f"access.past_{number}", path_pattern=f"/passado/{chosen.randrange(6)}")
    await announce(call.platform, new)
    await call.platform.catalogue.reload()


CHANGES: list[Change] = [
    lambda call, chosen: actions.create_action(call, pick_name(chosen), "De teste"),
    lambda call, chosen: actions.update_action(call, pick_action(call, chosen), ActionChange(name=pick_name(chosen))),
    lambda call, chosen: actions.delete_action(call, pick_action(call, chosen), force=True),
    map_something,
    remap,
    rebind,
    register,
    lambda call, chosen: mappings.delete_mapping(call, pick_mapping(call, chosen)),
    lambda call, chosen: roles.create_role(call, pick_name(chosen), "De teste"),
    lambda call, chosen: roles.delete_role(call, pick_name(chosen)),
    lambda call, chosen: roles.grant_action(call, pick_name(chosen), pick_name(chosen)),
    lambda call, chosen: roles.revoke_action(call, pick_name(chosen), pick_name(chosen)),
    lambda call, chosen: groups.create_group(call, pick_name(chosen), "De teste", {}),
    lambda call, chosen: groups.delete_group(call, pick_name(chosen)),
    lambda call, chosen: groups.assign_group_role(call, pick_name(chosen), pick_name(chosen)),
    lambda call, chosen: groups.remove_group_role(call, pick_name(chosen), pick_name(chosen)),
    lambda call, chosen: groups.add_member(call, pick_name(chosen), pick_person(chosen)),
    lambda call, chosen: groups.remove_member(call, pick_name(chosen), pick_person(chosen)),
    lambda call, chosen: users.assign_person_role(call, pick_person(chosen), pick_name(chosen)),
    lambda call, chosen: users.remove_person_role(call, pick_person(chosen), pick_name(chosen)),
    lambda call, chosen: users.delete_user(call, pick_person(chosen)),
]


def summarise(snapshot: Snapshot, cpf: Cpf, names: dict[int, str]) -> object:
    """Return everything that decisions about this person depend on.

    `names` contains the ids of the actions to include.
    """
    return (
        snapshot.version,
        dict(snapshot.mappings),
        dict(snapshot.roles),
        {group.id: (group.name, group.roles) for group in snapshot.groups.values()},
        snapshot.people.find(cpf),
        {item: snapshot.actions[item].name for item in names},
    )


@pytest.mark.parametrize("seed", range(size(2, 60)))
async def test_every_earlier_version_is_made_again_as_it_was(platform: Platform, seed: int) -> None:
    call, chosen = operator_call(platform, "access.test"), random.Random(seed)
    kept = [platform.catalogue.latest]
    await actions.create_action(call, stored.make_name(), "De teste")
    for _ in range(150):
        try:
            await chosen.choice(CHANGES)(call, chosen)
        except BalcaoError:  # the change may be impossible in the current state
            continue
        if platform.catalogue.latest.version > kept[-1].version:
            kept.append(platform.catalogue.latest)
    assert len(kept) > 20
    for was in kept:
        names = {action.id: action.name for action in was.actions.values()}
        for cpf in PEOPLE:
            made = await decisions.read_catalogue_version(call, platform.catalogue.latest, was.version, cpf)
            assert summarise(made, cpf, names) == summarise(was, cpf, names)
            assert [made.match("GET", f"/passado/{n}") for n in range(9)] == [
                was.match("GET", f"/passado/{n}") for n in range(9)
            ]


async def test_a_role_had_the_action_that_bore_the_name_then(platform: Platform) -> None:
    call, (name, other, role) = operator_call(platform, "access.test"), (stored.make_name() for _ in range(3))
    first = await actions.create_action(call, name, "De teste")
    await roles.create_role(call, role, "De teste")
    await roles.grant_action(call, role, name)
    was = platform.catalogue.latest
    await roles.delete_role(call, role)
    await actions.update_action(call, first.action.id, ActionChange(name=other))
    await actions.create_action(call, name, "De teste")
    made = await decisions.read_catalogue_version(call, platform.catalogue.latest, was.version, None)
    assert made.roles_by_name[role].actions == {f"#{first.action.id}"}


async def test_what_a_night_retired_was_there_before(platform: Platform) -> None:
    call, new = operator_call(platform, "access.test"), operation()
    await announce(platform, new, operation())  # an operation is retired only if another is still announced
    await platform.catalogue.reload()
    was = platform.catalogue.latest
    async with platform.database.transaction() as connection:
        aged = "UPDATE access.endpoint_mapping SET announced_at = now() - interval '2 days' WHERE operation_key = $1"
        await connection.execute(aged, new.operation)
        (nightly,) = [one for feature in SERVICE.features for one in feature.retention if one.kind == "access_mapping"]
        await nightly.apply(call, connection)
    await platform.catalogue.reload()
    path = new.path_pattern.replace("{id}", "7")
    assert platform.catalogue.latest.match("GET", path) is None
    made = await decisions.read_catalogue_version(call, platform.catalogue.latest, was.version, None)
    assert made.match("GET", path) == was.match("GET", path) is not None


async def test_the_empty_catalogue_of_version_one_knew_nobody_and_nothing(platform: Platform) -> None:
    call = operator_call(platform, "access.test")
    made = await decisions.read_catalogue_version(call, platform.catalogue.latest, 1, PEOPLE[0])
    assert (dict(made.mappings), dict(made.roles), dict(made.groups)) == ({}, {}, {})


async def test_a_version_whose_events_have_gone_or_that_is_not_yet_cannot_be_made(platform: Platform, sql: Sql) -> None:
    call = operator_call(platform, "access.test")
    await actions.create_action(call, stored.make_name(), "De teste")
    present = platform.catalogue.latest
    with pytest.raises(NotFound):
        await decisions.read_catalogue_version(call, present, present.version + 1, None)
    owner = await asyncpg.connect(platform.owner_url)
    await owner.execute("DELETE FROM access.audit_event WHERE catalogue_version < $1", present.version)
    await owner.close()
    with pytest.raises(NotFound) as refused:
        await decisions.read_catalogue_version(call, present, present.version - 1, None)
    assert refused.value.code == "catalogue-version-not-kept"
    assert (await decisions.read_catalogue_version(call, present, present.version, None)).version == present.version


async def test_a_membership_of_before_the_hash_key_was_rotated_is_found_by_the_former_one(platform: Platform) -> None:
    call, person = operator_call(platform, "access.test"), Cpf("90000040711")
    version = await users.assign_person_role(call, person, "rmi:mobilidade")
    old = platform.audit.key
    platform.audit = Audit(HashKey(b"uma chave nova e comprida", 2), [old])
    await users.remove_person_role(call, person, "rmi:mobilidade")
    await platform.catalogue.reload()
    made = await decisions.read_catalogue_version(call, platform.catalogue.latest, version - 1, person)
    assert made.people.find(person).roles == ()
    events = await audit.list_catalogue_events(call, AuditQuery(subject=person.digits))
    assert [event.operation for event in events.items] == ["user.remove_role", "user.assign_role"]


def test_a_revoked_right_is_explained_as_it_was_to_who_may_ask(http: httpx.Client, issuer: Issuer) -> None:
    superadmin: Send = sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))
    given = superadmin("POST", f"/users/{EDITOR}/roles", {"role_name": "rmi:mobilidade"})
    version = int(given.headers["X-Catalogue-Version"])
    superadmin("DELETE", f"/users/{EDITOR}/roles/rmi:mobilidade")
    query = f"/explain?method=GET&path=/registry/v1/citizen/90000000175/vehicles&subject={EDITOR}"

    def ask(at_version: int) -> tuple[str, int]:
        explained: Any = superadmin("GET", f"{query}&at_version={at_version}").json()
        return explained["decision"], explained["catalogue_version"]

    assert superadmin("GET", query).json()["decision"] == "deny"
    assert [ask(version - 1), ask(version), ask(version + 1)] == [
        ("deny", version - 1),
        ("allow", version),
        ("deny", version + 1),
    ]
    answers = [refusal(superadmin("GET", f"{query}&at_version={text}")) for text in (10**9, 0, "x")]
    assert answers == [(404, "catalogue-version-not-kept"), (422, "invalid"), (422, "invalid")]
    citizen = sender(http, issuer.person(EDITOR))
    assert citizen("GET", f"/explain?method=GET&path={BASE}&at_version=2").status_code == 403
