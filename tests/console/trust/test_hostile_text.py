"""What an attacker writes into every service's data, and into every address, seen at the panel in a real browser."""

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import parse_qsl, urlsplit

import pytest

from balcao.console.declaration import PREFIX, Page
from balcao.settings import Settings
from tests.console.trust import attack
from tests.support.cast import CARLA
from tests.support.crawl import Crawl, Seen, find_page
from tests.support.panel import PanelClient
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.screen import Screen
from tests.support.sizes import FULL, size

# Who together sees every area.
WHO = ["kleber", "luiz", "ana", "marina", "gilda", "tereza"][: size(3, 6)]
MOST = size(1, 6)
# Parameters that every page is tried with, whether or not it knows them: in a proof one by one.
ANYWHERE: list[tuple[str, ...]] = (
    [(name,) for name in "q ordem rascunho pagina aba de ate desde antes".split()]
    if FULL
    else [("q", "ordem", "rascunho")]
)
REPORT = """() => {
    const open = [...document.querySelectorAll("script")].filter(one => !one.src.includes("/painel/recursos/"));
    const handlers = [...document.querySelectorAll("*")]
        .filter(one => [...one.attributes].some(each => each.name.startsWith("on")));
    return [...open, ...handlers].map(one => one.outerHTML.slice(0, 120));
}"""


@pytest.fixture(scope="module")
def address(sandbox: Sandbox) -> str:
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
    """Everything that these people are shown."""
    found = {}
    for name in WHO:
        with PanelClient(sandbox.url) as panel:
            panel.login(name)
            begin = panel.attend(CARLA).url.path if name == "luiz" else PREFIX
            found[name] = Crawl(panel, MOST, begin).run()
    return found


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
    """Return the pages on which something of the attacker's stands, by person and address."""
    found = {}
    for name, crawl in crawls.items():
        for seen in crawl.seen:
            page = find_page(seen.address, "GET")
            if page is not None and is_attacked(seen):
                found[name, seen.address] = page
    return found


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
    """Return one page of each kind, with each parameter that it, or a link to it, is known by, and with the others."""
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
    crawls: Mapping[str, Crawl], screen_of: Callable[..., Screen], name: str
) -> None:
    screen = screen_of()
    dialogs: list[str] = []
    screen.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    screen.login(name)
    shown = {page.name: address for (who, address), page in attacked_pages(crawls).items() if who == name}
    attendance = next((address for address in shown.values() if re.search(r"/atendimento/\d", address)), None)
    for address in shown.values():
        if attendance and address.startswith(attendance):
            continue  # of another session
        screen.open(address)
        assert (address, screen.page.evaluate(REPORT)) == (address, [])
    screen.open(attack.with_attack("/painel/ir", ["q"], attack.LONG))
    assert screen.page.evaluate(REPORT) == []
    assert (dialogs, screen.complaints, screen.strangers) == ([], [], [])
