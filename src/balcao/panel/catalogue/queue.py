"""The approval queue. After each decision, the next service or proposal opens."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.catalogue import client
from balcao.panel.visit import Visit
from balcao.web.api import Block, gather_blocks

AWAITING = {"status": 0, "awaiting_approval": True, "sort_by": "last_update", "order": "asc"}
# Buttons on a queued service's page post this field, so that the next queued item opens after the decision.
IS_QUEUED = "fila"


async def open_next(visit: Visit, done: str, decided: str) -> Response[Any]:
    """Redirect to the longest-waiting item except `decided`, services before proposals.

    If nothing is waiting, redirect to the queue. The next page shows the message `done`.
    """
    blocks: list[Block[Any]] = await gather_blocks(
        client.list_summaries(visit.api, AWAITING | {"per_page": 2}), client.list_awaiting_proposals(visit.api)
    )
    services, proposals = blocks
    waiting = [
        visit.address("catalogue.review_service", service=one.id)
        for one in (services.value.services if services.value else ())
        if one.id != decided
    ]
    waiting += [
        visit.address("catalogue.show_proposal", service=one.service_id, proposal=one.id)
        for one in (proposals.value.proposals if proposals.value else ())
        if one.id != decided
    ]
    if waiting:
        return await visit.redirect(waiting[0], f"{done} Abaixo, o próximo texto que espera aprovação.")
    is_known = services.fault is None and proposals.fault is None
    end = f"{done} Nada mais espera aprovação." if is_known else done
    return await visit.redirect(visit.address("catalogue.list_approvals"), end)
