"""`balcao search migration` on a database without a worker (rules: search 2.5, 4.5)."""

import pytest

from tests.support.terminal import Terminal

pytestmark = pytest.mark.long


def test_a_migration_from_its_rehearsal_to_its_rollback(terminal: Terminal) -> None:
    assert terminal.json("search", "migration", "status", "--json")["status"] == "idle"
    assert "nenhuma migração até hoje" in terminal.run("search", "migration", "status").stdout
    assert terminal.json("search", "migration", "schemas", "--json") == {
        "current_version": "v3",
        "available_versions": ["v1", "v2", "v3"],
    }
    rehearsed = terminal.json("search", "migration", "start", "v2", "--dry-run", "--json")
    assert (rehearsed["status"], rehearsed["dry_run"]["failed"]) == ("idle", 0)
    rehearsed = terminal.run("search", "migration", "start", "v2", "--dry-run").stdout
    assert "Esquema v2: ensaio, que não muda nada, 100 %" in rehearsed
    assert "Ensaio: 0 experimentados" in rehearsed
    assert "v1, v2, v3" in terminal.refusal("search", "migration", "start", "v9")

    done = terminal.json("search", "migration", "start", "v2", "--reason", "Menos campos", "--json")
    assert (done["status"], done["progress"], done["started_by"]) == ("completed", 100, "operação")
    assert "concluída, 100 %" in terminal.run("search", "migration", "status").stdout
    assert terminal.json("search", "migration", "rollback", "--json")["status"] == "rollback"
    assert "Não há migração a desfazer" in terminal.refusal("search", "migration", "rollback")

    assert terminal.json("search", "migration", "start", "v1", "--no-wait", "--json")["status"] == "in_progress"
    assert "em andamento" in terminal.refusal("search", "migration", "start", "v1")
    aborted = terminal.run("search", "migration", "abort", "--reason", "Fica para depois")
    assert (aborted.returncode, "Abortada por operação: Fica para depois" in aborted.stdout) == (0, True)
    assert "Não há migração em andamento" in terminal.refusal("search", "migration", "abort")

    history = terminal.json("search", "migration", "history", "--json")["migrations"]
    assert [run["status"] for run in history] == ["failed", "rollback", "completed"]
    listed = terminal.run("search", "migration", "history", "--per-page", "1").stdout
    assert "falhou" in listed
    assert "reversão" not in listed
