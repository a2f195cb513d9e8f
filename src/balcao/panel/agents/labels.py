"""Display names of agents."""

# The display name of the default agent, which answers calls that do not name an agent.
_NAMES = {"agentic_search": "Busca assistida"}


def name_agent(kind: str) -> str:
    """Return the display name of an agent type. The service stores only the type's identifier."""
    return _NAMES.get(kind) or kind.replace("_", " ").strip().capitalize()
