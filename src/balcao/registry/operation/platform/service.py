"""The state of the platform.

The list of processes is read from the database. Replicas and identity providers are shown as this process sees them.
"""

import math

from balcao.core.context.call import Call
from balcao.core.jobs import queue
from balcao.core.live import maintenance, processes
from balcao.registry.operation.platform import store
from balcao.registry.operation.platform.schemas import (
    IssuerStatus,
    JobCounts,
    PlatformState,
    ProcessCounts,
    Processes,
    ProcessStatus,
    ReplicaStatus,
    Versions,
)
from balcao.version import describe_version


async def read_platform_state(call: Call) -> PlatformState:
    """Return the state of all parts. Raises Unavailable if the database is down."""
    platform = call.platform
    closed = await maintenance.list_services_in_maintenance(call)
    async with platform.database.connection() as connection:
        server = await store.read_server_version(connection)
        running = await processes.list_processes(connection)
        counted = await queue.count_jobs(connection)
        oldest = await queue.find_oldest_due(connection)
    beating = sum(process.beats for process in running)

    def count(state: str) -> int:
        return sum(number for _, found, number in counted if found == state)

    return PlatformState(
        version=describe_version(),
        database=server.partition(" ")[0],
        replicas=[ReplicaStatus(one.name, _round(lag), one.fault) for one, lag in platform.replicas.list_lags()],
        identity=[IssuerStatus(keys.issuer, len(keys.known), _round(keys.age)) for keys in platform.tokens.issuers],
        processes=ProcessCounts(beating, len(running) - beating),
        jobs=JobCounts(count("queued"), count("running"), count("dead"), max(oldest.values(), default=None)),
        maintenance=[change.name for change in closed],
    )


def _round(seconds: float) -> float | None:
    """Round the seconds. Return None for infinity, which means "never"."""
    return round(seconds, 1) if math.isfinite(seconds) else None


async def list_processes(call: Call) -> Processes:
    """Return the processes of all machines."""
    async with call.platform.database.connection() as connection:
        found = await processes.list_processes(connection)
    return Processes(
        [
            ProcessStatus(one.id, one.name, one.host, one.version, one.services, one.started_at, one.beat_at, one.beats)
            for one in found
        ]
    )


async def read_versions(call: Call) -> Versions:
    """Return the versions of the live processes (several during an upgrade) and of the schemas."""
    async with call.platform.database.connection() as connection:
        running = await processes.list_processes(connection)
        schemas = await store.list_schema_versions(connection)
    return Versions(sorted({process.version for process in running if process.beats}), schemas)
