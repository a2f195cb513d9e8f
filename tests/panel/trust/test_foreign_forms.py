"""The panel refuses a form that no page of the session has contained, before it calls any service."""

from collections.abc import Iterator, Mapping

import httpx
import pytest

from balcao.panel.areas import PAGES
from tests.support.cuttable_connection import Line
from tests.support.panel import PanelClient
from tests.support.proof_sizes import one_of_each
from tests.support.sandbox import Sandbox

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# The logout belongs to no area, but it changes data too.
WRITES = {
    page.name: page.address(**dict.fromkeys(page.parameters, "999999"))
    for page in PAGES.values()
    if page.method == "POST"
}
WRITES |= {"login.leave": "/painel/sair"}
OF_EACH_AREA = one_of_each(lambda name: name.partition(".")[0], WRITES)
TRIED = [name if name in OF_EACH_AREA else pytest.param(name, marks=pytest.mark.long) for name in WRITES]


@pytest.fixture(scope="module")
def kleber(sandbox: Sandbox) -> Iterator[PanelClient]:
    """Yield a client of the administrator, who may open all pages. The client logs in once."""
    with PanelClient(sandbox.url) as opened:
        opened.login("kleber")
        yield opened


@pytest.fixture(scope="module")
def refused(kleber: PanelClient, sandbox: Sandbox) -> Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]]:
    """Return the fields and headers of foreign forms, by what is wrong with the form."""
    ours, here = {"_csrf": kleber.read_secret()}, {"Origin": sandbox.url}
    with PanelClient(sandbox.url) as other:
        other.login("ana")
        anas = {"_csrf": other.read_secret()}
    return {
        "no secret": ({"typed": "this"}, here),
        "an empty secret": ({"_csrf": ""}, here),
        "a guessed secret": ({"_csrf": "A" * 43}, here),
        "a secret beyond ASCII": ({"_csrf": "ç" * 43}, here),
        "another person's secret": (anas, here),
        "a foreign page": (ours, {"Origin": "https://mal.example"}),
        "the same host, another port": (ours, {"Origin": "http://127.0.0.1:1"}),
        "a page without an origin": (ours, {"Origin": "null"}),
        "another site": (ours, {"Sec-Fetch-Site": "cross-site"}),
        "another host of the site": (ours, {"Sec-Fetch-Site": "same-site"}),
        "no form": (ours, here | {"Content-Type": "text/plain"}),
        "a body of JSON": (ours, here | {"Content-Type": "application/json"}),
    }


@pytest.mark.parametrize("name", TRIED)
def test_it_is_refused_and_no_service_is_asked(
    kleber: PanelClient,
    line: Line,
    refused: Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]],
    name: str,
) -> None:
    before = len(line.calls)
    for wrong, (form, headers) in refused.items():
        answer = kleber.http.post(WRITES[name], content=str(httpx.QueryParams(form)), headers={**FORM, **headers})
        assert answer.status_code in {400, 403}, wrong
        assert answer.headers["cache-control"] == "no-store"
    assert line.calls[before:] == []
    assert kleber.http.get("/painel/conta").status_code == 200
