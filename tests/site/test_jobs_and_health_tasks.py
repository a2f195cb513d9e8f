"""The tasks of visitors with jobs and health units, with the keyboard, in a browser without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.panel_browser import Screen
from tests.support.proof_sizes import choose_looks
from tests.support.task import Task
from tests.support.task_modes import TASK_WIDTHS

pytestmark = [pytest.mark.page, pytest.mark.long]

JOB, COMPANY = "/vagas/confeiteiro-49c67c23c0e7", "/vagas/empresa/90000001000129"
UNIT, RED_UNIT = "/saude/unidades/9900001", "/saude/unidades/9900004"
# The pages of jobs, health and help in different states, and the first page, which shows jobs and units.
ADDRESSES = [
    "/", "/vagas", "/vagas?q=astronauta", "/vagas?bairro=Farol&modelo=remoto&pcd=so", JOB, COMPANY,
    "/vagas/recepcionista-bilingue-05317791f5bc", "/saude/unidades", "/saude/unidades?tipo=urgencia&quando=agora",
    "/saude/unidades?cor=vermelho&tipo=urgencia", "/saude/unidades?perto=Centro&quando=sabado", UNIT, RED_UNIT,
    "/saude/cores", "/ajuda", "/acessibilidade", "/acessibilidade?guardado=sim", "/privacidade",
]  # fmt: skip


@pytest.fixture(params=TASK_WIDTHS)
def task(request: pytest.FixtureRequest, screen_of: Callable[..., Screen]) -> Task:
    return Task(screen_of(request.param, java_script_enabled=False))


def open_filters(task: Task, name: str) -> None:
    """Show the filters. They are collapsed on a phone."""
    summary = task.page.locator("summary", has_text=name)
    expect(summary).to_be_attached()
    if summary.locator("xpath=..").get_attribute("open") is None:
        task.keys.press(summary)


def select(task: Task, label: str, option: str) -> None:
    task.keys.select(task.page.get_by_label(label, exact=True), option)


def test_task_8_bruno_finds_a_job_in_farol(task: Task) -> None:
    task.follow_menu("Vagas")
    open_filters(task, "Filtrar")
    task.fill("Bairro", "Farol")
    task.press("Aplicar filtros")
    jobs = task.main.get_by_role("listitem").filter(has=task.page.get_by_role("heading"))
    expect(jobs).to_have_count(2)
    for job in jobs.all():
        expect(job).to_contain_text("Farol")
        expect(job).to_contain_text("R$ ")
        expect(job).to_contain_text("até ")
    task.require_steps(2)


def test_task_9_elisa_finds_a_job_for_people_with_disabilities_from_home(task: Task) -> None:
    task.follow_menu("Vagas")
    open_filters(task, "Filtrar")
    select(task, "Como é o trabalho", "A distância")
    select(task, "Pessoas com deficiência", "Só para pessoas com deficiência")
    task.press("Aplicar filtros")
    expect(task.page.get_by_role("heading", name="Assistente")).to_be_visible()
    expect(task.main).to_contain_text("Estúdio Digital Maré")
    task.require_steps(2)


def test_task_16_rui_finds_which_yellow_units_near_him_open_on_saturday(task: Task) -> None:
    task.follow_menu("Saúde")
    open_filters(task, "Dia, tipo e cor")
    select(task, "Perto de qual bairro?", "Vila Nova")
    select(task, "Quando", "No sábado")
    select(task, "Cor", "Amarelo")
    last = task.page.get_by_label("Cor", exact=True).bounding_box()
    button = task.page.get_by_role("button", name="Mostrar").bounding_box()
    assert last
    assert button
    assert button["y"] > last["y"]
    task.press("Mostrar")
    expect(task.main.get_by_role("heading", level=2).first).to_contain_text("com atendimento no sábado")
    # This clinic opens on every Saturday, also on a holiday.
    name = "Clínica da Família Estação das Águas"
    unit = task.main.get_by_role("listitem").filter(has=task.page.get_by_role("heading", name=name))
    expect(unit).to_contain_text("Amarelo: sem visitas em casa")
    expect(unit).to_contain_text("Sábado, ")
    expect(unit).to_contain_text(": 8h às 12h")
    expect(unit.get_by_role("link", name="(21) 2222-0002")).to_be_visible()
    expect(unit).to_contain_text("a uns ")
    expect(task.main).not_to_contain_text("Verde: tudo normal")
    task.require_steps(2)


def test_task_17_lin_finds_the_nearest_emergency_unit_that_is_open_now(task: Task) -> None:
    task.follow("Urgência: abertas agora")
    select(task, "Perto de qual bairro?", "Centro")
    task.press("Mostrar")
    first = task.main.locator("ol > li").first
    expect(first.get_by_role("heading")).to_have_text("UPA 24h do Canal")
    expect(first).to_contain_text("Aberta 24 horas")
    expect(first).to_contain_text("Avenida do Canal, 1800")
    expect(first).to_contain_text("a uns ")
    expect(task.main.get_by_role("link", name="192")).to_be_visible()
    if task.is_narrow:
        # The filters do not push the answer below the screen.
        expect(task.page.get_by_label("Cor", exact=True)).to_be_hidden()
        expect(task.main.get_by_role("heading", level=2).first).to_be_in_viewport()
    task.require_steps(2)


def test_otavio_makes_the_letters_larger_on_every_page(task: Task) -> None:
    page = task.page

    def measure() -> float:
        box = page.get_by_role("navigation", name="Principal").get_by_role("link", name="Vagas").bounding_box()
        assert box is not None
        return box["height"]

    before = measure()
    task.keys.press(page.get_by_role("contentinfo").get_by_role("link", name="Acessibilidade e aparência"))
    task.keys.set_checked(page.get_by_label("Muito maiores"), True)
    task.press("Guardar")
    expect(page.get_by_role("status")).to_contain_text("Pronto.")
    expect(page.get_by_label("Muito maiores")).to_be_checked()
    task.follow_menu("Vagas")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Vagas")
    assert measure() > before * 1.3


@pytest.mark.node
@pytest.mark.parametrize(("width", "scheme"), choose_looks(1280, 360))
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
