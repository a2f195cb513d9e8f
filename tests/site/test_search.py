"""The search: misspelt words, filters, empty results and hostile queries."""

from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.panel import PageContent
from tests.support.site import SiteClient, SitePage

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}",
    "%s %(x)s ${7*7}",
    "' OR 1=1 --",
    "../../etc/passwd",
    "*",
    "\u202eimposto",
    "a" * 200,
    "a" * 5000,
    "😀" * 90,
    "\x00",
    "900.000.001-75",
]


def search(site: SiteClient, **query: str) -> SitePage:
    return site.open(f"/busca?{urlencode(query)}")


def test_a_misspelt_search_shows_what_was_meant_and_a_way_back(site: SiteClient) -> None:
    page = search(site, q="imposto predal")
    assert "Mostrando resultados para imposto predial." in page.text
    own = search(site, q="imposto predal", exato="sim")
    assert page.follow("buscar por “imposto predal”") == "/busca?q=imposto+predal&exato=sim"
    assert "Você quis dizer imposto predial?" in own.text
    filters = own.answer.text.partition("<summary>Filtrar</summary>")[2]
    filtered = search(site, **PageContent(filters).forms[0].values)
    assert "Você quis dizer imposto predial?" in filtered.text
    assert "Mostrando resultados para" not in filtered.text


def test_filters_are_counted_applied_and_removed_one_by_one(site: SiteClient) -> None:
    page = search(site, q="licença")
    assert "Meu negócio (" in page.text
    page = search(site, q="licença", assunto="Licenças", gratuito="sim")
    without = page.follow("Retirar o filtro Só os gratuitos")
    assert without == "/busca?q=licen%C3%A7a&assunto=Licen%C3%A7as"
    assert site.open(without).follow("Retirar o filtro Meu negócio") == "/busca?q=licen%C3%A7a"
    empty = search(site, q="licença", assunto="Animais", publico="Ninguém")
    assert "Nenhum serviço com estes filtros." in empty.text


def test_a_page_of_results_beyond_the_last_leads_to_the_last(site: SiteClient) -> None:
    answer = site.get("/busca?q=certid%C3%A3o&pagina=99")
    assert answer.status_code == 302
    assert site.open(answer.headers["location"]).status == 200


def test_a_result_shows_the_other_name_that_matched(site: SiteClient) -> None:
    also = "Também chamado de: 2ª via do IPTU, boleto do IPTU."
    assert also in site.open("/busca?q=iptu").text
    assert also in site.open("/").text
    assert "Também chamado de" not in site.open("/busca?q=imposto+predial").text


def test_a_stop_word_is_not_suggested_as_a_search(site: SiteClient) -> None:
    page = site.open("/busca?q=passaporte+para+marte")
    assert page.links["passaporte"] == "/busca?q=passaporte"
    assert page.links["marte"] == "/busca?q=marte"
    assert "para" not in page.links


def test_a_search_of_which_services_have_only_a_part_says_so_and_offers_other_ways(site: SiteClient) -> None:
    page = search(site, q="visto americano")
    assert "Curso de confeitaria" in page.text  # a pasta americana
    assert "Não achamos um serviço com tudo o que você escreveu. Estes têm uma parte: 3 serviços" in page.text
    assert page.follow("americano") == "/busca?q=americano"
    assert sum(href.startswith("/servicos/assunto/") for href in page.links.values()) == 4
    assert "Este tem uma parte: 1 serviço" in search(site, q="passaporte americano").text
    assert "e com estes filtros. Este" in search(site, q="visto americano", assunto="Cursos").text


@pytest.mark.parametrize(
    "query", ["imposto predial", "imposto predal", "pagar o IPTU", "certid", "quero morrer", "vaga"]
)
def test_a_search_that_a_service_meets_does_not_say_that_a_part_is_missing(site: SiteClient, query: str) -> None:
    assert "uma parte" not in search(site, q=query).text
    assert "uma parte" not in search(site, q=query, exato="sim").text


def test_nothing_found_is_no_dead_end(site: SiteClient) -> None:
    page = search(site, q="xyzzy qwertyuiop")
    assert "Não achamos “xyzzy qwertyuiop”" in page.text
    assert page.follow("xyzzy") == "/busca?q=xyzzy"
    assert sum(href.startswith("/servicos/assunto/") for href in page.links.values()) == 4
    assert page.links["156"] == "tel:156"
    assert "noindex" in page.metas["robots"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_query_is_text(site: SiteClient, text: str) -> None:
    answer = site.get(f"/busca?q={quote(text)}&assunto={quote(text)}&pagina={quote(text[:9])}")
    assert answer.status_code in {200, 302}
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text
    assert "49" not in SitePage(answer).title


@given(st.text(max_size=60), st.text(max_size=20))
@settings(max_examples=15)
def test_any_address_is_answered_without_a_fault(site: SiteClient, text: str, part: str) -> None:
    for path in (
        f"/busca?q={quote(text.encode('utf-8', 'replace'))}",
        f"/servicos/{quote(part.encode('utf-8', 'replace'), safe='')}",
    ):
        assert site.get(path).status_code in {200, 301, 302, 404}


@pytest.mark.parametrize(
    "query", ["q=%ff%fe", "q=%", "q[]=1", "=", "&&&", "q=1&q=2", "pagina=-1&q=vaga", "pagina=1e9&q=vaga"]
)
def test_a_malformed_query_is_refused_or_ignored(site: SiteClient, query: str) -> None:
    assert site.get(f"/busca?{query}").status_code in {200, 400}
