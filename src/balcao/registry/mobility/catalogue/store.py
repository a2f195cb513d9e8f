"""SQL for the vehicle catalogue. Lock order: a brand is always locked before a model, which prevents deadlocks."""

from collections.abc import Sequence
from typing import NamedTuple

import asyncpg

from balcao.core.database.pool import Connection
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.registry.mobility.catalogue.schemas import Chosen, Shared, VehicleBrand, VehicleModel, VehicleType

_BRAND = "id, name, is_other, deleted_at"
_MODEL = "id, brand_id, name, vehicle_type, is_other, deleted_at"


@statement(f"SELECT {_BRAND} FROM registry.vehicle_brand")
async def list_vehicle_brands(connection: Connection) -> list[VehicleBrand]:
    """Return every brand, including deleted brands, unsorted."""


@statement(f"SELECT {_MODEL} FROM registry.vehicle_model WHERE :brand_id::text IS NULL OR brand_id = :brand_id")
async def list_vehicle_models(connection: Connection, brand_id: str | None) -> list[VehicleModel]:
    """Return the models of one brand or of all brands, including deleted models, unsorted."""


def chosen_sql(brand_id: str, model_id: str) -> str:
    """Return an SQL expression for a `Chosen` as JSON, without locks. The arguments are SQL expressions."""
    return f"""
jsonb_build_object(
    'brand', (SELECT to_jsonb(brand) FROM registry.vehicle_brand AS brand
              WHERE brand.id = {brand_id} AND brand.deleted_at IS NULL),
    'model', (SELECT to_jsonb(model) FROM registry.vehicle_model AS model
              WHERE model.id = {model_id} AND model.deleted_at IS NULL))
"""


@statement(f"SELECT {chosen_sql(':brand_id::text', ':model_id::text')}")
async def select_chosen(connection: Connection, brand_id: str | None, model_id: str | None) -> Json[Chosen]:
    """Return the live rows with these ids, without a lock."""


def share_sql(shared: str, source: str) -> str:
    """Return three CTEs. `shared_choice` has a row if the chosen entries have not changed since they were read.

    `shared` is the name of the statement's parameter of type `Shared`. FOR SHARE prevents other transactions from
    changing the rows until this one ends. If the statement waits for a concurrent change, PostgreSQL checks the
    condition again on the newest version of the row. Therefore, a row that is being deleted, renamed or moved is not
    found.

    Lock order: nothing is locked before `source` has a row, and the model is locked after its brand. The conditions on
    `count(*)` force this order: PostgreSQL computes the count before it searches for the row.
    """
    brand_id, brand_name, model_id, model_name, type_ = (f":{shared}.{name}::text" for name in Shared._fields)
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


def name_joins_sql(vehicle: str) -> str:
    """Return the joins that add `brand` and `model`, even if deleted, to a query whose vehicle alias is `vehicle`."""
    return f"""
LEFT JOIN registry.vehicle_brand AS brand ON brand.id = {vehicle}.brand_id
LEFT JOIN registry.vehicle_model AS model ON model.id = {vehicle}.model_id
"""


# FOR SHARE prevents the brand from being deleted until the transaction that adds the model ends.
@statement(f"SELECT {_BRAND} FROM registry.vehicle_brand WHERE id = :brand_id AND deleted_at IS NULL FOR SHARE")
async def lock_brand_for_share(connection: Connection, brand_id: str) -> VehicleBrand | None:
    """Return a live brand, and lock it against changes until the transaction ends.

    Other transactions can share the lock.
    """


@statement(f"SELECT {_BRAND} FROM registry.vehicle_brand WHERE id = :brand_id AND deleted_at IS NULL FOR UPDATE")
async def lock_brand(connection: Connection, brand_id: str) -> VehicleBrand | None: ...


@statement(f"SELECT {_MODEL} FROM registry.vehicle_model WHERE id = :model_id AND deleted_at IS NULL FOR UPDATE")
async def lock_model(connection: Connection, model_id: str) -> VehicleModel | None: ...


@statement(f"""
INSERT INTO registry.vehicle_brand (id, name, name_key) VALUES (:id, :name, :name_key) ON CONFLICT DO NOTHING
RETURNING {_BRAND}
""")
async def insert_brand(connection: Connection, id: str, name: str, name_key: str) -> VehicleBrand | None:
    """Insert a brand. Return None if a live brand has the name, or any brand, even a deleted one, has the id."""


@statement(f"""
INSERT INTO registry.vehicle_model (id, brand_id, name, name_key, vehicle_type)
VALUES (:id, :brand_id, :name, :name_key, :vehicle_type)
ON CONFLICT DO NOTHING
RETURNING {_MODEL}
""")
async def insert_model(
    connection: Connection, id: str, brand_id: str, name: str, name_key: str, vehicle_type: VehicleType
) -> VehicleModel | None:
    """Insert a model.

    Return None if a live model of the brand has the name, or if any model, even a deleted one, has the id.
    """


async def rename_brand(connection: Connection, id: str, name: str, name_key: str) -> bool:
    """Rename a brand. Return False if another live brand has the name.

    The transaction has then failed, so no further statement can run in it.
    """
    try:
        await _rename_brand(connection, id, name, name_key)
    except asyncpg.UniqueViolationError:
        return False
    return True


@statement("UPDATE registry.vehicle_brand SET name = :name, name_key = :name_key WHERE id = :id")
async def _rename_brand(connection: Connection, id: str, name: str, name_key: str) -> None: ...


async def change_model(connection: Connection, model: VehicleModel, name_key: str) -> bool:
    """Store a changed model. Return False if another live model of the brand has the name.

    The transaction has then failed, so no further statement can run in it.
    """
    try:
        await _change_model(connection, model, name_key)
    except asyncpg.UniqueViolationError:
        return False
    return True


@statement("""
UPDATE registry.vehicle_model
SET brand_id = :brand_id, name = :name, name_key = :name_key, vehicle_type = :vehicle_type
WHERE id = :id
""")
async def _change_model(connection: Connection, model: VehicleModel, name_key: str) -> None: ...


@statement("""
SELECT EXISTS (SELECT FROM registry.vehicle_model WHERE brand_id = :brand_id AND deleted_at IS NULL)
    OR EXISTS (SELECT FROM registry.vehicle WHERE brand_id = :brand_id AND deleted_at IS NULL)
""")
async def is_brand_in_use(connection: Connection, brand_id: str) -> bool:
    """Return whether a live model or vehicle refers to the brand. The caller must lock the brand."""


@statement("SELECT EXISTS (SELECT FROM registry.vehicle WHERE model_id = :model_id AND deleted_at IS NULL)")
async def is_model_in_use(connection: Connection, model_id: str) -> bool:
    """Return whether a live vehicle refers to the model. The caller must lock the model."""


@statement("UPDATE registry.vehicle_brand SET deleted_at = clock_timestamp() WHERE id = :brand_id")
async def delete_brand(connection: Connection, brand_id: str) -> None:
    """Mark a brand as deleted. Its row is retained, so that its id is never reused."""


@statement("UPDATE registry.vehicle_model SET deleted_at = clock_timestamp() WHERE id = :model_id")
async def delete_model(connection: Connection, model_id: str) -> None:
    """Mark a model as deleted. Its row is retained, so that its id is never reused."""


class ImportedBrand(NamedTuple):
    """A brand in the import file, with the id and the key computed from its name."""

    id: str
    name: str
    name_key: str


# Do not change a brand that has the same id, even if it was renamed, or a live brand that has the same name.
@statement("""
INSERT INTO registry.vehicle_brand (id, name, name_key)
SELECT id, name, name_key
FROM unnest(:brands.id::text[], :brands.name::text[], :brands.name_key::text[]) AS imported (id, name, name_key)
ON CONFLICT DO NOTHING
""")
async def import_brands(connection: Connection, brands: Sequence[ImportedBrand]) -> int:
    """Insert the missing brands. Return the number of inserted brands."""


class ImportedModel(NamedTuple):
    """A model in the import file, with the ids and keys computed from the names of its brand and of the model."""

    id: str
    brand_id: str
    brand_key: str
    name: str
    name_key: str
    vehicle_type: VehicleType


# Use the live brand with this name. If there is none, use the live brand whose id was derived from this name.
@statement("""
INSERT INTO registry.vehicle_model (id, brand_id, name, name_key, vehicle_type)
SELECT imported.id, brand.id, imported.name, imported.name_key, imported.vehicle_type
FROM unnest(:models.id::text[], :models.brand_id::text[], :models.brand_key::text[], :models.name::text[],
            :models.name_key::text[], :models.vehicle_type::text[])
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
""")
async def import_models(connection: Connection, models: Sequence[ImportedModel]) -> int:
    """Insert missing models, and change the type of models that are not in use. Return how many were written."""


_LIVE, _DELETED = "stored.deleted_at IS NULL", "stored.deleted_at IS NOT NULL"
_MODEL_OF_BRAND = """
to_jsonb(stored)
|| jsonb_build_object('brand', (SELECT name FROM registry.vehicle_brand WHERE vehicle_brand.id = stored.brand_id))
"""
EXPORTS = Exports(
    [
        Export("vehicle-brands", Rows("registry.vehicle_brand", condition=_LIVE)),
        Export("vehicle-models", Rows("registry.vehicle_model", _MODEL_OF_BRAND, _LIVE)),
        Export("deleted-vehicle-brands", Rows("registry.vehicle_brand", condition=_DELETED)),
        Export("deleted-vehicle-models", Rows("registry.vehicle_model", _MODEL_OF_BRAND, _DELETED)),
    ]
)
