"""Open connections to one PostgreSQL server, or to the primary among several."""

import asyncio
import re
from collections.abc import Collection
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg

from balcao.core.database.faults import ServerUnsuitable, StoreFaults

# The session parameters of every connection.
SESSION = {
    "application_name": "balcao",
    "timezone": "UTC",
    # With this setting, the server ends a statement whose client is gone.
    "client_connection_check_interval": "1s",
    # If the host of a client vanishes or freezes, its transaction stays open and holds its locks. With these settings
    # the server ends the transaction within about a minute. A TCP timeout would take hours.
    "tcp_keepalives_idle": "20s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "4",
    "idle_in_transaction_session_timeout": "60s",
}

_PLACE = re.compile(r"(?P<host>\[[^\]]+\]|[^:]*)(?::(?P<port>[0-9]+))?")


class Server(NamedTuple):
    """A database server. `host` is a name, an address, or the directory of a Unix socket."""

    host: str
    port: int


def list_servers(url: str) -> list[Server]:
    """Return the servers in a database URL, in order."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    if places := parts.netloc.rpartition("@")[2]:
        return [_parse_place(place) for place in places.split(",")]
    hosts = query.get("host", ["localhost"])[0].split(",")
    ports = query.get("port", ["5432"])[0].split(",")
    each = ports if len(ports) == len(hosts) else ports[:1] * len(hosts)
    return [Server(host, int(port or 5432)) for host, port in zip(hosts, each, strict=True)]


def _parse_place(place: str) -> Server:
    found = _PLACE.fullmatch(place)
    assert found  # the settings have validated the URL
    return Server(unquote(found["host"].strip("[]")) or "localhost", int(found["port"] or 5432))


async def connect_to_server(url: str, **options: Any) -> asyncpg.Connection:
    """Connect to the server of a URL, or to the server that accepts writes if the URL names several.

    Try all servers concurrently. Waiting for a server whose machine is gone would use up the timeout. If all fail,
    raise the most informative exception. A `host` in the driver `options` selects one server.
    """
    servers = list_servers(url)
    if len(servers) == 1 or "host" in options:
        return await asyncpg.connect(url, **options)
    options["target_session_attrs"] = "read-write"
    tries = {asyncio.create_task(asyncpg.connect(url, host=host, port=port, **options)) for host, port in servers}
    try:
        return await _take_first(tries)
    finally:
        await _end(tries)


async def _take_first(tries: set["asyncio.Task[asyncpg.Connection]"]) -> asyncpg.Connection:
    """Return the first connection that succeeds, and remove its task from `tries`."""
    failures: list[BaseException] = []
    while tries:
        done, _ = await asyncio.wait(tries, return_when=asyncio.FIRST_COMPLETED)
        for ended in done:
            tries.discard(ended)
            if (failure := ended.exception()) is None:
                return ended.result()
            failures.append(failure)
    # Most informative first: a rejected login, then a server that does not accept writes, then a server that is down.
    raise min(failures, key=lambda failure: (isinstance(failure, OSError), isinstance(failure, ServerUnsuitable)))


async def _end(tries: Collection["asyncio.Task[asyncpg.Connection]"]) -> None:
    for unwanted in tries:
        unwanted.cancel()
    for made in await asyncio.gather(*tries, return_exceptions=True):
        if not isinstance(made, BaseException):
            made.terminate()


async def read_server_version(url: str) -> int:
    """Return the server's major version. Raises Unavailable if the server is down."""
    with StoreFaults():
        connection = await connect_to_server(url)
        version: int = connection.get_server_version().major
        await connection.close()
        return version


async def is_recovering(url: str) -> bool:
    """Return whether the server is still in recovery. Raises Unavailable while it accepts no connections."""
    with StoreFaults():
        connection = await asyncpg.connect(url)
        recovering: bool = await connection.fetchval("SELECT pg_is_in_recovery()")
        await connection.close()
        return recovering
