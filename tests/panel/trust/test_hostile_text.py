"""An attacker's strings do no harm in a real browser, whether in the data of a service or in an address."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from balcao.panel.declaration import PREFIX, Page
from balcao.settings import Settings
from tests.panel.trust import attack
from tests.support.demo_people import CARLA
from tests.support.issuer import bearer
from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen
from tests.support.panel_crawler import Crawl, Seen, find_page
from tests.support.proof_sizes import FULL, size
from tests.support.sandbox import ADMIN, EmbeddedTokens, Sandbox, running

pytestmark = pytest.mark.long

# Together, these people see every area.
WHO = ["kleber", "luiz", "ana", "marina", "gilda", "tereza"][: size(3, 6)]
MOST = size(1, 6)
# Parameters to try on every page, even on pages that do not use them. A proof tries each one separately.
ANYWHERE: list[tuple[str, ...]] = (
    [(name,) for name in "q ordem rascunho pagina aba de ate desde antes".split()]
    if FULL
    else [("q", "ordem", "rascunho")]
)
# The areas with webhook pages: for each, the path that lists the receivers, and the SQL that stores a failed delivery.
WEBHOOKS = {
    "/painel/agentes/avisos": (
        "/agent/api/v1/webhooks",
        "INSERT INTO agents.webhook_deliveries (webhook, message, last_try_at, last_error, tries) "
        "VALUES ($1::text::uuid, $2, now(), $3, jsonb_build_array(jsonb_build_object('at', now(), 'error', $3::text)))",
        "UPDATE agents.webhooks SET last_failure_at = now(), last_error = $2 WHERE id = $1::text::uuid",
    ),
    "/painel/saude/avisos": (
        "/health-units/avisos",
        "INSERT INTO health_units.webhook_deliveries (aviso, mensagem, ultima_em, ultimo_erro, tentativas) "
        "VALUES ($1::text::uuid, $2, now(), $3, jsonb_build_array(jsonb_build_object('em', now(), 'erro', $3::text)))",
        "UPDATE health_units.webhooks SET ultima_falha_em = now(), ultimo_erro = $2 WHERE id = $1::text::uuid",
    ),
}
REPORT = """() => {
    const open = [...document.querySelectorAll("script")].filter(one => !one.src.includes("/painel/recursos/"));
    const handlers = [...document.querySelectorAll("*")]
        .filter(one => [...one.attributes].some(each => each.name.startsWith("on")));
    return [...open, ...handlers].map(one => one.outerHTML.slice(0, 120));
}"""


@pytest.fixture(scope="module")
def address(sandbox: Sandbox, receivers: list[str]) -> str:
    """Return the panel's address. The fixtures that use `sql` run before the browser's event loop starts."""
    return sandbox.url


@pytest.fixture(scope="module")
def sandbox(settings: Settings, database_url: str) -> Iterator[Sandbox]:
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        attack.search_in_vain(opened)
        taken = attack.put_everywhere(opened)
        assert all(taken[name] for name in ("registry", "employability", "search", "access", "health_units", "agents"))
        attack.search_in_vain(opened)
        yield opened


@pytest.fixture(scope="module")
def crawls(sandbox: Sandbox) -> Mapping[str, Crawl]:
    """Crawl the panel as each of these people."""
    found = {}
    for name in WHO:
        with PanelClient(sandbox.url) as panel:
            panel.login(name)
            begin = panel.attend(CARLA).url.path if name == "luiz" else PREFIX
            found[name] = Crawl(panel, MOST, begin).run()
    return found


@pytest.fixture(scope="module")
def receivers(sandbox: Sandbox, sql: Callable[..., Any]) -> list[str]:
    """Add failed deliveries to the attacker's webhook receivers, and return the addresses of the receivers' pages.

    The error of a delivery contains the attacker's string too. Only a worker writes errors, so the test stores them
    directly.
    """
    found = []
    for pages, (operation, insert, update) in WEBHOOKS.items():
        listed = sandbox.http.get(operation, headers=bearer(sandbox.tokens.person(ADMIN))).json()
        (webhooks,) = listed.values()
        id = next(each["id"] for each in webhooks if attack.MARK in json.dumps(each))
        sql(insert, id, f"msg_{id.replace('-', '')}_1", attack.LONG)
        sql(update, id, attack.LONG)
        found.append(f"{pages}/{id}")
    return found


def list_webhook_pages(receiver: str) -> list[str]:
    """Return the addresses of all pages that show the receiver. Two of them also show its deliveries."""
    pages = [f"{receiver}/{page}" for page in ("mudar", "segredo", "apagar")]
    return ["/painel", receiver.rpartition("/")[0], receiver, f"{receiver}?aba=falhas", *pages]


def is_attacked(seen: Seen) -> bool:
    return seen.is_html and attack.MARK in seen.answer.text


def test_what_was_written_is_text_on_every_page(crawls: Mapping[str, Crawl]) -> None:
    faults = [
        f"{name} at {seen.address}: {fault}"
        for name, crawl in crawls.items()
        for seen in crawl.seen
        if seen.is_html
        for fault in attack.Markup(seen.answer.text).faults
    ]
    assert faults == []
    assert len({page.name for page in attacked_pages(crawls).values()}) > 30


def attacked_pages(crawls: Mapping[str, Crawl]) -> dict[tuple[str, str], Page]:
    """Return the pages that show the attacker's strings, by person and address."""
    found = {}
    for name, crawl in crawls.items():
        for seen in crawl.seen:
            page = find_page(seen.address, "GET")
            if page is not None and is_attacked(seen):
                found[name, seen.address] = page
    return found


def test_what_stands_in_a_webhook_and_its_deliveries_is_text_on_each_of_their_pages(
    receivers: list[str], sandbox: Sandbox
) -> None:
    with PanelClient(sandbox.url) as panel:
        panel.login("kleber")
        for receiver in receivers:
            for address in list_webhook_pages(receiver):
                answer = panel.get(address)
                assert (answer.status_code, attack.MARK in panel.page.text) == (200, True), address
                assert attack.Markup(answer.text).faults == [], address
            panel.get(receiver)
            assert panel.page.text.count(attack.LONG[:20]) >= 3  # in the receiver, in the delivery and in the attempt
            renewed = panel.submit(f"{receiver}/segredo")
            assert (panel.page.heading, attack.Markup(renewed.text).faults) == ("Segredo trocado", [])


def test_what_is_typed_into_the_form_of_a_webhook_comes_back_as_text(receivers: list[str], sandbox: Sandbox) -> None:
    with PanelClient(sandbox.url) as panel:
        panel.login("kleber")
        for form in [*(f"{pages}/novo" for pages in WEBHOOKS), *(f"{receiver}/mudar" for receiver in receivers)]:
            for text in attack.ALL:
                refused = panel.submit(form, url=text, description=text, topics=text)
                assert refused.status_code == 422, (form, text)
                assert panel.find_form(form).values["description"] == text
                assert attack.Markup(refused.text).faults == [], (form, text)


def test_what_stands_in_an_address_is_text_on_the_page(crawls: Mapping[str, Crawl], sandbox: Sandbox) -> None:
    faults = []
    for login in WHO[: size(1, 2)]:
        with PanelClient(sandbox.url) as panel:
            panel.login(login)
            for path, names in sorted(list_parameters(crawls[login])):
                for text in (attack.LONG, "²", "9" * 5_000)[: size(2, 3)]:
                    answer = panel.http.get(attack.with_attack(path, names, text), follow_redirects=True)
                    if answer.status_code >= 500:
                        faults.append(f"{path}?{names}: {answer.status_code}")
                    if "text/html" in answer.headers["content-type"]:
                        faults += [f"{path}?{names}: {each}" for each in attack.Markup(answer.text).faults]
    assert faults == []


def list_parameters(crawl: Crawl) -> set[tuple[str, tuple[str, ...]]]:
    """Return pairs of a path and parameter names.

    Each kind of page is tried with its own parameters and with those in `ANYWHERE`.
    """
    found = {(urlsplit(seen.address).path, names) for seen in crawl.seen for names in ANYWHERE}
    for seen in crawl.seen:
        for address in [seen.address, *seen.addresses]:
            parts = urlsplit(address)
            if find_page(address, "GET"):
                found |= {(parts.path, (name,)) for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    known = {(find_page(path, "GET"), names): path for path, names in found}
    return {(path, names) for (_, names), path in known.items()}


@pytest.mark.page
@pytest.mark.parametrize("name", WHO)
def test_a_browser_runs_none_of_it_and_has_nothing_to_refuse(
    crawls: Mapping[str, Crawl], receivers: list[str], screen_of: Callable[..., Screen], name: str
) -> None:
    screen = screen_of()
    dialogs: list[str] = []
    screen.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    screen.login(name)
    shown = {page.name: address for (who, address), page in attacked_pages(crawls).items() if who == name}
    of_webhooks = [address for receiver in receivers for address in list_webhook_pages(receiver)]
    for address in [*shown.values(), *(of_webhooks if name == "kleber" else [])]:
        if re.search(r"/(atendimento|titular|anonimizacao)/\d|atendimento=", address):
            continue  # this page belongs to an attendance in another session
        screen.open(address)
        assert (address, screen.page.evaluate(REPORT)) == (address, [])
    screen.open(attack.with_attack("/painel/ir", ["q"], attack.LONG))
    assert screen.page.evaluate(REPORT) == []
    assert (dialogs, screen.complaints, screen.strangers) == ([], [], [])
