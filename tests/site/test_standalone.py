"""`balcao site`: the site in its own processes, with its own database login, next to a running platform."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.panel import CitizenClient
from tests.support.sandbox import Sandbox
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def terminal(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    folder: Path = tmp_path_factory.mktemp("site")
    return Terminal(
        folder,
        port=sandbox.settings.port,
        database_url=sandbox.database_url,
        site_port=free_port(),
        site_database_url=sandbox.database_url.replace("//balcao@", "//balcao_site@"),
        data_dir=folder,
    )


@pytest.fixture(scope="module")
def url(terminal: Terminal) -> Iterator[str]:
    with Serving(terminal, "--processes", "2", command="site"):
        yield f"http://127.0.0.1:{terminal.environment['BALCAO_SITE_PORT']}"


def test_anonymous_pages_and_the_pages_of_a_citizen_are_served(url: str) -> None:
    assert httpx.get(url).status_code == 200
    with CitizenClient(url) as ana:
        ana.login("ana")
        for _ in range(4):  # new connections, so that both processes respond
            page = httpx.get(f"{url}/minha-pagina/veiculos", cookies=ana.http.cookies)
            assert "Bicicleta do trabalho" in page.text
