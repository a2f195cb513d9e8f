"""The listening socket: how it begins, and how nobody who is connecting is lost when the server stops.

The latter needs Linux, where `TCP_INFO` says how many connections wait and a demand on the hops of a packet drops new
ones; elsewhere a connection may be lost.
"""

import asyncio
import contextlib
import socket
import struct
import sys
from pathlib import Path

_LINUX = sys.platform == "linux"
BACKLOG = 1024

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
