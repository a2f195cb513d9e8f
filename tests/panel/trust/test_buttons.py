"""The person who sees a button in the panel may press it, and no button breaks anything.

In a proof, each demo person has their own platform and presses all buttons. Otherwise, a few people press a random
sample on a shared platform.
"""

import random
from collections.abc import Iterator

import pytest

from balcao.panel.declaration import PREFIX
from balcao.settings import Settings
from balcao_sandbox.identity.demo import Person, people, people_by_login
from tests.support import databases
from tests.support.demo_people import CARLA
from tests.support.panel import PanelClient
from tests.support.panel_buttons import Kind, Presses, list_offers
from tests.support.panel_crawler import Crawl
from tests.support.proof_sizes import FULL, report
from tests.support.sandbox import EmbeddedTokens, Sandbox, running
from tests.support.server import UNLIMITED, free_port

# The people who have the most buttons, among those who cannot revoke each other's rights.
FEW = ["editora", "luiz", "gilda"]
CITIES = [[person] for person in people()] if FULL else [[people_by_login()[name] for name in FEW]]
SAMPLE = 10  # buttons for each person in an ordinary run
# Buttons on pages of this area may revoke rights, so they are pressed last.
RIGHTS = "access."


@pytest.fixture(scope="module", params=CITIES, ids=lambda city: "-".join(person.username for person in city))
def pressing(request: pytest.FixtureRequest) -> list[Person]:
    """Return the people who press buttons on one platform."""
    found: list[Person] = request.param
    return found


@pytest.fixture(scope="module")
def sandbox(pressing: list[Person], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), port=free_port(), refused_rate=UNLIMITED)
    name = databases.new_name()
    with running(settings, databases.create(name), EmbeddedTokens(settings.issuers[0])) as opened:
        yield opened
    databases.drop(name)


@pytest.mark.long
def test_every_button_that_is_shown_may_be_pressed(pressing: list[Person], sandbox: Sandbox) -> None:
    faults = []
    for person in pressing:
        with PanelClient(sandbox.url) as panel:
            panel.login(person.username)
            presses = Presses(panel)
            for kind, address in choose_buttons(panel):
                if kind not in presses.known:
                    presses.press_at(address, kind)
            faults += [pressed.fault for pressed in presses.pressed if pressed.fault]
            done = sum(pressed.is_done for pressed in presses.pressed)
            report(f"{person.username}: {len(presses.pressed)} kinds of buttons, {done} done")
    assert faults == []


def choose_buttons(panel: PanelClient) -> list[tuple[Kind, str]]:
    """Return each kind of button, with the address of a page that shows it.

    Kinds that revoke rights come last. Ordinary runs return only a random sample.
    """
    begin = panel.attend(CARLA).url.path if "/painel/atendimento" in panel.get(PREFIX).text else PREFIX
    shown: dict[Kind, str] = {}
    for seen in Crawl(panel, 1, begin).run().seen:
        for offer in list_offers(seen):
            shown.setdefault(offer.kind, seen.address)
    buttons = sorted(shown.items())
    if not FULL:
        return random.Random(47).sample(buttons, min(SAMPLE, len(buttons)))
    return sorted(buttons, key=lambda button: (button[0].page.startswith(RIGHTS), button))
