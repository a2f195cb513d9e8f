"""Path parameter: the ticket number."""

from typing import Annotated, TypeAlias

from balcao.core.http.parameters import InPath

# Accept any string here, so that an invalid number returns 404, as another person's ticket does.
TicketInPath: TypeAlias = Annotated[str, InPath(str, "Número do protocolo no CRM", "PA-2026-00000337")]
