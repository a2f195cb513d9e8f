"""Routes for experiments."""

from typing import Annotated, TypeAlias

from balcao.agents.datasets.incoming import MAX_BODY_BYTES, OUTPUT
from balcao.agents.datasets.retention import RETENTION_PERIOD
from balcao.agents.datasets.schemas import DATASET_ID, EXAMPLE_ID, SET_ID, DatasetPath
from balcao.agents.experiments import service, store
from balcao.agents.experiments.schemas import (
    EXPERIMENT_ID,
    Experiment,
    ExperimentCreation,
    ExperimentPath,
    ExperimentsEnvelope,
    ExperimentsQuery,
    NewRuns,
    Recorded,
    RunsEnvelope,
    RunsQuery,
)
from balcao.agents.operations import READ_DATASET, Deleted
from balcao.agents.queries import in_query_with_blanks
from balcao.agents.routes import ROUTES
from balcao.core.access.rules import action
from balcao.core.audit.retention import Retention, RetentionCount
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.decoding import validate_model
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import InPath
from balcao.core.values.clock import utc_now

DatasetIdInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do conjunto de dados", SET_ID, DATASET_ID)]
ExperimentIdInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do experimento", EXPERIMENT_ID, DATASET_ID)]

MANAGE = action("dataset:manage")

routes = ROUTES.extend(tags=["experimentos"])


@routes.get(
    "/api/v1/dataset_experiments_data",
    "agents.list_dataset_experiments",
    READ_DATASET,
    "Experimentos de um conjunto de dados",
    errors=[404],
)
async def get_dataset_experiments(
    call: Call, query: Annotated[ExperimentsQuery, in_query_with_blanks(ExperimentsQuery)]
) -> ExperimentsEnvelope:
    """Devolve o conjunto com os seus experimentos mais novos, até 200, do mais novo ao mais antigo, cada um com um
    resumo das notas. Exige a ação `dataset:read` ou um cliente dos próprios agentes.
    """
    return await service.list_experiments(call, query.dataset_id)


@routes.post(
    "/api/v1/datasets/{dataset_id}/experiments",
    "agents.create_experiment",
    MANAGE,
    "Cria um experimento",
    status=201,
    errors=[409],
    body_limit=2 * FORM_BODY,
    example={"name": "Modelo novo", "agent_type": "agentic_search", "version": 11},
)
async def post_experiment(call: Call, dataset_id: DatasetIdInPath, body: ExperimentCreation) -> Experiment:
    """Cria um experimento, ainda sem execuções. Se ele testa um agente da plataforma, informe o tipo e a versão do
    agente.
    """
    path = validate_model({"dataset_id": dataset_id}, DatasetPath, "path")
    return await service.create_experiment(call, path.dataset_id, body)


@routes.delete(
    "/api/v1/experiments/{experiment_id}",
    "agents.delete_experiment",
    MANAGE,
    "Exclui um experimento",
    errors=[422],
)
async def delete_experiment(call: Call, experiment_id: ExperimentIdInPath) -> Deleted:
    """Exclui o experimento, as suas execuções e as notas."""
    path = validate_model({"experiment_id": experiment_id}, ExperimentPath, "path")
    await service.delete_experiment(call, path.experiment_id)
    return Deleted(success=True, message="O experimento foi excluído com as suas execuções.")


@routes.post(
    "/api/v1/experiments/{experiment_id}/runs",
    "agents.record_experiment_runs",
    MANAGE,
    "Grava execuções de um experimento",
    body_limit=MAX_BODY_BYTES,
    described_body=NewRuns,
    example=[
        {
            "example_id": EXAMPLE_ID,
            "output": OUTPUT,
            "latency_ms": 850,
            "annotations": [{"name": "correção", "annotator_kind": "human", "score": 1, "label": "certo"}],
        }
    ],
)
async def record_experiment_runs(call: Call, experiment_id: ExperimentIdInPath, content: bytes) -> Recorded:
    """Grava de 1 a 1000 execuções, enviadas como lista JSON ou com um objeto JSON por linha (JSON Lines). Se uma não
    puder ser gravada, nenhuma é. Cada execução substitui a anterior do mesmo exemplo, com as suas avaliações. Textos
    com dados pessoais são recusados.
    """
    path = validate_model({"experiment_id": experiment_id}, ExperimentPath, "path")
    return await service.record_runs_from(call, path.experiment_id, content)


@routes.get(
    "/api/v1/experiment_runs_data",
    "agents.read_experiment_runs",
    READ_DATASET,
    "Execuções de um experimento, ou dois comparados",
    errors=[404],
)
async def get_experiment_runs(call: Call, query: Annotated[RunsQuery, in_query_with_blanks(RunsQuery)]) -> RunsEnvelope:
    """Devolve uma página das execuções, na ordem dos exemplos do conjunto. Com `compare_with`, outro experimento do
    mesmo conjunto, cada exemplo vem com as duas execuções, e `scoreChanges` conta em quantos exemplos a nota subiu,
    caiu ou ficou igual. Exige a ação `dataset:read` ou um cliente dos próprios agentes.
    """
    return await service.read_runs(call, query)


async def _delete_orphans(_: Call, connection: Connection) -> RetentionCount:
    checked, before = await store.count_orphaned_runs(connection), utc_now() - RETENTION_PERIOD
    removed = await store.delete_orphaned_runs(connection, before)
    await store.delete_orphaned_experiments(connection, before)
    return RetentionCount(checked, removed)


RETENTION = (Retention("experiment_run", _delete_orphans),)


FEATURE = Feature(
    routes=routes.declared,
    retention=RETENTION,
    exports=Exports(tables=("agents.experiments", "agents.experiment_runs", "agents.experiment_scores")),
)
