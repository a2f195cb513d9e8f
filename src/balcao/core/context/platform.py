"""The shared parts of a process, which live as long as the process and are passed to every call and job."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import httpx

from balcao.core.access.caller import Caller, ClaimPolicy
from balcao.core.access.catalogue import Catalogue
from balcao.core.access.counts import Counts
from balcao.core.access.enumeration import EnumerationGuard
from balcao.core.access.fixed_tokens import FixedTokens
from balcao.core.access.limits import Limits
from balcao.core.access.live import LiveChanges
from balcao.core.access.refusals import Refusals
from balcao.core.access.sessions import EndedSessions
from balcao.core.access.tokens import TokenVerifier
from balcao.core.context.audit import Audit, HashKey
from balcao.core.context.metrics import Metrics
from balcao.core.context.processes import SINGLE_PROCESS, ProcessGroup
from balcao.core.database import servers
from balcao.core.database.pool import Database
from balcao.core.database.replicas import Replica, Replicas
from balcao.core.database.traced import TracedDatabase
from balcao.core.telemetry import telemetry
from balcao.core.tracing import make_http_client, tracing
from balcao.settings import Settings, variable_of

P = TypeVar("P")


@dataclass
class Platform:
    """The parts that all services share. `parts` contains the additions of services, such as a client."""

    settings: Settings
    database: Database
    replicas: Replicas
    owner_url: str  # the login of the tables' owner, for retention and imports
    catalogue: Catalogue
    tokens: TokenVerifier
    ended_sessions: EndedSessions
    audit: Audit
    limits: Limits
    live: LiveChanges
    enumeration: EnumerationGuard
    refusals: Refusals
    fixed_tokens: FixedTokens
    metrics: Metrics
    tracing: AbstractAsyncContextManager[None]
    http: httpx.AsyncClient
    client_lists: Mapping[str, frozenset[str]]
    parts: dict[type, Any] = field(default_factory=dict)

    @property
    def zone(self) -> ZoneInfo:
        """The city's time zone."""
        return self.settings.zone

    def rate(self, setting: str) -> str:
        """Return the current rate of a setting such as `export_limit`: as configured, or as operators changed it."""
        configured: str = getattr(self.settings, setting)
        return self.live.rate(variable_of(setting), configured)

    async def is_within(self, rate: str, *key: str) -> bool:
        """Count under `key` against a rate declared in the code. Return whether the rate is not exceeded."""
        return await self.limits.within(self.settings.declared_rate(rate), *key)

    def has_ended(self, caller: Caller) -> bool:
        """Return whether the caller's session has ended or their fixed token was removed from the settings."""
        return self.ended_sessions.covers(caller) or self.fixed_tokens.has_withdrawn(caller)

    def part(self, kind: type[P]) -> P:
        """Return the part of this type, which a service added when it started."""
        found: P = self.parts[kind]
        return found


def assemble(
    settings: Settings, database_url: str, group: ProcessGroup = SINGLE_PROCESS, *, serving: bool = False
) -> Platform:
    """Create the platform from the settings without opening anything.

    With `serving`, database blocks have a deadline.
    """
    http = make_http_client(settings.traces_url, timeout=httpx.Timeout(3.0, connect=2.0), follow_redirects=False)
    database = make_database(settings, database_url)
    database.is_serving = serving
    secret = settings.hash_key.get_secret_value().encode()
    counts = Counts(secret, group.counts_file, group.number, group.count)
    limits = Limits(settings.redis_url, counts=counts)
    policy = ClaimPolicy(
        cpf_claim=settings.cpf_claim,
        cpf_from_username=settings.cpf_from_username,
        machine_clients=settings.machine_clients,
        test_clients=settings.test_clients,
        role_clients=settings.role_clients,
        admin_from_token=settings.access_admin_from_token,
    )
    ended = EndedSessions(database)
    platform = Platform(
        settings=settings,
        database=database,
        replicas=Replicas(database, make_replicas(settings), settings.database_read_lag),
        owner_url=settings.owner_url(database_url),
        catalogue=Catalogue(database),
        tokens=TokenVerifier(settings.issuers, settings.auth_audience, http, policy, ended.covers),
        ended_sessions=ended,
        audit=Audit(
            make_hash_key(settings), [HashKey(key.encode(), number) for number, key in settings.former_keys.items()]
        ),
        limits=limits,
        live=LiveChanges(database),
        enumeration=EnumerationGuard(limits, settings.enumeration_limit),
        refusals=Refusals(counts, settings.refused_rate),
        fixed_tokens=FixedTokens(settings.fixed_service_tokens, settings.fixed_tokens),
        metrics=Metrics(telemetry, group),
        tracing=tracing(settings.traces_url, settings.traces_share, group.name),
        http=http,
        client_lists=settings.client_lists,
    )
    platform.live.follow(lambda: platform.enumeration.change_rate(platform.rate("enumeration_limit")))
    platform.live.follow(lambda: platform.refusals.change_rate(platform.rate("refused_rate")))
    return platform


def make_hash_key(settings: Settings) -> HashKey:
    """Return the key that hashes people in the audit trail."""
    return HashKey(settings.hash_key.get_secret_value().encode(), settings.hash_key_number)


def make_database(settings: Settings, url: str, replica: servers.Server | None = None) -> Database:
    """Return the database at `url`, or one of its replicas. It is not open yet.

    The URL of the embedded database names the owner. Its socket also accepts a login as the application's role.
    """
    role = settings.database_role
    kind = TracedDatabase if settings.traces_url else Database
    login = role if settings.embedded_database else None
    return kind(url, size=settings.connections, role=role, login=login, replica=replica)


def make_replicas(settings: Settings) -> list[Replica]:
    """Return the replicas from the settings. They are not open yet."""
    url = settings.database_read_url
    return [
        Replica(make_database(settings, url, server), f"{server.host}:{server.port}")
        for server in (servers.list_servers(url) if url else [])
    ]
