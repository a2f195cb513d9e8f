"""A large city's catalogue in one process: memory, load time, and the cost of a change.

The figures of the full-size run are in docs/proofs/access.md (rules: access 4.5).
"""

import gc
import time
from collections.abc import Callable
from typing import Any

import asyncpg
import psutil
import pytest

from balcao.core.access.catalogue import Catalogue
from balcao.core.access.snapshot import Changes, Snapshot
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from tests.support.polling import until
from tests.support.proof_sizes import report, size

ACTIONS, MAPPINGS, PEOPLE = size(200, 10_000), size(1_000, 50_000), size(5_000, 1_000_000)
GROUPS = 200
STEM = 100_000_000
FILL = [
    "INSERT INTO access.action (name, description, origin) "
    f"SELECT 'cidade:a' || n, 'De teste', 'custom' FROM generate_series(1, {ACTIONS}) AS n",
    "INSERT INTO access.endpoint_mapping (method, path_pattern, action_id) "
    "SELECT 'GET', '/app' || n % 100 || '/api/v1/coisas' || n || '/{id}', action.id "
    f"FROM generate_series(1, {MAPPINGS}) AS n JOIN access.action ON action.name = 'cidade:a' || 1 + n % {ACTIONS}",
    "INSERT INTO access.role (name, description, origin) "
    "SELECT 'cidade:r' || n, 'De teste', 'custom' FROM generate_series(1, 100) AS n",
    "INSERT INTO access.role_action (role_id, action_id) SELECT role.id, action.id FROM access.role "
    "JOIN access.action ON substr(action.name, 9)::int % 100 = substr(role.name, 9)::int - 1 "
    "WHERE role.name LIKE 'cidade:r%' AND action.name LIKE 'cidade:a%'",
    "INSERT INTO access.grp (name, description) "
    f"SELECT 'cidade_g' || n, 'De teste' FROM generate_series(1, {GROUPS}) AS n",
    "INSERT INTO access.group_role (group_id, role_id) SELECT grp.id, role.id FROM access.grp "
    "JOIN access.role ON role.name = 'cidade:r' || 1 + substr(grp.name, 9)::int % 100 WHERE grp.name LIKE 'cidade_g%'",
    # The table checks only the format of a CPF, so these numbers need not be valid CPFs.
    f"INSERT INTO access.person (cpf) SELECT ({STEM}00::bigint + n * 97)::text FROM generate_series(1, {PEOPLE}) AS n",
    "INSERT INTO access.membership (group_id, person_id) SELECT grp.id, person.id FROM access.person "
    f"JOIN access.grp ON grp.name = 'cidade_g' || 1 + person.id % {GROUPS}",
    "SELECT access.raise_version()",
    "TRUNCATE access.change",
    "UPDATE access.catalogue_version SET forgotten = 0",
    "ANALYZE access.person, access.membership, access.action, access.endpoint_mapping",
]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    def run(line: str) -> None:
        with capsys.disabled():
            report(f"\n  {line}")

    return run


def measure_memory() -> int:
    """Return the memory of this process after a garbage collection."""
    gc.collect()
    found: int = psutil.Process().memory_info().rss
    return found


async def execute(url: str, statements: list[str]) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def test_a_process_takes_changes_over_and_does_not_reload(
    platform: Platform, database_url: str, show: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    await execute(database_url, FILL)
    process, seen = Catalogue(platform.database), []
    before, began = measure_memory(), time.perf_counter()
    await process.start()
    took, held = time.perf_counter() - began, measure_memory() - before
    loaded = process.latest
    assert (len(loaded.people), len(loaded.mappings) >= MAPPINGS) == (PEOPLE, True)
    show(f"{ACTIONS} actions, {MAPPINGS} mappings, {PEOPLE} people: {held / 2**20:.0f} MiB, {took:.2f} s")

    def note(known: Snapshot, changes: Changes) -> Any:
        if known.mappings is loaded.mappings:  # ignore calls by the platform's own catalogue
            seen.append(changes)
        return follow(known, changes)

    follow = Snapshot.following
    monkeypatch.setattr(Snapshot, "following", note)
    delays = []
    try:
        async with platform.database.connection() as connection:
            for turn in range(20):
                number = f"{STEM * 100 + 97 * (turn + 1)}"
                await connection.execute(
                    "DELETE FROM access.membership USING access.person WHERE person.id = person_id AND cpf = $1", number
                )
                version = await connection.fetchval("SELECT access.raise_version()")
                began = time.perf_counter()
                await until(lambda: process.latest.version >= version)  # noqa: B023 - called before the next iteration
                delays.append(time.perf_counter() - began)
                assert process.latest.people.find(Cpf(number)).groups == ()
    finally:
        await process.stop()
    assert [(len(changes.people), changes.whole) for changes in seen] == [(1, False)] * 20
    assert len(process.latest.people) == PEOPLE - 20
    # Unchanged parts are the same objects, not copies.
    latest = process.latest
    assert latest.mappings is loaded.mappings
    assert latest.patterns is loaded.patterns
    shared = [one is other for one, other in zip(latest.people._parts, loaded.people._parts, strict=True)]
    assert shared.count(False) <= 20
    middle, longest = sorted(delays)[10] * 1000, max(delays) * 1000
    show(f"a change is taken over after {longest:.0f} ms at most, {middle:.0f} ms in the middle of 20")
