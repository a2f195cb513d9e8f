"""Data sets over HTTP: creation, import of examples, changes and deletion (rules: agents 2.3, 5)."""

import csv
import io
import itertools
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from balcao.agents.datasets.retention import RETENTION
from balcao.core.audit.retention import run_retention as apply_retention
from balcao_sandbox.demo import agents as demo
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import Act

BASE = "/agent/api/v1"
CPF = "900.000.001-75"
_names = (f"HTTP {number}" for number in itertools.count(1))

Send = Callable[..., httpx.Response]

pytestmark = pytest.mark.usefixtures("loaded")


def staff(issuer: Issuer, role: str) -> dict[str, str]:
    return bearer(issuer.person("90000020605", name="Tereza Lins", realm_access={"roles": [role]}))


@pytest.fixture
def send(http: httpx.Client, issuer: Issuer) -> Send:
    """Return a function that calls as an editor, unless the test gives other headers."""
    editor = staff(issuer, "agentes:editor")

    def send(method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> httpx.Response:
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        return http.request(method, f"{BASE}/{path}", content=content, headers=editor | (headers or {}))

    return send


@pytest.fixture
def dataset(send: Send) -> str:
    created: str = send("POST", "datasets", {"name": next(_names)}).json()["id"]
    return created


def read_edges(send: Send, dataset: str) -> list[Any]:
    answer = send("GET", f"dataset_examples_data?dataset_id={dataset}")
    assert answer.status_code == 200
    edges: list[Any] = answer.json()["data"]["dataset"]["examples"]["edges"]
    return edges


def test_a_data_set_begins_with_the_examples_it_brings_and_is_listed_first(send: Send) -> None:
    body: dict[str, Any] = {
        "name": f" {next(_names)} ",
        "description": "d",
        "metadata": {"a": 1},
        "examples": [{"input": {"p": 1}}],
    }
    answer = send("POST", "datasets", body)
    created = answer.json()
    assert (answer.status_code, created) == (
        201,
        {
            "id": created["id"],
            "name": body["name"].strip(),
            "description": "d",
            "metadata": {"a": 1},
            "createdAt": created["createdAt"],
            "exampleCount": 1,
            "experimentCount": 0,
        },
    )
    newest, *_ = send("GET", "datasets_data").json()["data"]["datasets"]["edges"]
    assert newest["node"] == created
    (edge,) = read_edges(send, created["id"])
    assert edge["example"]["latestRevision"] == {"input": {"p": 1}, "output": {}, "metadata": {}}


def test_data_sets_are_paged_without_overlap(send: Send) -> None:
    for _ in range(3):
        send("POST", "datasets", {"name": next(_names)})
    seen: list[str] = []
    page = {"hasNextPage": True, "endCursor": ""}
    while page["hasNextPage"]:
        answer = send("GET", f"datasets_data?first=2&after={page['endCursor']}").json()["data"]["datasets"]
        seen += [edge["node"]["id"] for edge in answer["edges"]]
        page = answer["pageInfo"]
        assert page["endCursor"] == answer["edges"][-1]["cursor"]
    assert len(seen) == len(set(seen))
    assert {demo.make_dataset_id(name) for name in demo.DATASETS} <= set(seen)


@pytest.mark.parametrize(
    "query", ["first=0", "first=101", "first=x", "after=AAAA", "after=%C3%A1", "after=" + "A" * 60]
)
def test_a_page_that_cannot_be_is_a_listed_fault(send: Send, query: str) -> None:
    answer = send("GET", f"datasets_data?{query}")
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["query", query.partition("=")[0]])


def test_examples_come_as_an_array_or_as_lines(send: Send, dataset: str) -> None:
    answer = send(
        "POST", f"datasets/{dataset}/examples", [{"input": {"p": 1}}, {"input": {"p": 2}, "id": f"{dataset}-x"}]
    )
    assert (answer.status_code, answer.json()["added"], answer.json()["unchanged"]) == (201, 2, 0)
    lines = b'\xef\xbb\xbf\n{"input": {"p": 2}}\r\n\n  {"input": {"p": 3}}'
    again = send("POST", f"datasets/{dataset}/examples", lines).json()
    assert (again["added"], again["unchanged"], again["ids"][0]) == (1, 1, f"{dataset}-x")
    assert [edge["example"]["latestRevision"]["input"]["p"] for edge in read_edges(send, dataset)] == [1, 2, 3]


@pytest.mark.cases("agents", "41")
@pytest.mark.parametrize(
    ("body", "loc", "message"),
    [
        (b"", ["body"], "envie de 1 a 1000 itens"),
        (b"[]", ["body"], "pelo menos 1"),
        (b"[{]", ["body"], "JSON"),
        (b"\n".join([b'{"input": {}}'] * 1001), ["body"], "envie de 1 a 1000"),
        (b'{"input": {"p": 1}}\n\n{"input": ', ["body", "1"], "linha 3: não é JSON"),
        (b'{"input": {"p": 1}}\n[]', ["body", "1"], "linha 2: deve ser um objeto"),
        (b'{"input": {"p": 1}}\n{"output": {}}', ["body", "1", "input"], "linha 2: campo obrig"),
        (b'[{"input": {}}, 7]', ["body", "1"], "deve ser um objeto"),
        (b'{"input": {"a": ' + b"[" * 20 + b"]" * 20 + b"}}", ["body", "0", "input"], "10 n"),
        (b'{"input": {"a": [' + b"1," * 60_000 + b"1]}}", ["body"], "50000 valores"),
    ],
)  # fmt: skip
def test_one_bad_example_keeps_all_out(send: Send, dataset: str, body: bytes, loc: list[str], message: str) -> None:
    answer = send("POST", f"datasets/{dataset}/examples", body)
    assert answer.status_code == 422
    (fault,) = answer.json()["detail"]
    assert fault["loc"] == loc
    assert message in fault["msg"]
    assert read_edges(send, dataset) == []


@pytest.mark.cases("agents", "40")
def test_personal_data_are_refused_by_the_name_of_the_member(send: Send, dataset: str) -> None:
    bad = {"input": {"a": f"meu CPF: {CPF}"}}
    name = next(_names)
    for path, body, loc in (
        (f"datasets/{dataset}/examples", [{"input": {}}, bad], ["body", "1", "input"]),
        ("datasets", {"name": name, "examples": [bad]}, ["body", "examples", "0", "input"]),
        ("datasets", {"name": CPF}, ["body", "name"]),
    ):
        answer = send("POST", path, body)
        assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, loc)
        assert CPF not in answer.text
    assert read_edges(send, dataset) == []
    assert send("POST", "datasets", {"name": name}).status_code == 201


def test_a_set_whose_examples_are_refused_is_not_created(send: Send) -> None:
    name = next(_names)
    taken = [{"input": {"p": 1}, "id": "twice"}, {"input": {"p": 2}, "id": "twice"}]
    answer = send("POST", "datasets", {"name": name, "examples": taken})
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["body", "examples", "1", "id"])
    assert send("POST", "datasets", {"name": name}).status_code == 201
    again = send("POST", "datasets", {"name": name})
    assert (again.status_code, again.headers["Error-Code"]) == (409, "dataset-exists")


def test_a_change_is_a_revision_in_the_same_place(send: Send, sql: Any, dataset: str) -> None:
    first, second = send("POST", f"datasets/{dataset}/examples", [{"input": {"p": 1}}, {"input": {"p": 2}}]).json()[
        "ids"
    ]
    changed = send("PUT", f"datasets/{dataset}/examples/{first}", {"input": {"p": 9}, "output": {"r": 1}})
    content = {"input": {"p": 9}, "output": {"r": 1}, "metadata": {}}
    assert (changed.status_code, changed.json()) == (200, {"id": first, "revision": 2, "latestRevision": content})
    same = send("PUT", f"datasets/{dataset}/examples/{first}", {"output": {"r": 1}, "input": {"p": 9}})
    assert same.json()["revision"] == 2
    edges = read_edges(send, dataset)
    assert [edge["example"]["id"] for edge in edges] == [first, second]
    assert edges[0]["example"]["latestRevision"] == content
    kept = sql("SELECT input FROM agents.dataset_example_revisions WHERE example_id = $1 ORDER BY revision", first)
    assert [json.loads(row["input"]) for row in kept] == [{"p": 1}, {"p": 9}]
    other = send("PUT", f"datasets/{dataset}/examples/{first}", {"input": {"p": 2}})
    assert (other.status_code, other.json()["detail"][0]["loc"]) == (422, ["body"])
    refused = send("PUT", f"datasets/{dataset}/examples/{first}", {"input": {"p": CPF}})
    assert refused.json()["detail"][0]["loc"] == ["body", "input"]
    assert (
        send("PUT", f"datasets/{dataset}/examples/unknown", {"input": {}}).headers["Error-Code"] == "example-not-found"
    )
    assert send("PUT", f"datasets/unknown/examples/{first}", {"input": {}}).headers["Error-Code"] == "dataset-not-found"


def test_a_deleted_set_is_gone_with_its_examples_and_its_name_is_free(send: Send, sql: Any) -> None:
    name = next(_names)
    example = {"input": {"p": 1}, "id": f"{name}-1".replace(" ", "-")}
    dataset = send("POST", "datasets", {"name": name, "examples": [example]}).json()["id"]
    deleted = send("DELETE", f"datasets/{dataset}")
    assert (deleted.status_code, deleted.json()["success"]) == (200, True)
    listed = send("GET", "datasets_data").json()["data"]["datasets"]["edges"]
    assert dataset not in {edge["node"]["id"] for edge in listed}
    for method, path, body in (
        ("DELETE", f"datasets/{dataset}", None),
        ("GET", f"dataset_examples_data?dataset_id={dataset}", None),
        ("POST", f"datasets/{dataset}/examples", [example]),
        ("PUT", f"datasets/{dataset}/examples/{example['id']}", {"input": {"p": 2}}),
        ("DELETE", f"datasets/{dataset}/examples/{example['id']}", None),
    ):
        answer = send(method, path, body)
        assert (answer.status_code, answer.headers["Error-Code"]) == (404, "dataset-not-found")
    again = send("POST", "datasets", {"name": name, "examples": [example]})
    assert again.json()["detail"][0]["loc"] == ["body", "examples", "0", "id"]
    assert send("POST", "datasets", {"name": name}).status_code == 201


def test_what_deleted_examples_held_is_removed_after_ninety_days(send: Send, sql: Any, act: Act) -> None:
    example = [{"input": {"p": 1}}, {"input": {"p": 2}}]
    sets = [send("POST", "datasets", {"name": next(_names), "examples": example}).json()["id"] for _ in range(3)]
    ids = [[edge["example"]["id"] for edge in read_edges(send, dataset)] for dataset in sets]
    send("DELETE", f"datasets/{sets[0]}/examples/{ids[0][0]}")
    send("DELETE", f"datasets/{sets[0]}/examples/{ids[0][1]}")
    send("DELETE", f"datasets/{sets[1]}")
    aged = "now() - interval '91 days'"
    sql(f"UPDATE agents.dataset_examples SET deleted_at = {aged} WHERE id = $1", ids[0][0])
    sql(f"UPDATE agents.datasets SET deleted_at = {aged} WHERE id = $1", sets[1])
    (report,) = act(apply_retention, RETENTION)
    assert (report.kind, report.removed) == ("deleted_example", 3)
    kept = sql(
        "SELECT example_id FROM agents.dataset_example_revisions WHERE example_id = ANY($1)",
        [*ids[0], *ids[1], *ids[2]],
    )
    assert {row["example_id"] for row in kept} == {ids[0][1], *ids[2]}
    assert sql("SELECT name, description FROM agents.datasets WHERE id = $1", sets[1]) == [(sets[1], "")]
    assert act(apply_retention, RETENTION)[0].removed == 0
    taken = send("POST", f"datasets/{sets[2]}/examples", [{"input": {"p": 3}, "id": ids[0][0]}])
    assert taken.status_code == 422


def test_an_export_holds_every_living_example_in_its_order(send: Send, dataset: str) -> None:
    examples = [{"input": {"p": f'"{number}", a\nb', "é": 1.5}, "metadata": {"n": number}} for number in range(230)]
    ids = send("POST", f"datasets/{dataset}/examples", examples).json()["ids"]
    send("DELETE", f"datasets/{dataset}/examples/{ids[7]}")
    send("PUT", f"datasets/{dataset}/examples/{ids[8]}", {"input": {"p": "novo"}})
    wanted = [
        {"id": id, "input": {"p": "novo"} if number == 8 else example["input"], "output": {}}
        | {"metadata": {} if number == 8 else example["metadata"]}
        for number, (id, example) in enumerate(zip(ids, examples, strict=True))
        if number != 7
    ]
    lines = send("GET", f"datasets/{dataset}/export")
    assert (lines.status_code, lines.headers["content-type"]) == (200, "application/x-ndjson")
    assert lines.headers["content-disposition"] == f'attachment; filename="{dataset}.jsonl"'
    assert [json.loads(line) for line in lines.text.split("\n") if line] == wanted
    table = send("GET", f"datasets/{dataset}/export?format=csv")
    rows = list(csv.DictReader(io.StringIO(table.text, newline="")))
    assert [row | {name: json.loads(row[name]) for name in ("input", "output", "metadata")} for row in rows] == wanted


def test_an_export_of_nothing_is_empty_and_of_the_unknown_refused(send: Send, dataset: str) -> None:
    assert send("GET", f"datasets/{dataset}/export").text == ""
    assert send("GET", f"datasets/{dataset}/export?format=csv").text == "id,input,output,metadata\r\n"
    assert send("GET", f"datasets/{dataset}/export?format=xml").status_code == 422
    assert send("GET", "datasets/unknown/export").headers["Error-Code"] == "dataset-not-found"


def test_only_who_manages_data_sets_writes_them(http: httpx.Client, issuer: Issuer, send: Send, dataset: str) -> None:
    for headers, status in (
        ({}, 401),
        (staff(issuer, "agentes:leitor"), 403),
        (bearer(issuer.machine("agentes-runtime")), 403),
        (bearer(issuer.person("90000000175")), 403),
    ):
        for method, path in (
            ("POST", "datasets"),
            ("DELETE", f"datasets/{dataset}"),
            ("POST", f"datasets/{dataset}/examples"),
            ("PUT", f"datasets/{dataset}/examples/x"),
        ):
            assert http.request(method, f"{BASE}/{path}", headers=headers).status_code == status
    for headers in (staff(issuer, "agentes:leitor"), bearer(issuer.machine("agentes-runtime"))):
        for path in ("datasets_data", f"datasets/{dataset}/export"):
            assert http.get(f"{BASE}/{path}", headers=headers).status_code == 200
            assert http.get(f"{BASE}/{path}", headers=bearer(issuer.person("90000000175"))).status_code == 403


def test_every_write_is_in_the_audit_trail_and_a_refused_one_is_not(send: Send, sql: Any) -> None:
    sql("DELETE FROM platform.audit_event")
    dataset = send("POST", "datasets", {"name": next(_names)}).json()["id"]
    send("POST", f"datasets/{dataset}/examples", [{"input": {"p": CPF}}])
    (example,) = send("POST", f"datasets/{dataset}/examples", [{"input": {"p": 1}}]).json()["ids"]
    send("PUT", f"datasets/{dataset}/examples/{example}", {"input": {"p": 2}})
    send("DELETE", f"datasets/{dataset}/examples/{example}")
    send("DELETE", f"datasets/{dataset}")
    trail = sql("SELECT operation, action FROM platform.audit_event ORDER BY at")
    assert [tuple(row) for row in trail] == [
        ("agents.create_dataset", "create"),
        ("agents.add_dataset_examples", "create"),
        ("agents.revise_dataset_example", "update"),
        ("agents.delete_dataset_example", "delete"),
        ("agents.delete_dataset", "delete"),
    ]


def test_a_body_beyond_the_limit_is_not_read(send: Send, dataset: str) -> None:
    answer = send("POST", f"datasets/{dataset}/examples", b" " * (4 * 1024 * 1024 + 1))
    assert answer.status_code == 413
