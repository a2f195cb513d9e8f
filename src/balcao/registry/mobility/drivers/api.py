"""Routes for a vehicle's drivers and a citizen's invitations."""

from datetime import timedelta

from balcao.core.access.rules import own, scope
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_older_rows
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.dialects import ERROR_AND_MESSAGE
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, created, personal, stored
from balcao.core.jobs.declaration import DeadJobs
from balcao.core.jobs.worker import JobKind
from balcao.registry.mobility.drivers import service, store
from balcao.registry.mobility.drivers.schemas import (
    Conductor,
    ConductorInvite,
    Conductors,
    DrivenVehicle,
    InvitationAnswer,
    VehicleInvitations,
)
from balcao.registry.mobility.paths import ConductorId, VehicleId
from balcao.registry.routes import ROUTES

READING = own("vehicles:read") | scope("smtr:read")
WRITING = own("vehicles:write")
OF_VEHICLE = "/citizen/{cpf}/vehicles/{vehicle_id}/conductors"
INVITATIONS = "/citizen/{cpf}/vehicle-invitations"


routes = ROUTES.extend(tags=["mobility"], dialect=ERROR_AND_MESSAGE, body_limit=SMALL_BODY)


@routes.get(
    OF_VEHICLE,
    "registry.list_vehicle_conductors",
    READING,
    "Condutores de um veículo próprio, convidados e aceitos",
    errors=[304, 400],
)
async def get_conductors(call: Call, cpf: CpfInPath, vehicle_id: VehicleId) -> Response[Conductors]:
    """Devolve os convites pendentes e os condutores aceitos, do mais antigo ao mais novo. O CPF do caminho deve ser o
    de quem registrou o veículo; com o CPF de um condutor, a resposta é 403. Depois do aceite, o nome e os contatos são
    os do cadastro do condutor, se houver.
    """
    return personal(await service.list_conductors(call, cpf, vehicle_id), call)


@routes.post(
    OF_VEHICLE,
    "registry.invite_vehicle_conductor",
    WRITING,
    "Convida um condutor pelo CPF",
    example={"cpf": "90000000418", "email": "davi@pessoa.example", "name": "Davi"},
    status=201,
    errors=[409],
)
async def invite_conductor(
    call: Call, cpf: CpfInPath, vehicle_id: VehicleId, body: ConductorInvite
) -> Response[Conductor]:
    """Cria um convite pendente, que vale por 90 dias, e avisa o convidado por e-mail. Só quem registrou o veículo pode
    convidar. A resposta é 409 se a pessoa já foi convidada ou já conduz o veículo, ou se o limite de condutores foi
    atingido.
    """
    return created(await service.invite_conductor(call, cpf, vehicle_id, body))


@routes.delete(
    OF_VEHICLE + "/{conductor_id}",
    "registry.remove_vehicle_conductor",
    WRITING,
    "Desfaz um convite ou vínculo; o condutor deixa o veículo",
    status=204,
    errors=[400],
)
async def remove_conductor(call: Call, cpf: CpfInPath, vehicle_id: VehicleId, conductor_id: ConductorId) -> None:
    """Com o CPF do dono no caminho, desfaz um convite pendente ou um vínculo aceito. Com o CPF do condutor, encerra o
    vínculo dele. Se o vínculo já está encerrado, o dono recebe 400.
    """
    await service.remove_conductor(call, cpf, vehicle_id, conductor_id)


@routes.get(
    INVITATIONS,
    "registry.list_vehicle_invitations",
    READING,
    "Convites pendentes do cidadão",
    errors=[304, 400],
)
async def get_invitations(call: Call, cpf: CpfInPath) -> Response[VehicleInvitations]:
    """Devolve os convites que esperam pela resposta do cidadão, do mais novo ao mais antigo, com o que ele pode ver do
    veículo e do dono.
    """
    return personal(await service.list_invitations(call, cpf), call)


@routes.patch(
    INVITATIONS + "/{conductor_id}",
    "registry.answer_vehicle_invitation",
    WRITING,
    "Aceita ou recusa um convite",
)
async def answer_invitation(
    call: Call, cpf: CpfInPath, conductor_id: ConductorId, body: InvitationAnswer
) -> Response[Conductor]:
    """O convidado aceita (`accepted`) ou recusa (`rejected`) um convite pendente. Se o convite já foi respondido ou
    desfeito, a resposta é 400.
    """
    return stored(await service.answer_invitation(call, cpf, conductor_id, body))


# This erasure must run before that of the vehicles, because it finds links to a person's own vehicles by the vehicles'
# owner.
PERSONAL_DATA = PersonalData(
    "drivers",
    [
        ExportMember(
            "condutor_de",
            list[DrivenVehicle],
            "Convites e vínculos de condutor do cidadão, em qualquer situação.",
            70,
            service.list_driven_vehicles,
        )
    ],
    erase_older_rows("vehicle_links", store.erase_typed, ["conductor_name", "notify_email", "phone", "invited_by_cpf"]),
    tables=["registry.vehicle_conductor"],
)
# An invitation that is not answered within 90 days is revoked. Rejected and revoked links are deleted after two years.
RETENTION = [
    OldRows("vehicle_invitation", store.count_pending_invitations, store.expire_invitations),
    OldRows("vehicle_link", store.count_driver_links, store.delete_old_driver_links),
]

FEATURE = Feature(
    routes=routes.declared,
    jobs=[JobKind(store.EMAIL_JOB, service.send_invitation, attempts=service.TRIES, first_delay=timedelta(minutes=1))],
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    dead_jobs=[DeadJobs(store.EMAIL_JOB, "conductor", store.find_invitees, store.list_link_ids, store.skip_email)],
    exports=Exports(tables=("registry.vehicle_conductor",)),
)
