"""Pages that map service numbers from legacy systems to the services that replace them."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.catalogue import client, search_client
from balcao.panel.catalogue.client import to_moment
from balcao.panel.catalogue.forms import MappingForm
from balcao.panel.catalogue.labels import SOURCES
from balcao.panel.catalogue.routes import AREA, READ, REDIRECTS
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, gather_blocks
from balcao.web.forms import list_choices
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

_MOST_NAMED = 10

pages = Pages(AREA, "")


@pages.get("/numeros-antigos", "Sistemas antigos", actions=[REDIRECTS], in_menu=True)
async def list_mappings(visit: Visit) -> Response[Any]:
    """List the old numbers with the services that replace them."""
    filters = [Filter("sistema", "Sistema antigo", list(SOURCES.items()))]
    listing = Listing(visit, ("número antigo", "números antigos"), filters)
    query = {"origem": listing.values.get("sistema"), "page": listing.number, "per_page": listing.size}
    found = await search_client.list_mappings(visit.api, query)
    listing.rows, listing.total = found.tombamentos, found.found
    return visit.render("catalogue/mappings.html", listing=listing, sources=SOURCES, to_moment=to_moment)


@pages.form("/numeros-antigos/novo", "Novo número antigo", actions=[REDIRECTS])
async def create_mapping(visit: Visit) -> Response[Any]:
    """Map an old number. If the number is already mapped, link to that mapping."""
    form = _make_form(visit, {"id_servico_novo": visit.query.first("servico")[:500]})
    taken: dict[str, Any] = {}
    service = await _find_service(visit, form) if form.is_sent and form.validate() else ""
    if service:
        body = _body(form, service)
        if await form.submit(lambda: _keep_taken(search_client.create_mapping(visit.api, body, form.key), taken)):
            back = visit.address("catalogue.list_mappings")
            return await visit.redirect(back, "O número antigo leva agora ao serviço.")
    return _render(visit, form, taken)


@pages.form("/numeros-antigos/{mapping}", "Número antigo", actions=[READ])
async def edit_mapping(visit: Visit, mapping: str) -> Response[Any]:
    """Show a mapping. People who may map numbers can also change it."""
    read = await search_client.read_mapping(visit.api, mapping)
    known = read.value
    (service,) = await gather_blocks(client.read_service(visit.api, known.id_servico_novo))
    name = service.value.value.nome_servico if service.value else known.id_servico_novo
    values = {
        "origem": known.origem,
        "id_servico_antigo": known.id_servico_antigo,
        "id_servico_novo": name,
        "observacoes": known.observacoes or "",
    }
    form = _make_form(visit, values, read.etag)
    taken: dict[str, Any] = {}
    if form.is_sent and form.validate():
        same = (form.id_servico_novo.data or "").strip() == name
        target = known.id_servico_novo if same else await _find_service(visit, form)
        if target and await form.submit(
            lambda: _keep_taken(search_client.change_mapping(visit.api, mapping, _body(form, target), form.etag), taken)
        ):
            return await visit.redirect(visit.address("catalogue.list_mappings"), "Gravado.")
        if form.is_outdated:
            form.refusal = f"Alguém mudou este número antes de você: agora leva a “{name}”."
            form.etag = read.etag
    return _render(visit, form, taken, known, name)


@pages.form("/numeros-antigos/{mapping}/remover", "Remover o número antigo", actions=[REDIRECTS])
async def remove_mapping(visit: Visit, mapping: str) -> Response[Any]:
    """Ask for confirmation, and remove a mapping."""
    read = await search_client.read_mapping(visit.api, mapping)
    if visit.is_post:
        await search_client.delete_mapping(visit.api, mapping, visit.posted.first("_etag"))
        return await visit.redirect(visit.address("catalogue.list_mappings"), "O número antigo não leva mais a nada.")
    return visit.render(
        "catalogue/remove_mapping.html",
        mapping=read.value,
        etag=read.etag,
        sources=SOURCES,
        crumbs=[_crumb(visit)],
    )


def _make_form(visit: Visit, values: dict[str, Any], etag: str = "") -> MappingForm:
    form = MappingForm(visit, values, etag=etag)
    own = form.origem.data or ""
    known = SOURCES if not own or own in SOURCES else {own: own, **SOURCES}
    form.origem.choices = list_choices([("", "Escolha"), *known.items()])
    return form


async def _find_service(visit: Visit, form: MappingForm) -> str:
    """Return the id of the service with the typed name, or of the only service whose name contains the typed text.

    If there is no such service, or several match, add an error to the field and return "".
    """
    asked = (form.id_servico_novo.data or "").strip()
    found = await client.list_summaries(visit.api, {"nome_servico": asked, "per_page": _MOST_NAMED})
    exact = [one for one in found.services if one.nome_servico.casefold() == asked.casefold()]
    services = exact if len(exact) == 1 else found.services
    if len(services) == 1:
        return services[0].id
    names = "; ".join(one.nome_servico for one in services)
    text = f"Há vários: {names}. Escreva o nome inteiro." if names else "Nenhum serviço tem este nome."
    form.id_servico_novo.errors = [*form.id_servico_novo.errors, text]
    return ""


async def _keep_taken(sending: Any, taken: dict[str, Any]) -> Any:
    """Wait for the response.

    If the number is already mapped, store the existing mapping in `taken` and raise Conflict.
    """
    try:
        return await sending
    except Conflict as fault:
        taken.update((fault.body or {}).get("tombamento_existente") or {})
        raise


def _body(form: MappingForm, service: str) -> dict[str, Any]:
    return {
        "origem": form.origem.data,
        "id_servico_antigo": (form.id_servico_antigo.data or "").strip(),
        "id_servico_novo": service,
        "observacoes": (form.observacoes.data or "").strip() or None,
    }


def _render(
    visit: Visit,
    form: MappingForm,
    taken: dict[str, Any],
    known: search_client.LegacyMapping | None = None,
    name: str = "",
) -> Response[Any]:
    return visit.render(
        "catalogue/mapping.html",
        form=form,
        taken=taken,
        known=known,
        service_name=name,
        sources=SOURCES,
        may_change=visit.may(REDIRECTS),
        crumbs=[_crumb(visit)],
        status=form.status,
    )


def _crumb(visit: Visit) -> Crumb:
    return Crumb("Sistemas antigos", visit.address("catalogue.list_mappings"))
