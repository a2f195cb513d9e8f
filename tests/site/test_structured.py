"""Structured data, sitemap and robots.txt for search engines, and the conversion of the catalogue's texts to HTML."""

import xml.etree.ElementTree as ElementTree
from datetime import date

import pytest

from balcao.site.formats import format_long_day
from balcao.site.services.markup import clean_highlight, render_text
from balcao.site.templating import write_data
from tests.site.test_pages import SERVICE
from tests.support.site import SiteClient

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def test_a_service_is_described_to_search_engines(site: SiteClient) -> None:
    (data,) = site.open(SERVICE).data
    assert data["@type"] == "GovernmentService"
    assert data["isAccessibleForFree"] is True
    assert data["provider"]["name"] == "Secretaria de Fazenda de Porto Aurora"
    assert data["url"].endswith(SERVICE)
    assert {"serviceUrl", "serviceLocation"} <= {name for one in data["availableChannel"] for name in one}
    (home,) = site.open("/").data
    assert home["potentialAction"]["@type"] == "SearchAction"


def test_a_data_block_cannot_end_its_element() -> None:
    written = write_data({"name": "</script><script>alert('&')</script>\u2028"})
    assert not set("<>&\u2028") & set(written)


def test_the_sitemap_lists_services_subjects_and_departments_with_their_last_change(site: SiteClient) -> None:
    answer = site.get("/sitemap.xml")
    assert answer.headers["content-type"] == "application/xml; charset=utf-8"
    tree = ElementTree.fromstring(answer.text)  # noqa: S314 - our own
    entries = tree.findall(f"{SITEMAP}url")
    base = str(site.http.base_url).rstrip("/")
    found = {
        str(entry.findtext(f"{SITEMAP}loc")).removeprefix(base): entry.findtext(f"{SITEMAP}lastmod")
        for entry in entries
    }
    changed = date.fromisoformat(found[SERVICE] or "")
    assert f"Texto revisto em {format_long_day(changed)}." in site.open(SERVICE).text
    assert {"/", "/servicos", "/servicos/assunto/saude", "/orgaos/1300"} <= set(found)
    assert not [path for path in found if path.startswith(("/busca", "/servicos/id", "/robots"))]
    for path in list(found)[:12]:
        assert site.get(path).status_code == 200


def test_robots_are_kept_out_of_endless_and_personal_pages(site: SiteClient) -> None:
    text = site.get("/robots.txt").text
    for path in ("/busca", "/minha-pagina", "/entrar"):
        assert f"Disallow: {path}\n" in text
    assert text.rstrip().endswith("/sitemap.xml")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Leve **o documento**", "<p>Leve <strong>o documento</strong></p>\n"),
        ("<b>Leve</b> <script>alert(1)</script>", "<p><b>Leve</b> </p>\n"),
        ('<a href="javascript:alert(1)" onclick="x()">x</a>', '<p><a rel="noreferrer">x</a></p>\n'),
        ("# Título", "<h3>Título</h3>\n"),
        ("![x](https://x.example/y.png)", '<p>!<a href="https://x.example/y.png" rel="noreferrer">x</a></p>\n'),
    ],
)
async def test_a_text_of_the_catalogue_keeps_only_what_is_allowed(text: str, html: str) -> None:
    assert await render_text(text) == html


def test_a_found_title_keeps_only_its_marks() -> None:
    assert clean_highlight("<mark>a</mark> <mark>b</mark><i>c</i>") == "<mark>a b</mark>c"
