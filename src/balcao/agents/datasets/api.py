"""Routes of the data sets."""

from typing import Annotated, TypeAlias

from balcao.agents.datasets import service
from balcao.agents.datasets.schemas import (
    DATASET_ID,
    EXAMPLE_ID,
    SET_ID,
    DatasetEnvelope,
    ExamplePath,
    ExamplesQuery,
)
from balcao.agents.operations import READ_DATASET
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.decoding import validate_model
from balcao.core.http.dialects import DETAIL, DETAIL_WITH_INPUT
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import InPath, Query

DatasetIdInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do conjunto de dados", SET_ID, DATASET_ID)]
ExampleIdInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do exemplo", EXAMPLE_ID, DATASET_ID)]

routes = Routes(tags=["conjuntos de dados"], dialect=DETAIL)


@routes.get(
    "/api/v1/dataset_examples_data",
    "agents.read_dataset_examples",
    READ_DATASET,
    "Exemplos de um conjunto de dados",
    description=(
        "Devolve uma página dos exemplos com que os agentes são avaliados, na ordem em que entraram. Exige a ação "
        "`dataset:read`, ou um cliente dos próprios agentes. A página pode vir menor que o pedido quando a resposta "
        "ficaria grande demais: siga `endCursor` enquanto `hasNextPage` for verdadeiro."
    ),
    dialect=DETAIL_WITH_INPUT,
    errors=[404, 422],
    query=ExamplesQuery,
)
async def read_dataset_examples(call: Call, query: Query) -> DatasetEnvelope:
    """Return a page of a data set's examples."""
    sent = {name: value for name, value in query.items() if value.strip()}
    return await service.read_examples(call, validate_model(sent, ExamplesQuery, "query", with_input=True))


@routes.delete(
    "/api/v1/datasets/{dataset_id}/examples/{example_id}",
    "agents.delete_dataset_example",
    action("dataset:manage"),
    "Exclui um exemplo de um conjunto de dados",
    description=(
        "Exclui o exemplo: as páginas seguintes não o trazem mais, e o seu identificador continua ocupado. Repetir dá "
        "404. Exige a ação `dataset:manage`."
    ),
    status=204,
    errors=[404, 422],
)
async def delete_dataset_example(call: Call, dataset_id: DatasetIdInPath, example_id: ExampleIdInPath) -> None:
    """Delete an example."""
    path = validate_model({"dataset_id": dataset_id, "example_id": example_id}, ExamplePath, "path")
    await service.delete_example(call, path.dataset_id, path.example_id)
