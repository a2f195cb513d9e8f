"""The files that search engines read, and the site map for people."""

from typing import Any
from xml.sax.saxutils import escape

from balcao.core.http.responses import TEXT, Response
from balcao.site.declaration import Area, MapAddress, Pages
from balcao.site.services.views import count_subjects
from balcao.site.visit import Head, Visit

pages = Pages("seo", "")
XML = "application/xml; charset=utf-8"
# The sitemap protocol allows 50,000 addresses in a file.
_MOST_ADDRESSES = 50_000
# Search engines should not request these pages: there is an unlimited number of them, or they belong to one person.
_KEPT_OUT = ("/busca", "/minha-pagina", "/entrar", "/painel")


@pages.get("/mapa-do-site", "Mapa do site", footer="about")
async def show_map(visit: Visit) -> Response[Any]:
    """Show links to all pages with a fixed address, and to all subjects."""
    catalogue = await visit.read_block(visit.read_catalogue())
    wording = visit.site.wording
    fixed = [page for area in visit.site.areas for page in area.pages.declared if _is_fixed(page)]
    return visit.show(
        "seo/map.html",
        Head("Mapa do site", "Todas as páginas do site da prefeitura.", visit.path),
        fixed=fixed,
        subjects=count_subjects(wording, catalogue.value) if catalogue.value else [],
        catalogue=catalogue,
    )


@pages.get("/sitemap.xml", "Mapa para buscadores", max_age=300, is_indexed=False)
async def write_sitemap(visit: Visit) -> Response[Any]:
    """List the addresses of all pages for search engines, with the day of the last change if it is known.

    The addresses of areas whose service is down are omitted.
    """
    areas = [area for area in visit.site.areas if area.addresses]
    blocks = await visit.read_blocks(*(area.addresses(visit) for area in areas if area.addresses))
    fixed = [MapAddress(page.address()) for area in visit.site.areas for page in area.pages.declared if _is_fixed(page)]
    found = [*fixed, *(address for block in blocks for address in block.value or ())][:_MOST_ADDRESSES]
    lines = "".join(_write_address(visit, address) for address in found)
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}</urlset>\n'
    )
    return Response(text.encode(), media_type=XML)


@pages.get("/robots.txt", "Regras para buscadores", max_age=3600, is_indexed=False)
async def write_robots(visit: Visit) -> Response[Any]:
    """Return `robots.txt`: the pages that search engines should skip, and the address of the sitemap."""
    rules = "".join(f"Disallow: {path}\n" for path in _KEPT_OUT)
    text = f"User-agent: *\n{rules}\nSitemap: {visit.absolute(visit.address('seo.write_sitemap'))}\n"
    return Response(text.encode(), media_type=TEXT)


def _is_fixed(page: Any) -> bool:
    """Return whether a page has a single fixed address that search engines may list."""
    return page.is_indexed and not page.parameters


def _write_address(visit: Visit, address: MapAddress) -> str:
    changed = ""
    if address.changed_at is not None:
        changed = f"<lastmod>{visit.site.words.read_day(address.changed_at).isoformat()}</lastmod>"
    return f"<url><loc>{escape(visit.absolute(address.path))}</loc>{changed}</url>\n"


AREA = Area(pages)
