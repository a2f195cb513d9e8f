"""Assemble the application of a process from services. Only this module imports all services."""

import asyncio
import functools
import math
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from balcao import sandbox
from balcao.access import SERVICE as ACCESS
from balcao.agent_docs import describe_service
from balcao.agents import SERVICE as AGENTS
from balcao.core.access import catalogue, keys
from balcao.core.access.writers import Writers
from balcao.core.audit import chain, platform_data, retention
from balcao.core.audit.personal_data import DeclaredPersonalData
from balcao.core.audit.retention import Retention
from balcao.core.certificate_end import CertificateWatch
from balcao.core.context.headers import AUTHORIZATION
from balcao.core.context.metrics import Metrics
from balcao.core.context.platform import Platform, assemble, make_database
from balcao.core.context.processes import SINGLE_PROCESS, ProcessGroup
from balcao.core.database import migrations, roles
from balcao.core.database.gauges import Gauge
from balcao.core.database.migrations import Migration
from balcao.core.database.pool import Connection
from balcao.core.database.reloader import Watch
from balcao.core.database.roles import ApplicationRole
from balcao.core.declared import Declared
from balcao.core.http.deprecated_endpoint import DeprecatedEndpoint
from balcao.core.http.endpoint import Endpoint
from balcao.core.http.error_codes import Explanations
from balcao.core.http.operation_endpoint import OperationEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.traced import TracedEndpoint
from balcao.core.jobs import gauges as queue_gauges
from balcao.core.jobs import tables
from balcao.core.jobs.declaration import DeclaredDeadJobs
from balcao.core.jobs.worker import JobKind
from balcao.core.live import backups, maintenance, processes, rates, response_counts
from balcao.core.live.call_log import CallLog
from balcao.core.live.rates import Limit
from balcao.core.operation_names import OperationNames
from balcao.core.repeating import repeating
from balcao.core.service import Service, describe_operations, path_of
from balcao.core.telemetry import telemetry
from balcao.employability import SERVICE as EMPLOYABILITY
from balcao.gateway import management
from balcao.gateway.application import Application, Identity
from balcao.gateway.cors import Cors
from balcao.gateway.gateway import Gateway, Mount
from balcao.gateway.pages import list_titles, mount_pages
from balcao.gateway.proxies import Proxies
from balcao.gateway.status.board import StatusCache
from balcao.health_units import SERVICE as HEALTH_UNITS
from balcao.identity import backchannel
from balcao.panel.application import Panel
from balcao.panel.areas import AREAS
from balcao.panel.endpoints import Endpoints
from balcao.registry import SERVICE as REGISTRY
from balcao.search import SERVICE as SEARCH
from balcao.settings import Settings, SettingsError
from balcao.site.application import Site
from balcao.site.areas import AREAS as SITE_AREAS
from balcao.site.mine.application import MyPages
from balcao.site.mine.endpoints import Endpoints as MyEndpoints
from balcao.site.mine.parts import PARTS
from balcao.site.mounting import mount_at_root
from balcao.web.database import SCHEMAS
from balcao.web.database import list_migrations as list_surface_migrations

AGENT_DOCS = describe_service(AGENTS)

# All services, in the order in which their migrations run. The access catalogue comes first, because services announce
# their operations to it.
SERVICES: tuple[Service, ...] = (ACCESS, REGISTRY, EMPLOYABILITY, SEARCH, HEALTH_UNITS, AGENTS, AGENT_DOCS)
NAMES = tuple(service.name for service in SERVICES)


def choose_services(names: Sequence[str]) -> list[Service]:
    """Return the services with these names, or all services if there are no names.

    Raises SettingsError for an unknown name.
    """
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        raise SettingsError(f"Serviço desconhecido: {', '.join(unknown)}. Existem: {', '.join(NAMES)}.")
    return [service for service in SERVICES if not names or service.name in names]


def list_migrations() -> list[Migration]:
    """Return the migrations of the platform, all services and all surfaces, even those not served by this process."""
    services = (migration for service in SERVICES for migration in service.migrations())
    surfaces = (migration for schema in SCHEMAS for migration in list_surface_migrations(schema))
    return [*migrations.platform_migrations(), *services, *surfaces]


def list_job_kinds() -> list[JobKind]:
    """Return all kinds of jobs that workers run."""
    platform = [*chain.JOBS, retention.make_nightly_job(list_retention())]
    return [*platform, *(kind for service in SERVICES for kind in service.jobs)]


def list_retention() -> list[Retention]:
    """Return all retention declarations."""
    return [
        *platform_data.RETENTION,
        *sandbox.load_installed("retention", ()),
        *(kind for service in SERVICES for kind in service.retention),
    ]


def list_gauges() -> list[Gauge]:
    """Return all gauges that are computed from the database."""
    platform = [*queue_gauges.GAUGES, maintenance.make_gauge(NAMES), *backups.GAUGES]
    return [*platform, *(gauge for service in SERVICES for gauge in service.gauges)]


def list_declared_limits(settings: Settings) -> dict[str, Limit]:
    """Return the rate limits that an operator may change while the platform runs, by name."""
    operations = [operation for service in SERVICES for operation in service.operations()]
    further = {name: settings.declared_rate(rate) for service in SERVICES for name, rate in service.limits.items()}
    return rates.collect_limits(settings, operations, further)


def list_base_urls(settings: Settings) -> dict[str, str]:
    """Return the base address of each service, by name."""
    return {service.name: settings.base_url + service.prefix + service.base for service in SERVICES}


def check_fixed_tokens(settings: Settings) -> None:
    """Raise SettingsError if a fixed token names an operation that does not exist or is not for machines."""
    try:
        check_fixed_operations(token.operation for token in settings.fixed_tokens)
    except SettingsError as refusal:
        raise SettingsError(f"BALCAO_FIXED_SERVICE_TOKENS: {refusal}") from None


def check_fixed_operations(names: Iterable[str]) -> None:
    """Raise SettingsError if a fixed token cannot be used for one of these operations."""
    for_machines = {one.key for service in SERVICES for one in service.operations() if one.rule.scopes}
    wrong = sorted(set(names) - for_machines)
    if wrong:
        raise SettingsError(
            f"{', '.join(wrong)} não é operação que uma máquina chama por escopo. "
            f"Existem: {', '.join(sorted(for_machines))}."
        )


def build_application(
    settings: Settings, database_url: str, names: Sequence[str] = (), group: ProcessGroup = SINGLE_PROCESS
) -> Application:
    """Build the application of a process. Connections are opened only when the server starts the application."""
    services = choose_services(names)
    check_fixed_tokens(settings)
    platform = assemble(settings, database_url, group, serving=True)
    mounts = [mount_service(service, platform) for service in services]
    unprefixed = mounts[0] if len(services) == 1 else None
    embedded = sandbox.load(settings, "identity")(settings, platform) if settings.embedded_identity else None
    mounts.append(backchannel.mount_backchannel(platform, embedded))
    panel = Panel(settings, database_url, AREAS, platform.refusals) if settings.has_panel and not names else None
    if panel is not None:
        mounts.append(Endpoints(panel).mount())
    site = Site(settings, platform.limits, SITE_AREAS) if settings.has_site and not names else None
    mine = None
    if site is not None and settings.has_site_login:
        mine = MyPages(settings, database_url, PARTS, platform.refusals, site)
        mounts.append(MyEndpoints(mine).mount())
    calls = CallLog(platform.database)
    # Pass all services, because the status page covers all processes, not only this one.
    keeper = StatusCache(platform.database, platform.zone, list_titles(SERVICES))
    pages = mount_pages(platform, services, list_gauges(), keeper, has_panel=panel is not None)
    surfaces = [surface for surface in (panel, site, mine) if surface is not None]
    return Application(
        Gateway(
            mounts,
            pages if site is None else mount_at_root(site, pages),
            lambda: open_for_serving(platform, services, keeper, calls, surfaces),
            unprefixed=unprefixed,
            refusals=platform.refusals,
        ),
        Cors(settings.cors_origins, loopback=settings.cors_loopback),
        Proxies(settings.trusted_proxies, settings.trusted_callers),
        functools.partial(_identify, platform),
        calls,
    )


def _identify(platform: Platform, request: Request) -> Identity:
    """Return the identity by which calls are scheduled: the caller if the token is known, otherwise the address.

    The caller of a new token is still unknown. Calls with new tokens are scheduled by address. The number of them in
    flight is not limited, because they may come from many callers.
    """
    header = request.headers.get(AUTHORIZATION)
    if header is None:
        return Identity(request.peer)
    caller = platform.tokens.known(header)
    return Identity(f"new {request.peer}", is_bounded=False) if caller is None else Identity(caller.key)


def build_management(
    settings: Settings, database_url: str, group: ProcessGroup, processes: Sequence[str], *, with_jobs: bool
) -> Application:
    """Build the application of the management port for these processes. It does not serve the services themselves."""
    database = make_database(settings, database_url).separate_pool(management.CONNECTIONS)
    database.is_serving = True
    metrics = Metrics(telemetry, group)
    return management.build_management(settings, database, metrics, list_gauges(), processes, with_jobs=with_jobs)


def mount_service(service: Service, platform: Platform) -> Mount:
    """Build an endpoint for each operation of the service.

    Raises MalformedOperation if the service's declarations are wrong.
    """
    endpoints: list[tuple[str, str, Endpoint]] = []
    operations = service.operations()
    writers = Writers((operation.key, operation.rule) for operation in operations if operation.method != "GET")
    for operation in operations:
        endpoint: Endpoint = OperationEndpoint(operation, service.name, platform, writers)
        if operation.deprecated is not None:
            endpoint = DeprecatedEndpoint(endpoint, operation.deprecated)
        if platform.settings.traces_url:
            endpoint = TracedEndpoint(endpoint)
        endpoints.append((operation.method, path_of(service, operation), endpoint))

    return Mount(service.name, service.prefix, endpoints, service.dialect, service.base)


@asynccontextmanager
async def open_for_serving(
    platform: Platform,
    services: Sequence[Service],
    keeper: StatusCache,
    calls: CallLog,
    surfaces: Sequence[Panel | Site | MyPages] = (),
) -> AsyncIterator[None]:
    """Open the platform, announce the operations and load the access snapshot.

    The process may listen only after that.
    """
    async with open_services(platform, services), AsyncExitStack() as stack:
        for surface in surfaces:
            await stack.enter_async_context(surface.open())
        operations = [operation for service in services for operation in describe_operations(service)]
        async with platform.database.transaction() as connection:
            await catalogue.announce_operations(connection, operations)
        await platform.catalogue.reload()
        platform.parts[Declared] = Declared(NAMES, list_job_kinds(), list_declared_limits(platform.settings))
        await platform.replicas.start()
        await platform.live.start()
        refresh = Watch(
            platform.database, keys.CHANNEL, keys.LONGEST_AGE_SECONDS, platform.tokens.refresh_keys, loaded=True
        )
        await refresh.start()
        announce_again = functools.partial(catalogue.confirm_operations, platform.database, operations)
        # Call each readiness check, because the first call starts the preparation of the service in the background.
        for service in services:
            if service.ready is not None:
                await service.ready(platform)
        try:
            async with (
                repeating(announce_again, catalogue.ANNOUNCING_SECONDS),
                processes.maintain_note(platform, [service.name for service in services]),
                response_counts.record_response_counts(platform.database, telemetry, platform.zone),
                keeper.reading(),
                calls.writing(),
            ):
                yield
        finally:
            await refresh.stop()
            await platform.replicas.stop()
            await platform.live.stop()


@asynccontextmanager
async def open_services(platform: Platform, services: Sequence[Service] = SERVICES) -> AsyncIterator[None]:
    """Open the platform and the services' resources for a server, a worker or a command.

    Raises MigrationError if the database is not up to date. In production, raises RoleError if the login could own the
    database, and SettingsError if the database has demo data.
    """
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(platform.tracing)
        await platform.database.open()
        stack.push_async_callback(platform.database.close)
        stack.push_async_callback(platform.http.aclose)
        stack.push_async_callback(platform.limits.close)
        stack.callback(platform.refusals.flush)
        async with platform.database.connection() as connection:
            # Check for demo data before the migrations. Otherwise an operator would migrate a database that can never
            # be used.
            await refuse_demo_data(connection, platform.settings)
            await migrations.check_migrations(connection, list_migrations())
            if not platform.settings.sandbox:
                await roles.check_login(connection)
        await platform.catalogue.start()
        stack.push_async_callback(platform.catalogue.stop)
        for name, read in _list_states(platform).items():
            stack.enter_context(telemetry.state(name, read))
        platform.metrics.start()
        stack.callback(platform.metrics.stop)
        await platform.ended_sessions.start()
        stack.push_async_callback(platform.ended_sessions.stop)
        platform.tokens.start()
        stack.callback(platform.tokens.stop)
        platform.parts[DeclaredPersonalData] = DeclaredPersonalData(
            [*(declared for service in services for declared in service.personal_data), *platform_data.PERSONAL_DATA]
        )
        platform.parts[DeclaredDeadJobs] = DeclaredDeadJobs(
            declared for service in services for declared in service.dead_jobs
        )
        platform.parts[OperationNames] = OperationNames(one for service in SERVICES for one in service.operations())
        platform.parts[Explanations] = Explanations({service.name: service.package for service in SERVICES})
        for service in services:
            await stack.enter_async_context(service.lifespan(platform))
        yield


def _read_free_bytes(folder: Path) -> float:
    """Return the free space on the folder's disk, or NaN if the folder does not exist."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return math.nan


def _list_states(platform: Platform) -> dict[str, Callable[[], float]]:
    """Return functions, by metric name, that read this process's metrics from the open platform."""
    database, settings = platform.database, platform.settings
    states: dict[str, Callable[[], float]] = {}
    if settings.public_url.startswith("https:"):
        states["balcao_certificate_end_timestamp_seconds"] = CertificateWatch(settings.public_url).read
    return states | {
        "balcao_disk_free_bytes": lambda: _read_free_bytes(settings.data_dir),
        "balcao_database_connections_in_use": lambda: database.in_use,
        "balcao_database_connections_limit": lambda: database.size,
        "balcao_database_requests_waiting": lambda: database.waiting,
        catalogue.OUTDATED: lambda: not platform.catalogue.is_confirmed,
    }


async def bring_up_to_date(
    url: str, role: ApplicationRole, progress: migrations.Progress = migrations.show_no_progress
) -> int:
    """Apply all migrations as the owner, load the seed data, and return the number of applied migrations."""
    ran = await migrations.migrate(url, list_migrations(), role, progress, before=[tables.prepare_queue])
    await migrations.run_as_owner(url, *(service.seed for service in SERVICES if service.seed))
    return ran


async def refuse_demo_data(connection: Connection, settings: Settings) -> None:
    """Raise SettingsError in production if the database ever had the demo data.

    The citizens and clients of the demo data are public.
    """
    if not settings.sandbox and await migrations.has_any_done(connection, migrations.DEMO):
        raise SettingsError(
            "Este banco recebeu as pessoas e os clientes da base de demonstração, que todos conhecem: a produção "
            "exige um banco que nunca os teve. Crie um banco novo, ponha o seu endereço em BALCAO_DATABASE_URL e em "
            "BALCAO_DATABASE_OWNER_URL e execute `balcao migrate`."
        )


def migrate_now(url: str) -> int:
    """Run `bring_up_to_date` from code without an event loop, with the default application role."""
    return asyncio.run(bring_up_to_date(url, ApplicationRole()))
