"""The metrics of the queue, the CRM and the database, and the documentation page that explains every metric."""

import re
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from balcao import app
from balcao.core.database import pool
from balcao.core.jobs.pulse import Pulse
from balcao.core.telemetry import telemetry
from balcao.settings import Settings
from tests.core.relay import Relay
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer

PAGE = Path(__file__).parents[2] / "docs" / "operate" / "metrics.md"
# This time replaces the platform's time limit for the database, to make the test fast.
MOMENT = 0.3
JOB = """INSERT INTO queue.pgqueuer (priority, entrypoint, execute_after, status)
         VALUES (0, 'crm_push', now() + make_interval(secs => $1), $2::queue.pgqueuer_status)"""

UNIT = "INSERT INTO health_units.units (cnes, nome, tipo, atualizado_em) VALUES ($1, 'Unidade', 'CF', now())"
NOTIFICATION = """INSERT INTO health_units.notifications
    (id, cnes, risco, status, aberta_em, ultima_atualizacao, encerrada_em, causa, risco_maximo, versao)
    SELECT gen_random_uuid(), $1, 'Amarelo', $3, at, at, CASE $3 WHEN 'Encerrado' THEN at END,
           CASE $3 WHEN 'Encerrado' THEN 'outro' END, 'Amarelo', 1
    FROM (SELECT now() - make_interval(hours => $2) AS at) AS touched"""


def read(http: httpx.Client) -> Mapping[str, dict[tuple[str, ...], float]]:
    """Return the metrics by the family's name and the label values."""
    text = http.get("/metrics").raise_for_status().text
    return {
        family.name: {tuple(sample.labels.values()): sample.value for sample in family.samples}
        for family in text_string_to_metric_families(text)
    }


def test_the_queue_shows_what_waits_for_how_long_and_what_failed(http: httpx.Client, sql: Sql) -> None:
    for due_in, status in ((-90.0, "queued"), (-30.0, "queued"), (3600.0, "queued"), (0.0, "picked"), (0.0, "failed")):
        sql(JOB, due_in, status)
    found = read(http)
    of_push = {labels: count for labels, count in found["balcao_jobs"].items() if labels[0] == "crm_push"}
    assert of_push == {("crm_push", "queued"): 3, ("crm_push", "running"): 1, ("crm_push", "dead"): 1}
    assert found["balcao_jobs_oldest_due_seconds"]["crm_push",] >= 90
    sql("DELETE FROM queue.pgqueuer WHERE entrypoint = 'crm_push'")
    assert ("crm_push",) not in read(http)["balcao_jobs_oldest_due_seconds"]


def test_the_distance_to_the_crm_is_that_of_the_oldest_event_and_of_the_oldest_change(
    http: httpx.Client, sql: Sql
) -> None:
    assert read(http)["balcao_crm_oldest_seconds"] == {("event",): 0, ("push",): 0, ("request",): 0}
    sql("INSERT INTO registry.mirror_head (cpf) VALUES ('90000000175')")
    sql(
        "INSERT INTO registry.outbox (cpf, id, dirty, version, first_change_at, job, request_id) "
        "VALUES ('90000000175', gen_random_uuid(), '{}', 1, now() - interval '1 hour', 1, 'r')"
    )
    found = read(http)["balcao_crm_oldest_seconds"]
    assert found["push",] >= 3600
    assert found["event",] == 0
    # Once the push job has failed permanently, it counts as dead-lettered and no longer as delayed.
    sql("INSERT INTO queue.pgqueuer (id, priority, entrypoint, status) VALUES (1, 0, 'crm_push', 'failed')")
    assert read(http)["balcao_crm_oldest_seconds"]["push",] == 0
    sql("UPDATE queue.pgqueuer SET status = 'queued' WHERE id = 1")
    assert read(http)["balcao_crm_oldest_seconds"]["push",] >= 3600
    sql("INSERT INTO queue.pgqueuer (priority, entrypoint, status, created) "
        "VALUES (0, 'crm_request', 'queued', now() - interval '2 hours')")  # fmt: skip
    assert read(http)["balcao_crm_oldest_seconds"]["request",] >= 7200
    sql("UPDATE queue.pgqueuer SET status = 'failed' WHERE entrypoint = 'crm_request'")
    assert read(http)["balcao_crm_oldest_seconds"]["request",] == 0


def test_active_notifications_that_nobody_touched_for_a_day_are_counted(http: httpx.Client, sql: Sql) -> None:
    assert read(http)["balcao_risk_outdated_notifications"] == {(): 0}
    for cnes, hours, status in (("9900001", 25, "Ativo"), ("9900002", 23, "Ativo"), ("9900003", 25, "Encerrado")):
        sql(UNIT, cnes)
        sql(NOTIFICATION, cnes, hours, status)
    assert read(http)["balcao_risk_outdated_notifications"] == {(): 1}


def test_a_schema_migration_that_runs_shows_how_far_it_has_come(http: httpx.Client, sql: Sql) -> None:
    assert read(http)["balcao_search_migration_progress"] == {}
    sql(
        "INSERT INTO search.search_migrations (id, kind, status, phase, schema_version, previous_schema_version, "
        "source_collection, target_collection, started_by, total_documents, progress) "
        "VALUES (gen_random_uuid(), 'migration', 'in_progress', 'back_fill', 'v2', 'v1', 'one', 'two', 'x', 9, 42)"
    )
    assert read(http)["balcao_search_migration_progress"] == {("back_fill",): 42}
    sql("DELETE FROM search.search_migrations WHERE status = 'in_progress'")


@pytest.mark.long
def test_without_the_database_the_rest_is_there_and_says_so(
    settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        Relay(database_url) as relay,
        RunningServer(app.build_application(settings, relay.url)) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as http,
    ):
        assert read(http)["balcao_database_up"] == {(): 1}
        monkeypatch.setattr(pool, "SERVING_SECONDS", MOMENT)
        relay.stop()
        found = read(http)
        relay.resume()
    assert found["balcao_database_up"] == {(): 0}
    assert "balcao_jobs" not in found
    assert found["balcao_requests"]


def test_the_page_explains_every_metric_and_no_other(http: httpx.Client) -> None:
    # Only workers, processes with replicas, and processes with a public TLS address have these metrics.
    further = ("balcao_replica_lag_seconds", "balcao_certificate_end_timestamp_seconds")
    with Pulse().publish(), telemetry.state(further[0], lambda: 1.0), telemetry.state(further[1], lambda: 1.0):
        text = http.get("/metrics").text
    shown = {
        name + ("_total" if kind == "counter" else "")
        for name, kind in re.findall(r"^# TYPE (\S+?)(?:_total)? (\w+)$", text, re.MULTILINE)
        if not name.endswith("_created")
    }
    cells = re.findall(r"^\| (`[^|]*`) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == shown
