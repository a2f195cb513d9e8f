"""Wire types for histories and version comparisons."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from pydantic import Field

from balcao.agents.queries import DEFAULT_AGENT, AgentType, PageQuery, VersionInText
from balcao.agents.versions.content import ChangeType
from balcao.core.http.models import Model
from balcao.core.values.fields import DIGITS

_ID = "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d90"
_VersionId = Annotated[str, Meta(description="Identificador da versão (UUID).", examples=[_ID])]
_ConfigId = Annotated[str, Meta(description="Identificador da configuração (UUID).", examples=[_ID])]
_PromptId = Annotated[str, Meta(description="Identificador do texto de instruções (UUID).", examples=[_ID])]
_AgentType = Annotated[str, Meta(description="Tipo de agente.", examples=["agentic_search"])]
_Number = Annotated[int, Meta(ge=1, description="Número da versão, por tipo de agente.", examples=[11])]
_Active = Annotated[bool, Meta(description="Se é a versão ativa.", examples=[True])]
_Instant = Annotated[
    str,
    Meta(
        description="Quando a versão foi salva, com microssegundos e fuso; ela não muda depois.",
        examples=["2026-10-05T14:30:00.000000+00:00"],
    ),
]
_Preview = Annotated[
    str, Meta(description="Os primeiros 100 caracteres do texto de instruções.", examples=["Você atende pessoas"])
]
_ChangeType = Annotated[ChangeType, Meta(description="O que mudou em relação à versão de que partiu.")]
_Author = Annotated[str, Meta(description="Quem salvou a versão.", examples=["Tereza Lins"])]
_Tools = Annotated[list[str], Meta(description="Nomes das ferramentas do agente.", examples=[["google_search"]])]
_Model = Annotated[str, Meta(description="Nome do modelo de linguagem.", examples=["modelo-demo"])]
_Embedding = Annotated[str, Meta(description="Nome do modelo de vetores.", examples=["vetores-demo"])]
_NextBefore = Annotated[
    int | None, Meta(description="Envie em `before` para a página seguinte; nulo na última.", examples=[2])
]


class HistoryQuery(PageQuery):
    """The query for a page of the configuration history or the prompt history."""

    limit: Annotated[int, Field(ge=1, le=200, description="Versões por página, de 1 a 200."), DIGITS] = 10


class UnifiedHistoryQuery(PageQuery):
    """The query for a page of the version history."""

    limit: Annotated[int, Field(ge=1, le=200, description="Versões por página, de 1 a 200."), DIGITS] = 50


class CompareQuery(Model):
    """The two versions to compare."""

    agent_type: AgentType = DEFAULT_AGENT
    from_version: VersionInText
    to_version: VersionInText


class VersionPath(Model):
    version_number: VersionInText


_Display = Annotated[str, Meta(description="Nome da versão para pessoas.", examples=["cfg-2026-10-05-v11"])]


class VersionMetadata(msgspec.Struct):
    """The version's display name."""

    version_display: _Display


_Metadata = Annotated[VersionMetadata, Meta(description="O que se mostra da versão.")]


class ConfigEntry(msgspec.Struct):
    """A version in the configuration history."""

    config_id: _ConfigId
    version: _Number
    is_active: _Active
    created_at: _Instant
    updated_at: _Instant
    metadata: _Metadata
    tools: _Tools
    model_name: _Model
    embedding_name: _Embedding


class ConfigHistory(msgspec.Struct):
    """A page of configurations, newest first."""

    agent_type: _AgentType
    configs: Annotated[list[ConfigEntry], Meta(description="Da mais nova à mais antiga.")]
    next_before: _NextBefore


class PromptEntry(msgspec.Struct):
    """A version in the prompt history."""

    prompt_id: _PromptId
    version: _Number
    is_active: _Active
    created_at: _Instant
    updated_at: _Instant
    content: _Preview
    metadata: _Metadata


class PromptHistory(msgspec.Struct):
    """A page of prompts, newest first."""

    agent_type: _AgentType
    prompts: Annotated[list[PromptEntry], Meta(description="Do mais novo ao mais antigo.")]
    next_before: _NextBefore


class PromptPreview(msgspec.Struct):
    """A prompt in a list."""

    prompt_id: _PromptId
    content_preview: _Preview


class PromptContent(PromptPreview):
    """A prompt with its full text."""

    content: Annotated[str, Meta(description="Texto de instruções, inteiro.", examples=["Você atende pessoas."])]


class ConfigContent(msgspec.Struct):
    """The configuration of a version."""

    config_id: _ConfigId
    memory_blocks: Annotated[
        list[dict[str, Any]],
        Meta(
            description="Blocos de memória; vazio se não há.",
            examples=[[{"label": "persona", "value": "Atende com clareza."}]],
        ),
    ]
    tools: _Tools
    model_name: _Model
    embedding_name: _Embedding


class _Item(msgspec.Struct):
    version_id: _VersionId
    version_number: _Number
    version_display: _Display
    change_type: _ChangeType
    created_at: _Instant
    author: _Author
    reason: Annotated[str, Meta(description="Por que a versão foi feita.", examples=["modelo novo"])]
    description: Annotated[str, Meta(description="O que mudou, em uma frase.", examples=["Mudou a configuração."])]
    preview: _Preview
    is_active: _Active
    metadata: _Metadata


class HistoryItem(_Item):
    """A version in the version history."""

    prompt: Annotated[PromptPreview, Meta(description="O texto de instruções, cortado.")]
    config: Annotated[ConfigContent, Meta(description="A configuração.")]


class VersionDetail(_Item):
    """A version with its full prompt."""

    prompt: Annotated[PromptContent, Meta(description="O texto de instruções, inteiro.")]
    config: Annotated[ConfigContent, Meta(description="A configuração.")]


class UnifiedHistory(msgspec.Struct):
    """A page of versions, newest first. `total_items` counts the visible versions on all pages."""

    agent_type: _AgentType
    total_items: Annotated[int, Meta(ge=0, description="Versões visíveis em todas as páginas.", examples=[11])]
    items: Annotated[list[HistoryItem], Meta(description="Da mais nova à mais antiga.")]
    next_before: _NextBefore


class VersionChange(msgspec.Struct):
    """A member that differs. An empty or missing value is null."""

    field_name: Annotated[str, Meta(description="Campo que difere.", examples=["model_name"])]
    old_value: Annotated[Any, Meta(description="Valor em `from_version`; nulo se não há.", examples=["modelo-1"])]
    new_value: Annotated[Any, Meta(description="Valor em `to_version`; nulo se não há.", examples=["modelo-2"])]
    value_type: Annotated[Literal["string", "array"], Meta(description="Tipo do valor.")]


class VersionComparison(msgspec.Struct):
    """The differences between two versions.

    `change_type`, `changed_at` and `changed_by` describe `to_version`.
    """

    agent_type: _AgentType
    from_version: _Number
    to_version: _Number
    change_type: _ChangeType
    changed_at: _Instant
    changed_by: _Author
    changes: Annotated[list[VersionChange], Meta(description="Campos que diferem; vazio se nenhum.")]
