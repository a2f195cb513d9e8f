"""The question whether a page has helped, and searches from which a result is opened."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import expect

from tests.site.test_pages import SERVICE
from tests.support.fixture_types import Sql
from tests.support.panel_browser import Screen
from tests.support.service_relay import ServiceRelay
from tests.support.site import HTML, SiteClient, SitePage
from tests.support.task_modes import TASK_WIDTHS

PAGE = f"{SERVICE}/opiniao"
COUNTS = (
    "SELECT coalesce(sum(helpful), 0) AS yes, coalesce(sum(not_helpful), 0) AS no FROM search.service_feedback_days"
)
COMMENTS = "SELECT comment FROM search.service_feedback WHERE comment = $1"


def send(site: SiteClient, **fields: str) -> httpx.Response:
    return site.http.post(PAGE, data=fields, headers=HTML)


def count(sql: Sql) -> tuple[int, int]:
    (row,) = sql(COUNTS)
    return row["yes"], row["no"]


def test_one_press_says_that_a_page_helped(site: SiteClient, sql: Sql) -> None:
    assert f'action="{PAGE}"' in site.get(SERVICE).text
    yes, no = count(sql)
    answer = send(site, helpful="sim")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PAGE}?guardada=sim")
    assert "set-cookie" not in answer.headers
    assert send(site, helpful="nao").status_code == 303
    assert count(sql) == (yes + 1, no + 1)
    thanks = site.open(f"{PAGE}?guardada=sim")
    assert thanks.heading == "Obrigado pela resposta"
    assert thanks.follow("Voltar ao serviço") == SERVICE
    assert "noindex" in thanks.metas["robots"]


def test_a_comment_is_stored_and_one_that_is_refused_stays_in_the_form(site: SiteClient, sql: Sql) -> None:
    counted = count(sql)
    for fields, said in [
        ({"helpful": "nao", "comment": "Meu CPF é 900.000.001-75"}, "CPF"),
        ({"helpful": "nao", "comment": "ç" * 301}, "300"),
        ({"comment": "Falta o horário."}, "Escolha sim ou não."),
        ({"helpful": "talvez", "comment": "Falta o horário."}, "Escolha sim ou não."),
    ]:
        answer = send(site, **fields)
        page = SitePage(answer)
        assert answer.status_code == 422, fields
        assert said in page.text
        assert fields["comment"] in page.text
        assert page.title.startswith("Erro")
    assert count(sql) == counted
    assert send(site, helpful="nao", comment="Não diz onde entregar.").status_code == 303
    assert len(sql(COMMENTS, "Não diz onde entregar.")) == 1


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://outro.example"}])
def test_a_form_of_another_site_is_refused(site: SiteClient, sql: Sql, headers: dict[str, str]) -> None:
    counted = count(sql)
    answer = site.http.post(PAGE, data={"helpful": "sim"}, headers=HTML | headers)
    assert answer.status_code == 403
    assert count(sql) == counted


def test_other_slugs(site: SiteClient) -> None:
    assert site.get("/servicos/nada/opiniao").status_code == 404
    assert site.http.post("/servicos/nada/opiniao", data={"helpful": "sim"}, headers=HTML).status_code == 404
    assert site.get("/servicos/NADA%00/opiniao").status_code == 404
    assert site.http.post(PAGE, data={"comment": "x" * 5_000}, headers=HTML).status_code == 413


def test_the_text_stays_if_the_service_is_down_or_the_address_sent_too_much(
    open_apart: Callable[..., SiteClient], relay: ServiceRelay, sql: Sql
) -> None:
    apart = open_apart(site_feedback_rate="3/minute")
    apart.open(SERVICE)
    relay.down.add("search")
    answer = send(apart, helpful="nao", comment="Falta o horário.")
    assert answer.status_code == 422
    assert "Não conseguimos guardar a sua resposta agora." in answer.text
    assert "Falta o horário." in answer.text
    relay.down.clear()
    answers = [send(apart, helpful="sim") for _ in range(4)]
    assert {one.status_code for one in answers} == {303, 422}
    assert "Muitas respostas em pouco tempo." in answers[-1].text


def test_each_opening_from_a_search_reaches_the_service_and_the_page_survives_its_fault(
    apart: SiteClient, relay: ServiceRelay
) -> None:
    page = apart.open("/busca?q=imposto+predal")
    href = page.links["Segunda via do carnê do imposto predial"]
    assert href == f"{SERVICE}?busca=imposto+predial"
    relay.queries.clear()
    for _ in range(3):
        assert apart.open(href).canonical.endswith(SERVICE)
    assert sum("busca=imposto+predial" in query for query in relay.queries) == 3
    apart.open(SERVICE)
    relay.queries.clear()
    for _ in range(3):
        apart.open(SERVICE)
    assert relay.queries == []
    relay.down.add("search")
    assert apart.open(href).heading == "Segunda via do carnê do imposto predial"


@pytest.mark.long
@pytest.mark.page
@pytest.mark.parametrize("width", TASK_WIDTHS)
def test_a_visitor_says_what_is_missing(screen_of: Callable[..., Screen], width: int) -> None:
    screen = screen_of(width)
    screen.open(SERVICE)
    screen.page.get_by_role("link", name="Escrever o que faltou").click()
    screen.page.get_by_label("Não ajudou").check()
    screen.page.get_by_label("O que faltou").fill("Falta o horário do posto.")
    screen.page.get_by_role("button", name="Enviar").click()
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Obrigado pela resposta")
