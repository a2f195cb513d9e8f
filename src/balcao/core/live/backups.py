"""The age of the database server's backups, and the state of its replicas and replication slots."""

import math
from collections.abc import Mapping

import msgspec

from balcao.core.database.gauges import Gauge
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement

Values = Mapping[tuple[str, ...], float]


class Backup(msgspec.Struct):
    """How long ago the server was last backed up (`copy`), or its log last arrived at the backups (`log`).

    `free_bytes` is the free space on the disk with the backups.
    """

    kind: str
    age_seconds: float
    free_bytes: int


class Slot(msgspec.Struct):
    """A physical replication slot: whether its receiver is connected, and how much log the server retains for it.

    `retained_bytes` is None if the slot has received nothing yet. `is_lost`: the server deleted log that the receiver
    needs.
    """

    name: str
    is_active: bool
    is_lost: bool
    retained_bytes: float | None


class Replication(msgspec.Struct):
    """The number of streaming replicas, and the maximum number of bytes of log that a slot retains (None: no limit)."""

    replicas: int
    limit_bytes: int | None


@statement("SELECT kind, extract(epoch FROM now() - noted_at)::float8 AS age_seconds, free_bytes FROM platform.backup")
async def list_backups(connection: Connection) -> list[Backup]: ...


@statement("""
INSERT INTO platform.backup (kind, noted_at, free_bytes) VALUES ('copy', now(), :free_bytes)
ON CONFLICT (kind) DO UPDATE SET noted_at = excluded.noted_at, free_bytes = excluded.free_bytes
""")
async def note_copy(connection: Connection, free_bytes: int) -> None: ...


@statement("DELETE FROM platform.backup")
async def forget_copies(connection: Connection) -> None: ...


# The receiver reports every few seconds, but one update a minute is enough. Update only if the slot is active, because
# only a connected receiver gets the log.
@statement("""
INSERT INTO platform.backup AS known (kind, noted_at, free_bytes)
SELECT 'log', now(), :free_bytes
FROM pg_replication_slots WHERE slot_name = :slot AND active AND wal_status <> 'lost'
ON CONFLICT (kind) DO UPDATE SET noted_at = excluded.noted_at, free_bytes = excluded.free_bytes
WHERE known.noted_at < now() - interval '1 minute'
""")
async def note_log(connection: Connection, slot: str, free_bytes: int) -> None: ...


# LIMIT: a server has one slot for each replica and one for the backups. Further slots would only make the metrics
# longer.
@statement("""
SELECT slot_name::text AS name, active AS is_active, coalesce(wal_status = 'lost', false) AS is_lost,
       pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
                       restart_lsn)::float8 AS retained_bytes
FROM pg_replication_slots WHERE slot_type = 'physical' ORDER BY slot_name LIMIT 50
""")
async def list_slots(connection: Connection) -> list[Slot]: ...


# PostgreSQL's own backup programs stream too, but they are not replicas.
@statement("""
SELECT (SELECT count(*) FROM pg_stat_replication
        WHERE application_name NOT IN ('pg_receivewal', 'pg_basebackup'))::int AS replicas,
       nullif(pg_size_bytes(current_setting('max_slot_wal_keep_size')), -1) AS limit_bytes
""")
async def read_replication(connection: Connection) -> Replication | None: ...


async def _read_ages(connection: Connection) -> Values:
    return {(backup.kind,): backup.age_seconds for backup in await list_backups(connection)}


async def _read_room(connection: Connection) -> Values:
    rooms = [float(backup.free_bytes) for backup in await list_backups(connection)]
    return {(): min(rooms)} if rooms else {}


async def _read_activity(connection: Connection) -> Values:
    return {(slot.name,): float(slot.is_active and not slot.is_lost) for slot in await list_slots(connection)}


async def _read_retained(connection: Connection) -> Values:
    return {(slot.name,): slot.retained_bytes or 0.0 for slot in await list_slots(connection)}


async def _read_limit(connection: Connection) -> Values:
    found = await read_replication(connection)
    return {(): math.inf if found is None or found.limit_bytes is None else float(found.limit_bytes)}


async def _read_replicas(connection: Connection) -> Values:
    found = await read_replication(connection)
    return {(): float(found.replicas) if found else 0.0}


GAUGES = (
    Gauge("balcao_backup_age_seconds", "How long ago the server was copied or its log arrived", ("kind",), _read_ages),
    Gauge("balcao_backup_free_bytes", "Free room on the disk of the copies", (), _read_room),
    Gauge("balcao_replication_slot_active", "Whether a slot's receiver is connected", ("slot",), _read_activity),
    Gauge("balcao_replication_slot_retained_bytes", "Log that is kept for a slot", ("slot",), _read_retained),
    Gauge("balcao_replication_slot_limit_bytes", "Log that is kept for a slot at most", (), _read_limit),
    Gauge("balcao_replicas_streaming", "Replicas that are connected to the database", (), _read_replicas),
)
