"""Wire types of a data set's examples, and what a new set or example may bring."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)

from balcao.agents.datasets.cursors import START, decode_cursor
from balcao.agents.queries import DIGITS
from balcao.core.values.personal_data import refuse
from balcao.core.values.text import has_nul, iterate_texts

DATASET_ID = r"^[A-Za-z0-9_=-]{1,64}$"
MAX_PAGE = 1000
MAX_IMPORT = 1000
MAX_OBJECT_BYTES = 64 * 1024
MAX_OBJECT_DEPTH = 10

_EXAMPLE = {"mensagem_whatsapp_simulada": "Como peço a poda de uma árvore?"}


SET_ID = "eVASz0i2SRWFf_yfcs_43Q"
EXAMPLE_ID = "AAAAAAAAAAAAAAAAAAAAAA-1"


class Revision(msgspec.Struct):
    """The content of an example as of its latest revision."""

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
    """The project that a trace belongs to."""

    id: Annotated[str, Meta(description="Identificador do projeto.", examples=["projeto-1"])]


class Trace(msgspec.Struct, rename="camel"):
    """The trace that a span belongs to."""

    id: Annotated[str, Meta(description="Identificador do registro.", examples=["registro-1"])]
    trace_id: Annotated[
        str, Meta(description="Identificador do rastro.", examples=["4bf92f3577b34da6a3ce929d0e0e4736"])
    ]
    project: Annotated[ProjectRef, Meta(description="Projeto do rastro.")]


class Span(msgspec.Struct):
    """Where an imported example was taken from."""

    id: Annotated[str, Meta(description="Identificador do trecho.", examples=["00f067aa0ba902b7"])]
    trace: Annotated[Trace, Meta(description="Rastro de onde o trecho veio.")]


class Example(msgspec.Struct, rename="camel"):
    """An example with its present content."""

    id: Annotated[str, Meta(description="Identificador do exemplo.", examples=[EXAMPLE_ID])]
    latest_revision: Annotated[Revision, Meta(description="Conteúdo atual do exemplo.")]
    span: Annotated[Span | None, Meta(description="De onde o exemplo foi tirado; nulo se foi escrito à mão.")]


class Edge(msgspec.Struct):
    """An example and where it stands in its set."""

    example: Annotated[Example, Meta(description="O exemplo.")]
    cursor: Annotated[
        str,
        Meta(
            description="Posição do exemplo: envie-a em `after` para continuar.", examples=["AAAAAAAAAAEAAAAAAAAAAAAA"]
        ),
    ]


class PageInfo(msgspec.Struct, rename="camel"):
    """`endCursor` is null for an empty page."""

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
    """`exampleCount` counts all living examples."""

    typename: Annotated[Literal["Dataset"], Meta(description="Sempre `Dataset`.")]
    id: Annotated[str, Meta(description="Identificador do conjunto.", examples=[SET_ID])]
    name: Annotated[str, Meta(description="Nome do conjunto.", examples=["Atendimento simulado"])]
    example_count: Annotated[int, Meta(ge=0, description="Exemplos no conjunto inteiro.", examples=[1])]
    examples: Annotated[Examples, Meta(description="A página pedida.")]


class DatasetData(msgspec.Struct):
    """The inner part of the envelope."""

    dataset: Annotated[DatasetPage, Meta(description="O conjunto de dados.")]


class DatasetEnvelope(msgspec.Struct):
    """Examples of a data set, in the envelope that its readers know (spec: agent configuration)."""

    data: Annotated[DatasetData, Meta(description="O conteúdo da resposta.")]


class ExamplesQuery(BaseModel):
    """The query of a page of examples (rules: agents 2.1). A parameter that is blank counts as absent."""

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
            decode_cursor(known.data.get("dataset_id"), str(sent))
        return str(sent)

    @property
    def position(self) -> int:
        """Return the position after which the page begins."""
        return decode_cursor(self.dataset_id, self.after) if self.after else START


def _measure_depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_measure_depth, value.values()), default=0)
    return 1 + max(map(_measure_depth, value), default=0) if isinstance(value, list) else 0


def _check_object(value: dict[str, Any]) -> dict[str, Any]:
    if len(msgspec.json.encode(value)) > MAX_OBJECT_BYTES:
        raise ValueError("deve ter no máximo 64 KiB")
    if _measure_depth(value) > MAX_OBJECT_DEPTH:
        raise ValueError(f"deve ter no máximo {MAX_OBJECT_DEPTH} níveis")
    if has_nul(value):
        raise ValueError("não pode conter o caractere nulo")
    for text in iterate_texts(value):
        refuse(text)
    return value


Object = Annotated[dict[str, Any], AfterValidator(_check_object)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
OpaqueId = Annotated[str, Field(pattern=DATASET_ID)]


class ExamplePath(BaseModel):
    """The ids of an example in a path."""

    dataset_id: OpaqueId
    example_id: OpaqueId


class NewExample(BaseModel):
    """Objects of at most 64 KiB and ten levels, without personal data."""

    input: Object
    output: Object = {}
    metadata: Object = {}
    id: OpaqueId | None = None

    @property
    def content(self) -> dict[str, Any]:
        """Return what the example's hash and its revision are made of."""
        return self.model_dump(include={"input", "output", "metadata"})


class NewExamples(BaseModel):
    examples: Annotated[list[NewExample], Field(min_length=1, max_length=MAX_IMPORT)]


class NewDataset(BaseModel):
    """An imported set brings its `id`."""

    name: Name
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    metadata: Object = {}
    id: OpaqueId | None = None
