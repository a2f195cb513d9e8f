"""Every page about one person shows that person's name and masked CPF, and the reason for reading the data."""

import re
from collections.abc import Iterator

import pytest

from balcao.panel.areas import AREAS
from balcao.panel.declaration import Page
from tests.support.demo_people import CARLA
from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox

# Pages that return a file, or that redirect to a page that is not about a person.
WITHOUT_PAGE = {"counter.take_copy", "privacy.take_copy", "counter.end"}
PAGES = [
    page
    for area in AREAS
    for page in area.pages.declared
    if "attendance" in page.parameters and page.name not in WITHOUT_PAGE
]
SHOWN = ("Carla Nogueira", "***.000.003-**", "Andamento de um chamado: senha 47")


@pytest.fixture(scope="module")
def attendant(sandbox: Sandbox) -> Iterator[PanelClient]:
    """Yield a client of an administrator, who may open every page.

    The administrator has started an attendance of Carla.
    """
    with PanelClient(sandbox.url) as opened:
        opened.login("kleber")
        opened.attend(CARLA)
        yield opened


def read_number(attendant: PanelClient) -> str:
    link = next(link for link in attendant.page.links if re.fullmatch(r"/painel/atendimento/\d+", link))
    return link.rpartition("/")[2]


@pytest.fixture(scope="module")
def number(attendant: PanelClient) -> str:
    return read_number(attendant)


def read_band(text: str) -> str:
    """Return the part of a page that shows whose data the page contains. This part must come before the heading."""
    (band,) = re.findall(r'<section class="whose".*?</section>', text, re.DOTALL)
    assert text.index(band) < text.index("<h1")
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", band))


@pytest.fixture(scope="module")
def request_number(attendant: PanelClient, number: str) -> str:
    """Return the number of one of Carla's requests."""
    attendant.get(f"/painel/atendimento/{number}/pedidos")
    return next(link for link in attendant.page.links if "/pedidos/PED-" in link).rpartition("/")[2]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.method} {page.path}")
def test_every_page_of_an_attendance_says_whose_it_is_and_why(
    attendant: PanelClient, number: str, request_number: str, page: Page
) -> None:
    address = page.address(attendance=number, number=request_number, kind="lampada_apagada")
    values = {"_csrf": attendant.read_secret()}
    answer = attendant.get(address) if page.method == "GET" else attendant.post(address, values)
    band = read_band(answer.text)
    assert [part for part in SHOWN if part not in band] == []
    assert CARLA not in answer.text


def test_the_trail_of_one_person_says_whose_it_is(attendant: PanelClient, number: str) -> None:
    band = read_band(attendant.get(f"/painel/dados/trilha?atendimento={number}").text)
    assert [part for part in SHOWN if part not in band] == []


def test_a_page_about_nobody_in_particular_names_nobody(attendant: PanelClient, number: str) -> None:
    assert 'class="whose"' not in attendant.get("/painel/telefones").text


def test_every_page_shows_the_name_that_the_record_shows(panel: PanelClient) -> None:
    panel.login("luiz")
    panel.attend("90000000256")
    name = panel.page.heading.strip()
    assert name in read_band(panel.get(f"/painel/atendimento/{read_number(panel)}/bens").text)


def test_open_attendances_are_listed_and_lead_back(panel: PanelClient) -> None:
    panel.login("luiz")
    panel.attend(CARLA)
    opened = f"/painel/atendimento/{read_number(panel)}"
    for path in ("/painel/atendimento", "/painel"):
        page = panel.get(path)
        assert opened in panel.page.links, path
        assert "Carla Nogueira" in page.text
        assert "***.000.003-**" in page.text
    panel.get(opened)
    panel.submit(opened, action=f"{opened}/encerrar")
    panel.get("/painel/atendimento")
    assert opened not in panel.page.links


def test_another_session_sees_none_of_them(panel: PanelClient, attendant: PanelClient, number: str) -> None:
    panel.login("luiz")
    assert "Carla Nogueira" not in panel.get("/painel/atendimento").text
    assert panel.get(f"/painel/atendimento/{number}/bens").status_code == 404


def test_a_receipt_of_an_anonymisation_names_the_person_and_the_day(panel: PanelClient) -> None:
    panel.login("debora")
    panel.submit("/painel/dados/titular", cpf="90000000507", reason="Pedido do titular dos dados")
    number = next(link for link in panel.page.links if "anonimizacao" in link).rpartition("/")[2]
    address = f"/painel/dados/anonimizacao/{number}"
    name = re.search(r"<b>(.*?)</b>", panel.get(address).text.partition('class="whose"')[2])
    assert name is not None
    panel.post(address, panel.find_form(address).values)
    rehearsed = panel.find_form(address).values
    receipt = panel.post(address, rehearsed | {"word": "APAGAR"}).text
    part = re.sub("<[^>]*>", " ", receipt.partition('class="receipt')[2])
    assert name[1] in part
    assert "***.000.005-**" in part
    assert "Pedido do titular dos dados" in part
    assert "hoje" not in part
    assert re.search(r"\d{1,2} de \w+ de 20\d\d, às \d\d:\d\d", part)
