"""Uploaded files that are a vehicle's photos. A vehicle refers to them until it is erased."""

from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.files.detection import MediaType
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.vehicles import store
from balcao.registry.mobility.vehicles.form import list_files
from balcao.registry.mobility.vehicles.schemas import VehicleCreate
from balcao.registry.person.files import service as files
from balcao.registry.person.files.store import release_files

HOLDER = "vehicle"

Written = TypeVar("Written")


async def write_with_files(
    connection: Connection,
    owner: Cpf,
    vehicle_id: str,
    form: VehicleCreate,
    write: Callable[[], Awaitable[Written]],
    *,
    former: VehicleCreate | None = None,
) -> Written:
    """Write the vehicle by calling `write`, and return its result. If the result is false, nothing is written.

    In the same transaction, the new form's files replace those of the old form. Raises Invalid if a file does not
    belong to the owner, or is not an image. Lock order: files before the vehicle.
    """
    wanted, released = list_files(form), list_files(former) if former else {}
    if not wanted and not released:
        return await write()
    transaction, id = connection.transaction(), UUID(vehicle_id)
    await transaction.start()
    try:
        for field, file in wanted.items():
            if MediaType.PDF in await files.use_files(connection, owner, field, [file], HOLDER, id):
                raise Invalid(f"O campo `{field}` deve ter o id de uma foto, não de um PDF.", code="photo-not-image")
        if released:
            await release_files(connection, owner, HOLDER, id, keep=list(wanted.values()))
        written = await write()
    except BaseException:
        await transaction.rollback()
        raise
    await (transaction.commit() if written else transaction.rollback())
    return written


async def erase_old_vehicles(connection: Connection) -> int:
    """Erase vehicles that were deleted over two years ago, and release their files. Return how many were erased."""
    erased = await store.erase_old_vehicles(connection)
    for vehicle in erased:
        if vehicle.has_files:
            await release_files(connection, vehicle.owner_cpf, HOLDER, UUID(vehicle.id))
    return len(erased)
