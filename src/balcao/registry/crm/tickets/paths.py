"""The number of a ticket in a path."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

# Any text is a number here: what cannot be one is as unknown as somebody else's.
TicketInPath: TypeAlias = Annotated[str, InPath(str, "Número do protocolo no CRM", "PA-2026-00000337")]
