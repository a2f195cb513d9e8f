"""Tell systemd when this host serves callers (`Type=notify`), so that `systemctl restart` waits for that."""

import asyncio
import os
import socket

# A gateway notices within this time that a host serves again: HAProxy and Envoy check it every two seconds, and nginx
# ignores it for two seconds after a refused connection.
GATEWAY_SECONDS = 5.0


def notify_when_gateways_know() -> None:
    """Notify systemd after GATEWAY_SECONDS, if it started this process and waits for that.

    An operator or a script can then restart the next host immediately, without callers noticing.
    """
    if address := os.environ.get("NOTIFY_SOCKET"):
        asyncio.get_running_loop().call_later(GATEWAY_SECONDS, _notify, address)


def _notify(address: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        # systemd writes the first byte of an abstract socket, a zero, as `@`.
        sender.sendto(b"READY=1", f"\0{address[1:]}" if address.startswith("@") else address)
