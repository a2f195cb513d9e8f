"""The caches of browsers and of the site, and what a flood of requests for different addresses costs."""

import asyncio
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.site.reading.cache import ENTRY_BYTES, AnswerCache, Entry
from balcao.site.reading.flights import Flights
from tests.site.test_pages import SERVICE
from tests.support.service_relay import ServiceRelay
from tests.support.site import SiteClient

FIRST_LOAD, FIRST_LOAD_PACKED, LATER, STYLE = 60_000, 20_000, 15_000, 20_000
UNITS = [
    "",
    "?perto=Farol",
    "?perto=Centro&quando=sabado",
    "?cor=verde&pagina=2",
    "?perto=Santa+Rita+do+Vale&quando=amanha",
]


# ---- browsers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "seconds"), [("/", 60), (SERVICE, 60), ("/busca?q=creche", 30), ("/orgaos", 300)])
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_a_page_has_a_strong_tag_in_each_encoding_and_answers_304(
    site: SiteClient, path: str, seconds: int, encoding: str
) -> None:
    first = site.get(path, Accept_Encoding=encoding)
    assert first.headers["cache-control"] == f"public, max-age={seconds}"
    assert first.headers["vary"].split(", ")[:2] == ["Cookie", "Accept-Encoding"]
    assert first.headers.get("content-encoding", "identity") == encoding
    assert re.fullmatch(r'"[0-9a-f]+"', first.headers["etag"])
    again = site.get(path, Accept_Encoding=encoding, If_None_Match=first.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    other = "identity" if encoding == "gzip" else "gzip"
    assert site.get(path, Accept_Encoding=other, If_None_Match=first.headers["etag"]).status_code == 200


def test_the_first_load_is_light_and_asks_no_other_host(site: SiteClient) -> None:
    later = [SERVICE, "/servicos", "/busca?q=imposto", *(f"/saude/unidades{query}" for query in UNITS)]
    for path, limit in {"/": FIRST_LOAD, **dict.fromkeys(later, LATER)}.items():
        page = site.get(path, Accept_Encoding="identity").text
        assert len(page.encode()) <= limit, path
        assert not re.findall(r'(?:src|<link[^>]*rel="(?:stylesheet|icon)"[^>]*href)="(?:https?:)?//', page)
    home = site.get("/").text
    style = re.search(r'href="(/recursos/site[^"]*\.css)"', home)
    assert style
    sheet = site.get(style[1]).text
    files = set(re.findall(r"/recursos/[\w.-]+", home)) | {
        f"/recursos/{name}" for name in re.findall(r"url\(([\w.-]+)\)", sheet)
    }
    assert len(files) + 1 <= 6
    assert len(sheet.encode()) <= STYLE
    plain = [site.get(path, Accept_Encoding="identity") for path in ("/", *files)]
    assert sum(len(one.content) for one in plain) <= FIRST_LOAD
    assert all("immutable" in one.headers["cache-control"] for one in plain[1:])
    with site.http.stream("GET", "/", headers={"Accept-Encoding": "gzip"}) as answer:
        packed = sum(map(len, answer.iter_raw()))
    assert packed <= FIRST_LOAD_PACKED / 3


def test_pages_forbid_scripts_and_other_hosts(site: SiteClient) -> None:
    headers = site.get("/").headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; "
        "base-uri 'none'"
    )
    assert headers["referrer-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"


# ---- the site's own cache -------------------------------------------------------------------------------------------


def test_a_page_that_is_asked_for_again_costs_no_call(apart: SiteClient, relay: ServiceRelay) -> None:
    for _ in range(5):
        apart.open(SERVICE)
        apart.open("/servicos/assunto/saude")
    assert relay.count("/search/api/v1/services/") == 1
    assert relay.count("/search/api/v1/catalog/services") <= 4  # each page of the list is read once
    assert relay.count("/registry/v1/departments/tree") == 1


def test_an_invented_address_is_asked_about_once_in_a_while(apart: SiteClient, relay: ServiceRelay) -> None:
    for _ in range(5):
        apart.open("/servicos/um-servico-inventado", 404)
        apart.open("/servicos/Nem_Isto!", 404)
        apart.open("/servicos/id/nem-isto", 404)
    assert relay.count("/search/api/v1/services/um-servico-inventado") < 5
    assert relay.count("/search/api/v1/services/Nem") == relay.count("/search/api/v1/search/nem") == 0


def test_an_outage_is_asked_about_once_in_a_while_and_not_by_every_visitor(
    apart: SiteClient, relay: ServiceRelay
) -> None:
    relay.down |= {"search"}
    for _ in range(10):
        apart.open("/busca?q=creche", 503)
    assert relay.count("/search/api/v1/search") < 10


def test_an_address_may_cause_only_so_many_calls_and_still_read_what_is_known(
    open_apart: Callable[..., SiteClient], relay: ServiceRelay
) -> None:
    apart = open_apart(site_read_rate="20/minute")
    apart.open(SERVICE)
    answers = [apart.get(f"/busca?q=palavra{number}") for number in range(40)]
    assert {answer.status_code for answer in answers} == {200, 429}
    refused = answers[-1]
    assert int(refused.headers["retry-after"]) > 0
    assert re.search(r"Espere \d+ segundos? e tente de novo", refused.text)
    assert relay.count("/search/api/v1/search") <= 20
    assert apart.open(SERVICE).status == 200


def test_an_address_may_open_only_so_many_pages(open_apart: Callable[..., SiteClient]) -> None:
    apart = open_apart(site_page_rate="5/minute")
    answers = [apart.get("/robots.txt") for _ in range(8)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 3


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3_000)), max_size=60))
def test_the_store_never_exceeds_its_limit_and_keeps_what_was_used_last(puts: list[tuple[int, int]]) -> None:
    limit = 20_000
    cache = AnswerCache(limit)
    for key, size in puts:
        cache.put(key, Entry(key, "", 0.0, 0.0, size))
        assert cache.size <= limit
        stored = cache.get(key)
        assert (stored is not None) == (size + ENTRY_BYTES <= limit // 8)
    for key, _ in puts:
        cache.drop(key)
    assert (cache.size, len(cache)) == (0, 0)


async def test_callers_share_one_flight_and_one_who_leaves_does_not_cancel_it() -> None:
    flights: Flights[int] = Flights()
    started, release = [], asyncio.Event()

    async def work() -> int:
        started.append(1)
        await release.wait()
        return 7

    leaving = asyncio.ensure_future(flights.join("a", work))
    waiting = [asyncio.ensure_future(flights.join("a", work)) for _ in range(5)]
    await asyncio.sleep(0)
    leaving.cancel()
    release.set()
    assert await asyncio.gather(*waiting) == [7] * 5
    assert len(started) == 1
    assert not flights.is_running("a")
