"""Every page of the site: with and without content, at an unknown address, and while the page's service is down."""

import re
from collections.abc import Callable

import pytest

from balcao.site.areas import AREAS
from balcao_sandbox.demo.request_types import make_service_id
from tests.support.service_relay import ServiceRelay
from tests.support.site import SiteClient

IPTU = "Segunda via do carnê do imposto predial"
SERVICE = f"/servicos/segunda-via-do-carne-do-imposto-predial-{make_service_id(IPTU)[:8]}"
PAGES = {
    "/": "O que você precisa da prefeitura?",
    "/servicos": "Todos os serviços",
    "/servicos/assunto/meu-negocio": "Meu negócio",
    SERVICE: IPTU,
    "/busca": "Busca",
    "/busca?q=creche": "Busca",
    "/orgaos": "Órgãos da prefeitura",
    "/orgaos/1300": "Secretaria de Fazenda",
    "/pedidos": "Pedidos à prefeitura",
    "/pedidos/tipo/lampada_apagada": "Lâmpada apagada",
    "/pedidos/acompanhar": "Acompanhar um pedido",
    "/mapa-do-site": "Mapa do site",
}
UNKNOWN = ["/nada", "/servicos/nada", "/servicos/assunto/nada", "/orgaos/99999", "/servicos/id/nada", "/recursos/x.css"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_a_heading_a_title_and_the_telephone(site: SiteClient, path: str) -> None:
    page = site.open(path)
    assert page.heading.strip() == PAGES[path]
    assert page.title.endswith("Porto Aurora")
    assert page.links["156"] == "tel:156"
    assert page.nodes <= 900
    assert "set-cookie" not in page.answer.headers
    assert not re.search(r"<script(?! type=\"application/ld\+json\")|style=|\bon\w+=", page.answer.text)


@pytest.mark.parametrize("path", PAGES)
def test_what_search_engines_read_of_a_page(site: SiteClient, path: str) -> None:
    page = site.open(path)
    assert 0 < len(page.metas["description"]) <= 155
    if path.startswith("/busca"):
        assert "noindex" in page.metas["robots"]
    else:
        assert page.canonical == f"{site.http.base_url}".rstrip("/") + path
        assert page.metas["og:url"] == page.canonical
        assert page.metas["og:title"] in page.title


@pytest.mark.parametrize("path", UNKNOWN)
def test_an_unknown_address_shows_the_search_and_the_subjects(site: SiteClient, path: str) -> None:
    if path.startswith("/recursos"):
        assert site.get(path).status_code == 404
        return
    page = site.open(path, 404)
    assert page.heading == "Página não encontrada"
    assert 'name="q"' in page.answer.text
    assert page.links["Impostos e taxas"] == "/servicos/assunto/impostos-e-taxas"
    assert page.answer.headers["cache-control"] == "no-store"


def test_a_program_gets_the_gateways_own_answer_for_an_unknown_address(site: SiteClient) -> None:
    assert site.http.get("/nada").json() == {"error": "Não encontrado."}


def test_every_link_of_the_site_leads_to_a_page(site: SiteClient) -> None:
    waiting, seen = list(PAGES), set(PAGES)
    while waiting:
        path = waiting.pop()
        if path.startswith("/minha-pagina/"):  # needs a login, after which the person returns to it
            assert site.get(path).headers["location"].endswith(f"?para={path}")
            continue
        page = site.open(path)
        for href in page.links.values():
            path = href.partition("#")[0]
            kind = re.sub(r"[^/]+$", "*", path.partition("?")[0])  # one address of each kind
            if path.startswith("/") and not path.startswith(("/docs", "/status")) and kind not in seen:
                seen |= {path, kind}
                waiting.append(path)
    assert len(seen) > len(PAGES) + 4


def test_all_declared_pages_are_tested_here() -> None:
    declared = {
        page.name for area in AREAS for page in area.pages.declared if area.key in {"home", "services", "search"}
    }
    assert declared == {
        "home.show_start",
        "services.list_subjects",
        "services.show_subject",
        "services.show_service",
        "services.show_old",
        "services.show_by_id",
        "services.show_feedback",
        "services.take_feedback",
        "search.show_results",
    }


def test_a_department_with_many_services_has_several_pages(site: SiteClient) -> None:
    addresses = [href for href in site.open("/orgaos").links.values() if href.startswith("/orgaos/")]
    first = next(page for page in map(site.open, addresses) if "Próxima página" in page.links)
    second = site.open(first.links["Próxima página"])
    assert second.text.count("Página 2 de") == 1
    assert second.links["Página anterior"] == first.canonical.removeprefix(f"{site.http.base_url}".rstrip("/"))
    shown = [{href for href in page.links.values() if href.startswith("/servicos/")} for page in (first, second)]
    assert len(shown[0]) >= 15
    assert not {href for href in shown[0] & shown[1] if "assunto" not in href}
    assert "A lista termina antes desta página." in site.open(f"{first.links['Próxima página']}9").text


# ---- a service is down ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/servicos", "/servicos/assunto/saude", SERVICE, "/busca?q=creche"])
def test_a_page_whose_service_is_down_says_since_when_and_what_works(
    apart: SiteClient, relay: ServiceRelay, path: str
) -> None:
    relay.down |= {"search"}
    apart.open(path, 503)
    page = apart.open(path, 503)
    assert page.heading == "Os serviços não respondem agora"
    assert re.search(r"Desde \d+h", page.text)
    assert page.links["156"] == "tel:156"
    assert page.links["Tentar de novo"] == path
    assert "Se ligar, diga este número" in page.text
    assert page.answer.headers["retry-after"] == "5"
    assert page.answer.headers["cache-control"] == "no-store"


def test_a_part_whose_service_is_down_says_so_and_the_rest_stays(apart: SiteClient, relay: ServiceRelay) -> None:
    relay.down |= {"search"}
    page = apart.open("/")
    assert "Não conseguimos ler os serviços agora." in page.text
    assert 'name="q"' in page.answer.text
    assert page.answer.headers["cache-control"] == "no-store"
    relay.restore()
    relay.down |= {"registry"}
    assert "Prefeitura de Porto Aurora." in apart.open(SERVICE).text
    assert apart.open("/orgaos", 503).heading == "Os órgãos e os pedidos da prefeitura não respondem agora"


def test_answers_before_an_outage_are_used_for_a_while_and_say_when_they_were_checked(
    open_apart: Callable[..., SiteClient], relay: ServiceRelay
) -> None:
    apart = open_apart()
    for path in (SERVICE, "/servicos", "/orgaos"):
        apart.open(path)
    relay.down |= {"search", "registry"}
    assert apart.open(SERVICE).heading == PAGES[SERVICE]
    assert "Troca do nome do contribuinte do imóvel" in apart.open("/servicos?letra=t").text
