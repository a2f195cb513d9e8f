"""Builds what a process serves from a list of services; the only module that knows them all."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from balcao.access import SERVICE as ACCESS
from balcao.agent_docs import describe_service
from balcao.agents import SERVICE as AGENTS
from balcao.core.access import catalogue
from balcao.core.audit import chain, platform_data, retention
from balcao.core.audit.personal_data import DeclaredPersonalData
from balcao.core.audit.retention import Retention
from balcao.core.context.platform import Platform, assemble
from balcao.core.context.processes import ALONE, ProcessGroup
from balcao.core.database import migrations
from balcao.core.database.migrations import Migration
from balcao.core.http.endpoint import OperationEndpoint
from balcao.core.jobs import tables
from balcao.core.jobs.declaration import DeclaredDeadJobs
from balcao.core.jobs.worker import JobKind
from balcao.core.service import Service, announced, path_of
from balcao.employability import SERVICE as EMPLOYABILITY
from balcao.gateway.asgi import Application
from balcao.gateway.gateway import Gateway, Mount
from balcao.gateway.pages import pages
from balcao.health_units import SERVICE as HEALTH_UNITS
from balcao.identity import provider
from balcao.identity.records import RETENTION as IDENTITY_RETENTION
from balcao.registry import SERVICE as REGISTRY
from balcao.search import SERVICE as SEARCH
from balcao.settings import Settings, SettingsError

AGENT_DOCS = describe_service(AGENTS)

# In the order in which they migrate: the catalogue first, everything else is announced to it.
SERVICES: tuple[Service, ...] = (ACCESS, REGISTRY, EMPLOYABILITY, SEARCH, HEALTH_UNITS, AGENTS, AGENT_DOCS)
NAMES = tuple(service.name for service in SERVICES)


def chosen(names: Sequence[str]) -> list[Service]:
    """The services of these names, all when there are none. Raises SettingsError for an unknown name."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        raise SettingsError(f"Serviço desconhecido: {', '.join(unknown)}. Existem: {', '.join(NAMES)}.")
    return [service for service in SERVICES if not names or service.name in names]


def all_migrations() -> list[Migration]:
    """Always those of every service, whichever a process serves."""
    return [*migrations.platform_migrations(), *(m for service in SERVICES for m in service.migrations())]


def all_jobs() -> list[JobKind]:
    platform = [*chain.JOBS, retention.make_nightly_job(all_retention())]
    return [*platform, *(kind for service in SERVICES for kind in service.jobs)]


def all_retention() -> list[Retention]:
    return [
        *platform_data.RETENTION,
        *IDENTITY_RETENTION,
        *(kind for service in SERVICES for kind in service.retention),
    ]


def build(settings: Settings, database_url: str, names: Sequence[str] = (), group: ProcessGroup = ALONE) -> Application:
    """Compile what one process serves; everything is opened when the server starts it."""
    services = chosen(names)
    platform = assemble(settings, database_url, group)
    mounts = [mount(service, platform) for service in services]
    alone = mounts[0] if len(services) == 1 else None
    if settings.embedded_identity:
        mounts.append(provider.mount(settings, platform))
    return Application(Gateway(mounts, pages(platform, services), lambda: running(platform, services), alone=alone))


def mount(service: Service, platform: Platform) -> Mount:
    """Compile each operation of the service into its endpoint. Raises MalformedOperation."""
    endpoints = [
        (operation.method, path_of(service, operation), OperationEndpoint(operation, service.name, platform))
        for operation in service.operations()
    ]

    return Mount(service.name, service.prefix, endpoints, service.dialect, service.base)


@asynccontextmanager
async def running(platform: Platform, services: Sequence[Service]) -> AsyncIterator[None]:
    """Open the platform, announce the operations, load the snapshot: only then may the process listen."""
    async with opened(platform, services):
        async with platform.database.transaction() as connection:
            operations = [operation for service in services for operation in announced(service)]
            await catalogue.announce(connection, operations)
        await platform.catalogue.reload()
        yield


@asynccontextmanager
async def opened(platform: Platform, services: Sequence[Service] = SERVICES) -> AsyncIterator[None]:
    """For a server, a worker and a command alike. Raises MigrationError on a database that is not up to date."""
    async with AsyncExitStack() as stack:
        await platform.database.open()
        stack.push_async_callback(platform.database.close)
        stack.push_async_callback(platform.http.aclose)
        async with platform.database.connection() as connection:
            await migrations.check(connection, all_migrations())
        await platform.catalogue.start()
        stack.push_async_callback(platform.catalogue.stop)
        platform.metrics.start()
        stack.callback(platform.metrics.stop)
        platform.tokens.start()
        stack.callback(platform.tokens.stop)
        platform.parts[DeclaredPersonalData] = DeclaredPersonalData(
            [*(declared for service in services for declared in service.personal_data), *platform_data.PERSONAL_DATA]
        )
        platform.parts[DeclaredDeadJobs] = DeclaredDeadJobs(
            declared for service in services for declared in service.dead_jobs
        )
        for service in services:
            await stack.enter_async_context(service.running(platform))
        yield


async def bring_up_to_date(url: str, progress: migrations.Progress = migrations.silent) -> int:
    """Applies every migration and loads the seed data. Returns how many migrations ran."""
    ran = await migrations.migrate(url, all_migrations(), progress, before=[tables.prepare])
    await migrations.with_owner(url, *(service.seed for service in SERVICES if service.seed))
    return ran


def migrate_now(url: str, progress: migrations.Progress = migrations.silent) -> int:
    return asyncio.run(bring_up_to_date(url, progress))
