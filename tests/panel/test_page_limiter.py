"""Under load, the panel processes only a few pages at a time, and people take turns. A refused form keeps its text."""

import asyncio
from collections.abc import Iterator

import pytest

from balcao.settings import Settings
from balcao.web import page_limiter
from balcao.web.faults import PageFault
from balcao.web.page_limiter import SLOTS, SLOTS_OF_PERSON, PageLimiter
from tests.support.panel import PanelClient
from tests.support.sandbox import EmbeddedTokens, Sandbox, running

GROUP = "/painel/acessos/grupos/novo"


class Pages:
    """Pages that stay in progress until `let_go` is set.

    `most` is the largest number that were in progress at one time.
    """

    def __init__(self) -> None:
        self.limiter, self.under_way, self.most, self.let_go = PageLimiter(), 0, 0, asyncio.Event()

    async def make(self, person: bytes) -> None:
        async with self.limiter.acquire(person):
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await self.let_go.wait()
            self.under_way -= 1


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_of_two_hundred_people_a_few_are_served_at_a_time_and_everybody_in_the_end() -> None:
    pages = Pages()
    made = [asyncio.create_task(pages.make(b"%d" % number)) for number in range(200)]
    await settle()
    assert pages.under_way == SLOTS
    pages.let_go.set()
    await asyncio.gather(*made)
    assert pages.most == SLOTS


async def test_who_asks_for_a_hundred_pages_leaves_room_for_others() -> None:
    pages = Pages()
    flood = [asyncio.create_task(pages.make(b"one")) for _ in range(100)]
    await settle()
    assert pages.under_way == SLOTS_OF_PERSON
    other = asyncio.create_task(pages.make(b"another"))
    await settle()
    assert pages.under_way == SLOTS_OF_PERSON + 1
    pages.let_go.set()
    await asyncio.gather(*flood, other)


async def test_who_waits_too_long_is_told_when_to_come_again_and_takes_no_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_limiter, "LONGEST_SECONDS", 0.0)
    pages = Pages()
    made = [asyncio.create_task(pages.make(b"%d" % number)) for number in range(SLOTS)]
    await settle()
    with pytest.raises(PageFault) as refused:
        await pages.make(b"0")
    assert (refused.value.status, refused.value.retry_after) == (503, 5)
    pages.let_go.set()
    await asyncio.gather(*made)
    await asyncio.gather(*(pages.make(b"0") for _ in range(SLOTS_OF_PERSON)))


@pytest.fixture(scope="module")
def sandbox(settings: Settings, database_url: str) -> Iterator[Sandbox]:
    """Yield a platform whose panel has no free slot for a page and queues no requests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_limiter, "SLOTS", 0)
        patch.setattr(page_limiter, "LONGEST_SECONDS", 0.0)
        with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
            yield opened


@pytest.mark.long
def test_a_form_that_is_sent_into_a_crowd_stays_on_the_page_that_says_so(panel: PanelClient) -> None:
    answer = panel.login("kleber")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert panel.page.heading == "Muita gente ao mesmo tempo"
    assert "A sua página não ficou pronta a tempo. Nada foi gravado" in panel.page.text
    secret = panel.find_form("/painel/sair").values["_csrf"]
    answer = panel.post(GROUP, {"_csrf": secret, "name": "prova:fila", "description": "Da “prova” <b>"})
    assert answer.status_code == 503
    assert "não se perdeu" in panel.page.text
    assert panel.find_form(GROUP).values["description"] == "Da “prova” <b>"
