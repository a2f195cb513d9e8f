"""Wire types of an agent's text of instructions."""

from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import BaseModel, Field

from balcao.agents.operations import CONFIG_ID


class PromptPath(BaseModel):
    prompt_id: Annotated[str, Field(pattern=CONFIG_ID)]


class SystemPrompt(msgspec.Struct):
    """The text of instructions of one version."""

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
