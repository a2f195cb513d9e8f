"""Path and query parameters shared by several features.

Pydantic validates them, so that one response lists all errors.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field

from balcao.core.http.decoding import validate_model
from balcao.core.http.models import Model
from balcao.core.http.parameters import InQuery
from balcao.core.values.fields import DIGITS

AGENT_TYPE = r"^[A-Za-z0-9_.-]{1,50}$"
DEFAULT_AGENT = "agentic_search"
# The largest version number that the database can store.
LAST_VERSION = 2_147_483_647


AgentType = Annotated[str, Field(pattern=AGENT_TYPE, description="Tipo de agente.", examples=[DEFAULT_AGENT])]
VersionNumber = Annotated[
    int, Field(ge=1, le=LAST_VERSION, description="Número da versão, por tipo de agente.", examples=[1])
]
VersionInText = Annotated[VersionNumber, DIGITS]


class AgentQuery(Model):
    """The agent whose active version is read."""

    agent_type: AgentType = DEFAULT_AGENT


class PageQuery(AgentQuery):
    """The query for a page of a history, newest first. `before` is the `next_before` from the preceding page."""

    before: Annotated[VersionInText | None, Field(description="Só versões de número menor: o `next_before`.")] = None


def drop_blank_parameters(query: Mapping[str, str]) -> dict[str, str]:
    """Return the query parameters that are not blank."""
    return {name: value for name, value in query.items() if value.strip()}


def in_query_with_blanks(kind: type[BaseModel]) -> InQuery:
    """Return a parameter as `in_query` does, but treat blank query parameters as absent."""
    return InQuery(lambda query: validate_model(drop_blank_parameters(query), kind, "query"), kind)
