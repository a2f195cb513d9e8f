"""OpenAPI descriptions of the webhooks that a service sends to registered addresses."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from balcao.core.http.response_examples import name_for_generators
from balcao.core.http.responses import JSON


class SentEvent(NamedTuple):
    """A kind of event: its type, a summary in Portuguese, the tag of its operations, and the body of the call."""

    name: str
    summary: str
    tag: str
    body: type[msgspec.Struct]


_DESCRIPTION = """Uma chamada aos destinos cadastrados, conforme Standard Webhooks. A ordem não é garantida. Vêm com ela
`webhook-id`, o mesmo em cada repetição, `webhook-timestamp`, em segundos desde 1970, e `webhook-signature`, assinaturas
`v1` (HMAC-SHA256) separadas por espaço, das quais basta que uma confira."""
_RESPONSES = {
    "204": {"description": "Recebido, como qualquer 2xx. Sem ele em 10 segundos, a chamada é repetida mais tarde."},
    "410": {"description": "O destino não quer mais avisos e é desligado."},
}


def describe_webhooks(
    service: str, events: Iterable[SentEvent], schema_of: Callable[[Any], dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Describe the call that a receiver gets, by event type."""
    return {
        event.name: {
            "post": {
                "operationId": name_for_generators(f"{service}.webhook_{event.name.replace('.', '_')}"),
                "summary": event.summary,
                "description": _DESCRIPTION,
                "tags": [event.tag],
                "security": [],
                "requestBody": {"content": {JSON: {"schema": schema_of(event.body)}}, "required": True},
                "responses": _RESPONSES,
            }
        }
        for event in events
    }
