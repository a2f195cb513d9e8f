"""Attacks on Minha página: foreign forms, scripts in every field, other citizens' records, and oversized forms.

The forms come from the declarations and from a crawl, so these tests also attack new forms without a change.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import httpx
import pytest

from balcao.core.http.forms import MAX_FIELDS
from balcao.core.http.uploads import MAX_PARTS
from balcao.core.values.cpf import Cpf
from balcao.site.mine.declaration import PREFIX, Page
from balcao.site.mine.parts import PARTS
from balcao.web.guard import read_return_path
from balcao_sandbox.identity.demo import people_by_login
from tests.http.connection import Connection
from tests.panel import test_guard
from tests.site.mine.test_requests import LAMP, ask_for_a_lamp, read_number
from tests.support.panel import CitizenClient, PageForm, PanelClient
from tests.support.sandbox import Sandbox
from tests.support.site_crawler import Found, Inspector, crawl, find_declared

FORMS = [page for part in PARTS for page in part.declared if page.method == "POST"]
LOGOUT = f"{PREFIX}/sair"
HOST = "mal.example"
# A script within a text, an attribute, a template and an address.
SCRIPT = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*191}}"
FOREIGN = [
    {"Origin": "https://mal.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},  # another host of the city
    {"Sec-Fetch-Site": "none"},
]
# These pages show the same to everyone, or an empty form. Their address does not name a record of a person.
NAMES = ("para", "next", "voltar", "url", "redirect", "return_to", "continue")
WITHOUT_OWNER = ("applying.", "asking.", "registering.", "resume.")
PEOPLE = ("ana", "carla", "fabio")
# The forms that no page shows to these citizens, with the reason.
UNSEEN = {
    "account.drop_draft": "needs a form that the citizen has begun",
    "account.end_sessions": "needs a second session",
    "asking.add_file": "needs the answers before it; see the next test",
    "asking.check": "needs all answers; see the next test",
    "asking.remove_file": "needs a file",
    "registering.add_photo": "needs the answers before it",
    "registering.check": "needs all answers",
    "vehicles.leave_vehicle": "needs a vehicle of another person",
    "record.confirm_phone": "needs a code",
    "requests.answer": "needs a question of the city",
}


def fill_path(page: Page) -> str:
    return page.address(**dict.fromkeys(page.parameters, "1"))


class Explored(NamedTuple):
    """A citizen, and everything that Minha página shows to the citizen."""

    client: CitizenClient
    found: Found


def find_questions(client: CitizenClient) -> list[str]:
    """Return the address of the first question of each open job that has questions."""
    public = "/jobs/api/public/empregabilidade/vagas"
    slugs = [job["slug"] for job in client.http.get(f"{public}?status=publicado_ativo&pageSize=50").json()["data"]]
    jobs = [client.http.get(f"{public}/slug/{slug}").json() for slug in slugs]
    return [f"{PREFIX}/candidatar/{job['slug']}/pergunta/1" for job in jobs if job["informacoes_complementares"]]


@pytest.fixture(scope="module")
def citizens(sandbox: Sandbox) -> Iterator[dict[str, Explored]]:
    explored = {}
    for name in PEOPLE:
        client = CitizenClient(sandbox.url)
        client.login(name)
        links = [PREFIX, *(PREFIX + page.path for part in PARTS for page in part.declared if not page.parameters)]
        links += find_questions(client)
        explored[name] = Explored(client, crawl(client, *links))
    yield explored
    for each in explored.values():
        each.client.http.close()


@pytest.fixture(scope="module")
def ana(sandbox: Sandbox) -> Iterator[CitizenClient]:
    with CitizenClient(sandbox.url) as client:
        client.login("ana")
        yield client


@pytest.fixture(scope="module")
def carla(sandbox: Sandbox) -> Iterator[CitizenClient]:
    with CitizenClient(sandbox.url) as client:
        client.login("carla")
        yield client


# ---- forms of other sites -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [LOGOUT, *map(fill_path, FORMS)])
def test_a_form_of_another_site_changes_nothing(ana: CitizenClient, path: str) -> None:
    secret = {"_csrf": ana.read_secret()}
    for headers in FOREIGN:
        answer = ana.http.post(path, data=secret, headers=headers)
        assert (answer.status_code, answer.headers.get("set-cookie")) == (403, None), headers
    assert ana.http.get(PREFIX).status_code == 200  # still logged in


@pytest.mark.long
@pytest.mark.parametrize("path", [LOGOUT, *map(fill_path, FORMS)])
def test_a_form_without_the_sessions_secret_changes_nothing(
    ana: CitizenClient, carla: CitizenClient, path: str
) -> None:
    for secret in ("", "x" * 43, carla.read_secret()):
        assert ana.http.post(path, data={"_csrf": secret}, headers={"Origin": ana.url}).status_code == 403
    assert ana.http.get(PREFIX).status_code == 200


@pytest.mark.parametrize("page", FORMS, ids=lambda page: page.name)
def test_a_form_without_a_session_gets_the_login(sandbox: Sandbox, page: Page) -> None:
    with httpx.Client(base_url=sandbox.url) as stranger:
        answer = stranger.post(fill_path(page), data={"name": "x"}, headers={"Accept": "text/html"})
        assert answer.status_code == 401


@pytest.mark.long
@pytest.mark.parametrize("page", FORMS, ids=lambda page: page.name)
def test_a_form_of_another_kind_is_refused(ana: CitizenClient, page: Page) -> None:
    """Browsers send these kinds of bodies to other sites without a preflight. A secret in such a body is not found."""
    path, origin = fill_path(page), {"Origin": ana.url}
    body = f"_csrf={ana.read_secret()}"
    for kind in ("text/plain", "application/json", ""):
        answer = ana.http.post(path, content=body, headers=origin | {"Content-Type": kind})
        assert answer.status_code in {400, 403}, kind


# ---- large and malformed forms --------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("path", [LOGOUT, *map(fill_path, FORMS)])
def test_a_form_beyond_its_limit_is_refused_before_it_has_come(ana: CitizenClient, sandbox: Sandbox, path: str) -> None:
    declared = find_declared(path, "POST")
    limit = declared.body_limit if isinstance(declared, Page) else 10_000_000
    cookies = "; ".join(f"{one.name}={one.value}" for one in ana.http.cookies.jar)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{sandbox.settings.port}\r\nCookie: {cookies}\r\n"
        f"Origin: {sandbox.url}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {limit + 1}\r\n\r\n"
    )
    with Connection(sandbox.settings.port) as connection:
        connection.send(head.encode())
        assert connection.answer() == "413"


@pytest.mark.long
@pytest.mark.parametrize("page", FORMS, ids=lambda page: page.name)
def test_a_form_with_too_many_fields_is_refused(ana: CitizenClient, page: Page) -> None:
    secret, origin = ana.read_secret(), {"Origin": ana.url}
    many = "&a=" * (MAX_FIELDS + 1)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = ana.http.post(fill_path(page), content=f"_csrf={secret}{many}", headers=origin | form)
    assert answer.status_code == 400
    if page.takes_file:
        parts = [(f"f{number}", (None, b"1")) for number in range(MAX_PARTS)]
        answer = ana.http.post(fill_path(page), data={"_csrf": secret}, files=parts, headers=origin)
        assert answer.status_code == 400


# ---- scripts --------------------------------------------------------------------------------------------------------


def attack(form: PageForm) -> dict[str, str]:
    """Return the form with a script in every field into which a person can type. Choices have their first option."""
    chosen = {name: next((value for value in options if value), "") for name, options in form.choices.items()}
    hidden = {name for name in form.values if name.startswith("_") or name in {"passo", "version"}}
    typed = {name: SCRIPT for name in form.values if name not in hidden and name not in form.choices}
    return {**form.values, **typed, **chosen}


@pytest.mark.long
def test_a_script_in_any_field_of_any_form_is_shown_as_text(citizens: dict[str, Explored]) -> None:
    """After each round, the crawl finds the pages that show the stored texts, and the forms for the next step."""
    seen: set[str] = set()
    for name in PEOPLE:
        client, found = citizens[name]
        for _ in range(2):
            for page, shown_at, form in found.posting:
                if isinstance(page, Page):
                    seen.add(page.name)
                    send_script(client, page, shown_at, form)
            begun = {address.partition("/pergunta")[0] for address in found.pages if "/pergunta" in address}
            found = crawl(client, *(f"{address}/conferir" for address in begun), *found.pages)
            for address, answer in found.pages.items():
                if "text/html" in answer.headers["content-type"]:
                    assert Inspector(answer).run == [], address
    assert {page.name for page in FORMS} - seen <= set(UNSEEN), "show these forms in the demo, or say why not"


def send_script(client: CitizenClient, page: Page, shown_at: str, form: PageForm) -> None:
    """Send a form with scripts in its texts. Skip forms without texts, and the form that erases the citizen."""
    if not set(form.values) - {"_csrf", "_key"} or page.name == "record.erase":
        return
    client.get(shown_at)  # the form's key may already have been used
    fresh = next((each for each in client.page.forms if each.action == urlsplit(form.action).path), form)
    origin = {"Origin": client.url, "Sec-Fetch-Site": "same-origin"}
    answer = client.http.post(form.action, data=attack(fresh), headers=origin)
    assert answer.status_code < 500, page.name
    if not answer.is_redirect:
        assert Inspector(answer).run == [], page.name
        assert "<script>alert" not in answer.text
        assert str(7 * 191) not in answer.text


def test_a_script_in_a_request_is_shown_as_text_to_its_citizen_and_to_staff(
    ana: CitizenClient, sandbox: Sandbox
) -> None:
    ask_for_a_lamp(ana, **{"r-local-address": SCRIPT, "r-local-reference": SCRIPT})
    pages = [ana.http.get(f"{LAMP}/conferir"), ana.http.get(f"{LAMP}/arquivos/5")]
    form = ana.find_form(f"{LAMP}/conferir")
    pages.append(ana.post(form.action, form.values))
    number = read_number(ana)
    pages += [ana.http.get(f"{PREFIX}/pedidos/{number}"), ana.http.get(f"{PREFIX}/pedidos"), ana.http.get(PREFIX)]
    with PanelClient(sandbox.url) as marina:
        marina.login("marina")
        staffs = marina.get(f"/painel/pedidos/{number}")
        assert "alert(1)" in staffs.text
        pages.append(staffs)
    assert "alert(1)" in pages[0].text
    for page in pages:
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text


# ---- records of other citizens --------------------------------------------------------------------------------------


def list_personal(each: Explored) -> list[str]:
    """Return the addresses of records. The addresses contain the records' ids."""
    pages = [(address, find_declared(address, "GET")) for address in each.found.pages]
    return [
        address
        for address, page in pages
        if isinstance(page, Page) and page.parameters and not page.name.startswith(WITHOUT_OWNER)
    ]


@pytest.mark.long
@pytest.mark.parametrize("owner", PEOPLE)
def test_a_record_of_another_citizen_does_not_exist(citizens: dict[str, Explored], owner: str) -> None:
    own = list_personal(citizens[owner])
    for stranger in PEOPLE:
        client, found = citizens[stranger]
        for address in own:
            if stranger == owner or address in found.pages:  # they share a vehicle
                continue
            answer = client.http.get(address)
            leads_away = answer.status_code == 303 and answer.headers["location"] == f"{PREFIX}/veiculos"
            assert answer.status_code == 404 or leads_away, (stranger, address)
            page = find_declared(address, "POST")
            if page is not None:
                form = {"_csrf": client.read_secret(), "text": "Sou eu.", "stars": "1", "passo": "enviar", "name": "x"}
                sent = client.post(urlsplit(address).path, form)
                is_unknown = sent.status_code == 404 or "não está mais na sua lista" in client.page.text
                assert is_unknown, (stranger, address)
    assert own


def test_an_invitation_does_not_tell_whether_a_cpf_is_known(ana: CitizenClient) -> None:
    ana.get(f"{PREFIX}/veiculos")
    address = next(link for link in ana.page.links if link.startswith(f"{PREFIX}/veiculos/"))
    known, unknown = people_by_login()["bruno"].cpf, Cpf.with_stem("945670002").digits
    pages = []
    for cpf in (known, unknown):
        ana.submit(f"{address}/autorizar", cpf=cpf, email="a@pessoa.example", name="A")
        check = ana.find_form(f"{address}/autorizar")
        ana.post(check.action, check.values | {"passo": "enviar"})
        assert "O convite foi enviado" in ana.page.text
        pages.append(re.sub(r"[\d.*-]{6,}", "", ana.page.text))
        removal = next(form for form in ana.page.forms if "/condutores/" in form.action)
        ana.post(removal.action, removal.values)
    assert pages[0] == pages[1]


# ---- redirects and headers ------------------------------------------------------------------------------------------

ELSEWHERE = [address.replace("painel", "minha-pagina") for address in test_guard.ELSEWHERE]


@pytest.mark.parametrize("address", ELSEWHERE)
def test_a_login_leads_only_to_own_pages(address: str) -> None:
    assert read_return_path(address, PREFIX) == PREFIX


@pytest.mark.long
@pytest.mark.parametrize("target", [f"https://{HOST}/", f"//{HOST}/", f"/\\{HOST}"])
def test_no_parameter_leads_to_another_host(ana: CitizenClient, target: str) -> None:
    query = "&".join(f"{name}={quote(target)}" for name in NAMES)
    declared = [fill_path(page) for part in PARTS for page in part.declared if page.method == "GET"]
    headers = {"Referer": f"https://{HOST}/x", "Accept": "text/html"}
    with httpx.Client(base_url=ana.url) as stranger:
        for path in [*declared, f"{PREFIX}/entrar", f"{PREFIX}/retorno", f"{PREFIX}/saiu"]:
            for sender in (ana.http, stranger):
                answer = sender.get(f"{path}?{query}", headers=headers)
                assert HOST not in answer.headers.get("location", "").partition("?")[0]
                if "text/html" in answer.headers.get("content-type", ""):
                    assert HOST not in Inspector(answer).hosts


@pytest.mark.long
def test_a_line_break_in_an_address_adds_no_header(ana: CitizenClient) -> None:
    for part in PARTS:
        for page in part.declared:
            path = page.address(**dict.fromkeys(page.parameters, "1%0d%0aX-Injected:%201"))
            for address in (path, f"{path}?para=%0d%0aX-Injected:%201&pagina=%0d%0aX-Injected:%201"):
                assert "x-injected" not in ana.http.get(address).headers


def test_a_login_does_not_add_a_header_from_its_return_address(ana: CitizenClient) -> None:
    answer = ana.http.get(f"{PREFIX}/entrar?para={PREFIX}%0d%0aX-Injected:%201")
    assert answer.status_code == 303
    assert "x-injected" not in answer.headers
