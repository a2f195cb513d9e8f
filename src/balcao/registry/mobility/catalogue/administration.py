"""Administer the vehicle catalogue. Entries in use cannot be deleted, and ids are never reused."""

from typing import TypeVar

import msgspec
from msgspec import UNSET

from balcao.core.context.audit import Action as AuditAction
from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.values.text import clean_text
from balcao.registry.mobility.catalogue import store
from balcao.registry.mobility.catalogue.schemas import (
    VehicleBrand,
    VehicleBrandBody,
    VehicleModel,
    VehicleModelBody,
    VehicleModelChange,
)
from balcao.registry.mobility.catalogue.service import LONGEST_NAME, parse_type
from balcao.registry.mobility.catalogue.slugs import fold_name_case, is_id, make_brand_id, make_model_id

Entry = TypeVar("Entry", VehicleBrand, VehicleBrand, VehicleModel)


async def add_brand(call: Call, body: VehicleBrandBody) -> bytes:
    """Add a brand and return it as JSON.

    Raises Invalid for an invalid name, and Conflict if the name or id is taken.
    """
    name = _parse_name(body.name)
    id_ = make_brand_id(name)
    async with call.platform.database.transaction() as connection:

        async def make() -> VehicleBrand:
            brand = await store.insert_brand(connection, id_, name, fold_name_case(name))
            if brand is None:
                raise _name_taken()
            await _record(connection, call, "create", "vehicle_brand")
            return brand

        return await run_once(connection, call, None, [body], make)


async def rename_brand(call: Call, brand_id: str, body: VehicleBrandBody) -> VehicleBrand:
    """Rename a brand.

    Its id does not change. Raises Invalid for `Outro` and for an invalid name, NotFound for an unknown brand, and
    Conflict if the name is taken.
    """
    name = _parse_name(body.name)
    async with call.platform.database.transaction() as connection:
        brand = _require_changeable(await _lock_brand(connection, brand_id))
        if not await store.rename_brand(connection, brand.id, name, fold_name_case(name)):
            raise _name_taken()
        await _record(connection, call, "update", "vehicle_brand")
    return msgspec.structs.replace(brand, name=name)


async def remove_brand(call: Call, brand_id: str) -> None:
    """Delete a brand.

    Raises Invalid for `Outro`, NotFound for an unknown brand, and Conflict while models or vehicles refer to the brand.
    """
    async with call.platform.database.transaction() as connection:
        brand = _require_changeable(await _lock_brand(connection, brand_id))
        if await store.is_brand_in_use(connection, brand.id):
            raise Conflict("Há modelos ou veículos desta marca: ela não pode ser excluída.", code="brand-in-use")
        await store.delete_brand(connection, brand.id)
        await _record(connection, call, "delete", "vehicle_brand")


async def add_model(call: Call, body: VehicleModelBody) -> bytes:
    """Add a model and return it as JSON.

    Raises Invalid for an invalid body, NotFound for an unknown brand, and Conflict if the name or id is taken.
    """
    name, vehicle_type = _parse_name(body.name), parse_type(body.vehicle_type)
    async with call.platform.database.transaction() as connection:

        async def make() -> VehicleModel:
            brand = await _share_brand(connection, body.brand_id)
            id_ = make_model_id(brand.id, name)
            model = await store.insert_model(connection, id_, brand.id, name, fold_name_case(name), vehicle_type)
            if model is None:
                raise _name_taken()
            await _record(connection, call, "create", "vehicle_model")
            return model

        return await run_once(connection, call, None, [body], make)


async def change_model(call: Call, model_id: str, change: VehicleModelChange) -> VehicleModel:
    """Change a model's name, brand or type. Its id does not change.

    Raises Invalid for `Outro` and for an invalid body, and NotFound for an unknown model or brand. Raises Conflict if
    the name is taken, or if the model is in use and its brand or type would change.
    """
    given = _parse_change(change)
    async with call.platform.database.transaction() as connection:
        if "brand_id" in given:
            await _share_brand(connection, given["brand_id"])
        present = _require_changeable(await _lock_model(connection, model_id))
        changed = msgspec.structs.replace(present, **given)
        moved = (changed.brand_id, changed.vehicle_type) != (present.brand_id, present.vehicle_type)
        if moved and await store.is_model_in_use(connection, present.id):
            raise _in_use("mudar de marca ou de tipo")
        if not await store.change_model(connection, changed, fold_name_case(changed.name)):
            raise _name_taken()
        await _record(connection, call, "update", "vehicle_model")
    return changed


async def remove_model(call: Call, model_id: str) -> None:
    """Delete a model.

    Raises Invalid for `Outro`, NotFound for an unknown model, and Conflict while vehicles refer to the model.
    """
    async with call.platform.database.transaction() as connection:
        model = _require_changeable(await _lock_model(connection, model_id))
        if await store.is_model_in_use(connection, model.id):
            raise _in_use("ser excluído")
        await store.delete_model(connection, model.id)
        await _record(connection, call, "delete", "vehicle_model")


def _parse_change(change: VehicleModelChange) -> dict[str, str]:
    given: dict[str, str] = {}
    if change.name is not UNSET:
        given["name"] = _parse_name(change.name)
    if change.brand_id is not UNSET:
        given["brand_id"] = change.brand_id
    if change.vehicle_type is not UNSET:
        given["vehicle_type"] = parse_type(change.vehicle_type)
    if not given:
        raise Invalid("Informe ao menos um de `name`, `brand_id` e `vehicle_type`.", code="nothing-to-change")
    return given


async def _share_brand(connection: Connection, brand_id: str) -> VehicleBrand:
    return _require_changeable(await store.lock_brand_for_share(connection, brand_id) if is_id(brand_id) else None)


async def _lock_brand(connection: Connection, brand_id: str) -> VehicleBrand | None:
    return await store.lock_brand(connection, brand_id) if is_id(brand_id) else None


async def _lock_model(connection: Connection, model_id: str) -> VehicleModel | None:
    return await store.lock_model(connection, model_id) if is_id(model_id) else None


def _require_changeable(entry: Entry | None) -> Entry:
    """Return the entry. Raises NotFound if it is unknown or deleted, and Invalid for `Outro`."""
    if entry is None:
        raise NotFound("Não há marca ou modelo com este id.", code="catalogue-unknown")
    if entry.is_other:
        raise Invalid("A opção `Outro` não pode mudar nem ter modelos próprios.", code="catalogue-sentinel")
    return entry


def _parse_name(name: str) -> str:
    return clean_text("name", name, longest=LONGEST_NAME)


async def _record(connection: Connection, call: Call, action: AuditAction, field: str) -> None:
    await call.platform.audit.record(connection, call, action, fields=[field])


def _name_taken() -> Conflict:
    return Conflict("O campo `name` tem um nome já usado, ou cujo id já foi de outro registro.", code="name-taken")


def _in_use(what: str) -> Conflict:
    return Conflict(f"Há veículos deste modelo: ele não pode {what}.", code="model-in-use")
