"""Agent configuration: what the city's conversational agents run with, and the examples with which they are judged."""

from balcao.agents.datasets import api as datasets
from balcao.agents.demo import DEMO
from balcao.agents.running import running
from balcao.agents.token_check import api as token_check
from balcao.agents.versions import api as versions
from balcao.core.http.dialects import DETAIL
from balcao.core.service import Service

SERVICE = Service(
    name="agents",
    prefix="/agent",
    title="Balcão: configuração de agentes",
    package=__name__,
    routes=[*token_check.ROUTES, *versions.ROUTES, *datasets.ROUTES],
    dialects={"": DETAIL},
    tags=["autenticação", "configurações", "conjuntos de dados"],
    running=running,
    demo=DEMO,
)
