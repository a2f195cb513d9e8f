"""The tasks of visitors with services, in a Chromium without scripts, at 1280 and 360 pixels."""

import pytest
from playwright.sync_api import expect

from tests.support.panel_browser import Screen
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.page

IPTU = "Segunda via do carnê do imposto predial"


def look_for(screen: Screen, text: str) -> None:
    screen.page.get_by_role("searchbox").fill(text)
    screen.page.get_by_role("searchbox").press("Enter")


def test_task_1_the_result_says_what_the_second_copy_of_the_bill_costs(screen: Screen) -> None:
    look_for(screen, "segunda via do iptu")
    result = screen.page.get_by_role("listitem").filter(has=screen.page.get_by_role("link", name=IPTU))
    expect(result).to_contain_text("Gratuito")
    expect(result).to_contain_text("Até 10 dias úteis")
    expect(result).to_contain_text("Internet ou posto")


def test_task_2_a_misspelt_search_finds_it_too(screen: Screen) -> None:
    look_for(screen, "imposto predal")
    expect(screen.page.get_by_role("link", name=IPTU)).to_be_visible()
    expect(screen.page.get_by_role("link", name="buscar por “imposto predal”")).to_be_visible()


def test_task_3_what_does_not_exist_leads_to_subjects_and_the_telephone(screen: Screen) -> None:
    look_for(screen, "zzqxy wvutsr")
    expect(screen.page.get_by_role("heading", name="Não achamos")).to_be_visible()
    expect(screen.page.get_by_role("main").get_by_role("link", name="156")).to_be_visible()


def test_task_4_the_printed_page_has_documents_places_and_telephone_but_no_menus(screen: Screen) -> None:
    look_for(screen, "vaga em creche")
    screen.page.get_by_role("link", name="Vaga em creche", exact=True).click()
    screen.page.emulate_media(media="print")
    expect(screen.page.get_by_role("heading", name="Separe os documentos")).to_be_visible()
    expect(screen.page.get_by_role("heading", name="Onde pedir em pessoa")).to_be_visible()
    expect(screen.page.get_by_role("contentinfo").get_by_text("156")).to_be_visible()
    expect(screen.page.get_by_role("navigation", name="Principal")).to_be_hidden()
    expect(screen.page.get_by_role("heading", name="Levar esta página")).to_be_hidden()


def test_task_5_one_page_has_all_services_for_a_small_business(screen: Screen) -> None:
    screen.page.get_by_role("link", name="Meu negócio").click()
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Meu negócio")
    expect(screen.page.get_by_role("main").get_by_role("heading", level=3)).to_have_count(10)


def test_task_6_a_service_is_sent_with_its_canonical_address(screen: Screen) -> None:
    screen.page.get_by_role("link", name=IPTU).click()
    canonical = screen.page.locator("link[rel=canonical]").get_attribute("href")
    assert canonical is not None
    sent = screen.page.get_by_role("link", name="Enviar por WhatsApp").get_attribute("href")
    assert sent == "https://wa.me/?text=" + canonical.replace(":", "%3A").replace("/", "%2F")


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
    screen.page.keyboard.press("Tab")
    expect(screen.focused).to_have_text("Ir para o conteúdo [1]")
    for _ in range(2):
        screen.page.keyboard.press("Tab")
    screen.page.keyboard.press("Enter")
    screen.page.keyboard.press("Tab")
    assert screen.complaints == []
    assert screen.strangers == []
