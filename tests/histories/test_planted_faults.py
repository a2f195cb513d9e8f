"""The checker or an invariant finds each planted fault, and finds nothing if none is planted.

The tests look only at the verdicts of the checker and the invariants. An ordinary run plants one fault of each kind on
one platform: a response before the write, a repeated write, a stale read, and a change that neither the notification
nor the poll reports.
"""

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import asyncpg
import httpx
import pytest

from balcao.settings import Settings
from balcao_sandbox.postgresql import supervisor
from tests.histories.declared import DeclaredFields
from tests.histories.false_responses import (
    LIES,
    SHARE,
    DoubledWrites,
    EarlyAnswers,
    FalseRefusals,
    ForgottenWrites,
    Lies,
    StaleReads,
    SwappedAnswers,
)
from tests.histories.holiday import NamesOfHolidays
from tests.histories.invariants import count_until, examine, read_history
from tests.histories.migration import SchemaOfServices
from tests.histories.nemesis import answered, break_in_turn
from tests.histories.own import OwnData
from tests.histories.preferences import PreferencesOfCitizens
from tests.histories.published import PublishedServices
from tests.histories.recorder import Recorder, Resource
from tests.histories.request import RequestsOfCitizens
from tests.histories.rights import LIMIT_SECONDS, RightsOfPeople
from tests.histories.service import AddressesOfServices
from tests.histories.sessions import SessionsOfPeople
from tests.histories.trial import BY_INVARIANTS, RESOURCES, all_resources, judge, platform, record
from tests.support.polling import PATIENCE, until
from tests.support.proof_sizes import FULL, report, size

pytestmark = [pytest.mark.histories, pytest.mark.long]

# PostgreSQL responds before it writes, and delays the write for as long as its settings allow. If it is killed in
# between, the writes are lost.
ANSWER_BEFORE_WRITING = (
    "ALTER SYSTEM SET synchronous_commit = off",
    "ALTER SYSTEM SET wal_writer_delay = '10s'",
    "SELECT pg_reload_conf()",
)
SEED = 1
CLIENTS = 6
ANSWERS = 400
PLANTED: tuple[Lies, ...] = LIES if FULL else (EarlyAnswers,)
LIES_BY_INVARIANT: tuple[tuple[Lies, str], ...] = (
    (DoubledWrites, "audit"),
    (ForgottenWrites, "audit"),
    (FalseRefusals, "refused"),
    (SwappedAnswers, "foreign"),
)[: size(1, 4)]


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    with platform() as (settings, _):
        yield settings


@pytest.mark.proof
def test_where_none_is_planted_none_is_found(settings: Settings, tmp_path: Path) -> None:
    history = work(settings, all_resources(range(6)), tmp_path)
    assert {one.verdict for one in judge(history)} == {"possible"}
    assert examine(settings, history) == []


@pytest.mark.parametrize("place", range(len(PLANTED)), ids=[lies.__name__ for lies in PLANTED])
def test_a_planted_fault_is_found(place: int, settings: Settings, tmp_path: Path) -> None:
    # Each fault needs citizens whom no other history changes, because such changes would look like an anomaly.
    citizens = PreferencesOfCitizens(range(6 * place + 6, 6 * place + 12))
    (judged,) = judge(work(settings, [citizens], tmp_path, PLANTED[place](SEED)))
    report(f"{PLANTED[place].__name__}: {judged.verdict} after {judged.after} operations")
    assert judged.verdict == "anomaly"


@pytest.mark.proof
@pytest.mark.parametrize("lies", [ForgottenWrites, StaleReads], ids=lambda lies: lies.__name__)
def test_a_planted_fault_is_found_in_every_resource(lies: Lies, settings: Settings, tmp_path: Path) -> None:
    place = 12 * (lies is StaleReads)
    every = [resource(range(100 + place, 106 + place)) for resource in RESOURCES]
    resources = [resource for resource in every if resource.name not in BY_INVARIANTS]
    judged = judge(work(settings, resources, tmp_path, lies(SEED, 4 * SHARE), len(resources) * ANSWERS // 2))
    report("\n".join(f"{lies.__name__}, {one.resource}: {one.verdict} after {one.after} operations" for one in judged))
    assert [one.resource for one in judged if one.verdict != "anomaly"] == []


def work(
    settings: Settings,
    resources: Sequence[Resource],
    folder: Path,
    transport: httpx.AsyncBaseTransport | None = None,
    answers: int = ANSWERS,
) -> Path:
    """Let clients work until they have received this many responses, and return their history."""
    history = folder / "history.jsonl"
    record(settings, history, resources, CLIENTS, SEED, partial(answered, more=answers), transport)
    return history


class Planted(NamedTuple):
    """A fault in the database that makes the platform's responses false.

    `mend` removes the fault, and `clean` removes its traces.
    """

    plant: str
    mend: str
    clean: str = "SELECT"


# Drop about half of the audit events.
LOST_EVENTS = Planted(
    """
    CREATE FUNCTION lose_some() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF random() < 0.5 THEN RETURN NULL; END IF; RETURN NEW; END $$;
    CREATE TRIGGER lose_some BEFORE INSERT ON platform.audit_event FOR EACH ROW EXECUTE FUNCTION lose_some()
    """,
    "DROP FUNCTION lose_some() CASCADE",
)
# Delete every job that pushes to the CRM. If only one was lost, the next change of the same person would repair it.
LOST_JOBS = Planted(
    """
    CREATE FUNCTION lose_jobs() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN DELETE FROM queue.pgqueuer WHERE id = NEW.id; RETURN NULL; END $$;
    CREATE TRIGGER lose_jobs AFTER INSERT ON queue.pgqueuer FOR EACH ROW WHEN (NEW.entrypoint = 'crm_push')
    EXECUTE FUNCTION lose_jobs()
    """,
    "DROP FUNCTION lose_jobs() CASCADE",
    "DELETE FROM registry.outbox WHERE NOT given_up AND NOT platform.job_is_queued(job)",
)
# Delete every job that sends a request to the CRM.
LOST_CASES = Planted(
    """
    CREATE FUNCTION lose_cases() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN DELETE FROM queue.pgqueuer WHERE id = NEW.id; RETURN NULL; END $$;
    CREATE TRIGGER lose_cases AFTER INSERT ON queue.pgqueuer FOR EACH ROW WHEN (NEW.entrypoint = 'crm_request')
    EXECUTE FUNCTION lose_cases()
    """,
    "DROP FUNCTION lose_cases() CASCADE",
    "UPDATE registry.request SET description = NULL WHERE description LIKE 'marca-%'",
)
# Stop mirroring writes to the other table, which a rollback makes active again.
WITHOUT_A_MIRROR = """
CREATE OR REPLACE FUNCTION search.mirror_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$
"""
# Do not record changes of memberships, so that neither the notification nor the poll finds them.
LOST_NOTES = Planted(
    "ALTER TABLE access.membership DISABLE TRIGGER note_gone", "ALTER TABLE access.membership ENABLE TRIGGER note_gone"
)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("planted", "resource", "invariant"),
    [
        (LOST_EVENTS, DeclaredFields(range(10, 60)), "audit"),
        (LOST_JOBS, DeclaredFields(range(10, 60)), "jobs"),
        (LOST_CASES, RequestsOfCitizens(range(0)), "jobs"),
    ],
    ids=["lost audit events", "lost jobs", "lost cases"],
)
def test_a_fault_in_the_database_breaks_an_invariant(
    planted: Planted, resource: Resource, invariant: str, settings: Settings, tmp_path: Path
) -> None:
    run_sql(settings, planted.plant)
    history = work(settings, [resource], tmp_path)
    run_sql(settings, planted.mend)
    try:
        assert find(settings, history, invariant) == {invariant}
    finally:
        run_sql(settings, planted.clean)


@pytest.mark.parametrize(
    ("lies", "invariant"),
    LIES_BY_INVARIANT,
    ids=lambda given: given if isinstance(given, str) else given.__name__,
)
def test_a_lie_breaks_an_invariant(lies: Lies, invariant: str, settings: Settings, tmp_path: Path) -> None:
    # The share is high, because the next change usually hides the effect of a false response.
    told = lies(SEED, share=0.3)
    assert invariant in find(settings, work(settings, [OwnData(range(0))], tmp_path, told), invariant)


def test_a_right_that_outlives_its_revocation_is_found(settings: Settings, tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    people = RightsOfPeople(range(0), inside=0.5, outside=1.3 * LIMIT_SECONDS)

    async def third_turn(_: Recorder) -> None:
        await until(lambda: people.turns > 2 * len(people.keys))

    run_sql(settings, LOST_NOTES.plant)
    record(settings, history, [people], 2, SEED, third_turn)
    run_sql(settings, LOST_NOTES.mend)
    assert find(settings, history, "rights") == {"rights"}


@pytest.mark.parametrize(
    ("resource", "answers"), [(NamesOfHolidays(range(200, 204)), ANSWERS), (PublishedServices(range(4)), 3 * ANSWERS)]
)
def test_what_is_shown_after_something_else_had_followed_is_found(
    resource: Resource, answers: int, settings: Settings, tmp_path: Path
) -> None:
    history = work(settings, [resource], tmp_path, StaleReads(SEED, 4 * SHARE), answers)
    assert find(settings, history, "lag") == {"lag"}


@pytest.mark.proof
def test_a_session_that_outlives_its_end_is_found(settings: Settings, tmp_path: Path) -> None:
    history, sessions = tmp_path / "history.jsonl", SessionsOfPeople(range(0), turn=1.1 * LIMIT_SECONDS)

    async def third_end(_: Recorder) -> None:
        await until(lambda: sessions.ended > 2 * len(sessions.keys))

    # About half of the reports that a session ended never reach the platform. They get the previous response.
    record(settings, history, [sessions], 2, SEED, third_end, ForgottenWrites(SEED, 10 * SHARE))
    assert find(settings, history, "sessions") == {"sessions"}


def find(settings: Settings, history: Path, expected: str) -> set[str]:
    """Return the broken invariants, and report after how many operations the expected one was found."""
    broken, operations = examine(settings, history), read_history(history)
    counts = [count_until(operations, one) for one in broken if one.invariant == expected]
    report(f"invariant {expected}: {len(counts)} times, first after {min(counts, default=None)} operations")
    return {one.invariant for one in broken}


def run_sql(settings: Settings, statements: str) -> None:
    """Run the statements as the owner of the database, in one transaction.

    Repeat them after a deadlock, because the platform locks the same tables in another order.
    """

    async def run() -> None:
        server = supervisor.find_running(settings.data_dir)
        assert server
        connection = await asyncpg.connect(server.url)
        try:
            async with asyncio.timeout(PATIENCE):
                while not await has_run(connection):
                    pass
        finally:
            await connection.close()

    async def has_run(connection: asyncpg.Connection) -> bool:
        try:
            await connection.execute(statements)
        except asyncpg.DeadlockDetectedError:
            return False
        return True

    asyncio.run(run())


@pytest.mark.proof
def test_writes_that_miss_the_other_table_of_a_schema_migration_are_found(tmp_path: Path) -> None:
    history, schema = tmp_path / "history.jsonl", SchemaOfServices(range(0))

    async def some_changes(_: Recorder) -> None:
        await until(lambda: schema.turns > size(8, 20))

    with platform() as (settings, _):
        run_sql(settings, WITHOUT_A_MIRROR)
        record(settings, history, [schema, AddressesOfServices(range(6))], CLIENTS, SEED, some_changes)
    judged = {one.resource: one for one in judge(history)}
    report(f"no mirror, service: {judged['service'].verdict} after {judged['service'].after} operations")
    assert {name: one.verdict for name, one in judged.items()} == {"migration": "possible", "service": "anomaly"}


@pytest.mark.proof
def test_a_database_that_answers_before_it_has_written_is_found_out_by_a_kill(tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    citizens, kills = PreferencesOfCitizens(range(6)), ["kill postgres"] * 3
    with platform() as (settings, started):
        for statement in ANSWER_BEFORE_WRITING:
            run_sql(settings, statement)
        record(
            settings, history, [citizens], CLIENTS, SEED, lambda recorder: break_in_turn(recorder, started, kills, 150)
        )
    (judged,) = judge(history)
    report(f"synchronous_commit=off: {judged.verdict} after {judged.after} operations")
    assert judged.verdict == "anomaly"
