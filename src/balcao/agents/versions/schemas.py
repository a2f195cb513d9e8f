"""Wire types for saving, activating, rolling back and hiding versions: bodies, queries and responses."""

from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, AliasChoices, ConfigDict, Field, StringConstraints, model_validator

from balcao.agents.operations import CONFIG_ID
from balcao.agents.queries import DEFAULT_AGENT, AgentType, VersionInText, VersionNumber
from balcao.core.http.models import Model
from balcao.core.values.fields import Storable
from balcao.core.values.personal_data import refuse_personal_data
from balcao.core.values.text import has_nul

DEFAULT_REASON = "alteração pela API"
# Maps the names of content members in bodies to their names in `AgentContent`.
_CONTENT = {
    "prompt_content": "prompt",
    "new_prompt": "prompt",
    "memory_blocks": "memory_blocks",
    "tools": "tools",
    "model_name": "model_name",
    "embedding_name": "embedding_name",
}

_EXAMPLE_ID = "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d90"
_PROMPT = "Você atende pessoas que procuram serviços da prefeitura."
_Instant = Annotated[
    str,
    Meta(
        description="Quando a versão foi salva, com microssegundos e fuso.",
        examples=["2026-10-05T14:30:00.000000+00:00"],
    ),
]


class AgentConfig(msgspec.Struct):
    """A configuration for agents (spec: agent configuration). No member is null: empty values are `[]` or ""."""

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


class ConfigPath(Model):
    config_id: Annotated[str, Field(pattern=CONFIG_ID)]


def _refuse_repetition(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("não pode repetir nomes")
    return names


Tool = Annotated[str, StringConstraints(min_length=1, max_length=100), Storable]
ModelName = Annotated[str, StringConstraints(max_length=100), Storable]
LONGEST_PROMPT = 200_000
Prompt = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PROMPT), Storable]
ExpectedVersion = Annotated[
    int, Field(description="Versão que deve estar ativa; se outra estiver, a resposta é 409.", examples=[11])
]
LONGEST_REASON = 2000
# Reject personal data, because the histories retain this text permanently and show it to all their readers.
_WithoutPersonalData = AfterValidator(refuse_personal_data)
Reason = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_REASON),
    Storable,
    _WithoutPersonalData,
    Field(description="Por que a versão ativa muda.", examples=["piora nas respostas"]),
]


class MemoryBlock(Model):
    """A memory block. Additional members are stored unchanged."""

    model_config = ConfigDict(extra="allow")

    label: Annotated[
        str,
        StringConstraints(min_length=1, max_length=100),
        Storable,
        Field(description="Nome do bloco, único na versão.", examples=["persona"]),
    ]
    value: Annotated[
        str,
        StringConstraints(max_length=20_000),
        Storable,
        Field(description="Texto do bloco.", examples=["Atende com clareza."]),
    ]
    limit: Annotated[
        int | None, Field(ge=1, le=100_000, description="Máximo de caracteres do texto.", examples=[2000])
    ] = None

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


class Save(Model):
    """The members common to the bodies of all saves.

    A content member that is absent is inherited from the active version; null empties it.

    rules: agents 3.2
    """

    agent_type: AgentType = DEFAULT_AGENT
    reason: Annotated[
        str,
        StringConstraints(max_length=LONGEST_REASON),
        Storable,
        _WithoutPersonalData,
        Field(description="Por que a versão foi feita.", examples=["respostas mais curtas"]),
    ] = DEFAULT_REASON
    author: Annotated[
        str | None,
        StringConstraints(min_length=1, max_length=100),
        Field(description="Quem salva; só vale para máquinas: de uma pessoa vale o nome do token."),
    ] = None
    activate: Annotated[bool, Field(description="Se a versão passa a ser a ativa.")] = True
    expected_version: ExpectedVersion | None = None

    @property
    def content(self) -> dict[str, Any]:
        """The content members that the body contains, as plain JSON values. Null empties a member."""
        sent = self.model_dump(include=set(_CONTENT), exclude_unset=True)
        return {_CONTENT[name]: value for name, value in sent.items()}

    @classmethod
    def list_content_names(cls) -> list[str]:
        """Return the names of the content members that this body accepts."""
        return [name for name in _CONTENT if name in cls.model_fields]


class PromptBody(Save):
    """A new prompt. The configuration is inherited."""

    new_prompt: Annotated[Prompt | None, Field(description="Texto de instruções.", examples=[_PROMPT])] = None


class ConfigBody(Save):
    """A new configuration. The prompt is inherited."""

    # Some clients still send this member under its old name, `clickup_cards`.
    memory_blocks: Annotated[list[MemoryBlock], Field(max_length=50), AfterValidator(_distinct_labels)] | None = Field(
        None,
        validation_alias=AliasChoices("memory_blocks", "clickup_cards"),
        description="Blocos de memória; também aceitos com o nome antigo `clickup_cards`.",
    )
    tools: Annotated[
        Annotated[list[Tool], Field(max_length=64), AfterValidator(_refuse_repetition)] | None,
        Field(description="Nomes das ferramentas, na ordem em que valem.", examples=[["google_search"]]),
    ] = None
    model_name: Annotated[
        ModelName | None, Field(description="Nome do modelo de linguagem.", examples=["modelo-demo"])
    ] = None
    embedding_name: Annotated[
        ModelName | None, Field(description="Nome do modelo de vetores.", examples=["vetores-demo"])
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _one_name_for_the_blocks(cls, sent: Any) -> Any:
        names = {"memory_blocks", "clickup_cards"}
        if isinstance(sent, dict) and names <= sent.keys() and sent["memory_blocks"] != sent["clickup_cards"]:
            raise ValueError("`memory_blocks` e `clickup_cards` têm conteúdos diferentes: envie só um")
        return sent


class SaveBody(ConfigBody):
    """A new version: prompt and configuration."""

    agent_type: AgentType
    prompt_content: Annotated[Prompt | None, Field(description="Texto de instruções.", examples=[_PROMPT])] = None


class ActivateBody(Model):
    """The version to activate, and the reason."""

    agent_type: AgentType
    version: VersionNumber
    reason: Reason
    expected_version: ExpectedVersion | None = None


class RollbackBody(Model):
    """The version to roll back to: `to_version`, or else the previously active version."""

    agent_type: AgentType
    to_version: VersionNumber | None = None
    reason: Reason
    expected_version: ExpectedVersion | None = None


class ResetQuery(Model):
    """The agent to reset to the default content."""

    agent_type: AgentType


class UndoQuery(ResetQuery):
    """The version that the caller expects to be the newest.

    If it is set, repeating the call does not undo another version.
    """

    expected_version: Annotated[
        VersionInText | None,
        Field(description="Versão que deve ser a mais nova; se outra for, a resposta é 409.", examples=[12]),
    ] = None


class HideQuery(ResetQuery):
    """The version to hide from the histories."""

    version_number: VersionInText


_Success = Annotated[bool, Meta(description="Sempre verdadeiro.", examples=[True])]
_Message = Annotated[str, Meta(description="O que aconteceu, para pessoas.", examples=["Versão 12 salva e ativada."])]
_ConfigId = Annotated[str, Meta(description="Identificador da configuração (UUID).", examples=[_EXAMPLE_ID])]
_PromptId = Annotated[str, Meta(description="Identificador do texto de instruções (UUID).", examples=[_EXAMPLE_ID])]
_AgentType = Annotated[str, Meta(description="Tipo de agente.", examples=["agentic_search"])]
_Display = Annotated[str, Meta(description="Nome da versão para pessoas.", examples=["cfg-2026-10-05-v12"])]
_Number = Annotated[int, Meta(ge=1, description="Número da versão, por tipo de agente.", examples=[12])]
_Updated = Annotated[
    dict[str, Any],
    Meta(description="Sempre vazio: quem executa os agentes é avisado e lê a versão ativa.", examples=[{}]),
]


class UnifiedSaved(msgspec.Struct):
    """The saved version, or the active version if nothing changed."""

    success: _Success
    unified_version_number: _Number
    version_display: _Display
    change_type: Annotated[str, Meta(description="O que mudou: `prompt`, `config` ou `both`.", examples=["prompt"])]
    prompt_id: _PromptId
    config_id: _ConfigId
    agents_updated: _Updated
    message: _Message


class ConfigSaved(msgspec.Struct):
    """The configuration of the saved version."""

    success: _Success
    config_id: _ConfigId
    agents_updated: _Updated
    message: _Message


class PromptSaved(msgspec.Struct):
    """The prompt of the saved version."""

    success: _Success
    prompt_id: _PromptId
    agents_updated: _Updated
    message: _Message
    version: _Number


class ActivationResult(msgspec.Struct):
    """The version that is active now, and the previously active version."""

    success: _Success
    agent_type: _AgentType
    active_version: _Number
    previous_version: Annotated[
        int | None, Meta(description="Versão que estava ativa; nula se nenhuma estava.", examples=[11])
    ]
    version_display: _Display
    config_id: _ConfigId
    prompt_id: _PromptId
    message: _Message


class ResetResult(msgspec.Struct):
    """The version with the default content."""

    success: _Success
    agent_type: _AgentType
    unified_version: _Number
    version_display: _Display
    prompt_id: _PromptId
    config_id: _ConfigId
    agents_updated: _Updated
    message: _Message


class ConfigReset(msgspec.Struct):
    """The version with the default configuration."""

    success: _Success
    agent_type: _AgentType
    version: _Number
    config_id: _ConfigId
    agents_updated: _Updated
    message: _Message


class PromptReset(msgspec.Struct):
    """The version with the default prompt."""

    success: _Success
    agent_type: _AgentType
    version: _Number
    prompt_id: _PromptId
    agents_updated: _Updated
    message: _Message


class UndoResult(msgspec.Struct):
    """The undone version, and the version that is active now."""

    success: _Success
    agent_type: _AgentType
    deleted_version: Annotated[
        int, Meta(ge=1, description="Versão desfeita, oculta de agora em diante.", examples=[12])
    ]
    active_version: Annotated[int | None, Meta(description="Versão ativa agora; nula se nenhuma está.", examples=[11])]
    previous_prompt_id: Annotated[
        str | None,
        Meta(description="Texto de instruções da versão ativa agora; nulo se nenhuma está.", examples=[_EXAMPLE_ID]),
    ]
    message: _Message


class HideResult(msgspec.Struct):
    """The version that is now hidden from the histories."""

    success: _Success
    agent_type: _AgentType
    version_number: _Number
    version_display: _Display
    message: _Message
