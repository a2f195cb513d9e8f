"""`balcao doctor` reaches the processes at the addresses on which they listen."""

import asyncio
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx

from balcao.gateway.instance import HEADER, name_instance
from balcao.operate.doctor.checks import UP, Part, Subject
from balcao.operate.doctor.processes import MANAGEMENT
from balcao.settings import Settings


class Ipv6Server(ThreadingHTTPServer):
    """A server that listens on the loopback address of IPv6."""

    address_family = socket.AF_INET6


class Ready(BaseHTTPRequestHandler):
    """A management port that is ready and belongs to the installation of the test."""

    instance = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header(HEADER, self.instance)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


def test_a_management_port_on_an_ipv6_address_is_reached() -> None:
    Ready.instance = name_instance(Settings.load({}))
    with Ipv6Server(("::1", 0), Ready) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        settings = Settings.load({"BALCAO_MANAGEMENT_HOST": "::1", "BALCAO_MANAGEMENT_PORT": str(port)})

        async def look() -> Part | None:
            async with httpx.AsyncClient() as http:
                return await MANAGEMENT.examine(Subject(settings, http))

        found = asyncio.run(look())
        server.shutdown()
    assert found is not None
    assert (found.state, found.problems) == (UP, [])
    assert found.details["ports"][f"http://[::1]:{port}"] == "ready"
