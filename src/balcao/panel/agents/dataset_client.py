"""The API operations on data sets, examples and experiments. The responses wrap items in `edges` and `node` objects."""

from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

from balcao.web.api import Api, quoted

T = TypeVar("T")

_BASE = "/agent/api/v1"


class _Camel(msgspec.Struct, rename="camel"):
    """A base for types whose members have camel case names on the wire."""


class PageInfo(_Camel):
    end_cursor: str | None
    has_next_page: bool


class DatasetNode(_Camel):
    id: str
    name: str
    description: str | None
    created_at: datetime
    example_count: int
    experiment_count: int


class DatasetEdge(msgspec.Struct):
    node: DatasetNode


class DatasetPage(_Camel):
    edges: list[DatasetEdge]
    page_info: PageInfo


class Revision(msgspec.Struct):
    input: dict[str, Any]
    output: dict[str, Any]
    metadata: dict[str, Any]


class Example(_Camel):
    id: str
    latest_revision: Revision


class ExampleEdge(msgspec.Struct):
    example: Example


class ExamplePage(_Camel):
    edges: list[ExampleEdge]
    page_info: PageInfo


class Dataset(_Camel):
    id: str
    name: str
    example_count: int
    examples: ExamplePage


class AnnotationSummary(_Camel):
    annotation_name: str
    mean_score: float | None = None


class Experiment(_Camel):
    id: str
    name: str
    description: str | None
    created_at: datetime
    run_count: int
    error_rate: float | None
    annotation_summaries: list[AnnotationSummary]
    agent_type: str | None = None
    version: int | None = None


class ExperimentEdge(msgspec.Struct):
    experiment: Experiment


class ExperimentList(msgspec.Struct):
    edges: list[ExperimentEdge]


class DatasetExperiments(msgspec.Struct):
    name: str
    experiments: ExperimentList


class Annotation(msgspec.Struct):
    name: str
    score: float | None = None
    label: str | None = None


class Run(_Camel):
    output: Any = None
    error: str | None = None
    annotations: list[Annotation] = []


class RunEdge(_Camel):
    example: Example
    run: Run | None
    compared_run: Run | None


class ScoreChange(_Camel):
    annotation_name: str
    higher: int
    lower: int
    equal: int
    mean_difference: float | None


class ExperimentRuns(_Camel):
    score_changes: list[ScoreChange]
    edges: list[RunEdge]
    page_info: PageInfo


class Added(msgspec.Struct):
    added: int
    unchanged: int


class _Response(msgspec.Struct, Generic[T]):
    data: T


class _Datasets(msgspec.Struct):
    datasets: DatasetPage


class _Examples(msgspec.Struct):
    dataset: Dataset


class _Experiments(msgspec.Struct):
    dataset: DatasetExperiments


class _Runs(msgspec.Struct):
    experiment: ExperimentRuns


class MadeDataset(msgspec.Struct):
    id: str


async def list_datasets(api: Api, after: str | None = None) -> DatasetPage:
    found = await api.get(f"{_BASE}/datasets_data", _Response[_Datasets], {"first": 100, "after": after})
    return found.data.datasets


async def create_dataset(api: Api, name: str, description: str | None, *, key: str) -> MadeDataset:
    body = {"name": name} | ({"description": description} if description else {})
    return await api.send("POST", f"{_BASE}/datasets", MadeDataset, body, key=key)


async def delete_dataset(api: Api, dataset: str) -> None:
    await api.send("DELETE", f"{_BASE}/datasets/{quoted(dataset)}", dict)


async def read_dataset(api: Api, dataset: str, *, first: int, after: str | None = None) -> Dataset:
    query = {"dataset_id": dataset, "first": first, "after": after}
    return (await api.get(f"{_BASE}/dataset_examples_data", _Response[_Examples], query)).data.dataset


async def add_examples(api: Api, dataset: str, lines: list[str]) -> Added:
    body = msgspec.Raw("\n".join(lines).encode())
    return await api.send("POST", f"{_BASE}/datasets/{quoted(dataset)}/examples", Added, body)


async def delete_example(api: Api, dataset: str, example: str) -> None:
    await api.send("DELETE", f"{_BASE}/datasets/{quoted(dataset)}/examples/{quoted(example)}", type(None))


async def list_experiments(api: Api, dataset: str) -> DatasetExperiments:
    return (
        await api.get(f"{_BASE}/dataset_experiments_data", _Response[_Experiments], {"dataset_id": dataset})
    ).data.dataset


async def read_runs(
    api: Api, experiment: str, *, compared: str | None, after: str | None, first: int
) -> ExperimentRuns:
    query = {"experiment_id": experiment, "compare_with": compared, "first": first, "after": after}
    return (await api.get(f"{_BASE}/experiment_runs_data", _Response[_Runs], query)).data.experiment
