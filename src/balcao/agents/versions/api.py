"""Routes of the agents' configuration."""

from litestar import Response

from balcao.agents.operations import READ_CONFIG, ConfigIdInPath, operation
from balcao.agents.versions import service
from balcao.agents.versions.schemas import AgentConfig, ConfigPath
from balcao.core.http.decoding import validate_model
from balcao.core.http.operations import CurrentCall
from balcao.core.http.responses import from_ready

# A version never changes.
CACHE = "private, max-age=31536000, immutable"


@operation(
    "GET",
    "/api/v1/agent-config/by-id/{config_id:str}",
    "agents.read_config",
    READ_CONFIG,
    "Configuração de um agente, por identificador",
    errors=[304, 404, 422],
    tags=["configurações"],
)
async def read_config(call: CurrentCall, config_id: ConfigIdInPath) -> Response[AgentConfig]:
    path = validate_model({"config_id": config_id}, ConfigPath, "path")
    return from_ready(await service.read_config(call, path.config_id), call, CACHE)


ROUTES = [read_config]
