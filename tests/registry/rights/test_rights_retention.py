"""Tests for the retention periods of the registry's features (rules: registry 5)."""

from collections.abc import Callable, Sequence
from typing import Any

import asyncpg
import pytest

from balcao.core.audit import retention
from balcao.core.audit.retention import Retention
from balcao.core.values.cpf import Cpf
from balcao.registry import SERVICE
from balcao.registry.crm.events import service as crm_sync
from balcao.registry.crm.events.api import RETENTION as EVENTS
from balcao.settings import Settings
from tests.support import demo_people
from tests.support.operator_calls import acting

Sql = Callable[..., list[asyncpg.Record]]
ANA = Cpf(demo_people.ANA)
AGE = "UPDATE registry.crm_event SET accepted_at = now() - make_interval(days => $2) WHERE id::text = $1"


@pytest.fixture
def swept(settings: Settings, database_url: str) -> Callable[..., dict[str, tuple[int, int]]]:
    """Return a function that applies retention rules and returns the numbers of checked and removed rows by kind."""

    def run(rules: Sequence[Retention] = EVENTS) -> dict[str, tuple[int, int]]:
        with acting(settings, database_url, retention.OPERATION) as act:
            return {one.kind: (one.checked, one.removed) for one in act(retention.run_retention, rules)}

    return run


@pytest.fixture
def event(settings: Settings, database_url: str, sql: Sql) -> Callable[..., str]:
    """Return a function that creates an event of this age in days.

    The event's job is waiting, dead-lettered, dropped or done.
    """
    sql("DELETE FROM registry.crm_event")
    sql("DELETE FROM queue.pgqueuer")

    def accepted(days: int, job: str) -> str:
        body = b'{"cpf": "%s", "dados": {"email": "a@a.example"}}' % ANA.digits.encode()
        with acting(settings, database_url, "test.event") as act:
            act(crm_sync.accept_event, body)
            found = sql("SELECT id::text FROM registry.crm_event ORDER BY accepted_at DESC, id DESC LIMIT 1")[0]["id"]
            if job == "applied":
                act(lambda call: crm_sync.apply_crm_event(call.platform, found))
        mine = "WHERE convert_from(payload, 'UTF8') LIKE '%' || $1 || '%'"
        if job == "dead":
            sql(f"UPDATE queue.pgqueuer SET status = 'failed' {mine}", found)
        if job in ("dropped", "applied"):
            sql(f"DELETE FROM queue.pgqueuer {mine}", found)
        sql(AGE, found, days)
        return str(found)

    return accepted


def test_the_payload_of_a_dead_event_goes_after_30_days_and_all_of_it_after_90(
    event: Callable[..., str], swept: Callable[[], Any], sql: Sql
) -> None:
    ages: dict[str, tuple[int, str, str]] = {}
    for days, job, wanted in (
        (29, "dead", "payload"),
        (31, "dead", "row"),
        (31, "dropped", "row"),
        (31, "waiting", "payload"),
        (89, "applied", "row"),
        (91, "applied", "nothing"),
        (91, "dead", "nothing"),
        (91, "waiting", "payload"),
    ):
        ages[event(days, job)] = (days, job, wanted)
    sql("""
    INSERT INTO registry.crm_event_repeat
    SELECT gen_random_uuid(), 'chamada', now() - make_interval(days => age) FROM unnest('{89,91}'::int[]) AS age
    """)
    assert swept() == {"crm_event_payload": (6, 3), "crm_event": (8, 2), "crm_event_repeat": (2, 1)}
    left = {row["id"]: row["dados"] for row in sql("SELECT id::text, dados::text FROM registry.crm_event")}
    for identity, (days, job, wanted) in ages.items():
        found = "nothing" if identity not in left else "payload" if left[identity] else "row"
        assert found == wanted, (days, job)
    assert swept() == {"crm_event_payload": (3, 0), "crm_event": (6, 0), "crm_event_repeat": (1, 0)}


LEDGER = """
INSERT INTO registry.preference_ledger (cpf, seq, id, timestamp, action, scope, channel, old_value, new_value,
                                        actor_kind, azp, request_id, prev_hash, hash)
VALUES ($1, $2, gen_random_uuid(), now() - $3::text::interval, 'opt_in', 'global', 'web', false, true, 'owner', '', '',
        sha256(''), sha256(''))
"""
VERIFICATION = """
INSERT INTO registry.phone_verification (cpf, id, ddi, ddd, valor, code_hash, sent_at, expires_at)
VALUES ($1, gen_random_uuid(), '55', '21', '900000000', '', now() - $2::text::interval, now() - $2::text::interval)
"""


def test_the_ledger_stays_until_five_years_after_the_last_change(swept: Callable[..., Any], sql: Sql) -> None:
    silent, active = "90000000256", "90000000337"
    for cpf, last in ((silent, "5 years 1 day"), (active, "4 years")):
        sql(LEDGER, cpf, 1, "9 years")
        sql(LEDGER, cpf, 2, last)
    assert swept(SERVICE.retention)["preference_ledger"] == (4, 2)
    assert {row["cpf"] for row in sql("SELECT cpf FROM registry.preference_ledger")} == {active}


def test_a_number_that_was_not_proven_goes_with_its_code_and_the_rest_a_day_later(
    swept: Callable[..., Any], sql: Sql
) -> None:
    for cpf, age in ((ANA.digits, "-5 minutes"), ("90000000256", "5 minutes"), ("90000000337", "25 hours")):
        sql(VERIFICATION, cpf, age)
    assert swept(SERVICE.retention)["phone_verification"] == (3, 2)
    left = {row["cpf"]: row["valor"] for row in sql("SELECT cpf, valor FROM registry.phone_verification")}
    assert left == {ANA.digits: "900000000", "90000000256": None}
