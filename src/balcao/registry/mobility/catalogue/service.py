"""Read the catalogue of brands and models: options for the vehicle form, and all entries for administrators."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.registry.mobility.catalogue import store
from balcao.registry.mobility.catalogue.colours import COLOURS
from balcao.registry.mobility.catalogue.schemas import (
    Chosen,
    VehicleBrand,
    VehicleBrands,
    VehicleColours,
    VehicleModel,
    VehicleModels,
    VehicleType,
)
from balcao.registry.mobility.catalogue.slugs import fold_name, is_id

LONGEST_NAME = 100
Kept = TypeVar("Kept", VehicleBrand, VehicleModel)


async def list_brands(call: Call) -> VehicleBrands:
    """Return the live brands."""
    return VehicleBrands(_keep_live((await list_kept_brands(call)).data))


async def list_models(call: Call, brand_id: str | None) -> VehicleModels:
    """Return the live models of a brand, or an empty list for an unknown brand.

    Raises Invalid if `brand_id` is missing.
    """
    if not brand_id:
        raise Invalid("Informe o parâmetro `brand_id`: o id de uma marca.", code="brand_id-missing")
    return VehicleModels(_keep_live((await list_kept_models(call, brand_id)).data))


async def list_colours() -> VehicleColours:
    """Return the colours in the order in which forms show them."""
    return VehicleColours(list(COLOURS))


async def list_kept_brands(call: Call) -> VehicleBrands:
    """Return every brand, including deleted brands."""
    async with call.reader.connection() as connection:
        return VehicleBrands(_sort(await store.list_vehicle_brands(connection)))


async def list_kept_models(call: Call, brand_id: str | None) -> VehicleModels:
    """Return all models of one brand or of all brands, including deleted models."""
    if brand_id and not is_id(brand_id):
        return VehicleModels([])
    async with call.reader.connection() as connection:
        return VehicleModels(_sort(await store.list_vehicle_models(connection, brand_id or None)))


async def read_chosen(connection: Connection, brand_id: str | None, model_id: str | None) -> Chosen:
    """Return the live rows with these ids, without a lock.

    The statement that writes a vehicle locks them with `share_sql`.
    """
    return await store.select_chosen(connection, check_id(brand_id), check_id(model_id))


def check_id(text: str | None) -> str | None:
    """Return `text` if it can be an id in the catalogue, or None."""
    return text if text and is_id(text) else None


def parse_type(word: str) -> VehicleType:
    """Return the vehicle type. Raises Invalid for any other value, with the allowed values in the message."""
    try:
        return VehicleType(word)
    except ValueError:
        allowed = ", ".join(VehicleType)
        raise Invalid(f"O campo `vehicle_type` deve ser um de: {allowed}.", code="vehicle_type-unknown") from None


def _sort(entries: Iterable[Kept]) -> list[Kept]:
    """Sort the entries by name, ignoring case and accents, with `Outro` last."""
    return sorted(entries, key=lambda entry: (entry.is_other, fold_name(entry.name), entry.id))


def _keep_live(entries: Sequence[Kept]) -> list[Kept]:
    return [entry for entry in entries if entry.deleted_at is None]
