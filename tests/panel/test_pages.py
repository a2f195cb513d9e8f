"""Rules for every declared page: it is linked, protected and described. New pages are included automatically."""

import hashlib
from collections.abc import Callable, Iterator

import httpx
import pytest

from balcao.panel.areas import AREAS
from balcao.panel.declaration import PREFIX, Page
from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox

PAGES = [page for area in AREAS for page in area.pages.declared]
IN_MENU = [page for page in PAGES if page.in_menu]


@pytest.fixture(scope="module")
def kleber(sandbox: Sandbox) -> Iterator[PanelClient]:
    """Yield a client of the administrator, which logs in once for all tests."""
    with PanelClient(sandbox.url) as opened:
        opened.login("kleber")
        yield opened


def name(page: Page) -> str:
    return f"{page.method} {page.path or '/'}"


def address_of(page: Page) -> str:
    """Return an address of the page with identifiers that do not exist."""
    return page.address(**dict.fromkeys(page.parameters, "999999"))


def test_no_two_pages_share_an_address_or_a_name() -> None:
    assert len({(page.method, page.path) for page in PAGES}) == len(PAGES)
    assert len({(page.method, page.name) for page in PAGES}) == len(PAGES)


def test_a_page_is_reached_by_the_navigation_or_from_a_page_that_is() -> None:
    """A page without parameters is in the menu, is linked by the frame, or is directly below a page in the menu."""
    in_frame = {"/ir", "/conta", "/conta/sessoes", "/rascunhos"}
    alone = {
        page.path for page in PAGES if page.method == "GET" and not page.in_menu and not page.parameters
    } - in_frame
    linked = {page.path.rpartition("/")[0] for page in PAGES if page.in_menu} | {page.path for page in IN_MENU}
    assert {path for path in alone if path.rpartition("/")[0] not in linked} == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_nobody_sees_a_page_without_a_session(panel: PanelClient, page: Page) -> None:
    if page.method == "GET":
        answer = panel.http.get(address_of(page))
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/painel/entrar?para=")
    else:
        answer = panel.http.post(address_of(page), data={"_csrf": "x"})
        assert answer.status_code == 401


@pytest.mark.parametrize("page", [page for page in PAGES if page.method == "GET"], ids=name)
def test_every_page_answers_an_administrator_and_brings_its_policy(kleber: PanelClient, page: Page) -> None:
    answer = kleber.get(address_of(page))
    assert answer.status_code in ({200} if not page.parameters else {200, 400, 404, 422})
    assert kleber.page.heading or "text/html" not in answer.headers["content-type"]  # files have no heading
    assert_guarded(answer)


def assert_guarded(answer: httpx.Response) -> None:
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["cache-control"] == "no-store"
    assert " style=" not in answer.text
    assert " onclick=" not in answer.text


def test_a_page_that_is_none_says_so_within_the_frame(panel: PanelClient) -> None:
    panel.login("ana")
    answer = panel.get("/painel/nada/disso")
    assert answer.status_code == 404
    assert panel.page.heading == "Página não encontrada"
    assert_guarded(answer)


def test_the_navigation_shows_what_the_person_may_do_and_nothing_else(panel: PanelClient) -> None:
    panel.login("ana")
    shown = set(panel.page.links)
    assert not {page.address() for page in IN_MENU if page.actions} & shown
    panel.http.cookies.clear()
    panel.login("kleber")
    assert {page.address() for page in IN_MENU} <= set(panel.page.links)


def test_a_right_that_is_taken_away_is_gone_at_the_next_click(panel: PanelClient, sandbox: Sandbox) -> None:
    admin = {"Authorization": f"Bearer {sandbox.tokens.person('90000040126')}"}
    access = "/access/api/v1/users/90000000175/roles"
    given = sandbox.http.post(access, json={"role_name": "rmi:admin"}, headers=admin)
    assert given.status_code == 201 or given.status_code == 200, given.text
    panel.login("ana")
    assert panel.get("/painel/operacao").status_code == 200
    sandbox.http.delete(f"{access}/rmi:admin", headers=admin).raise_for_status()
    assert panel.get("/painel/operacao").status_code == 403


def test_files_are_kept_for_good_under_names_that_change_with_them(panel: PanelClient) -> None:
    panel.login("ana")
    (sheet,) = {part for part in panel.get(PREFIX).text.split('"') if part.endswith(".css")}
    answer = panel.http.get(sheet)
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    assert panel.http.get("/painel/recursos/panel.css").status_code == 404


def test_what_was_typed_when_the_session_was_over_is_kept_and_sent_by_nobody(
    panel: PanelClient, sandbox: Sandbox, sql: Callable[..., list[dict[str, object]]]
) -> None:
    panel.login("kleber")
    panel.get("/painel/operacao/crm")
    form = panel.find_form("/painel/operacao/crm")
    key = hashlib.sha256(panel.http.cookies[f"painel-{sandbox.settings.port}"].encode()).digest()
    sql("UPDATE panel.session SET used_at = now() - interval '2 hours' WHERE key = $1", key)
    answer = panel.post("/painel/operacao/crm", form.values | {"since": "2026-01-02T03:04"})
    assert answer.status_code == 401
    assert "está guardado por 24 horas" in answer.text
    (row,) = sql("SELECT content FROM panel.draft")
    assert isinstance(row["content"], bytes)
    assert b"2026-01-02" not in row["content"]
    panel.login("kleber", "/painel/rascunhos")
    (kept,) = {link for link in panel.page.links if link.startswith("/painel/rascunhos/")}
    assert "2026-01-02T03:04" in panel.get(kept).text
    panel.get(next(link for link in panel.page.links if "rascunho=" in link))
    assert panel.find_form("/painel/operacao/crm").values["since"] == "2026-01-02T03:04"
    with PanelClient(sandbox.url) as other:
        other.login("ana")
        assert other.get(kept).status_code == 404
