"""SQL of the driver links: the one writer of the links between vehicles and drivers, and of their e-mails.

Vehicles are only read and locked here. Whoever locks several rows takes the vehicle first, then its links in the order
of their ids, so that nobody waits in a circle.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import fetch_count
from balcao.core.http.idempotency import keep_sql
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.worker import enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility import people
from balcao.registry.mobility.catalogue.schemas import VehicleType
from balcao.registry.mobility.drivers.records import InvitationEmail, Link, LinkWithVehicle
from balcao.registry.mobility.drivers.schemas import EmailStatus, InvitedVehicle, LinkStatus
from balcao.registry.mobility.people import Contact

_COLUMNS = ", ".join(f"link.{name}" for name in Link.__struct_fields__)
_COLUMNS = _COLUMNS.replace("link.id,", "link.id::text,").replace("link.vehicle_id,", "link.vehicle_id::text,")

_OPEN = f"""
SELECT {_COLUMNS} FROM registry.vehicle_conductor AS link
WHERE vehicle_id = $1 AND status IN ('pending', 'accepted')
ORDER BY created_at, id
"""


def open_links_sql(vehicle_id: str) -> str:
    """Return the SQL expression of the drivers' CPFs by link; `vehicle_id` is an expression."""
    return f"""
(SELECT coalesce(jsonb_object_agg(link.id::text, link.conductor_cpf), '{{}}') FROM registry.vehicle_conductor AS link
 WHERE link.vehicle_id = {vehicle_id} AND link.status IN ('pending', 'accepted'))
"""


async def list_open_links(connection: Connection, vehicle_id: str) -> list[Link]:
    """Return pending and accepted links of a vehicle, the oldest first."""
    return [_parse_link(row) for row in await connection.fetch(_OPEN, vehicle_id)]


class Garage(NamedTuple):
    """A vehicle that somebody is to be invited to: its open links, by id, and what time it is."""

    vehicle_id: str
    owner: Cpf
    links: Mapping[str, Cpf]
    moment: datetime


_READ_GARAGE = """
SELECT vehicle.id::text, owner_cpf, clock_timestamp() AS moment, (
    SELECT coalesce(jsonb_object_agg(id, conductor_cpf), '{}') FROM registry.vehicle_conductor
    WHERE vehicle_id = vehicle.id AND status IN ('pending', 'accepted'))::text AS links
FROM registry.vehicle
WHERE id = $1 AND deleted_at IS NULL AND (owner_cpf = $2 OR EXISTS (
    SELECT FROM registry.vehicle_conductor AS link
    WHERE link.vehicle_id = vehicle.id AND link.conductor_cpf = $2 AND link.status = 'accepted'))
"""


async def read_garage(connection: Connection, vehicle_id: str, viewer: Cpf) -> Garage | None:
    """Return a live vehicle that the viewer owns or drives; None when there is none. Nothing is locked."""
    row = await connection.fetchrow(_READ_GARAGE, vehicle_id, viewer.digits)
    if row is None:
        return None
    links = msgspec.json.decode(row["links"], type=dict[str, str])
    return Garage(row["id"], Cpf(row["owner_cpf"]), {id_: Cpf(cpf) for id_, cpf in links.items()}, row["moment"])


# The function locks the vehicle, so that two invitations to it come one after the other, and reads its links as they
# are then. While they are the ones that were read before, the person is not invited yet and the count is the same.
# Link, e-mail, trace and the response stored for its key are written together, or not at all.
_INSERT = f"""
WITH held AS MATERIALIZED (
    SELECT true FROM registry.hold_vehicle($2) AS vehicle WHERE links = $9::uuid[]
), kept AS (
    {keep_sql(13, "held")}
), inserted AS (
    INSERT INTO registry.vehicle_conductor
        (id, vehicle_id, conductor_cpf, notify_email, conductor_name, phone, invited_by_cpf, created_at, updated_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $8 FROM held WHERE $14::text IS NULL OR EXISTS (SELECT FROM kept)
    RETURNING true
), {enqueue_sql("$10", "$11", "interval '0'", "inserted")}
, recorded AS (
    {record_sql("$12::jsonb", "inserted")}
)
SELECT EXISTS (SELECT FROM inserted)
"""


async def insert(
    connection: Connection,
    link: Link,
    present: Collection[str],
    job: tuple[str, bytes],
    trail: str,
    kept: Sequence[Any],
) -> bool:
    """Insert a pending link, with the job of its e-mail; `kept` is what `keep_sql` takes.

    Return False if the vehicle is deleted, its open links are not those `present` any more, or the key is taken.
    """
    inserted: bool = await connection.fetchval(
        _INSERT,
        link.id,
        link.vehicle_id,
        link.conductor_cpf.digits,
        link.notify_email,
        link.conductor_name,
        link.phone,
        link.invited_by_cpf.digits if link.invited_by_cpf else None,
        link.created_at,
        sorted(present),
        *job,
        trail,
        *kept,
    )
    return inserted


_FIND_OWNER = """
SELECT owner_cpf FROM registry.vehicle
WHERE id = $1 AND deleted_at IS NULL AND (owner_cpf = $2 OR EXISTS (
    SELECT FROM registry.vehicle_conductor AS link
    WHERE link.vehicle_id = vehicle.id AND link.conductor_cpf = $2 AND link.status = 'accepted'))
"""


async def find_owner(connection: Connection, vehicle_id: str, viewer: Cpf) -> Cpf | None:
    """Return the owner of a live vehicle that the viewer owns or drives; None when there is none."""
    return _parse_cpf(await connection.fetchval(_FIND_OWNER, vehicle_id, viewer.digits))


_READ = f"""
SELECT {_COLUMNS} FROM registry.vehicle_conductor AS link WHERE id = $1 AND vehicle_id = $2
"""


async def read(connection: Connection, link_id: str, vehicle_id: str) -> Link | None:
    """Return a link of this vehicle, unlocked."""
    row = await connection.fetchrow(_READ, link_id, vehicle_id)
    return _parse_link(row) if row else None


_READ_INVITATION = f"""
SELECT {_COLUMNS}, {people.contact_sql("$2")} AS driver
FROM registry.vehicle_conductor AS link JOIN registry.vehicle ON vehicle.id = link.vehicle_id
WHERE link.id = $1 AND link.conductor_cpf = $2 AND vehicle.deleted_at IS NULL
"""


async def read_invitation(connection: Connection, link_id: str, invitee: Cpf) -> tuple[Link, Contact] | None:
    """Return a person's link to a live vehicle, in whatever state and unlocked, and how to reach the person."""
    row = await connection.fetchrow(_READ_INVITATION, link_id, invitee.digits)
    return (_parse_link(row), people.parse_contact(invitee, row["driver"])) if row else None


# The update waits for whoever changes the link at this moment and then tests what they left: an invitation is answered
# once. Who deletes the vehicle revokes it in the same transaction, so a pending one is of a live vehicle.
_ANSWER = f"""
WITH answered AS (
    UPDATE registry.vehicle_conductor AS link
    SET status = $2, responded_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = $1 AND status = 'pending'
    RETURNING {_COLUMNS}
), recorded AS (
    {record_sql("$3::jsonb", "answered")}
)
SELECT * FROM answered
"""


async def answer(connection: Connection, link_id: str, status: LinkStatus, trail: str) -> Link | None:
    """Store the invitee's answer; return the link after it, None if it is not pending any more."""
    row = await connection.fetchrow(_ANSWER, link_id, status, trail)
    return _parse_link(row) if row else None


# It waits as an answer does. Who may end a link depends on its state, so that must be the one that was read.
_REVOKE = f"""
WITH revoked AS (
    UPDATE registry.vehicle_conductor SET status = 'revoked', updated_at = clock_timestamp()
    WHERE id = $1 AND status = $2
    RETURNING true
), recorded AS (
    {record_sql("$3::jsonb", "revoked")}
)
SELECT EXISTS (SELECT FROM revoked)
"""


async def revoke(connection: Connection, present: Link, trail: str) -> bool:
    """End an open link, be it by the owner or by the driver; return False if its state is another now."""
    revoked: bool = await connection.fetchval(_REVOKE, present.id, present.status, trail)
    return revoked


_WITH_VEHICLE = f"""
SELECT {_COLUMNS}, vehicle.display_name, coalesce(vehicle.brand_other, brand.name) AS brand_label,
       coalesce(vehicle.model_other, model.name) AS model_label, vehicle.vehicle_type, vehicle.color,
       vehicle.vehicle_photo_url, vehicle.owner_cpf
FROM registry.vehicle_conductor AS link
JOIN registry.vehicle ON vehicle.id = link.vehicle_id
LEFT JOIN registry.vehicle_brand AS brand ON brand.id = vehicle.brand_id
LEFT JOIN registry.vehicle_model AS model ON model.id = vehicle.model_id
"""
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
    """


# An e-mail sent is not sent again; one that failed for the last time is, when an operator asks for it.
_LOCK_MAIL = """
SELECT pg_advisory_xact_lock(hashtextextended('invitation-email ' || word, 0))
FROM (
    SELECT unnest(ARRAY[notify_email, invited_by_cpf]) AS word FROM registry.vehicle_conductor WHERE id = $1
    ORDER BY word
) AS locked WHERE word IS NOT NULL
"""
_TAKE_EMAIL = """
UPDATE registry.vehicle_conductor AS link
SET email_status = 'queued', email_attempts = email_attempts + 1, email_attempted_at = clock_timestamp()
WHERE id = $1 AND status = 'pending' AND email_status IN ('pending', 'queued', 'failed')
    AND $2 > (
        SELECT count(*) FROM registry.vehicle_conductor AS sent
        WHERE sent.notify_email = link.notify_email AND sent.email_attempted_at > now() - interval '1 day'
            AND sent.id <> link.id)
    AND $3 > (
        SELECT count(*) FROM registry.vehicle_conductor AS sent
        WHERE sent.invited_by_cpf = link.invited_by_cpf AND sent.email_attempted_at > now() - interval '1 day'
            AND sent.id <> link.id)
RETURNING notify_email, conductor_cpf, email_attempts
"""
_SKIP_EMAIL = """
UPDATE registry.vehicle_conductor SET email_status = 'skipped'
WHERE id = $1 AND email_status IN ('pending', 'queued')
"""
_FINISH_EMAIL = "UPDATE registry.vehicle_conductor SET email_status = $2 WHERE id = $1"


async def take_email(
    connection: Connection, link_id: str, most_to_address: int, most_by_citizen: int
) -> InvitationEmail | None:
    """Return the e-mail to send now; None when there is nothing to send any more, or too many went out within a day.

    Within a transaction, whose end lets the next e-mail to the address or by the citizen be counted.
    """
    await connection.execute(_LOCK_MAIL, link_id)
    row = await connection.fetchrow(_TAKE_EMAIL, link_id, most_to_address, most_by_citizen)
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
