"""SQL of the vehicles and of who may see one; the driver links are only read here."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count, fetch_page, page_sql
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.registry.mobility.vehicles.schemas import VehicleCreate

_FORM = VehicleCreate.__struct_fields__


@dataclass(frozen=True)
class Vehicle:
    """A vehicle as one person sees it. `conductor_id` is their accepted link; an owner has none.

    Of an erased vehicle little is left, but nobody sees those.
    """

    id: str
    owner_cpf: Cpf
    registration_number: str
    form: VehicleCreate
    brand_name: str | None
    model_name: str | None
    conductor_id: str | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


_VISIBLE = f"""
SELECT vehicle.id::text, owner_cpf, registration_number, {", ".join(f"vehicle.{name}" for name in _FORM)},
       brand.name AS brand_name, model.name AS model_name, link.id::text AS conductor_id,
       vehicle.created_at, vehicle.updated_at, vehicle.deleted_at
FROM registry.vehicle
LEFT JOIN registry.vehicle_brand AS brand ON brand.id = vehicle.brand_id
LEFT JOIN registry.vehicle_model AS model ON model.id = vehicle.model_id
LEFT JOIN registry.vehicle_conductor AS link
    ON link.vehicle_id = vehicle.id AND link.conductor_cpf = $1 AND link.status = 'accepted'
"""  # noqa: S608 - constants

_READ = f"""{_VISIBLE}
WHERE vehicle.id = $2 AND vehicle.deleted_at IS NULL AND (owner_cpf = $1 OR link.id IS NOT NULL)
"""


async def read(connection: Connection, vehicle_id: str, viewer: Cpf) -> Vehicle | None:
    """Return a live vehicle that the viewer owns or drives; None when there is none."""
    row = await connection.fetchrow(_READ, viewer.digits, vehicle_id)
    return _parse_vehicle(row) if row else None


_REACHED = """
SELECT id FROM registry.vehicle WHERE owner_cpf = $1 AND deleted_at IS NULL
UNION ALL
SELECT vehicle_id FROM registry.vehicle_conductor WHERE conductor_cpf = $1 AND status = 'accepted'
"""
_LIST = f"""{_VISIBLE}
WHERE vehicle.id IN ({_REACHED})
ORDER BY vehicle.created_at DESC, vehicle.id DESC
LIMIT $2 OFFSET $3
"""
_PAGE = page_sql(_LIST, f"SELECT count(*) FROM ({_REACHED}) AS reached")  # noqa: S608 - constants


async def fetch_visible_page(connection: Connection, viewer: Cpf, page: Page) -> tuple[list[Vehicle], int]:
    """Return the page's live vehicles that the viewer owns or drives, and how many there are on all pages."""
    rows, total = await fetch_page(connection, _PAGE, viewer.digits, page.limit, page.offset)
    return [_parse_vehicle(row) for row in rows], total


_OWNED = f"{_VISIBLE} WHERE owner_cpf = $1 ORDER BY vehicle.created_at, vehicle.id"


async def list_owned(connection: Connection, owner: Cpf) -> list[Vehicle]:
    """Return a person's vehicles, the oldest first; deleted ones too, as long as they are not erased."""
    return [_parse_vehicle(row) for row in await connection.fetch(_OWNED, owner.digits)]


_LOCK = "SELECT FROM registry.vehicle WHERE id = $1 FOR UPDATE"


async def lock(connection: Connection, vehicle_id: str) -> None:
    """Lock a vehicle until the transaction ends: changes of one are made one after the other."""
    await connection.execute(_LOCK, vehicle_id)


# There is no row of the owner to lock before the first vehicle.
_LOCK_OWNER = "SELECT pg_advisory_xact_lock(hashtextextended('vehicles of ' || $1, 0))"
_COUNT_OWNED = "SELECT count(*) FROM registry.vehicle WHERE owner_cpf = $1 AND deleted_at IS NULL"


async def lock_and_count(connection: Connection, owner: Cpf) -> int:
    """Return how many live vehicles the owner has; nobody registers another until the transaction ends."""
    await connection.execute(_LOCK_OWNER, owner.digits)
    return await fetch_count(connection, _COUNT_OWNED, owner.digits)


_INSERT = f"""
WITH number AS MATERIALIZED (SELECT nextval('registry.vehicle_number')::text AS digits)
INSERT INTO registry.vehicle (id, owner_cpf, registration_number, {", ".join(_FORM)})
SELECT $1, $2, $3::text || lpad(digits, greatest(6, length(digits)), '0'),
       {", ".join(f"${number}" for number in range(4, len(_FORM) + 4))}
FROM number
RETURNING id::text
"""  # noqa: S608 - constants


async def insert(connection: Connection, owner: Cpf, prefix: str, form: VehicleCreate) -> str:
    """Insert a vehicle; return its id. A registration number that a rolled back insert took is never used."""
    id_: str = await connection.fetchval(_INSERT, new_id(), owner.digits, prefix, *_values(form))
    return id_


_UPDATE = f"""
UPDATE registry.vehicle
SET ({", ".join(_FORM)}) = ROW({", ".join(f"${number}" for number in range(2, len(_FORM) + 2))}),
    updated_at = clock_timestamp()
WHERE id = $1
"""  # noqa: S608 - constants


async def update(connection: Connection, vehicle_id: str, form: VehicleCreate) -> None:
    """Store the changed form of a vehicle."""
    await connection.execute(_UPDATE, vehicle_id, *_values(form))


_DELETE = """
UPDATE registry.vehicle SET deleted_at = clock_timestamp(), updated_at = clock_timestamp() WHERE id = $1
"""


async def delete(connection: Connection, vehicle_id: str) -> None:
    """Mark a vehicle as deleted."""
    await connection.execute(_DELETE, vehicle_id)


_DELETED_BY = "SELECT EXISTS (SELECT FROM registry.vehicle WHERE id = $1 AND owner_cpf = $2 AND deleted_at IS NOT NULL)"


async def is_deleted_of(connection: Connection, vehicle_id: str, owner: Cpf) -> bool:
    """Return whether it is a deleted vehicle of this owner's."""
    found: bool = await connection.fetchval(_DELETED_BY, vehicle_id, owner.digits)
    return found


# What is left belongs to nobody: the registration number, and what kind of vehicle it was given to.
_ERASED = """
owner_cpf = NULL, display_name = NULL, serial_number = NULL, brand_other = NULL, model_other = NULL,
serial_number_photo_url = NULL, serial_number_photo_file_name = NULL, serial_number_photo_file_size = NULL,
vehicle_photo_url = NULL, vehicle_photo_file_name = NULL, vehicle_photo_file_size = NULL,
invoice_photo_url = NULL, invoice_photo_file_name = NULL, invoice_photo_file_size = NULL
"""
_ERASE_OLD = f"""
UPDATE registry.vehicle SET {_ERASED}
WHERE deleted_at < now() - interval '2 years' AND owner_cpf IS NOT NULL
RETURNING true
"""  # noqa: S608 - constants
_COUNT_ALL = "SELECT count(*) FROM registry.vehicle"


async def erase_old(connection: Connection) -> int:
    """Of vehicles deleted two years ago the registration number stays, without a person; answers how many."""
    return len(await connection.fetch(_ERASE_OLD))


async def count_all(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_ALL)


_ERASE_OWNED = f"""
UPDATE registry.vehicle SET deleted_at = coalesce(deleted_at, $2), updated_at = $2, {_ERASED}
WHERE owner_cpf = $1
RETURNING true
"""  # noqa: S608 - constants


async def erase_owned(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Erase a person's vehicles and delete the live ones; return how many. The registration number stays, nobody's."""
    return len(await connection.fetch(_ERASE_OWNED, cpf.digits, at))


def _values(form: VehicleCreate) -> tuple[Any, ...]:
    return msgspec.structs.astuple(form)


def _parse_vehicle(row: Row) -> Vehicle:
    values = dict(row)
    form = VehicleCreate(**{name: values.pop(name) for name in _FORM})
    return Vehicle(form=form, owner_cpf=Cpf(values.pop("owner_cpf")), **values)
