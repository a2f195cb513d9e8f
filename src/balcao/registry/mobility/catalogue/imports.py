"""The catalogue as the city loads it: what administrators renamed or deleted stays so, and a type in use."""

from collections.abc import Sequence

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Load
from balcao.core.values.text import clean
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


# A brand that is there stays as it is, whatever it was renamed to; so does a live one of the same name.
_WRITE_BRANDS = """
INSERT INTO registry.vehicle_brand (id, name, name_key)
SELECT id, name, name_key FROM unnest($1::text[], $2::text[], $3::text[]) AS loaded (id, name, name_key)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def write_brands(connection: Connection, rows: Sequence[BrandRow]) -> int:
    """Of two lines with one id the first counts."""
    names = [row.name for row in rows]
    keys = [name_key(name) for name in names]
    return len(await connection.fetch(_WRITE_BRANDS, [brand_id_of(name) for name in names], names, keys))


# The brand is the one that has the name now, else the one that was made under it.
_WRITE_MODELS = """
INSERT INTO registry.vehicle_model (id, brand_id, name, name_key, vehicle_type)
SELECT loaded.id, brand.id, loaded.name, loaded.name_key, loaded.vehicle_type
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    AS loaded (id, brand_id, brand_key, name, name_key, vehicle_type)
CROSS JOIN LATERAL (
    SELECT id FROM registry.vehicle_brand
    WHERE deleted_at IS NULL AND NOT is_other AND (name_key = loaded.brand_key OR id = loaded.brand_id)
    ORDER BY name_key = loaded.brand_key DESC LIMIT 1) AS brand
WHERE NOT EXISTS (
    SELECT FROM registry.vehicle_model AS other
    WHERE other.brand_id = brand.id AND other.name_key = loaded.name_key AND other.id <> loaded.id
        AND other.deleted_at IS NULL)
ON CONFLICT (id) DO UPDATE SET vehicle_type = excluded.vehicle_type
WHERE vehicle_model.deleted_at IS NULL AND NOT vehicle_model.is_other
    AND vehicle_model.vehicle_type <> excluded.vehicle_type
    AND NOT EXISTS (
        SELECT FROM registry.vehicle WHERE vehicle.model_id = vehicle_model.id AND vehicle.deleted_at IS NULL)
RETURNING true
"""


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
    return len(await connection.fetch(_WRITE_MODELS, list(models), *columns))


LOADS = [Load("vehicle-brands", BrandRow, write_brands), Load("vehicle-models", ModelRow, write_models)]
