"""The tasks of visitors with services, with the keyboard, in a Chromium without scripts, on the screen of a phone.

The tests of the other tasks are in `test_jobs_and_health_tasks.py`, `test_request_tasks.py` and `mine/test_tasks.py`.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.panel_browser import Screen
from tests.support.sandbox import Sandbox
from tests.support.task import Task
from tests.support.task_modes import TASK_WIDTHS

pytestmark = pytest.mark.page

IPTU = "Segunda via do carnê do imposto predial"


@pytest.fixture(params=TASK_WIDTHS)
def screen(request: pytest.FixtureRequest, screen_of: Callable[..., Screen]) -> Screen:
    return screen_of(request.param, java_script_enabled=False)


@pytest.fixture
def task(screen: Screen) -> Task:
    return Task(screen)


def test_task_1_the_result_says_what_the_second_copy_of_the_bill_costs(task: Task) -> None:
    task.search("segunda via do iptu")
    result = task.page.get_by_role("listitem").filter(has=task.page.get_by_role("link", name=IPTU))
    expect(result).to_contain_text("Gratuito")
    expect(result).to_contain_text("Na hora")
    expect(result).to_contain_text("Internet ou posto")
    task.require_steps(1)


def test_task_2_a_misspelt_search_finds_it_too(task: Task) -> None:
    task.search("imposto predal")
    expect(task.page.get_by_role("link", name="buscar por “imposto predal”")).to_be_visible()
    expect(task.page.get_by_role("link", name=IPTU)).to_be_visible()
    task.require_steps(1)


def test_task_3_what_does_not_exist_leads_to_subjects_and_the_telephone(task: Task) -> None:
    task.search("zzqxy wvutsr")
    expect(task.page.get_by_role("heading", name="Não achamos")).to_be_visible()
    expect(task.main.get_by_role("link", name="156")).to_be_visible()
    task.require_steps(1)


def test_task_4_the_printed_page_has_documents_places_and_telephone_but_no_menus(task: Task) -> None:
    task.search("vaga em creche")
    task.follow("Vaga em creche")
    expect(task.page.get_by_role("heading", level=1)).to_have_text("Vaga em creche")
    task.page.emulate_media(media="print")
    expect(task.page.get_by_role("heading", name="Separe os documentos")).to_be_visible()
    expect(task.page.get_by_role("heading", name="Onde pedir em pessoa")).to_be_visible()
    expect(task.page.get_by_role("contentinfo").get_by_text("156")).to_be_visible()
    expect(task.page.get_by_role("navigation", name="Principal")).to_be_hidden()
    expect(task.page.get_by_role("heading", name="Levar esta página")).to_be_hidden()
    task.require_steps(2)  # printing is the third


def test_task_5_one_page_has_all_services_for_a_small_business(task: Task) -> None:
    task.follow("Meu negócio", exact=False)
    expect(task.page.get_by_role("heading", level=1)).to_have_text("Meu negócio")
    for name in ("Formalização de microempreendedor individual", "Alvará de funcionamento para comércio"):
        service = task.main.get_by_role("listitem").filter(has=task.page.get_by_role("heading", name=name))
        expect(service).to_contain_text(re.compile(r"Gratuito|R\$"))
        expect(service).to_contain_text(re.compile("Na hora|Até "))
    expect(task.main).to_contain_text("Também chamado de: abrir MEI.")
    task.require_steps(1)


def test_task_6_a_service_is_sent_with_its_canonical_address(task: Task) -> None:
    task.follow(IPTU)
    expect(task.page.get_by_role("heading", level=1)).to_have_text(IPTU)
    canonical = task.page.locator("link[rel=canonical]").get_attribute("href")
    assert canonical is not None
    sent = task.page.get_by_role("link", name="Enviar por WhatsApp")
    task.keys.go_to(sent)
    expect(sent).to_have_attribute("href", "https://wa.me/?text=" + canonical.replace(":", "%3A").replace("/", "%2F"))
    task.require_steps(2)  # the link is the third


def test_task_7_a_bookmark_of_the_older_portal_leads_to_the_service_of_today(sandbox: Sandbox) -> None:
    token = {"Authorization": f"Bearer {sandbox.tokens.person('90000040126')}"}
    known = sandbox.http.get("/search/api/v1/admin/tombamentos", headers=token).json()["tombamentos"][0]
    old = sandbox.http.get(f"/servicos/antigo/{known['origem']}/{known['id_servico_antigo']}")
    assert old.status_code == 301
    assert old.headers["location"].startswith("/servicos/")
    assert sandbox.http.get(old.headers["location"]).status_code == 200
    by_id = sandbox.http.get(f"/servicos/id/{known['id_servico_novo']}")
    assert (by_id.status_code, by_id.headers["location"]) == (301, old.headers["location"])


def test_the_keyboard_reaches_the_search_by_the_third_link(screen: Screen) -> None:
    screen.page.goto("/")
    screen.page.keyboard.press("Tab")
    expect(screen.focused).to_have_text("Ir para o conteúdo [1]")
    for _ in range(2):
        screen.page.keyboard.press("Tab")
    screen.page.keyboard.press("Enter")
    screen.page.keyboard.press("Tab")
    assert screen.complaints == []
    assert screen.strangers == []
