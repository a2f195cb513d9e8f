"""SQL of the vehicle catalogue. A brand is always locked before a model, so that nobody waits in a circle."""

from collections.abc import Sequence

import asyncpg
import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.registry.mobility.catalogue.schemas import (
    VehicleBrand,
    VehicleModel,
    VehicleType,
)

_BRANDS = "SELECT id, name, is_other, deleted_at FROM registry.vehicle_brand"


async def list_brands(connection: Connection) -> list[VehicleBrand]:
    """Return every brand, the deleted ones too, in no order."""
    return [VehicleBrand(**row) for row in await connection.fetch(_BRANDS)]


_MODELS = """
SELECT id, brand_id, name, vehicle_type, is_other, deleted_at FROM registry.vehicle_model
WHERE $1::text IS NULL OR brand_id = $1
"""


async def list_models(connection: Connection, brand_id: str | None) -> list[VehicleModel]:
    """Return the models of one brand or of all, the deleted ones too, in no order."""
    return [_parse_model(row) for row in await connection.fetch(_MODELS, brand_id)]


class ChosenRows(msgspec.Struct, frozen=True):
    """The live rows of the ids that somebody chose, each None when there is none."""

    brand: VehicleBrand | None
    model: VehicleModel | None


def chosen_sql(brand_id: str, model_id: str) -> str:
    """Return the SQL expression of ChosenRows as JSON; the ids are expressions. Nothing is locked."""
    return f"""
jsonb_build_object(
    'brand', (SELECT to_jsonb(brand) FROM registry.vehicle_brand AS brand
              WHERE brand.id = {brand_id} AND brand.deleted_at IS NULL),
    'model', (SELECT to_jsonb(model) FROM registry.vehicle_model AS model
              WHERE model.id = {model_id} AND model.deleted_at IS NULL))
"""


def parse_chosen(document: str) -> ChosenRows:
    """Return what the expression of `chosen_sql` has read."""
    return msgspec.json.decode(document, type=ChosenRows)


_READ_CHOSEN = f"SELECT {chosen_sql('$1::text', '$2::text')}"


async def read_chosen(connection: Connection, brand_id: str | None, model_id: str | None) -> ChosenRows:
    """Return the live rows of these ids, unlocked."""
    return parse_chosen(await connection.fetchval(_READ_CHOSEN, brand_id, model_id))


def share_sql(first: int, source: str) -> str:
    """Return the text of three CTEs; `shared_choice` has a row if what was chosen still is as it was read.

    The parameters from `$first` are those of `share_values`. FOR SHARE: who builds on the rows keeps them from being
    changed until the transaction ends. Where it waits for somebody who changes a row, PostgreSQL tests the row's newest
    version, so a row that is deleted, renamed or moved at this moment is not found. Nothing is locked before `source`
    has a row, and the model after its brand: the counts are computed before the row that depends on them is looked for.
    """
    brand_id, brand_name, model_id, model_name, type_ = (f"${number}::text" for number in range(first, first + 5))
    return f"""
shared_brand AS MATERIALIZED (
    SELECT id FROM registry.vehicle_brand
    WHERE id = {brand_id} AND name = {brand_name} AND deleted_at IS NULL AND (SELECT count(*) FROM {source}) > 0
    FOR SHARE
), shared_model AS MATERIALIZED (
    SELECT id FROM registry.vehicle_model
    WHERE id = {model_id} AND name = {model_name} AND brand_id = {brand_id} AND vehicle_type = {type_}
        AND deleted_at IS NULL AND (SELECT count(*) FROM shared_brand) > 0
    FOR SHARE
), shared_choice AS MATERIALIZED (
    SELECT true FROM {source}
    WHERE ({brand_id} IS NULL OR EXISTS (SELECT FROM shared_brand))
        AND ({model_id} IS NULL OR EXISTS (SELECT FROM shared_model))
)"""


# FOR SHARE: who builds on the row keeps it from being deleted until the transaction ends.
_SHARE_BRAND = """
SELECT id, name, is_other, deleted_at FROM registry.vehicle_brand WHERE id = $1 AND deleted_at IS NULL FOR SHARE
"""
_LOCK_BRAND = """
SELECT id, name, is_other, deleted_at FROM registry.vehicle_brand WHERE id = $1 AND deleted_at IS NULL FOR UPDATE
"""
_LOCK_MODEL = """
SELECT id, brand_id, name, vehicle_type, is_other, deleted_at FROM registry.vehicle_model
WHERE id = $1 AND deleted_at IS NULL FOR UPDATE
"""


async def share_brand(connection: Connection, brand_id: str) -> VehicleBrand | None:
    """Return a live brand, locked against changes until the transaction ends; others may share it."""
    row = await connection.fetchrow(_SHARE_BRAND, brand_id)
    return VehicleBrand(**row) if row else None


async def lock_brand(connection: Connection, brand_id: str) -> VehicleBrand | None:
    """Return a live brand, locked until the transaction ends."""
    row = await connection.fetchrow(_LOCK_BRAND, brand_id)
    return VehicleBrand(**row) if row else None


async def lock_model(connection: Connection, model_id: str) -> VehicleModel | None:
    """Return a live model, locked until the transaction ends."""
    row = await connection.fetchrow(_LOCK_MODEL, model_id)
    return _parse_model(row) if row else None


_INSERT_BRAND = """
INSERT INTO registry.vehicle_brand (id, name, name_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
RETURNING id, name, is_other, deleted_at
"""


async def insert_brand(connection: Connection, id_: str, name: str, name_key: str) -> VehicleBrand | None:
    """Insert a brand; None when a live row has the name, or any row the id."""
    row = await connection.fetchrow(_INSERT_BRAND, id_, name, name_key)
    return VehicleBrand(**row) if row else None


_INSERT_MODEL = """
INSERT INTO registry.vehicle_model (id, brand_id, name, name_key, vehicle_type) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING
RETURNING id, brand_id, name, vehicle_type, is_other, deleted_at
"""


async def insert_model(
    connection: Connection, id_: str, brand_id: str, name: str, name_key: str, vehicle_type: VehicleType
) -> VehicleModel | None:
    """Insert a model; None when a live row of the brand has the name, or any row the id."""
    row = await connection.fetchrow(_INSERT_MODEL, id_, brand_id, name, name_key, vehicle_type)
    return _parse_model(row) if row else None


_RENAME_BRAND = "UPDATE registry.vehicle_brand SET name = $2, name_key = $3 WHERE id = $1"


async def rename_brand(connection: Connection, id_: str, name: str, name_key: str) -> bool:
    """Rename a brand; return False when another live row has the name.

    The transaction has failed then: nothing more can be done in it.
    """
    try:
        await connection.execute(_RENAME_BRAND, id_, name, name_key)
    except asyncpg.UniqueViolationError:
        return False
    return True


_CHANGE_MODEL = """
UPDATE registry.vehicle_model SET brand_id = $2, name = $3, name_key = $4, vehicle_type = $5 WHERE id = $1
"""


async def change_model(connection: Connection, model: VehicleModel, name_key: str) -> bool:
    """Store a changed model; return False as `rename_brand` does."""
    values = (model.id, model.brand_id, model.name, name_key, model.vehicle_type)
    try:
        await connection.execute(_CHANGE_MODEL, *values)
    except asyncpg.UniqueViolationError:
        return False
    return True


_BRAND_IN_USE = """
SELECT EXISTS (SELECT FROM registry.vehicle_model WHERE brand_id = $1 AND deleted_at IS NULL)
    OR EXISTS (SELECT FROM registry.vehicle WHERE brand_id = $1 AND deleted_at IS NULL)
"""
_MODEL_IN_USE = "SELECT EXISTS (SELECT FROM registry.vehicle WHERE model_id = $1 AND deleted_at IS NULL)"


async def is_brand_in_use(connection: Connection, brand_id: str) -> bool:
    """Return whether a live model or vehicle refers to the brand, which is locked."""
    found: bool = await connection.fetchval(_BRAND_IN_USE, brand_id)
    return found


async def is_model_in_use(connection: Connection, model_id: str) -> bool:
    """Return whether a live vehicle refers to the model, which is locked."""
    found: bool = await connection.fetchval(_MODEL_IN_USE, model_id)
    return found


_DELETE_BRAND = "UPDATE registry.vehicle_brand SET deleted_at = clock_timestamp() WHERE id = $1"
_DELETE_MODEL = "UPDATE registry.vehicle_model SET deleted_at = clock_timestamp() WHERE id = $1"


async def delete_brand(connection: Connection, brand_id: str) -> None:
    """Mark a brand as deleted; its row stays, so that its id is never given again."""
    await connection.execute(_DELETE_BRAND, brand_id)


async def delete_model(connection: Connection, model_id: str) -> None:
    """Mark a model as deleted; its row stays, so that its id is never given again."""
    await connection.execute(_DELETE_MODEL, model_id)


# A brand that is there stays as it is, whatever it was renamed to; so does a live one of the same name.
_IMPORT_BRANDS = """
INSERT INTO registry.vehicle_brand (id, name, name_key)
SELECT id, name, name_key FROM unnest($1::text[], $2::text[], $3::text[]) AS imported (id, name, name_key)
ON CONFLICT DO NOTHING
RETURNING true
"""


async def import_brands(connection: Connection, *columns: Sequence[str]) -> int:
    """Write ids, names and name keys that are not there yet; return how many they are."""
    return len(await connection.fetch(_IMPORT_BRANDS, *columns))


# The brand is the one that has the name now, else the one that was made under it.
_IMPORT_MODELS = """
INSERT INTO registry.vehicle_model (id, brand_id, name, name_key, vehicle_type)
SELECT imported.id, brand.id, imported.name, imported.name_key, imported.vehicle_type
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    AS imported (id, brand_id, brand_key, name, name_key, vehicle_type)
CROSS JOIN LATERAL (
    SELECT id FROM registry.vehicle_brand
    WHERE deleted_at IS NULL AND NOT is_other AND (name_key = imported.brand_key OR id = imported.brand_id)
    ORDER BY name_key = imported.brand_key DESC LIMIT 1) AS brand
WHERE NOT EXISTS (
    SELECT FROM registry.vehicle_model AS other
    WHERE other.brand_id = brand.id AND other.name_key = imported.name_key AND other.id <> imported.id
        AND other.deleted_at IS NULL)
ON CONFLICT (id) DO UPDATE SET vehicle_type = excluded.vehicle_type
WHERE vehicle_model.deleted_at IS NULL AND NOT vehicle_model.is_other
    AND vehicle_model.vehicle_type <> excluded.vehicle_type
    AND NOT EXISTS (
        SELECT FROM registry.vehicle WHERE vehicle.model_id = vehicle_model.id AND vehicle.deleted_at IS NULL)
RETURNING true
"""


async def import_models(connection: Connection, *columns: Sequence[str]) -> int:
    """Write ids, brands' ids and name keys, names, name keys and types; return how many are new or changed."""
    return len(await connection.fetch(_IMPORT_MODELS, *columns))


def _parse_model(row: Row) -> VehicleModel:
    return msgspec.convert(dict(row), VehicleModel)


_LIVE, _DELETED = "stored.deleted_at IS NULL", "stored.deleted_at IS NOT NULL"
_MODEL = """
to_jsonb(stored)
|| jsonb_build_object('brand', (SELECT name FROM registry.vehicle_brand WHERE vehicle_brand.id = stored.brand_id))
"""
EXPORTS = Exports(
    [
        Export("vehicle-brands", Rows("registry.vehicle_brand", condition=_LIVE)),
        Export("vehicle-models", Rows("registry.vehicle_model", _MODEL, _LIVE)),
        Export("deleted-vehicle-brands", Rows("registry.vehicle_brand", condition=_DELETED)),
        Export("deleted-vehicle-models", Rows("registry.vehicle_model", _MODEL, _DELETED)),
    ]
)
