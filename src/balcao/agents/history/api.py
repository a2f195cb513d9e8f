"""Routes that return the version histories and compare versions."""

from typing import Annotated, TypeAlias

from balcao.agents.history import service
from balcao.agents.history.schemas import (
    CompareQuery,
    ConfigHistory,
    HistoryQuery,
    PromptHistory,
    UnifiedHistory,
    UnifiedHistoryQuery,
    VersionComparison,
    VersionDetail,
    VersionPath,
)
from balcao.agents.operations import READ_CONFIG
from balcao.agents.queries import AgentQuery
from balcao.agents.routes import ROUTES
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.decoding import validate_model
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InPath, in_query

VersionInPath: TypeAlias = Annotated[str, InPath(str, "Número da versão", "11", r"^[1-9][0-9]{0,9}$")]

routes = ROUTES.extend(tags=["configurações"], body_limit=SMALL_BODY)


@routes.get(
    "/api/v1/agent-config/history",
    "agents.list_configs",
    READ_CONFIG,
    "Histórico das configurações de um tipo de agente",
)
async def get_configs(call: Call, query: Annotated[HistoryQuery, in_query(HistoryQuery)]) -> ConfigHistory:
    """Devolve uma página das configurações, da mais nova à mais antiga, sem as ocultadas. Se o tipo de agente é
    desconhecido, a lista é vazia. Enquanto `next_before` não for nulo, envie-o em `before` para ler a próxima página.
    Exige a ação `agent_config:read` ou um cliente dos próprios agentes.
    """
    return await service.list_configs(call, query)


@routes.get(
    "/api/v1/system-prompt/history",
    "agents.list_prompts",
    READ_CONFIG,
    "Histórico das instruções de um tipo de agente",
)
async def get_prompts(call: Call, query: Annotated[HistoryQuery, in_query(HistoryQuery)]) -> PromptHistory:
    """Devolve uma página dos textos de instruções, do mais novo ao mais antigo, sem os ocultados; de cada um, só o
    começo. Se o tipo de agente é desconhecido, a lista é vazia. Enquanto `next_before` não for nulo, envie-o em
    `before` para ler a próxima página. Exige a ação `agent_config:read` ou um cliente dos próprios agentes.
    """
    return await service.list_prompts(call, query)


@routes.get(
    "/api/v1/unified-history",
    "agents.list_versions",
    READ_CONFIG,
    "Histórico das versões de um tipo de agente",
)
async def get_agent_versions(
    call: Call, query: Annotated[UnifiedHistoryQuery, in_query(UnifiedHistoryQuery)]
) -> UnifiedHistory:
    """Devolve uma página das versões, da mais nova à mais antiga, sem as ocultadas. Se o tipo de agente é desconhecido,
    a lista é vazia. A página pode ter menos itens que o pedido, para não ficar grande demais. Enquanto `next_before`
    não for nulo, envie-o em `before` para ler a próxima página. Exige a ação `agent_config:read` ou um cliente dos
    próprios agentes.
    """
    return await service.list_agent_versions(call, query)


@routes.get(
    "/api/v1/unified-history/version/{version_number}",
    "agents.read_version",
    READ_CONFIG,
    "Uma versão inteira",
)
async def get_agent_version(
    call: Call, version_number: VersionInPath, query: Annotated[AgentQuery, in_query(AgentQuery)]
) -> VersionDetail:
    """Devolve a versão com o texto de instruções completo, mesmo que ela tenha sido ocultada. Exige a ação
    `agent_config:read` ou um cliente dos próprios agentes.
    """
    path = validate_model({"version_number": version_number}, VersionPath, "path")
    return await service.read_agent_version(call, query.agent_type, path.version_number)


@routes.get(
    "/api/v1/agent-config/compare",
    "agents.compare_versions",
    READ_CONFIG,
    "Compara duas versões",
    errors=[404],
)
async def compare_agent_versions(
    call: Call, query: Annotated[CompareQuery, in_query(CompareQuery)]
) -> VersionComparison:
    """Devolve as diferenças entre duas versões, mesmo que tenham sido ocultadas. Valores vazios e nulos contam como
    iguais. Se `from_version` é maior que `to_version`, a comparação é feita no sentido inverso, da versão mais nova
    para a mais antiga. Exige a ação `agent_config:read` ou um cliente dos próprios agentes.
    """
    return await service.compare_agent_versions(call, query)


FEATURE = Feature(routes=routes.declared)
