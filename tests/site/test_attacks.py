"""Attacks on the anonymous pages: foreign and oversized forms, scripts in parameters, redirects and headers.

The pages and forms come from the declarations and from a crawl, so these tests also attack new ones without a change.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote, urlencode, urljoin, urlsplit

import httpx
import pytest

from balcao.core.http.forms import MAX_FIELDS
from balcao.site.areas import AREAS
from balcao.site.declaration import Page
from tests.http.connection import Connection
from tests.site.test_pages import SERVICE
from tests.support.panel import PageContent
from tests.support.polling import PATIENCE
from tests.support.sandbox import Sandbox
from tests.support.site_crawler import Inspector, find_declared

PAGES = [page for area in AREAS for page in area.pages.declared]
FORMS = [page for page in PAGES if page.method == "POST"]
READ = [page for page in PAGES if page.method == "GET"]
HOST = "mal.example"
SCRIPT = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*191}}"
FOREIGN = [
    {"Origin": "https://mal.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
]
# For each path parameter, a value for which the demo city has a page.
VALUES = {
    "assunto": "meu-negocio",
    "slug": SERVICE.rpartition("/")[2],
    "codigo": "1300",
    "tipo": "lampada_apagada",
    "cnes": "9900001",
}
NAMES = ("para", "next", "voltar", "url", "redirect", "return_to", "continue")
# The buttons of forms that first show the answers and then send them.
STEPS = ("conferir", "enviar", "mudar")
HTML = {"Accept": "text/html"}


def fill_path(page: Page, value: str | None = None) -> str:
    return page.address(**{name: value or VALUES.get(name, "1") for name in page.parameters})


@pytest.fixture(scope="module")
def http(sandbox: Sandbox) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=sandbox.url, timeout=PATIENCE, headers=HTML) as client:
        yield client


# ---- forms ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", FORMS, ids=lambda page: page.name)
def test_a_form_of_another_site_changes_nothing(http: httpx.Client, page: Page) -> None:
    for headers in FOREIGN:
        answer = http.post(fill_path(page), data={"passo": "enviar"}, headers=headers)
        assert (answer.status_code, answer.headers.get("set-cookie")) == (403, None), headers


@pytest.mark.parametrize("page", FORMS, ids=lambda page: page.name)
def test_a_form_beyond_its_limit_is_refused_before_it_has_come(sandbox: Sandbox, page: Page) -> None:
    head = (
        f"POST {fill_path(page)} HTTP/1.1\r\nHost: 127.0.0.1:{sandbox.settings.port}\r\nAccept: text/html\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {page.body_limit + 1}\r\n\r\n"
    )
    with Connection(sandbox.settings.port) as connection:
        connection.send(head.encode())
        assert connection.answer() == "413"


@pytest.mark.parametrize("page", FORMS, ids=lambda page: page.name)
def test_a_malformed_form_is_refused(http: httpx.Client, page: Page) -> None:
    form = "application/x-www-form-urlencoded"
    many = "&" * 2 + "a&" * MAX_FIELDS + "a"  # smaller than the largest form
    bodies = [(form, b"a=%FF"), (form, "é".encode()), ("text/plain", b"a=1"), ("application/json", b"{}"), ("", b"a=1")]
    bodies += [(form, many.encode())] if len(many) <= page.body_limit else []
    for kind, body in bodies:
        answer = http.post(fill_path(page), content=body, headers={"Content-Type": kind})
        assert answer.status_code == 400, (kind, body[:10])
    upload = http.post(fill_path(page), files={"a": ("a.jpg", b"1")})
    assert upload.status_code == 400  # files need a login


# ---- scripts, redirects and headers ---------------------------------------------------------------------------------


def crawl(http: httpx.Client) -> dict[str, str]:
    """Return the text of one page of each kind, by address."""
    waiting = [fill_path(page) for page in READ]
    found: dict[str, str] = {}
    kinds: set[str] = set()
    while waiting:
        address = waiting.pop()
        page = find_declared(address, "GET")
        if page is None or page.name in kinds:
            continue
        answer = http.get(address, follow_redirects=True)
        if answer.status_code == 200 and "text/html" in answer.headers["content-type"]:
            kinds.add(page.name)
            found[address] = answer.text
            waiting += [link for link in PageContent(answer.text).links if link.startswith("/")]
    return found


def test_a_script_in_any_field_is_shown_as_text(http: httpx.Client) -> None:
    fields = 0
    for address, text in crawl(http).items():
        for form in PageContent(text).forms:
            target = urlsplit(urljoin(address, form.action)).path
            chosen = {name: next(filter(None, options), "") for name, options in form.choices.items()}
            hidden = {name for name in form.values if name.startswith("_") or name in {"passo", "version"}}
            typed = {name: SCRIPT for name in form.values if name not in hidden}
            fields += len(typed)
            values = {**form.values, **chosen, **typed}
            if form.method == "get":
                answers = [http.get(f"{target}?{urlencode(values)}", follow_redirects=True)]
            else:
                answers = [
                    http.post(target, data={**values, "passo": step}) for step in ("conferir", "enviar", "mudar")
                ]
            for answer in answers:
                assert answer.status_code < 500, target
                assert Inspector(answer).run == [], target
                assert "<script>alert" not in answer.text, target
                assert str(7 * 191) not in answer.text, target
    assert fields > len(FORMS)


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_no_text_in_an_address_is_run_redirects_or_adds_a_header(http: httpx.Client, page: Page) -> None:
    names = {*NAMES, *re.findall(r'name="([\w-]+)"', http.get(fill_path(page)).text), "pagina", "q"}
    attacks = [SCRIPT, f"//{HOST}/", f"https://{HOST}/", f"/\\{HOST}", "1\r\nX-Injected: 1", "javascript:alert(1)"]
    for attack in attacks:
        for path in (fill_path(page), fill_path(page, attack)):
            query = "&".join(f"{name}={quote(attack)}" for name in names)
            answer = http.get(f"{path}?{query}", headers={"Referer": f"https://{HOST}/x", "X-Forwarded-Host": HOST})
            assert answer.status_code < 500
            assert "x-injected" not in answer.headers
            assert urlsplit(answer.headers.get("location", "")).netloc in {"", urlsplit(str(http.base_url)).netloc}
            if "text/html" in answer.headers.get("content-type", ""):
                assert Inspector(answer).run == [], path
                assert HOST not in Inspector(answer).hosts, path
                assert str(7 * 191) not in answer.text


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_the_host_that_a_caller_names_is_in_no_page(http: httpx.Client, page: Page) -> None:
    """A cache in front of the site would return such a page to everyone."""
    answer = http.get(fill_path(page), headers={"Host": HOST, "X-Forwarded-Host": HOST, "X-Forwarded-Proto": "ftp"})
    assert HOST not in answer.text
    assert HOST not in str(answer.headers)


@pytest.mark.parametrize("page", FORMS, ids=lambda page: page.name)
def test_opening_the_address_of_a_form_changes_nothing(http: httpx.Client, page: Page) -> None:
    for method in ("GET", "HEAD", "PUT", "DELETE", "PATCH"):
        answer = http.request(method, fill_path(page))
        if method in {"GET", "HEAD"} and find_declared(fill_path(page), "GET"):
            assert answer.status_code == 200
        else:
            assert answer.status_code == 405, method
        assert "set-cookie" not in answer.headers
