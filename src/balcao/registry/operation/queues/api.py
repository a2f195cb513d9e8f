"""Route that returns counts of queued jobs by kind."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.registry.operation.queues import service
from balcao.registry.operation.queues.schemas import Queues
from balcao.registry.operation.routes import OPERATION_ROUTES

routes = OPERATION_ROUTES.extend()


@routes.get(
    "/admin/jobs/queues",
    "registry.read_queues",
    action("operation:read"),
    "Filas por tipo de tarefa e tarefas periódicas",
)
async def get_queues(call: Call) -> Queues:
    """Devolve, para cada tipo de tarefa de todos os serviços, quantas esperam, quantas estão em execução, quantas
    falharam de vez e há quanto tempo a mais antiga espera. Das tarefas periódicas, devolve a última e a próxima
    execução. Exige a ação `operation:read`.
    """
    return await service.read_queues(call)


FEATURE = Feature(routes=routes.declared)
