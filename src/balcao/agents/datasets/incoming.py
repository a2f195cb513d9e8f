"""Request bodies for data sets, which reject personal data, and a parser for lists of examples."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from pydantic import AfterValidator, BaseModel, Field, RootModel, StringConstraints

from balcao.agents.datasets.schemas import DATASET_ID
from balcao.core.errors import Fault, Invalid, Unprocessable
from balcao.core.http.decoding import decode_model, parse_value, require_few_values, strip_bom, validate_model
from balcao.core.http.models import Model
from balcao.core.values.fields import refuse_nul
from balcao.core.values.personal_data import refuse_personal_data
from balcao.core.values.text import iterate_texts

T = TypeVar("T", bound=BaseModel)

MAX_IMPORT = 1000
MAX_OBJECT_BYTES = 64 * 1024
MAX_OBJECT_DEPTH = 10
# The limit bounds the search for personal data, which is the slowest step: a malicious body of this size takes a few
# seconds.
MAX_BODY_BYTES = 4 * 1024 * 1024

INPUT = {"mensagem_whatsapp_simulada": "Como peço a poda de uma árvore?"}
OUTPUT = {"golden_answer": "Pelo serviço Poda de árvores."}


def _measure_depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_measure_depth, value.values()), default=0)
    return 1 + max(map(_measure_depth, value), default=0) if isinstance(value, list) else 0


def _check_object(value: dict[str, Any]) -> dict[str, Any]:
    if len(msgspec.json.encode(value)) > MAX_OBJECT_BYTES:
        raise ValueError("deve ter no máximo 64 KiB")
    if _measure_depth(value) > MAX_OBJECT_DEPTH:
        raise ValueError(f"deve ter no máximo {MAX_OBJECT_DEPTH} níveis")
    for text in iterate_texts(value):
        check_text(text)
    return value


def check_text(text: str) -> str:
    """Return the string unchanged. Raises ValueError if PostgreSQL cannot store it, or if it contains personal data."""
    return refuse_personal_data(refuse_nul(text))


def refuse_repeated_values(found: list[T], member: str) -> list[T]:
    """Return the models unchanged. Raises ValueError if two of them have the same value in `member`."""
    if len({getattr(one, member) for one in found}) < len(found):
        raise ValueError(f"não pode repetir `{member}`")
    return found


Object = Annotated[dict[str, Any], AfterValidator(_check_object)]
Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200, strip_whitespace=True),
    AfterValidator(check_text),
    Field(description="Nome do conjunto, único.", examples=["Perguntas sobre poda"]),
]
Description = Annotated[
    str,
    StringConstraints(max_length=2000),
    AfterValidator(check_text),
    Field(description="Para que serve o conjunto.", examples=["Perguntas simuladas."]),
]
Metadata = Annotated[Object, Field(description="Dados livres, sem dados pessoais.", examples=[{"origem": "equipe"}])]
OpaqueId = Annotated[str, Field(pattern=DATASET_ID)]


class ExampleContent(Model):
    """The content of an example: objects of at most 64 KiB and ten levels, without personal data (rules: agents 4)."""

    input: Annotated[Object, Field(description="O que é dado ao agente, sem dados pessoais.", examples=[INPUT])]
    output: Annotated[Object, Field(description="O que se espera dele; vazio se nada.", examples=[OUTPUT])] = {}
    metadata: Metadata = {}

    @property
    def content(self) -> dict[str, Any]:
        """The content that the example's hash and revision are computed from."""
        return self.model_dump(include={"input", "output", "metadata"})


class ExampleCreation(ExampleContent):
    id: Annotated[
        OpaqueId | None, Field(description="Identificador que o exemplo já tem; sem ele recebe um.", examples=["p-1"])
    ] = None


class ExamplesCreation(RootModel[Annotated[list[ExampleCreation], Field(min_length=1, max_length=MAX_IMPORT)]]):
    """The examples that one call can add."""


class DatasetCreation(Model):
    name: Name
    description: Description = ""
    metadata: Metadata = {}
    examples: Annotated[
        list[ExampleCreation], Field(max_length=MAX_IMPORT, description="Exemplos com que o conjunto começa, até 1000.")
    ] = []


def parse_items(content: bytes, kind: type[RootModel[list[T]]], item: type[T]) -> list[T]:
    """Parse the items in a body: a JSON array, or JSON Lines, in which blank lines are ignored.

    Raises Unprocessable, which lists all errors. `loc` contains the item's position, counted from 0. For JSON Lines,
    the message also contains the line number, counted from 1.
    """
    content = strip_bom(content)
    try:
        require_few_values(content)
        if content.lstrip()[:1] != b"[":
            return validate_model(_read_lines(content, item), kind, "body").root
        return validate_model(parse_value(content), kind, "body").root
    except Unprocessable:
        raise
    except Invalid as fault:
        raise make_body_fault([], fault.message, "json_invalid") from None


def _read_lines(content: bytes, item: type[T]) -> list[T]:
    numbered = [(number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()]
    if not 1 <= len(numbered) <= MAX_IMPORT:
        raise make_body_fault([], f"envie de 1 a {MAX_IMPORT} itens")
    found: list[T] = []
    faults: list[Fault] = []
    for place, (number, line) in enumerate(numbered):
        try:
            found.append(decode_model(line, item))
        except Unprocessable as refused:
            for fault in refused.faults:
                where = ["body", str(place), *fault["loc"][1:]]
                text = fault["msg"].removeprefix("O corpo da requisição ")
                faults.append(Fault(loc=where, msg=f"linha {number}: {text}", type=fault["type"]))
    if faults:
        raise Unprocessable(faults=faults)
    return found


def make_body_fault(place: Sequence[str], message: str, kind: str = "value_error") -> Unprocessable:
    """Return the error for a value in the body. `place` is the path to the value."""
    return Unprocessable(faults=[Fault(loc=["body", *place], msg=message, type=kind)])
