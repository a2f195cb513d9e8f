"""The clients `Balcao` and `AsyncBalcao`, whose methods are coroutines.

Each service's module is imported on first use.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

import httpx

from balcao_client.calls import Retries
from balcao_client.tokens import TokenSource, make_source
from balcao_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from balcao_client.access import Access, AsyncAccess
    from balcao_client.agent_docs import AgentDocs, AsyncAgentDocs
    from balcao_client.agents import Agents, AsyncAgents
    from balcao_client.employability import AsyncEmployability, Employability
    from balcao_client.health_units import AsyncHealthUnits, HealthUnits
    from balcao_client.registry import AsyncRegistry, Registry
    from balcao_client.search import AsyncSearch, Search

TIMEOUT = httpx.Timeout(15.0, connect=5.0)


class Balcao:
    """A client of the platform at `base_url`, whose calls use `token`.

    Args:
        base_url: the gateway's address, such as `https://cidade.example`.
        token: an access token, a function that returns one, `ClientCredentials` or a `Login`; None for public
            operations only.
        services: the addresses of services without the gateway, by name, such as `{"registry": "https://r.example/v1"}`.
        retries: the limits for retries, which are made only if they are safe.
        http: the caller's own `httpx.Client`, for proxies or certificates; it is not closed.
    """

    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str] | TokenSource | None = None,
        *,
        services: Mapping[str, str] | None = None,
        retries: Retries = Retries(),  # noqa: B008 # frozen
        http: httpx.Client | None = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._services = services or {}
        self._owns_http = http is None
        self._http = httpx.Client(timeout=TIMEOUT) if http is None else http
        self._transport = Transport(self._http, self._base_url, make_source(token), retries)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            self._http.close()

    def _find(self, service: str, prefix: str) -> str:
        return self._services.get(service, self._base_url + prefix).rstrip("/")

    @cached_property
    def registry(self) -> "Registry":
        """Citizens, their choices, vehicles, pets and tickets."""
        from balcao_client.registry import Registry

        return Registry(self._transport, self._find("registry", Registry.PREFIX))

    @cached_property
    def employability(self) -> "Employability":
        """Jobs, applications and résumés."""
        from balcao_client.employability import Employability

        return Employability(self._transport, self._find("employability", Employability.PREFIX))

    @cached_property
    def search(self) -> "Search":
        """The city's services and their search."""
        from balcao_client.search import Search

        return Search(self._transport, self._find("search", Search.PREFIX))

    @cached_property
    def access(self) -> "Access":
        """Permissions: actions, roles and groups."""
        from balcao_client.access import Access

        return Access(self._transport, self._find("access", Access.PREFIX))

    @cached_property
    def health_units(self) -> "HealthUnits":
        """Health units and their risk."""
        from balcao_client.health_units import HealthUnits

        return HealthUnits(self._transport, self._find("health_units", HealthUnits.PREFIX))

    @cached_property
    def agents(self) -> "Agents":
        """Configurations of agents."""
        from balcao_client.agents import Agents

        return Agents(self._transport, self._find("agents", Agents.PREFIX))

    @cached_property
    def agent_docs(self) -> "AgentDocs":
        """The description of the agents' API."""
        from balcao_client.agent_docs import AgentDocs

        return AgentDocs(self._transport, self._find("agent_docs", AgentDocs.PREFIX))


class AsyncBalcao:
    """Like `Balcao`, but its methods are coroutines."""

    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str | Awaitable[str]] | TokenSource | None = None,
        *,
        services: Mapping[str, str] | None = None,
        retries: Retries = Retries(),  # noqa: B008 # frozen
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._services = services or {}
        self._owns_http = http is None
        self._http = httpx.AsyncClient(timeout=TIMEOUT) if http is None else http
        self._transport = AsyncTransport(self._http, self._base_url, make_source(token), retries)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._http.aclose()

    def _find(self, service: str, prefix: str) -> str:
        return self._services.get(service, self._base_url + prefix).rstrip("/")

    @cached_property
    def registry(self) -> "AsyncRegistry":
        """Citizens, their choices, vehicles, pets and tickets."""
        from balcao_client.registry import AsyncRegistry

        return AsyncRegistry(self._transport, self._find("registry", AsyncRegistry.PREFIX))

    @cached_property
    def employability(self) -> "AsyncEmployability":
        """Jobs, applications and résumés."""
        from balcao_client.employability import AsyncEmployability

        return AsyncEmployability(self._transport, self._find("employability", AsyncEmployability.PREFIX))

    @cached_property
    def search(self) -> "AsyncSearch":
        """The city's services and their search."""
        from balcao_client.search import AsyncSearch

        return AsyncSearch(self._transport, self._find("search", AsyncSearch.PREFIX))

    @cached_property
    def access(self) -> "AsyncAccess":
        """Permissions: actions, roles and groups."""
        from balcao_client.access import AsyncAccess

        return AsyncAccess(self._transport, self._find("access", AsyncAccess.PREFIX))

    @cached_property
    def health_units(self) -> "AsyncHealthUnits":
        """Health units and their risk."""
        from balcao_client.health_units import AsyncHealthUnits

        return AsyncHealthUnits(self._transport, self._find("health_units", AsyncHealthUnits.PREFIX))

    @cached_property
    def agents(self) -> "AsyncAgents":
        """Configurations of agents."""
        from balcao_client.agents import AsyncAgents

        return AsyncAgents(self._transport, self._find("agents", AsyncAgents.PREFIX))

    @cached_property
    def agent_docs(self) -> "AsyncAgentDocs":
        """The description of the agents' API."""
        from balcao_client.agent_docs import AsyncAgentDocs

        return AsyncAgentDocs(self._transport, self._find("agent_docs", AsyncAgentDocs.PREFIX))
