"""SQL of the driver links: the one writer of the links between vehicles and drivers, and of their e-mails.

Vehicles are only read and locked here. Whoever locks several rows takes the vehicle first, then its links in the order
of their ids, so that nobody waits in a circle.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count
from balcao.core.jobs.declaration import Subject
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.registry.mobility.catalogue.schemas import VehicleType
from balcao.registry.mobility.drivers.records import InvitationEmail, Invitee, Link, LinkWithVehicle
from balcao.registry.mobility.drivers.schemas import EmailStatus, InvitedVehicle, LinkStatus

_COLUMNS = ", ".join(f"link.{name}" for name in Link.__struct_fields__)
_COLUMNS = _COLUMNS.replace("link.id,", "link.id::text,").replace("link.vehicle_id,", "link.vehicle_id::text,")

_OPEN = f"""
SELECT {_COLUMNS} FROM registry.vehicle_conductor AS link
WHERE vehicle_id = $1 AND status IN ('pending', 'accepted')
ORDER BY created_at, id
"""  # noqa: S608 - constants


async def list_open_links(connection: Connection, vehicle_id: str) -> list[Link]:
    """Return pending and accepted links of a vehicle, the oldest first."""
    return [_parse_link(row) for row in await connection.fetch(_OPEN, vehicle_id)]


_INSERT = f"""
INSERT INTO registry.vehicle_conductor AS link
    (id, vehicle_id, conductor_cpf, notify_email, conductor_name, phone, invited_by_cpf)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (vehicle_id, conductor_cpf) WHERE status IN ('pending', 'accepted') DO NOTHING
RETURNING {_COLUMNS}
"""  # noqa: S608 - constants


async def insert(connection: Connection, vehicle_id: str, invitee: Invitee, inviter: Cpf) -> Link | None:
    """Make a pending link; None when the person has a pending or accepted one already."""
    typed = (invitee.cpf.digits, invitee.email, invitee.name, invitee.phone)
    row = await connection.fetchrow(_INSERT, new_id(), vehicle_id, *typed, inviter.digits)
    return _parse_link(row) if row else None


_COUNT_OPEN = """
SELECT count(*) FROM registry.vehicle_conductor WHERE vehicle_id = $1 AND status IN ('pending', 'accepted')
"""


async def count_open(connection: Connection, vehicle_id: str) -> int:
    """Return how many pending and accepted links a vehicle has."""
    return await fetch_count(connection, _COUNT_OPEN, vehicle_id)


_LOCK_VEHICLE = "SELECT FROM registry.vehicle WHERE id = $1 FOR UPDATE"


async def lock_vehicle(connection: Connection, vehicle_id: str) -> None:
    """Lock a vehicle until the transaction ends.

    A statement of its own: what the next one reads was committed by whoever held the lock before.
    """
    await connection.execute(_LOCK_VEHICLE, vehicle_id)


_FIND_OWNER = """
SELECT owner_cpf FROM registry.vehicle
WHERE id = $1 AND deleted_at IS NULL AND (owner_cpf = $2 OR EXISTS (
    SELECT FROM registry.vehicle_conductor AS link
    WHERE link.vehicle_id = vehicle.id AND link.conductor_cpf = $2 AND link.status = 'accepted'))
"""
_IS_LIVE = "SELECT EXISTS (SELECT FROM registry.vehicle WHERE id = $1 AND deleted_at IS NULL)"


async def find_owner(connection: Connection, vehicle_id: str, viewer: Cpf) -> Cpf | None:
    """Return the owner of a live vehicle that the viewer owns or drives; None when there is none."""
    return _parse_cpf(await connection.fetchval(_FIND_OWNER, vehicle_id, viewer.digits))


async def is_vehicle_live(connection: Connection, vehicle_id: str) -> bool:
    """Return whether there is such a vehicle that is not deleted."""
    found: bool = await connection.fetchval(_IS_LIVE, vehicle_id)
    return found


_LOCK = f"""
SELECT {_COLUMNS} FROM registry.vehicle_conductor AS link WHERE id = $1 AND vehicle_id = coalesce($2, vehicle_id)
FOR UPDATE
"""  # noqa: S608 - constants


async def lock(connection: Connection, link_id: str, vehicle_id: str | None = None) -> Link | None:
    """Return a link, locked; with `vehicle_id`, only one of that vehicle."""
    row = await connection.fetchrow(_LOCK, link_id, vehicle_id)
    return _parse_link(row) if row else None


_ANSWER = f"""
UPDATE registry.vehicle_conductor AS link
SET status = $2, responded_at = clock_timestamp(), updated_at = clock_timestamp()
WHERE id = $1
RETURNING {_COLUMNS}
"""  # noqa: S608 - constants


async def answer(connection: Connection, link_id: str, status: LinkStatus) -> Link:
    """Store the invitee's answer; return the link after it."""
    return _parse_link(await connection.fetchrow(_ANSWER, link_id, status))


_REVOKE = "UPDATE registry.vehicle_conductor SET status = 'revoked', updated_at = clock_timestamp() WHERE id = $1"


async def revoke(connection: Connection, link_id: str) -> None:
    """End an open link, be it by the owner or by the driver."""
    await connection.execute(_REVOKE, link_id)


_WITH_VEHICLE = f"""
SELECT {_COLUMNS}, vehicle.display_name, coalesce(vehicle.brand_other, brand.name) AS brand_label,
       coalesce(vehicle.model_other, model.name) AS model_label, vehicle.vehicle_type, vehicle.color,
       vehicle.vehicle_photo_url, vehicle.owner_cpf
FROM registry.vehicle_conductor AS link
JOIN registry.vehicle ON vehicle.id = link.vehicle_id
LEFT JOIN registry.vehicle_brand AS brand ON brand.id = vehicle.brand_id
LEFT JOIN registry.vehicle_model AS model ON model.id = vehicle.model_id
"""  # noqa: S608 - constants
_PENDING = f"""{_WITH_VEHICLE}
WHERE link.conductor_cpf = $1 AND link.status = 'pending' AND vehicle.deleted_at IS NULL
ORDER BY link.created_at DESC, link.id DESC
"""
_ALL = f"{_WITH_VEHICLE} WHERE link.conductor_cpf = $1 ORDER BY link.created_at, link.id"


async def list_pending(connection: Connection, invitee: Cpf) -> list[LinkWithVehicle]:
    """Return a person's pending invitations to live vehicles, the newest first."""
    return [_parse_link_with_vehicle(row) for row in await connection.fetch(_PENDING, invitee.digits)]


async def list_all_links(connection: Connection, person: Cpf) -> list[LinkWithVehicle]:
    """Return a person's links in whatever state, the oldest first."""
    return [_parse_link_with_vehicle(row) for row in await connection.fetch(_ALL, person.digits)]


def revoke_sql(ids: str, source: str) -> str:
    """Return the text of an UPDATE that revokes open links if there is a row in `source`, under which they are locked.

    `ids` is an SQL expression of an array.
    """
    return f"""
    UPDATE registry.vehicle_conductor SET status = 'revoked', updated_at = clock_timestamp()
    FROM {source} WHERE vehicle_conductor.id = ANY ({ids}) AND status IN ('pending', 'accepted')
    """  # noqa: S608 - texts of our own stores


# An e-mail sent is not sent again; one that failed for the last time is, when an operator asks for it.
_TAKE_EMAIL = """
UPDATE registry.vehicle_conductor
SET email_status = 'queued', email_attempts = email_attempts + 1, email_attempted_at = clock_timestamp()
WHERE id = $1 AND status = 'pending' AND email_status IN ('pending', 'queued', 'failed')
RETURNING notify_email, conductor_cpf, email_attempts
"""
_SKIP_EMAIL = """
UPDATE registry.vehicle_conductor SET email_status = 'skipped'
WHERE id = $1 AND email_status IN ('pending', 'queued')
"""
_FINISH_EMAIL = "UPDATE registry.vehicle_conductor SET email_status = $2 WHERE id = $1"


async def take_email(connection: Connection, link_id: str) -> InvitationEmail | None:
    """Return the e-mail to send now; None when there is nothing to send any more."""
    row = await connection.fetchrow(_TAKE_EMAIL, link_id)
    return InvitationEmail(row["notify_email"], Cpf(row["conductor_cpf"]), row["email_attempts"]) if row else None


async def skip_email(connection: Connection, link_id: str) -> None:
    """Mark an e-mail that is not sent yet as not to be sent."""
    await connection.execute(_SKIP_EMAIL, link_id)


async def finish_email(connection: Connection, link_id: str, status: str) -> None:
    """Store what became of an e-mail."""
    await connection.execute(_FINISH_EMAIL, link_id, status)


_INVITEES = "SELECT id::text, conductor_cpf FROM registry.vehicle_conductor WHERE id = ANY ($1::text[]::uuid[])"


async def find_invitees(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return whom an e-mail is for, by the link's id."""
    rows = await connection.fetch(_INVITEES, list(ids))
    return {row["id"]: Subject(Cpf(row["conductor_cpf"]), fields=["notify_email"]) for row in rows}


_LINK_IDS = "SELECT id::text FROM registry.vehicle_conductor WHERE conductor_cpf = $1"


async def list_link_ids(connection: Connection, cpf: Cpf) -> list[str]:
    """Return the ids of a person's links, for a search among dead-lettered jobs."""
    return [row["id"] for row in await connection.fetch(_LINK_IDS, cpf.digits)]


_EXPIRE = """
UPDATE registry.vehicle_conductor SET status = 'revoked', updated_at = clock_timestamp()
WHERE id IN (
    SELECT id FROM registry.vehicle_conductor WHERE status = 'pending' AND created_at < now() - interval '90 days'
    ORDER BY id FOR UPDATE)
RETURNING true
"""
_DELETE_OLD = """
DELETE FROM registry.vehicle_conductor
WHERE status IN ('rejected', 'revoked') AND updated_at < now() - interval '2 years'
RETURNING true
"""
_COUNT_ALL = "SELECT count(*) FROM registry.vehicle_conductor"
_COUNT_PENDING = "SELECT count(*) FROM registry.vehicle_conductor WHERE status = 'pending'"


async def expire(connection: Connection) -> int:
    """Revoke what nobody answered in 90 days; return how many links it were."""
    return len(await connection.fetch(_EXPIRE))


async def delete_old(connection: Connection) -> int:
    """Delete links rejected or revoked two years ago; return how many. By the owner of the tables only."""
    return len(await connection.fetch(_DELETE_OLD))


async def count_all(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_ALL)


async def count_pending(connection: Connection) -> int:
    return await fetch_count(connection, _COUNT_PENDING)


_LOCK_VEHICLES = "SELECT FROM registry.vehicle WHERE owner_cpf = $1 ORDER BY id FOR UPDATE"
# Both directions: what others typed of the person, and what the person typed of others.
_ERASE_TYPED = """
UPDATE registry.vehicle_conductor
SET status = CASE WHEN status IN ('pending', 'accepted') THEN 'revoked' ELSE status END,
    conductor_name = NULL, notify_email = NULL, phone = NULL, invited_by_cpf = NULL,
    updated_at = CASE WHEN status IN ('pending', 'accepted') THEN $2 ELSE updated_at END
WHERE id IN (
    SELECT id FROM registry.vehicle_conductor
    WHERE (conductor_cpf = $1 OR vehicle_id IN (SELECT id FROM registry.vehicle WHERE owner_cpf = $1))
        AND num_nonnulls(conductor_name, notify_email, phone, invited_by_cpf) > 0
    ORDER BY id FOR UPDATE)
RETURNING true
"""


async def erase_typed(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Erase what was typed of the person or by them, and revoke their open links; return how many it were."""
    await connection.execute(_LOCK_VEHICLES, cpf.digits)
    return len(await connection.fetch(_ERASE_TYPED, cpf.digits, at))


def _parse_link(row: Row) -> Link:
    return Link(
        id=row["id"],
        vehicle_id=row["vehicle_id"],
        conductor_cpf=Cpf(row["conductor_cpf"]),
        conductor_name=row["conductor_name"],
        notify_email=row["notify_email"],
        phone=row["phone"],
        status=LinkStatus(row["status"]),
        invited_by_cpf=_parse_cpf(row["invited_by_cpf"]),
        email_status=EmailStatus(row["email_status"]),
        email_attempted_at=row["email_attempted_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        responded_at=row["responded_at"],
    )


def _parse_cpf(digits: str | None) -> Cpf | None:
    return Cpf(digits) if digits else None


def _parse_link_with_vehicle(row: Row) -> LinkWithVehicle:
    vehicle = InvitedVehicle(
        display_name=row["display_name"],
        brand_label=row["brand_label"],
        model_label=row["model_label"],
        vehicle_type=VehicleType(row["vehicle_type"]),
        color=row["color"],
        vehicle_photo_url=row["vehicle_photo_url"],
    )
    return LinkWithVehicle(_parse_link(row), vehicle, _parse_cpf(row["owner_cpf"]))
