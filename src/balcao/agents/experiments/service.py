"""Manage experiments: record agents' responses with scores, and compare two experiments (rules: agents 2.4)."""

import secrets
from collections.abc import Sequence

from balcao.agents.datasets import service as datasets
from balcao.agents.datasets.cursors import encode_example_cursor
from balcao.agents.datasets.incoming import make_body_fault, parse_items
from balcao.agents.datasets.schemas import PageInfo, Revision
from balcao.agents.experiments import store
from balcao.agents.experiments.schemas import (
    ComparedExample,
    Experiment,
    ExperimentCreation,
    ExperimentEdge,
    Experiments,
    ExperimentsData,
    ExperimentsEnvelope,
    ExperimentsOfDataset,
    NewRuns,
    Recorded,
    RunCreation,
    RunEdge,
    RunPage,
    RunsData,
    RunsEnvelope,
    RunsQuery,
    ScoreRange,
)
from balcao.agents.experiments.store import ComparedRuns, StoredExperiment
from balcao.core.context.call import Call
from balcao.core.errors import Fault, NotFound, Unprocessable
from balcao.core.offloading import run_in_thread
from balcao.core.values.clock import format_rfc3339_offset, utc_now

MAX_LISTED = 200


async def list_experiments(call: Call, dataset_id: str) -> ExperimentsEnvelope:
    """Return a data set with its newest experiments. Raises NotFound if the data set does not exist."""
    async with call.platform.database.connection() as connection:
        listed = await store.select_experiments(connection, dataset_id, MAX_LISTED)
    if not listed:
        raise datasets.make_unknown_dataset()
    found = [_to_experiment(one.experiment) for one in listed if one.experiment is not None]
    described = ExperimentsOfDataset(
        listed[0].dataset_name,
        listed[0].dataset_description,
        listed[0].example_count,
        _find_ranges(found),
        Experiments([ExperimentEdge(experiment) for experiment in found]),
    )
    return ExperimentsEnvelope(ExperimentsData(described))


async def create_experiment(
    call: Call, dataset_id: str, body: ExperimentCreation, experiment_id: str | None = None
) -> Experiment:
    """Create an experiment that has no runs yet. Without `experiment_id`, it gets a new id.

    Raises NotFound if the data set does not exist, and Conflict if it already has an experiment with this name. Raises
    Unprocessable if the version does not exist.
    """
    async with call.platform.database.transaction() as connection:
        if body.version is not None and not await store.has_version(connection, body.agent_type or "", body.version):
            raise make_body_fault(["version"], "o agente não tem esta versão")
        new_id = experiment_id or secrets.token_urlsafe(16)
        made = await store.insert_experiment(connection, dataset_id, new_id, body, call.author.name, utc_now())
        if made is None:
            raise datasets.make_unknown_dataset()
        await call.platform.audit.record(connection, call, "create", fields=["experiment"])
    return _to_experiment(made)


async def delete_experiment(call: Call, experiment_id: str) -> None:
    """Delete an experiment with its runs. Raises NotFound if the experiment does not exist."""
    async with call.platform.database.transaction() as connection:
        if not await store.delete_experiment(connection, experiment_id):
            raise _make_unknown()
        await call.platform.audit.record(connection, call, "delete", fields=["experiment"])


async def record_runs_from(call: Call, experiment_id: str, content: bytes) -> Recorded:
    """Record the runs in a request body, a JSON array or JSON Lines.

    Raises the same errors as `parse_items` and `record_runs`.
    """
    return await record_runs(call, experiment_id, await run_in_thread(parse_items, content, NewRuns, RunCreation))


async def record_runs(call: Call, experiment_id: str, runs: Sequence[RunCreation]) -> Recorded:
    """Record all runs or none. A run replaces an earlier run of the same example.

    Raises NotFound if the experiment does not exist, and Unprocessable if the data set does not contain one of the
    examples.
    """
    async with call.platform.database.transaction() as connection:
        dataset_id = await store.lock_experiment(connection, experiment_id)
        if dataset_id is None:
            raise _make_unknown()
        revisions = await store.find_revisions(connection, dataset_id, [run.example_id for run in runs])
        for place, run in enumerate(runs):
            if run.example_id not in revisions:
                raise make_body_fault([str(place), "example_id"], "o conjunto de dados não tem este exemplo")
        replaced = await store.record_runs(connection, experiment_id, runs, revisions, call.author.name, utc_now())
        await call.platform.audit.record(connection, call, "update", fields=["experiment_runs"])
    return Recorded(len(runs) - replaced, replaced)


async def read_runs(call: Call, query: RunsQuery) -> RunsEnvelope:
    """Return a page of runs. With `compare_with`, add the other experiment's runs.

    Raises NotFound if an experiment does not exist, and Unprocessable if the two belong to different data sets.
    """
    wanted, other = query.experiment_id, query.compare_with
    async with call.platform.database.connection() as connection:
        found = await store.find_datasets_of(connection, [wanted] if other is None else [wanted, other])
        if wanted not in found or (other is not None and other not in found):
            raise _make_unknown()
        if other is not None and found[other] != found[wanted]:
            message = "os dois experimentos devem ser do mesmo conjunto de dados"
            raise Unprocessable(faults=[Fault(loc=["query", "compare_with"], msg=message, type="value_error")])
        rows = await store.list_experiment_runs(
            connection, found[wanted], wanted, other, query.position, query.first + 1
        )
        changes = [] if other is None else await store.compare_scores(connection, wanted, other)
    edges = [_to_edge(wanted, row) for row in rows[: query.first]]
    page = PageInfo(edges[-1].cursor if edges else None, len(rows) > query.first)
    return RunsEnvelope(RunsData(RunPage(changes, edges, page)))


def _to_experiment(stored: StoredExperiment) -> Experiment:
    summary = stored.summary
    return Experiment(
        id=stored.id,
        name=stored.name,
        description=stored.description,
        metadata=stored.metadata,
        agent_type=stored.agent_type,
        version=stored.version,
        created_at=format_rfc3339_offset(stored.created_at),
        run_count=summary.runs,
        error_rate=summary.errors / summary.runs if summary.runs else None,
        average_run_latency_ms=summary.latency,
        annotation_summaries=summary.annotations,
    )


def _find_ranges(experiments: list[Experiment]) -> list[ScoreRange]:
    """Return, for each name of a score, the lowest and the highest score in all experiments."""
    bounds: dict[str, list[float]] = {}
    for experiment in experiments:
        for summary in experiment.annotation_summaries:
            scores = [score for score in (summary.min_score, summary.max_score) if score is not None]
            bounds.setdefault(summary.annotation_name, []).extend(scores)
    return [
        ScoreRange(name, min(scores, default=None), max(scores, default=None))
        for name, scores in sorted(bounds.items())
    ]


def _to_edge(experiment_id: str, found: ComparedRuns) -> RunEdge:
    example = ComparedExample(found.id, Revision(found.input, found.output, found.metadata))
    return RunEdge(example, found.run, found.compared_run, encode_example_cursor(experiment_id, found.position))


def _make_unknown() -> NotFound:
    return NotFound("Experimento não encontrado.", code="experiment-not-found")
