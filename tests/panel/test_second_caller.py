"""The panel's largest forms and the operations' largest bodies do not delay a second caller."""

from collections.abc import Hashable, Iterator

import pytest

from balcao.core.http.forms import MEDIA_TYPE as FORM
from balcao.panel.areas import PAGES
from balcao.panel.declaration import PREFIX, Page
from balcao.settings import Settings
from tests.contract.large_calls import LargeCall, list_forms
from tests.contract.steps import StepMeter, find_delays, metered
from tests.support.panel import PanelClient
from tests.support.proof_sizes import FULL, one_of_each
from tests.support.sandbox import EmbeddedTokens, running
from tests.support.server import UNLIMITED, free_port

pytestmark = pytest.mark.long

POSTS = [page for page in PAGES.values() if page.method == "POST"]


def describe_kind(page: Page) -> Hashable:
    return page.body_limit


def name_page(page: Page) -> str:
    return page.name


TRIED: list[Page] = POSTS if FULL else one_of_each(describe_kind, POSTS)


@pytest.fixture(scope="module")
def meter() -> Iterator[StepMeter]:
    with metered() as found:
        yield found


@pytest.fixture(scope="module")
def kleber(meter: StepMeter, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PanelClient]:
    """Yield a client of the administrator. The platform runs on the event loop that is measured."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("panel"), port=free_port(), refused_rate=UNLIMITED)
    with running(settings, database_url, EmbeddedTokens(settings.issuers[0])) as opened:
        meter.calibrate(opened.url)
        with PanelClient(opened.url) as panel:
            panel.login("kleber")
            yield panel


@pytest.mark.parametrize("page", TRIED, ids=name_page)
def test_the_largest_form_of_a_page_keeps_no_second_caller_waiting(
    kleber: PanelClient, meter: StepMeter, page: Page
) -> None:
    def send(call: LargeCall) -> int:
        headers = {"Origin": kleber.url, "Sec-Fetch-Site": "same-origin", "Content-Type": FORM}
        return kleber.http.post(call.path, content=call.body, headers=headers).status_code

    kleber.get(PREFIX + page.path.format(**dict.fromkeys(page.parameters, "999999")))
    form = next((form for form in kleber.page.forms if form.method == "post" and "_csrf" in form.values), None)
    assert find_delays(meter, list_forms(page, form, kleber.read_secret()), send) == []
