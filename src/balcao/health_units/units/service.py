"""Registers health units, locks them, and checks rights to them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Forbidden, NotFound
from balcao.core.values.clock import format_rfc3339_seconds, utc_now
from balcao.core.values.cnes import Cnes
from balcao.core.values.etags import require_state
from balcao.health_units.feed import service as feed
from balcao.health_units.records import UnitRecord
from balcao.health_units.units import store
from balcao.health_units.units.schemas import UnitBody

# The group attribute that lists the areas to which the group's rights are limited.
AREA = "area"


async def put_unit(call: Call, cnes: Cnes, body: UnitBody, at: datetime | None = None) -> tuple[UnitRecord, bool]:
    """Create or replace a unit. Return the unit, and whether it is new. `at` defaults to the current time.

    Raises Forbidden if the caller's right does not cover the unit's current or new area, and PreconditionFailed if
    `If-Match` does not match.
    """
    at = at or utc_now()
    async with call.platform.database.transaction() as connection:
        await require_right_to_unit(call, connection, cnes)
        require_right_to_area(call, body.area)
        if call.if_match is not None:
            require_state(call.if_match, _show_record(call, await store.lock_unit_record(connection, cnes)))
        is_new, updated = await store.upsert_unit(connection, cnes, body, at)
        await call.platform.audit.record(
            connection, call, "create" if is_new else "update", fields=sorted(body.model_fields_set)
        )
        await feed.publish_unit(connection, cnes)
    updated_at = format_rfc3339_seconds(updated, call.zone)
    return UnitRecord(cnes=cnes.digits, **body.model_dump(), atualizado_em=updated_at), is_new


async def read_unit_record(call: Call, cnes: Cnes) -> UnitRecord:
    """Return a unit's record. Raises NotFound if it does not exist."""
    found = _show_record(call, await store.select_unit_record(call.platform.database, cnes))
    if found is None:
        raise make_unknown_unit()
    return found


def _show_record(call: Call, found: Mapping[str, Any] | None) -> UnitRecord | None:
    if found is None:
        return None
    updated_at = format_rfc3339_seconds(found["atualizado_em"], call.zone)
    return msgspec.convert({**found, "atualizado_em": updated_at}, UnitRecord)


async def import_units(connection: Connection, bodies: Mapping[Cnes, UnitBody]) -> set[Cnes]:
    """Write the imported units that differ from the stored units. Return the units that were written."""
    now = utc_now()
    rows = [{"cnes": cnes.digits, "atualizado_em": now} | vars(body) for cnes, body in bodies.items()]
    return await store.put_changed_units(connection, rows)


async def require_right_to_unit(call: Call, connection: Connection, cnes: Cnes) -> None:
    """Raise Forbidden if the caller's right is limited to areas that do not contain the unit (rules: health_units 1).

    No query is needed for an unlimited right. An unknown unit raises no error, because it belongs to no area.
    """
    if call.find_limits(AREA) is not None and (found := await store.read_unit_area(connection, cnes)):
        require_right_to_area(call, *found)


def require_right_to_area(call: Call, area: str | None) -> None:
    """Raise Forbidden if the caller's right is limited to other areas. `area` is None for the whole city."""
    limits = call.find_limits(AREA)
    if limits is not None and area not in limits:
        raise Forbidden("A sua permissão não alcança esta área da cidade.", code="area-not-granted")


async def is_unit_known(connection: Connection, cnes: Cnes) -> bool:
    """Return whether the unit exists, active or not."""
    return await store.read_unit_area(connection, cnes) is not None


async def list_unit_codes(call: Call) -> set[str]:
    """Return the codes (CNES) of all units."""
    async with call.platform.database.connection() as connection:
        return await store.select_unit_codes(connection)


async def lock_unit(connection: Connection, cnes: Cnes) -> None:
    """Lock the unit until the transaction ends. Raises NotFound if it is unknown."""
    if not await store.lock_unit(connection, cnes):
        raise make_unknown_unit()


async def lock_active_unit(connection: Connection, cnes: Cnes) -> None:
    """Lock the unit until the transaction ends. Raises NotFound if it is unknown or deactivated."""
    if not await store.lock_unit(connection, cnes, active=True):
        raise NotFound("Unidade de saúde não encontrada ou desativada.", code="unit-not-found")


def make_unknown_unit() -> NotFound:
    """Return the error for a unit that does not exist."""
    return NotFound("Unidade de saúde não encontrada.", code="unit-not-found")
