"""Routes for the platform's state."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.registry.operation.platform import service
from balcao.registry.operation.platform.schemas import PlatformState, Processes, Versions
from balcao.registry.operation.routes import OPERATION_ROUTES

routes = OPERATION_ROUTES.extend()


@routes.get(
    "/admin/state",
    "registry.read_platform_state",
    action("operation:read"),
    "Estado das partes da plataforma",
)
async def get_platform_state(call: Call) -> PlatformState:
    """Devolve o estado do banco de dados, das réplicas, dos provedores de identidade, dos processos, das tarefas e das
    manutenções. Réplicas e provedores aparecem como o processo que responde os vê. Exige a ação `operation:read`. Não
    mostra dados pessoais.
    """
    return await service.read_platform_state(call)


@routes.get(
    "/admin/processes",
    "registry.list_processes",
    action("operation:read"),
    "Processos de todas as máquinas",
)
async def get_processes(call: Call) -> Processes:
    """Devolve os processos que atendem chamadas ou executam tarefas. Um processo que termina em ordem sai da lista; um
    que foi morto continua nela, sem sinal de vida, por uma hora.
    """
    return await service.list_processes(call)


@routes.get(
    "/admin/versions",
    "registry.read_versions",
    action("operation:read"),
    "Versões do programa e dos esquemas do banco",
)
async def get_versions(call: Call) -> Versions:
    """Devolve as versões dos processos vivos (mais de uma durante uma atualização) e a última migração aplicada de cada
    serviço.
    """
    return await service.read_versions(call)


FEATURE = Feature(routes=routes.declared)
