"""The displayed names of agents."""

# The agent that answers a call without the name of an agent.
_NAMES = {"agentic_search": "Busca assistida"}


def name_agent(kind: str) -> str:
    """Return the displayed name of an agent type. The service stores only its identifier."""
    return _NAMES.get(kind) or kind.replace("_", " ").strip().capitalize()
