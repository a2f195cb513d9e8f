"""In a city without the site, addresses work as they did before the site existed."""

from collections.abc import Iterator

import httpx
import pytest

from balcao import app
from tests.support.polling import PATIENCE
from tests.support.sandbox import Sandbox
from tests.support.server import RunningServer
from tests.support.site import HTML


@pytest.fixture(scope="module")
def without(sandbox: Sandbox) -> Iterator[httpx.Client]:
    settings = sandbox.settings.model_copy(update={"site": False})
    with (
        RunningServer(app.build_application(settings, sandbox.database_url)) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE, headers=HTML) as http,
    ):
        yield http


def test_the_root_leads_to_the_pages_of_the_apis(without: httpx.Client) -> None:
    answer = without.get("/")
    assert (answer.status_code, answer.headers["location"]) == (302, "/docs")


def test_no_page_of_the_site_is_served(without: httpx.Client) -> None:
    for path in ("/servicos", "/busca", "/robots.txt", "/minha-pagina", "/recursos/site.css"):
        answer = without.get(path)
        assert answer.status_code == 404, path
        assert 'href="/docs"' in answer.text
