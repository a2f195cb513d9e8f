"""The number of a request in a path."""

from balcao.core.http.operations import path_text

NumberInPath = path_text(
    r"^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$", "Número da solicitação de anonimização no CRM", "00000012"
)
