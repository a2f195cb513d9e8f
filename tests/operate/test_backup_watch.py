"""Doctor and the metrics report that backups have stopped, whichever machine makes the backups."""

import asyncio
import math
import ssl
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import asyncpg
import pytest

from balcao import app
from balcao.core.certificate_end import CertificateWatch, read_certificate_end
from balcao.core.database.gauges import collect_gauges
from balcao.core.database.pool import Database
from balcao.core.live import backups
from balcao.operate.doctor.backups import examine
from balcao.operate.doctor.checks import Part
from balcao.operate.doctor.gateway import check_seen_certificate
from balcao.operate.postgresql.backups import SLOT
from tests.cluster.servers import cluster
from tests.support.gateways import Certificate
from tests.support.polling import until_now

ROOM = 10 * 1024**3
NOTE = """INSERT INTO platform.backup VALUES ($1, now() - $2::text::interval, $3)
          ON CONFLICT (kind) DO UPDATE SET noted_at = excluded.noted_at, free_bytes = excluded.free_bytes"""


async def look(url: str) -> Part:
    connection = await asyncpg.connect(url)
    try:
        return await examine(connection)
    finally:
        await connection.close()


async def read_gauges(url: str) -> dict[str, dict[tuple[str, ...], float]]:
    database = Database(url, size=2, role=None)
    await database.open()
    try:
        families = await collect_gauges(database, app.list_gauges())
    finally:
        await database.close()
    return {family.name: {tuple(one.labels.values()): one.value for one in family.samples} for family in families}


async def run(url: str, statement: str, *args: object) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement, *args)
    finally:
        await connection.close()


async def test_a_copy_or_a_log_that_is_too_old_is_a_problem_on_every_machine(database_url: str) -> None:
    try:
        found = await look(database_url)
        assert "Ainda não há cópia" in " ".join(found.notices)
        for kind in ("copy", "log"):
            await run(database_url, NOTE, kind, "5 minutes", ROOM)
        (gone,) = (await look(database_url)).problems
        assert f"slot de replicação {SLOT} não existe mais" in gone
        await run(database_url, NOTE, "copy", "37 hours", ROOM)
        await run(database_url, NOTE, "log", "11 minutes", 1024)
        said = " ".join((await look(database_url)).problems)
        for words in ("tem 37 horas", "há 11 minutos", "disco das cópias tem só 0 MiB"):
            assert words in said
        shown = await read_gauges(database_url)
        assert shown["balcao_backup_age_seconds"]["copy",] >= 37 * 3600
        assert shown["balcao_backup_free_bytes"] == {(): 1024}
    finally:
        await run(database_url, "DELETE FROM platform.backup")


async def test_the_log_counts_as_copied_only_while_its_slot_is_read(database_url: str) -> None:
    connection = await asyncpg.connect(database_url, server_settings={"role": "balcao_app"})
    try:
        await backups.note_copy(connection, ROOM)
        await backups.note_log(connection, SLOT, ROOM)
        assert [backup.kind for backup in await backups.list_backups(connection)] == ["copy"]
    finally:
        await connection.close()
        await run(database_url, "DELETE FROM platform.backup")


@pytest.mark.long
def test_slots_and_replicas_are_watched_with_the_rights_of_the_application() -> None:
    with cluster(synchronous=False) as (primary, replica):
        url = primary.url("balcao_app")

        def count_replicas() -> float:
            return asyncio.run(read_gauges(url))["balcao_replicas_streaming"][()]

        until_now(lambda: count_replicas() == 1)
        primary.sql("SELECT pg_create_physical_replication_slot('left', true)")
        found = asyncio.run(look(url))
        assert "Ninguém lê o slot de replicação left" in " ".join(found.problems)
        assert "max_slot_wal_keep_size" in " ".join(found.notices)
        shown = asyncio.run(read_gauges(url))
        assert shown["balcao_replication_slot_active"]["left",] == 0
        assert shown["balcao_replication_slot_retained_bytes"]["left",] >= 0
        assert shown["balcao_replication_slot_limit_bytes"] == {(): math.inf}
        primary.sql("SELECT pg_drop_replication_slot('left')")
        primary.sql("ALTER SYSTEM SET max_slot_wal_keep_size = '1GB'")
        primary.sql("SELECT pg_reload_conf()")
        until_now(lambda: asyncio.run(read_gauges(url))["balcao_replication_slot_limit_bytes"] == {(): 1024**3})
        found = asyncio.run(look(url))
        assert "left" not in " ".join(found.problems)
        assert "max_slot_wal_keep_size" not in " ".join(found.notices)
        replica.kill()
        until_now(lambda: count_replicas() == 0)


def test_the_end_of_the_certificate_is_read_as_a_caller_sees_it(tmp_path: Path) -> None:
    certificate = Certificate(tmp_path, days=9)
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.chain)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"https://127.0.0.1:{server.server_address[1]}"
        end = datetime.fromtimestamp(read_certificate_end(url), UTC)
        assert timedelta(days=8) < end - datetime.now(UTC) < timedelta(days=10)
        assert f"O certificado de {url} vence em" in " ".join(check_seen_certificate(url))
        watch = CertificateWatch(url)
        until_now(lambda: not math.isnan(watch.read()))
        server.shutdown()
