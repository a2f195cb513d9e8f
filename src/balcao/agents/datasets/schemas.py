"""Wire types of a data set's examples, and what a new set or example may bring."""

from typing import Annotated, Any, Literal

import msgspec
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticKnownError

from balcao.agents.datasets.cursors import START, position_of
from balcao.core.values.personal_data import refuse
from balcao.core.values.text import has_nul, iterate_texts

DATASET_ID = r"^[A-Za-z0-9_=-]{1,64}$"
MAX_PAGE = 1000
MAX_IMPORT = 1000
MAX_OBJECT_BYTES = 64 * 1024
MAX_OBJECT_DEPTH = 10

_EXAMPLE = {"mensagem_whatsapp_simulada": "Como peço a poda de uma árvore?"}


class Revision(msgspec.Struct):
    input: Annotated[dict[str, Any], msgspec.Meta(examples=[_EXAMPLE])]
    output: Annotated[dict[str, Any], msgspec.Meta(examples=[{"golden_answer": "Pelo serviço Poda de árvores."}])]
    metadata: Annotated[dict[str, Any], msgspec.Meta(examples=[{"id": "1"}])]


class ProjectRef(msgspec.Struct):
    id: str


class Trace(msgspec.Struct, rename="camel"):
    id: str
    trace_id: str
    project: ProjectRef


class Span(msgspec.Struct):
    """Where an imported example was taken from."""

    id: str
    trace: Trace


class Example(msgspec.Struct, rename="camel"):
    id: str
    latest_revision: Revision
    span: Span | None


class Edge(msgspec.Struct):
    example: Example
    cursor: Annotated[str, msgspec.Meta(examples=["AAAAAAAAAAEAAAAAAAAAAAAA"])]


class PageInfo(msgspec.Struct, rename="camel"):
    """`endCursor` is null for an empty page."""

    end_cursor: str | None
    has_next_page: bool


class Examples(msgspec.Struct, rename="camel"):
    edges: list[Edge]
    page_info: PageInfo


class DatasetPage(msgspec.Struct, rename={"typename": "__typename", "example_count": "exampleCount"}):
    """`exampleCount` counts all living examples."""

    typename: Literal["Dataset"]
    id: Annotated[str, msgspec.Meta(examples=["eVASz0i2SRWFf_yfcs_43Q"])]
    name: Annotated[str, msgspec.Meta(examples=["Atendimento simulado"])]
    example_count: Annotated[int, msgspec.Meta(ge=0, examples=[1])]
    examples: Examples


class DatasetData(msgspec.Struct):
    dataset: DatasetPage


class DatasetEnvelope(msgspec.Struct):
    """Examples of a data set, in the envelope that its readers know (spec: agent configuration)."""

    data: DatasetData


def _whole(sent: Any) -> Any:
    """Only digits make a number; of a longer one the first digits tell on which side of the bounds it lies."""
    digits = sent.removeprefix("-") if isinstance(sent, str) else ""
    if not (digits.isascii() and digits.isdigit()):
        raise PydanticKnownError("int_parsing")
    return sent[:18]


class ExamplesQuery(BaseModel):
    """The query of a page of examples (rules: agents 2.1). A parameter that is blank counts as absent."""

    dataset_id: Annotated[str, Field(pattern=DATASET_ID, description="Conjunto de dados")]
    first: Annotated[int, Field(ge=1, le=MAX_PAGE, description="Itens por página"), BeforeValidator(_whole)] = MAX_PAGE
    after: Annotated[str, Field(max_length=200, description="Cursor do último item já lido")] = ""

    @field_validator("after", mode="wrap")
    @classmethod
    def _of_this_set(cls, sent: Any, _: Any, known: ValidationInfo) -> str:
        if sent:
            position_of(known.data.get("dataset_id"), str(sent))
        return str(sent)

    @property
    def position(self) -> int:
        return position_of(self.dataset_id, self.after) if self.after else START


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def _acceptable(value: dict[str, Any]) -> dict[str, Any]:
    if len(msgspec.json.encode(value)) > MAX_OBJECT_BYTES:
        raise ValueError("deve ter no máximo 64 KiB")
    if _depth(value) > MAX_OBJECT_DEPTH:
        raise ValueError(f"deve ter no máximo {MAX_OBJECT_DEPTH} níveis")
    if has_nul(value):
        raise ValueError("não pode conter o caractere nulo")
    for text in iterate_texts(value):
        refuse(text)
    return value


Object = Annotated[dict[str, Any], AfterValidator(_acceptable)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
OpaqueId = Annotated[str, Field(pattern=DATASET_ID)]


class NewExample(BaseModel):
    """Objects of at most 64 KiB and ten levels, without personal data."""

    input: Object
    output: Object = {}
    metadata: Object = {}
    id: OpaqueId | None = None

    @property
    def content(self) -> dict[str, Any]:
        return self.model_dump(include={"input", "output", "metadata"})


class NewExamples(BaseModel):
    examples: Annotated[list[NewExample], Field(min_length=1, max_length=MAX_IMPORT)]


class NewDataset(BaseModel):
    """`id` is kept for a set that is imported."""

    name: Name
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    metadata: Object = {}
    id: OpaqueId | None = None
