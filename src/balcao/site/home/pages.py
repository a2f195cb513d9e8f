"""The first page: the search, parts from other areas, frequent services and subjects."""

import asyncio
from typing import Any

from balcao.core.http.responses import Response
from balcao.site.declaration import Area, Pages
from balcao.site.reading.catalogue import Listed, Snapshot
from balcao.site.search.client import list_popular
from balcao.site.services.views import count_subjects, list_frequent, pick_frequent
from balcao.site.visit import Head, Visit

pages = Pages("home", "")


@pages.get("", "Início")
async def show_start(visit: Visit) -> Response[Any]:
    """Show the first page. Each part below the search may fail without affecting the others."""
    declared = [part for area in visit.site.areas for part in area.home]
    catalogue, blocks = await asyncio.gather(
        visit.read_block(visit.read_catalogue()), visit.read_blocks(*(part.read(visit) for part in declared))
    )
    parts = [
        (part, block)
        for part, block in zip(declared, blocks, strict=True)
        if block.fault is not None or block.value is not None
    ]
    wording, snapshot = visit.site.wording, catalogue.value
    head = Head(
        "",
        f"Serviços da Prefeitura de {visit.site.city}: quanto custam, quanto demoram e como pedir. "
        "Vagas de emprego e unidades de saúde.",
        "/",
        [_describe_organization(visit)],
    )
    return visit.show(
        "home/start.html",
        head,
        now=[one for one in parts if one[0].place == "now"],
        side=[one for one in parts if one[0].place == "side"],
        catalogue=catalogue,
        frequent=await _list_frequent(visit, snapshot) if snapshot else [],
        subjects=count_subjects(wording, snapshot) if snapshot else [],
    )


async def _list_frequent(visit: Visit, snapshot: Snapshot) -> list[Listed]:
    """Return the frequent services that the city's files name.

    If they name none, return the services that the editors highlight, then the most popular services.
    """
    if named := list_frequent(visit.site.wording, snapshot):
        return named
    popular = await visit.read_block(list_popular(visit.reader))
    highlighted = [service for service in snapshot.services if service.fixar_destaque]
    found = [*highlighted, *(snapshot.by_name.get(name) for name in popular.value or ())]
    return pick_frequent(visit.site.wording, found)


def _describe_organization(visit: Visit) -> dict[str, Any]:
    """Describe the city hall and the site's search for search engines."""
    search = visit.absolute(visit.address("search.show_results"))
    return {
        "@context": "https://schema.org",
        "@type": "GovernmentOrganization",
        "name": f"Prefeitura de {visit.site.city}",
        "url": visit.absolute("/"),
        "telephone": visit.site.phone,
        "potentialAction": {
            "@type": "SearchAction",
            "target": {"@type": "EntryPoint", "urlTemplate": f"{search}?q={{search_term_string}}"},
            "query-input": "required name=search_term_string",
        },
    }


AREA = Area(pages)
