"""The pages of the agents, in the order of the navigation."""

from balcao.panel.agents import datasets, editing, versions, webhooks
from balcao.panel.agents.rights import WEBHOOK_MANAGE
from balcao.panel.declaration import Area, Pages, Waiting

pages = Pages("agents", "/agentes", [part.pages for part in (versions, editing, datasets, webhooks)])

AREA = Area(
    "Agentes",
    60,
    pages,
    waiting=[Waiting([WEBHOOK_MANAGE], webhooks.WEBHOOKS.find_failing, "agents.list_webhooks")],
)
