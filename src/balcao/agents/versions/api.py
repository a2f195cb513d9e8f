"""Routes of the agents' configuration."""

from balcao.agents.operations import READ_CONFIG, ConfigIdInPath
from balcao.agents.versions import service
from balcao.agents.versions.schemas import AgentConfig, ConfigPath
from balcao.core.context.call import Call
from balcao.core.http.decoding import validate_model
from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes
from balcao.core.http.responses import Response, from_ready

# A version never changes.
CACHE = "private, max-age=31536000, immutable"


routes = Routes(tags=["configurações"], dialect=DETAIL)


@routes.get(
    "/api/v1/agent-config/by-id/{config_id}",
    "agents.read_config",
    READ_CONFIG,
    "Configuração de um agente, por identificador",
    description=(
        "Devolve a configuração com que um agente trabalha: blocos de memória, ferramentas e modelos. Exige a ação "
        "`agent_config:read`, ou um cliente dos próprios agentes. Uma configuração nunca muda: guarde-a à vontade."
    ),
    errors=[304, 404, 422],
)
async def read_config(call: Call, config_id: ConfigIdInPath) -> Response[AgentConfig]:
    """Return a configuration by its id."""
    path = validate_model({"config_id": config_id}, ConfigPath, "path")
    return from_ready(await service.read_config(call, path.config_id), call, CACHE)
