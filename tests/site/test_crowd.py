"""Many visitors who ask for pages that the site has never read, and those who read the usual pages meanwhile."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import httpx
import pytest

from balcao.web.page_limiter import SLOTS, SLOTS_OF_PERSON
from tests.site.test_pages import SERVICE
from tests.support.polling import until_now
from tests.support.service_relay import ServiceRelay
from tests.support.site import HTML, SiteClient

SEARCH, ONE = "/search/api/v1/search", "/search/api/v1/services/"
PEOPLE = 40
Ask = Callable[[str, str], "Future[httpx.Response]"]


@pytest.fixture
def crowd(open_apart: Callable[..., SiteClient], monkeypatch: pytest.MonkeyPatch) -> SiteClient:
    """Return a site behind a trusted gateway. Its calls have no time limit, because the relay holds them."""
    monkeypatch.setattr("balcao.site.reading.machine.READ_TIMEOUT", httpx.Timeout(60))
    return open_apart(trusted_proxies_csv="127.0.0.1")


@pytest.fixture
def ask(crowd: SiteClient, relay: ServiceRelay) -> Iterator[Ask]:
    """Yield a function that requests a page from an address. The requests run concurrently."""

    def request(path: str, address: str) -> httpx.Response:
        with httpx.Client(base_url=crowd.http.base_url, timeout=60) as http:
            return http.get(path, headers={**HTML, "X-Forwarded-For": address})

    with ThreadPoolExecutor(2 * PEOPLE) as pool:
        yield lambda path, address: pool.submit(request, path, address)
        relay.held.clear()


def test_people_who_search_for_different_words_take_turns_and_none_is_refused(ask: Ask, relay: ServiceRelay) -> None:
    relay.held.add(SEARCH)
    asked = [ask(f"/busca?q=palavra{number}", f"198.18.0.{number}") for number in range(PEOPLE)]
    until_now(lambda: relay.holding >= SLOTS)
    relay.held.clear()
    assert [one.result().status_code for one in asked] == [200] * PEOPLE
    assert relay.most_held == SLOTS


@pytest.mark.long
def test_one_address_leaves_turns_for_others(ask: Ask, relay: ServiceRelay) -> None:
    relay.held.add(SEARCH)
    flood = [ask(f"/busca?q=enxurrada{number}", "198.18.1.1") for number in range(PEOPLE)]
    until_now(lambda: relay.holding == SLOTS_OF_PERSON)
    other = ask("/busca?q=outra", "198.18.1.2")
    until_now(lambda: relay.holding == SLOTS_OF_PERSON + 1)
    relay.held.clear()
    assert {one.result().status_code for one in [*flood, other]} == {200}


@pytest.mark.long
def test_a_flood_of_invented_addresses_does_not_hold_up_the_usual_pages(
    crowd: SiteClient, ask: Ask, relay: ServiceRelay, pass_time: Callable[[float], None]
) -> None:
    usual = ["/", "/servicos", "/vagas", SERVICE]
    for path in usual:
        crowd.open(path)
    relay.held.add(f"{ONE}inventado")
    flood = [ask(f"/servicos/inventado-{number}", f"198.18.2.{number}") for number in range(PEOPLE)]
    until_now(lambda: relay.holding == SLOTS)
    for path in usual:
        crowd.open(path)  # from memory
    pass_time(301)
    renewed = relay.count(SERVICE.replace("/servicos/", ONE))
    for path in usual:
        crowd.open(path)
    assert relay.count(SERVICE.replace("/servicos/", ONE)) == renewed + 1
    assert not any(one.done() for one in flood)
    relay.held.clear()
    assert {one.result().status_code for one in flood} == {404}


def test_an_answer_that_takes_long_to_renew_is_shown_stale_with_its_time(
    crowd: SiteClient, relay: ServiceRelay, pass_time: Callable[[float], None]
) -> None:
    assert "Conferido" not in crowd.open(SERVICE).text
    pass_time(301)
    relay.held.add(ONE)
    late = crowd.open(SERVICE)
    assert "Conferido" in late.text
    assert late.answer.headers["cache-control"] == "public, max-age=5"
    relay.held.clear()
    until_now(lambda: "Conferido" not in crowd.open(SERVICE).text)


@pytest.mark.long
def test_a_crowd_that_waits_too_long_is_told_so_and_no_service_counts_as_down(
    ask: Ask, relay: ServiceRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("balcao.web.page_limiter.LONGEST_SECONDS", 0.2)
    relay.held.add(SEARCH)
    held = [ask(f"/busca?q=espera{number}", f"198.18.3.{number}") for number in range(SLOTS)]
    until_now(lambda: relay.holding == SLOTS)
    refused = ask("/busca?q=demais", "198.18.3.200").result()
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) > 0
    assert "Há muita gente no site agora" in refused.text
    assert "Desde" not in refused.text
    relay.held.clear()
    assert {one.result().status_code for one in held} == {200}
