"""The first load adds all seed data.

Later loads add no duplicates and do not restore removed data (rules: access 3.1, 3.3).
"""

import json
import re
from dataclasses import dataclass

import asyncpg
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from balcao import app
from balcao.access.actions.schemas import ActionChange
from balcao.access.seed import service as seed
from balcao.access.seed.service import Seed, SeedGroup, SeedRole
from balcao.core.database.migrations import run_as_owner
from tests.access import stored
from tests.support.fixture_types import Sql
from tests.support.operations import all_operations
from tests.support.rules import read_table

ROLES = (
    "SELECT role.name, array_agg(action.code_key) FILTER (WHERE action.id IS NOT NULL) AS keys FROM access.role "
    "LEFT JOIN access.role_action ON role_id = role.id LEFT JOIN access.action ON action.id = action_id GROUP BY 1"
)


def grants(sql: Sql) -> dict[str, set[str]]:
    return {row["name"]: set(row["keys"] or ()) for row in sql(ROLES)}


def test_the_first_load_brings_exactly_what_the_file_says(sql: Sql) -> None:
    release = seed.read_seed()
    stored = {row["code_key"]: row["description"] for row in sql("SELECT * FROM access.action")}
    assert stored == release.descriptions
    assert grants(sql) == {role.name: set(release.grants(role)) for role in release.roles}
    groups = sql(
        "SELECT grp.name, role.name AS role FROM access.grp JOIN access.group_role ON group_id = grp.id "
        "JOIN access.role ON role.id = role_id ORDER BY 1"
    )
    assert [tuple(row) for row in groups] == [("administradores", "admin"), ("superadministradores", "superadmin")]
    assert [row["name"] for row in sql("SELECT name FROM access.role WHERE administrative ORDER BY 1")] == [
        "admin",
        "superadmin",
    ]
    assert sql("SELECT FROM access.membership") == []


def test_each_service_has_the_actions_that_the_page_lists() -> None:
    shipped = seed.read_seed().actions
    listed = {
        service.replace(" ", "_"): {action for part in actions.split("; ") for action in read_actions(part)}
        for service, actions in read_table("access", "Service | Actions")
    }
    assert listed == {service: set(keys) for service, keys in shipped.items() if service != "platform"}
    assert len(shipped["platform"]) == 3


def test_the_roles_grant_what_the_page_says(sql: Sql) -> None:
    listed: dict[str, set[str]] = {}
    for roles, grants_ in read_table("access", "Role | Grants"):
        together = re.sub(r" \(.*?\)", "", roles)
        texts = grants_.split(" / ") if " / " in together else [grants_] * len(together.split(", "))
        listed |= dict(zip(re.split(r" / |, ", together), map(read_grants, texts), strict=True))
    assert grants(sql) == listed


def read_grants(text: str) -> set[str]:
    """Return the actions in a table cell. The actions of administrators are implied and not stored."""
    if text.startswith(("every action", "none")):
        return set()
    found = set()
    for part in text.split("; "):
        included, _, excluded = part.partition(" except ")
        if all_of := re.fullmatch(r"all of ([\w ]+)", included):
            of_part = set(seed.read_seed().actions[all_of[1].replace(" ", "_")])
        else:
            of_part = read_actions(included)
        noun = "" if ":" in excluded else included.partition(":")[0] + ": "
        found |= of_part - (read_actions(noun + excluded) if excluded else set())
    return found


def read_actions(text: str) -> set[str]:
    """Return the actions in a list such as `noun: verb, verb`, `noun, noun: verb` or `noun: all`."""
    everything = seed.read_seed().descriptions
    nouns: list[str] = []
    before: list[str] = []
    found = set()
    for word in text.split(", "):
        noun, colon, verb = word.rpartition(": ")
        if colon:
            nouns, before = [*before, noun], []
        elif not nouns:
            before.append(word)
            continue
        if verb == "all":
            found |= {key for key in everything if key.partition(":")[0] in nouns}
        else:
            found |= {f"{each}:{verb}" for each in nouns}
    return found


def test_every_action_fits_its_own_form_and_every_declared_one_is_shipped() -> None:
    release = seed.read_seed()
    for key, text in release.descriptions.items():
        assert ActionChange(name=key, description=text).description == text
    declared = {
        name for served in all_operations() for name in (served.operation.rule.action, *served.operation.rule.also)
    }
    assert declared - set(release.descriptions) == set()


def test_a_second_run_writes_nothing(database_url: str, sql: Sql) -> None:
    tables = ("action", "role", "role_action", "grp", "group_role", "shipped_once", "catalogue_version", "audit_event")

    def read_rows() -> list[object]:
        return [sql(f"SELECT t.*, xmin::text FROM access.{table} AS t ORDER BY t::text") for table in tables[:-2]]

    before = read_rows(), stored.read_version(sql), stored.read_chain(sql)
    app.migrate_now(database_url)
    assert (read_rows(), stored.read_version(sql), stored.read_chain(sql)) == before


class Undo(Exception):
    """An exception that rolls back a trial."""


@dataclass
class Look:
    """The grants and roles that the test's releases seed, named `trial:…`, and the catalogue's version."""

    grants: set[tuple[str, str]]
    roles: set[str]
    version: int


async def look(connection: asyncpg.Connection) -> Look:
    rows = await connection.fetch(
        "SELECT role.name, code_key FROM access.role_action JOIN access.role ON role.id = role_id "
        "JOIN access.action ON action.id = action_id WHERE role.name LIKE 'trial:%'"
    )
    roles = await connection.fetch("SELECT name FROM access.role WHERE name LIKE 'trial:%'")
    version = await connection.fetchval("SELECT version FROM access.catalogue_version")
    return Look({(row["name"], row["code_key"]) for row in rows}, {row["name"] for row in roles}, version)


def release(held: dict[str, set[str]]) -> Seed:
    actions = {"trial": {key: key for key in sorted(set().union(*held.values()))}}
    roles = tuple(SeedRole(name, name, actions=tuple(sorted(keys))) for name, keys in sorted(held.items()))
    return Seed(actions, roles, (SeedGroup("trial:group", "x", tuple(sorted(held))),))


names = st.sampled_from(["trial:a", "trial:b", "trial:c"])
keys = st.sets(st.sampled_from(["trial_thing:read", "trial_thing:write", "trial_other:read"]))
releases = st.dictionaries(names, keys, min_size=1)


@examples(max_examples=60)
@given(first=releases, second=releases, data=st.data())
async def test_what_was_removed_stays_removed_and_what_is_new_is_added(
    database_url: str, first: dict[str, set[str]], second: dict[str, set[str]], data: st.DataObject
) -> None:
    offered = sorted((name, key) for name, held in first.items() for key in held)
    taken = data.draw(st.sets(st.sampled_from(offered))) if offered else set()
    dropped = data.draw(st.sets(st.sampled_from(sorted(first))))

    async def trial(connection: asyncpg.Connection) -> None:
        start = await look(connection)
        await seed.load_seed(connection, release(first))
        loaded = await look(connection)
        assert (loaded.grants, loaded.roles, loaded.version) == (set(offered), set(first), start.version + 1)
        for name, key in taken:
            await connection.execute(
                "DELETE FROM access.role_action USING access.role, access.action WHERE role.id = role_id "
                "AND action.id = action_id AND role.name = $1 AND code_key = $2",
                name,
                key,
            )
        await connection.execute("DELETE FROM access.role WHERE name = ANY($1)", sorted(dropped))
        await seed.load_seed(connection, release(second))
        found = await look(connection)
        kept = {(name, key) for name, key in set(offered) - taken if name not in dropped}
        new = {(n, k) for n, held in second.items() for k in held if n not in dropped and (n, k) not in offered}
        assert found.roles == (set(first) | set(second)) - dropped
        assert found.grants == kept | new
        await seed.load_seed(connection, release(second))
        assert await look(connection) == found
        raise Undo

    with pytest.raises(Undo):
        await run_as_owner(database_url, trial)


async def test_a_role_of_the_citys_own_is_not_widened_by_a_release(database_url: str) -> None:
    async def trial(connection: asyncpg.Connection) -> None:
        await connection.execute(
            "INSERT INTO access.role (name, description, origin) VALUES ('trial:a', 'x', 'custom')"
        )
        await seed.load_seed(connection, release({"trial:a": {"trial_thing:read"}}))
        assert (await look(connection)).grants == set()
        event = await connection.fetchval("SELECT after FROM access.audit_event ORDER BY seq DESC NULLS LAST LIMIT 1")
        assert json.loads(event)["roles"] == []
        raise Undo

    with pytest.raises(Undo):
        await run_as_owner(database_url, trial)
