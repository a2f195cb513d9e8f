"""Routes of the agents' versions: read a configuration, save a version, and move the active pointer."""

from typing import Annotated

from balcao.agents.operations import READ_CONFIG, ConfigIdInPath
from balcao.agents.queries import AgentQuery
from balcao.agents.routes import ROUTES
from balcao.agents.versions import results, service, store
from balcao.agents.versions.content import CONFIG_MEMBERS
from balcao.agents.versions.imports import IMPORTS
from balcao.agents.versions.schemas import (
    ActivateBody,
    ActivationResult,
    AgentConfig,
    ConfigBody,
    ConfigPath,
    ConfigReset,
    ConfigSaved,
    HideQuery,
    HideResult,
    PromptBody,
    PromptReset,
    PromptSaved,
    ResetQuery,
    ResetResult,
    RollbackBody,
    SaveBody,
    UndoQuery,
    UndoResult,
    UnifiedSaved,
)
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.decoding import validate_model
from balcao.core.http.parameters import in_query
from balcao.core.http.responses import Response, Soon, from_ready, with_etag
from balcao.core.values.ids import is_uuid

# A version never changes, so clients may cache it. The active version can change, so it must be revalidated.
CACHE = "private, max-age=31536000, immutable"
REVALIDATE = "private, no-cache"
HIDE_REASON = "ocultada pela API"

SAVE = action(service.CREATE).testing(service.ACTIVATE)
ACTIVATE = action(service.ACTIVATE)

routes = ROUTES.extend(tags=["configurações"])


@routes.get(
    "/api/v1/agent-config/by-id/{config_id}",
    "agents.read_config",
    READ_CONFIG,
    "Configuração de um agente, por identificador",
    errors=[304, 422],
)
def get_config(call: Call, config_id: ConfigIdInPath) -> Soon[AgentConfig]:
    """Devolve a configuração com que um agente trabalha: blocos de memória, ferramentas e modelos. Exige a ação
    `agent_config:read`, ou um cliente dos próprios agentes. Uma configuração nunca muda: guarde-a à vontade.
    """
    cached = service.find_cached_config(call, config_id)
    return _load_config(call, config_id) if cached is None else from_ready(cached, call, CACHE)


async def _load_config(call: Call, config_id: str) -> Response[AgentConfig]:
    if not is_uuid(config_id):  # a UUID needs no pattern check
        validate_model({"config_id": config_id}, ConfigPath, "path")
    return from_ready(await service.load_config(call, config_id), call, CACHE)


@routes.get(
    "/api/v1/agent-config",
    "agents.read_active_config",
    READ_CONFIG,
    "Configuração ativa de um tipo de agente",
    errors=[304, 404],
)
async def get_active_config(call: Call, query: Annotated[AgentQuery, in_query(AgentQuery)]) -> Response[AgentConfig]:
    """Devolve a configuração da versão ativa. Exige a ação `agent_config:read`, ou um cliente dos próprios agentes.
    Revalide com o `ETag`: outra versão pode ser ativada a qualquer momento.
    """
    return with_etag(await service.read_active_config(call, query.agent_type), call, REVALIDATE)


@routes.post(
    "/api/v1/unified-save",
    "agents.save_version",
    SAVE,
    "Salva uma versão: instruções e configuração",
    example={"agent_type": "agentic_search", "model_name": "modelo-demo-5", "reason": "modelo novo"},
    errors=[400, 409],
)
async def save_version(call: Call, body: SaveBody) -> UnifiedSaved:
    """Salva uma versão nova e a ativa. O que falta é herdado da versão ativa; nulo esvazia. Conteúdo igual ao ativo não
    cria versão. Exige a ação `agent_config:create` e, para ativar, também `agent_config:activate`; com `activate` falso
    a versão fica guardada. Com `expected_version`, só salva se esta versão for a ativa.
    """
    return results.describe_save(call, await service.save_version(call, body))


@routes.post(
    "/api/v1/agent-config",
    "agents.save_config",
    SAVE,
    "Salva uma versão com outra configuração",
    example={"tools": ["google_search"], "reason": "só a busca aberta"},
    errors=[400, 409],
)
async def save_config(call: Call, body: ConfigBody) -> ConfigSaved:
    """Como `unified-save`, só para a configuração: as instruções são herdadas da versão ativa. Exige a ação
    `agent_config:create` e, para ativar, também `agent_config:activate`.
    """
    return results.describe_config_save(await service.save_version(call, body))


@routes.post(
    "/api/v1/system-prompt",
    "agents.save_prompt",
    SAVE,
    "Salva uma versão com outras instruções",
    example={"new_prompt": "Responda em português claro.", "reason": "texto mais curto"},
    errors=[400, 409],
)
async def save_prompt(call: Call, body: PromptBody) -> PromptSaved:
    """Como `unified-save`, só para o texto de instruções: a configuração é herdada da versão ativa. Exige a ação
    `agent_config:create` e, para ativar, também `agent_config:activate`.
    """
    return results.describe_prompt_save(await service.save_version(call, body))


@routes.post(
    "/api/v1/agent-config/activate",
    "agents.activate_version",
    ACTIVATE,
    "Ativa uma versão",
    example={"agent_type": "agentic_search", "version": 10, "reason": "volta ao modelo anterior"},
    errors=[404, 409],
)
async def activate_version(call: Call, body: ActivateBody) -> ActivationResult:
    """Faz de uma versão a ativa e registra a troca. Ativar a que já está ativa não registra nada. Com
    `expected_version`, só ativa se esta versão for a ativa até aqui.
    """
    moved = await service.activate_version(call, body.agent_type, body.version, body.reason, body.expected_version)
    return results.describe_move(call, body.agent_type, moved)


@routes.post(
    "/api/v1/agent-config/rollback",
    "agents.roll_back_version",
    ACTIVATE,
    "Volta à versão que estava ativa antes",
    errors=[404, 409],
)
async def roll_back_version(call: Call, body: RollbackBody) -> ActivationResult:
    """Ativa a versão que estava ativa antes da atual, ou `to_version`, que precisa já ter estado ativa. Repetir volta à
    de agora.
    """
    moved = await service.roll_back_agent(call, body.agent_type, body.reason, body.to_version, body.expected_version)
    return results.describe_move(call, body.agent_type, moved)


@routes.delete(
    "/api/v1/unified-reset",
    "agents.reset_agent",
    ACTIVATE,
    "Volta ao conteúdo padrão",
)
async def reset_agent(call: Call, query: Annotated[ResetQuery, in_query(ResetQuery)]) -> ResetResult:
    """Salva o conteúdo padrão como versão nova e a ativa; nenhuma versão é apagada e a numeração continua."""
    return results.describe_reset(call, query.agent_type, await service.reset_agent(call, query.agent_type))


@routes.delete(
    "/api/v1/agent-config/reset",
    "agents.reset_config",
    ACTIVATE,
    "Volta à configuração padrão",
)
async def reset_config(call: Call, query: Annotated[ResetQuery, in_query(ResetQuery)]) -> ConfigReset:
    """Como `unified-reset`, só para a configuração: o texto de instruções continua o da versão ativa."""
    version = await service.reset_agent(call, query.agent_type, *CONFIG_MEMBERS)
    return results.describe_config_reset(query.agent_type, version)


@routes.delete(
    "/api/v1/system-prompt/reset",
    "agents.reset_prompt",
    ACTIVATE,
    "Volta às instruções padrão",
)
async def reset_prompt(call: Call, query: Annotated[ResetQuery, in_query(ResetQuery)]) -> PromptReset:
    """Como `unified-reset`, só para o texto de instruções: a configuração continua a da versão ativa."""
    version = await service.reset_agent(call, query.agent_type, "prompt")
    return results.describe_prompt_reset(query.agent_type, version)


@routes.delete(
    "/api/v1/system-prompt/last",
    "agents.undo_last_version",
    ACTIVATE.testing(service.CREATE),
    "Desfaz a versão mais nova",
    errors=[404, 409],
)
async def undo_last_version(call: Call, query: Annotated[UndoQuery, in_query(UndoQuery)]) -> UndoResult:
    """Oculta a versão mais nova; se ela está ativa, volta antes à que estava ativa antes dela. Nada é apagado. Com
    `expected_version`, uma repetição da chamada não desfaz outra versão. Exige as ações `agent_config:activate` e
    `agent_config:create`.
    """
    undone = await service.undo_newest_version(call, query.agent_type, query.expected_version)
    return results.describe_undo(query.agent_type, undone)


@routes.delete(
    "/api/v1/unified-delete",
    "agents.hide_version",
    action(service.CREATE),
    "Oculta uma versão dos históricos",
    errors=[404, 409],
)
async def hide_version(call: Call, query: Annotated[HideQuery, in_query(HideQuery)]) -> HideResult:
    """Tira dos históricos uma versão que não está ativa. Nada é apagado: os seus identificadores e o seu número
    continuam respondendo, mas ela não pode mais ser ativada.
    """
    hidden = await service.hide_version(call, query.agent_type, query.version_number, HIDE_REASON)
    return results.describe_hiding(call, query.agent_type, hidden)


FEATURE = Feature(routes=routes.declared, imports=IMPORTS, exports=store.EXPORTS)
