"""The pages of jobs and their feed, on the platform with its demo data."""

import re
from collections.abc import Callable
from xml.etree import ElementTree

import httpx
import pytest

from balcao.site.faults import NOT_FOUND
from tests.support.service_relay import ServiceRelay
from tests.support.site import SiteClient

BAKER = "/vagas/confeiteiro-49c67c23c0e7"
ENDED = "/vagas/recepcionista-bilingue-05317791f5bc"
BAKERY = "/vagas/empresa/90000001000129"


def list_titles(site: SiteClient, path: str) -> list[str]:
    """Return the titles of the jobs that the list shows."""
    return re.findall(r'<h3><a href="/vagas/[^"]*">([^<]*)</a></h3>', site.get(path).text)


def test_the_list_shows_what_a_job_offers_and_asks_for(site: SiteClient) -> None:
    page = site.open("/vagas")
    assert page.heading == "Vagas de emprego"
    for part in ("5 vagas abertas, as mais novas primeiro", "Confeiteiro", "R$ 2.400", "CLT · Presencial", "Pede: "):
        assert part in page.text
    # Frozen, discontinued and expired jobs do not accept applications.
    assert list_titles(site, "/vagas") == [
        "Atendente", "Operador de caixa", "Auxiliar de cozinha", "Confeiteiro", "Assistente"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("bairro=Farol", ["Auxiliar de cozinha", "Assistente"]),
        ("bairro=farol&modelo=remoto&pcd=so", ["Assistente"]),
        ("pcd=sim&modelo=remoto", ["Assistente"]),
        ("q=confeiteiro", ["Confeiteiro"]),
        ("q=padaria+aurora", ["Atendente", "Confeiteiro"]),
        ("q=farol", ["Auxiliar de cozinha", "Assistente"]),
        ("q=padaria&bairro=Centro", ["Atendente", "Confeiteiro"]),
        ("salario=2000", ["Confeiteiro", "Assistente"]),
        ("ordem=salario", ["Confeiteiro", "Assistente", "Auxiliar de cozinha", "Atendente", "Operador de caixa"]),
        ("q=padaria&ordem=salario", ["Confeiteiro", "Atendente"]),
        ("ordem=nenhuma&salario=1", None),
        ("regime=nenhum&modelo=nenhum&pcd=nenhum&outro=1", None),
        ("pagina=abc", None),
        ("pagina=0", None),
    ],
)
def test_filters_narrow_the_list_and_unknown_values_count_as_none(
    site: SiteClient, query: str, titles: list[str] | None
) -> None:
    assert list_titles(site, f"/vagas?{query}") == (titles or list_titles(site, "/vagas"))


def test_a_list_without_results_says_what_to_change_and_shows_the_newest_jobs(site: SiteClient) -> None:
    page = site.open("/vagas?q=astronauta")
    assert "Nenhuma vaga combina com tudo o que você escolheu" in page.text
    assert "Operador de caixa" in page.text
    assert "A lista termina antes desta página" in site.open("/vagas?pagina=99").text


def test_a_filter_has_one_canonical_address_and_can_be_removed(site: SiteClient) -> None:
    page = site.open("/vagas?modelo=remoto&bairro=Farol&q=")
    assert page.canonical.endswith("/vagas?bairro=Farol&modelo=remoto")
    assert page.follow("Farol (tirar este filtro)") == "/vagas?modelo=remoto"


def test_a_job_says_everything_once_and_is_described_for_search_engines(site: SiteClient) -> None:
    page = site.open(BAKER)
    assert page.heading == "Confeiteiro"
    for part in ("Padaria Aurora", "R$ 2.400", "Como é a seleção", "Análise do currículo", "Nunca pague", "faltam "):
        assert part in page.text
    (posting,) = page.data
    assert (posting["@type"], posting["title"], posting["directApply"]) == ("JobPosting", "Confeiteiro", True)
    assert posting["validThrough"] > posting["datePosted"]
    assert posting["url"].endswith(BAKER)


def test_a_job_says_what_the_city_checks_and_what_the_company_checks(site: SiteClient) -> None:
    def open_job(title: str) -> str:
        found = re.findall(rf'<h3><a href="([^"]*)">{title}</a></h3>', site.get("/vagas").text)
        return str(site.open(found[0]).text)

    kitchen = open_job("Auxiliar de cozinha")
    assert (
        "O que a prefeitura confere Ensino fundamental completo ou mais A empresa confere o resto do que pede."
        in kitchen
    )
    assert "em parceria com a Secretaria de Trabalho." in kitchen
    # The companies' texts ask for an education, but the jobs do not check it.
    till, remote = open_job("Operador de caixa"), open_job("Assistente")
    assert "Ensino médio completo. Facilidade com contas." in till
    assert "O que a prefeitura confere Nesta vaga, nada: a empresa confere tudo o que pede." in till
    assert "não é pessoa com deficiência não pode se candidatar. A empresa confere o resto do que pede." in remote


def test_a_job_that_has_ended_says_so_and_offers_others(site: SiteClient) -> None:
    page = site.open(ENDED)
    assert "Esta vaga não recebe mais candidaturas. O prazo desta vaga acabou." in page.text
    assert "Outras vagas abertas" in page.text
    assert "Como se candidatar" not in page.text
    assert page.metas["robots"].startswith("noindex")
    assert page.data == []


def test_the_address_of_an_older_title_leads_to_the_job(site: SiteClient) -> None:
    answer = site.get("/vagas/titulo-antigo-49c67c23c0e7")
    assert (answer.status_code, answer.headers["location"]) == (301, BAKER)


@pytest.mark.parametrize(
    "path",
    [
        "/vagas/nao-existe", "/vagas/nao-existe-000000000000", "/vagas/COM-MAIUSCULAS", "/vagas/a%00b",
        "/vagas/..%2Fvagas", "/vagas/" + "a" * 300, "/vagas/empresa/90000001000120", "/vagas/empresa/1",

    ],
)  # fmt: skip
def test_what_does_not_exist_gets_a_page_that_helps(site: SiteClient, path: str) -> None:
    page = site.open(path, 404)
    assert page.heading == NOT_FOUND
    assert "156" in page.text


def test_a_company_shows_its_open_jobs(site: SiteClient) -> None:
    page = site.open(BAKERY)
    assert page.heading == "Padaria Aurora"
    assert "Pães e doces desde 1978." in page.text
    assert list_titles(site, BAKERY) == ["Atendente", "Confeiteiro"]


def read_feed(answer: httpx.Response) -> ElementTree.Element:
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/rss+xml")
    root = ElementTree.fromstring(answer.content)  # noqa: S314 - our own feed
    channel = root.find("channel")
    assert channel is not None
    return channel


def test_the_feed_has_the_jobs_of_the_list_with_the_same_filters(site: SiteClient) -> None:
    channel = read_feed(site.get("/vagas/novas.xml"))
    titles = [(item.findtext("title") or "").partition(" · ")[0] for item in channel.findall("item")]
    assert titles == list_titles(site, "/vagas")
    start = (channel.findtext("link") or "").removesuffix("/vagas")
    links = [item.findtext("link") or "" for item in channel.findall("item")]
    assert all(link.startswith("http") and site.get(link.removeprefix(start)).status_code == 200 for link in links)
    filtered = read_feed(site.get("/vagas/novas.xml?bairro=Farol&modelo=remoto"))
    (item,) = filtered.findall("item")
    assert item.findtext("title") == "Assistente · Estúdio Digital Maré · Farol"
    assert (filtered.findtext("link") or "").endswith("/vagas?bairro=Farol&modelo=remoto")
    assert read_feed(site.get("/vagas/novas.xml?q=astronauta")).findall("item") == []


def test_without_the_service_a_page_says_so_and_the_rest_of_the_site_works(
    apart: SiteClient, relay: ServiceRelay
) -> None:
    apart.open(BAKER)
    relay.down.add("jobs")
    page = apart.open("/vagas?q=nunca+buscada", 503)
    assert int(page.answer.headers["retry-after"]) > 0
    assert "vagas de emprego" in page.text
    assert "156" in page.text
    assert apart.get("/vagas/novas.xml?q=nunca+buscada").status_code == 503
    assert apart.open("/").heading == "O que você precisa da prefeitura?"
    assert apart.open("/busca?q=padaria").status == 200


def test_an_answer_after_its_time_shows_the_job_but_offers_no_application(
    apart: SiteClient, relay: ServiceRelay, pass_time: Callable[[float], None]
) -> None:
    assert "Candidatar-se" in apart.open(BAKER).links
    relay.down.add("jobs")
    pass_time(60)
    page = apart.open(BAKER)
    assert page.heading == "Confeiteiro"
    assert "Não conseguimos conferir agora se a vaga continua aberta" in page.text
    assert "Candidatar-se" not in page.links
    assert page.data == []
    pass_time(3_600)
    apart.open(BAKER, 503)


HOSTILE = [
    "'; DROP TABLE vaga; --", "<script>alert(1)</script>", "%", "_", "\\", "{{7*7}}", "\x00", "\r\nSet-Cookie: a=b",
    "a" * 5_000, "á" * 300, "🙂" * 100, "a," * 200, "\u202e", "../../etc/passwd", "'\"><img src=x onerror=alert(1)>",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("path", ["/vagas", "/vagas/novas.xml", "/saude/unidades", "/busca"])
def test_hostile_texts_neither_break_a_page_nor_become_markup(site: SiteClient, path: str, text: str) -> None:
    query = dict.fromkeys(("q", "bairro", "regime", "modelo", "pcd", "pagina", "perto", "quando", "tipo", "cor"), text)
    for parameters in (query, {"q": text}, {"bairro": text}):
        answer = site.http.get(path, params=parameters)
        assert answer.status_code in {200, 400, 414}, answer.text[:200]
        assert "set-cookie" not in answer.headers
        assert not re.search(r"<script>|<img src=x", answer.text)
        assert "49" not in re.findall(r"<title>(.*?)</title>", answer.text)
