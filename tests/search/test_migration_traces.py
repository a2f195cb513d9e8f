"""Real schema migrations take only those steps that their model allows (docs/models)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from balcao.core.context.platform import Platform
from balcao.search.schema_migrations import service as migrations
from balcao.search.schema_migrations.schemas import AbortBody, RollbackBody
from balcao.search.services import service as services
from tests.models.spin import MODELS
from tests.models.traces import is_behaviour
from tests.search.support import act_as_staff, body
from tests.search.test_online_migration import Run, create, start

pytestmark = [pytest.mark.spin, pytest.mark.usefixtures("empty_catalogue"), pytest.mark.long]

MODEL = MODELS / "schema_migration.pml"
# Records the state after each write. If a transaction changes both tables, only its last row counts.
RECORD = """
CREATE TABLE search.trace (
    number int GENERATED ALWAYS AS IDENTITY, transaction xid8 DEFAULT pg_current_xact_id(),
    status text, phase text, physical text, mirror text, source text);
CREATE FUNCTION search.record_step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO search.trace (status, phase, physical, mirror, source)
    SELECT run.status, run.phase, alias.physical, alias.mirror, run.source_collection
    FROM search.search_collection AS alias, search.search_migrations AS run WHERE run.kind = 'migration';
    RETURN NULL;
END $$;
CREATE TRIGGER record_step AFTER INSERT OR UPDATE ON search.search_migrations EXECUTE FUNCTION search.record_step();
CREATE TRIGGER record_step AFTER UPDATE ON search.search_collection EXECUTE FUNCTION search.record_step();
"""
RECORDED = """
SELECT status, phase, physical = source AS is_old, mirror = source AS mirrors_old FROM search.trace AS step
WHERE number = (SELECT max(number) FROM search.trace WHERE transaction = step.transaction) ORDER BY number
"""
FORGET = "DROP FUNCTION search.record_step() CASCADE; DROP TABLE search.trace"
# In the model, copying rows also fills the indexes.
PHASES = {
    "preparing": "PREPARING",
    "back_fill": "BACK_FILL",
    "indexing": "BACK_FILL",
    "verifying": "VERIFYING",
    "switching": "SWITCHING",
}
# The model needs no writes, because the recorded steps contain none.
BOUNDS = ("-DSTARTS=1", "-DWRITES=0", "-DLOSSES=0", "-DREFUSALS=0", "-DCLAIMS=8")


@pytest_asyncio.fixture
async def recorded(owner: asyncpg.Connection) -> AsyncIterator[asyncpg.Connection]:
    await owner.execute(RECORD)
    yield owner
    await owner.execute(FORGET)


async def read_steps(owner: asyncpg.Connection) -> list[str]:
    """Return the recorded states without repetitions, as conditions on the variables of the model."""
    steps = ["status == IDLE"]
    for row in await owner.fetch(RECORDED):
        step = describe(row)
        if step != steps[-1]:
            steps.append(step)
    return steps


def describe(row: Any) -> str:
    mirror = {None: "NO_TABLE", True: "OLD", False: "NEW"}[row["mirrors_old"]]
    step = f"physical == {'OLD' if row['is_old'] else 'NEW'} && mirror == {mirror}"
    if row["status"] == "in_progress":
        return f"status == IN_PROGRESS && phase == {PHASES[row['phase']]} && {step}"
    return f"status == {row['status'].upper()} && {step}"


async def test_a_migration_that_five_workers_carry_among_writers_and_that_is_rolled_back(
    platform: Platform, recorded: asyncpg.Connection, tmp_path: Path
) -> None:
    staff = act_as_staff(platform)
    made = await create(platform, 4)
    run = await start(platform, recorded)
    for place, phase in enumerate(("back_fill", "indexing", "verifying", "switching")):
        async with run.worker() as worker:
            await run.reach(worker, phase)
            await services.update_service(staff, made[place].id, body(nome_servico=f"Mudado {place}"))
    async with run.worker() as worker:
        assert await run.finish(worker) == "completed"
    await migrations.roll_back_migration(staff, RollbackBody())
    steps = await read_steps(recorded)
    assert len(steps) == 7
    assert is_behaviour(tmp_path, MODEL, steps, *BOUNDS)
    without_a_comparison = [step for step in steps if "VERIFYING" not in step]
    assert not is_behaviour(tmp_path, MODEL, without_a_comparison, *BOUNDS)


async def test_a_migration_that_is_aborted(platform: Platform, recorded: asyncpg.Connection, tmp_path: Path) -> None:
    await create(platform, 2)
    run: Run = await start(platform, recorded)
    async with run.worker() as worker:
        await run.reach(worker, "verifying")
    await migrations.abort_migration(act_as_staff(platform), AbortBody())
    assert is_behaviour(tmp_path, MODEL, await read_steps(recorded), *BOUNDS)
