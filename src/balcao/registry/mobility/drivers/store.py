"""SQL of the driver links. The unique index over pending and accepted ones decides between two invitations."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.registry.mobility.catalogue.schemas import VehicleType
from balcao.registry.mobility.drivers.schemas import EmailStatus, InvitedVehicle, LinkStatus


class Link(msgspec.Struct, frozen=True):
    """A row as it is stored: with what the owner typed."""

    id: str
    vehicle_id: str
    conductor_cpf: str
    conductor_name: str | None
    notify_email: str | None
    phone: str | None
    status: LinkStatus
    invited_by_cpf: str | None
    email_status: EmailStatus
    email_attempted_at: datetime | None
    created_at: datetime
    updated_at: datetime
    responded_at: datetime | None


_COLUMNS = ", ".join(f"link.{name}" for name in Link.__struct_fields__)
_COLUMNS = _COLUMNS.replace("link.id,", "link.id::text,").replace("link.vehicle_id,", "link.vehicle_id::text,")

_OPEN = f"""
SELECT {_COLUMNS} FROM registry.vehicle_conductor AS link
WHERE vehicle_id = $1 AND status IN ('pending', 'accepted')
ORDER BY created_at, id
"""  # noqa: S608 - constants


async def open_of(connection: Connection, vehicle_id: str) -> list[Link]:
    """Pending and accepted ones of a vehicle, oldest first."""
    return [_link(row) for row in await connection.fetch(_OPEN, vehicle_id)]


_INSERT = f"""
INSERT INTO registry.vehicle_conductor AS link
    (id, vehicle_id, conductor_cpf, notify_email, conductor_name, phone, invited_by_cpf)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (vehicle_id, conductor_cpf) WHERE status IN ('pending', 'accepted') DO NOTHING
RETURNING {_COLUMNS}
"""  # noqa: S608 - constants


async def insert(
    connection: Connection,
    vehicle_id: str,
    invitee: Cpf,
    email: str,
    name: str | None,
    phone: str | None,
    inviter: Cpf,
) -> Link | None:
    """None when the person has a pending or accepted link already."""
    values = (new_id(), vehicle_id, invitee.digits, email, name, phone, inviter.digits)
    row = await connection.fetchrow(_INSERT, *values)
    return _link(row) if row else None


_COUNT_OPEN = """
SELECT count(*) FROM registry.vehicle_conductor WHERE vehicle_id = $1 AND status IN ('pending', 'accepted')
"""


async def count_open(connection: Connection, vehicle_id: str) -> int:
    found: int = await connection.fetchval(_COUNT_OPEN, vehicle_id)
    return found


_LOCK = f"""
SELECT {_COLUMNS} FROM registry.vehicle_conductor AS link WHERE id = $1 AND vehicle_id = coalesce($2, vehicle_id)
FOR UPDATE
"""  # noqa: S608 - constants


async def lock(connection: Connection, link_id: str, vehicle_id: str | None = None) -> Link | None:
    """With `vehicle_id`, only a link of that vehicle."""
    row = await connection.fetchrow(_LOCK, link_id, vehicle_id)
    return _link(row) if row else None


_ANSWER = f"""
UPDATE registry.vehicle_conductor AS link
SET status = $2, responded_at = clock_timestamp(), updated_at = clock_timestamp()
WHERE id = $1
RETURNING {_COLUMNS}
"""  # noqa: S608 - constants


async def answer(connection: Connection, link_id: str, status: LinkStatus) -> Link:
    return _link(await connection.fetchrow(_ANSWER, link_id, status))


_REVOKE = "UPDATE registry.vehicle_conductor SET status = 'revoked', updated_at = clock_timestamp() WHERE id = $1"


async def revoke(connection: Connection, link_id: str) -> None:
    await connection.execute(_REVOKE, link_id)


@dataclass(frozen=True)
class Offered:
    """A link with what its person sees of the vehicle; the owner is None once the vehicle is erased."""

    link: Link
    vehicle: InvitedVehicle
    owner_cpf: str | None


_OFFERED = f"""
SELECT {_COLUMNS}, vehicle.display_name, coalesce(vehicle.brand_other, brand.name) AS brand_label,
       coalesce(vehicle.model_other, model.name) AS model_label, vehicle.vehicle_type, vehicle.color,
       vehicle.vehicle_photo_url, vehicle.owner_cpf
FROM registry.vehicle_conductor AS link
JOIN registry.vehicle ON vehicle.id = link.vehicle_id
LEFT JOIN registry.vehicle_brand AS brand ON brand.id = vehicle.brand_id
LEFT JOIN registry.vehicle_model AS model ON model.id = vehicle.model_id
"""  # noqa: S608 - constants
_PENDING = f"""{_OFFERED}
WHERE link.conductor_cpf = $1 AND link.status = 'pending' AND vehicle.deleted_at IS NULL
ORDER BY link.created_at DESC, link.id DESC
"""
_EVERY = f"{_OFFERED} WHERE link.conductor_cpf = $1 ORDER BY link.created_at, link.id"
_LIVE = "SELECT EXISTS (SELECT FROM registry.vehicle WHERE id = $1 AND deleted_at IS NULL)"


async def pending_of(connection: Connection, invitee: Cpf) -> list[Offered]:
    """Newest first."""
    return [_offered(row) for row in await connection.fetch(_PENDING, invitee.digits)]


async def every_of(connection: Connection, person: Cpf) -> list[Offered]:
    """In whatever state, oldest first."""
    return [_offered(row) for row in await connection.fetch(_EVERY, person.digits)]


async def vehicle_lives(connection: Connection, vehicle_id: str) -> bool:
    found: bool = await connection.fetchval(_LIVE, vehicle_id)
    return found


def _link(row: Row) -> Link:
    return msgspec.convert(dict(row), Link)


def _offered(row: Row) -> Offered:
    vehicle = InvitedVehicle(
        display_name=row["display_name"],
        brand_label=row["brand_label"],
        model_label=row["model_label"],
        vehicle_type=VehicleType(row["vehicle_type"]),
        color=row["color"],
        vehicle_photo_url=row["vehicle_photo_url"],
    )
    return Offered(_link(row), vehicle, row["owner_cpf"])
