"""`balcao access`: what the operator asks of the access catalogue (rules: access 3.4)."""

from tests.support.fixtures import Sql
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
