"""Pages for tuning the search: the order of categories, and synonyms."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.catalogue import search_client
from balcao.panel.catalogue.client import to_moment
from balcao.panel.catalogue.forms import CategoryForm, NewCategoryForm, SynonymForm
from balcao.panel.catalogue.routes import AREA, CATEGORIES, TUNING
from balcao.panel.declaration import Pages
from balcao.panel.fields import split_lines
from balcao.panel.visit import Visit
from balcao.web.api import Outdated, gather_blocks
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

# Search for at most this many terms of a group, because one page may make only a limited number of API calls.
_MOST_TRIED = 5

pages = Pages(AREA, "")


@pages.get("/categorias", "Categorias", actions=[CATEGORIES], in_menu=True)
async def list_categories(visit: Visit) -> Response[Any]:
    """Show the categories in the order in which citizens see them as long as no views have been counted."""
    found = await search_client.list_categories(visit.api)
    return visit.render("catalogue/categories.html", categories=found)


@pages.post("/categorias/{name}/mover", "Mover a categoria", actions=[CATEGORIES])
async def move_category(visit: Visit, name: str) -> Response[Any]:
    """Swap a category with its neighbour."""
    listed = await search_client.list_categories(visit.api)
    place = next((at for at, one in enumerate(listed) if one.name == name), None)
    other = None if place is None else place + (-1 if visit.posted.first("para") == "cima" else 1)
    back = visit.address("catalogue.list_categories")
    if place is None or other is None or not 0 <= other < len(listed):
        return await visit.redirect(back, "A ordem já é outra: veja como está.", is_done=False)
    upper, lower = sorted((place, other))
    first, second = await gather_blocks(
        search_client.read_category(visit.api, listed[upper].name),
        search_client.read_category(visit.api, listed[lower].name),
    )
    if first.value is None or second.value is None:
        return await visit.redirect(back, "A ordem não pôde ser lida: tente de novo.", is_done=False)
    weights = second.value.value.popularity_seed, first.value.value.popularity_seed
    # Categories with equal weights are sorted by name, so the category that moves up needs a greater weight than its
    # neighbour.
    weights = (weights[0], weights[1] + 1) if weights[0] == weights[1] else weights
    try:
        for read, weight in zip((first.value, second.value), weights, strict=True):
            category = read.value
            await search_client.order_category(visit.api, category.name, weight, active=category.active, etag=read.etag)
    except Outdated:
        return await visit.redirect(back, "Alguém mudou a ordem ao mesmo tempo: veja como está.", is_done=False)
    return await visit.redirect(back, f"“{name}” mudou de lugar.")


@pages.form("/categorias/nova", "Nova categoria", actions=[CATEGORIES])
async def create_category(visit: Visit) -> Response[Any]:
    """Create a category."""
    form = NewCategoryForm(visit, {"active": True, "popularity_seed": 0})
    if form.is_sent:
        order = search_client.order_category
        weight, active = form.popularity_seed.data or 0, bool(form.active.data)
        if await form.submit(lambda: order(visit.api, form.name.data or "", weight, active=active)):
            back = visit.address("catalogue.list_categories")
            return await visit.redirect(back, f"A categoria “{form.result.name}” foi gravada.")
    return visit.render(
        "catalogue/category.html", form=form, name="", crumbs=[_categories_crumb(visit)], status=form.status
    )


@pages.form("/categorias/{name}", "Categoria", actions=[CATEGORIES])
async def edit_category(visit: Visit, name: str) -> Response[Any]:
    """Change the weight of a category, or hide it."""
    read = await search_client.read_category(visit.api, name)
    values = {"popularity_seed": read.value.popularity_seed, "active": read.value.active}
    form = CategoryForm(visit, values, etag=read.etag)
    if form.is_sent:
        order = search_client.order_category
        weight, active = form.popularity_seed.data or 0, bool(form.active.data)
        if await form.submit(lambda: order(visit.api, read.value.name, weight, active=active, etag=form.etag)):
            back = visit.address("catalogue.list_categories")
            return await visit.redirect(back, f"A categoria “{read.value.name}” foi gravada.")
        if form.is_outdated:
            shown = "aparece" if read.value.active else "não aparece"
            form.refusal = f"Alguém mudou esta categoria: o peso agora é {read.value.popularity_seed}, e ela {shown}."
            form.etag = read.etag
    return visit.render(
        "catalogue/category.html",
        form=form,
        name=read.value.name,
        crumbs=[_categories_crumb(visit)],
        status=form.status,
    )


@pages.get("/sinonimos", "Sinônimos", actions=[TUNING], in_menu=True)
async def list_synonyms(visit: Visit) -> Response[Any]:
    """List the groups of synonyms, optionally filtered by a term."""
    listing = Listing(visit, ("grupo", "grupos"), [Filter("termo", "Procurar um termo", is_wide=True)])
    found = await search_client.list_synonyms(visit.api, listing.values.get("termo"), listing.number, listing.size)
    listing.rows, listing.total = found.synonyms, found.found
    return visit.render("catalogue/synonyms.html", listing=listing, to_moment=to_moment)


@pages.form("/sinonimos/novo", "Novo grupo de sinônimos", actions=[TUNING])
async def create_synonyms(visit: Visit) -> Response[Any]:
    """Create a group, optionally from a search without results. Show what the search finds now for each term."""
    asked = visit.query.first("termo").strip()[:100]
    form = SynonymForm(visit, {"terms": f"{asked}\n" if asked else ""})
    if form.is_sent and visit.posted.first("deed") != "ver":
        terms = split_lines(form.terms.data or "")
        if await form.submit(lambda: search_client.put_synonyms(visit.api, form.key, terms)):
            back = visit.address("catalogue.edit_synonyms", group=form.result.id)
            return await visit.redirect(back, "O grupo vale desde já. Abaixo, o que as buscas acham agora.")
    return await _render_synonyms(visit, form, "Novo grupo de sinônimos", is_new=True)


@pages.form("/sinonimos/{group}", "Grupo de sinônimos", actions=[TUNING])
async def edit_synonyms(visit: Visit, group: str) -> Response[Any]:
    """Change a group, and show what the search finds now for each term."""
    read = await search_client.read_synonyms(visit.api, group)
    form = SynonymForm(visit, {"terms": "\n".join(read.value.terms)}, etag=read.etag)
    if form.is_sent and visit.posted.first("deed") != "ver":
        terms = split_lines(form.terms.data or "")
        if await form.submit(lambda: search_client.put_synonyms(visit.api, group, terms, form.etag)):
            here = visit.address("catalogue.edit_synonyms", group=group)
            return await visit.redirect(here, "Gravado. Abaixo, o que as buscas acham agora.")
        if form.is_outdated:
            form.refusal = f"{read.value.updated_by} mudou este grupo antes de você: {', '.join(read.value.terms)}."
            form.etag = read.etag
    return await _render_synonyms(visit, form, ", ".join(read.value.terms), group=group, etag=read.etag)


@pages.form("/sinonimos/{group}/remover", "Remover o grupo", actions=[TUNING])
async def remove_synonyms(visit: Visit, group: str) -> Response[Any]:
    """Ask for confirmation, and remove a group."""
    read = await search_client.read_synonyms(visit.api, group)
    if visit.is_post:
        await search_client.remove_synonyms(visit.api, group, visit.posted.first("_etag"))
        return await visit.redirect(visit.address("catalogue.list_synonyms"), "O grupo não vale mais.")
    return visit.render(
        "catalogue/remove_synonyms.html", group=read.value, etag=read.etag, crumbs=[_synonyms_crumb(visit)]
    )


async def _render_synonyms(
    visit: Visit, form: SynonymForm, title: str, *, group: str = "", etag: str = "", is_new: bool = False
) -> Response[Any]:
    """Show the form, with the current search results for each term."""
    terms = split_lines(form.terms.data or "")[:_MOST_TRIED]
    tried = await gather_blocks(*(search_client.search(visit.api, term[:200], 3) for term in terms))
    return visit.render(
        "catalogue/synonym_group.html",
        form=form,
        heading=title,
        group=group,
        etag=etag,
        is_new=is_new,
        tried=list(zip(terms, tried, strict=True)),
        crumbs=[_synonyms_crumb(visit)],
        status=form.status,
    )


def _categories_crumb(visit: Visit) -> Crumb:
    return Crumb("Categorias", visit.address("catalogue.list_categories"))


def _synonyms_crumb(visit: Visit) -> Crumb:
    return Crumb("Sinônimos", visit.address("catalogue.list_synonyms"))
