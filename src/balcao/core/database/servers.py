"""Open connections to one PostgreSQL server, or to the primary among several."""

import asyncio
import re
from collections.abc import Collection
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg

from balcao.core.database.faults import ServerUnsuitable, StoreFaults
from balcao.core.database.leadership import FormerPrimary, Leadership, find_leadership

# The session parameters of every connection. A statement sets them, because PgBouncer refuses a connection that sends
# them in its startup message.
SESSION = {
    "application_name": "balcao",
    "timezone": "UTC",
    # With this setting, the server ends a statement whose client has disconnected.
    "client_connection_check_interval": "1s",
    # If a client's machine goes down or freezes, the client's transaction stays open and holds its locks. With these
    # settings, the server ends the transaction within about a minute. A TCP timeout would take hours.
    "tcp_keepalives_idle": "20s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "4",
    "idle_in_transaction_session_timeout": "60s",
}

# How long to wait for the other servers of an address after one has accepted writes. In a healthy cluster they respond
# within milliseconds. Only a machine that is down causes the full wait.
OTHERS_SECONDS = 0.25

_SET_PARAMETERS = "SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS asked (name, value)"
_PLACE = re.compile(r"(?P<host>\[[^\]]+\]|[^:]*)(?::(?P<port>[0-9]+))?")


class Server(NamedTuple):
    """A database server. `host` is a name, an address, or the directory of a Unix socket."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


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
    """Connect to the server of a URL, or to the primary if the URL names several.

    Try all servers concurrently. Otherwise a server whose machine is down could use up the whole timeout. If all fail,
    raise the most informative exception. A `host` in the driver `options` selects one server, for example a replica.
    """
    if "host" in options:
        return await _open_session(url, options)
    servers = list_servers(url)
    leadership = find_leadership(*servers)
    if len(servers) == 1:
        return (await _connect_to_primary(url, servers[0], leadership, options))[1]
    options["target_session_attrs"] = "read-write"
    tries = {
        asyncio.create_task(_connect_to_primary(url, server, leadership, options | server._asdict()))
        for server in servers
    }
    try:
        return await _take_newest(tries)
    finally:
        await _end(tries)


def find_primary(url: str) -> Leadership:
    """Return the object in which this process records the newest timeline of the servers in a URL."""
    return find_leadership(*list_servers(url))


async def _connect_to_primary(
    url: str, server: Server, leadership: Leadership, options: dict[str, Any]
) -> tuple[int, asyncpg.Connection]:
    """Return the server's timeline and the connection. Raises FormerPrimary if another server was promoted."""
    connection = await _open_session(url, options)
    try:
        return await leadership.check(connection, str(server)), connection
    except BaseException:
        connection.terminate()
        raise


async def _open_session(url: str, options: dict[str, Any]) -> asyncpg.Connection:
    """Connect to one server, and set the session parameters that `options` call `server_settings`."""
    parameters = options.get("server_settings", {})
    connection = await asyncpg.connect(url, **options | {"server_settings": None})
    try:
        async with asyncio.timeout(options.get("timeout")):
            await connection.execute(_SET_PARAMETERS, list(parameters), list(parameters.values()))
    except BaseException:
        connection.terminate()
        raise
    return connection


async def _take_newest(tries: set["asyncio.Task[tuple[int, asyncpg.Connection]]"]) -> asyncpg.Connection:
    """Return the connection with the highest timeline among the servers that respond, and remove its task from `tries`.

    A former primary that this process does not know yet may respond first, so the other servers get a moment to respond
    too.
    """
    failures: list[BaseException] = []
    made: dict[int, asyncio.Task[tuple[int, asyncpg.Connection]]] = {}
    waiting = set(tries)
    while waiting:
        done, waiting = await asyncio.wait(
            waiting, timeout=OTHERS_SECONDS if made else None, return_when=asyncio.FIRST_COMPLETED
        )
        if not done:
            break
        for ended in done:
            if (failure := ended.exception()) is None:
                made[ended.result()[0]] = ended
            else:
                failures.append(failure)
    if made:
        newest = made[max(made)]
        tries.discard(newest)
        return newest.result()[1]
    raise min(failures, key=_rank)


def _rank(failure: BaseException) -> int:
    """Rank failures.

    The most informative comes first: rejected login, former primary, no writes accepted, server down.
    """
    kinds: tuple[Any, ...] = (FormerPrimary, ServerUnsuitable, OSError)
    return next((rank for rank, kind in enumerate(kinds, 1) if isinstance(failure, kind)), 0)


async def _end(tries: Collection["asyncio.Task[tuple[int, asyncpg.Connection]]"]) -> None:
    for unwanted in tries:
        unwanted.cancel()
    for made in await asyncio.gather(*tries, return_exceptions=True):
        if not isinstance(made, BaseException):
            made[1].terminate()


async def read_server_version(url: str) -> int:
    """Return the server's major version. Raises Unavailable if the server is down."""
    with StoreFaults():
        connection = await connect_to_server(url)
        version: int = connection.get_server_version().major
        await connection.close()
        return version


async def is_recovering(url: str) -> bool:
    """Return whether the server is still in recovery. Raises Unavailable if it does not accept connections yet."""
    with StoreFaults():
        connection = await asyncpg.connect(url)
        recovering: bool = await connection.fetchval("SELECT pg_is_in_recovery()")
        await connection.close()
        return recovering
