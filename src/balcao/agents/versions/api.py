"""Routes for versions: read a configuration, save a version, and change the active version."""

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

# A configuration never changes, so clients may cache it. The active version can change, so it must be revalidated.
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
    """Devolve a configuração com que um agente trabalha: blocos de memória, ferramentas e modelos. Uma configuração
    nunca muda, e por isso pode ficar em cache. Exige a ação `agent_config:read` ou um cliente dos próprios agentes.
    """
    cached = service.find_cached_config(call, config_id)
    return _load_config(call, config_id) if cached is None else from_ready(cached, call, CACHE)


async def _load_config(call: Call, config_id: str) -> Response[AgentConfig]:
    if not is_uuid(config_id):  # a UUID always matches the pattern
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
    """Devolve a configuração da versão ativa. Outra versão pode ser ativada a qualquer momento: revalide com o `ETag`.
    Exige a ação `agent_config:read` ou um cliente dos próprios agentes.
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
    """Salva uma nova versão e a ativa. Os campos que não vêm são herdados da versão ativa; nulo esvazia o campo. Se o
    conteúdo é igual ao da versão ativa, nenhuma versão é criada. Com `activate` falso, a versão é salva sem ser
    ativada. Com `expected_version`, a versão só é salva se a ativa for essa (senão, 409). Exige a ação
    `agent_config:create` e, para ativar, também `agent_config:activate`.
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
    """Como `unified-save`, mas só para a configuração: o texto de instruções é herdado da versão ativa. Exige a ação
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
    """Como `unified-save`, mas só para o texto de instruções: a configuração é herdada da versão ativa. Exige a ação
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
    """Ativa a versão e registra a mudança. Se ela já está ativa, nada muda. Com `expected_version`, só ativa se a
    versão ativa até então for essa (senão, 409).
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
    """Ativa a versão que estava ativa antes da atual ou, com `to_version`, outra que já esteve ativa. Sem `to_version`,
    repetir a chamada volta à versão que está ativa agora.
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
    """Salva o conteúdo padrão como uma nova versão e a ativa. Nenhuma versão é apagada, e a numeração continua."""
    return results.describe_reset(call, query.agent_type, await service.reset_agent(call, query.agent_type))


@routes.delete(
    "/api/v1/agent-config/reset",
    "agents.reset_config",
    ACTIVATE,
    "Volta à configuração padrão",
)
async def reset_config(call: Call, query: Annotated[ResetQuery, in_query(ResetQuery)]) -> ConfigReset:
    """Como `unified-reset`, mas só para a configuração: o texto de instruções da versão ativa é mantido."""
    version = await service.reset_agent(call, query.agent_type, *CONFIG_MEMBERS)
    return results.describe_config_reset(query.agent_type, version)


@routes.delete(
    "/api/v1/system-prompt/reset",
    "agents.reset_prompt",
    ACTIVATE,
    "Volta às instruções padrão",
)
async def reset_prompt(call: Call, query: Annotated[ResetQuery, in_query(ResetQuery)]) -> PromptReset:
    """Como `unified-reset`, mas só para o texto de instruções: a configuração da versão ativa é mantida."""
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
    """Oculta a versão mais nova. Se ela está ativa, a que estava ativa antes volta a ser a ativa. Nada é apagado. Com
    `expected_version`, repetir a chamada não desfaz mais uma versão. Exige as ações `agent_config:activate` e
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
    """Oculta dos históricos uma versão que não está ativa. Nada é apagado: a versão ainda pode ser lida pelo número e
    pelos identificadores, mas não pode mais ser ativada.
    """
    hidden = await service.hide_version(call, query.agent_type, query.version_number, HIDE_REASON)
    return results.describe_hiding(call, query.agent_type, hidden)


FEATURE = Feature(routes=routes.declared, imports=IMPORTS, exports=store.EXPORTS)
