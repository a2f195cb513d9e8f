"""The page for the last day's calls, as plots and as a table."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.operation import platform_client
from balcao.panel.operation.declared import AREA, BASE, OPERATION
from balcao.panel.operation.drawing import COARSE_STEP, FINE_STEP, HEIGHT, LEFT, WIDTH, draw_slots, sum_slots
from balcao.panel.operation.labels import name_service
from balcao.panel.visit import Visit
from balcao.web.lists import Filter, Listing

pages = Pages(AREA, BASE)


@pages.get("/chamadas", "Chamadas", actions=[OPERATION], in_menu=True)
async def show_responses(visit: Visit) -> Response[Any]:
    """Show the calls, faults, refusals and response times of the last day, for one service or for all services."""
    found = await platform_client.read_response_counts(visit.api)
    filters = [Filter("servico", "Serviço", [(each.service, name_service(each.service)) for each in found.data])]
    listing = Listing(visit, ("hora", "horas"), filters, size=30)
    chosen = listing.values.get("servico")
    fine, coarse = (sum_slots(found, chosen, step, visit.panel.words.zone) for step in (FINE_STEP, COARSE_STEP))
    if any(slot.responses for slot in coarse):
        listing.rows, listing.total = coarse[::-1], len(coarse)
    return visit.render(
        "operation/responses.html",
        listing=listing,
        total=sum(slot.responses for slot in fine),
        total_faults=sum(slot.faults for slot in fine),
        total_refusals=sum(slot.refusals for slot in fine),
        calls=draw_slots(fine, lambda slot: slot.responses),
        faults=draw_slots(fine, lambda slot: slot.faults),
        refusals=draw_slots(fine, lambda slot: slot.refusals),
        halves=draw_slots(fine, lambda slot: slot.half_ms),
        most=draw_slots(fine, lambda slot: slot.most_ms),
        size=(WIDTH, HEIGHT),
        left=LEFT,
    )
