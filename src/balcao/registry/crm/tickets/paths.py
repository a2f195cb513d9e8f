"""Path parameter: the ticket number."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

# Any string is accepted here. The response to an invalid number is 404, as for another person's ticket.
TicketInPath: TypeAlias = Annotated[str, InPath(str, "Número do protocolo no CRM", "PA-2026-00000337")]
