"""SQL for experiments, their runs and scores. It only reads examples; the data sets feature writes them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import asyncpg
import msgspec

from balcao.agents.experiments.schemas import AnnotationSummary, ExperimentCreation, Run, RunCreation, ScoreChange
from balcao.core.database.pool import Connection, json_text
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict

_MEMBERS = "id, name, description, metadata, agent_type, version, created_at, summary"


class Summary(msgspec.Struct, frozen=True):
    """A summary of an experiment's runs. `latency` is the average in milliseconds."""

    runs: int
    errors: int
    latency: float | None
    annotations: list[AnnotationSummary]


class StoredExperiment(msgspec.Struct, frozen=True):
    """A stored experiment."""

    id: str
    name: str
    description: str
    metadata: dict[str, Any]
    agent_type: str | None
    version: int | None
    created_at: datetime
    summary: Summary


class ListedExperiment(NamedTuple):
    """A data set and one of its experiments, or None instead of the experiment if the data set has none."""

    dataset_name: str
    dataset_description: str
    example_count: int
    experiment: StoredExperiment | None


@statement(f"""
SELECT dataset.name AS dataset_name, dataset.description AS dataset_description, dataset.example_count, experiment.*
FROM agents.datasets AS dataset
LEFT JOIN LATERAL (
    SELECT {_MEMBERS} FROM agents.experiments WHERE dataset_id = dataset.id ORDER BY created_at DESC, id LIMIT :most
) AS experiment ON true
WHERE dataset.id = :dataset_id AND dataset.deleted_at IS NULL
ORDER BY experiment.created_at DESC, experiment.id
""")
async def select_experiments(connection: Connection, dataset_id: str, most: int) -> list[ListedExperiment]:
    """Return the newest experiments, each with its data set.

    Return one item without an experiment if the data set has none, and an empty list if the data set does not exist.
    """


async def insert_experiment(
    connection: Connection, dataset_id: str, experiment_id: str, body: ExperimentCreation, author: str, at: datetime
) -> StoredExperiment | None:
    """Insert an experiment. Return None if the data set does not exist. Raises Conflict if the name is taken."""
    try:
        return await _insert_experiment(connection, dataset_id, experiment_id, body, author, at)
    except asyncpg.UniqueViolationError:
        raise Conflict("O conjunto já tem um experimento com este nome.", code="experiment-exists") from None


@statement(f"""
INSERT INTO agents.experiments (id, dataset_id, name, description, metadata, agent_type, version, author, created_at)
SELECT :experiment_id, id, :name, :description, :metadata::jsonb, :agent_type, :version, :author, :at
FROM agents.datasets WHERE id = :dataset_id AND deleted_at IS NULL
RETURNING {_MEMBERS}
""")
async def _insert_experiment(
    connection: Connection, dataset_id: str, experiment_id: str, body: ExperimentCreation, author: str, at: datetime
) -> StoredExperiment | None: ...


@statement("""
SELECT EXISTS (SELECT FROM agents.agent_versions WHERE agent_type = :agent_type AND version = :version)
""")
async def has_version(connection: Connection, agent_type: str, version: int) -> bool: ...


@statement("""
SELECT dataset_id FROM agents.experiments AS experiment
WHERE id = :experiment_id AND EXISTS (
    SELECT FROM agents.datasets AS dataset WHERE dataset.id = dataset_id AND dataset.deleted_at IS NULL
)
FOR UPDATE
""")
async def lock_experiment(connection: Connection, experiment_id: str) -> str | None:
    """Lock an experiment, and return the id of its data set.

    Only the transaction that holds this lock may record runs.
    """


@statement("""
DELETE FROM agents.experiments AS experiment USING agents.datasets AS dataset
WHERE experiment.id = :experiment_id AND dataset.id = dataset_id AND dataset.deleted_at IS NULL
""")
async def delete_experiment(connection: Connection, experiment_id: str) -> bool:
    """Delete an experiment with its runs. Return False if it does not exist."""


@statement("""
SELECT id, revision FROM agents.dataset_examples
WHERE dataset_id = :dataset_id AND id = ANY(:example_ids) AND deleted_at IS NULL
""")
async def find_revisions(connection: Connection, dataset_id: str, example_ids: Sequence[str]) -> Mapping[str, int]:
    """Return the number of each example's latest revision, by example id. Deleted examples are not included."""


async def record_runs(
    connection: Connection,
    experiment_id: str,
    runs: Sequence[RunCreation],
    revisions: Mapping[str, int],
    author: str,
    at: datetime,
) -> int:
    """Record runs of a locked experiment, and return the number of replaced runs.

    A run replaces an earlier run of the same example.
    """
    replaced = await _delete_runs(connection, experiment_id, [run.example_id for run in runs])
    rows = json_text([run.model_dump() | {"revision": revisions[run.example_id]} for run in runs])
    await _insert_runs(connection, experiment_id, rows, author, at)
    await _insert_scores(connection, experiment_id, rows)
    await _summarise_experiment(connection, experiment_id)
    return replaced


@statement("""
WITH removed AS (
    DELETE FROM agents.experiment_runs WHERE experiment_id = :experiment_id AND example_id = ANY(:example_ids)
    RETURNING example_id
)
SELECT count(*) FROM removed
""")
async def _delete_runs(connection: Connection, experiment_id: str, example_ids: Sequence[str]) -> int: ...


@statement("""
INSERT INTO agents.experiment_runs
    (experiment_id, example_id, revision, output, error, latency_ms, author, recorded_at)
SELECT :experiment_id, example_id, revision, output, error, latency_ms, :author, :at
FROM jsonb_to_recordset(:rows::jsonb) AS row (example_id text, revision int, output jsonb, error text, latency_ms int)
""")
async def _insert_runs(connection: Connection, experiment_id: str, rows: str, author: str, at: datetime) -> None: ...


@statement("""
INSERT INTO agents.experiment_scores
    (experiment_id, example_id, name, annotator_kind, score, label, explanation)
SELECT :experiment_id, example_id, score.*
FROM jsonb_to_recordset(:rows::jsonb) AS row (example_id text, annotations jsonb), jsonb_to_recordset(annotations)
    AS score (name text, annotator_kind text, score double precision, label text, explanation text)
""")
async def _insert_scores(connection: Connection, experiment_id: str, rows: str) -> None: ...


@statement("""
UPDATE agents.experiments SET summary = (
    SELECT jsonb_build_object('runs', count(*), 'errors', count(*) FILTER (WHERE error <> ''),
        'latency', avg(latency_ms), 'annotations', (
            SELECT coalesce(jsonb_agg(named ORDER BY "annotationName"), '[]') FROM (
                SELECT name AS "annotationName", count(score), min(score) AS "minScore", max(score) AS "maxScore",
                       avg(score) AS "meanScore"
                FROM agents.experiment_scores WHERE experiment_id = :experiment_id GROUP BY name
            ) AS named
        ))
    FROM agents.experiment_runs WHERE experiment_id = :experiment_id
)
WHERE id = :experiment_id
""")
async def _summarise_experiment(connection: Connection, experiment_id: str) -> None: ...


def _run_sql(experiment: str) -> str:
    """Return an SQL expression for an experiment's run of the example `page.id`.

    The value is NULL if there is no such run.

    `experiment` is an SQL expression for the experiment's id.
    """
    return f"""(
    SELECT jsonb_build_object('revision', run.revision, 'output', run.output, 'error', error, 'latencyMs', latency_ms,
        'annotations', (
            SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'annotatorKind', annotator_kind, 'score', score,
                'label', label, 'explanation', explanation) ORDER BY name), '[]')
            FROM agents.experiment_scores AS score
            WHERE score.experiment_id = run.experiment_id AND score.example_id = run.example_id
        ))
    FROM agents.experiment_runs AS run WHERE run.experiment_id = {experiment} AND run.example_id = page.id
)"""


class ComparedRuns(msgspec.Struct, frozen=True):
    """An example, with its run in one experiment or its runs in two."""

    id: str
    position: int
    input: dict[str, Any]
    output: dict[str, Any]
    metadata: dict[str, Any]
    run: Run | None
    compared_run: Run | None


# MATERIALIZED makes PostgreSQL choose the page before it reads the runs. Without it, until the tables were first
# analysed, PostgreSQL built the runs of all examples once for each example, which took seconds.
@statement(f"""
WITH page AS MATERIALIZED (
    SELECT id, position, revision FROM agents.dataset_examples AS example
    WHERE dataset_id = :dataset_id AND position > :after AND deleted_at IS NULL AND (
        EXISTS (SELECT FROM agents.experiment_runs WHERE experiment_id = :experiment_id AND example_id = example.id)
        OR EXISTS (SELECT FROM agents.experiment_runs WHERE experiment_id = :other_id AND example_id = example.id)
    )
    ORDER BY position
    LIMIT :count
)
SELECT page.id, position, input, content.output, content.metadata,
       {_run_sql(":experiment_id")} AS run, {_run_sql(":other_id")} AS compared_run
FROM page
JOIN agents.dataset_example_revisions AS content ON content.example_id = page.id AND content.revision = page.revision
ORDER BY position
""")
async def list_experiment_runs(
    connection: Connection, dataset_id: str, experiment_id: str, other_id: str | None, after: int, count: int
) -> list[ComparedRuns]:
    """Return the examples after a position that have a run in at least one of the two experiments.

    Deleted examples are not included. `run` or `compared_run` is None if that experiment has no run of the example.
    """


@statement("""
SELECT name AS annotation_name, count(*) FILTER (WHERE own.score > other.score) AS higher,
       count(*) FILTER (WHERE own.score < other.score) AS lower,
       count(*) FILTER (WHERE own.score = other.score) AS equal, avg(own.score - other.score) AS mean_difference
FROM agents.experiment_scores AS own
JOIN agents.experiment_scores AS other USING (example_id, name)
JOIN agents.dataset_examples AS example ON example.id = example_id AND deleted_at IS NULL
WHERE own.experiment_id = :experiment_id AND other.experiment_id = :other_id
  AND own.score IS NOT NULL AND other.score IS NOT NULL
GROUP BY name ORDER BY name
""")
async def compare_scores(connection: Connection, experiment_id: str, other_id: str) -> list[ScoreChange]:
    """Return how the scores with each name changed, over the examples that both experiments scored.

    Deleted examples are not included.
    """


@statement("""
SELECT experiment.id, dataset_id FROM agents.experiments AS experiment
JOIN agents.datasets AS dataset ON dataset.id = dataset_id AND dataset.deleted_at IS NULL
WHERE experiment.id = ANY(:experiment_ids)
""")
async def find_datasets_of(connection: Connection, experiment_ids: Sequence[str]) -> Mapping[str, str]:
    """Return the data set ids of the experiments that exist, by experiment id."""


@statement("""
SELECT count(*) FROM agents.experiment_runs JOIN agents.dataset_examples AS example ON example.id = example_id
JOIN agents.datasets AS dataset ON dataset.id = dataset_id
WHERE least(example.deleted_at, dataset.deleted_at) IS NOT NULL
""")
async def count_orphaned_runs(connection: Connection) -> int:
    """Return the number of runs whose example or data set is deleted."""


@statement("""
DELETE FROM agents.experiment_runs USING agents.dataset_examples AS example, agents.datasets AS dataset
WHERE example.id = example_id AND dataset.id = dataset_id AND least(example.deleted_at, dataset.deleted_at) < :before
""")
async def delete_orphaned_runs(connection: Connection, before: datetime) -> int:
    """Delete the runs of examples that were deleted before `before`, either individually or with their data set."""


@statement("""
DELETE FROM agents.experiments USING agents.datasets AS dataset WHERE dataset.id = dataset_id AND deleted_at < :before
""")
async def delete_orphaned_experiments(connection: Connection, before: datetime) -> None:
    """Delete the experiments of data sets that were deleted before `before`."""
