"""The catalogue of brands and models as it is read: by whoever registers a vehicle, and by administrators."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.registry.mobility.catalogue import store
from balcao.registry.mobility.catalogue.colours import COLOURS
from balcao.registry.mobility.catalogue.schemas import (
    KeptVehicleBrand,
    KeptVehicleBrands,
    KeptVehicleModel,
    KeptVehicleModels,
    VehicleBrand,
    VehicleBrands,
    VehicleColours,
    VehicleModel,
    VehicleModels,
    VehicleType,
)
from balcao.registry.mobility.catalogue.slugs import folded, is_id

LONGEST_NAME = 100
Kept = TypeVar("Kept", KeptVehicleBrand, KeptVehicleModel)


async def list_brands(call: Call) -> VehicleBrands:
    live = _live((await list_kept_brands(call)).data)
    return VehicleBrands(msgspec.convert(live, list[VehicleBrand], from_attributes=True))


async def list_models(call: Call, brand_id: str | None) -> VehicleModels:
    """Raises Invalid without a brand; an unknown one has no models."""
    if not brand_id:
        raise Invalid("Informe o parâmetro `brand_id`: o id de uma marca.", code="brand_id-missing")
    live = _live((await list_kept_models(call, brand_id)).data)
    return VehicleModels(msgspec.convert(live, list[VehicleModel], from_attributes=True))


async def list_colours() -> VehicleColours:
    return VehicleColours(list(COLOURS))


async def list_kept_brands(call: Call) -> KeptVehicleBrands:
    """With the deleted ones."""
    async with call.platform.database.connection() as connection:
        return KeptVehicleBrands(_sorted(await store.brands(connection)))


async def list_kept_models(call: Call, brand_id: str | None) -> KeptVehicleModels:
    """With the deleted ones; of every brand when none is given."""
    if brand_id and not is_id(brand_id):
        return KeptVehicleModels([])
    async with call.platform.database.connection() as connection:
        return KeptVehicleModels(_sorted(await store.models(connection, brand_id or None)))


async def chosen(
    connection: Connection, brand_id: str | None, model_id: str | None
) -> tuple[VehicleBrand | None, VehicleModel | None]:
    """The live rows of these ids, each None when there is none; they stay live until the transaction ends."""
    brand = await store.share_brand(connection, brand_id) if brand_id and is_id(brand_id) else None
    model = await store.share_model(connection, model_id) if model_id and is_id(model_id) else None
    return brand, model


def type_of(word: str) -> VehicleType:
    """Raises Invalid naming the words that are allowed."""
    try:
        return VehicleType(word)
    except ValueError:
        allowed = ", ".join(VehicleType)
        raise Invalid(f"O campo `vehicle_type` deve ser um de: {allowed}.", code="vehicle_type-unknown") from None


def _sorted(entries: Iterable[Kept]) -> list[Kept]:
    """By name without case and accents, sentinels last."""
    return sorted(entries, key=lambda entry: (entry.is_other, folded(entry.name), entry.id))


def _live(entries: Sequence[Kept]) -> list[Kept]:
    return [entry for entry in entries if entry.deleted_at is None]
