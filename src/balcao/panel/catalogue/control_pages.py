"""Pages for control queries: which services each query should find, and which services it finds now."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.catalogue import client, search_client
from balcao.panel.catalogue.forms import ControlForm
from balcao.panel.catalogue.labels import CAUSES
from balcao.panel.catalogue.routes import AREA, TUNING
from balcao.panel.declaration import Pages
from balcao.panel.fields import split_lines
from balcao.panel.visit import Visit
from balcao.web.api import Outdated, Read, gather_blocks
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb
from balcao.web.words import format_count, parse_number

_LONGEST_QUERY = 200  # the service's own limit, in characters

pages = Pages(AREA, "")


@pages.form("/buscas-de-controle", "Buscas de controle", actions=[TUNING], in_menu=True)
async def edit_control_queries(visit: Visit) -> Response[Any]:
    """Show what the control queries find, and change the list.

    A query in the address is added to the form but not saved yet.
    """
    read = await search_client.read_control_queries(visit.api)
    stored = read.value.queries
    added = visit.query.first("busca").strip()[:_LONGEST_QUERY]
    if added in stored:
        added = ""
    form = ControlForm(visit, {"queries": "\n".join([*stored, added] if added else stored)}, etag=read.etag)
    if form.is_sent:
        queries = split_lines(form.queries.data or "")
        if await form.submit(lambda: search_client.replace_control_queries(visit.api, queries, form.etag)):
            text = format_count(len(form.result.queries), "busca de controle", "buscas de controle")
            return await visit.redirect(visit.path, f"Gravado: {text}.")
        if form.is_outdated:
            form.refusal = "Alguém mudou a lista antes de você. A dela está abaixo da sua; junte as duas e grave."
            form.etag = read.etag
    [evaluation] = await gather_blocks(search_client.evaluate_control_queries(visit.api))
    return visit.render(
        "catalogue/control_queries.html",
        form=form,
        evaluation=evaluation,
        causes=CAUSES,
        added=added if not form.is_sent else "",
        theirs=stored if form.is_outdated else None,
        status=form.status,
    )


@pages.form("/buscas-de-controle/{place}/servicos", "Serviços certos", actions=[TUNING])
async def choose_expected_services(visit: Visit, place: str) -> Response[Any]:
    """Choose the services that a control query should find, from its current results or from the whole catalogue.

    `place` is the query's position in the list, starting at 1. The address contains the position, because a query may
    contain characters that an address cannot.
    """
    read = await search_client.read_control_queries(visit.api)
    number = parse_number(place) or 0
    if not 1 <= number <= len(read.value.queries):
        back = visit.address("catalogue.edit_control_queries")
        return await visit.redirect(back, "Esta busca não está mais entre as buscas de controle.", is_done=False)
    query = read.value.queries[number - 1]
    if visit.is_post:
        return await _replace_expected(visit, query, read)
    listing = Listing(visit, ("serviço", "serviços"), [Filter("nome", "Nome contém", is_wide=True)])
    choices = {
        "nome_servico": listing.values.get("nome"),
        "status": 1,
        "sort_by": "nome_servico",
        "order": "asc",
        "page": listing.number,
        "per_page": listing.size,
    }
    services = await client.list_summaries(visit.api, choices)
    listing.rows, listing.total = services.services, services.found
    [evaluation] = await gather_blocks(search_client.evaluate_control_queries(visit.api))
    results = evaluation.value.results if evaluation.value else []
    return visit.render(
        "catalogue/expected_services.html",
        listing=listing,
        query=query,
        result=next((each for each in results if each.query == query), None),
        chosen=read.value.list_expected(query),
        causes=CAUSES,
        etag=read.etag,
        crumbs=[Crumb("Buscas de controle", visit.address("catalogue.edit_control_queries"))],
    )


async def _replace_expected(visit: Visit, query: str, read: Read[search_client.ControlQueries]) -> Response[Any]:
    service, is_right = visit.posted.first("servico"), visit.posted.first("deed") == "certo"
    chosen = [each for each in read.value.list_expected(query) if each != service]
    try:
        await search_client.replace_expected_services(
            visit.api, read.value, query, [*chosen, service] if is_right else chosen, visit.posted.first("_etag")
        )
    except Outdated:
        back = visit.address("catalogue.edit_control_queries")
        return await visit.redirect(
            back, "Alguém mudou as buscas de controle ao mesmo tempo: veja como estão.", is_done=False
        )
    return await visit.redirect(visit.path, "Gravado: a busca deve achar este serviço." if is_right else "Gravado.")
