"""Code shared by the operations: two access rules, types for ids in a path, and the response to a deletion."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from balcao.core.access.rules import action, client
from balcao.core.http.parameters import InPath

# The agents themselves authenticate with client-credentials tokens.
_RUNTIME = client("BALCAO_AGENT_RUNTIME_CLIENTS")
READ_CONFIG = action("agent_config:read") | _RUNTIME
READ_DATASET = action("dataset:read") | _RUNTIME

CONFIG_ID = r"^[A-Za-z0-9_-]{1,64}$"
ConfigIdInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador da configuração", "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d90", CONFIG_ID)
]


class Deleted(msgspec.Struct):
    """The response to a deletion. It has a body, because existing clients expect one in every success response."""

    success: Annotated[bool, Meta(description="Sempre verdadeiro.", examples=[True])]
    message: Annotated[str, Meta(description="O que foi excluído.", examples=["O conjunto foi excluído."])]
