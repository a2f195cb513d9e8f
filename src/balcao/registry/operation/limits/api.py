"""Routes that read and change the rate limits for calls."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import Query
from balcao.registry.operation.limits import service
from balcao.registry.operation.limits.paths import LimitInPath
from balcao.registry.operation.limits.schemas import LimitChange, LimitPage, LimitQuery, LimitState
from balcao.registry.operation.routes import OPERATION_ROUTES

routes = OPERATION_ROUTES.extend()


@routes.get(
    "/admin/limits",
    "registry.list_limits",
    action("operation:read"),
    "Limites de chamadas em vigor",
    query=LimitQuery,
)
async def get_limits(call: Call, query: Query, page: PageInQuery) -> LimitPage:
    """Devolve os limites de todos os serviços, primeiro os que foram mudados, com a taxa em vigor e a configurada.
    Exige a ação `operation:read`.
    """
    return await service.list_limits(call, query, page)


@routes.get(
    "/admin/limits/{limit}",
    "registry.read_limit",
    action("operation:read"),
    "Um limite de chamadas",
)
async def get_limit(call: Call, limit: LimitInPath) -> LimitState:
    """Devolve um limite, no mesmo formato de `GET /admin/limits`."""
    return await service.read_limit(call, limit)


@routes.put(
    "/admin/limits/{limit}",
    "registry.change_limit",
    action("limits:write"),
    "Muda um limite por algum tempo",
)
async def put_limit(call: Call, limit: LimitInPath, body: LimitChange) -> LimitState:
    """Muda a taxa por até um dia. Em até 5 segundos ela vale em todos os processos. Pode ir de um décimo a dez vezes a
    taxa configurada; fora disso, só pelo comando `balcao limits`. Exige a ação `limits:write`. O motivo é registrado na
    trilha de auditoria.
    """
    return await service.change_limit(call, limit, body)


@routes.delete(
    "/admin/limits/{limit}",
    "registry.reset_limit",
    action("limits:write"),
    "Volta um limite ao configurado",
    status=204,
    errors=[409],
)
async def reset_limit(call: Call, limit: LimitInPath) -> None:
    """Volta à taxa configurada, em todos os processos em até 5 segundos. 409 se o limite não foi mudado. Exige a ação
    `limits:write`.
    """
    await service.reset_limit(call, limit)


FEATURE = Feature(routes=routes.declared)
