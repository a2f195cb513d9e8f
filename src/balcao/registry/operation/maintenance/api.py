"""Routes of the maintenance of services."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.registry.operation.maintenance import service
from balcao.registry.operation.maintenance.paths import ServiceInPath
from balcao.registry.operation.maintenance.schemas import MaintenanceBody, Maintenances, MaintenanceState
from balcao.registry.operation.routes import OPERATION_ROUTES

routes = OPERATION_ROUTES.extend()


@routes.get(
    "/admin/maintenance",
    "registry.list_maintenance",
    action("operation:read"),
    "Serviços em manutenção",
)
async def get_maintenance(call: Call) -> Maintenances:
    """Devolve os serviços em manutenção: desde e até quando, por quem e com que frase; e, à parte, as planejadas."""
    return await service.list_maintenance(call)


@routes.put(
    "/admin/maintenance/{service_name}",
    "registry.begin_maintenance",
    action("maintenance:write"),
    "Põe um serviço em manutenção, agora ou mais tarde",
    errors=[409],
)
async def begin_maintenance(call: Call, service_name: ServiceInPath, body: MaintenanceBody) -> MaintenanceState:
    """O serviço responde 503 com a frase, em todos os processos em até 5 segundos, até o fim dito ou até que alguém a
    encerre; as tarefas em fila continuam. Em quem já está em manutenção, muda frase e fim. Com `begins_at` ela é só
    planejada: a página pública de estado a anuncia, ela começa e termina sozinha, e toma o lugar da que estava
    planejada; sobre uma que já começou é 409. Exige a ação `maintenance:write`; o motivo fica na trilha de auditoria.
    """
    return await service.begin_maintenance(call, service_name, body)


@routes.delete(
    "/admin/maintenance/{service_name}",
    "registry.end_maintenance",
    action("maintenance:write"),
    "Encerra a manutenção de um serviço, ou desiste da planejada",
    status=204,
    errors=[409],
)
async def end_maintenance(call: Call, service_name: ServiceInPath) -> None:
    """Põe o serviço de novo no ar, em todos os processos em até 5 segundos, ou desiste da manutenção planejada; sem
    nenhuma é 409. Responde também enquanto o próprio registro está em manutenção. Exige a ação `maintenance:write`.
    """
    await service.end_maintenance(call, service_name)


FEATURE = Feature(routes=routes.declared)
