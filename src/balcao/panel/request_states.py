"""How the panel shows the states and steps of service requests, in the queue and at the counter."""

from datetime import datetime

from balcao.web.service_requests import labels
from balcao.web.service_requests.labels import CLOSED

STATES = labels.STATES | {"needs_information": "Espera o cidadão"}
# The tag kind for each state. A tag combines shape, text and colour.
TAGS = {
    "received": "in",
    "sent": "in",
    "in_progress": "at",
    "needs_information": "or",
    "done": "ok",
    "refused": "no",
    "reopened": "or",
}
AUTHORS = {
    "citizen": "Cidadão",
    "staff": "Atendimento",
    "crm": "Central de atendimento (CRM)",
    "platform": "Sistema",
}


def name_step(state: str | None) -> str:
    """Return the label for a step. A step without a state is a message."""
    return "Recado" if state is None else STATES.get(state, state)


def is_late(state: str, deadline: datetime, now: datetime) -> bool:
    """Return whether an open request is past its deadline."""
    return state not in CLOSED and deadline < now
