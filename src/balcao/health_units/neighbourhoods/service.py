"""Reads and changes the city's neighbourhoods and their positions, which help people to find nearby units."""

from collections import Counter
from collections.abc import Iterable
from statistics import fmean

from balcao.core.context.call import Call
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.etags import require_state
from balcao.core.values.text import fold_text
from balcao.health_units.neighbourhoods import store
from balcao.health_units.neighbourhoods.schemas import (
    ListedNeighbourhood,
    Neighbourhood,
    NeighbourhoodBody,
    Neighbourhoods,
)
from balcao.health_units.records import UnitRecord
from balcao.health_units.risk.board import UnitBoard
from balcao.health_units.units import service as units

# About five times the number of neighbourhoods in the largest Brazilian cities.
MOST_NEIGHBOURHOODS = 1000
# The fifth decimal of a coordinate is about a metre.
_DECIMALS = 5


async def list_neighbourhoods(call: Call) -> Neighbourhoods:
    """Return the neighbourhoods that have a point, sorted by name. Raises Unavailable if the board is stale."""
    states = call.platform.part(UnitBoard).snapshot.states.values()
    async with call.reader.connection() as connection:
        registered = await store.select_neighbourhoods(connection)
    return Neighbourhoods(merge_neighbourhoods([state.record for state in states], registered))


def merge_neighbourhoods(
    records: Iterable[UnitRecord], registered: Iterable[Neighbourhood]
) -> list[ListedNeighbourhood]:
    """Return the registered neighbourhoods and the neighbourhoods of active units, sorted by name.

    The point of an unregistered neighbourhood is the mean of its units' positions. If no unit has a position, the
    neighbourhood is omitted.
    """
    active = [record for record in records if record.ativa and record.bairro]
    counts = Counter(fold_text(record.bairro or "") for record in active)
    placed: dict[str, list[UnitRecord]] = {}
    for record in sorted(active, key=lambda record: record.cnes):
        if record.latitude is not None and record.longitude is not None:
            placed.setdefault(fold_text(record.bairro or ""), []).append(record)
    found = {
        key: ListedNeighbourhood(
            bairro=here[0].bairro or "",
            latitude=round(fmean(record.latitude or 0.0 for record in here), _DECIMALS),
            longitude=round(fmean(record.longitude or 0.0 for record in here), _DECIMALS),
            unidades=counts[key],
            cadastrado=False,
        )
        for key, here in placed.items()
    }
    for each in registered:
        key = fold_text(each.bairro)
        found[key] = ListedNeighbourhood(each.bairro, each.latitude, each.longitude, counts[key], cadastrado=True)
    return [found[key] for key in sorted(found)]


async def read_neighbourhood(call: Call, bairro: str) -> Neighbourhood:
    """Return a registered neighbourhood. Raises NotFound if it is not registered."""
    found = await store.select_neighbourhood(call.platform.database, fold_text(bairro))
    if found is None:
        raise _make_unknown()
    return found


async def put_neighbourhood(call: Call, bairro: str, body: NeighbourhoodBody) -> tuple[Neighbourhood, bool]:
    """Create or replace a neighbourhood. Return the neighbourhood, and whether it is new.

    Raises Forbidden if the caller's right is limited to areas, PreconditionFailed if `If-Match` does not match, and
    Conflict if there are already MOST_NEIGHBOURHOODS neighbourhoods.
    """
    units.require_right_to_area(call, None)
    key = fold_text(bairro)
    wanted = Neighbourhood(bairro, round(body.latitude, _DECIMALS), round(body.longitude, _DECIMALS))
    async with call.platform.database.transaction() as connection:
        present = await store.lock_neighbourhood(connection, key)
        require_state(call.if_match, present)
        is_new = await store.upsert_neighbourhood(connection, key, wanted, MOST_NEIGHBOURHOODS)
        if is_new is None:
            text = f"Já há {MOST_NEIGHBOURHOODS} bairros cadastrados: apague um."
            raise Conflict(text, code="too-many-neighbourhoods")
        await call.platform.audit.record(
            connection, call, "create" if is_new else "update", fields=["latitude", "longitude"]
        )
    return wanted, is_new


async def delete_neighbourhood(call: Call, bairro: str) -> None:
    """Delete a registered neighbourhood. Its units do not change.

    Raises Forbidden if the caller's right is limited to areas, NotFound if it is not registered, and PreconditionFailed
    if `If-Match` does not match.
    """
    units.require_right_to_area(call, None)
    key = fold_text(bairro)
    async with call.platform.database.transaction() as connection:
        present = await store.lock_neighbourhood(connection, key)
        if present is None:
            raise _make_unknown()
        require_state(call.if_match, present)
        await store.delete_neighbourhood(connection, key)
        await call.platform.audit.record(connection, call, "delete")


def _make_unknown() -> NotFound:
    return NotFound("Não há bairro cadastrado com este nome.", code="neighbourhood-not-found")
