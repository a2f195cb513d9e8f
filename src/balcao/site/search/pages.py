"""The page for search results: services first, then results from other areas."""

import asyncio
from typing import Any, NamedTuple
from urllib.parse import urlencode

from balcao.core.http.responses import Response, redirect
from balcao.site.declaration import Area, Pages
from balcao.site.reading.departments import Departments, read_departments
from balcao.site.search import client
from balcao.site.search.nearby import list_matching_names, list_near_subjects, list_shorter
from balcao.site.services.markup import clean_highlight
from balcao.site.visit import Head, Visit
from balcao.web.api import Block
from balcao.web.words import format_count

pages = Pages("search", "/busca")
# The parameter that searches for the visitor's own words instead of the suggested spelling.
EXACT = "exato"
# The search service ranks at most 2,000 results, so there are no further pages.
_LAST_PAGE = 2_000 // client.PER_PAGE


class Choice(NamedTuple):
    """A filter value, its label, and the number of results that have it."""

    value: str
    label: str
    number: int


class Chip(NamedTuple):
    """An active filter, and the address of the results without this filter."""

    label: str
    href: str


@pages.get("", "Busca", max_age=30, is_indexed=False)
async def show_results(visit: Visit) -> Response[Any]:
    """Show the services that match the visitor's words, with filters.

    Without words, show the search field and the subjects.
    """
    text = visit.text("q")
    if not text:
        return visit.show("search/start.html", Head("Busca", "Busque os serviços da prefeitura.", visit.path))
    filters = _read_filters(visit)
    page = min(visit.number, _LAST_PAGE)
    found = await client.search(visit.reader, text, filters, page)
    is_exact, shown, suggestion = bool(visit.query.first(EXACT)), text, found.metadata.suggestion
    if suggestion and found.metadata.match != "all_terms" and not is_exact:
        better = await client.search(visit.reader, suggestion, filters, page)
        if better.results:
            found, shown = better, suggestion
    last = min(_LAST_PAGE, -(-found.filtered_count // client.PER_PAGE))
    if not found.results and page > max(1, last):
        return redirect(_write_address(visit, text, filters, max(1, last)), 302)
    finders = [area.finder for area in visit.site.areas if area.finder and page == 1 and filters == client.Filters()]
    departments, further = await asyncio.gather(
        visit.read_block(read_departments(visit.reader)),
        visit.read_blocks(*(finder.find(visit, shown) for finder in finders)),
    )
    if not found.results and filters == client.Filters() and not any(block.value for block in further):
        return await _show_nothing(visit, text)
    is_partial = found.metadata.is_partial and bool(found.results)
    ways_on = await _list_ways_on(visit, shown) if is_partial else {}
    return visit.show(
        "search/results.html",
        Head(
            f"{shown}: {format_count(found.filtered_count, 'serviço', 'serviços')}",
            "Resultados da busca nos serviços da prefeitura.",
            _write_address(visit, text, client.Filters(), 1),
        ),
        text=text,
        shown=shown,
        is_exact=is_exact,
        suggestion=suggestion if shown == text else None,
        found=found,
        is_partial=is_partial,
        titles=[clean_highlight(hit.highlights.title or hit.title) for hit in found.results],
        names=[list_matching_names(visit.site.wording, hit.title, shown) for hit in found.results],
        owners=[_name_owner(departments, hit) for hit in found.results],
        own_words=_write_address(visit, text, filters, 1, exact=True),
        choices=_list_choices(visit, found, departments.value),
        filters=filters,
        chips=_list_chips(visit, text, filters, departments.value),
        further=list(zip(finders, further, strict=True)),
        page_number=page,
        last_page=last,
        page_address=lambda number: _write_address(visit, text, filters, number),
        **ways_on,
    )


def _read_filters(visit: Visit) -> client.Filters:
    return client.Filters(
        visit.text("assunto"), visit.text("orgao"), visit.text("publico"), visit.query.first("gratuito") == "sim"
    )


def _write_address(visit: Visit, text: str, filters: client.Filters, page: int, *, exact: bool = False) -> str:
    """Return the address of a page of results. Its parameters have a fixed order."""
    exact = exact or bool(visit.query.first(EXACT))
    return visit.address(
        "search.show_results",
        {
            "q": text,
            "assunto": filters.category,
            "orgao": filters.department,
            "publico": filters.audience,
            "gratuito": "sim" if filters.free else "",
            EXACT: "sim" if exact else "",
            "pagina": page if page > 1 else "",
        },
    )


def _list_choices(visit: Visit, found: client.Found, departments: Departments | None) -> dict[str, list[Choice]]:
    """Return the filter values that occur in the results, with their counts."""
    facets = {
        name: [Choice(one.value, one.value, one.count) for one in values] for name, values in found.facets.items()
    }
    categories = [one._replace(label=_name_category(visit, one.value)) for one in facets.get("tema_geral", [])]
    owners = [one._replace(label=_name_department(departments, one.value)) for one in facets.get("orgao_gestor", [])]
    free = [one for one in facets.get("is_free", []) if one.value == "true"]
    return {
        "assunto": categories,
        "orgao": owners if departments else [],
        "publico": facets.get("publico_especifico", []),
        "gratuito": free,
    }


def _list_chips(visit: Visit, text: str, filters: client.Filters, departments: Departments | None) -> list[Chip]:
    """Return the active filters, each with the address of the results without this filter."""
    used = [
        ("category", filters.category and _name_category(visit, filters.category), ""),
        ("department", filters.department and _name_department(departments, filters.department), ""),
        ("audience", filters.audience, ""),
        ("free", filters.free and "Só os gratuitos", False),
    ]
    values = {name: getattr(filters, name) for name in filters.__struct_fields__}
    return [
        Chip(str(label), _write_address(visit, text, client.Filters(**values | {name: unset}), 1))
        for name, label, unset in used
        if label
    ]


def _name_category(visit: Visit, category: str) -> str:
    """Return the name of a category's subject. If the subject has several categories, append the category's name."""
    subject = visit.site.wording.find_subject(category)
    return subject.name if len(subject.categories) == 1 else f"{subject.name}: {category}"


def _name_department(departments: Departments | None, code: str) -> str:
    found = departments.find(code) if departments else None
    return found.nome_ua if found else "Outro órgão"


def _name_owner(departments: Block[Departments], hit: client.Hit) -> str:
    codes = hit.metadata.orgao_gestor
    found = departments.value.find(codes[0]) if departments.value and codes else None
    return found.nome_ua if found else ""


async def _show_nothing(visit: Visit, text: str) -> Response[Any]:
    """Show suggestions if nothing was found: fewer words, similar subjects, the telephone."""
    return visit.show(
        "search/nothing.html",
        Head("Nada encontrado", "Busca sem resultados.", visit.path),
        text=text,
        **await _list_ways_on(visit, text),
    )


async def _list_ways_on(visit: Visit, text: str) -> dict[str, Any]:
    """Return searches for single words of the text, and the subjects that are closest to it."""
    catalogue = await visit.read_block(visit.read_catalogue())
    return {
        "shorter": [(word, f"{visit.path}?{urlencode({'q': word})}") for word in list_shorter(text)],
        "subjects": list_near_subjects(visit.site.wording, catalogue.value, text),
    }


AREA = Area(pages)
