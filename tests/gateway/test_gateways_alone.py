"""HAProxy, nginx and Envoy with the generated configuration: the calls that they refuse or forward."""

import contextlib
import dataclasses
import json
import os
import socket
import ssl
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import UUID

import httpx
import psutil
import pytest

from balcao import app
from balcao.operate.deploy.answers import Server
from balcao.operate.deploy.gateways import Plan
from balcao.settings import Settings
from tests.support.demo_people import ANA
from tests.support.gateways import Certificate, prepare, running, start
from tests.support.issuer import Issuer, bearer, new_key
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port

pytestmark = pytest.mark.long

PETS = f"/registry/v1/citizen/{ANA}/pets"
# The members of an error response for programs, by the called path.
WORDS = {
    PETS: ["error", "message"],
    "/jobs/api/v1/empregos": ["code", "message"],
    "/search/api/v1/search": ["error"],
    "/access/api/v1/actions": ["detail"],
    "/docs": ["error"],
}
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PROGRAM = {"Accept": "application/json, text/html;q=0.5"}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("haproxy", marks=pytest.mark.haproxy),
        pytest.param("nginx", marks=pytest.mark.nginx),
        pytest.param("envoy", marks=pytest.mark.validators),
    ],
)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Echo(BaseHTTPRequestHandler):
    """A host that returns the request's headers as JSON."""

    def do_GET(self) -> None:
        self.send_response(200)
        body = json.dumps({name.lower(): value for name, value in self.headers.items()}).encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


class Counting(BaseHTTPRequestHandler):
    """A host that records each call to PETS before it responds.

    Any other request, such as a token check, gets a 200.
    """

    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, str]]

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == PETS:
            self.seen.append((self.command, self.headers["X-Request-ID"]))
            self.answer()
        else:
            self.send_answer()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 - these names are set by the library

    def answer(self) -> None:
        self.send_answer()

    def send_answer(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


class BreakingOff(Counting):
    """A host that closes the connection without a response, like a process that was killed."""

    def answer(self) -> None:
        self.close_connection = True


@contextlib.contextmanager
def before(kind: str, folder: Path, *ports: int) -> Iterator[httpx.Client]:
    """Run the gateway in front of hosts on these ports, and yield a client."""
    folder.chmod(0o755)
    certificate = Certificate(folder)
    behind = [Server("127.0.0.1", port) for port in ports]
    plan = Plan(Settings.load({}), app.SERVICES, behind, certificate.frontend(free_port()))
    with running(kind, plan, folder, certificate) as client:
        yield client


class Host(ThreadingHTTPServer):
    """A server with room for the health checks of all services, which a gateway sends at the same time."""

    request_queue_size = 128


@contextlib.contextmanager
def host(handler: type[Counting]) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Run a host, and yield its port and the list of recorded calls."""
    seen: list[tuple[str, str]] = []
    with Host(("127.0.0.1", 0), type("Own", (handler,), {"seen": seen})) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], seen
        server.shutdown()


@contextlib.contextmanager
def before_echo(
    kind: str, folder: Path, http_port: int = 0, /, *, keys: dict[str, bytes] | None = None, **settings: str
) -> Iterator[tuple[httpx.Client, ThreadingHTTPServer]]:
    folder.chmod(0o755)
    certificate = Certificate(folder)
    with Host(("127.0.0.1", 0), Echo) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        behind = Server("127.0.0.1", server.server_address[1])
        front = dataclasses.replace(certificate.frontend(free_port()), http_port=http_port)
        plan = Plan(Settings.load(settings), app.SERVICES, [behind], front, keys=keys or {})
        with running(kind, plan, folder, certificate) as client:
            yield client, server
        server.shutdown()


def test_a_key_of_any_name_is_told_to_haproxy(kind: str, issuer: Issuer, tmp_path: Path) -> None:
    """A key id may be any string. One thumbprint in 64 starts with a hyphen."""
    if kind != "haproxy":  # the other gateways get no keys
        return
    names = ["-i", "--", "-AcHQWFRIhE774WskCnQ", "a key", "it's", "$HOME", "#7", "{}"]
    pem = issuer.keys[0].as_pem(private=False)
    with before_echo(kind, tmp_path, keys=dict.fromkeys(names, pem)) as (client, _):
        for name in names:
            good = issuer.person(ANA, header={"kid": name})
            forged = issuer.person(ANA, header={"kid": name}, key=new_key())
            assert [client.get(PETS, headers=bearer(token)).status_code for token in (good, forged)] == [200, 401], name


@pytest.mark.haproxy
def test_two_towns_on_one_machine_have_their_own_haproxy(tmp_path: Path) -> None:
    """Both listen on the same port of different addresses, as in docs/operate/several-towns.md."""
    tmp_path.chmod(0o755)
    certificate, port = Certificate(tmp_path), free_port()
    with contextlib.ExitStack() as stack:
        for number in (1, 2):
            folder, address = tmp_path / str(number), f"127.0.0.{number}"
            process_port, seen = stack.enter_context(host(Counting))
            plan = Plan(
                Settings.load({}), app.SERVICES, [Server("127.0.0.1", process_port)], certificate.frontend(port)
            )
            prepare("haproxy", plan, folder)
            file = folder / "haproxy.cfg"
            file.write_text(file.read_text("utf-8").replace("bind :", f"bind {address}:"), "utf-8")
            process = stack.enter_context(start("haproxy", folder))
            stack.callback(process.terminate)
            until_now(lambda: process.poll() is not None or _answers(f"https://{address}:{port}{PETS}"))  # noqa: B023
            assert process.poll() is None, (folder / "output.log").read_text()
            assert seen != []


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, verify=False, timeout=PATIENCE).is_success  # noqa: S501 - its name is not checked
    except httpx.TransportError:
        return False


def test_who_called_is_what_the_gateway_says(kind: str, tmp_path: Path) -> None:
    forged = {
        "X-Forwarded-For": "203.0.113.7",
        "X-Forwarded-Proto": "gopher",
        "X-Forwarded-Host": "other.example",
        "Forwarded": "for=203.0.113.7",
        "X-Original-URI": "/other",
        "X-Request-ID": "90000000175",
    }
    with before_echo(kind, tmp_path) as (client, _):
        told = client.get(PETS, headers=forged).json()
    assert told["x-forwarded-for"] == "127.0.0.1"
    assert told["x-forwarded-proto"] == "https"
    assert told["x-forwarded-host"] == told["host"] == client.base_url.netloc.decode()
    assert "forwarded" not in told
    assert "x-original-uri" not in told
    assert UUID(told["x-request-id"])

    def read_logs() -> str:
        return "".join(path.read_text(errors="replace") for path in tmp_path.glob("*.log"))

    with before_echo(kind, tmp_path) as (client, _):
        own = client.get(PETS).json()["x-request-id"]
        until_now(lambda: own in read_logs())
    assert ANA not in read_logs()


@pytest.mark.parametrize("port", ["", ":8443"])
def test_who_comes_by_http_is_sent_to_the_port_that_people_type(kind: str, tmp_path: Path, port: str) -> None:
    public_url, http_port = f"https://balcao.cidade.example{port}", free_port()
    with before_echo(kind, tmp_path, http_port, BALCAO_PUBLIC_URL=public_url):
        typed = f"http://127.0.0.1:{http_port}{PETS}?page=2"
        sent = httpx.get(typed, headers={"Host": "balcao.cidade.example:80"}, timeout=PATIENCE)
    assert (sent.status_code, sent.headers["Location"]) == (308, f"{public_url}{PETS}?page=2")


def assert_is_page(answer: httpx.Response, title: str) -> None:
    """Check that the response is an error page for browsers."""
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert f"<h1>{title}</h1>" in answer.text
    assert "style-src 'sha256-" in answer.headers["content-security-policy"]


def test_a_flood_from_one_address_is_refused_in_the_words_of_the_service(kind: str, tmp_path: Path) -> None:
    rates: dict[str, Any] = {"BALCAO_MACHINE_READ_RATE": "9/second", "BALCAO_MACHINE_WRITE_RATE": "1/second"}
    asked: list[tuple[str, dict[str, str]]] = [
        (path, {}) for path in (PETS, "/access/api/v1/actions", "/docs", "/painel")
    ]
    asked += [(PETS, BROWSER), ("/docs", BROWSER), ("/docs", PROGRAM)]
    with before_echo(kind, tmp_path, **rates) as (client, _):
        for path, headers in asked:
            refused = find_refused(client, path, headers)
            assert refused.headers["Retry-After"] == "1"
            assert refused.headers["Error-Code"] == "too-many"
            if path == "/painel" or (path, headers) == ("/docs", BROWSER):
                assert_is_page(refused, "Muitos pedidos em pouco tempo")
            else:
                assert refused.headers["content-type"] == "application/json"
                assert list(refused.json()) == WORDS[path]


def find_refused(client: httpx.Client, path: str, headers: dict[str, str]) -> httpx.Response:
    """Repeat the call until it is refused with a 429."""
    return next(one for one in (client.get(path, headers=headers) for _ in range(1000)) if one.status_code == 429)


def test_while_no_process_is_there_the_gateway_speaks_for_the_service(kind: str, tmp_path: Path) -> None:
    with before_echo(kind, tmp_path) as (client, server):
        server.shutdown()
        server.server_close()
        until_now(lambda: client.get(PETS).status_code == 503)
        answers = [client.get(path, headers=asking) for path in WORDS for asking in ({}, PROGRAM)]
        answers += [client.get(path, headers=BROWSER) for path in WORDS if path != "/docs"]
        for path, headers in (("/painel/servicos", {}), ("/docs", BROWSER), ("/nada", BROWSER)):
            assert_is_page(client.get(path, headers=headers), "Não está disponível agora")
    assert all(list(answer.json()) == WORDS[answer.url.path] for answer in answers)
    assert {(answer.status_code, answer.headers["Error-Code"]) for answer in answers} == {(503, "unavailable")}


WRITES = ("POST", "PUT", "PATCH", "DELETE")


def test_what_a_host_may_have_carried_out_is_sent_to_no_other_one(kind: str, tmp_path: Path) -> None:
    with (
        host(BreakingOff) as (broken, lost),
        host(Counting) as (sound, kept),
        before(kind, tmp_path, broken, sound) as client,
    ):
        for method in WRITES:
            asked = len(lost)
            while len(lost) == asked:  # a gateway avoids a host for a moment after a failure
                # HAProxy also closes the client's connection if it had reused a connection to the host.
                with contextlib.suppress(httpx.RemoteProtocolError):
                    status = client.request(method, PETS, content=b"{}").status_code
                    assert status == (200 if len(lost) == asked else 503), method
    sent = [one for _, one in [*lost, *kept]]
    assert len(sent) == len(set(sent))


def test_what_no_host_has_seen_is_sent_to_another_one(kind: str, tmp_path: Path) -> None:
    with host(Counting) as (sound, kept), before(kind, tmp_path, free_port(), sound, free_port()) as client:
        for method in ("GET", *WRITES) * 3:
            assert client.request(method, PETS, content=b"{}").status_code == 200, method
    assert len(kept) == 15


def test_an_address_with_too_many_connections_is_refused_and_the_others_are_served(kind: str, tmp_path: Path) -> None:
    if kind == "envoy":  # Envoy has no connection limit per address
        return
    bounds = before_echo(kind, tmp_path, BALCAO_MAX_ADDRESS_CONNECTIONS="5", BALCAO_TRUSTED_CALLERS="127.0.0.4")
    with bounds as (client, _), contextlib.ExitStack() as opened:
        port = client.base_url.port or 0
        portal = [opened.enter_context(begin_call(port, "127.0.0.4")) for _ in range(20)]
        greedy = [opened.enter_context(begin_call(port, "127.0.0.2")) for _ in range(5)]
        assert is_refused(port, "127.0.0.2")
        assert not is_refused(port, "127.0.0.3")
        assert client.get("/docs").status_code == 200
        assert all(is_open(connection) for connection in (*portal, *greedy))


def test_trusted_callers_have_a_bound_together_and_take_nothing_from_the_others(kind: str, tmp_path: Path) -> None:
    if kind == "envoy":  # Envoy has no connection limit per address
        return
    bounds = before_echo(kind, tmp_path, BALCAO_MAX_CONNECTIONS="16", BALCAO_TRUSTED_CALLERS="127.0.0.4,127.0.0.5")
    with bounds as (client, _), contextlib.ExitStack() as opened:
        port = client.base_url.port or 0
        for number in range(17):
            with contextlib.suppress(OSError):  # the gateway may close connections over its limit
                opened.enter_context(begin_call(port, f"127.0.0.{4 + number % 2}"))
        assert is_refused(port, "127.0.0.4")
        assert is_refused(port, "127.0.0.5")
        assert not is_refused(port, "127.0.0.3")


@contextlib.contextmanager
def begin_call(port: int, source: str, sent: bytes = b"name=") -> Iterator[ssl.SSLSocket]:
    """Open a connection from the address. Send a head that announces six bytes, then `sent` as part of the body."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    # A connected socket would stay open if the gateway closed the connection before it is wrapped.
    with context.wrap_socket(socket.socket()) as connection:
        connection.settimeout(PATIENCE)
        connection.bind((source, 0))
        connection.connect(("127.0.0.1", port))
        connection.sendall(b"POST /painel/entrar HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n" + sent)
        yield connection


def is_refused(port: int, source: str) -> bool:
    """Return whether the gateway closes or refuses the call because of too many connections."""
    try:
        with begin_call(port, source, b"name=x") as connection:
            return connection.recv(65_536).split(b" ")[1:2] != [b"501"]  # the host responds to POST with 501
    except OSError:
        return True


def is_open(connection: ssl.SSLSocket) -> bool:
    """Return whether the gateway has neither closed nor refused the call. The host may have responded already."""
    connection.settimeout(0.01)
    try:
        return connection.recv(65_536).split(b" ")[1:2] == [b"501"]
    except TimeoutError:
        return True


def test_haproxy_gives_up_root(kind: str, tmp_path: Path) -> None:
    if kind != "haproxy":
        return
    with before_echo(kind, tmp_path) as (client, _):
        assert client.get("/docs").status_code == 200
        running = next(each for each in psutil.Process().children(recursive=True) if each.name() == "haproxy")
        users, groups, root = running.uids(), running.gids(), Path(f"/proc/{running.pid}/root").readlink()
    expected = Path("/var/lib/haproxy") if os.geteuid() == 0 else Path("/")  # only root can change user and root folder
    assert 0 not in (*users, *groups)
    assert root == expected
