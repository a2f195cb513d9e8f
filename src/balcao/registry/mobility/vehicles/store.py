"""SQL for vehicles, including the conditions under which a person may see a vehicle.

The SQL for driver links is in `drivers/store.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from balcao.core.context.audit import record_sql
from balcao.core.context.idempotency import Kept, store_response_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Row, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged, read_part
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.mobility import people
from balcao.registry.mobility.catalogue.schemas import Chosen, Shared
from balcao.registry.mobility.catalogue.store import chosen_sql, name_joins_sql, share_sql
from balcao.registry.mobility.drivers.links import parse_open_links
from balcao.registry.mobility.drivers.store import accepted_links_sql, open_links_sql, revoke_sql
from balcao.registry.mobility.people import Contact
from balcao.registry.mobility.vehicles.schemas import VehicleCreate
from balcao.registry.person.citizens.store import citizen_document_sql

_FORM = VehicleCreate.__struct_fields__


@dataclass(frozen=True)
class Vehicle:
    """A vehicle as one person sees it. `conductor_id` is that person's accepted link, or None for the owner.

    An erased vehicle has lost some members, but no person can see such a vehicle.
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

    @classmethod
    def from_row(cls, row: Row) -> "Vehicle":
        """Build the vehicle from a row with the columns of the vehicle and its form."""
        return cls(
            id=row["id"],
            owner_cpf=Cpf(row["owner_cpf"]),
            registration_number=row["registration_number"],
            form=read_part(VehicleCreate, row),
            brand_name=row["brand_name"],
            model_name=row["model_name"],
            conductor_id=row["conductor_id"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
            deleted_at=row["deleted_at"],
        )


_FORM_COLUMNS = ", ".join(f"vehicle.{name}::text" if name.endswith("_file_id") else f"vehicle.{name}" for name in _FORM)
_COLUMNS = f"""
vehicle.id::text, owner_cpf, registration_number, {_FORM_COLUMNS},
       brand.name AS brand_name, model.name AS model_name, link.id::text AS conductor_id,
       vehicle.created_at, vehicle.updated_at, vehicle.deleted_at
"""
_FROM = f"""
FROM registry.vehicle
{name_joins_sql("vehicle")}
LEFT JOIN ({accepted_links_sql(":viewer")}) AS link ON link.vehicle_id = vehicle.id
"""
_VISIBLE = f"SELECT {_COLUMNS} {_FROM}"


class VisibleVehicle(NamedTuple):
    """A vehicle with its owner's contact data."""

    vehicle: Vehicle
    owner: Contact

    @classmethod
    def from_row(cls, row: Row) -> "VisibleVehicle":
        """Build the object from a row that contains the vehicle's columns and the owner's record."""
        vehicle = Vehicle.from_row(row)
        return cls(vehicle, people.parse_contact(vehicle.owner_cpf, row["owner"]))


_READ = f"""
SELECT {_COLUMNS}, {citizen_document_sql("vehicle.owner_cpf")} AS owner {_FROM}
WHERE vehicle.id = :vehicle_id::uuid AND vehicle.deleted_at IS NULL AND (owner_cpf = :viewer OR link.id IS NOT NULL)
"""


@lookup(_READ)
async def read_visible_vehicle(source: Source, vehicle_id: str, viewer: Cpf) -> VisibleVehicle | None:
    """Return a live vehicle that the viewer owns or drives. Return None if there is no such vehicle."""


class RemovableVehicle(NamedTuple):
    """A vehicle that a person wants to remove. `links` maps the ids of its open links to the drivers' CPFs."""

    vehicle: Vehicle
    owner: Contact
    links: Mapping[str, Cpf]

    @classmethod
    def from_row(cls, row: Row) -> "RemovableVehicle":
        """Build the object from a row that contains the columns of a VisibleVehicle and a `links` column."""
        return cls(*VisibleVehicle.from_row(row), parse_open_links(row["links"]))


@statement(_READ.replace(" AS owner ", f" AS owner, {open_links_sql('vehicle.id')}::text AS links "))
async def read_removable_vehicle(connection: Connection, vehicle_id: str, viewer: Cpf) -> RemovableVehicle | None:
    """Return the same as `read_visible_vehicle`, with the vehicle's open links added."""


_REACHED = f"""
SELECT id FROM registry.vehicle WHERE owner_cpf = :viewer AND deleted_at IS NULL
UNION ALL
SELECT vehicle_id FROM ({accepted_links_sql(":viewer")}) AS link
"""
_LIST = f"""{_VISIBLE}
WHERE vehicle.id IN ({_REACHED})
ORDER BY vehicle.created_at DESC, vehicle.id DESC
LIMIT :limit OFFSET :offset
"""


@lookup(page_sql(_LIST, f"SELECT count(*) FROM ({_REACHED}) AS reached"))
async def list_visible_vehicles(source: Source, viewer: Cpf, page: Page) -> Paged[Vehicle]:
    """Return a page of the live vehicles that the viewer owns or drives, and their total number."""


@statement(f"{_VISIBLE} WHERE owner_cpf = :viewer ORDER BY vehicle.created_at, vehicle.id")
async def select_owned_vehicles(connection: Connection, viewer: Cpf) -> list[Vehicle]:
    """Return a person's vehicles, oldest first, including deleted vehicles that are not yet erased."""


class Draft(NamedTuple):
    """The number and time of a new vehicle, and the data that decides whether it may be created, read without locks.

    `owned` is the number of the owner's live vehicles. `people.parse_contact` parses the document `owner`.
    """

    owned: int
    owner: str
    chosen: Chosen
    registration_number: str
    moment: datetime


# Draw the number from the sequence before the vehicle is written, because the stored response contains the number. If
# the vehicle is not created, its number is skipped.
@statement(f"""
WITH number AS MATERIALIZED (SELECT nextval('registry.vehicle_number')::text AS digits)
SELECT (SELECT count(*) FROM registry.vehicle WHERE owner_cpf = :owner AND deleted_at IS NULL) AS owned,
       {citizen_document_sql(":owner")} AS owner, {chosen_sql(":brand_id::text", ":model_id::text")} AS chosen,
       :prefix::text || lpad(digits, greatest(6, length(digits)), '0') AS registration_number,
       clock_timestamp() AS moment
FROM number
""")
async def draft_vehicle(
    connection: Connection, owner: Cpf, prefix: str, brand_id: str | None, model_id: str | None
) -> Draft:
    """Draw the number of a new vehicle, and read the data that decides whether it may be created.

    The caller must pass each id through `check_id`.
    """


_FORM_VALUES = ", ".join(f":form.{name}" for name in _FORM)


# Lock order: `hold_own_vehicles` serialises the insertions of one owner, so that concurrent insertions cannot exceed
# the limit. The catalogue's rows are locked and checked after that.
#
# The vehicle, its audit event and the response for the idempotency key are written together. Nothing is written if the
# limit is reached, if the chosen entries have changed, or if the key is taken.
@statement(f"""
WITH below_limit AS MATERIALIZED (
    SELECT true FROM registry.hold_own_vehicles(:owner_cpf) AS held (vehicles) WHERE :most = 0 OR vehicles < :most
), {share_sql("shared", "below_limit")}
, kept AS (
    {store_response_sql("kept", "shared_choice")}
), inserted AS (
    INSERT INTO registry.vehicle (id, owner_cpf, registration_number, created_at, updated_at, {", ".join(_FORM)})
    SELECT :id, :owner_cpf, :registration_number, :created_at, :created_at, {_FORM_VALUES}
    FROM shared_choice WHERE :kept.key::text IS NULL OR EXISTS (SELECT FROM kept)
    RETURNING true
), recorded AS (
    {record_sql(":trail::jsonb", "inserted")}
)
SELECT EXISTS (SELECT FROM inserted)
""")
async def insert_vehicle(
    connection: Connection, vehicle: Vehicle, shared: Shared, *, most: int, trail: str, kept: Kept | None
) -> bool:
    """Insert a vehicle.

    Return False if the owner already has `most` vehicles (0 means no limit), if the chosen catalogue entries have
    changed since they were read, or if the idempotency key is taken.
    """


# The UPDATE waits for a concurrent UPDATE of the same vehicle and then checks the row again. `updated_at` identifies
# the version, so it must always increase.
#
# Lock order: the catalogue before the vehicle. No transaction that has locked a vehicle waits for the catalogue.
@statement(f"""
WITH always AS (
    SELECT true
), {share_sql("shared", "always")}
, updated AS (
    UPDATE registry.vehicle
    SET ({", ".join(_FORM)}) = ROW({_FORM_VALUES}),
        updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond')
    FROM shared_choice
    WHERE id = :present.id AND updated_at = :present.updated_at AND deleted_at IS NULL
    RETURNING updated_at
), recorded AS (
    {record_sql(":trail::jsonb", "updated")}
)
SELECT updated_at FROM updated
""")
async def update_vehicle(
    connection: Connection, present: Vehicle, form: VehicleCreate, shared: Shared, trail: str
) -> datetime | None:
    """Store the changed form, and return the time of the change.

    Return None if the vehicle or the chosen catalogue entries have changed since they were read.
    """


# `hold_vehicle` waits for concurrent changes of the vehicle and its links, locks them, and returns the current state.
# If these links equal the links that the caller has read, this statement's snapshot contains all of them, so the UPDATE
# of the links misses none.
@statement(f"""
WITH held AS MATERIALIZED (
    SELECT true FROM registry.hold_vehicle(:id) AS vehicle WHERE changed_at = :updated_at AND links = :links::uuid[]
), deleted AS (
    UPDATE registry.vehicle
    SET deleted_at = clock_timestamp(), updated_at = clock_timestamp()
    FROM held WHERE id = :id
    RETURNING true
), revoked AS (
    {revoke_sql(":links::uuid[]", "held")}
), recorded AS (
    {record_sql(":trail::jsonb", "deleted")}
)
SELECT EXISTS (SELECT FROM deleted)
""")
async def delete_vehicle(connection: Connection, present: Vehicle, links: Sequence[str], trail: str) -> bool:
    """Mark a vehicle as deleted and revoke its open links. `links` contains the ids of the open links, sorted.

    Return False if the vehicle or its open links have changed since they were read.
    """


@statement("""
SELECT EXISTS (SELECT FROM registry.vehicle WHERE id = :vehicle_id AND owner_cpf = :owner AND deleted_at IS NOT NULL)
""")
async def is_deleted_vehicle(connection: Connection, vehicle_id: str, owner: Cpf) -> bool:
    """Return whether the owner has a deleted vehicle with this id."""


# The remaining data, such as the registration number and the vehicle type, does not identify a person.
_ERASED = """
owner_cpf = NULL, display_name = NULL, serial_number = NULL, brand_other = NULL, model_other = NULL,
serial_number_photo_url = NULL, serial_number_photo_file_name = NULL, serial_number_photo_file_size = NULL,
vehicle_photo_url = NULL, vehicle_photo_file_name = NULL, vehicle_photo_file_size = NULL,
invoice_photo_url = NULL, invoice_photo_file_name = NULL, invoice_photo_file_size = NULL,
serial_number_photo_file_id = NULL, vehicle_photo_file_id = NULL
"""


class ErasedVehicle(NamedTuple):
    """An erased vehicle, its former owner, and whether it referred to the owner's files."""

    id: str
    owner_cpf: Cpf
    has_files: bool


@statement(f"""
WITH old AS (
    SELECT id, owner_cpf, num_nonnulls(serial_number_photo_file_id, vehicle_photo_file_id) > 0 AS has_files
    FROM registry.vehicle WHERE deleted_at < now() - interval '2 years' AND owner_cpf IS NOT NULL
    ORDER BY id FOR UPDATE
)
UPDATE registry.vehicle SET {_ERASED} FROM old WHERE vehicle.id = old.id
RETURNING old.id::text, old.owner_cpf, old.has_files
""")
async def erase_old_vehicles(connection: Connection) -> list[ErasedVehicle]:
    """Erase vehicles that were deleted over two years ago, and return them.

    Data that does not identify a person, such as the registration number, is retained.
    """


@statement("SELECT count(*) FROM registry.vehicle")
async def count_vehicles(connection: Connection) -> int: ...


@statement(f"""
UPDATE registry.vehicle SET deleted_at = coalesce(deleted_at, :at), updated_at = :at, {_ERASED}
WHERE owner_cpf = :owner
""")
async def erase_owned_vehicles(connection: Connection, owner: Cpf, at: datetime) -> int:
    """Erase a person's vehicles, and mark live ones as deleted. Return the number of erased vehicles.

    Data that does not identify a person, such as the registration number, is retained.
    """
