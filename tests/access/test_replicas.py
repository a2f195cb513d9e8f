"""Several processes with one catalogue. Each decision uses one complete version of the catalogue."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from balcao import app
from balcao.settings import Settings
from tests.access import stored
from tests.access.stored import format_path
from tests.support.demo_people import BRUNO, LUIZ
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until_now
from tests.support.server import RunningServer

CITIZEN = BRUNO
READ = f"/registry/v1/citizen/{CITIZEN}/notification-preferences"
STAFF = LUIZ


@pytest.fixture(scope="module")
def other(settings: Settings, database_url: str, server: RunningServer) -> Iterator[httpx.Client]:
    """Yield a client of a second process of the platform, which starts while the first one runs."""
    with (
        RunningServer(app.build_application(settings, database_url)) as running,
        httpx.Client(base_url=running.url, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def staff(issuer: Issuer) -> dict[str, str]:
    """Return the headers of a person whose token contains no roles."""
    return bearer(issuer.person(STAFF))


def join(sql: Sql, cpf: str, role: str) -> None:
    """Add the person to a new group that has the role, in one catalogue version."""
    sql(
        """
        WITH person AS (
            INSERT INTO access.person (cpf) VALUES ($1) ON CONFLICT (cpf) DO UPDATE SET cpf = $1 RETURNING id),
        grp AS (
            INSERT INTO access.grp (name, description) VALUES ($3, 'De teste') RETURNING id),
        held AS (
            INSERT INTO access.group_role (group_id, role_id)
            SELECT grp.id, role.id FROM grp, access.role WHERE role.name = $2),
        joined AS (
            INSERT INTO access.membership (group_id, person_id)
            SELECT grp.id, person.id FROM grp, person RETURNING true)
        SELECT access.raise_version() FROM joined""",
        cpf,
        role,
        stored.make_name(),
    )


def leave(sql: Sql, cpf: str) -> None:
    sql(
        """
        WITH gone AS (
            DELETE FROM access.membership USING access.person WHERE person.id = person_id AND cpf = $1 RETURNING true)
        SELECT access.raise_version() FROM (SELECT count(*) FROM gone) AS once""",
        cpf,
    )


def statuses(headers: dict[str, str], *clients: httpx.Client) -> set[int]:
    return {client.get(READ, headers=headers).status_code for client in clients}


@pytest.mark.cases("access", "34")
def test_a_membership_given_and_taken_is_followed_by_every_process(
    http: httpx.Client, other: httpx.Client, staff: dict[str, str], sql: Sql
) -> None:
    assert statuses(staff, http, other) == {403}
    join(sql, STAFF, "rmi:atendimento")
    until_now(lambda: statuses(staff, http, other) == {200})
    leave(sql, STAFF)
    until_now(lambda: statuses(staff, http, other) == {403})


def test_a_role_changed_through_one_process_counts_in_the_other(
    http: httpx.Client, other: httpx.Client, issuer: Issuer, staff: dict[str, str], sql: Sql
) -> None:
    """A change over HTTP reaches the other process. The change is a role's grant or a group's role."""
    base = "/access/api/v1"
    name, superadmin = stored.make_name(), bearer(issuer.person("90000001309", realm_access={"roles": ["superadmin"]}))
    created = {"name": name, "description": "De teste"}
    assert http.post(f"{base}/roles", headers=superadmin, json=created).status_code == 201
    assert http.post(f"{base}/groups", headers=superadmin, json=created).status_code == 201
    http.post(f"{base}/roles/groups/{name}/roles", headers=superadmin, json={"role_name": name})
    http.post(f"{base}/groups/{name}/members", headers=superadmin, json={"subject": STAFF})
    assert statuses(staff, http, other) == {403}
    http.post(f"{base}/roles/{name}/actions", headers=superadmin, json={"action_name": "preferences:read"})
    assert statuses(staff, http) == {200}
    until_now(lambda: statuses(staff, other) == {200})
    other.delete(f"{base}/roles/{name}/actions/preferences:read", headers=superadmin)
    assert statuses(staff, other) == {403}
    until_now(lambda: statuses(staff, http) == {403})
    assert http.delete(f"{base}/groups/{name}", headers=superadmin).status_code == 204


@pytest.mark.long
@pytest.mark.cases("access", "53")
def test_a_change_whose_notification_is_lost_is_found_by_the_poll(
    http: httpx.Client, other: httpx.Client, staff: dict[str, str], sql: Sql
) -> None:
    join(sql, STAFF, "rmi:atendimento")
    until_now(lambda: statuses(staff, http, other) == {200})
    sql(
        """
        WITH gone AS (
            DELETE FROM access.membership USING access.person WHERE person.id = person_id AND cpf = $1 RETURNING true)
        UPDATE access.catalogue_version SET version = version + 1 FROM gone""",
        STAFF,
    )
    until_now(lambda: statuses(staff, http, other) == {403})


@pytest.mark.cases("access", "13")
def test_a_renamed_action_goes_on_letting_its_holders_in_everywhere(
    http: httpx.Client, other: httpx.Client, issuer: Issuer, staff: dict[str, str], sql: Sql
) -> None:
    join(sql, STAFF, "rmi:atendimento")
    until_now(lambda: statuses(staff, http, other) == {200})
    action_id = stored.find_action_id(sql, "preferences:read")
    renamed = http.put(format_path(action_id), headers=bearer(issuer.admin()), json={"name": "preferences:watch"})
    assert renamed.status_code == 200
    assert statuses(staff, http, other) == {200}
    leave(sql, STAFF)
    until_now(lambda: statuses(staff, http, other) == {403})


def test_a_rename_through_one_process_is_known_to_the_other(
    http: httpx.Client, other: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    action_id, admin = stored.add_action(sql), bearer(issuer.admin())
    first = http.put(format_path(action_id), headers=admin, json={"name": stored.make_name()})
    second = other.put(format_path(action_id), headers=admin, json={"name": stored.make_name()})
    assert int(second.headers["X-Catalogue-Version"]) == int(first.headers["X-Catalogue-Version"]) + 1


@pytest.mark.long
@pytest.mark.cases("access", "54")
def test_decisions_during_renames_are_each_made_by_one_whole_version(
    http: httpx.Client, other: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    """Every complete version lets the holder pass, but a mixture of two versions would not.

    Each transaction swaps two things: the action of the operation, and the action that the role grants.
    """
    join(sql, "90000040207", "acessos:leitor")
    holder, admin = bearer(issuer.person("90000040207")), bearer(issuer.admin())
    swapped = [stored.find_action_id(sql, key) for key in ("pets:read", "pets:write")]
    swap_names(sql, swapped[0])
    until_now(lambda: statuses(holder, http, other) == {200})
    renamed = stored.add_action(sql)
    with ThreadPoolExecutor(6) as pool:
        writes = [pool.submit(swap_names, sql, swapped[turn % 2]) for turn in range(40)]
        names = [
            pool.submit(http.put, format_path(renamed), headers=admin, json={"name": stored.make_name()})
            for _ in range(60)
        ]
        clients = random.Random(2026).choices([http, other], k=200)
        reads = [pool.submit(client.get, READ, headers=holder) for client in clients]
        assert {read.result().status_code for read in reads} == {200}
        assert {write.result().status_code for write in names} == {200}
        assert all(write.result() is None for write in writes)
    stored.verify(stored.read_chain(sql))


def swap_names(sql: Sql, action_id: int) -> None:
    sql(
        """
        WITH taken AS (
            DELETE FROM access.role_action USING access.role WHERE role.id = role_id AND role.name = 'acessos:leitor'
                AND action_id <> $1),
        given AS (
            INSERT INTO access.role_action (role_id, action_id)
            SELECT id, $1 FROM access.role WHERE name = 'acessos:leitor' ON CONFLICT DO NOTHING),
        bound AS (
            UPDATE access.endpoint_mapping SET action_id = $1 WHERE operation_key = 'registry.read_preferences')
        SELECT access.raise_version()""",
        action_id,
    )
