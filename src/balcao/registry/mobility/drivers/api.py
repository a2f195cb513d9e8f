"""Routes of the drivers of a vehicle and of a citizen's invitations."""

from litestar import Response
from litestar.params import JSONBody

from balcao.core.access.rules import own, scope
from balcao.core.http.operations import CurrentCall, operation
from balcao.core.http.responses import created, personal, stored
from balcao.registry.mobility.drivers import service
from balcao.registry.mobility.drivers.schemas import (
    Conductor,
    ConductorInvite,
    Conductors,
    InvitationAnswer,
    VehicleInvitations,
)
from balcao.registry.mobility.vehicles.paths import ConductorId, VehicleId, path_id
from balcao.registry.paths import CpfInPath, path_cpf

READING = own("vehicles:read") | scope("smtr:read")
WRITING = own("vehicles:write")
OF_VEHICLE = "/citizen/{cpf:str}/vehicles/{vehicle_id:str}/conductors"
INVITATIONS = "/citizen/{cpf:str}/vehicle-invitations"


@operation(
    "GET",
    OF_VEHICLE,
    "registry.list_vehicle_conductors",
    READING,
    "Condutores de um veículo próprio, convidados e aceitos",
    errors=[304, 400, 404],
    tags=["mobility"],
)
async def list_conductors(call: CurrentCall, cpf: CpfInPath, vehicle_id: VehicleId) -> Response[Conductors]:
    return personal(await service.list_conductors(call, path_cpf(cpf), path_id(vehicle_id)), call)


@operation(
    "POST",
    OF_VEHICLE,
    "registry.invite_vehicle_conductor",
    WRITING,
    "Convida um condutor pelo CPF",
    status=201,
    errors=[400, 404, 409],
    body=ConductorInvite,
    tags=["mobility"],
)
async def invite(
    call: CurrentCall, cpf: CpfInPath, vehicle_id: VehicleId, data: JSONBody[ConductorInvite]
) -> Response[Conductor]:
    return created(await service.invite(call, path_cpf(cpf), path_id(vehicle_id), data))


@operation(
    "DELETE",
    OF_VEHICLE + "/{conductor_id:str}",
    "registry.remove_vehicle_conductor",
    WRITING,
    "Desfaz um convite ou vínculo; o condutor deixa o veículo",
    status=204,
    errors=[400, 404],
    tags=["mobility"],
)
async def remove(call: CurrentCall, cpf: CpfInPath, vehicle_id: VehicleId, conductor_id: ConductorId) -> None:
    await service.remove(call, path_cpf(cpf), path_id(vehicle_id), path_id(conductor_id))


@operation(
    "GET",
    INVITATIONS,
    "registry.list_vehicle_invitations",
    READING,
    "Convites pendentes do cidadão",
    errors=[304, 400],
    tags=["mobility"],
)
async def list_invitations(call: CurrentCall, cpf: CpfInPath) -> Response[VehicleInvitations]:
    return personal(await service.list_invitations(call, path_cpf(cpf)), call)


@operation(
    "PATCH",
    INVITATIONS + "/{conductor_id:str}",
    "registry.answer_vehicle_invitation",
    WRITING,
    "Aceita ou recusa um convite",
    errors=[400, 404],
    body=InvitationAnswer,
    tags=["mobility"],
)
async def answer(
    call: CurrentCall, cpf: CpfInPath, conductor_id: ConductorId, data: JSONBody[InvitationAnswer]
) -> Response[Conductor]:
    return stored(await service.answer(call, path_cpf(cpf), path_id(conductor_id), data))


ROUTES = [list_conductors, invite, remove, list_invitations, answer]
