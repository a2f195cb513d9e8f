"""Tokens, cookies and CPFs appear in no page, header, address or log line. Response headers protect the pages."""

import hashlib
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote, urlsplit

import msgspec
import pytest

from balcao.core.values.cpf import Cpf
from balcao.panel.areas import PAGES
from balcao.panel.declaration import PREFIX
from balcao.web.provider import Tokens
from balcao.web.sealing import Sealer
from tests.support import log_scan
from tests.support.demo_people import CARLA
from tests.support.issuer import bearer
from tests.support.panel import PanelClient
from tests.support.panel_crawler import Crawl
from tests.support.proof_sizes import size
from tests.support.sandbox import ADMIN, Sandbox

WHO = ["kleber", "luiz", "ana", "marina", "gilda"][: size(3, 5)]
# This matches every signed or encrypted token, because dots separate the parts of such a token. The panel's sealed
# values contain no dots, although they may contain `eyJ` by chance.
_TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]*\.")
_ELEVEN = re.compile(r"(?<!\d)(?:\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})(?!\d)")


@pytest.fixture(scope="module", params=WHO)
def crawl(request: pytest.FixtureRequest, sandbox: Sandbox) -> Iterator[Crawl]:
    with PanelClient(sandbox.url) as panel:
        panel.login(request.param)
        begin = panel.attend(CARLA).url.path if request.param == "luiz" else PREFIX
        yield Crawl(panel, size(1, 6), begin).run()


@pytest.fixture
def tokens(crawl: Crawl, sandbox: Sandbox, sql: Callable[..., list[dict[str, bytes]]]) -> Tokens:
    """Return the tokens in the session of the person who crawls."""
    cookie = crawl.person.http.cookies[f"painel-{sandbox.settings.port}"]
    key = hashlib.sha256(cookie.encode()).digest()
    (row,) = sql("SELECT tokens FROM panel.session WHERE key = $1", key)
    opened = Sealer(sandbox.settings.panel_keys).open(b"tokens" + key, row["tokens"])
    return msgspec.json.decode(opened, type=Tokens)


@pytest.mark.long
def test_no_token_and_no_cookie_is_in_a_page_an_address_or_the_log(crawl: Crawl, tokens: Tokens) -> None:
    cookie = next(one.value or "" for one in crawl.person.http.cookies.jar if one.name.startswith("painel"))
    secrets = [tokens.access_token, tokens.access_token.rpartition(".")[2], tokens.refresh_token]
    for seen in crawl.seen:
        told = "\n".join([str(seen.answer.url), str(seen.answer.headers), seen.answer.text])
        assert not any(secret in told for secret in (*secrets, cookie)), seen.address
        assert _TOKEN.search(told) is None, seen.address
    kept = "".join(one.value or "" for one in crawl.person.http.cookies.jar)
    assert not any(secret in kept for secret in secrets)
    for file in log_scan.folder().glob("*.log"):
        written = file.read_text("utf-8", errors="replace")
        assert not any(secret in written for secret in (*secrets, cookie)), file


@pytest.mark.long
def test_no_cpf_is_in_an_address_or_a_cookie(crawl: Crawl) -> None:
    offered = [each for seen in crawl.seen for each in [*seen.addresses, *(address for address, _ in seen.buttons)]]
    offered += [one.value or "" for one in crawl.person.http.cookies.jar]
    assert [each for each in offered if any(Cpf.parse_path(found) for found in _ELEVEN.findall(unquote(each)))] == []


@pytest.mark.long
def test_every_page_keeps_others_out_and_is_kept_by_nobody(crawl: Crawl) -> None:
    for seen in crawl.seen:
        for answer in [seen.answer, *seen.answer.history]:
            assert_guarded(answer.headers)


def assert_guarded(headers: object) -> None:
    given = dict(headers)  # type: ignore[call-overload]
    policy = {part.split()[0]: part.split()[1:] for part in given["content-security-policy"].split(";")}
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == policy["img-src"] == policy["connect-src"] == ["'self'"]
    assert policy["form-action"][0] == "'self'"
    assert given["cache-control"] == "no-store"
    assert given["x-content-type-options"] == "nosniff"
    assert given["referrer-policy"] == "same-origin"
    assert given["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/painel"),
        ("GET", "/painel/entrar"),
        ("GET", "/painel/retorno?code=1&state=2"),
        ("GET", "/painel/saiu"),
        ("POST", "/painel/sair"),
        ("GET", "/painel/nada/disso"),
        ("GET", "/painel/%00"),
        ("POST", "/painel/operacao/tarefas/repetir"),
        ("GET", "/painel/servicos?q=%FF"),
        ("GET", "/painel/entrar?para=%FF"),
    ],
)
def test_who_is_not_logged_in_is_answered_as_guardedly(sandbox: Sandbox, method: str, path: str) -> None:
    with PanelClient(sandbox.url) as panel:
        answer = panel.http.request(method, path, data={} if method == "POST" else None)
        assert answer.status_code < 500
        assert_guarded(answer.headers)


@pytest.mark.parametrize(
    "elsewhere",
    [
        "//[", "http://[::1", "////mal.example/painel", "/painel/..//mal.example", "/painel\\@mal.example",
        "/painel\t//mal.example", "\\\\mal.example/painel", "/%2Fmal.example", "https:/painel", "/painel\u2028//m",
        "/painel:80@mal.example", "///painel", "//painel", "/painel/\r\nSet-Cookie: a=b", "data:text/html,x",
        "/painel" + "/x" * 2_000,
    ],
)  # fmt: skip
def test_a_login_leads_nowhere_but_to_a_page_of_the_panel(sandbox: Sandbox, elsewhere: str) -> None:
    with PanelClient(sandbox.url) as panel:
        panel.login("ana")
        begun = panel.http.get("/painel/entrar", params={"para": elsewhere})
        back = panel.http.get(begun.headers["location"])
        finished = panel.http.get(back.headers["location"])
        assert finished.status_code == 303
        assert finished.headers["location"] == "/painel"


@pytest.mark.parametrize("current", ["http://[", "//mal.example/painel", "https://mal.example/painel/conta", "\\\\m"])
def test_the_script_of_a_page_is_led_to_the_login_and_back_to_a_page_of_ours(sandbox: Sandbox, current: str) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": current}
    with PanelClient(sandbox.url) as panel:
        answer = panel.http.get("/painel/conta", headers=headers)
        assert answer.status_code == 401
        parts = urlsplit(answer.headers["hx-redirect"])
        assert (parts.netloc, parts.path) == ("", "/painel/entrar")


def test_a_login_that_was_watched_is_worth_nothing_to_who_watched_it(sandbox: Sandbox) -> None:
    """A thief cannot use the browser's login cookie or the return address."""
    with PanelClient(sandbox.url) as panel, PanelClient(sandbox.url) as thief:
        watched: list[str] = []

        def watch(request: object) -> None:
            url = str(request.url)  # type: ignore[attr-defined]
            if "/painel/retorno" in url:
                watched.append(url)
                thief.http.cookies.update(panel.http.cookies)

        panel.http.event_hooks["request"] = [watch]
        panel.login("ana")
        assert panel.get("/painel").status_code == 200
        answer = thief.http.get(watched[0])
        assert answer.status_code == 400
        assert not any(
            one.value and one.name.startswith("painel-") and "entrada" not in one.name for one in thief.http.cookies.jar
        )


def test_a_right_that_is_taken_away_while_a_form_is_open_is_gone_when_it_is_sent(sandbox: Sandbox) -> None:
    """Pages that require actions read the person's rights again for every request."""
    admin = bearer(sandbox.tokens.person(ADMIN))
    access = "/access/api/v1/users/90000000256/roles"
    sandbox.http.post(access, json={"role_name": "rmi:admin"}, headers=admin).raise_for_status()
    with PanelClient(sandbox.url) as bruno:
        bruno.login("bruno", "/painel/operacao/crm")
        form = bruno.find_form("/painel/operacao/crm")
        sandbox.http.delete(f"{access}/rmi:admin", headers=admin).raise_for_status()
        answer = bruno.post("/painel/operacao/crm", form.values | {"since": "2026-01-02T03:04"})
        assert answer.status_code == 403
        assert "jobs:read" in answer.text
        assert not {page.address() for page in PAGES.values() if page.in_menu and page.actions} & set(bruno.page.links)
