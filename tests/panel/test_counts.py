"""The counts of waiting items in the navigation: who sees them, and when they are updated."""

import re
from collections.abc import Callable

import pytest

from balcao.panel.areas import AREAS, PAGES
from tests.panel.catalogue.conftest import Make, ask, make
from tests.support.panel import PanelClient
from tests.support.polling import until_now
from tests.support.sandbox import Sandbox

__all__ = ["ask", "make"]

ACCOUNT, QUEUE = "/painel/conta", "/painel/aprovacoes"
Sql = Callable[..., list[dict[str, object]]]


def read_counts(page: str) -> dict[str, int]:
    """Return the counts in the navigation, by the address of the navigation entry."""
    (navigation,) = re.findall(r'<nav class="nav".*?</nav>', page, re.DOTALL)
    found = re.findall(r'<a href="([^"]+)"[^>]*>[^<]*<span class="cnt">(\d+)', navigation)
    return {address: int(number) for address, number in found}


def waiting(panel: PanelClient, address: str = ACCOUNT) -> int:
    return read_counts(panel.get(address).text).get(QUEUE, 0)


@pytest.fixture
def before(sandbox: Sandbox) -> int:
    """Return the number of items that wait for approval before the test."""
    with PanelClient(sandbox.url) as other:
        return read_counts(other.login("kleber").text).get(QUEUE, 0)


def test_the_number_of_the_first_page_stands_on_every_page_and_is_said_in_words(
    panel: PanelClient, make: Make, before: int
) -> None:
    make(awaiting_approval=True), make(awaiting_approval=True)
    first = panel.login("kleber").text
    assert read_counts(first)[QUEUE] == before + 2
    assert read_counts(panel.get("/painel/servicos").text) == read_counts(first)
    assert f"{before + 2} esperam por você" in panel.page.text


def test_an_action_changes_the_number_of_the_next_page(panel: PanelClient, make: Make, before: int) -> None:
    made = [make(awaiting_approval=True), make(awaiting_approval=True)]
    panel.login("kleber")
    panel.get(f"{QUEUE}/{made[0]['id']}")
    form = next(form for form in panel.page.forms if form.action.endswith("/publicar"))
    answer = panel.post(form.action, form.values)
    assert read_counts(answer.text)[QUEUE] == before + 1


def test_what_comes_meanwhile_is_counted_behind_a_page_once_the_number_is_old(
    panel: PanelClient, make: Make, before: int, sql: Sql
) -> None:
    make(awaiting_approval=True)
    panel.login("kleber")
    make(awaiting_approval=True)
    assert waiting(panel) == before + 1
    sql("UPDATE panel.session SET counted_at = now() - interval '3 minutes'")
    assert waiting(panel) == before + 1
    until_now(lambda: waiting(panel) == before + 2)


def test_a_number_that_is_much_too_old_is_not_shown(panel: PanelClient, make: Make, before: int, sql: Sql) -> None:
    make(awaiting_approval=True)
    panel.login("kleber")
    sql("UPDATE panel.session SET counted_at = now() - interval '11 minutes'")
    assert waiting(panel) == 0
    until_now(lambda: waiting(panel) == before + 1)


def test_who_may_not_approve_sees_no_number_and_who_holds_other_rights_now_not_the_former_one(
    panel: PanelClient, make: Make, before: int, sandbox: Sandbox
) -> None:
    make(awaiting_approval=True)
    admin = {"Authorization": f"Bearer {sandbox.tokens.person('90000040126')}"}
    roles = "/access/api/v1/users/90000000175/roles"
    panel.login("ana")
    assert read_counts(panel.get(ACCOUNT).text) == {}
    given = ("busca:services:admin", "rmi:admin")
    try:
        sandbox.http.post(roles, json={"role_name": given[0]}, headers=admin).raise_for_status()
        assert waiting(panel, "/painel") == before + 1
        sandbox.http.post(roles, json={"role_name": given[1]}, headers=admin).raise_for_status()
        assert waiting(panel) == 0  # a change of rights discards the old count
        until_now(lambda: waiting(panel) == before + 1)
    finally:
        for role in given:
            sandbox.http.delete(f"{roles}/{role}", headers=admin)
    assert read_counts(panel.get(ACCOUNT).text) == {}


def test_every_number_stands_beside_an_entry_of_its_area() -> None:
    for area in AREAS:
        for part in area.waiting:
            if part.page:
                page = PAGES[f"GET {part.page}"]
                assert page.in_menu
                assert page.name.partition(".")[0] == area.key
