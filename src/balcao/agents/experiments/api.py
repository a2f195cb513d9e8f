"""Routes of the experiments."""

from typing import Annotated, TypeAlias

from balcao.agents.datasets.incoming import MAX_BODY_BYTES, OUTPUT
from balcao.agents.datasets.schemas import DATASET_ID, EXAMPLE_ID, SET_ID, DatasetPath
from balcao.agents.experiments import service
from balcao.agents.experiments.schemas import (
    EXPERIMENT_ID,
    Experiment,
    ExperimentPath,
    ExperimentsEnvelope,
    ExperimentsQuery,
    NewExperiment,
    NewRuns,
    Recorded,
    RunsEnvelope,
    RunsQuery,
)
from balcao.agents.operations import READ_DATASET
from balcao.agents.queries import in_query_with_blanks
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.decoding import validate_model
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import FORM_BODY, Routes
from balcao.core.http.parameters import InPath

DatasetIdInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do conjunto de dados", SET_ID, DATASET_ID)]
ExperimentIdInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do experimento", EXPERIMENT_ID, DATASET_ID)]

MANAGE = action("dataset:manage")

routes = Routes(tags=["experimentos"], dialect=DETAIL)


@routes.get(
    "/api/v1/dataset_experiments_data",
    "agents.list_dataset_experiments",
    READ_DATASET,
    "Experimentos de um conjunto de dados",
    description=(
        "Devolve o conjunto com os seus experimentos, do mais novo ao mais antigo, até 200, cada um com as notas em "
        "resumo. Exige a ação `dataset:read`, ou um cliente dos próprios agentes."
    ),
    errors=[404, 422],
)
async def list_dataset_experiments(
    call: Call, query: Annotated[ExperimentsQuery, in_query_with_blanks(ExperimentsQuery)]
) -> ExperimentsEnvelope:
    """Return a data set's experiments."""
    return await service.list_experiments(call, query.dataset_id)


@routes.post(
    "/api/v1/datasets/{dataset_id}/experiments",
    "agents.create_experiment",
    MANAGE,
    "Cria um experimento",
    description=(
        "Cria um experimento, ainda sem execuções: diga com que agente e versão, se for um da plataforma. Exige a ação "
        "`dataset:manage`."
    ),
    status=201,
    errors=[404, 409, 422],
    body_limit=2 * FORM_BODY,
    example={"name": "Modelo novo", "agent_type": "agentic_search", "version": 11},
)
async def create_experiment(call: Call, dataset_id: DatasetIdInPath, body: NewExperiment) -> Experiment:
    """Create an experiment."""
    path = validate_model({"dataset_id": dataset_id}, DatasetPath, "path")
    return await service.create_experiment(call, path.dataset_id, body)


@routes.delete(
    "/api/v1/experiments/{experiment_id}",
    "agents.delete_experiment",
    MANAGE,
    "Exclui um experimento",
    description="Exclui o experimento com as suas execuções e notas. Exige a ação `dataset:manage`.",
    status=204,
    errors=[404, 422],
)
async def delete_experiment(call: Call, experiment_id: ExperimentIdInPath) -> None:
    """Delete an experiment."""
    path = validate_model({"experiment_id": experiment_id}, ExperimentPath, "path")
    await service.delete_experiment(call, path.experiment_id)


@routes.post(
    "/api/v1/experiments/{experiment_id}/runs",
    "agents.record_experiment_runs",
    MANAGE,
    "Grava execuções de um experimento",
    description=(
        "Grava de 1 a 1000 execuções, como lista JSON ou um objeto JSON por linha (JSON Lines): todas ou nenhuma. Cada "
        "uma toma o lugar da anterior do mesmo exemplo, com as suas avaliações. Textos com dados pessoais são "
        "recusados. Exige a ação `dataset:manage`."
    ),
    errors=[404, 422],
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
    """Record runs."""
    path = validate_model({"experiment_id": experiment_id}, ExperimentPath, "path")
    return await service.record_runs_from(call, path.experiment_id, content)


@routes.get(
    "/api/v1/experiment_runs_data",
    "agents.read_experiment_runs",
    READ_DATASET,
    "Execuções de um experimento, ou dois comparados",
    description=(
        "Devolve as execuções na ordem do conjunto, página por página. Com `compare_with`, outro experimento do mesmo "
        "conjunto, cada exemplo vem com as duas execuções, e `scoreChanges` conta em quantos a nota subiu, caiu ou "
        "ficou igual. Exige a ação `dataset:read`, ou um cliente dos próprios agentes."
    ),
    errors=[404, 422],
)
async def read_experiment_runs(
    call: Call, query: Annotated[RunsQuery, in_query_with_blanks(RunsQuery)]
) -> RunsEnvelope:
    """Return a page of runs."""
    return await service.read_runs(call, query)
