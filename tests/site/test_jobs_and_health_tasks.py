"""People find a job or a health unit in a browser without scripts, in few steps.

Each page load and each submitted form is a step.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.panel_browser import Screen
from tests.support.proof_sizes import FULL

pytestmark = [pytest.mark.page]

WIDTHS = (1280, 360)
JOB, COMPANY = "/vagas/confeiteiro-49c67c23c0e7", "/vagas/empresa/90000001000129"
UNIT, RED_UNIT = "/saude/unidades/9900001", "/saude/unidades/9900004"
# The pages of jobs, health and help in different states, and the first page, which shows jobs and units.
ADDRESSES = [
    "/", "/vagas", "/vagas?q=astronauta", "/vagas?bairro=Farol&modelo=remoto&pcd=so", JOB, COMPANY,
    "/vagas/recepcionista-bilingue-05317791f5bc", "/saude/unidades", "/saude/unidades?tipo=urgencia&quando=agora",
    "/saude/unidades?cor=vermelho&tipo=urgencia", "/saude/unidades?perto=Centro&quando=sabado", UNIT, RED_UNIT,
    "/saude/cores", "/ajuda", "/acessibilidade", "/acessibilidade?guardado=sim", "/privacidade",
]  # fmt: skip


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, screen_of: Callable[..., Screen]) -> Page:
    opened = screen_of(request.param, java_script_enabled=False).page
    opened.goto("/")
    return opened


def press(page: Page, name: str) -> None:
    """Submit a form with the keyboard."""
    page.get_by_role("button", name=name, exact=True).first.press("Enter")
    page.wait_for_load_state()


def follow(page: Page, name: str) -> None:
    """Follow a link with the keyboard."""
    page.get_by_role("link", name=name, exact=True).first.press("Enter")
    page.wait_for_load_state()


def open_filters(page: Page, name: str) -> None:
    """Show the filters. They are collapsed on a phone."""
    summary = page.locator("summary", has_text=name)
    if summary.locator("xpath=..").get_attribute("open") is None:
        summary.click()


def test_bruno_finds_a_job_in_farol_in_two_steps(page: Page) -> None:
    follow(page, "Vagas")
    open_filters(page, "Filtrar")
    page.get_by_label("Bairro", exact=True).fill("Farol")
    press(page, "Aplicar filtros")
    jobs = page.get_by_role("main").get_by_role("listitem").filter(has=page.get_by_role("heading"))
    expect(jobs).to_have_count(2)
    for job in jobs.all():
        expect(job).to_contain_text("Farol")
        expect(job).to_contain_text("R$ ")
        expect(job).to_contain_text("até ")


def test_elisa_finds_a_job_for_people_with_disabilities_from_home_in_two_steps(page: Page) -> None:
    follow(page, "Vagas")
    open_filters(page, "Filtrar")
    page.get_by_label("Como é o trabalho").select_option("A distância")
    page.get_by_label("Pessoas com deficiência").select_option("Só para pessoas com deficiência")
    press(page, "Aplicar filtros")
    expect(page.get_by_role("heading", name="Assistente")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Estúdio Digital Maré")


def test_rui_finds_which_units_near_him_open_on_saturday_and_their_colours_in_two_steps(page: Page) -> None:
    follow(page, "Saúde")
    open_filters(page, "Dia, tipo e cor")
    page.get_by_label("Perto de qual bairro?").select_option("Vila Nova")
    page.get_by_label("Quando").select_option("No sábado")
    page.get_by_label("Cor", exact=True).select_option("Verde")
    press(page, "Mostrar")
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", level=2).first).to_contain_text("que abrem no sábado")
    # The emergency units are open on every Saturday, also on a holiday.
    unit = main.get_by_role("listitem").filter(has=page.get_by_role("heading", name="UPA 24h Estrada Velha"))
    expect(unit).to_contain_text("Verde: tudo normal")
    expect(unit).to_contain_text("Sábado, ")
    expect(unit).to_contain_text(": 24 horas")
    expect(unit.get_by_role("link", name="(21) 2222-2345")).to_be_visible()
    expect(unit).to_contain_text("a uns ")
    expect(main).not_to_contain_text("Amarelo: sem visitas em casa")


def test_lin_finds_the_nearest_emergency_unit_that_is_open_now_in_two_steps(page: Page) -> None:
    follow(page, "Urgência: abertas agora")
    page.get_by_label("Perto de qual bairro?").select_option("Centro")
    press(page, "Mostrar")
    first = page.get_by_role("main").locator("ol > li").first
    expect(first.get_by_role("heading")).to_have_text("UPA 24h do Canal")
    expect(first).to_contain_text("Aberta 24 horas")
    expect(first).to_contain_text("Avenida do Canal, 1800")
    expect(first).to_contain_text("a uns ")
    expect(page.get_by_role("main").get_by_role("link", name="192")).to_be_visible()


def test_otavio_makes_the_letters_larger_on_every_page(page: Page) -> None:
    def measure() -> float:
        box = page.get_by_role("navigation", name="Principal").get_by_role("link", name="Vagas").bounding_box()
        assert box is not None
        return box["height"]

    before = measure()
    follow(page, "Acessibilidade e aparência")
    page.get_by_label("Muito maiores").check()
    press(page, "Guardar")
    expect(page.get_by_role("status")).to_contain_text("Pronto.")
    expect(page.get_by_label("Muito maiores")).to_be_checked()
    follow(page, "Início" if page.get_by_role("link", name="Início").count() else "Vagas")
    assert measure() > before * 1.3


LOOKS = [(width, scheme) for width in WIDTHS for scheme in ("light", "dark")]


@pytest.mark.node
@pytest.mark.parametrize(("width", "scheme"), LOOKS if FULL else [(1280, "light"), (360, "dark")])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    screen_of: Callable[..., Screen], width: int, scheme: str
) -> None:
    screen = screen_of(width, color_scheme=scheme)
    for address in ADDRESSES:
        screen.open(address)
        assert screen.axe() == [], address
        assert screen.wider_than_the_screen() == [], address
    assert screen.complaints == []
    assert screen.strangers == []


@pytest.mark.node
def test_the_largest_letters_fit_the_smallest_screen(screen_of: Callable[..., Screen], address: str) -> None:
    screen = screen_of(320)
    screen.page.context.add_cookies([{"name": "aparencia", "value": ".enorme", "url": address}])
    for path in ADDRESSES:
        screen.open(path)
        assert screen.wider_than_the_screen() == [], path
