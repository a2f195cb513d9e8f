"""Reading the examples of a data set."""

import asyncio
from typing import Any

import httpx
import pytest

from balcao.agents.datasets import service
from balcao.agents.datasets.incoming import DatasetCreation, ExampleCreation
from balcao_sandbox.demo import agents as demo
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.rules import read_values
from tests.support.server import RunningServer

PATH = "/agent/api/v1/dataset_examples_data"
SMALL = demo.make_dataset_id("Perguntas frequentes")
LARGE = demo.make_dataset_id("Atendimento simulado")
EMPTY = demo.make_dataset_id("Conjunto vazio")

pytestmark = pytest.mark.usefixtures("loaded")


@pytest.fixture
def read(http: httpx.Client, issuer: Issuer) -> Any:
    token = bearer(issuer.machine("agentes-runtime"))
    return lambda **query: http.get(PATH, params=query, headers=token)


def read_page(answer: httpx.Response) -> tuple[list[str], dict[str, Any]]:
    """Return the ids of a page's examples, and the page info."""
    assert answer.status_code == 200
    examples = answer.json()["data"]["dataset"]["examples"]
    return [edge["example"]["id"] for edge in examples["edges"]], examples["pageInfo"]


def test_the_envelope_is_the_one_its_readers_know(read: Any) -> None:
    body = read(dataset_id=SMALL, first=1).json()
    (edge,) = body["data"]["dataset"]["examples"]["edges"]
    assert body == {
        "data": {
            "dataset": {
                "__typename": "Dataset",
                "id": SMALL,
                "name": "Perguntas frequentes",
                "exampleCount": 40,
                "examples": {
                    "edges": [
                        {
                            "example": {
                                "id": f"{SMALL}-1",
                                "latestRevision": edge["example"]["latestRevision"],
                                "span": None,
                            },
                            "cursor": edge["cursor"],
                        }
                    ],
                    "pageInfo": {"endCursor": edge["cursor"], "hasNextPage": True},
                },
            }
        }
    }
    revision = edge["example"]["latestRevision"]
    assert set(revision) == {"input", "output", "metadata"}
    assert set(revision["input"]) == {"mensagem_whatsapp_simulada"}
    assert set(revision["output"]) == {"golden_answer"}
    assert revision["metadata"] == {"id": "1"}


def test_an_example_is_deleted_once_and_by_whoever_may(http: httpx.Client, issuer: Issuer, read: Any, act: Any) -> None:
    async def add(call: Any) -> Any:
        dataset = await service.create_dataset(call, DatasetCreation(name="Exemplos que saem"))
        return dataset.id, (await service.add_examples(call, dataset.id, [ExampleCreation(input={"a": 1})])).ids[0]

    dataset, example = act(add)
    path = f"/agent/api/v1/datasets/{dataset}/examples"
    reader = issuer.person("90000040126", realm_access={"roles": ["agentes:leitor"]})
    editor = issuer.person("90000040126", realm_access={"roles": ["agentes:editor"]})

    def delete(target: str, token: str) -> int:
        return http.delete(target, headers=bearer(token)).status_code

    assert http.delete(f"{path}/{example}").status_code == 401
    assert [delete(f"{path}/{example}", token) for token in (reader, issuer.machine("agentes-runtime"))] == [403, 403]
    assert read_page(read(dataset_id=dataset))[0] == [example]
    assert [delete(f"{path}/{example}", editor) for _ in range(2)] == [204, 404]
    assert read_page(read(dataset_id=dataset))[0] == []
    assert delete(f"{path}/a%00b", editor) == 422
    assert delete("/agent/api/v1/datasets/unknown/examples/x", editor) == 404


@pytest.mark.cases("agents", "35")
def test_without_a_size_a_page_holds_a_thousand(read: Any) -> None:
    sizes, more, after, seen = [], True, "", set()
    while more:
        ids, info = read_page(read(dataset_id=LARGE, after=after))
        sizes.append(len(ids))
        seen |= set(ids)
        more, after = info["hasNextPage"], info["endCursor"]
    assert sizes == [1000, 1000, 500]
    assert len(seen) == 2500


@pytest.mark.cases("agents", "38")
def test_an_empty_set_has_no_cursor(read: Any) -> None:
    dataset = read(dataset_id=EMPTY).json()["data"]["dataset"]
    assert dataset["exampleCount"] == 0
    assert dataset["examples"] == {"edges": [], "pageInfo": {"endCursor": None, "hasNextPage": False}}


@pytest.mark.cases("agents", "31")
def test_without_a_data_set_it_is_missing(read: Any) -> None:
    for query in ({}, {"dataset_id": ""}, {"dataset_id": "  "}):
        answer = read(**query)
        assert answer.status_code == 422
        (item,) = answer.json()["detail"]
        assert item == {"loc": ["query", "dataset_id"], "msg": item["msg"], "type": "missing", "input": None, "ctx": {}}


@pytest.mark.cases("agents", "32")
@pytest.mark.parametrize(("first", "kind", "ctx"), read_values("agents", "32"))
def test_a_size_out_of_bounds_names_the_bound(read: Any, first: str, kind: str, ctx: dict[str, int]) -> None:
    answer = read(dataset_id=SMALL, first=first)
    assert answer.status_code == 422
    (item,) = answer.json()["detail"]
    assert (item["loc"], item["type"], item["ctx"]) == (["query", "first"], kind, ctx)
    assert len(item["input"]) <= 100
    assert first.startswith(item["input"])


def test_an_empty_size_counts_as_absent(read: Any) -> None:
    assert len(read_page(read(dataset_id=SMALL, first=""))[0]) == 40


@pytest.mark.cases("agents", "33")
def test_all_faults_are_listed_at_once(read: Any) -> None:
    items = read(first="x", after="x").json()["detail"]
    assert [(item["loc"][1], item["type"]) for item in items] == [
        ("dataset_id", "missing"),
        ("first", "int_parsing"),
        ("after", "value_error"),
    ]
    assert all(set(item) == {"loc", "msg", "type", "input", "ctx"} for item in items)


@pytest.mark.cases("agents", "34")
def test_unknown_and_malformed_data_sets(read: Any) -> None:
    unknown = read(dataset_id="unknown")
    assert (unknown.status_code, unknown.headers["Error-Code"]) == (404, "dataset-not-found")
    assert isinstance(unknown.json()["detail"], str)
    for malformed in ("a b", "a" * 65, "é", "a\n", "../x"):
        answer = read(dataset_id=malformed)
        (item,) = answer.json()["detail"]
        assert (answer.status_code, item["type"], set(item["ctx"])) == (422, "string_pattern_mismatch", {"pattern"})
        assert item["input"] == malformed[:100]
    (item,) = read(dataset_id="a\0").json()["detail"]
    assert (item["loc"], item["msg"]) == (["query", "dataset_id"], "não pode conter o caractere nulo")


@pytest.mark.cases("agents", "36")
def test_a_cursor_serves_its_own_data_set_unaltered(read: Any) -> None:
    _, info = read_page(read(dataset_id=SMALL, first=5))
    own = info["endCursor"]
    assert len(read_page(read(dataset_id=SMALL, after=own))[0]) == 35
    for after, dataset in (
        (own, LARGE),
        (own[:-1], SMALL),
        (own[1:], SMALL),
        ("B" + own[1:], SMALL),
        ("é" * 200, SMALL),
    ):
        (item,) = read(dataset_id=dataset, after=after).json()["detail"]
        assert (item["loc"], item["type"], item["ctx"]) == (["query", "after"], "value_error", {})
        assert item["input"] == after[:100]


def test_only_the_rule_lets_in(http: httpx.Client, issuer: Issuer) -> None:
    assert http.get(PATH, params={"dataset_id": SMALL}).status_code == 401
    assert http.get(PATH, headers=bearer(issuer.person("90000000175"))).status_code == 403
    reader = issuer.person("90000000256", realm_access={"roles": ["admin"]})
    assert http.get(PATH, params={"dataset_id": SMALL}, headers=bearer(reader)).status_code == 200


def test_a_page_too_large_for_one_answer_is_cut_and_says_so(read: Any, act: Any) -> None:
    dataset = act(service.create_dataset, DatasetCreation(name="Respostas longas"))
    text = "palavra " * 8000
    for part in range(0, 120, 20):
        act(
            service.add_examples,
            dataset.id,
            [
                ExampleCreation(input={"n": part + n, "t": text}, output={"t": text}, metadata={"t": text})
                for n in range(20)
            ],
        )
    answer = read(dataset_id=dataset.id)
    ids, info = read_page(answer)
    assert len(answer.content) <= service.MAX_RESPONSE_BYTES
    assert 1 <= len(ids) < 120
    assert info["hasNextPage"] is True
    rest, info = read_page(read(dataset_id=dataset.id, after=info["endCursor"]))
    assert len(set(ids) | set(rest)) == 120
    assert info["hasNextPage"] is False


@pytest.mark.long
@pytest.mark.cases("agents", "42")
def test_many_parallel_reads_are_all_answered(server: RunningServer, issuer: Issuer) -> None:
    token = bearer(issuer.machine("agentes-runtime"))

    async def read_all() -> list[int]:
        limits = httpx.Limits(max_connections=256)
        async with httpx.AsyncClient(base_url=server.url, headers=token, timeout=PATIENCE, limits=limits) as client:
            calls = (client.get(PATH, params={"dataset_id": SMALL}) for _ in range(256))
            return [answer.status_code for answer in await asyncio.gather(*calls)]

    assert asyncio.run(read_all()) == [200] * 256
