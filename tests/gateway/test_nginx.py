"""A real nginx asks the check endpoint, as the operator's page says (docs/operate/external-gateway.md)."""

import os
import re
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest

from tests.access.test_explain import make_invoices
from tests.access.test_roles_and_groups import CITIZEN, EDITOR, SUPERADMIN, sender
from tests.support.issuer import Issuer, bearer
from tests.support.patience import PATIENCE, until_now
from tests.support.server import RunningServer, free_port

pytestmark = pytest.mark.nginx
MISSING = (
    "Este teste precisa de um nginx: ponha o caminho dele em BALCAO_NGINX (`tools/nginx` o mostra), "
    'ou deixe-o de fora com -m "not nginx".'
)
PAGE = Path(__file__).parents[2] / "docs/operate/external-gateway.md"
FRAME = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    upstream balcao {{ server {balcao}; }}
    upstream application {{ server {application}; }}
    server {{ listen 127.0.0.1:{port}; {snippet} }}
}}
"""


class Application(BaseHTTPRequestHandler):
    """The city's own application: says who it is told has called."""

    def do_GET(self) -> None:
        said = (self.headers.get("X-Access-Subject") or "").encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_POST = do_GET  # noqa: N815 - the server's name

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def application() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Application) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def nginx(server: RunningServer, application: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    path = os.environ.get("BALCAO_NGINX")
    if not path:
        pytest.fail(MISSING, pytrace=False)
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    found = re.search(r"```nginx\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found
    balcao = server.url.removeprefix("http://")
    configuration = folder / "nginx.conf"
    configuration.write_text(
        FRAME.format(folder=folder, balcao=balcao, application=application, port=port, snippet=found[1])
    )
    command = [path, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(configuration)]
    with (
        subprocess.Popen(command, stderr=subprocess.DEVNULL) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client,
    ):
        try:
            until_now(lambda: _answers(client))
            yield client
        finally:
            process.terminate()


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/").status_code > 0
    except httpx.ConnectError:
        return False


def test_only_what_the_catalogue_lets_pass_reaches_the_application(
    nginx: httpx.Client, http: httpx.Client, issuer: Issuer
) -> None:
    made = make_invoices(sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]})))
    path = f"{made['path']}/7?page=1"
    passed = nginx.get(path, headers=bearer(issuer.person(EDITOR, sub="editor-1")) | {"X-Access-Subject": "forged"})
    assert (passed.status_code, passed.text) == (200, "editor-1")
    refused = [
        nginx.get(path),
        nginx.get(path, headers={"Authorization": "Bearer a.b.c"}),
        nginx.get(path, headers=bearer(issuer.person(CITIZEN))),
        nginx.post(path, headers=bearer(issuer.person(EDITOR)), content=b"a body"),
        nginx.get("/nobody/mapped/this", headers=bearer(issuer.admin())),
        nginx.get("/_balcao_check", headers=bearer(issuer.admin())),
    ]
    assert [answer.status_code for answer in refused] == [401, 401, 403, 403, 403, 404]
    assert (
        nginx.get(path, headers={"X-Forwarded-For": "203.0.113.7"} | bearer(issuer.person(EDITOR))).status_code == 200
    )
