"""Routes of a citizen's vehicles."""

from balcao.core.access.rules import own, scope
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.paging import PageInQuery
from balcao.core.http.responses import Response, created, personal, stored
from balcao.registry.mobility.vehicles import service
from balcao.registry.mobility.vehicles.paths import VehicleId
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleDetail, Vehicles, VehicleUpdate
from balcao.registry.paths import CpfInPath

READING = own("vehicles:read") | scope("smtr:read")
WRITING = own("vehicles:write")


routes = Routes(tags=["mobility"])


@routes.get(
    "/citizen/{cpf}/vehicles",
    "registry.list_vehicles",
    READING,
    "Veículos do cidadão, próprios e conduzidos",
    errors=[304, 400],
)
async def list_vehicles(call: Call, cpf: CpfInPath, page: PageInQuery) -> Response[Vehicles]:
    return personal(await service.list_vehicles(call, cpf, page), call)


@routes.post(
    "/citizen/{cpf}/vehicles",
    "registry.register_vehicle",
    WRITING,
    "Registra um veículo",
    status=201,
    errors=[400, 409],
)
async def register_vehicle(call: Call, cpf: CpfInPath, body: VehicleCreate) -> Response[VehicleDetail]:
    return created(await service.register(call, cpf, body))


@routes.get(
    "/citizen/{cpf}/vehicles/{vehicle_id}",
    "registry.read_vehicle",
    READING,
    "Um veículo, próprio ou conduzido",
    errors=[304, 400, 404],
)
async def read_vehicle(call: Call, cpf: CpfInPath, vehicle_id: VehicleId) -> Response[VehicleDetail]:
    return personal(await service.read_vehicle(call, cpf, vehicle_id), call)


@routes.patch(
    "/citizen/{cpf}/vehicles/{vehicle_id}",
    "registry.change_vehicle",
    WRITING,
    "Altera um veículo próprio",
    errors=[400, 404, 412],
)
async def change_vehicle(
    call: Call, cpf: CpfInPath, vehicle_id: VehicleId, body: VehicleUpdate
) -> Response[VehicleDetail]:
    return stored(await service.change_vehicle(call, cpf, vehicle_id, body))


@routes.delete(
    "/citizen/{cpf}/vehicles/{vehicle_id}",
    "registry.remove_vehicle",
    WRITING,
    "Exclui um veículo próprio e desfaz seus convites e condutores",
    status=204,
    errors=[400, 404, 412],
)
async def remove_vehicle(call: Call, cpf: CpfInPath, vehicle_id: VehicleId) -> None:
    await service.remove_vehicle(call, cpf, vehicle_id)
