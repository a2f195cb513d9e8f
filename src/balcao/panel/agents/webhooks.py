"""Pages for webhooks and their deliveries.

A webhook notifies another system when a version of an agent becomes active.
"""

from collections.abc import Callable

from balcao.panel.agents.forms import AgentsWebhookForm
from balcao.panel.agents.labels import name_agent
from balcao.panel.agents.rights import WEBHOOK_MANAGE
from balcao.panel.agents.webhook_client import CLIENT
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.panel.webhooks.pages import WebhookPages

pages = Pages("agents", "/agentes")


async def _name_agents(_: Visit) -> Callable[[str], str]:
    return name_agent


WEBHOOKS = WebhookPages(
    area="agents",
    action=WEBHOOK_MANAGE,
    operations=CLIENT,
    form=AgentsWebhookForm,
    purpose="Sistemas avisados, por uma chamada assinada, quando um agente passa a usar outra versão.",
    topics="Agentes",
    everything="todos",
    kinds={"agent.activated": "troca da versão em uso", "test": "teste"},
    name_topics=_name_agents,
)
WEBHOOKS.declare(pages)
