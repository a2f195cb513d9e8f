"""Wire types for data sets and their examples."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from pydantic import Field, ValidationInfo, field_validator

from balcao.agents.datasets.cursors import START, ListPlace, decode_example_cursor, decode_list_cursor
from balcao.core.http.models import Model
from balcao.core.values.fields import DIGITS

DATASET_ID = r"^[A-Za-z0-9_=-]{1,64}$"
MAX_PAGE = 1000
MAX_LIST_PAGE = 100

_EXAMPLE = {"mensagem_whatsapp_simulada": "Como peço a poda de uma árvore?"}


SET_ID = "eVASz0i2SRWFf_yfcs_43Q"
EXAMPLE_ID = f"{SET_ID}-1"


class Revision(msgspec.Struct):
    """The latest revision of an example's content."""

    input: Annotated[dict[str, Any], Meta(description="O que é dado ao agente.", examples=[_EXAMPLE])]
    output: Annotated[
        dict[str, Any],
        Meta(
            description="O que se espera dele; vazio se nada.",
            examples=[{"golden_answer": "Pelo serviço Poda de árvores."}],
        ),
    ]
    metadata: Annotated[dict[str, Any], Meta(description="Dados livres; vazio se não há.", examples=[{"id": "1"}])]


class ProjectRef(msgspec.Struct):
    """The project to which a trace belongs."""

    id: Annotated[str, Meta(description="Identificador do projeto.", examples=["projeto-1"])]


class Trace(msgspec.Struct, rename="camel"):
    """The trace to which a span belongs."""

    id: Annotated[str, Meta(description="Identificador do registro.", examples=["registro-1"])]
    trace_id: Annotated[
        str, Meta(description="Identificador do rastro.", examples=["4bf92f3577b34da6a3ce929d0e0e4736"])
    ]
    project: Annotated[ProjectRef, Meta(description="Projeto do rastro.")]


class Span(msgspec.Struct):
    """The traced span from which an example was imported."""

    id: Annotated[str, Meta(description="Identificador do trecho.", examples=["00f067aa0ba902b7"])]
    trace: Annotated[Trace, Meta(description="Rastro de onde o trecho veio.")]


class Example(msgspec.Struct, rename="camel"):
    """An example, with its current content."""

    id: Annotated[str, Meta(description="Identificador do exemplo.", examples=[EXAMPLE_ID])]
    latest_revision: Annotated[Revision, Meta(description="Conteúdo atual do exemplo.")]
    span: Annotated[Span | None, Meta(description="De onde o exemplo foi tirado; nulo se foi escrito à mão.")]


class Edge(msgspec.Struct):
    """An example, with the cursor for its position in the data set."""

    example: Annotated[Example, Meta(description="O exemplo.")]
    cursor: Annotated[
        str,
        Meta(
            description="Posição do exemplo: envie-a em `after` para continuar.", examples=["AAAAAAAAAAEAAAAAAAAAAAAA"]
        ),
    ]


class PageInfo(msgspec.Struct, rename="camel"):
    """The cursor for the page's last item, and whether another page follows. `endCursor` is null for an empty page."""

    end_cursor: Annotated[
        str | None,
        Meta(description="Cursor do último item; nulo em página vazia.", examples=["AAAAAAAAAAEAAAAAAAAAAAAA"]),
    ]
    has_next_page: Annotated[bool, Meta(description="Se há mais exemplos depois desta página.", examples=[False])]


class Examples(msgspec.Struct, rename="camel"):
    """A page of examples."""

    edges: Annotated[list[Edge], Meta(description="Exemplos da página, na ordem do conjunto.")]
    page_info: Annotated[PageInfo, Meta(description="Como continuar.")]


class DatasetPage(msgspec.Struct, rename={"typename": "__typename", "example_count": "exampleCount"}):
    """A data set with a page of its examples. `exampleCount` counts all examples that are not deleted."""

    typename: Annotated[Literal["Dataset"], Meta(description="Sempre `Dataset`.")]
    id: Annotated[str, Meta(description="Identificador do conjunto.", examples=[SET_ID])]
    name: Annotated[str, Meta(description="Nome do conjunto.", examples=["Atendimento simulado"])]
    example_count: Annotated[int, Meta(ge=0, description="Exemplos no conjunto inteiro.", examples=[1])]
    examples: Annotated[Examples, Meta(description="A página pedida.")]


class DatasetData(msgspec.Struct):
    """The content of the envelope."""

    dataset: Annotated[DatasetPage, Meta(description="O conjunto de dados.")]


class DatasetEnvelope(msgspec.Struct):
    """A data set's examples, in the envelope that existing clients expect (spec: agent configuration)."""

    data: Annotated[DatasetData, Meta(description="O conteúdo da resposta.")]


class Added(msgspec.Struct):
    """The result of adding examples.

    `ids` contains the ids of all examples in the order of the request. `unchanged` counts the examples whose content
    was already stored.
    """

    added: Annotated[int, Meta(ge=0, description="Exemplos acrescentados.", examples=[1])]
    unchanged: Annotated[
        int, Meta(ge=0, description="Exemplos cujo conteúdo o conjunto já tinha: não se repetem.", examples=[0])
    ]
    ids: Annotated[
        list[str],
        Meta(description="Identificadores de todos os exemplos enviados, na sua ordem.", examples=[[EXAMPLE_ID]]),
    ]


class RevisedExample(msgspec.Struct, rename="camel"):
    """An example after a change. The first `revision` is 1."""

    id: Annotated[str, Meta(description="Identificador do exemplo.", examples=[EXAMPLE_ID])]
    revision: Annotated[int, Meta(ge=1, description="Número da revisão, a partir de 1.", examples=[2])]
    latest_revision: Annotated[Revision, Meta(description="Conteúdo atual do exemplo.")]


class Dataset(msgspec.Struct, rename="camel"):
    """An item in the list of data sets."""

    id: Annotated[str, Meta(description="Identificador do conjunto.", examples=[SET_ID])]
    name: Annotated[str, Meta(description="Nome do conjunto.", examples=["Atendimento simulado"])]
    description: Annotated[
        str, Meta(description="Para que serve; vazio se não foi informado.", examples=["Perguntas simuladas."])
    ]
    metadata: Annotated[
        dict[str, Any], Meta(description="Dados livres; vazio se não há.", examples=[{"origem": "equipe"}])
    ]
    created_at: Annotated[
        str, Meta(description="Quando foi criado, com fuso.", examples=["2026-10-05T14:30:00.000000+00:00"])
    ]
    example_count: Annotated[int, Meta(ge=0, description="Exemplos no conjunto.", examples=[40])]
    experiment_count: Annotated[int, Meta(ge=0, description="Experimentos feitos com o conjunto.", examples=[0])]


class DatasetEdge(msgspec.Struct):
    """A data set, with the cursor for its position in the list."""

    node: Annotated[Dataset, Meta(description="O conjunto.")]
    cursor: Annotated[
        str, Meta(description="Posição do conjunto: envie-a em `after` para continuar.", examples=["q83vEjRWeJCrzQ"])
    ]


class DatasetList(msgspec.Struct, rename="camel"):
    """A page of data sets, newest first."""

    edges: Annotated[list[DatasetEdge], Meta(description="Conjuntos da página, do mais novo ao mais antigo.")]
    page_info: Annotated[PageInfo, Meta(description="Como continuar.")]


class DatasetsData(msgspec.Struct):
    """The content of the envelope."""

    datasets: Annotated[DatasetList, Meta(description="A página pedida.")]


class DatasetsEnvelope(msgspec.Struct):
    """Data sets, in the envelope that existing clients expect (rules: agents 2.3)."""

    data: Annotated[DatasetsData, Meta(description="O conteúdo da resposta.")]


class DatasetsQuery(Model):
    """The query for a page of data sets. A blank parameter counts as absent."""

    first: Annotated[
        int,
        Field(ge=1, le=MAX_LIST_PAGE, description="Conjuntos por página, de 1 a 100.", examples=[20]),
        DIGITS,
    ] = MAX_LIST_PAGE
    after: Annotated[
        str, Field(max_length=200, description="Cursor do último conjunto já lido; vazio para o começo.")
    ] = ""

    @field_validator("after")
    @classmethod
    def _check_cursor_kind(cls, sent: str) -> str:
        if sent:
            decode_list_cursor(sent)
        return sent

    @property
    def place(self) -> ListPlace | None:
        """The data set after which the page starts, or None for the first page."""
        return decode_list_cursor(self.after) if self.after else None


class DatasetPath(Model):
    """The id of a data set in the path."""

    dataset_id: Annotated[str, Field(pattern=DATASET_ID)]


class ExportQuery(Model):
    """The format of the exported data set."""

    format: Annotated[
        Literal["jsonl", "csv"],
        Field(
            description="`jsonl`, um objeto JSON por linha, ou `csv`, com os objetos como texto.", examples=["jsonl"]
        ),
    ] = "jsonl"


class ExamplePath(DatasetPath):
    """The ids of a data set and an example in the path."""

    example_id: Annotated[str, Field(pattern=DATASET_ID)]


class ExamplesQuery(Model):
    """The query for a page of examples (rules: agents 2.1). A blank parameter counts as absent."""

    dataset_id: Annotated[
        str,
        Field(pattern=DATASET_ID, description="Identificador do conjunto de dados.", examples=[SET_ID]),
    ]
    first: Annotated[
        int,
        Field(ge=1, le=MAX_PAGE, description="Exemplos por página, de 1 a 1000.", examples=[100]),
        DIGITS,
    ] = MAX_PAGE
    after: Annotated[
        str, Field(max_length=200, description="Cursor do último exemplo já lido; vazio para o começo.")
    ] = ""

    @field_validator("after", mode="wrap")
    @classmethod
    def _of_this_set(cls, sent: Any, _: Any, known: ValidationInfo) -> str:
        if sent:
            decode_example_cursor(known.data.get("dataset_id"), str(sent))
        return str(sent)

    @property
    def position(self) -> int:
        """The position after which the page starts."""
        return decode_example_cursor(self.dataset_id, self.after) if self.after else START
