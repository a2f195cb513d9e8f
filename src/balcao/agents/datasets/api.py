"""Routes for data sets."""

from typing import Annotated, TypeAlias

from balcao.agents.datasets import export, service, store
from balcao.agents.datasets.imports import IMPORTS
from balcao.agents.datasets.incoming import (
    INPUT,
    MAX_BODY_BYTES,
    OUTPUT,
    DatasetCreation,
    ExampleContent,
    ExamplesCreation,
)
from balcao.agents.datasets.retention import RETENTION
from balcao.agents.datasets.schemas import (
    DATASET_ID,
    EXAMPLE_ID,
    SET_ID,
    Added,
    Dataset,
    DatasetEnvelope,
    DatasetPath,
    DatasetsEnvelope,
    DatasetsQuery,
    ExamplePath,
    ExamplesQuery,
    ExportQuery,
    RevisedExample,
)
from balcao.agents.operations import READ_DATASET, Deleted
from balcao.agents.queries import drop_blank_parameters, in_query_with_blanks
from balcao.agents.routes import ROUTES
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.decoding import validate_model
from balcao.core.http.dialects import DETAIL_WITH_INPUT
from balcao.core.http.parameters import InPath, Query, in_query
from balcao.core.http.responses import Response, streamed_attachment

DatasetIdInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do conjunto de dados", SET_ID, DATASET_ID)]
ExampleIdInPath: TypeAlias = Annotated[str, InPath(str, "Identificador do exemplo", EXAMPLE_ID, DATASET_ID)]

MANAGE = action("dataset:manage")

routes = ROUTES.extend(tags=["conjuntos de dados"])


@routes.get(
    "/api/v1/datasets_data",
    "agents.list_datasets",
    READ_DATASET,
    "Lista os conjuntos de dados",
)
async def get_datasets(
    call: Call, query: Annotated[DatasetsQuery, in_query_with_blanks(DatasetsQuery)]
) -> DatasetsEnvelope:
    """Devolve uma página dos conjuntos de dados, do mais novo ao mais antigo. Enquanto `hasNextPage` for verdadeiro,
    envie `endCursor` em `after` para ler a próxima página. Exige a ação `dataset:read` ou um cliente dos próprios
    agentes.
    """
    return await service.list_datasets(call, query)


@routes.post(
    "/api/v1/datasets",
    "agents.create_dataset",
    MANAGE,
    "Cria um conjunto de dados",
    status=201,
    errors=[409],
    body_limit=MAX_BODY_BYTES,
    described_body=DatasetCreation,
    example={"name": "Perguntas sobre poda", "examples": [{"input": INPUT, "output": OUTPUT}]},
)
async def post_dataset(call: Call, content: bytes) -> Dataset:
    """Cria um conjunto, vazio ou com até 1000 exemplos. Se um exemplo não puder entrar, nada é criado. Textos com dados
    pessoais (CPF, e-mail, telefone) são recusados.
    """
    return await service.create_dataset_from(call, content)


@routes.delete(
    "/api/v1/datasets/{dataset_id}",
    "agents.delete_dataset",
    MANAGE,
    "Exclui um conjunto de dados",
    errors=[422],
)
async def delete_dataset(call: Call, dataset_id: DatasetIdInPath) -> Deleted:
    """Exclui o conjunto e os seus exemplos. O nome pode ser usado de novo; o conteúdo dos exemplos é apagado depois de
    90 dias.
    """
    path = validate_model({"dataset_id": dataset_id}, DatasetPath, "path")
    await service.delete_dataset(call, path.dataset_id)
    return Deleted(success=True, message="O conjunto foi excluído com os seus exemplos.")


@routes.get(
    "/api/v1/dataset_examples_data",
    "agents.read_dataset_examples",
    READ_DATASET,
    "Exemplos de um conjunto de dados",
    dialect=DETAIL_WITH_INPUT,
    errors=[404],
    query=ExamplesQuery,
)
async def get_dataset_examples(call: Call, query: Query) -> DatasetEnvelope:
    """Devolve uma página dos exemplos com que os agentes são avaliados, na ordem em que foram incluídos. Exige a ação
    `dataset:read` ou um cliente dos próprios agentes. A página pode ter menos itens que o pedido, para não ficar grande
    demais. Enquanto `hasNextPage` for verdadeiro, envie `endCursor` em `after` para ler a próxima página.
    """
    checked = validate_model(drop_blank_parameters(query), ExamplesQuery, "query", with_input=True)
    return await service.read_dataset_examples(call, checked)


@routes.get(
    "/api/v1/datasets/{dataset_id}/export",
    "agents.export_dataset",
    READ_DATASET,
    "Exporta um conjunto de dados",
    media_types=list(export.MEDIA_TYPES.values()),
)
async def export_dataset(
    call: Call, dataset_id: DatasetIdInPath, query: Annotated[ExportQuery, in_query(ExportQuery)]
) -> Response[str]:
    """Envia todos os exemplos do conjunto, na ordem em que foram incluídos, enquanto são lidos; o tamanho do conjunto
    não importa. Em `jsonl`, cada linha tem `id`, `input`, `output` e `metadata` de um exemplo, na mesma forma aceita
    para incluir exemplos. Em `csv`, as colunas são as mesmas, com os objetos como texto JSON. Exige a ação
    `dataset:read` ou um cliente dos próprios agentes.
    """
    path = validate_model({"dataset_id": dataset_id}, DatasetPath, "path")
    chunks = await export.export_dataset(call, path.dataset_id, query.format)
    return streamed_attachment(chunks, f"{path.dataset_id}.{query.format}", export.MEDIA_TYPES[query.format])


@routes.post(
    "/api/v1/datasets/{dataset_id}/examples",
    "agents.add_dataset_examples",
    MANAGE,
    "Acrescenta exemplos a um conjunto de dados",
    status=201,
    body_limit=MAX_BODY_BYTES,
    described_body=ExamplesCreation,
    example=[{"input": INPUT, "output": OUTPUT}],
)
async def post_dataset_examples(call: Call, dataset_id: DatasetIdInPath, content: bytes) -> Added:
    """Inclui de 1 a 1000 exemplos, enviados como lista JSON ou com um objeto JSON por linha (JSON Lines). Se um não
    puder entrar, nenhum entra. Um exemplo cujo conteúdo o conjunto já tem não é repetido e conta em `unchanged`. Textos
    com dados pessoais (CPF, e-mail, telefone) são recusados.
    """
    path = validate_model({"dataset_id": dataset_id}, DatasetPath, "path")
    return await service.add_examples_from(call, path.dataset_id, content)


@routes.put(
    "/api/v1/datasets/{dataset_id}/examples/{example_id}",
    "agents.revise_dataset_example",
    MANAGE,
    "Muda o conteúdo de um exemplo",
    example={"input": INPUT, "output": {"golden_answer": "Peça pelo serviço Poda de árvores."}},
)
async def revise_dataset_example(
    call: Call, dataset_id: DatasetIdInPath, example_id: ExampleIdInPath, body: ExampleContent
) -> RevisedExample:
    """Substitui os três objetos do exemplo e cria uma nova revisão. As revisões anteriores ficam guardadas, e o exemplo
    mantém a sua posição. Se o conteúdo é igual ao atual, nada muda.
    """
    path = validate_model({"dataset_id": dataset_id, "example_id": example_id}, ExamplePath, "path")
    return await service.revise_example(call, path.dataset_id, path.example_id, body)


@routes.delete(
    "/api/v1/datasets/{dataset_id}/examples/{example_id}",
    "agents.delete_dataset_example",
    MANAGE,
    "Exclui um exemplo de um conjunto de dados",
    status=204,
    errors=[422],
)
async def delete_dataset_example(call: Call, dataset_id: DatasetIdInPath, example_id: ExampleIdInPath) -> None:
    """Exclui o exemplo, que não aparece mais nas páginas. O seu identificador não pode ser usado de novo. Se ele já foi
    excluído, a resposta é 404.
    """
    path = validate_model({"dataset_id": dataset_id, "example_id": example_id}, ExamplePath, "path")
    await service.delete_example(call, path.dataset_id, path.example_id)


FEATURE = Feature(routes=routes.declared, retention=RETENTION, imports=IMPORTS, exports=store.EXPORTS)
