"""The number of a ticket in a path."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

# Any text is accepted here. A text that cannot be a number is unknown (404), like another person's ticket.
TicketInPath: TypeAlias = Annotated[str, InPath(str, "Número do protocolo no CRM", "PA-2026-00000337")]
