"""Describes the states of a request."""

from collections.abc import Mapping

from balcao.site.tags import Tag

STATES: Mapping[str, Tag] = {
    "received": Tag("in", "relogio", "Recebido"),
    "sent": Tag("in", "relogio", "Encaminhado à equipe"),
    "in_progress": Tag("in", "relogio", "Em andamento"),
    "needs_information": Tag("at", "atencao", "A prefeitura fez uma pergunta"),
    "done": Tag("ok", "sim", "Resolvido"),
    "refused": Tag("", "info", "Não atendido"),
    "reopened": Tag("in", "relogio", "Reaberto"),
}


def describe_state(state: str) -> Tag:
    """Describe a state. An unknown state is shown with the service's own name."""
    return STATES.get(state, Tag("", "info", state.replace("_", " ").capitalize()))
