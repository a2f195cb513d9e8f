"""Experiments over HTTP: recorded runs, summaries, and the comparison of two experiments (rules: agents 2.4)."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from balcao.agents.experiments import store
from balcao.agents.experiments.api import RETENTION
from balcao.core.audit.retention import run_retention as apply_retention
from balcao.core.database.statements import Statement
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import Act
from tests.support.query_plans import nodes

BASE = "/agent/api/v1"
_names = (f"experimento {number}" for number in itertools.count(1))

Send = Callable[..., httpx.Response]

pytestmark = pytest.mark.usefixtures("loaded")


def staff(issuer: Issuer, role: str) -> dict[str, str]:
    return bearer(issuer.person("90000020605", name="Tereza Lins", realm_access={"roles": [role]}))


@pytest.fixture(scope="module")
def send(http: httpx.Client, issuer: Issuer) -> Send:
    editor = staff(issuer, "agentes:editor")

    def send(method: str, path: str, body: Any = None) -> httpx.Response:
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        return http.request(method, f"{BASE}/{path}", content=content, headers=editor)

    return send


@pytest.fixture(scope="module")
def dataset(send: Send) -> tuple[str, list[str]]:
    """Create a data set with five examples. Return its id and the examples' ids."""
    created = send("POST", "datasets", {"name": "Base dos experimentos"}).json()["id"]
    ids = send("POST", f"datasets/{created}/examples", [{"input": {"n": n}} for n in range(5)]).json()["ids"]
    return created, ids


def make_experiment(send: Send, dataset: tuple[str, list[str]], **members: Any) -> str:
    answer = send("POST", f"datasets/{dataset[0]}/experiments", {"name": next(_names)} | members)
    assert answer.status_code == 201, answer.text
    created: str = answer.json()["id"]
    return created


def make_run(example: str, score: float | None = None, **members: Any) -> dict[str, Any]:
    scored = [] if score is None else [{"name": "correção", "score": score}]
    return {"example_id": example, "output": {"r": score}, "annotations": scored} | members


def read_listed(send: Send, dataset: tuple[str, list[str]], experiment: str) -> dict[str, Any]:
    edges = send("GET", f"dataset_experiments_data?dataset_id={dataset[0]}").json()["data"]["dataset"]["experiments"]
    (found,) = [edge["experiment"] for edge in edges["edges"] if edge["experiment"]["id"] == experiment]
    return dict(found)


def read_runs(send: Send, experiment: str, **query: Any) -> dict[str, Any]:
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    answer = send("GET", f"experiment_runs_data?experiment_id={experiment}&{asked}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json()["data"]["experiment"])


def test_a_set_without_experiments_is_described_all_the_same(send: Send) -> None:
    created = send("POST", "datasets", {"name": "Sem experimentos", "description": "d"}).json()["id"]
    assert send("GET", f"dataset_experiments_data?dataset_id={created}").json() == {
        "data": {
            "dataset": {
                "name": "Sem experimentos",
                "description": "d",
                "exampleCount": 0,
                "experimentAnnotationSummaries": [],
                "experiments": {"edges": []},
            }
        }
    }
    assert send("GET", "dataset_experiments_data?dataset_id=unknown").headers["Error-Code"] == "dataset-not-found"
    assert send("GET", "dataset_experiments_data?dataset_id=").status_code == 422


def test_runs_are_summed_up_and_recording_again_replaces_them(send: Send, dataset: tuple[str, list[str]]) -> None:
    _, ids = dataset
    experiment = make_experiment(send, dataset, agent_type="agentic_search", version=11)
    lines = b"\n".join(
        json.dumps(run).encode()
        for run in (
            make_run(ids[0], 1, latency_ms=100),
            make_run(ids[1], 0, latency_ms=300),
            make_run(ids[2], error="x"),
        )
    )
    assert send("POST", f"experiments/{experiment}/runs", lines).json() == {"added": 3, "replaced": 0}
    found = read_listed(send, dataset, experiment)
    assert (found["agentType"], found["version"]) == ("agentic_search", 11)
    assert (found["runCount"], found["errorRate"], found["averageRunLatencyMs"]) == (3, 1 / 3, 200)
    assert found["annotationSummaries"] == [
        {"annotationName": "correção", "count": 2, "minScore": 0, "maxScore": 1, "meanScore": 0.5}
    ]
    again = [make_run(ids[2], 0.5), make_run(ids[3])]
    assert send("POST", f"experiments/{experiment}/runs", again).json() == {"added": 1, "replaced": 1}
    found = read_listed(send, dataset, experiment)
    assert (found["runCount"], found["errorRate"], found["annotationSummaries"][0]["count"]) == (4, 0, 3)
    listed = send("GET", "datasets_data").json()["data"]["datasets"]["edges"]
    (node,) = [edge["node"] for edge in listed if edge["node"]["id"] == dataset[0]]
    assert node["experimentCount"] >= 1


def test_two_experiments_are_compared_example_by_example(send: Send, dataset: tuple[str, list[str]]) -> None:
    _, ids = dataset
    own, other = make_experiment(send, dataset), make_experiment(send, dataset)
    send("POST", f"experiments/{own}/runs", [make_run(ids[0], 1), make_run(ids[1], 0.25), make_run(ids[3], 1)])
    send("POST", f"experiments/{other}/runs", [make_run(ids[0], 0.5), make_run(ids[1], 0.25), make_run(ids[4], 1)])
    whole = read_runs(send, own, compare_with=other)
    assert [edge["example"]["id"] for edge in whole["edges"]] == [ids[0], ids[1], ids[3], ids[4]]
    assert [(edge["run"] is None, edge["comparedRun"] is None) for edge in whole["edges"]] == [
        (False, False), (False, False), (False, True), (True, False),
    ]  # fmt: skip
    assert whole["scoreChanges"] == [
        {"annotationName": "correção", "higher": 1, "lower": 0, "equal": 1, "meanDifference": 0.25}
    ]
    assert whole["edges"][0]["run"] == {
        "revision": 1,
        "output": {"r": 1},
        "error": "",
        "latencyMs": None,
        "annotations": [{"name": "correção", "annotatorKind": "code", "score": 1, "label": "", "explanation": ""}],
    }
    assert [edge["example"]["id"] for edge in read_runs(send, own)["edges"]] == [ids[0], ids[1], ids[3]]
    seen: list[str] = []
    after, more = "", True
    while more:
        page = read_runs(send, own, compare_with=other, first=3, after=after)
        seen += [edge["example"]["id"] for edge in page["edges"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        assert page["scoreChanges"] == whole["scoreChanges"]
    assert seen == [ids[0], ids[1], ids[3], ids[4]]
    assert send("GET", f"experiment_runs_data?experiment_id={other}&after={after}").status_code == 422


def count_reads(sql: Any, statement: Statement[..., Any], **asked: Any) -> Counter[str]:
    """Count how many rows a statement's plan visits in each table. A scan that finds no row counts as one visit."""
    (explained,) = sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.sql}", *statement.bind([], asked))
    read: Counter[str] = Counter()
    for node in nodes(json.loads(explained[0])[0]["Plan"]):
        if "Relation Name" in node:
            read[node["Relation Name"]] += node["Actual Loops"] * max(1, node["Actual Rows"])
    return read


def test_runs_are_read_once_even_before_their_tables_are_first_analysed(send: Send, sql: Any) -> None:
    """Each row is read only once although PostgreSQL has no statistics for the new tables and expects few rows."""
    created = send("POST", "datasets", {"name": "Base que ninguém contou"}).json()["id"]
    ids = send("POST", f"datasets/{created}/examples", [{"input": {"n": n}} for n in range(300)]).json()["ids"]
    own, other = make_experiment(send, (created, ids)), make_experiment(send, (created, ids))
    for experiment in (own, other):
        assert send("POST", f"experiments/{experiment}/runs", [make_run(each, 1) for each in ids]).status_code == 200
    for compared in (None, other):
        page = {"dataset_id": created, "experiment_id": own, "other_id": compared, "after": 0, "count": 51}
        read = count_reads(sql, store.list_experiment_runs, **page)
        assert read["experiment_runs"] > 0
        assert max(read.values()) <= 3 * len(ids), read
    read = count_reads(sql, store.compare_scores, experiment_id=own, other_id=other)
    assert max(read.values()) <= 3 * len(ids), read


scores = st.dictionaries(st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0]), max_size=5)


@given(own=scores, other=scores)
@profile(max_examples=12)
def test_a_comparison_counts_each_example_that_both_have_scored(
    send: Send, dataset: tuple[str, list[str]], own: dict[int, float], other: dict[int, float]
) -> None:
    _, ids = dataset
    pair = []
    for found in (own, other):
        pair.append(make_experiment(send, dataset))
        if found:
            send("POST", f"experiments/{pair[-1]}/runs", [make_run(ids[n], score) for n, score in found.items()])
    both = sorted(own.keys() & other.keys())
    differences = [own[n] - other[n] for n in both]
    page = read_runs(send, pair[0], compare_with=pair[1])
    wanted = {
        "higher": sum(difference > 0 for difference in differences),
        "lower": sum(difference < 0 for difference in differences),
        "equal": sum(difference == 0 for difference in differences),
    }
    assert [{name: change[name] for name in wanted} for change in page["scoreChanges"]] == ([wanted] if both else [])
    assert len(page["edges"]) == len(own.keys() | other.keys())


@pytest.mark.parametrize(
    ("run", "loc"),
    [
        ({"example_id": "unknown"}, ["body", "1", "example_id"]),
        ({"output": {"t": "CPF 900.000.001-75"}}, ["body", "1", "output"]),
        ({"error": "ana@exemplo.com.br"}, ["body", "1", "error"]),
        ({"latency_ms": -1}, ["body", "1", "latency_ms"]),
        ({"annotations": [{"name": "a"}, {"name": "a"}]}, ["body", "1", "annotations"]),
        ({"annotations": [{"name": "a", "score": 1e10}]}, ["body", "1", "annotations", "0", "score"]),
        ({"annotations": [{"name": "a", "annotator_kind": "x"}]}, ["body", "1", "annotations", "0", "annotator_kind"]),
    ],
)  # fmt: skip
def test_one_bad_run_keeps_all_out(send: Send, dataset: tuple[str, list[str]], run: dict[str, Any], loc: Any) -> None:
    experiment = make_experiment(send, dataset)
    good, bad = make_run(dataset[1][0], 1), make_run(dataset[1][1]) | run
    answer = send("POST", f"experiments/{experiment}/runs", [good, bad])
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, loc)
    assert read_runs(send, experiment)["edges"] == []
    assert "900" not in answer.text


def test_an_example_is_run_once_in_a_call(send: Send, dataset: tuple[str, list[str]]) -> None:
    experiment = make_experiment(send, dataset)
    for body in ([make_run(dataset[1][0])] * 2, b"\n".join([json.dumps(make_run(dataset[1][0])).encode()] * 2)):
        assert send("POST", f"experiments/{experiment}/runs", body).status_code == 422


def test_what_an_experiment_may_not_be(send: Send, dataset: tuple[str, list[str]]) -> None:
    name = next(_names)
    make_experiment(send, dataset, name=name)
    path = f"datasets/{dataset[0]}/experiments"
    assert send("POST", path, {"name": name}).headers["Error-Code"] == "experiment-exists"
    unknown = send("POST", path, {"name": "x", "agent_type": "agentic_search", "version": 999})
    assert (unknown.status_code, unknown.json()["detail"][0]["loc"]) == (422, ["body", "version"])
    assert send("POST", path, {"name": "x", "version": 1}).json()["detail"][0]["loc"] == ["body", "version"]
    assert send("POST", "datasets/unknown/experiments", {"name": "x"}).headers["Error-Code"] == "dataset-not-found"


def test_experiments_of_two_sets_are_not_compared(send: Send, dataset: tuple[str, list[str]]) -> None:
    other = send("POST", "datasets", {"name": "Outra base"}).json()["id"]
    pair = make_experiment(send, dataset), make_experiment(send, (other, []))
    answer = send("GET", f"experiment_runs_data?experiment_id={pair[0]}&compare_with={pair[1]}")
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["query", "compare_with"])
    unknown = send("GET", f"experiment_runs_data?experiment_id={pair[0]}&compare_with=unknown")
    assert unknown.headers["Error-Code"] == "experiment-not-found"


def test_a_deleted_experiment_is_gone(send: Send, sql: Any, dataset: tuple[str, list[str]]) -> None:
    experiment = make_experiment(send, dataset)
    send("POST", f"experiments/{experiment}/runs", [make_run(dataset[1][0], 1)])
    deleted = send("DELETE", f"experiments/{experiment}")
    assert (deleted.status_code, deleted.json()["success"]) == (200, True)
    for method, path in (
        ("DELETE", f"experiments/{experiment}"),
        ("GET", f"experiment_runs_data?experiment_id={experiment}"),
    ):
        assert send(method, path).headers["Error-Code"] == "experiment-not-found"
    gone = send("POST", f"experiments/{experiment}/runs", [make_run(dataset[1][0])])
    assert gone.headers["Error-Code"] == "experiment-not-found"
    assert sql("SELECT 1 FROM agents.experiment_scores WHERE experiment_id = $1", experiment) == []


def test_runs_go_ninety_days_after_their_example_and_experiments_after_their_set(
    send: Send, sql: Any, act: Act
) -> None:
    sets = [
        send("POST", "datasets", {"name": next(_names), "examples": [{"input": {}}]}).json()["id"] for _ in range(2)
    ]
    made = []
    for one in sets:
        (edge,) = send("GET", f"dataset_examples_data?dataset_id={one}").json()["data"]["dataset"]["examples"]["edges"]
        made.append((make_experiment(send, (one, [])), edge["example"]["id"]))
        send("POST", f"experiments/{made[-1][0]}/runs", [make_run(edge["example"]["id"], 1)])
    send("DELETE", f"datasets/{sets[0]}/examples/{made[0][1]}")
    send("DELETE", f"datasets/{sets[1]}")
    gone = send("GET", f"experiment_runs_data?experiment_id={made[1][0]}")
    assert (gone.status_code, gone.headers["Error-Code"]) == (404, "experiment-not-found")
    assert read_runs(send, made[0][0])["edges"] == []
    aged = "now() - interval '91 days'"
    sql(f"UPDATE agents.dataset_examples SET deleted_at = {aged} WHERE id = $1", made[0][1])
    sql(f"UPDATE agents.datasets SET deleted_at = {aged} WHERE id = $1", sets[1])
    (report,) = act(apply_retention, RETENTION)
    assert (report.kind, report.removed) == ("experiment_run", 2)
    left = sql("SELECT id FROM agents.experiments WHERE id = ANY($1)", [experiment for experiment, _ in made])
    assert left == [(made[0][0],)]


def test_only_who_manages_data_sets_records_and_the_agents_read(
    http: httpx.Client, issuer: Issuer, send: Send, dataset: tuple[str, list[str]]
) -> None:
    experiment = make_experiment(send, dataset)
    runtime, reader = bearer(issuer.machine("agentes-runtime")), staff(issuer, "agentes:leitor")
    citizen = bearer(issuer.person("90000000175"))
    writes = [("POST", f"datasets/{dataset[0]}/experiments"), ("POST", f"experiments/{experiment}/runs")]
    for method, path in [*writes, ("DELETE", f"experiments/{experiment}")]:
        for headers, status in ((runtime, 403), (reader, 403), (citizen, 403), ({}, 401)):
            assert http.request(method, f"{BASE}/{path}", headers=headers).status_code == status
    for path in (
        f"dataset_experiments_data?dataset_id={dataset[0]}",
        f"experiment_runs_data?experiment_id={experiment}",
    ):
        for headers, status in ((runtime, 200), (reader, 200), (citizen, 403), ({}, 401)):
            assert http.get(f"{BASE}/{path}", headers=headers).status_code == status
