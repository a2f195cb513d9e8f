"""The agent configuration service: versions of the city's chat agents, and examples for testing the agents."""

from balcao.agents.datasets.api import FEATURE as DATASETS
from balcao.agents.experiments.api import FEATURE as EXPERIMENTS
from balcao.agents.history.api import FEATURE as HISTORY
from balcao.agents.lifespan import run_agents
from balcao.agents.prompts.api import FEATURE as PROMPTS
from balcao.agents.token_check.api import FEATURE as TOKEN_CHECK
from balcao.agents.versions.api import FEATURE as VERSIONS
from balcao.agents.webhooks.api import FEATURE as WEBHOOKS
from balcao.core.http.dialects import DETAIL
from balcao.core.service import Service

SERVICE = Service(
    name="agents",
    prefix="/agent",
    title="Balcão: configuração de agentes",
    package=__name__,
    features=[TOKEN_CHECK, VERSIONS, PROMPTS, HISTORY, DATASETS, EXPERIMENTS, WEBHOOKS],
    dialects={"": DETAIL},
    description="Configuração e dados de exemplo dos agentes de conversa da cidade, lidos por quem os executa.",
    tags={
        "autenticação": "Se um token vale, e de quem é.",
        "configurações": "As versões da configuração de cada agente.",
        "avisos": "Quem é avisado, por chamada assinada, de que outra versão de um agente está ativa.",
        "conjuntos de dados": "Exemplos com que os agentes são avaliados.",
        "experimentos": "O que os agentes responderam aos exemplos, e com que notas.",
    },
    lifespan=run_agents,
)
