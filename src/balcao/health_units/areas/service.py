"""Reads and changes areas: their names, and their outlines for maps.

A unit's `area`, not the outline, decides which area the unit belongs to and which rights cover the unit.
"""

from balcao.core.context.call import Call
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.etags import require_state
from balcao.health_units.areas import store
from balcao.health_units.areas.schemas import Area, AreaBody, AreaMembers, Areas, Outline
from balcao.health_units.units import service as units

MOST_AREAS = 100


async def list_areas(call: Call) -> Areas:
    """Return all areas, sorted by code."""
    async with call.reader.connection() as connection:
        return Areas([found.shown for found in await store.select_areas(connection)])


async def read_area(call: Call, area: str) -> Area:
    """Return an area. Raises NotFound if it is not registered."""
    found = await store.select_area(call.platform.database, area)
    if found is None:
        raise _make_unknown()
    return found.shown


async def put_area(call: Call, area: str, body: AreaBody) -> tuple[Area, bool]:
    """Create or replace an area. Return the area, and whether it is new.

    Raises Forbidden if the caller's right does not cover the area, PreconditionFailed if `If-Match` does not match, and
    Conflict if there are already MOST_AREAS areas.
    """
    units.require_right_to_area(call, area)
    contorno = body.contorno.model_dump()
    async with call.platform.database.transaction() as connection:
        present = await store.lock_area(connection, area)
        require_state(call.if_match, present and present.shown)
        is_new = await store.upsert_area(connection, area, body.nome, contorno, MOST_AREAS)
        if is_new is None:
            raise Conflict(f"Já há {MOST_AREAS} áreas cadastradas: apague uma.", code="too-many-areas")
        await call.platform.audit.record(
            connection, call, "create" if is_new else "update", fields=sorted(body.model_fields_set)
        )
    return Area(area, Outline(**contorno), AreaMembers(area, body.nome)), is_new


async def delete_area(call: Call, area: str) -> None:
    """Delete an area's name and outline. Its units do not change.

    Raises Forbidden if the caller's right does not cover the area, NotFound if the area is not registered, and
    PreconditionFailed if `If-Match` does not match.
    """
    units.require_right_to_area(call, area)
    async with call.platform.database.transaction() as connection:
        present = await store.lock_area(connection, area)
        if present is None:
            raise _make_unknown()
        require_state(call.if_match, present.shown)
        await store.delete_area(connection, area)
        await call.platform.audit.record(connection, call, "delete")


def _make_unknown() -> NotFound:
    return NotFound("Não há área cadastrada com este código.", code="area-not-found")
