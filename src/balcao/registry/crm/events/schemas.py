"""Wire types of the CRM's events."""

from typing import Any

import msgspec


class Acknowledgement(msgspec.Struct):
    """That an event was queued (spec: webhook acknowledgement)."""

    cpf: str
    evento: str
    message: str
    status: str


class WebhookBody(msgspec.Struct):
    """For the description; the event parser itself reads the bytes."""

    cpf: str
    evento: str | None = "atualizacao"
    updatedAt: str | None = None  # noqa: N815 - the CRM's own spelling
    dados: dict[str, Any] | None = None
