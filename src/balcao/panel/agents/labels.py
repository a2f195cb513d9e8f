"""What agents are called before people."""

# Of the agent that answers where a call names none.
_NAMES = {"agentic_search": "Busca assistida"}


def name_agent(kind: str) -> str:
    """Return the name of a kind of agents, whose identifier is all that the service knows."""
    return _NAMES.get(kind) or kind.replace("_", " ").strip().capitalize()
