"""Pages for the city's reference data: departments, message subjects, and the vehicle catalogue."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.counter import reference_client as client
from balcao.panel.counter.reference_forms import KINDS, BrandForm, CategoryForm, ModelForm, NewCategoryForm
from balcao.panel.declaration import Pages
from balcao.panel.departments import read_department_names
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, NotFound, gather_blocks
from balcao.web.faults import make_not_found
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

CATEGORIES, VEHICLES = "categories:write", "vehicle_catalog:write"
DEPARTMENTS = "staff_departments:read"

pages = Pages("counter", "")


@pages.get("/orgaos", "Órgãos", actions=[DEPARTMENTS], in_menu=True)
async def list_departments(visit: Visit) -> Response[Any]:
    """List the city's departments by level in the hierarchy."""
    listing = Listing(visit, ("órgão", "órgãos"), [Filter("busca", "Nome ou sigla", is_wide=True)])
    asked = listing.values.get("busca")
    found = await client.list_departments(visit.api, search=asked, page=listing.number, size=listing.size)
    listing.rows, listing.total = found.departments, found.pagination.total
    (every,) = await gather_blocks(read_department_names(visit.api))
    return visit.render("counter/departments.html", listing=listing, above=every.value or {})


@pages.get("/assuntos", "Assuntos de mensagens", actions=[CATEGORIES], in_menu=True)
async def list_categories(visit: Visit) -> Response[Any]:
    """List the message subjects in the order in which citizens see them."""
    found = await client.list_categories(visit.api)
    return visit.render("counter/categories.html", categories=found.categories)


@pages.form("/assuntos/novo", "Novo assunto", actions=[CATEGORIES])
async def create_category(visit: Visit) -> Response[Any]:
    """Add a subject."""
    form = NewCategoryForm(visit, {"active": True})
    if form.is_sent and await form.submit(lambda: client.create_category(visit.api, _to_body(form))):
        return await visit.redirect(visit.address("counter.list_categories"), "O assunto foi criado.")
    return visit.render("counter/category.html", form=form, crumbs=[_categories_crumb(visit)], status=form.status)


@pages.form("/assuntos/{category}", "Assunto", actions=[CATEGORIES])
async def change_category(visit: Visit, category: str) -> Response[Any]:
    """Change a subject, or stop offering it. The choices that citizens have made remain stored."""
    found = next((one for one in (await client.list_categories(visit.api)).categories if one.id == category), None)
    if found is None:
        raise make_not_found()
    form = CategoryForm(visit, {name: getattr(found, name) for name in found.__struct_fields__})
    if form.is_sent and await form.submit(lambda: client.change_category(visit.api, category, _to_body(form))):
        return await visit.redirect(visit.address("counter.list_categories"), "O assunto foi gravado.")
    return visit.render("counter/category.html", form=form, crumbs=[_categories_crumb(visit)], status=form.status)


def _to_body(form: CategoryForm) -> dict[str, Any]:
    return {name: value for name, value in form.data.items() if value is not None}


def _categories_crumb(visit: Visit) -> Crumb:
    return Crumb("Assuntos de mensagens", visit.address("counter.list_categories"))


@pages.get("/catalogo-de-veiculos", "Catálogo de veículos", actions=[VEHICLES], in_menu=True)
async def show_vehicles(visit: Visit) -> Response[Any]:
    """Show all brands and models, including deleted ones."""
    return await _show_vehicles(visit, BrandForm(visit), ModelForm(visit))


@pages.post("/catalogo-de-veiculos/marcas", "Incluir a marca", actions=[VEHICLES])
async def create_brand(visit: Visit) -> Response[Any]:
    """Add a brand."""
    form = BrandForm(visit)
    if await form.submit(lambda: client.create_brand(visit.api, form.name.data or "")):
        return await visit.redirect(visit.address("counter.show_vehicles"), "A marca foi incluída.")
    return await _show_vehicles(visit, form, ModelForm(visit, is_sent=False))


@pages.post("/catalogo-de-veiculos/modelos", "Incluir o modelo", actions=[VEHICLES])
async def create_model(visit: Visit) -> Response[Any]:
    """Add a model to a brand."""
    brands = (await client.list_brands(visit.api)).data
    form = ModelForm(visit)
    form.brand_id.choices = _list_choices(brands)

    async def send() -> None:
        await client.create_model(visit.api, form.brand_id.data, form.model_name.data or "", form.vehicle_type.data)

    if await form.submit(send):
        return await visit.redirect(visit.address("counter.show_vehicles"), "O modelo foi incluído.")
    return await _show_vehicles(visit, BrandForm(visit, is_sent=False), form)


@pages.post("/catalogo-de-veiculos/marcas/{brand}/excluir", "Excluir a marca", actions=[VEHICLES])
async def delete_brand(visit: Visit, brand: str) -> Response[Any]:
    """Delete a brand. The service refuses if models or vehicles refer to it."""
    try:
        await client.delete_brand(visit.api, brand)
    except (Conflict, NotFound) as fault:
        return await visit.redirect(visit.address("counter.show_vehicles"), fault.text, is_done=False)
    return await visit.redirect(visit.address("counter.show_vehicles"), "A marca foi excluída.")


@pages.post("/catalogo-de-veiculos/modelos/{model}/excluir", "Excluir o modelo", actions=[VEHICLES])
async def delete_model(visit: Visit, model: str) -> Response[Any]:
    """Delete a model. The service refuses if vehicles refer to it."""
    try:
        await client.delete_model(visit.api, model)
    except (Conflict, NotFound) as fault:
        return await visit.redirect(visit.address("counter.show_vehicles"), fault.text, is_done=False)
    return await visit.redirect(visit.address("counter.show_vehicles"), "O modelo foi excluído.")


async def _show_vehicles(visit: Visit, brand_form: BrandForm, model_form: ModelForm) -> Response[Any]:
    brands = (await client.list_brands(visit.api)).data
    models = (await client.list_models(visit.api)).data
    model_form.brand_id.choices = _list_choices(brands)
    return visit.render(
        "counter/vehicles.html",
        brands=brands,
        models=models,
        kinds=KINDS,
        named={one.id: one.name for one in brands},
        brand_form=brand_form,
        model_form=model_form,
        status=max(brand_form.status, model_form.status),
    )


def _list_choices(brands: list[client.Brand]) -> dict[str, str]:
    living = {one.id: one.name for one in brands if one.deleted_at is None and not one.is_other}
    return {"": "Escolha…", **living}
