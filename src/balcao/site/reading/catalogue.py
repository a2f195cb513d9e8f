"""A copy of the catalogue's published services, kept current through the change feed (rules: search 2.5).

Lists, subjects, departments and the sitemap use this copy. They therefore need no calls, and continue to work for an
hour if the search service is down. The copy contains only the members that lists show.
"""

import time
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Literal

import msgspec

from balcao.core.logs import log
from balcao.core.values.clock import utc_now
from balcao.core.values.text import fold_text
from balcao.site.facts import Cost, Deadline
from balcao.site.reading.flights import Flights
from balcao.site.reading.machine import MachineClient
from balcao.site.reading.reader import HOUR, PAUSE_SECONDS
from balcao.web.api import ApiFault, ServiceUnavailable, ValidationFailed, decode_body, to_fault
from balcao.web.sessions.session import SessionOver

SERVICE = "search"
FEED = f"/{SERVICE}/api/v1/catalog/services"
# Read this many changes in one call. The response is about half a megabyte, which takes a few milliseconds to decode.
_CHANGES = 100
_REFRESH_SECONDS, _WAITING_SECONDS = 15.0, 60.0
# The copy contains at most about this many services. A city has between hundreds and a few thousand.
MOST_SERVICES = 20_000


class AgentSettings(msgspec.Struct):
    exclusive_for_agents: bool = False


class Listed(msgspec.Struct):
    """A published service with the members that lists show."""

    id: str
    slug: str
    nome_servico: str
    tema_geral: str
    sub_categoria: str | None = None
    resumo_plaintext: str = ""
    custo_servico: str = ""
    tempo_atendimento: str = ""
    custo: Cost | None = None
    prazo: Deadline | None = None
    is_free: bool | None = None
    orgao_gestor: list[str] = []
    canais_digitais: list[str] = []
    canais_presenciais: list[str] = []
    last_update: int = 0
    fixar_destaque: bool = False
    agents: AgentSettings | None = None


class _Change(msgspec.Struct):
    id: str
    change: Literal["published", "removed"]
    service: Listed | None = None


class _Feed(msgspec.Struct):
    changes: list[_Change]
    after: str
    has_more: bool


class Snapshot:
    """The published services at one moment, sorted by name."""

    def __init__(self, services: Sequence[Listed]) -> None:
        self.services = sorted(services, key=lambda service: fold_text(service.nome_servico))

    @cached_property
    def counts(self) -> Counter[str]:
        """Return the number of services in each category."""
        return Counter(service.tema_geral for service in self.services)

    @cached_property
    def subcategory_counts(self) -> Counter[tuple[str, str | None]]:
        """Return the number of services in each subcategory of each category."""
        return Counter((service.tema_geral, service.sub_categoria) for service in self.services)

    @cached_property
    def departments(self) -> Counter[str]:
        """Return the number of services for each department code."""
        return Counter(code for service in self.services for code in service.orgao_gestor)

    @cached_property
    def by_name(self) -> dict[str, Listed]:
        """Return the services by name."""
        return {service.nome_servico: service for service in self.services}

    def list_categories(self, categories: Sequence[str], subcategories: Sequence[str] = ()) -> list[Listed]:
        """Return the services in these categories, and those in these subcategories of any category."""
        return [
            service
            for service in self.services
            if service.tema_geral in categories or service.sub_categoria in subcategories
        ]


class Catalogue:
    """One process's copy of the catalogue."""

    def __init__(self, machine: MachineClient) -> None:
        self._machine = machine
        self._services: dict[str, Listed] = {}
        self._after: str | None = None
        self._snapshot: Snapshot | None = None
        self._read_at = float("-inf")
        self._retry_at = float("-inf")
        self._down_since: datetime | None = None
        self._refreshing: Flights[None] = Flights()

    @property
    def checked_at(self) -> datetime | None:
        """Return when the feed last confirmed the copy. Return None while the feed works."""
        if self._down_since is None:
            return None
        return utc_now() - timedelta(seconds=time.monotonic() - self._read_at)

    @property
    def down_since(self) -> datetime | None:
        """Return when the feed started to fail, or None while it works."""
        return self._down_since

    async def read(self) -> Snapshot:
        """Return the services.

        If the last read of the change feed is more than 15 seconds ago, start to read the changes.

        Only page requests cause these reads, so a site without visitors makes no calls. A page waits for the changes
        only if the copy is more than a minute old. Raises ApiFault if the feed has failed for more than an hour, or
        since the process started.
        """
        age = time.monotonic() - self._read_at
        if age > _REFRESH_SECONDS and time.monotonic() >= self._retry_at:
            refreshing = self._refreshing.join("refresh", self._refresh)
            if age > _WAITING_SECONDS:
                await refreshing
        if self._snapshot is None or time.monotonic() - self._read_at > HOUR:
            fault = ServiceUnavailable("O catálogo de serviços não respondeu.")
            fault.service = SERVICE
            raise fault
        return self._snapshot

    async def stop(self) -> None:
        """Cancel the calls in flight."""
        await self._refreshing.stop()

    async def _refresh(self) -> None:
        try:
            await self._read_changes()
        except (ApiFault, SessionOver) as fault:
            self._down_since = self._down_since or utc_now()
            self._retry_at = time.monotonic() + PAUSE_SECONDS
            log.warning("site.catalogue_away", code=type(fault).__name__)
            if isinstance(fault, ValidationFailed):  # the cursor is from an older state of the database
                self._after, self._services = None, {}

    async def _read_changes(self) -> None:
        """Read all changes since the last call, and replace the snapshot if there are any."""
        has_changed, has_more = False, True
        while has_more and len(self._services) < MOST_SERVICES:
            answer = await self._machine.get(FEED, {"limit": _CHANGES, "after": self._after})
            if answer.status_code >= 300:
                raise to_fault(answer)
            feed = decode_body(answer, _Feed)
            for change in feed.changes:
                has_changed = True
                service = change.service
                if service is None or (service.agents and service.agents.exclusive_for_agents):
                    self._services.pop(change.id, None)
                else:
                    self._services[change.id] = service
            self._after, has_more = feed.after, feed.has_more
        if has_changed or self._snapshot is None:
            self._snapshot = Snapshot(list(self._services.values()))
        self._read_at, self._down_since = time.monotonic(), None
