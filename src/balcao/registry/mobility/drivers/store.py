"""SQL for driver links and their e-mails. All SQL that writes links is in this module.

Lock order: the vehicle first, then its links in the order of their ids. Using the same order everywhere prevents
deadlocks. This module reads and locks vehicles, but never changes them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from balcao.core.context.audit import record_sql
from balcao.core.context.idempotency import Kept, store_response_sql
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.worker import NewJob, enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.catalogue.store import name_joins_sql
from balcao.registry.mobility.drivers.links import (
    InvitationEmail,
    Link,
    LinkWithVehicle,
    ReceivedInvitation,
    VehicleLinks,
)
from balcao.registry.mobility.drivers.schemas import LinkStatus
from balcao.registry.person.citizens.store import citizen_document_sql

EMAIL_JOB = "invite_email"

_COLUMNS = ", ".join(f"link.{name}" for name in Link.__struct_fields__)
_COLUMNS = _COLUMNS.replace("link.id,", "link.id::text,").replace("link.vehicle_id,", "link.vehicle_id::text,")


def open_links_sql(vehicle_id: str) -> str:
    """Return an SQL expression that maps the ids of a vehicle's open links to the drivers' CPFs.

    `vehicle_id` is an SQL expression.
    """
    return f"""
(SELECT coalesce(jsonb_object_agg(link.id::text, link.conductor_cpf), '{{}}') FROM registry.vehicle_conductor AS link
 WHERE link.vehicle_id = {vehicle_id} AND link.status IN ('pending', 'accepted'))
"""


@statement(f"""
SELECT {_COLUMNS} FROM registry.vehicle_conductor AS link
WHERE vehicle_id = :vehicle_id AND status IN ('pending', 'accepted')
ORDER BY created_at, id
""")
async def list_open_links(connection: Connection, vehicle_id: str) -> list[Link]:
    """Return the pending and accepted links of a vehicle, oldest first."""


def accepted_links_sql(driver: str) -> str:
    """Return a SELECT for the `id` and `vehicle_id` of a driver's accepted links. `driver` is an SQL expression."""
    return f"""
    SELECT id, vehicle_id FROM registry.vehicle_conductor WHERE conductor_cpf = {driver} AND status = 'accepted'
    """


_SEEN = f"""
vehicle.id = :vehicle_id AND deleted_at IS NULL AND (owner_cpf = :viewer OR EXISTS (
    SELECT FROM ({accepted_links_sql(":viewer")}) AS link WHERE link.vehicle_id = vehicle.id))
"""


@statement(f"""
SELECT vehicle.id::text, owner_cpf, clock_timestamp() AS moment, {open_links_sql("vehicle.id")}::text AS links
FROM registry.vehicle WHERE {_SEEN}
""")
async def read_vehicle_links(connection: Connection, vehicle_id: str, viewer: Cpf) -> VehicleLinks | None:
    """Return a live vehicle that the viewer owns or drives, without a lock. Return None if there is no such vehicle."""


# `hold_vehicle` locks the vehicle, so that concurrent invitations to it run one after the other, and returns its
# current links. If they equal the links that the caller has read, its checks are still valid: the person is not invited
# yet, and the number of links is the same. The link, the e-mail job, the audit event and the response for the
# idempotency key are written together or not at all.
@statement(f"""
WITH held AS MATERIALIZED (
    SELECT true FROM registry.hold_vehicle(:vehicle_id) AS vehicle WHERE links = :present::uuid[]
), kept AS (
    {store_response_sql("kept", "held")}
), inserted AS (
    INSERT INTO registry.vehicle_conductor
        (id, vehicle_id, conductor_cpf, notify_email, conductor_name, phone, invited_by_cpf, created_at, updated_at)
    SELECT :id, :vehicle_id, :conductor_cpf, :notify_email, :conductor_name, :phone, :invited_by_cpf,
           :created_at, :created_at
    FROM held WHERE :kept.key::text IS NULL OR EXISTS (SELECT FROM kept)
    RETURNING true
), {enqueue_sql(":kind", ":payload", "interval '0'", "inserted")}
, recorded AS (
    {record_sql(":trail::jsonb", "inserted")}
)
SELECT EXISTS (SELECT FROM inserted)
""")
async def insert_link(
    connection: Connection, link: Link, present: Sequence[str], email: NewJob, trail: str, kept: Kept | None
) -> bool:
    """Insert a pending link with the job for its e-mail.

    Return False if the vehicle was deleted, if its open links differ from `present` (sorted by id), or if the
    idempotency key is taken.
    """


@statement(f"SELECT owner_cpf FROM registry.vehicle WHERE {_SEEN}")
async def find_vehicle_owner(connection: Connection, vehicle_id: str, viewer: Cpf) -> Cpf | None:
    """Return the owner of a live vehicle that the viewer owns or drives. Return None if there is no such vehicle."""


@statement(f"""
SELECT {_COLUMNS} FROM registry.vehicle_conductor AS link WHERE id = :link_id AND vehicle_id = :vehicle_id
""")
async def read_link(connection: Connection, link_id: str, vehicle_id: str) -> Link | None:
    """Return a link of this vehicle. Take no locks."""


@statement(f"""
SELECT {_COLUMNS}, {citizen_document_sql(":invitee")} AS driver
FROM registry.vehicle_conductor AS link JOIN registry.vehicle ON vehicle.id = link.vehicle_id
WHERE link.id = :link_id AND link.conductor_cpf = :invitee AND vehicle.deleted_at IS NULL
""")
async def read_received_invitation(connection: Connection, link_id: str, invitee: Cpf) -> ReceivedInvitation | None:
    """Return a person's link to a live vehicle, in any state, with the person's record. Take no locks."""


# The UPDATE waits for a concurrent UPDATE of the same link and then checks the row again, so an invitation is answered
# only once. Deleting a vehicle revokes its links in the same transaction, so a pending link always has a live vehicle.
@statement(f"""
WITH answered AS (
    UPDATE registry.vehicle_conductor AS link
    SET status = :status, responded_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = :link_id AND status = 'pending'
    RETURNING {_COLUMNS}
), recorded AS (
    {record_sql(":trail::jsonb", "answered")}
)
SELECT * FROM answered
""")
async def answer_invitation(connection: Connection, link_id: str, status: LinkStatus, trail: str) -> Link | None:
    """Store the invitee's answer and return the link. Return None if the link is no longer pending."""


# Like the UPDATE of `answer_invitation`, this UPDATE waits for a concurrent UPDATE. Who may end the link depends on its
# state, so the state must not have changed since it was read.
@statement(f"""
WITH revoked AS (
    UPDATE registry.vehicle_conductor SET status = 'revoked', updated_at = clock_timestamp()
    WHERE id = :id AND status = :status
    RETURNING true
), recorded AS (
    {record_sql(":trail::jsonb", "revoked")}
)
SELECT EXISTS (SELECT FROM revoked)
""")
async def revoke_link(connection: Connection, present: Link, trail: str) -> bool:
    """End an open link for its owner or its driver. Return False if its state has changed."""


_WITH_VEHICLE = f"""
SELECT {_COLUMNS}, vehicle.display_name, coalesce(vehicle.brand_other, brand.name) AS brand_label,
       coalesce(vehicle.model_other, model.name) AS model_label, vehicle.vehicle_type, vehicle.color,
       vehicle.vehicle_photo_url, vehicle.owner_cpf
FROM registry.vehicle_conductor AS link
JOIN registry.vehicle ON vehicle.id = link.vehicle_id
{name_joins_sql("vehicle")}
"""


@statement(f"""{_WITH_VEHICLE}
WHERE link.conductor_cpf = :invitee AND link.status = 'pending' AND vehicle.deleted_at IS NULL
ORDER BY link.created_at DESC, link.id DESC
""")
async def list_pending_invitations(connection: Connection, invitee: Cpf) -> list[LinkWithVehicle]:
    """Return a person's pending invitations to live vehicles, newest first."""


@statement(f"{_WITH_VEHICLE} WHERE link.conductor_cpf = :driver ORDER BY link.created_at, link.id")
async def list_driver_links(connection: Connection, driver: Cpf) -> list[LinkWithVehicle]:
    """Return a person's links in any state, oldest first."""


def revoke_sql(ids: str, source: str) -> str:
    """Return an UPDATE that revokes open links if the CTE `source` has a row. `source` must lock these links.

    `ids` is an SQL expression for an array of link ids.
    """
    return f"""
    UPDATE registry.vehicle_conductor SET status = 'revoked', updated_at = clock_timestamp()
    FROM {source} WHERE vehicle_conductor.id = ANY ({ids}) AND status IN ('pending', 'accepted')
    """


async def take_email(
    connection: Connection, link_id: str, most_to_address: int, most_by_citizen: int
) -> InvitationEmail | None:
    """Start an attempt to send an invitation's e-mail, and return the e-mail.

    Return None if the e-mail must no longer be sent, or if a daily limit is reached. The caller must be in a
    transaction. Until it ends, locks serialise the e-mails to the same address or by the same citizen, so that each of
    them counts the others.
    """
    await _lock_email(connection, link_id)
    return await _take_email(connection, link_id, most_to_address, most_by_citizen)


@statement("""
SELECT pg_advisory_xact_lock(hashtextextended('invitation-email ' || word, 0))
FROM (
    SELECT unnest(ARRAY[notify_email, invited_by_cpf]) AS word FROM registry.vehicle_conductor WHERE id = :link_id
    ORDER BY word
) AS locked WHERE word IS NOT NULL
""")
async def _lock_email(connection: Connection, link_id: str) -> None: ...


# An e-mail with status `sent` is never sent again. A `queued` e-mail is sent again if the worker was killed before it
# stored the outcome. A failed e-mail is sent again if an operator retries its job.
@statement("""
UPDATE registry.vehicle_conductor AS link
SET email_status = 'queued', email_attempts = email_attempts + 1, email_attempted_at = clock_timestamp()
WHERE id = :link_id AND status = 'pending' AND email_status IN ('pending', 'queued', 'failed')
    AND :most_to_address > (
        SELECT count(*) FROM registry.vehicle_conductor AS sent
        WHERE sent.notify_email = link.notify_email AND sent.email_attempted_at > now() - interval '1 day'
            AND sent.id <> link.id)
    AND :most_by_citizen > (
        SELECT count(*) FROM registry.vehicle_conductor AS sent
        WHERE sent.invited_by_cpf = link.invited_by_cpf AND sent.email_attempted_at > now() - interval '1 day'
            AND sent.id <> link.id)
RETURNING notify_email AS "to", conductor_cpf AS invitee, email_attempts AS tries
""")
async def _take_email(
    connection: Connection, link_id: str, most_to_address: int, most_by_citizen: int
) -> InvitationEmail | None: ...


@statement("""
UPDATE registry.vehicle_conductor SET email_status = 'skipped'
WHERE id = :link_id AND email_status IN ('pending', 'queued')
""")
async def skip_email(connection: Connection, link_id: str) -> None:
    """Mark an unsent e-mail as skipped."""


@statement("UPDATE registry.vehicle_conductor SET email_status = :status WHERE id = :link_id")
async def finish_email(connection: Connection, link_id: str, status: str) -> None:
    """Store the outcome of an attempt to send an e-mail."""


@statement("""
SELECT id::text, conductor_cpf AS cpf, ARRAY['notify_email'] AS fields
FROM registry.vehicle_conductor WHERE id = ANY (:ids::text[]::uuid[])
""")
async def find_invitees(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return the invitee of each e-mail, by link id."""


@statement("SELECT id::text FROM registry.vehicle_conductor WHERE conductor_cpf = :cpf")
async def list_link_ids(connection: Connection, cpf: Cpf) -> list[str]:
    """Return the ids of a person's links, so that dead-lettered jobs can be searched by person."""


@statement("SELECT count(*) FROM registry.vehicle_conductor WHERE status = 'pending'")
async def count_pending_invitations(connection: Connection) -> int: ...


@statement("""
UPDATE registry.vehicle_conductor SET status = 'revoked', updated_at = clock_timestamp()
WHERE id IN (
    SELECT id FROM registry.vehicle_conductor WHERE status = 'pending' AND created_at < now() - interval '90 days'
    ORDER BY id FOR UPDATE)
""")
async def expire_invitations(connection: Connection) -> int:
    """Revoke invitations that were not answered within 90 days. Return the number of revoked invitations."""


@statement("SELECT count(*) FROM registry.vehicle_conductor")
async def count_driver_links(connection: Connection) -> int: ...


@statement("""
DELETE FROM registry.vehicle_conductor
WHERE status IN ('rejected', 'revoked') AND updated_at < now() - interval '2 years'
""")
async def delete_old_driver_links(connection: Connection) -> int:
    """Delete links that were rejected or revoked over two years ago. Return the number of deleted links.

    Only the tables' owner may do this.
    """


async def erase_typed(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Erase the data that the person typed or others typed about them, and revoke the open links with such data.

    Return the number of changed links.
    """
    await _lock_vehicles(connection, cpf)
    return await _erase_typed(connection, cpf, at)


@statement("SELECT FROM registry.vehicle WHERE owner_cpf = :cpf ORDER BY id FOR UPDATE")
async def _lock_vehicles(connection: Connection, cpf: Cpf) -> None: ...


# The statement erases the data that others typed about the person, and also the data that the person typed about
# others.
@statement("""
UPDATE registry.vehicle_conductor
SET status = CASE WHEN status IN ('pending', 'accepted') THEN 'revoked' ELSE status END,
    conductor_name = NULL, notify_email = NULL, phone = NULL, invited_by_cpf = NULL,
    updated_at = CASE WHEN status IN ('pending', 'accepted') THEN :at ELSE updated_at END
WHERE id IN (
    SELECT id FROM registry.vehicle_conductor
    WHERE (conductor_cpf = :cpf OR vehicle_id IN (SELECT id FROM registry.vehicle WHERE owner_cpf = :cpf))
        AND num_nonnulls(conductor_name, notify_email, phone, invited_by_cpf) > 0
    ORDER BY id FOR UPDATE)
""")
async def _erase_typed(connection: Connection, cpf: Cpf, at: datetime) -> int: ...
