"""`balcao access`: the operator's commands for the access catalogue (rules: access 3.4)."""

import json
from pathlib import Path

import pytest

from balcao.core.http.operations import MIB
from tests.support.fixture_types import Sql
from tests.support.terminal import Terminal


def test_the_catalogues_history_is_verified_and_a_break_is_told_by_the_exit(terminal: Terminal, sql: Sql) -> None:
    sql(
        """
        SELECT access.record_changes('[{"actor": {"sub": "s"}, "operation": "action.update", "target_type": "action",
                                        "request_id": "r"}]')"""
    )
    whole = terminal.json("access", "audit", "verify")
    assert (whole["ok"], whole["broken_at"]) == (True, None)
    assert whole["checked"] == whole["last_seq"] > 0
    sql("UPDATE access.audit_event SET target_name = 'outro' WHERE seq = $1", whole["last_seq"])
    broken = terminal.run("access", "audit", "verify")
    assert broken.returncode == 1
    assert f'"broken_at": {whole["last_seq"]}' in broken.stdout
    assert terminal.json("access", "audit", "verify", "--to", str(whole["last_seq"] - 1))["ok"]


def test_the_first_administrator_is_made_by_command(terminal: Terminal, sql: Sql) -> None:
    said = terminal.run("access", "grant-admin", "900.000.001-75")
    assert (said.returncode, "***.000.001-**" in said.stdout) == (0, True), said.stderr
    roles = """
        SELECT role.name, count(*) OVER ()
        FROM access.person JOIN access.membership ON person_id = person.id
        JOIN access.group_role USING (group_id) JOIN access.role ON role.id = role_id
        WHERE person.cpf = '90000000175'"""
    assert [tuple(row) for row in sql(roles)] == [("superadmin", 1)]
    assert terminal.run("access", "grant-admin", "90000000175").returncode == 0
    assert [tuple(row) for row in sql(roles)] == [("superadmin", 1)]
    assert "11 dígitos" in terminal.refusal("access", "grant-admin", "90000000176")
    (event,) = sql("SELECT actor FROM access.audit_event WHERE operation = 'group.add_member'")
    assert '"operator"' in event["actor"]


@pytest.mark.long
def test_a_document_is_planned_and_applied_and_stands_in_the_export(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "catalogue.json"
    action = {"name": "cli:try", "description": "De teste"}
    file.write_text(json.dumps({"format": 1, "actions": [action]}))
    planned = terminal.json("access", "plan", str(file))
    assert [item["key"] for item in planned["create"]] == ["cli:try"]
    assert "cli:try" not in terminal.run("access", "export").stdout
    assert terminal.json("access", "apply", planned["plan_id"])["applied"]
    assert action in json.loads(terminal.run("access", "export", "--format", "json").stdout)["actions"]
    role = {"name": "cli:papel", "description": "De teste", "actions": ["nobody:knows"]}
    file.write_text(json.dumps({"format": 1, "roles": [role]}))
    blocked = terminal.run("access", "plan", str(file))
    assert blocked.returncode == 1
    assert [item["code"] for item in json.loads(blocked.stdout)["blocked"]] == ["action-unknown"]
    file.write_bytes(b" " * (MIB + 1))
    assert "1 MiB" in terminal.refusal("access", "plan", str(file))
