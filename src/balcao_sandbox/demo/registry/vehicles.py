"""The sandbox's vehicles: three invented brands, Ana's two vehicles, a driver and an unanswered invitation."""

import msgspec

from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.mobility.catalogue.imports import ModelRow, write_models
from balcao.registry.mobility.catalogue.schemas import VehicleType
from balcao.registry.mobility.drivers import service as drivers
from balcao.registry.mobility.drivers.schemas import Conductor, ConductorInvite, InvitationAnswer
from balcao.registry.mobility.vehicles import service as vehicles
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleDetail

ANA, BRUNO, FABIO = Cpf("90000000175"), Cpf("90000000256"), Cpf("90000000680")
_TYPES = (VehicleType.ELECTRIC_BICYCLE, VehicleType.SELF_PROPELLED, VehicleType.MOPED)
_MODELS = {
    "Brisa": ("Urbana", "Mini", "Estrada"),
    "Corisco": ("Passeio", "Ágil", "Raio 50"),
    "Marola": ("Orla", "Prancha", "Ressaca"),
}
_PHOTOS = "https://storage.googleapis.com/porto-aurora-demo"


async def load_demo_vehicles(platform: Platform) -> None:
    """Load the vehicle catalogue, and register Ana's vehicles if she has none."""
    async with platform.database.transaction() as connection:
        await write_models(connection, _list_models())
    call = operator_call(platform, "registry.demo")
    if not (await vehicles.list_vehicles(call, ANA, Page(1, 1))).data:
        await _register_all(call)


def _list_models() -> list[ModelRow]:
    """Return the models in the catalogue. Each brand has one model of each type."""
    return [
        ModelRow(brand, name, vehicle_type)
        for brand, names in _MODELS.items()
        for name, vehicle_type in zip(names, _TYPES, strict=True)
    ]


async def _register_all(call: Call) -> None:
    """Register Ana's two vehicles.

    Bruno drives the first vehicle. Fábio has not answered his invitation to drive it.
    """
    first = await _register(call, "Bicicleta do trabalho", "Azul", "brand_brisa", "model_brisa_urbana")
    await _register(call, "Ciclomotor da família", "Vermelho", "brand_marola", "model_marola_ressaca")
    accepted = await _invite(call, first.id, BRUNO, "bruno@pessoa.example")
    await drivers.answer_invitation(call, BRUNO, accepted.id, InvitationAnswer("accepted"))
    await _invite(call, first.id, FABIO, "fabio@pessoa.example")


async def _register(call: Call, name: str, colour: str, brand: str, model: str) -> VehicleDetail:
    body = VehicleCreate(
        display_name=name,
        color=colour,
        serial_number=f"DEMO-{model.upper()}",
        serial_number_photo_url=f"{_PHOTOS}/{model}-serie.jpg",
        vehicle_photo_url=f"{_PHOTOS}/{model}.jpg",
        has_invoice=False,
        self_declaration=True,
        brand_id=brand,
        model_id=model,
    )
    return msgspec.json.decode(await vehicles.register_vehicle(call, ANA, body), type=VehicleDetail)


async def _invite(call: Call, vehicle_id: str, invitee: Cpf, email: str) -> Conductor:
    link = await drivers.invite_conductor(call, ANA, vehicle_id, ConductorInvite(invitee.digits, email))
    return msgspec.json.decode(link, type=Conductor)
