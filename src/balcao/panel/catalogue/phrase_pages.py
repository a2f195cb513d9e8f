"""Pages for the words that citizens use: the phrases of one service, and searches that may become phrases."""

from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.catalogue import client, search_client
from balcao.panel.catalogue.forms import PhrasesForm
from balcao.panel.catalogue.labels import name_state
from balcao.panel.catalogue.routes import AREA, TUNING, service_crumbs
from balcao.panel.declaration import Item, Pages
from balcao.panel.fields import split_lines
from balcao.panel.visit import Visit
from balcao.web.lists import Filter, Listing, Tab
from balcao.web.visit import Crumb
from balcao.web.words import format_count

_LONGEST_PHRASE = 100  # the service's own limit, in characters

pages = Pages(AREA, "")


@pages.get("/buscas-sem-servico", "Buscas sem serviço", actions=[TUNING], in_menu=True)
async def list_phrase_proposals(visit: Visit) -> Response[Any]:
    """List the searches after which people rarely opened a service, most frequent first."""
    tabs = [Tab("", "Todas"), Tab("nothing", "Não acharam nada"), Tab("unopened", "Acharam o que quase ninguém abriu")]
    listing = Listing(visit, ("busca", "buscas"), tabs=tabs, tabs_label="O que houve")
    found = await search_client.list_phrase_proposals(visit.api, listing.tab or None, listing.number, listing.size)
    listing.rows, listing.total = found.proposals, found.found
    return visit.render("catalogue/phrase_proposals.html", listing=listing)


@pages.get("/frases/{phrase}/usar", "Usar em um serviço", actions=[TUNING])
async def choose_service(visit: Visit, phrase: str) -> Response[Any]:
    """List services, so that the person can choose the service that a searched phrase asks for."""
    listing = Listing(visit, ("serviço", "serviços"), [Filter("nome", "Nome contém", is_wide=True)])
    query = {
        "nome_servico": listing.values.get("nome"),
        "sort_by": "nome_servico",
        "order": "asc",
        "page": listing.number,
        "per_page": listing.size,
    }
    found = await client.list_summaries(visit.api, query)
    listing.rows, listing.total = found.services, found.found
    crumbs = [Crumb("Buscas sem serviço", visit.address("catalogue.list_phrase_proposals"))]
    return visit.render(
        "catalogue/choose_service.html", listing=listing, phrase=phrase, name_state=name_state, crumbs=crumbs
    )


@pages.form("/servicos/{service}/frases", "Como as pessoas pedem", actions=[TUNING])
async def edit_phrases(visit: Visit, service: str) -> Response[Any]:
    """Change the phrases of a service. A phrase in the address is added to the form but not saved yet."""
    known = (await client.read_service(visit.api, service)).value
    read = await search_client.read_phrases(visit.api, service)
    stored = read.value.phrases
    added = visit.query.first("frase").strip()[:_LONGEST_PHRASE]
    if added.casefold() in (phrase.casefold() for phrase in stored):
        added = ""
    form = PhrasesForm(visit, {"phrases": "\n".join([*stored, added] if added else stored)}, etag=read.etag)
    back = visit.address("catalogue.show_service", service=service)
    if form.is_sent:
        phrases = split_lines(form.phrases.data or "")
        if await form.submit(lambda: search_client.replace_phrases(visit.api, service, phrases, form.etag)):
            text = format_count(len(form.result.phrases), "frase", "frases")
            return await visit.redirect(back, f"Gravado: {text}. A busca já acha o serviço por elas.")
        if form.is_outdated:
            form.refusal = "Alguém mudou as frases antes de você. As dela estão abaixo das suas; junte as duas e grave."
            form.etag = read.etag
    return visit.render(
        "catalogue/phrases.html",
        form=form,
        service=known,
        added=added if not form.is_sent else "",
        theirs=stored if form.is_outdated else None,
        back=back,
        crumbs=service_crumbs(visit, known),
        status=form.status,
    )


async def find_searches_without_service(visit: Visit) -> Sequence[Item]:
    """Return one item for all searches after which people rarely opened a service."""
    found = await search_client.list_phrase_proposals(visit.api, size=1)
    if not found.proposals:
        return []
    title = format_count(found.found, "busca quase nunca leva a um serviço", "buscas quase nunca levam a um serviço")
    text = f"a mais frequente: {found.proposals[0].query}"
    queue = visit.address("catalogue.list_phrase_proposals")
    return [Item(title, queue, text, "Catálogo", action_label="Ver as buscas", number=found.found)]
