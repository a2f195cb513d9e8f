"""The sandbox's page for faults: a planted fault takes effect, and no other site can plant one."""

import re
from collections.abc import Iterator

import httpx
import pytest

from balcao_sandbox.crm import control, controls
from balcao_sandbox.crm.controls import PATH, PRESETS
from tests.support.crm import RunningCrm
from tests.support.polling import PATIENCE


@pytest.fixture
def page(crm: RunningCrm) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{crm.settings.crm_url}{PATH}", timeout=PATIENCE, follow_redirects=True) as opened:
        yield opened


def send(page: httpx.Client, path: str, **typed: str) -> httpx.Response:
    csrf = re.findall(r'name="csrf" value="([^"]+)"', page.get("").text)[0]
    return page.post(path, data={"csrf": csrf, **typed})


def list_faults(crm: RunningCrm) -> list[tuple[str, int | None]]:
    return [(fault["mode"], fault["times"]) for fault in crm.switch.get("/faults").json()]


@pytest.mark.parametrize("name", PRESETS)
def test_each_fault_is_planted_said_and_taken_away(page: httpx.Client, crm: RunningCrm, name: str) -> None:
    mode = PRESETS[name].fault.mode
    shown = send(page, "/fault", preset=name, times="5").raise_for_status()
    assert list_faults(crm) == [(mode, 5)]
    assert f"<code>{mode}</code>, ainda 5" in shown.text
    assert "Nenhuma falha em vigor" in send(page, "/clear").text
    assert list_faults(crm) == []


def test_a_fault_without_a_number_lasts_until_it_is_taken_away(page: httpx.Client, crm: RunningCrm) -> None:
    send(page, "/fault", preset="garbage", times="")
    assert list_faults(crm) == [("garbage", None)]
    send(page, "/reset")
    assert list_faults(crm) == []


@pytest.mark.parametrize(
    "typed", [{"preset": "nenhuma"}, {"preset": "garbage", "times": "0"}, {"preset": "garbage", "times": "muitas"}]
)
def test_what_the_page_does_not_offer_is_refused(page: httpx.Client, crm: RunningCrm, typed: dict[str, str]) -> None:
    assert send(page, "/fault", **typed).status_code == 400
    assert list_faults(crm) == []


@pytest.mark.parametrize("path", ["/fault", "/clear", "/reset"])
def test_another_site_cannot_send_a_form(page: httpx.Client, crm: RunningCrm, path: str) -> None:
    crm.faults({"mode": "garbage"})
    for forged in ({}, {"csrf": "x"}):
        assert page.post(path, data={"preset": "error", "times": "1", **forged}).status_code == 400
    assert list_faults(crm) == [("garbage", None)]


PATHS = [(method, path) for method, path, _ in (*control.ROUTES, *controls.ROUTES)]
FOREIGN = [
    {"Origin": "https://mal.example"},
    {"Origin": "http://localhost:3000"},
    {"Origin": "null"},
    {"Host": "mal.example"},
    {"Host": "mal.example:8081", "Origin": "http://mal.example:8081"},
    {"Host": "127.0.0.1.mal.example"},
    {"Host": "[::1].mal.example"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_no_control_address_obeys_a_page_of_another_site(crm: RunningCrm, headers: dict[str, str]) -> None:
    crm.faults({"mode": "garbage"})
    with httpx.Client(base_url=crm.settings.crm_url, timeout=PATIENCE) as browser:
        for method, path in PATHS:
            assert browser.request(method, path, headers=headers, content=b"[]").status_code == 403, path
    assert list_faults(crm) == [("garbage", None)]


def test_the_machine_has_several_names(crm: RunningCrm) -> None:
    port = crm.settings.crm_port
    for host in (f"localhost:{port}", "LOCALHOST", f"[::1]:{port}", f"127.0.0.1:{port}"):
        for headers in ({"Host": host}, {"Host": host, "Origin": f"http://{host}"}):
            assert crm.switch.get("/faults", headers=headers).status_code == 200
