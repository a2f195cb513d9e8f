"""The server reads a large body only after the token and the rule have allowed the caller."""

import pytest

from balcao.core.http.operations import UNCHECKED_BODY
from tests.http.connection import Connection
from tests.support.demo_people import CARLA
from tests.support.issuer import Issuer
from tests.support.server import RunningServer

PATH = b"/search/api/v1/admin/services"
SIZE = 400_000
# The start of a body, longer than the part that the server reads before its decision.
BEGUN = b'{"nome_servico": "' + b"a" * UNCHECKED_BODY


def begin(server: RunningServer, token: str | None) -> Connection:
    """Send the head of a large request and the start of its body."""
    connection = Connection(server.port)
    authorization = f"Authorization: Bearer {token}\r\n".encode() if token else b""
    connection.send(
        b"POST " + PATH + b" HTTP/1.1\r\nHost: balcao.example\r\n" + authorization
        + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % SIZE + BEGUN
    )  # fmt: skip
    return connection


@pytest.mark.parametrize(("who", "status"), [("nobody", "401"), ("forged", "401"), ("citizen", "403")])
def test_a_caller_without_the_right_is_refused_before_the_body_is_read(
    server: RunningServer, issuer: Issuer, who: str, status: str
) -> None:
    token = {"nobody": None, "forged": issuer.person(CARLA) + "x", "citizen": issuer.person(CARLA)}[who]
    with begin(server, token) as connection:
        assert connection.answer() == status


def test_a_caller_with_the_right_sends_the_whole_body(server: RunningServer, issuer: Issuer) -> None:
    with begin(server, issuer.admin("90000000256")) as connection:
        connection.send(b"a" * (SIZE - len(BEGUN) - 2) + b'"}')
        assert connection.answer() == "400"  # the server has read the body and rejected the long name
