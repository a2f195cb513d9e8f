"""Every page of the site stays within its limits for bytes, requests and elements (rules: site 11).

The tests open the pages with and without a login.
"""

import re

import httpx
import pytest

from balcao.site.declaration import Page
from balcao.site.mine.declaration import PREFIX
from balcao.web.declaration import DeclaredPage
from tests.site.mine.conftest import Enter
from tests.site.mine.test_my_pages import PLAIN
from tests.site.test_attacks import READ, fill_path
from tests.site.test_caching import FIRST_LOAD, LATER
from tests.support.site import SiteClient, SitePage
from tests.support.site_crawler import find_declared

REQUESTS, NODES = 6, 900
# The first page has parts from all areas, so only the budget for a first load applies to it.
START = "home.show_start"
# Redirects, and files for programs.
WITHOUT_CONTENT = {
    "services.show_old",
    "services.show_by_id",
    "jobs.show_feed",
    "help.log_in",
    "seo.write_sitemap",
    "seo.write_robots",
}
LISTS = ["/", "/servicos", "/orgaos", "/vagas", "/saude/unidades", "/pedidos", "/pedidos/tipo/lampada_apagada"]


def weigh(http: httpx.Client, answer: httpx.Response) -> None:
    """Check the size of the page itself, and of a first load with all its files."""
    page = SitePage(answer)
    named = set(re.findall(r'(?:src|href)="(/recursos/[^"#]+)', answer.text))
    for style in [name for name in named if name.endswith(".css")]:
        named |= {f"/recursos/{name}" for name in re.findall(r"url\(([\w.-]+)\)", http.get(style).text)}
    files = [http.get(name) for name in named]
    assert {one.status_code for one in files} == {200}
    assert 1 + len(files) <= REQUESTS
    assert len(answer.content) + sum(len(one.content) for one in files) <= FIRST_LOAD
    assert page.nodes <= NODES
    assert not re.findall(r'(?:src|<link[^>]*rel="(?:stylesheet|icon)"[^>]*href)="(?:https?:)?//', answer.text)


def find_addresses(site: SiteClient, page: Page) -> list[str]:
    """Return the page's address, or up to three such addresses to which the lists of the site link."""
    if not page.parameters:
        return [page.path]
    links = {link for path in LISTS for link in site.open(path).links.values()}
    if page.name == "jobs.show_company":  # only a job's page links to its company
        job = next(link for link in sorted(links) if re.fullmatch(r"/vagas/[^/]+-[^/]+", link))
        links = set(site.open(job).links.values())
    return sorted(link for link in links if find_declared(link, "GET") is page)[:3] or [fill_path(page)]


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_an_anonymous_page_is_light(site: SiteClient, page: Page) -> None:
    for address in find_addresses(site, page):
        answer = site.get(address, Accept_Encoding="identity")
        if page.name in WITHOUT_CONTENT:
            assert answer.is_redirect or "text/html" not in answer.headers["content-type"] or answer.status_code == 404
            continue
        assert answer.status_code == 200
        assert page.name == START or len(answer.content) <= LATER
        weigh(site.http, answer)


@pytest.mark.long
@pytest.mark.parametrize("page", PLAIN, ids=lambda page: page.name)
@pytest.mark.parametrize("login", ["ana", "carla"])
def test_a_page_of_a_citizen_is_light(enter: Enter, login: str, page: DeclaredPage) -> None:
    citizen = enter(login)
    answer = citizen.http.get(PREFIX + page.path, headers={"Accept-Encoding": "identity"}, follow_redirects=True)
    assert answer.status_code == 200
    assert len(answer.content) <= LATER
    weigh(citizen.http, answer)
