"""Routes that start, plan and end the maintenance of services."""

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
    """Devolve os serviços em manutenção, com o início, o fim, o autor e a mensagem, e as manutenções planejadas."""
    return await service.list_maintenance(call)


@routes.put(
    "/admin/maintenance/{service_name}",
    "registry.begin_maintenance",
    action("maintenance:write"),
    "Põe um serviço em manutenção, agora ou mais tarde",
    errors=[409],
)
async def begin_maintenance(call: Call, service_name: ServiceInPath, body: MaintenanceBody) -> MaintenanceState:
    """Põe o serviço em manutenção: em até 5 segundos, todos os processos respondem 503 com a mensagem, até o fim
    informado ou até que alguém encerre a manutenção. Algumas operações continuam respondendo, como as de saúde, as de
    operação da plataforma e o recebimento de eventos do CRM. As tarefas em fila continuam. Se o serviço já está em
    manutenção, muda a mensagem e o fim. Com `begins_at`, a manutenção é só planejada: a página pública de estado a
    anuncia, e ela começa e termina sozinha. O plano substitui o anterior; se a manutenção já começou, a resposta é 409.
    Exige a ação `maintenance:write`. O motivo é registrado na trilha de auditoria.
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
    """Encerra a manutenção, em todos os processos em até 5 segundos, ou cancela a planejada. 409 se não há nenhuma.
    Funciona também enquanto o próprio registro está em manutenção. Exige a ação `maintenance:write`.
    """
    await service.end_maintenance(call, service_name)


FEATURE = Feature(routes=routes.declared)
