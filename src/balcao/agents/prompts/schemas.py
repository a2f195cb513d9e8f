"""Wire types for prompts."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import Field

from balcao.agents.operations import CONFIG_ID
from balcao.agents.queries import AgentQuery
from balcao.core.http.models import Model


class PromptPath(Model):
    prompt_id: Annotated[str, Field(pattern=CONFIG_ID)]


class SystemPrompt(msgspec.Struct):
    """The prompt of a version."""

    prompt: Annotated[
        str, Meta(description="Texto de instruções, como foi salvo.", examples=["Responda em português claro."])
    ]
    agent_type: Annotated[str, Meta(description="Tipo de agente.", examples=["agentic_search"])]
    version: Annotated[int, Meta(ge=1, description="Número da versão, por tipo de agente.", examples=[11])]
    prompt_id: Annotated[
        str,
        Meta(
            description="Identificador do texto de instruções (UUID).",
            examples=["0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91"],
        ),
    ]
    created_at: Annotated[
        str,
        Meta(
            description="Quando a versão foi salva, com microssegundos e fuso.",
            examples=["2026-10-05T14:30:00.000000+00:00"],
        ),
    ]


class PromptToCheck(AgentQuery):
    """The body that contains a prompt to check."""

    prompt_content: Annotated[
        str, Field(max_length=1_000_000, description="Texto de instruções.", examples=["Responda com {{persona}}."])
    ]
    known: Annotated[
        list[Annotated[str, Field(max_length=100)]] | None,
        Field(
            max_length=200,
            description=(
                "Nomes entre `{{` e `}}` que serão preenchidos; sem eles, os blocos de memória da versão ativa do "
                "agente."
            ),
            examples=[["persona", "human"]],
        ),
    ] = None


class Problem(msgspec.Struct):
    """A problem that the check found in a prompt."""

    kind: Annotated[
        Literal["size", "secret", "placeholder"],
        Meta(description="Tamanho, segredo ou nome que ninguém preenche.", examples=["placeholder"]),
    ]
    message: Annotated[
        str,
        Meta(
            description="O que há, para pessoas; um segredo não se repete.",
            examples=["Ninguém preenche `nome`: nenhum bloco de memória tem este nome."],
        ),
    ]
    line: Annotated[int, Meta(ge=1, description="Linha do texto, a partir de 1.", examples=[3])]


class CheckedPrompt(msgspec.Struct):
    """The result of checking a prompt."""

    ok: Annotated[bool, Meta(description="Se nada foi achado.", examples=[True])]
    characters: Annotated[int, Meta(ge=0, description="Tamanho do texto em caracteres.", examples=[1200])]
    problems: Annotated[list[Problem], Meta(description="Problemas, até 100.")]
