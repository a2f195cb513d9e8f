"""Limits for the cost of every visible page: calls to the services, bytes, elements, and no external content."""

import gzip
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from html.parser import HTMLParser

import pytest

from balcao.panel import waiting
from balcao.panel.declaration import PREFIX
from balcao.panel.jobs import reference
from tests.support.cuttable_connection import Line
from tests.support.demo_people import CARLA
from tests.support.panel import PanelClient
from tests.support.panel_crawler import Crawl, Seen, find_page
from tests.support.proof_sizes import report, size
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.long

KILOBYTE = 1000
# The maximum number of service calls for a list, and for any other page: one about a record or with a form. The call
# that reads the person's rights does not count. Pages that combine several services have higher limits.
LIST, DETAIL = 2, 4
TOGETHER: Mapping[str, int] = {
    "agents.list_agents": 3,
    "catalogue.edit_synonyms": 6,  # a search for each of the first five terms
    "catalogue.list_services": 3,  # the filters also need categories and departments
    "catalogue.show_migrations": 3,
    "catalogue.show_service": 6,  # a curator also sees the phrases
    "citizen.change_preferences": 3,
    "citizen.show": 6,
    "counter.show": 6,
    "health_units.show_board": 6,
    "home.show_start": 12,  # for an administrator, one call for each `Waiting`
    "operation.show_processes": 3,
    "operation.show_state": 9,  # one call to each service
    "requests.list_requests": 3,  # the filters also need types and departments
}
MOST_NODES = 1_500
# Limits, in uncompressed bytes, for the first page that a person opens and its files. On a live page, half of the bytes
# are the script.
FIRST_LOAD, FIRST_LOAD_WITH_SCRIPT = 100 * KILOBYTE, 120 * KILOBYTE
# The same limit after compression. A job's form contains all members, steps and questions, so it has its own limit.
PACKED_FIRST_LOAD = 30 * KILOBYTE
# Limits for the bytes that a self-refreshing part adds to a page, uncompressed and compressed.
MORPHING, PACKED_MORPHING = 12 * KILOBYTE, 4 * KILOBYTE
LONGER: Mapping[str, int] = {"jobs.edit_job": 32 * KILOBYTE}


@dataclass(frozen=True)
class Cost:
    """The cost of one page.

    `calls` are the page's calls to services, without the call that reads the person's rights.
    """

    name: str
    seen: Seen
    calls: list[str]

    @property
    def most_calls(self) -> int:
        page = find_page(self.seen.address, "GET")
        is_list = page is not None and page.in_menu and not page.parameters
        return TOGETHER.get(self.name, LIST if is_list else DETAIL)


@pytest.fixture(scope="module", autouse=True)
def fresh_counts() -> Iterator[None]:
    """Keep cached data fresh for the whole test, so that no page has to renew them.

    These are the counts of waiting items on the first page, and the names that forms offer.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waiting, "FRESH", timedelta(days=1))
        patch.setattr(reference, "CACHED_SECONDS", timedelta(days=1).total_seconds())
        yield


@pytest.fixture(scope="module")
def costs(sandbox: Sandbox, line: Line) -> list[Cost]:
    """Return the cost of each page that an administrator, a clerk in an attendance, or a citizen can see."""
    found = []
    for name in ("kleber", "luiz", "carla"):
        with PanelClient(sandbox.url) as panel:
            panel.login(name)
            begin = panel.attend(CARLA).url.path if name == "luiz" else PREFIX
            for seen in Crawl(panel, size(1, 3), begin).run().seen:
                page, before = find_page(seen.address, "GET"), len(line.calls)
                panel.http.get(seen.address, follow_redirects=True)
                calls = [call for call in line.calls[before:] if "/users/me/actions" not in call]
                found.append(Cost(page.name if page else "", seen, calls))
    return found


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.number = 0
        self.foreign: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.number += 1
        self.foreign += [
            value
            for name, value in attrs
            if value and name in {"src", "srcset", "data", "poster"} | ({"href"} if tag in {"link", "use"} else set())
            if not value.startswith("/painel/")
        ]


def test_a_page_calls_the_services_no_oftener_than_it_may(costs: list[Cost]) -> None:
    over = {(cost.name, cost.most_calls): cost.calls for cost in costs if len(cost.calls) > cost.most_calls}
    assert over == {}
    most = sorted(costs, key=lambda cost: len(cost.calls))[-1]
    report(f"{len(costs)} pages, most calls: {len(most.calls)} ({most.name})")


def test_a_page_is_small_has_few_elements_and_asks_nobody_else_for_anything(costs: list[Cost]) -> None:
    faults, heaviest, fullest = [], 0, 0
    for cost in costs:
        if not cost.seen.is_html:
            continue
        is_live, has_script = "hx-get=" in cost.seen.answer.text, "htmx.min" in cost.seen.answer.text
        if is_live and not has_script:
            faults.append(f"{cost.seen.address}: a part needs htmx, but the page does not load it")
        weight, page = len(gzip.compress(cost.seen.answer.content)), Elements(cost.seen.answer.text)
        heaviest, fullest = max(heaviest, weight), max(fullest, page.number)
        if weight > 12 * KILOBYTE or page.number > MOST_NODES or page.foreign:
            faults.append(f"{cost.seen.address}: {weight} bytes, {page.number} elements, {page.foreign}")
    assert faults == []
    report(f"heaviest page {heaviest} bytes packed, fullest {fullest} elements")


def test_the_first_page_that_somebody_opens_is_small_with_all_of_its_files(costs: list[Cost], sandbox: Sandbox) -> None:
    """A link in a message may lead to any page, so any page can be the first."""
    with PanelClient(sandbox.url) as panel:
        files: dict[str, bytes] = {}
        for cost in costs:
            named = set(re.findall(r'(?:href|src)="(/painel/recursos/[^"#]+)', cost.seen.answer.text))
            files |= {file: panel.http.get(file).content for file in named - files.keys()}
            bodies = [cost.seen.answer.content, *(files[file] for file in named)]
            if cost.seen.is_html:
                has_script = any("htmx.min" in file for file in named)
                morphs = any("idiomorph" in file for file in named)
                most = (FIRST_LOAD_WITH_SCRIPT if has_script else FIRST_LOAD) + morphs * MORPHING
                assert sum(map(len, bodies)) <= most, cost.seen.address
                packed = sum(len(gzip.compress(body)) for body in bodies)
                most_packed = LONGER.get(cost.name, PACKED_FIRST_LOAD) + morphs * PACKED_MORPHING
                assert packed <= most_packed, cost.seen.address
    # Style sheets are sent without comments.
    assert not any(b"/*" in body for file, body in files.items() if file.endswith(".css"))
