"""Routes of the data sets."""

from typing import Any

from litestar import Request

from balcao.agents.datasets import service
from balcao.agents.datasets.schemas import DatasetEnvelope, ExamplesQuery
from balcao.agents.operations import READ_DATASET, operation
from balcao.core.http.decoding import validate_model
from balcao.core.http.dialects import DETAIL_WITH_INPUT
from balcao.core.http.operations import CurrentCall, query_of


@operation(
    "GET",
    "/api/v1/dataset_examples_data",
    "agents.read_dataset_examples",
    READ_DATASET,
    "Exemplos de um conjunto de dados",
    dialect=DETAIL_WITH_INPUT,
    errors=[404, 422],
    query=ExamplesQuery,
    tags=["conjuntos de dados"],
)
async def read_dataset_examples(call: CurrentCall, request: Request[Any, Any, Any]) -> DatasetEnvelope:
    sent = {name: value for name, value in query_of(request).items() if value.strip()}
    return await service.read_examples(call, validate_model(sent, ExamplesQuery, "query", with_input=True))


ROUTES = [read_dataset_examples]
