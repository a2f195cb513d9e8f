"""Routes for a citizen's vehicles."""

from balcao.core.access.rules import own, scope
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_older_rows
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.dialects import ERROR_AND_MESSAGE
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import CpfInPath
from balcao.core.http.responses import Response, created, personal, stored
from balcao.registry.mobility.paths import VehicleId
from balcao.registry.mobility.vehicles import files, service, store
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleDetail, Vehicles, VehicleUpdate
from balcao.registry.routes import ROUTES

READING = own("vehicles:read") | scope("smtr:read")
WRITING = own("vehicles:write")
CREATE_EXAMPLE = {
    "display_name": "Bicicleta do mercado",
    "color": "Azul",
    "serial_number": "BRISA-2026-0042",
    "serial_number_photo_url": "https://storage.googleapis.com/porto-aurora-demo/serie.jpg",
    "vehicle_photo_url": "https://storage.googleapis.com/porto-aurora-demo/foto.jpg",
    "has_invoice": False,
    "self_declaration": True,
    "brand_id": "brand_brisa",
    "model_id": "model_brisa_urbana",
}


routes = ROUTES.extend(tags=["mobility"], dialect=ERROR_AND_MESSAGE, body_limit=FORM_BODY)


@routes.get(
    "/citizen/{cpf}/vehicles",
    "registry.list_vehicles",
    READING,
    "Veículos do cidadão, próprios e conduzidos",
    errors=[304],
)
async def get_vehicles(call: Call, cpf: CpfInPath, page: PageInQuery) -> Response[Vehicles]:
    """Devolve os veículos que o cidadão registrou e os que conduz com convite aceito, do mais novo ao mais antigo. O
    campo `role` indica qual é o caso. Disponível para o próprio cidadão, para atendentes com a ação `vehicles:read` e
    para clientes com o escopo `smtr:read`.
    """
    return personal(await service.list_vehicles(call, cpf, page), call)


@routes.post(
    "/citizen/{cpf}/vehicles",
    "registry.register_vehicle",
    WRITING,
    "Registra um veículo",
    example=CREATE_EXAMPLE,
    status=201,
    errors=[409],
)
async def register_vehicle(call: Call, cpf: CpfInPath, body: VehicleCreate) -> Response[VehicleDetail]:
    """Registra um veículo elétrico leve em nome do cidadão e o devolve com o número de registro. A marca e o modelo
    podem ser os dois do catálogo (`brand_id` e `model_id`), só a marca (`brand_id` e `model_other`) ou nenhum dos dois
    (`brand_other` e `model_other`). Se o modelo não é do catálogo, `vehicle_type` é obrigatório. Com o cabeçalho
    `Idempotency-Key`, repetir a chamada devolve o mesmo veículo.
    """
    return created(await service.register_vehicle(call, cpf, body))


@routes.get(
    "/citizen/{cpf}/vehicles/{vehicle_id}",
    "registry.read_vehicle",
    READING,
    "Um veículo, próprio ou conduzido",
    errors=[304, 400],
)
async def get_vehicle(call: Call, cpf: CpfInPath, vehicle_id: VehicleId) -> Response[VehicleDetail]:
    """Devolve o registro completo, com o contato atual do dono. A resposta é 404 se o cidadão não registrou nem conduz
    o veículo. Quem lê por escopo só recebe o telefone do dono com o escopo `rmi:telefone:read`.
    """
    return personal(await service.read_vehicle(call, cpf, vehicle_id), call)


@routes.patch(
    "/citizen/{cpf}/vehicles/{vehicle_id}",
    "registry.change_vehicle",
    WRITING,
    "Altera um veículo próprio",
    example={"display_name": "Bicicleta da família", "color": "Verde"},
    errors=[412],
)
async def patch_vehicle(
    call: Call, cpf: CpfInPath, vehicle_id: VehicleId, body: VehicleUpdate
) -> Response[VehicleDetail]:
    """Muda só os campos enviados e devolve o veículo inteiro. Só o dono pode; o condutor recebe 403. Com `If-Match`, a
    resposta é 412 se o veículo mudou desde a leitura.
    """
    return stored(await service.change_vehicle(call, cpf, vehicle_id, body))


@routes.delete(
    "/citizen/{cpf}/vehicles/{vehicle_id}",
    "registry.remove_vehicle",
    WRITING,
    "Exclui um veículo próprio e desfaz seus convites e condutores",
    status=204,
    errors=[400, 412],
)
async def remove_vehicle(call: Call, cpf: CpfInPath, vehicle_id: VehicleId) -> None:
    """Exclui o veículo e desfaz os convites e vínculos abertos. Só o dono pode. Repetir a exclusão não é erro. Com
    `If-Match`, a resposta é 412 se o veículo mudou desde a leitura.
    """
    await service.remove_vehicle(call, cpf, vehicle_id)


# An erasure retains only data that does not identify a person, such as the registration number and the vehicle type.
PERSONAL_DATA = PersonalData(
    "vehicles",
    [
        ExportMember(
            "veiculos",
            list[VehicleDetail],
            "Veículos que o cidadão registrou, com os excluídos.",
            60,
            service.list_owned_vehicles,
        )
    ],
    erase_older_rows(
        "vehicles",
        store.erase_owned_vehicles,
        ["display_name", "serial_number", "brand_other", "model_other", "photos"],
    ),
    tables=["registry.vehicle"],
)

FEATURE = Feature(
    routes=routes.declared,
    retention=[OldRows("vehicle", store.count_vehicles, files.erase_old_vehicles)],
    personal_data=PERSONAL_DATA,
    exports=Exports(tables=("registry.vehicle",)),
)
