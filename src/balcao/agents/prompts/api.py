"""Routes for prompts."""

from typing import Annotated, TypeAlias

from balcao.agents.operations import CONFIG_ID, READ_CONFIG
from balcao.agents.prompts import service, store
from balcao.agents.prompts.schemas import CheckedPrompt, PromptPath, PromptToCheck, SystemPrompt
from balcao.agents.queries import AgentQuery
from balcao.agents.routes import ROUTES
from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.decoding import validate_model
from balcao.core.http.operations import MIB, SMALL_BODY
from balcao.core.http.parameters import InPath, in_query

PromptIdInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador do texto de instruções", "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91", CONFIG_ID)
]

routes = ROUTES.extend(tags=["configurações"], body_limit=SMALL_BODY)


@routes.get(
    "/api/v1/system-prompt",
    "agents.read_active_prompt",
    READ_CONFIG,
    "Instruções ativas de um tipo de agente",
    errors=[404],
)
async def get_active_prompt(call: Call, query: Annotated[AgentQuery, in_query(AgentQuery)]) -> SystemPrompt:
    """Devolve o texto de instruções da versão ativa. Exige a ação `agent_config:read` ou um cliente dos próprios
    agentes. Se quem lê é uma pessoa, a leitura é registrada na auditoria.
    """
    return await service.read_active_prompt(call, query.agent_type)


@routes.get(
    "/api/v1/system-prompt/by-id/{prompt_id}",
    "agents.read_prompt",
    READ_CONFIG,
    "Instruções de um agente, por identificador",
    errors=[422],
)
async def get_prompt(call: Call, prompt_id: PromptIdInPath) -> SystemPrompt:
    """Devolve o texto de instruções de uma versão, ativa ou não. Exige a ação `agent_config:read` ou um cliente dos
    próprios agentes. Se quem lê é uma pessoa, a leitura é registrada na auditoria.
    """
    path = validate_model({"prompt_id": prompt_id}, PromptPath, "path")
    return await service.read_prompt(call, path.prompt_id)


@routes.get(
    "/api/v1/system-prompt/agent-types",
    "agents.list_agent_types",
    READ_CONFIG,
    "Tipos de agente",
)
async def get_agent_types(call: Call) -> list[str]:
    """Devolve os nomes dos tipos de agente que têm ao menos uma versão, em ordem alfabética. Exige a ação
    `agent_config:read` ou um cliente dos próprios agentes.
    """
    async with call.platform.database.connection() as connection:
        return await store.list_agent_types(connection)


@routes.post(
    "/api/v1/system-prompt/check",
    "agents.check_prompt",
    action("agent_config:read"),
    "Confere um texto de instruções antes de salvar",
    body_limit=MIB,
    example={"prompt_content": "Responda em português claro, como {{persona}}."},
    idempotent=True,
)
async def check_prompt(call: Call, body: PromptToCheck) -> CheckedPrompt:
    """Verifica se o texto é grande demais, se parece conter senhas, chaves ou tokens e se há nomes entre `{{` e `}}`
    que nenhum bloco de memória preenche. Nada é gravado. Salvar não exige esta verificação.
    """
    return await service.check_prompt(call, body)


FEATURE = Feature(routes=routes.declared)
