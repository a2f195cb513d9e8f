"""Wire types of an agent's configuration, and what a save may bring."""

from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from balcao.agents.operations import CONFIG_ID
from balcao.core.values.text import has_nul

AGENT_TYPE = r"^[A-Za-z0-9_.-]{1,50}$"
CONTENT = ("prompt_content", "memory_blocks", "tools", "model_name", "embedding_name")
DEFAULT_REASON = "alteração pela API"

_EXAMPLE_ID = "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d90"
_Instant = Annotated[
    str,
    Meta(
        description="Quando a versão foi salva, com microssegundos e fuso.",
        examples=["2026-10-05T14:30:00.000000+00:00"],
    ),
]


class AgentConfig(msgspec.Struct):
    """A configuration as agents read it (spec: agent configuration). Nothing is null: what is empty is `[]` or ""."""

    config_id: Annotated[str, Meta(description="Identificador da configuração (UUID).", examples=[_EXAMPLE_ID])]
    agent_type: Annotated[str, Meta(description="Tipo de agente.", examples=["agentic_search"])]
    version: Annotated[int, Meta(ge=1, description="Número da versão, por tipo de agente.", examples=[11])]
    memory_blocks: Annotated[
        list[dict[str, Any]],
        Meta(
            description="Blocos de memória, cada um com `label` e `value`; vazio se não há.",
            examples=[[{"label": "persona", "value": "Atende com clareza."}]],
        ),
    ]
    tools: Annotated[list[str], Meta(description="Nomes das ferramentas do agente.", examples=[["google_search"]])]
    model_name: Annotated[str, Meta(description="Nome do modelo de linguagem.", examples=["modelo-demo"])]
    embedding_name: Annotated[str, Meta(description="Nome do modelo de vetores.", examples=["vetores-demo"])]
    created_at: _Instant


class ConfigPath(BaseModel):
    config_id: Annotated[str, Field(pattern=CONFIG_ID)]


def _refuse_nul(text: str) -> str:
    if has_nul(text):
        raise ValueError("não pode conter o caractere nulo")
    return text


def _refuse_repetition(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("não pode repetir nomes")
    return names


_Text = AfterValidator(_refuse_nul)
Tool = Annotated[str, StringConstraints(min_length=1, max_length=100), _Text]
ModelName = Annotated[str, StringConstraints(max_length=100), _Text]


class MemoryBlock(BaseModel):
    """Further members are stored as they are."""

    model_config = ConfigDict(extra="allow")

    label: Annotated[str, StringConstraints(min_length=1, max_length=100), _Text]
    value: Annotated[str, StringConstraints(max_length=20_000), _Text]
    limit: Annotated[int, Field(ge=1, le=100_000)] | None = None

    @model_validator(mode="after")
    def _storable_and_within_its_limit(self) -> Self:
        if has_nul(self.model_extra):
            raise ValueError("não pode conter o caractere nulo")
        if self.limit is not None and len(self.value) > self.limit:
            raise ValueError("o texto do bloco é maior que o seu `limit`")
        return self


def _distinct_labels(blocks: list[MemoryBlock]) -> list[MemoryBlock]:
    _refuse_repetition([block.label for block in blocks])
    return blocks


class SaveBody(BaseModel):
    """What is absent is inherited from the active version; null empties (rules: agents 3.2)."""

    agent_type: Annotated[str, Field(pattern=AGENT_TYPE)]
    prompt_content: Annotated[str, StringConstraints(min_length=1, max_length=200_000), _Text] | None = None
    # `clickup_cards` is the older name on the wire for the same member.
    memory_blocks: Annotated[list[MemoryBlock], Field(max_length=50), AfterValidator(_distinct_labels)] | None = Field(
        None, validation_alias=AliasChoices("memory_blocks", "clickup_cards")
    )
    tools: Annotated[list[Tool], Field(max_length=64), AfterValidator(_refuse_repetition)] | None = None
    model_name: ModelName | None = None
    embedding_name: ModelName | None = None
    reason: Annotated[str, StringConstraints(max_length=2000), _Text] = DEFAULT_REASON
    activate: bool = True
    expected_version: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_name_for_the_blocks(cls, sent: Any) -> Any:
        names = {"memory_blocks", "clickup_cards"}
        if isinstance(sent, dict) and names <= sent.keys() and sent["memory_blocks"] != sent["clickup_cards"]:
            raise ValueError("`memory_blocks` e `clickup_cards` têm conteúdos diferentes: envie só um")
        return sent

    @property
    def content(self) -> dict[str, Any]:
        """Return the content members that were sent, in plain JSON values; null stands for "empty it"."""
        sent = self.model_dump(include=set(CONTENT), exclude_unset=True)
        return {"prompt" if name == "prompt_content" else name: value for name, value in sent.items()}
