"""SQL of the experiments, their runs and scores; examples are read here and written by their own feature."""

from collections.abc import Sequence
from datetime import datetime

import asyncpg

from balcao.agents.experiments.schemas import NewExperiment, NewRun
from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.database.queries import affected, fetch_count
from balcao.core.errors import Conflict

_MEMBERS = "id, name, description, metadata, agent_type, version, created_at, summary"
_LIST = f"""
SELECT dataset.name AS dataset_name, dataset.description AS dataset_description, dataset.example_count, experiment.*
FROM agents.datasets AS dataset
LEFT JOIN LATERAL (
    SELECT {_MEMBERS} FROM agents.experiments WHERE dataset_id = dataset.id ORDER BY created_at DESC, id LIMIT $2
) AS experiment ON true
WHERE dataset.id = $1 AND dataset.deleted_at IS NULL
ORDER BY experiment.created_at DESC, experiment.id
"""


async def list_experiments(connection: Connection, dataset_id: str, most: int) -> list[Row]:
    """Return the newest experiments with their data set; one row without `id` where it has none, no row without set."""
    return list(await connection.fetch(_LIST, dataset_id, most))


_INSERT = f"""
INSERT INTO agents.experiments (id, dataset_id, name, description, metadata, agent_type, version, author, created_at)
SELECT $2, id, $3, $4, $5::jsonb, $6, $7, $8, $9 FROM agents.datasets WHERE id = $1 AND deleted_at IS NULL
RETURNING {_MEMBERS}
"""


async def insert(
    connection: Connection, dataset_id: str, experiment_id: str, body: NewExperiment, author: str, at: datetime
) -> Row | None:
    """Insert an experiment; return None without the data set. Raises Conflict for a taken name."""
    fields = (body.name, body.description, json_text(body.metadata), body.agent_type, body.version)
    try:
        return await connection.fetchrow(_INSERT, dataset_id, experiment_id, *fields, author, at)
    except asyncpg.UniqueViolationError:
        raise Conflict("O conjunto já tem um experimento com este nome.", code="experiment-exists") from None


_VERSION = "SELECT EXISTS (SELECT FROM agents.agent_versions WHERE agent_type = $1 AND version = $2)"


async def has_version(connection: Connection, agent_type: str, version: int) -> bool:
    return bool(await connection.fetchval(_VERSION, agent_type, version))


_LOCK = """
SELECT dataset_id FROM agents.experiments AS experiment
WHERE id = $1 AND EXISTS (
    SELECT FROM agents.datasets AS dataset WHERE dataset.id = dataset_id AND dataset.deleted_at IS NULL
)
FOR UPDATE
"""


async def lock(connection: Connection, experiment_id: str) -> str | None:
    """Return the experiment's data set; whoever holds its row is alone in recording runs."""
    dataset_id: str | None = await connection.fetchval(_LOCK, experiment_id)
    return dataset_id


_DELETE = """
DELETE FROM agents.experiments AS experiment USING agents.datasets AS dataset
WHERE experiment.id = $1 AND dataset.id = dataset_id AND dataset.deleted_at IS NULL
"""


async def delete(connection: Connection, experiment_id: str) -> bool:
    """Delete an experiment with its runs; return false when there is none."""
    return affected(await connection.execute(_DELETE, experiment_id)) > 0


_REVISIONS = """
SELECT id, revision FROM agents.dataset_examples WHERE dataset_id = $1 AND id = ANY($2) AND deleted_at IS NULL
"""


async def find_revisions(connection: Connection, dataset_id: str, example_ids: Sequence[str]) -> dict[str, int]:
    """Return the latest revisions of the living examples among these."""
    return {row["id"]: row["revision"] for row in await connection.fetch(_REVISIONS, dataset_id, example_ids)}


_RECORD = """
WITH removed AS (
    DELETE FROM agents.experiment_runs WHERE experiment_id = $1 AND example_id = ANY($2) RETURNING example_id
)
SELECT count(*) FROM removed
"""
_RUNS = """
INSERT INTO agents.experiment_runs
    (experiment_id, example_id, revision, output, error, latency_ms, author, recorded_at)
SELECT $1, example_id, revision, output, error, latency_ms, $3, $4
FROM jsonb_to_recordset($2::jsonb) AS row (example_id text, revision int, output jsonb, error text, latency_ms int)
"""
_SCORES = """
INSERT INTO agents.experiment_scores
    (experiment_id, example_id, name, annotator_kind, score, label, explanation)
SELECT $1, example_id, score.*
FROM jsonb_to_recordset($2::jsonb) AS row (example_id text, annotations jsonb), jsonb_to_recordset(annotations)
    AS score (name text, annotator_kind text, score double precision, label text, explanation text)
"""
_SUMMARISE = """
UPDATE agents.experiments SET summary = (
    SELECT jsonb_build_object('runs', count(*), 'errors', count(*) FILTER (WHERE error <> ''),
        'latency', avg(latency_ms), 'annotations', (
            SELECT coalesce(jsonb_agg(named ORDER BY "annotationName"), '[]') FROM (
                SELECT name AS "annotationName", count(score), min(score) AS "minScore", max(score) AS "maxScore",
                       avg(score) AS "meanScore"
                FROM agents.experiment_scores WHERE experiment_id = $1 GROUP BY name
            ) AS named
        ))
    FROM agents.experiment_runs WHERE experiment_id = $1
)
WHERE id = $1
"""


async def record(
    connection: Connection,
    experiment_id: str,
    runs: Sequence[NewRun],
    revisions: dict[str, int],
    author: str,
    at: datetime,
) -> int:
    """Record runs of a locked experiment, each in place of an earlier one; return how many were replaced."""
    replaced = await fetch_count(connection, _RECORD, experiment_id, [run.example_id for run in runs])
    rows = json_text([run.model_dump() | {"revision": revisions[run.example_id]} for run in runs])
    await connection.execute(_RUNS, experiment_id, rows, author, at)
    await connection.execute(_SCORES, experiment_id, rows)
    await connection.execute(_SUMMARISE, experiment_id)
    return replaced


_RUN = """
LEFT JOIN LATERAL (
    SELECT jsonb_build_object('revision', run.revision, 'output', run.output, 'error', error, 'latencyMs', latency_ms,
        'annotations', (
            SELECT coalesce(jsonb_agg(jsonb_build_object('name', name, 'annotatorKind', annotator_kind, 'score', score,
                'label', label, 'explanation', explanation) ORDER BY name), '[]')
            FROM agents.experiment_scores AS score
            WHERE score.experiment_id = run.experiment_id AND score.example_id = run.example_id
        )) AS run
    FROM agents.experiment_runs AS run WHERE run.experiment_id = {experiment} AND run.example_id = example.id
) AS {name} ON true
"""
_PAGE = f"""
SELECT example.id, position, input, content.output, content.metadata, own.run AS run, other.run AS compared_run
FROM agents.dataset_examples AS example
JOIN agents.dataset_example_revisions AS content
    ON content.example_id = example.id AND content.revision = example.revision
{_RUN.format(experiment="$2", name="own")}
{_RUN.format(experiment="$3", name="other")}
WHERE dataset_id = $1 AND position > $4 AND deleted_at IS NULL AND (own.run IS NOT NULL OR other.run IS NOT NULL)
ORDER BY position
LIMIT $5
"""


async def list_runs(
    connection: Connection, dataset_id: str, experiment_id: str, other_id: str | None, after: int, count: int
) -> list[Row]:
    """Return living examples past a position with the run of the one or the other experiment, or of both."""
    return list(await connection.fetch(_PAGE, dataset_id, experiment_id, other_id, after, count))


_COMPARE = """
SELECT name AS annotation_name, count(*) FILTER (WHERE own.score > other.score) AS higher,
       count(*) FILTER (WHERE own.score < other.score) AS lower,
       count(*) FILTER (WHERE own.score = other.score) AS equal, avg(own.score - other.score) AS mean_difference
FROM agents.experiment_scores AS own
JOIN agents.experiment_scores AS other USING (example_id, name)
JOIN agents.dataset_examples AS example ON example.id = example_id AND deleted_at IS NULL
WHERE own.experiment_id = $1 AND other.experiment_id = $2 AND own.score IS NOT NULL AND other.score IS NOT NULL
GROUP BY name ORDER BY name
"""


async def compare_scores(connection: Connection, experiment_id: str, other_id: str) -> list[Row]:
    """Return how each name's scores differ over the living examples that both experiments have scored."""
    return list(await connection.fetch(_COMPARE, experiment_id, other_id))


_FIND = """
SELECT experiment.id, dataset_id FROM agents.experiments AS experiment
JOIN agents.datasets AS dataset ON dataset.id = dataset_id AND dataset.deleted_at IS NULL
WHERE experiment.id = ANY($1)
"""


async def find_datasets(connection: Connection, experiment_ids: Sequence[str]) -> dict[str, str]:
    """Return the data sets of those experiments that are there."""
    return {row["id"]: row["dataset_id"] for row in await connection.fetch(_FIND, experiment_ids)}


_COUNT_ORPHANS = """
SELECT count(*) FROM agents.experiment_runs JOIN agents.dataset_examples AS example ON example.id = example_id
JOIN agents.datasets AS dataset ON dataset.id = dataset_id
WHERE least(example.deleted_at, dataset.deleted_at) IS NOT NULL
"""
_DELETE_RUNS = """
DELETE FROM agents.experiment_runs USING agents.dataset_examples AS example, agents.datasets AS dataset
WHERE example.id = example_id AND dataset.id = dataset_id AND least(example.deleted_at, dataset.deleted_at) < $1
"""
_DELETE_EXPERIMENTS = """
DELETE FROM agents.experiments USING agents.datasets AS dataset WHERE dataset.id = dataset_id AND deleted_at < $1
"""


async def count_orphans(connection: Connection) -> int:
    """Return how many runs are there of deleted examples and sets."""
    return await fetch_count(connection, _COUNT_ORPHANS)


async def delete_orphans(connection: Connection, before: datetime) -> int:
    """Delete the runs of examples, and the experiments of sets, deleted before then; return how many runs."""
    removed = affected(await connection.execute(_DELETE_RUNS, before))
    await connection.execute(_DELETE_EXPERIMENTS, before)
    return removed
