"""SQL of the vehicles and of who may see one; driver links are written by the text of their own store."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count, fetch_page, page_sql
from balcao.core.http.idempotency import keep_sql
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility import people
from balcao.registry.mobility.catalogue import service as catalogue
from balcao.registry.mobility.catalogue.service import Chosen
from balcao.registry.mobility.drivers import service as drivers
from balcao.registry.mobility.people import Contact
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


_COLUMNS = f"""
vehicle.id::text, owner_cpf, registration_number, {", ".join(f"vehicle.{name}" for name in _FORM)},
       brand.name AS brand_name, model.name AS model_name, link.id::text AS conductor_id,
       vehicle.created_at, vehicle.updated_at, vehicle.deleted_at
"""
_FROM = """
FROM registry.vehicle
LEFT JOIN registry.vehicle_brand AS brand ON brand.id = vehicle.brand_id
LEFT JOIN registry.vehicle_model AS model ON model.id = vehicle.model_id
LEFT JOIN registry.vehicle_conductor AS link
    ON link.vehicle_id = vehicle.id AND link.conductor_cpf = $1 AND link.status = 'accepted'
"""
_VISIBLE = f"SELECT {_COLUMNS} {_FROM}"

_READ = f"""
SELECT {_COLUMNS}, {people.contact_sql("vehicle.owner_cpf")} AS owner {_FROM}
WHERE vehicle.id = $2 AND vehicle.deleted_at IS NULL AND (owner_cpf = $1 OR link.id IS NOT NULL)
"""


async def read(connection: Connection, vehicle_id: str, viewer: Cpf) -> tuple[Vehicle, Contact] | None:
    """Return a live vehicle that the viewer owns or drives, and how to reach its owner; None when there is none."""
    row = await connection.fetchrow(_READ, viewer.digits, vehicle_id)
    if row is None:
        return None
    return _parse_with_owner(dict(row))


_READ_WITH_LINKS = _READ.replace(" AS owner ", f" AS owner, {drivers.open_links_sql('vehicle.id')}::text AS links ")


class Removable(NamedTuple):
    """What the removal of a vehicle is decided on; `links` holds the drivers' CPFs by the ids of the open links."""

    vehicle: Vehicle
    owner: Contact
    links: Mapping[str, Cpf]


async def read_with_links(connection: Connection, vehicle_id: str, viewer: Cpf) -> Removable | None:
    """Return what `read` does, and the vehicle's open links."""
    row = await connection.fetchrow(_READ_WITH_LINKS, viewer.digits, vehicle_id)
    if row is None:
        return None
    values = dict(row)
    links = msgspec.json.decode(values.pop("links"), type=dict[str, str])
    return Removable(*_parse_with_owner(values), {id_: Cpf(digits) for id_, digits in links.items()})


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
_PAGE = page_sql(_LIST, f"SELECT count(*) FROM ({_REACHED}) AS reached")


async def fetch_visible_page(connection: Connection, viewer: Cpf, page: Page) -> tuple[list[Vehicle], int]:
    """Return the page's live vehicles that the viewer owns or drives, and how many there are on all pages."""
    rows, total = await fetch_page(connection, _PAGE, viewer.digits, page.limit, page.offset)
    return [_parse_vehicle(row) for row in rows], total


_OWNED = f"{_VISIBLE} WHERE owner_cpf = $1 ORDER BY vehicle.created_at, vehicle.id"


async def list_owned(connection: Connection, owner: Cpf) -> list[Vehicle]:
    """Return a person's vehicles, the oldest first; deleted ones too, as long as they are not erased."""
    return [_parse_vehicle(row) for row in await connection.fetch(_OWNED, owner.digits)]


class Draft(NamedTuple):
    """What a new vehicle is decided on and made of: nothing of it is locked."""

    owned: int
    owner: Contact
    chosen: Chosen
    registration_number: str
    moment: datetime


# The number is drawn beforehand, because the stored response names it; one that is not used is never used.
_DRAFT = f"""
WITH number AS MATERIALIZED (SELECT nextval('registry.vehicle_number')::text AS digits)
SELECT (SELECT count(*) FROM registry.vehicle WHERE owner_cpf = $1 AND deleted_at IS NULL) AS owned,
       {people.contact_sql("$1")} AS owner, {catalogue.chosen_sql("$3::text", "$4::text")} AS chosen,
       $2::text || lpad(digits, greatest(6, length(digits)), '0') AS registration_number, clock_timestamp() AS moment
FROM number
"""


async def draft(connection: Connection, owner: Cpf, prefix: str, brand_id: str | None, model_id: str | None) -> Draft:
    """Draw the number and the time of a new vehicle, and read what decides on it."""
    ids = catalogue.check_id(brand_id), catalogue.check_id(model_id)
    row = await connection.fetchrow(_DRAFT, owner.digits, prefix, *ids)
    assert row is not None  # a row of values
    return Draft(
        row["owned"],
        people.parse_contact(owner, row["owner"]),
        catalogue.parse_chosen(row["chosen"]),
        row["registration_number"],
        row["moment"],
    )


_FORM_OF_INSERT = ", ".join(f"${number}" for number in range(17, 17 + len(_FORM)))
# The function makes two new vehicles of one owner come one after the other, so that each counts the other; after it the
# rows of the catalogue are locked and tested. The vehicle, its trace and the response stored for its key are written
# together; not at all beyond the limit, on a choice that is not what it was, or for a key that is taken.
_INSERT = f"""
WITH below_limit AS MATERIALIZED (
    SELECT true FROM registry.hold_own_vehicles($2) AS held (vehicles) WHERE $5 = 0 OR vehicles < $5
), {catalogue.share_sql(7, "below_limit")}
, kept AS (
    {keep_sql(12, "shared_choice")}
), inserted AS (
    INSERT INTO registry.vehicle (id, owner_cpf, registration_number, created_at, updated_at, {", ".join(_FORM)})
    SELECT $1, $2, $3, $4, $4, {_FORM_OF_INSERT}
    FROM shared_choice WHERE $13::text IS NULL OR EXISTS (SELECT FROM kept)
    RETURNING true
), recorded AS (
    {record_sql("$6::jsonb", "inserted")}
)
SELECT EXISTS (SELECT FROM inserted)
"""


async def insert(
    connection: Connection, vehicle: Vehicle, shared: Sequence[Any], *, most: int, trail: str, kept: Sequence[Any]
) -> bool:
    """Insert a vehicle; return False if there is no room, the choice is void or the key is taken.

    `most` is the limit, 0 for none; `shared` and `kept` are what `catalogue.share_sql` and `keep_sql` take.
    """
    inserted: bool = await connection.fetchval(
        _INSERT,
        vehicle.id,
        vehicle.owner_cpf.digits,
        vehicle.registration_number,
        vehicle.created_at,
        most,
        trail,
        *shared,
        *kept,
        *msgspec.structs.astuple(vehicle.form),
    )
    return inserted


_FORM_OF_UPDATE = ", ".join(f"${number}" for number in range(9, 9 + len(_FORM)))
# The update waits for whoever changes the vehicle at this moment and then tests what they left. Its time tells versions
# apart, so it always grows. Nobody who locks a vehicle waits for the catalogue, which is locked first here.
_UPDATE = f"""
WITH always AS (
    SELECT true
), {catalogue.share_sql(4, "always")}
, updated AS (
    UPDATE registry.vehicle
    SET ({", ".join(_FORM)}) = ROW({_FORM_OF_UPDATE}),
        updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
    FROM shared_choice
    WHERE id = $1 AND updated_at = $2 AND deleted_at IS NULL
    RETURNING updated_at
), recorded AS (
    {record_sql("$3::jsonb", "updated")}
)
SELECT updated_at FROM updated
"""


async def update(
    connection: Connection, present: Vehicle, form: VehicleCreate, shared: Sequence[Any], trail: str
) -> datetime | None:
    """Store the changed form of a vehicle; return the time of the change.

    None if the vehicle is not any more what was read, or the choice is void. `shared` is what `catalogue.share_sql`
    takes.
    """
    moment: datetime | None = await connection.fetchval(
        _UPDATE, present.id, present.updated_at, trail, *shared, *msgspec.structs.astuple(form)
    )
    return moment


# The function waits for whoever changes the vehicle or a link of it at this moment, and reads what they left. Links
# that are the same as before were there when this statement began, so the update of them finds them all.
_DELETE = f"""
WITH held AS MATERIALIZED (
    SELECT true FROM registry.hold_vehicle($1) AS vehicle WHERE changed_at = $2 AND links = $3::uuid[]
), deleted AS (
    UPDATE registry.vehicle
    SET deleted_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM held WHERE id = $1
    RETURNING true
), revoked AS (
    {drivers.revoke_sql("$3::uuid[]", "held")}
), recorded AS (
    {record_sql("$4::jsonb", "deleted")}
)
SELECT EXISTS (SELECT FROM deleted)
"""


async def delete(connection: Connection, present: Vehicle, links: Collection[str], trail: str) -> bool:
    """Mark a vehicle as deleted and revoke its open links.

    Return False if the vehicle or its open links are not any more what was read.
    """
    deleted: bool = await connection.fetchval(_DELETE, present.id, present.updated_at, sorted(links), trail)
    return deleted


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
"""
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
"""


async def erase_owned(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Erase a person's vehicles and delete the live ones; return how many. The registration number stays, nobody's."""
    return len(await connection.fetch(_ERASE_OWNED, cpf.digits, at))


def _parse_with_owner(values: dict[str, Any]) -> tuple[Vehicle, Contact]:
    owner = values.pop("owner")
    vehicle = _parse_vehicle(values)
    return vehicle, people.parse_contact(vehicle.owner_cpf, owner)


def _parse_vehicle(row: Row | dict[str, Any]) -> Vehicle:
    values = dict(row)
    form = VehicleCreate(**{name: values.pop(name) for name in _FORM})
    return Vehicle(form=form, owner_cpf=Cpf(values.pop("owner_cpf")), **values)
