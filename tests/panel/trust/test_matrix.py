"""People may do everything that the panel shows them, and can neither see nor open anything else."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from balcao.panel.areas import PAGES
from balcao.panel.declaration import Page
from balcao_sandbox.identity.demo import Person, people
from tests.support.issuer import bearer
from tests.support.panel import PanelClient
from tests.support.panel_crawler import AWAY, FRAME, Crawl, find_page, list_missing
from tests.support.proof_sizes import FULL, size
from tests.support.sandbox import Sandbox

# How many pages of each kind to open.
MOST = size(1, 4)
# Values for path parameters. They identify nothing.
NOTHING = [
    "999999",
    "%00",
    "%C2%B2",
    "nada",
    "0",
    "%C3%A7%E2%80%AE",
    "..%2F..%2Fhealth",
    "'%22%3E%3Cscript%3E",
    "9" * 40,
]


# A person with nearly all rights, an editor, a clerk, and an operator who is limited to one area.
FEW = {"kleber", "editora", "luiz", "rui"}


def choose_people() -> list[Person]:
    """Return the people in FEW, or in a proof all demo people."""
    return [person for person in people() if FULL or person.username in FEW]


@dataclass
class Visitor:
    """A demo person who uses the panel, the person's rights from the access service, and a crawl of all their pages."""

    person: Person
    panel: PanelClient
    rights: Mapping[str, Any]
    crawl: Crawl
    secret: str


@pytest.fixture(scope="module", params=choose_people(), ids=lambda person: person.username)
def visitor(request: pytest.FixtureRequest, sandbox: Sandbox) -> Iterator[Visitor]:
    person: Person = request.param
    token = sandbox.tokens.person(person.cpf)
    held = sandbox.http.get("/access/api/v1/users/me/actions", headers=bearer(token)).raise_for_status().json()
    with PanelClient(sandbox.url) as panel:
        panel.login(person.username)
        rights = {each["action"]: each["reach"] for each in held["actions"]}
        yield Visitor(person, panel, rights, Crawl(panel, MOST).run(), panel.read_secret())


@pytest.mark.long
def test_every_link_leads_to_a_page_that_the_person_sees_whole(visitor: Visitor) -> None:
    faults = []
    for seen in visitor.crawl.seen:
        if seen.answer.status_code != 200:
            heading = seen.content.heading
            faults.append(f"{seen.found_on} → {seen.address}: {seen.answer.status_code} {heading}")
        elif AWAY in seen.answer.text:
            faults.append(f"{seen.address}: a part is missing")
    assert faults == []


@pytest.mark.long
def test_every_link_and_button_is_one_whose_action_is_held(visitor: Visitor) -> None:
    faults = []
    for seen in visitor.crawl.seen:
        offered = [("GET", address) for address in seen.addresses] + [("POST", address) for address, _ in seen.buttons]
        for method, address in offered:
            page = find_page(address, method)
            if page is None:
                is_known = FRAME.fullmatch(address) or not address.startswith("/painel")
                faults += [] if is_known else [f"{seen.address}: {method} {address} is no page"]
            elif missing := list_missing(page, visitor.rights):
                faults.append(f"{seen.address}: {method} {address} needs {missing}")
    assert faults == []


@pytest.mark.long
def test_what_the_person_may_not_see_says_which_action_is_missing(visitor: Visitor) -> None:
    faults = []
    for page in PAGES.values():
        if missing := list_missing(page, visitor.rights):
            answer = ask(visitor, page, "999999")
            if answer.status_code != 403 or any(action not in answer.text for action in missing):
                faults.append(f"{page.method} {page.path}: {answer.status_code}")
    assert faults == []


@pytest.mark.long
def test_no_page_breaks_on_what_stands_in_its_address(visitor: Visitor) -> None:
    faults = []
    for page in PAGES.values():
        if list_missing(page, visitor.rights):
            continue
        for nothing in NOTHING[: size(3, len(NOTHING))] if page.parameters else NOTHING[:1]:
            answer = ask(visitor, page, nothing)
            if answer.status_code >= 500:
                faults.append(f"{page.method} {page.path} with {nothing}: {answer.status_code}")
    assert faults == []


def ask(visitor: Visitor, page: Page, value: str) -> Any:
    """Open the page, or send its form without fields. Every path parameter has this value."""
    path = page.path
    for name in page.parameters:
        path = path.replace("{" + name + "}", value)
    if page.method == "GET":
        return visitor.panel.http.get(f"/painel{path}")
    form = {"_csrf": visitor.secret}
    return visitor.panel.http.post(f"/painel{path}", data=form, headers={"Origin": visitor.panel.url})
