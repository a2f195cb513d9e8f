"""`balcao citizen`, `audit` and `retention` run the same use cases as the API, and record the same audit events."""

from collections.abc import Callable
from typing import Any

import asyncpg
import pytest

from balcao.core.audit import chain as audit_chain
from balcao.settings import Settings
from tests.support.demo_people import ANA
from tests.support.operator_calls import acting
from tests.support.terminal import Terminal

Sql = Callable[..., list[asyncpg.Record]]
REASON = ("--reason", "Pedido no balcão")


@pytest.fixture(autouse=True)
def ana(sql: Sql) -> None:
    sql(
        "INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, '{\"nome\": \"Ana\"}', 'teste') "
        "ON CONFLICT DO NOTHING",
        ANA,
    )
    sql("INSERT INTO registry.mirror_head (cpf) VALUES ($1) ON CONFLICT DO NOTHING", ANA)
    sql("INSERT INTO registry.register VALUES ($1, 'genero', '\"x\"', now(), 'crm') ON CONFLICT DO NOTHING", ANA)
    sql("DELETE FROM platform.audit_event")


def trail(sql: Sql) -> list[tuple[Any, ...]]:
    return [
        tuple(row) for row in sql("SELECT operation, action, actor_kind, reason FROM platform.audit_event ORDER BY at")
    ]


def test_the_operator_exports_looks_and_anonymises_in_json(terminal: Terminal, sql: Sql) -> None:
    assert terminal.json("citizen", "export", "900.000.001-75")["registro_base"]["nome"] == "Ana"
    said = terminal.json("citizen", "anonymise", ANA, "--dry-run", *REASON)
    assert (said["dry_run"], said["cleared"][0]["count"]) == (True, 1)
    done = terminal.json("citizen", "anonymise", ANA, "--confirmation", said["confirmation"], *REASON)
    assert done["dry_run"] is False
    accesses = terminal.json("citizen", "access", ANA, "--from", "2026-01-01")
    assert [entry["action"] for entry in accesses["data"]] == ["read", "anonymise", "read", "export"]
    assert {entry["actor"] for entry in accesses["data"]} == {"balcao-platform"}
    assert trail(sql) == [
        ("registry.export_data", "export", "operator", None),
        ("registry.anonymise_citizen", "read", "operator", REASON[1]),
        ("registry.anonymise_citizen", "anonymise", "operator", REASON[1]),
        ("registry.list_accesses", "read", "operator", None),
    ]


def test_what_the_operator_may_not_do_is_told_in_a_sentence(terminal: Terminal, sql: Sql) -> None:
    assert "--dry-run" in terminal.refusal("citizen", "anonymise", ANA, *REASON)
    assert "simule de novo" in terminal.refusal("citizen", "anonymise", ANA, "--confirmation", "x", *REASON)
    assert "11 dígitos" in terminal.refusal("citizen", "export", "90000000176")
    assert "Não há cadastro" in terminal.refusal("citizen", "export", "90000001147")


@pytest.mark.long
def test_the_trail_is_verified_and_a_break_is_told_by_the_exit(
    terminal: Terminal, sql: Sql, chained: Callable[[], None]
) -> None:
    terminal.json("citizen", "export", ANA)
    assert terminal.json("audit", "verify")["waiting"] == 1
    chained()
    found = terminal.json("audit", "verify")
    assert (found["ok"], found["waiting"], found["broken"]) == (True, 0, None)
    known = f"{found['last']}:{found['hash']}"
    assert terminal.json("audit", "verify", "--known", known)["ok"]
    assert "--known" in terminal.refusal("audit", "verify", "--known", "x")
    sql("UPDATE platform.audit_event SET client = 'outro'")
    broken = terminal.run("audit", "verify")
    assert (broken.returncode, '"changed"' in broken.stdout) == (1, True)


@pytest.fixture
def chained(settings: Settings, database_url: str) -> Callable[[], None]:
    """Return a function that chains the audit events, as the worker does."""

    def run() -> None:
        with acting(settings, database_url, "test.chain") as act:
            act(lambda call: audit_chain.chain_events(call.platform))

    return run


def test_retention_is_applied_and_reported_kind_by_kind(terminal: Terminal) -> None:
    applied = terminal.json("retention", "run")
    kinds = {report["kind"] for report in applied}
    assert {"audit_event", "dead_letter", "idempotent_answer", "crm_event", "crm_event_payload"} <= kinds
    assert len({report["run"] for report in applied}) == 1
    listed = terminal.json("retention", "report", "--limit", str(len(applied)))
    assert sorted(map(str, listed)) == sorted(map(str, applied))


def test_what_recurs_is_listed_with_its_clock(terminal: Terminal) -> None:
    found = {one["kind"]: one["cron"] for one in terminal.json("jobs", "recurring", "--json")}
    assert found == {
        "crm_requests": "* * * * *",
        "employability.refresh_bank_names": "10 7 * * *",
        "employability.refresh_departments": "40 6 * * *",
        "employability.refresh_people": "25 5 * * *",
        "platform.apply_retention": "15 6 * * *",
        "health_units.add_holidays": "10 6 2 1 *",
        "health_units.read_sources": "* * * * *",
        "platform.chain_audit": "* * * * *",
        "registry.delete_files": "* * * * *",
        "registry.hash_staff": "* * * * *",
        "registry.sweep_files": "45 5 * * *",
        "search.rank_services": "20 5 * * *",
        "search.tidy_up": "* * * * *",
    }


def test_what_recurs_is_shown_as_a_table_too(terminal: Terminal) -> None:
    said = terminal.run("jobs", "recurring").stdout
    assert "platform.apply_retention" in said
    assert "15 6 * * *" in said
