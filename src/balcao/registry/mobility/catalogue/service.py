"""Reads of the catalogue of brands and models: by whoever registers a vehicle, and by administrators."""

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
from balcao.registry.mobility.catalogue.slugs import fold, is_id

LONGEST_NAME = 100
Kept = TypeVar("Kept", KeptVehicleBrand, KeptVehicleModel)


async def list_brands(call: Call) -> VehicleBrands:
    """Return the live brands."""
    live = _keep_live((await list_kept_brands(call)).data)
    return VehicleBrands(msgspec.convert(live, list[VehicleBrand], from_attributes=True))


async def list_models(call: Call, brand_id: str | None) -> VehicleModels:
    """Return the live models of a brand; an unknown one has none. Raises Invalid without a brand."""
    if not brand_id:
        raise Invalid("Informe o parâmetro `brand_id`: o id de uma marca.", code="brand_id-missing")
    live = _keep_live((await list_kept_models(call, brand_id)).data)
    return VehicleModels(msgspec.convert(live, list[VehicleModel], from_attributes=True))


async def list_colours() -> VehicleColours:
    """Return the colours in the order in which forms show them."""
    return VehicleColours(list(COLOURS))


async def list_kept_brands(call: Call) -> KeptVehicleBrands:
    """Return every brand, the deleted ones too."""
    async with call.platform.database.connection() as connection:
        return KeptVehicleBrands(_sort(await store.list_brands(connection)))


async def list_kept_models(call: Call, brand_id: str | None) -> KeptVehicleModels:
    """Return every model of a brand, or of all brands, the deleted ones too."""
    if brand_id and not is_id(brand_id):
        return KeptVehicleModels([])
    async with call.platform.database.connection() as connection:
        return KeptVehicleModels(_sort(await store.list_models(connection, brand_id or None)))


async def lock_choice(
    connection: Connection, brand_id: str | None, model_id: str | None
) -> tuple[VehicleBrand | None, VehicleModel | None]:
    """Return the live rows of these ids, each None when there is none.

    They are locked: nobody deletes them until the transaction ends.
    """
    brand = await store.share_brand(connection, brand_id) if brand_id and is_id(brand_id) else None
    model = await store.share_model(connection, model_id) if model_id and is_id(model_id) else None
    return brand, model


def parse_type(word: str) -> VehicleType:
    """Return the type that the word names. Raises Invalid naming the words that are allowed."""
    try:
        return VehicleType(word)
    except ValueError:
        allowed = ", ".join(VehicleType)
        raise Invalid(f"O campo `vehicle_type` deve ser um de: {allowed}.", code="vehicle_type-unknown") from None


def _sort(entries: Iterable[Kept]) -> list[Kept]:
    """Return the entries by name without case and accents, `Outro` last."""
    return sorted(entries, key=lambda entry: (entry.is_other, fold(entry.name), entry.id))


def _keep_live(entries: Sequence[Kept]) -> list[Kept]:
    return [entry for entry in entries if entry.deleted_at is None]
