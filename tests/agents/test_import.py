"""The import of agents, data sets and examples from a previous system, as the command runs it (rules: agents 3.3)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from balcao.agents import SERVICE
from balcao.agents.datasets.imports import BATCH
from balcao.agents.queries import LAST_VERSION
from balcao.agents.versions import service as versions
from balcao.agents.versions.schemas import SaveBody
from balcao.core.imports.declaration import Committed
from balcao.settings import Settings
from tests.registry.import_runs import Load, counts, importing, refusals, written
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import Act

SAMPLES = Path(__file__).parents[2] / "docs/operate/samples/agents"
FILES = {"versions.jsonl": 3, "datasets.jsonl": 2, "examples.jsonl": 3}
TABLES = (
    "agents agent_versions agent_version_hidden agent_activations datasets dataset_examples dataset_example_revisions"
).split()
AT = "2026-03-02T09:00:00-03:00"
BASE = "/agent/api/v1"


@pytest.fixture(scope="module")
def load(settings: Settings, database_url: str) -> Iterator[Load]:
    with importing(settings, database_url, SERVICE) as running:
        yield running


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "refused.jsonl"


@pytest.fixture
def get(http: httpx.Client, issuer: Issuer) -> Any:
    runtime = bearer(issuer.machine("agentes-runtime"))
    return lambda path: http.get(f"{BASE}/{path}", headers=runtime).json()


def read_all(sql: Sql) -> list[list[Any]]:
    """Return every row, with the id of the transaction that wrote it."""
    return [sql(f"SELECT *, xmin::text FROM agents.{table} ORDER BY 1, 2") for table in TABLES]


def make_version(agent: str, version: int, **members: Any) -> dict[str, Any]:
    return {"agent_type": agent, "version": version, "created_at": AT, "prompt": f"texto {version}"} | members


def test_the_samples_are_imported_and_again_touch_no_row(load: Load, sql: Sql, report: Path) -> None:
    for name, lines in FILES.items():
        assert counts(load(SAMPLES / name, name.partition(".")[0], report=report)) == (lines, lines, 0, 0), name
    before = read_all(sql)
    for name, lines in FILES.items():
        assert counts(load(SAMPLES / name, name.partition(".")[0])) == (lines, 0, lines, 0), name
    assert read_all(sql) == before


def test_an_imported_history_is_read_as_one_of_our_own(load: Load, get: Any) -> None:
    load(SAMPLES / "versions.jsonl", "versions")
    items = get("unified-history?agent_type=atendimento")["items"]
    assert [(item["version_number"], item["change_type"], item["is_active"]) for item in items] == [
        (4, "both", True),
        (1, "both", False),
    ]
    assert (items[0]["author"], items[0]["created_at"]) == ("Equipe de atendimento", "2026-05-04T13:00:00.000000+00:00")
    known = get("agent-config/by-id/5b0c1f6e-2f0e-4a51-9f0a-3d7c2b1a9e01")
    assert (known["version"], known["model_name"]) == (1, "modelo-1")
    assert get("unified-history/version/2?agent_type=atendimento")["change_type"] == "prompt"


def test_numbers_go_on_after_the_imported_ones_and_staff_keep_the_pointer(
    load: Load, tmp_path: Path, act: Act, get: Any, report: Path
) -> None:
    lines = [make_version("ponteiro", 1), make_version("ponteiro", 7, active=True)]
    assert counts(load(written(tmp_path / "a", lines), "versions")) == (2, 2, 0, 0)
    later = [*lines[:1], make_version("ponteiro", 8, active=True)]
    assert counts(load(written(tmp_path / "b", later), "versions"))[1] == 1
    assert get("agent-config?agent_type=ponteiro")["version"] == 8
    saved = act(versions.save_version, SaveBody(agent_type="ponteiro", prompt_content="de hoje"))
    assert saved.version.version == 9
    again = [*lines, make_version("ponteiro", 8, hidden=True), make_version("ponteiro", 9)]
    assert counts(load(written(tmp_path / "c", again), "versions", report=report)) == (4, 1, 2, 1)
    assert refusals(report) == {4: "O campo `version`: esta versão já está gravada, com outro conteúdo."}
    assert get("agent-config?agent_type=ponteiro")["version"] == 9
    assert [item["version_number"] for item in get("unified-history?agent_type=ponteiro")["items"]] == [9, 7, 1]


BAD_VERSIONS = {
    "agent_type": make_version("com espaço", 1),
    "version": make_version("a", 0),
    "created_at": make_version("a", 1, created_at="2026-03-02"),
    "instante passado": make_version("a", 1, created_at="2999-01-01T00:00:00Z"),
    "memory_blocks.0.value": make_version("a", 1, memory_blocks=[{"label": "x"}]),
    "tools": make_version("a", 1, tools=["x", "x"]),
    "dados pessoais": make_version("a", 1, reason="pedido de 900.000.001-75"),
    "nulo": make_version("a", 1, prompt="\0"),
    "ambos": make_version("a", 1, active=True, hidden=True),
    "config_id": make_version("a", 1, config_id="7"),
    "`version`": make_version("a", LAST_VERSION),
}


def test_a_version_that_cannot_be_is_reported_by_its_member(load: Load, tmp_path: Path, report: Path, sql: Sql) -> None:
    file = written(tmp_path / "a", [*BAD_VERSIONS.values(), make_version("boa", 1)])
    assert counts(load(file, "versions", report=report)) == (len(BAD_VERSIONS) + 1, 1, 0, len(BAD_VERSIONS))
    told = refusals(report)
    for line, word in enumerate(BAD_VERSIONS, 1):
        assert word in told[line], told[line]
    assert sql("SELECT agent_type FROM agents.agents WHERE agent_type IN ('a', 'boa')") == [("boa",)]


def test_examples_follow_the_file_and_what_staff_deleted_stays_deleted(
    load: Load, tmp_path: Path, sql: Sql, get: Any
) -> None:
    load(written(tmp_path / "s", [{"id": "segue", "name": "Segue"}]), "datasets")
    lines = [{"dataset_id": "segue", "id": f"segue-{n}", "input": {"n": n}} for n in range(4)]
    same = {"dataset_id": "segue", "id": "segue-9", "input": {"n": 0}}
    assert counts(load(written(tmp_path / "a", [*lines, same]), "examples")) == (5, 4, 1, 0)
    sql("UPDATE agents.dataset_examples SET deleted_at = now() WHERE id = 'segue-1'")
    changed = [lines[0] | {"output": {"r": 1}}, lines[1] | {"output": {"r": 1}}, *lines[2:]]
    assert counts(load(written(tmp_path / "b", changed), "examples")) == (4, 1, 3, 0)
    found = get("dataset_examples_data?dataset_id=segue")["data"]["dataset"]["examples"]["edges"]
    assert [(edge["example"]["id"], edge["example"]["latestRevision"]["output"]) for edge in found] == [
        ("segue-0", {"r": 1}),
        ("segue-2", {}),
        ("segue-3", {}),
    ]


def test_a_bad_example_or_set_is_reported_and_the_others_are_imported(
    load: Load, tmp_path: Path, report: Path, sql: Sql
) -> None:
    sets = [
        {"id": "um", "name": "Um"},
        {"id": "dois", "name": "Um"},
        {"id": "*", "name": "X"},
        {"id": "x", "name": " "},
    ]
    assert counts(load(written(tmp_path / "s", sets), "datasets", report=report))[1:] == (1, 0, 3)
    assert "banco" in refusals(report)[2]
    load(written(tmp_path / "t", [{"id": "outro", "name": "Outro"}]), "datasets")
    load(written(tmp_path / "o", [{"dataset_id": "outro", "id": "outro-1", "input": {}}]), "examples")
    lines = [
        {"dataset_id": "nenhum", "id": "n-1", "input": {}},
        {"dataset_id": "um", "id": "outro-1", "input": {}},
        {"dataset_id": "um", "id": "um-1", "input": {"t": "CPF 900.000.001-75"}},
        {"dataset_id": "um", "id": "um-2", "input": {"n": 1}},
    ]
    assert counts(load(written(tmp_path / "a", lines), "examples", report=report)) == (4, 1, 0, 3)
    told = refusals(report)
    assert ["dataset_id" in told[1], "`id`" in told[2], "`input`" in told[3]] == [True] * 3
    assert "900" not in json.dumps(told)


class Killed(BaseException):
    """An exception that stops the import where a kill would stop the process."""


def test_a_killed_import_goes_on_after_its_last_committed_batch(load: Load, tmp_path: Path, sql: Sql) -> None:
    load(written(tmp_path / "s", [{"id": "morto", "name": "Morto"}]), "datasets")
    lines = [{"dataset_id": "morto", "id": f"morto-{n}", "input": {"n": n}} for n in range(2 * BATCH)]
    file = written(tmp_path / "a.gz", lines)

    def end_after_first(_: int, done: Committed) -> None:
        raise Killed

    with pytest.raises(Killed):
        load(file, "examples", progress=end_after_first)
    outcome = load(file, "examples")
    assert (outcome.resumed_after, counts(outcome)) == (BATCH, (2 * BATCH, 2 * BATCH, 0, 0))
    assert sql("SELECT example_count FROM agents.datasets WHERE id = 'morto'") == [(2 * BATCH,)]


def test_a_dry_run_counts_and_keeps_nothing(load: Load, tmp_path: Path, sql: Sql) -> None:
    before = read_all(sql)
    file = written(tmp_path / "v", [make_version("seca", 1, active=True)])
    assert counts(load(file, "versions", dry_run=True)) == (1, 1, 0, 0)
    file = written(tmp_path / "s", [{"id": "seco", "name": "Seco"}])
    assert counts(load(file, "datasets", dry_run=True)) == (1, 1, 0, 0)
    assert read_all(sql) == before
