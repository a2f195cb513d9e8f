"""The listening socket: open it, and stop it without losing callers that are connecting.

Stopping without loss needs Linux: `TCP_INFO` returns the number of waiting connections, and a minimum hop count drops
new connections. On other systems, a connection may be lost.
"""

import asyncio
import contextlib
import socket
import struct
import sys
from pathlib import Path

_LINUX = sys.platform == "linux"
BACKLOG = 1024

_WAITING_OFFSET = 24  # the offset of `tcpi_unacked`, a listener's queue length
# IP_MINTTL and IPV6_MINHOPCOUNT, for which `socket` has no names: drop packets with fewer hops left. A listening socket
# applies this limit to new connections, but not to handshakes in progress. A socket filter would be clearer, but newer
# kernels (6.18) allow filters on TCP only with CAP_NET_ADMIN.
_FEWEST_HOPS = {
    socket.AF_INET: [(socket.IPPROTO_IP, 21)],
    socket.AF_INET6: [(socket.IPPROTO_IP, 21), (socket.IPPROTO_IPV6, 73)],
}
_UNREACHABLE_HOPS = 255  # no caller's packet has so many: systems start at 64 or 128


def count_waiting(sock: socket.socket) -> int:
    """Return how many connections wait to be accepted, 0 if the system is not Linux."""
    if not _LINUX:
        return 0
    found: tuple[int] = struct.unpack_from(
        "I", sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), _WAITING_OFFSET
    )
    return found[0]


async def accept_no_more(sock: socket.socket, settling_seconds: float) -> None:
    """Drop new connections, and return when the server has accepted all earlier connections.

    Closing the socket immediately would reset the waiting connections. If the socket is shared, the other servers that
    use it get no new connections either.
    """
    if not _LINUX or not settling_seconds:
        return
    _require_hops(sock, _UNREACHABLE_HOPS)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(1.0):
            while count_waiting(sock):  # noqa: ASYNC110 - the kernel offers no event for it
                await asyncio.sleep(0.01)
    remove_hop_limit_of_accepted()
    await asyncio.sleep(settling_seconds)
    remove_hop_limit_of_accepted()  # repeat it for handshakes that have completed meanwhile


def accept_first(sock: socket.socket) -> None:
    """Start listening on a socket that was only bound until now. If it already listens, nothing changes."""
    # Accepted connections inherit this option. Without it, connections in TIME_WAIT would block the port for a minute
    # after a restart.
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.listen(BACKLOG)


def accept_again(sock: socket.socket) -> None:
    """Undo `accept_no_more` on a socket that outlived the process that called it."""
    if _LINUX:
        _require_hops(sock, 0)


def remove_hop_limit_of_accepted() -> None:
    """Remove the hop limit from accepted connections.

    A connection inherits the limit if its handshake was in progress when the limit was set. The caller retransmits the
    packets that were dropped.
    """
    for descriptor in Path("/proc/self/fd").iterdir():
        # Not every descriptor is a socket, and some may have been closed by now.
        with contextlib.suppress(OSError):
            connection = socket.socket(fileno=int(descriptor.name))
            try:
                if not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    _require_hops(connection, 0)
            finally:
                connection.detach()


def _require_hops(sock: socket.socket, hops: int) -> None:
    # Emulated Linux kernels may lack these options. Then a connection may be lost when the server stops.
    with contextlib.suppress(OSError):
        for level, option in _FEWEST_HOPS.get(sock.family, []):
            sock.setsockopt(level, option, hops)
