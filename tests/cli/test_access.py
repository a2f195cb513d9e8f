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
