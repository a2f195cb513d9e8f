"""Pages for units: the list, a unit with its history and upcoming days, and the unit's record."""

import asyncio
from datetime import timedelta
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.health_units import client
from balcao.panel.health_units.declared import (
    AREA,
    BASE,
    MANAGE,
    READ,
    UNITS,
    reaches,
    require_reach,
    unit_crumbs,
    units_crumb,
)
from balcao.panel.health_units.drawing import STRIP_HEIGHT, STRIP_WIDTH, draw_history, draw_known
from balcao.panel.health_units.forms import UnitForm
from balcao.panel.health_units.labels import COLORS, SITUATIONS, TYPES, describe_event
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, NotFound, gather_blocks
from balcao.web.lists import Filter, Listing

HISTORY = timedelta(days=30)
_EVERY_EVENT = 500

pages = Pages(AREA, BASE)


@pages.get("/unidades", "Unidades", actions=[READ, UNITS], in_menu=True)
async def list_units(visit: Visit) -> Response[Any]:
    """List the units, sorted by name or risk."""
    (areas,) = await gather_blocks(client.list_areas(visit.api))
    named = [(each.properties.area, f"{each.properties.area} {each.properties.nome}") for each in areas.value or ()]
    filters = [
        Filter("busca", "Nome", is_wide=True),
        Filter("area", "Área", named, unset="Todas"),
        Filter("tipo", "Tipo", list(TYPES.items())),
        Filter("risco", "Risco", [(color, color) for color in COLORS]),
        Filter("ativa", "Funciona", [("false", "Só as desligadas")], unset="Sim"),
    ]
    orders = {"nome": "Por nome", "risco": "Maior risco primeiro"}
    listing = Listing(visit, ("unidade", "unidades"), filters, orders=orders)
    query = {**listing.values, "ordem": listing.order, "page": listing.number, "per_page": listing.size}
    if len(listing.values.get("busca", "")) == 1:
        del query["busca"]  # the service searches only for two or more letters
    found = await client.list_units(visit.api, query)
    listing.rows, listing.total = found.data, found.pagination.total
    return visit.render("health_units/units.html", listing=listing, colors=COLORS, situations=SITUATIONS, types=TYPES)


@pages.get("/unidades/{cnes}", "Unidade", actions=[READ, UNITS])
async def show_unit(visit: Visit, cnes: str) -> Response[Any]:
    """Show a unit, its next fourteen days, and its notifications of the last thirty days."""
    now = visit.panel.words.now()
    unit = await client.read_unit(visit.api, cnes)
    (days,), (events,) = await asyncio.gather(
        gather_blocks(client.list_days(visit.api, cnes, now.date())),
        gather_blocks(client.list_events(visit.api, cnes=cnes, since=now - HISTORY, limit=_EVERY_EVENT)),
    )
    sees_log = visit.may(READ) and reaches(visit, READ, unit.area)
    happened = events.value.itens if events.value is not None else []
    spans = draw_history(happened, unit.risco_atual.risco, now - HISTORY, now) if events.value is not None else []
    return visit.render(
        "health_units/unit.html",
        unit=unit,
        days=days,
        changed=frozenset(),
        events=events,
        spans=spans,
        known=draw_known(happened, _EVERY_EVENT, now - HISTORY, now),
        ends=[now - HISTORY, now - HISTORY * 2 / 3, now - HISTORY / 3],
        sees_log=sees_log,
        may_edit=visit.may(UNITS) and reaches(visit, UNITS, unit.area),
        may_act=visit.may(MANAGE) and reaches(visit, MANAGE, unit.area),
        colors=COLORS,
        situations=SITUATIONS,
        types=TYPES,
        describe_event=describe_event,
        size=(STRIP_WIDTH, STRIP_HEIGHT),
        since=now - HISTORY,
        crumbs=[units_crumb(visit)],
    )


@pages.form("/unidades-nova", "Cadastrar unidade", actions=[UNITS])
async def add_unit(visit: Visit) -> Response[Any]:
    """Register a unit under an unused code."""
    form = UnitForm(visit)

    async def send() -> dict[str, Any]:
        if await _is_taken(visit, cnes):
            raise Conflict("Já há uma unidade com este CNES: abra-a na lista para mudar o registro.")
        return await client.put_unit(visit.api, cnes, form.body, "")

    cnes = form.cnes.data or ""
    if form.is_sent and await form.submit(send):
        return await visit.redirect(visit.address("health_units.show_unit", cnes=cnes), "Unidade cadastrada.")
    return visit.render(
        "health_units/unit_form.html",
        form=form,
        back=visit.address("health_units.list_units"),
        crumbs=[units_crumb(visit)],
        status=form.status,
    )


async def _is_taken(visit: Visit, cnes: str) -> bool:
    try:
        await client.read_record(visit.api, cnes)
    except NotFound:
        return False
    return True


@pages.form("/unidades/{cnes}/registro", "Mudar o registro", actions=[UNITS])
async def edit_unit(visit: Visit, cnes: str) -> Response[Any]:
    """Change a unit's record."""
    record = await client.read_record(visit.api, cnes)
    require_reach(visit, UNITS, record.value["area"])
    form = UnitForm(visit, record.value, etag=record.etag)
    del form.cnes  # the code never changes
    if form.is_sent and await form.submit(lambda: client.put_unit(visit.api, cnes, form.body, form.etag)):
        return await visit.redirect(visit.address("health_units.show_unit", cnes=cnes), "Registro gravado.")
    if form.is_outdated:
        form.etag = record.etag
    return visit.render(
        "health_units/unit_form.html",
        form=form,
        theirs=record.value if form.is_outdated else None,
        back=visit.address("health_units.show_unit", cnes=cnes),
        crumbs=unit_crumbs(visit, cnes, record.value["nome"]),
        status=form.status,
    )
