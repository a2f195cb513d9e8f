"""Routes of a citizen's vehicles."""

from typing import Any

from litestar import Request, Response
from litestar.params import JSONBody

from balcao.core.access.rules import own, scope
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.paging import PageQuery, page_of
from balcao.core.http.responses import created, personal, stored
from balcao.registry.mobility.vehicles import service
from balcao.registry.mobility.vehicles.paths import VehicleId, path_id
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleDetail, Vehicles, VehicleUpdate
from balcao.registry.paths import CpfInPath, path_cpf

READING = own("vehicles:read") | scope("smtr:read")
WRITING = own("vehicles:write")


@operation(
    "GET",
    "/citizen/{cpf:str}/vehicles",
    "registry.list_vehicles",
    READING,
    "Veículos do cidadão, próprios e conduzidos",
    errors=[304, 400],
    query=PageQuery,
    tags=["mobility"],
)
async def list_vehicles(call: CurrentCall, cpf: CpfInPath, request: Request[Any, Any, Any]) -> Response[Vehicles]:
    return personal(await service.list_vehicles(call, path_cpf(cpf), page_of(request)), call)


@operation(
    "POST",
    "/citizen/{cpf:str}/vehicles",
    "registry.register_vehicle",
    WRITING,
    "Registra um veículo",
    status=201,
    errors=[400, 409],
    body=VehicleCreate,
    tags=["mobility"],
)
async def register_vehicle(call: CurrentCall, cpf: CpfInPath, data: JSONBody[VehicleCreate]) -> Response[VehicleDetail]:
    return created(await service.register(call, path_cpf(cpf), data))


@operation(
    "GET",
    "/citizen/{cpf:str}/vehicles/{vehicle_id:str}",
    "registry.read_vehicle",
    READING,
    "Um veículo, próprio ou conduzido",
    errors=[304, 400, 404],
    tags=["mobility"],
)
async def read_vehicle(call: CurrentCall, cpf: CpfInPath, vehicle_id: VehicleId) -> Response[VehicleDetail]:
    return personal(await service.read_vehicle(call, path_cpf(cpf), path_id(vehicle_id)), call)


@operation(
    "PATCH",
    "/citizen/{cpf:str}/vehicles/{vehicle_id:str}",
    "registry.change_vehicle",
    WRITING,
    "Altera um veículo próprio",
    errors=[400, 404, 412],
    body=VehicleUpdate,
    tags=["mobility"],
)
async def change_vehicle(
    call: CurrentCall, cpf: CpfInPath, vehicle_id: VehicleId, data: JSONBody[VehicleUpdate]
) -> Response[VehicleDetail]:
    return stored(await service.change_vehicle(call, path_cpf(cpf), path_id(vehicle_id), data))


@operation(
    "DELETE",
    "/citizen/{cpf:str}/vehicles/{vehicle_id:str}",
    "registry.remove_vehicle",
    WRITING,
    "Exclui um veículo próprio e desfaz seus convites e condutores",
    status=204,
    errors=[400, 404, 412],
    tags=["mobility"],
)
async def remove_vehicle(call: CurrentCall, cpf: CpfInPath, vehicle_id: VehicleId) -> None:
    await service.remove_vehicle(call, path_cpf(cpf), path_id(vehicle_id))


ROUTES = [list_vehicles, register_vehicle, read_vehicle, change_vehicle, remove_vehicle]
