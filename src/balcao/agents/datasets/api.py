"""Routes of the data sets."""

from balcao.agents.datasets import service
from balcao.agents.datasets.schemas import DatasetEnvelope, ExamplesQuery
from balcao.agents.operations import READ_DATASET
from balcao.core.context.call import Call
from balcao.core.http.decoding import validate_model
from balcao.core.http.dialects import DETAIL, DETAIL_WITH_INPUT
from balcao.core.http.operations import Routes
from balcao.core.http.parameters import Query

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
