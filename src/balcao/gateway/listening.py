"""The listening socket: what happens to callers when all connections are taken, and when the server stops.

Both need Linux, where `TCP_INFO` says how many connections wait and a demand on the hops of a packet drops new ones;
elsewhere callers beyond the limit wait, and a connection may be lost when the server stops.
"""

import asyncio
import contextlib
import socket
import struct
import sys
from pathlib import Path

from balcao.core.logs import log

_LINUX = sys.platform == "linux"
BACKLOG = 1024
_POLL_SECONDS = 0.25
_LINGER_SECONDS = 2.0
_MOST_REFUSALS = 256
_REFUSAL = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

_WAITING_OFFSET = 24  # of `tcpi_unacked` in `struct tcp_info`; of a listening socket it is the length of its queue
# IP_MINTTL and IPV6_MINHOPCOUNT, which `socket` does not name: packets with fewer hops left are dropped. A listening
# socket asks it of who begins a connection, not of handshakes under way. A socket filter would say it more plainly, but
# newer kernels (6.18) allow one on TCP to nobody without CAP_NET_ADMIN.
_FEWEST_HOPS = {
    socket.AF_INET: [(socket.IPPROTO_IP, 21)],
    socket.AF_INET6: [(socket.IPPROTO_IP, 21), (socket.IPPROTO_IPV6, 73)],
}
_MORE_THAN_ANYBODY_HAS = 255  # systems send with 64 or 128


def count_waiting(sock: socket.socket) -> int:
    """Return how many connections wait to be accepted."""
    if not _LINUX:
        return 0
    found: tuple[int] = struct.unpack_from(
        "I", sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), _WAITING_OFFSET
    )
    return found[0]


async def refuse_beyond(sock: socket.socket, connections: int) -> None:
    """Answer 503 to those who wait while all connections are taken; run until cancelled.

    The server then accepts nobody, so that somebody waits at each look. On a busy machine somebody may wait although
    there is room: the process's open files, of which each connection is one, tell the two apart.
    """
    refusing: set[asyncio.Task[None]] = set()
    waited = 0
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        now = count_waiting(sock)
        if waited and now and _count_open_files() >= connections:
            log.warning("server.full", connections=connections, waiting=now)
            for _ in range(min(now, _MOST_REFUSALS - len(refusing))):
                try:
                    connection, _address = sock.accept()
                except OSError:
                    break
                task = asyncio.create_task(_refuse(connection))
                refusing.add(task)
                task.add_done_callback(refusing.discard)
        waited = now


def _count_open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def _refuse(connection: socket.socket) -> None:
    """Refuse one connection; close it only after the caller did, or a reset could overtake the refusal."""
    loop = asyncio.get_running_loop()
    connection.setblocking(False)
    with connection, contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            await loop.sock_sendall(connection, _REFUSAL)
            connection.shutdown(socket.SHUT_WR)
            while await loop.sock_recv(connection, 65_536):
                continue


async def accept_no_more(sock: socket.socket, settling_seconds: float) -> None:
    """Drop new connections, and return when the server has accepted all that were made before.

    Closing alone would reset the connections that wait. Where the socket is shared, its other servers get no new
    connections either.
    """
    if not _LINUX or not settling_seconds:
        return
    _demand_hops(sock, _MORE_THAN_ANYBODY_HAS)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(1.0):
            while count_waiting(sock):  # noqa: ASYNC110 - the kernel offers no event for it
                await asyncio.sleep(0.01)
    demand_nothing_of_accepted()
    await asyncio.sleep(settling_seconds)
    demand_nothing_of_accepted()


def accept_first(sock: socket.socket) -> None:
    """Let callers connect to a port that was only claimed until now; on a socket that listens it changes nothing."""
    # Accepted connections inherit it, or what remains of them would keep the port from the next start for a minute.
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.listen(BACKLOG)


def accept_again(sock: socket.socket) -> None:
    """Undo `accept_no_more` on a socket that outlived the process that called it."""
    if _LINUX:
        _demand_hops(sock, 0)


def demand_nothing_of_accepted() -> None:
    """Take back the demand from connections that inherited it, as their handshake was under way when it was made.

    Their callers send again what was dropped meanwhile.
    """
    for descriptor in Path("/proc/self/fd").iterdir():
        # Not every descriptor is a socket, and one may be closed by now.
        with contextlib.suppress(OSError):
            connection = socket.socket(fileno=int(descriptor.name))
            try:
                if not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    _demand_hops(connection, 0)
            finally:
                connection.detach()


def _demand_hops(sock: socket.socket, hops: int) -> None:
    # A kernel that imitates Linux may not have the options; then a connection may be lost when the server stops.
    with contextlib.suppress(OSError):
        for level, option in _FEWEST_HOPS.get(sock.family, []):
            sock.setsockopt(level, option, hops)
