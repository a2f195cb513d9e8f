"""The catalogue as the city loads it: what administrators renamed or deleted stays so, and a type in use."""

from collections.abc import Sequence

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Import
from balcao.core.values.text import clean
from balcao.registry.mobility.catalogue import store
from balcao.registry.mobility.catalogue.schemas import VehicleType
from balcao.registry.mobility.catalogue.service import LONGEST_NAME
from balcao.registry.mobility.catalogue.slugs import brand_id_of, model_id_of, name_key


def _usable(field: str, name: str) -> str:
    """Raises ValueError."""
    try:
        text = clean(field, name, longest=LONGEST_NAME)
        brand_id_of(text)
    except Invalid as fault:
        raise ValueError(fault.message) from None
    return text


class BrandRow(msgspec.Struct):
    name: str

    def __post_init__(self) -> None:
        self.name = _usable("name", self.name)


class ModelRow(msgspec.Struct):
    """`brand` is the brand's name; a brand that is not there yet comes with its model."""

    brand: str
    name: str
    vehicle_type: VehicleType

    def __post_init__(self) -> None:
        self.brand, self.name = _usable("brand", self.brand), _usable("name", self.name)


async def write_brands(connection: Connection, rows: Sequence[BrandRow]) -> int:
    """Of two lines with one id the first counts."""
    names = [row.name for row in rows]
    keys = [name_key(name) for name in names]
    return await store.import_brands(connection, [brand_id_of(name) for name in names], names, keys)


async def write_models(connection: Connection, rows: Sequence[ModelRow]) -> int:
    """Their brands are written first; the answer counts models. Of two lines with one id the last counts."""
    await write_brands(connection, [BrandRow(row.brand) for row in rows])
    models = {model_id_of(brand_id_of(row.brand), row.name): row for row in rows}
    columns = (
        [brand_id_of(row.brand) for row in models.values()],
        [name_key(row.brand) for row in models.values()],
        [row.name for row in models.values()],
        [name_key(row.name) for row in models.values()],
        [row.vehicle_type for row in models.values()],
    )
    return await store.import_models(connection, list(models), *columns)


IMPORTS = [Import("vehicle-brands", BrandRow, write_brands), Import("vehicle-models", ModelRow, write_models)]
