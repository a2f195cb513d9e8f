"""A snapshot that was updated after every change equals a newly loaded snapshot (rules: access 4.5)."""

import random

from balcao.core.access.catalogue import Catalogue
from balcao.core.access.snapshot import Snapshot
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from tests.support.proof_sizes import size

CPFS = [Cpf.with_stem(f"{stem:09}").digits for stem in range(700_000_000, 700_000_030)]
# Each change is one statement. `$1` and `$2` are random numbers that select rows.
CHANGES = [
    "INSERT INTO access.action (name, description, origin) VALUES ('teste:' || $1, 'x', 'custom') "
    "ON CONFLICT DO NOTHING",
    "UPDATE access.action SET name = 'outra:' || $1 || '.' || $2 WHERE id = (SELECT id FROM access.action "
    "WHERE code_key IS NULL ORDER BY id OFFSET $1 % 5 LIMIT 1)",
    "UPDATE access.action SET description = 'd' || $1 WHERE id % 50 = $2 % 50",
    "DELETE FROM access.action WHERE code_key IS NULL AND id % 7 = $1 % 7 "
    "AND NOT EXISTS (SELECT FROM access.endpoint_mapping WHERE action_id = action.id)",
    "INSERT INTO access.endpoint_mapping (method, path_pattern, action_id) SELECT 'GET', '/m/' || $1 % 9 || '/{x}', id "
    "FROM access.action ORDER BY id DESC LIMIT 1 ON CONFLICT DO NOTHING",
    "UPDATE access.endpoint_mapping SET retired_at = now() "
    "WHERE operation_key IS NULL AND retired_at IS NULL AND id % 5 = $1 % 5",
    "UPDATE access.endpoint_mapping SET retired_at = NULL WHERE id = (SELECT id FROM access.endpoint_mapping AS gone "
    "WHERE operation_key IS NULL AND retired_at IS NOT NULL AND NOT EXISTS (SELECT FROM access.endpoint_mapping AS one "
    "WHERE (one.method, one.shape) = (gone.method, gone.shape) AND one.retired_at IS NULL) "
    "ORDER BY id OFFSET $1 % 3 LIMIT 1)",
    "UPDATE access.endpoint_mapping SET action_id = (SELECT id FROM access.action ORDER BY id OFFSET $2 % 40 LIMIT 1) "
    "WHERE id = (SELECT id FROM access.endpoint_mapping ORDER BY id OFFSET $1 % 50 LIMIT 1)",
    "DELETE FROM access.endpoint_mapping WHERE operation_key IS NULL AND id % 3 = $1 % 3",
    "INSERT INTO access.role (name, description, origin) VALUES ('r' || $1 % 9, 'x', 'custom') ON CONFLICT DO NOTHING",
    "INSERT INTO access.role_action (role_id, action_id) SELECT role.id, action.id FROM access.role, access.action "
    "WHERE role.id % 5 = $1 % 5 AND action.id % 11 = $2 % 11 ON CONFLICT DO NOTHING",
    "DELETE FROM access.role_action WHERE role_id % 5 = $1 % 5",
    "DELETE FROM access.role WHERE origin = 'custom' AND id % 3 = $1 % 3",
    "INSERT INTO access.grp (name, description) VALUES ('g' || $1 % 9, 'x') ON CONFLICT DO NOTHING",
    "UPDATE access.grp SET attributes = jsonb_build_object('area', jsonb_build_array($1::text)) WHERE id % 3 = $2 % 3",
    "INSERT INTO access.group_role (group_id, role_id) SELECT grp.id, role.id FROM access.grp, access.role "
    "WHERE role.id % 5 = $1 % 5 AND grp.id % 3 = $2 % 3 ON CONFLICT DO NOTHING",
    "DELETE FROM access.grp WHERE name LIKE 'g%' AND id % 4 = $1 % 4",
    "INSERT INTO access.membership (group_id, person_id) SELECT grp.id, person.id FROM access.grp, access.person "
    "WHERE person.id % 7 = $1 % 7 AND grp.id % 3 = $2 % 3 ON CONFLICT DO NOTHING",
    "DELETE FROM access.membership WHERE person_id % 5 = $1 % 5",
    "INSERT INTO access.person_role (role_id, person_id) SELECT role.id, person.id FROM access.role, access.person "
    "WHERE person.id % 7 = $1 % 7 AND role.id % 3 = $2 % 3 ON CONFLICT DO NOTHING",
    "DELETE FROM access.person_role WHERE person_id % 4 = $1 % 4",
    "DELETE FROM access.person WHERE id % 9 = $1 % 9 AND $2 % 3 = 0",
]  # fmt: skip


def summarise(snapshot: Snapshot) -> object:
    """Return everything in a snapshot that decisions depend on. Equal snapshots give equal results."""
    endpoints = {
        (mapping.method, mapping.path_pattern): (found.mapping, found.action)
        for mapping in snapshot.mappings.values()
        if (found := snapshot.match(mapping.method, mapping.path_pattern.replace("{", "").replace("}", "")))
    }
    held = {cpf: snapshot.people.find(Cpf(cpf)) for cpf in CPFS}
    known = (snapshot.actions, snapshot.mappings, snapshot.roles, snapshot.groups, snapshot.bindings)
    return snapshot.version, snapshot.position, known, snapshot.roles_by_name, endpoints, held, len(snapshot.people)


async def enter_people(connection: Connection) -> None:
    people = "INSERT INTO access.person (cpf) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING"
    await connection.execute(people, CPFS)


async def test_changes_taken_over_one_by_one_equal_the_whole(platform: Platform) -> None:
    chosen, following = random.Random(7), Catalogue(platform.database)
    await following.reload()
    for _ in range(size(60, 2_000)):
        async with platform.database.transaction() as connection:
            await enter_people(connection)
            for _ in range(chosen.randint(1, 4)):
                statement = chosen.choice(CHANGES)
                numbers = [chosen.randrange(1_000) for name in ("$1", "$2") if name in statement]
                await connection.execute(statement.replace("$1", str(numbers[0])).replace("$2", str(numbers[-1])))
            await connection.fetchval("SELECT access.raise_version()")
        await following.reload()
        whole = Catalogue(platform.database)
        await whole.reload()
        assert summarise(following.latest) == summarise(whole.latest)
