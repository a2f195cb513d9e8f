"""Pages for webhooks and their deliveries, and for the department's systems from which the platform reads data."""

from collections.abc import Callable
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.health_units import client, webhook_client
from balcao.panel.health_units.declared import AREA, BASE, READ, require_reach
from balcao.panel.health_units.declared import WEBHOOKS as MANAGE_WEBHOOKS
from balcao.panel.health_units.forms import UnitsWebhookForm
from balcao.panel.visit import Visit
from balcao.panel.webhooks.labels import describe_failure
from balcao.panel.webhooks.pages import WebhookPages
from balcao.web.api import gather_blocks

# The platform reads each source every minute. After this long without a response, the page marks the source as silent.
SILENT_MINUTES = 5

pages = Pages(AREA, BASE)


@pages.get("/fontes", "Fontes", actions=[READ], in_menu=True)
async def list_sources(visit: Visit) -> Response[Any]:
    """Show when each source last responded."""
    now = visit.panel.words.now()
    sources = [
        (source, None if source.ouvida_em is None else (now - source.ouvida_em).total_seconds())
        for source in await webhook_client.list_sources(visit.api)
    ]
    return visit.render(
        "health_units/sources.html",
        sources=sources,
        silent=SILENT_MINUTES * 60,
        read_at=now,
        describe_failure=describe_failure,
    )


async def _name_units(visit: Visit) -> Callable[[str], str]:
    """Return a function that maps a unit's code to its name, or to the code itself if the units cannot be read."""
    (units,) = await gather_blocks(client.map_units(visit.api))
    names = {unit.cnes: unit.nome for unit in units.value or ()}
    return lambda cnes: names.get(cnes, cnes)


WEBHOOKS = WebhookPages(
    area=AREA,
    action=MANAGE_WEBHOOKS,
    operations=webhook_client.CLIENT,
    form=UnitsWebhookForm,
    purpose="Sistemas avisados de cada mudança por uma chamada assinada.",
    topics="Unidades",
    everything="todas",
    kinds={
        "health_unit.risk_changed": "mudança de risco",
        "health_unit.changed": "mudança de unidade",
        "test": "teste",
    },
    name_topics=_name_units,
    require_reach=lambda visit: require_reach(visit, MANAGE_WEBHOOKS, None),
)
WEBHOOKS.declare(pages)
