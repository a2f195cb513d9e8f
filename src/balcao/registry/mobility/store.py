"""SQL of what ends by time or by a person's right: links and vehicles (rules: registry 4.8, 4.9, 5)."""

from datetime import datetime

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf

_EXPIRE = """
UPDATE registry.vehicle_conductor SET status = 'revoked', updated_at = clock_timestamp()
WHERE id IN (
    SELECT id FROM registry.vehicle_conductor WHERE status = 'pending' AND created_at < now() - interval '90 days'
    ORDER BY id FOR UPDATE)
RETURNING true
"""
_ERASE_LINKS = """
DELETE FROM registry.vehicle_conductor
WHERE status IN ('rejected', 'revoked') AND updated_at < now() - interval '2 years'
RETURNING true
"""
# What is left belongs to nobody: the registration number, and what kind of vehicle it was given to.
_ERASED = """
owner_cpf = NULL, display_name = NULL, serial_number = NULL, brand_other = NULL, model_other = NULL,
serial_number_photo_url = NULL, serial_number_photo_file_name = NULL, serial_number_photo_file_size = NULL,
vehicle_photo_url = NULL, vehicle_photo_file_name = NULL, vehicle_photo_file_size = NULL,
invoice_photo_url = NULL, invoice_photo_file_name = NULL, invoice_photo_file_size = NULL
"""
_ERASE_VEHICLES = f"""
UPDATE registry.vehicle SET {_ERASED}
WHERE deleted_at < now() - interval '2 years' AND owner_cpf IS NOT NULL
RETURNING true
"""  # noqa: S608 - constants


async def expire_invitations(connection: Connection) -> int:
    """Revokes what nobody answered in 90 days; answers how many."""
    return len(await connection.fetch(_EXPIRE))


async def erase_links(connection: Connection) -> int:
    """Of links rejected or revoked two years ago nothing stays; answers how many. By the owner of the tables only."""
    return len(await connection.fetch(_ERASE_LINKS))


async def erase_vehicles(connection: Connection) -> int:
    """Of vehicles deleted two years ago the registration number stays, without a person; answers how many."""
    return len(await connection.fetch(_ERASE_VEHICLES))


# In the order of everybody who changes several: the vehicles, then the links by their ids.
_LOCK_VEHICLES = "SELECT FROM registry.vehicle WHERE owner_cpf = $1 ORDER BY id FOR UPDATE"
# Both directions: what others typed of the person, and what the person typed of others.
_CLEAR_LINKS = """
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
_CLEAR_VEHICLES = f"""
UPDATE registry.vehicle SET deleted_at = coalesce(deleted_at, $2), updated_at = $2, {_ERASED}
WHERE owner_cpf = $1
RETURNING true
"""  # noqa: S608 - constants


async def clear_links(connection: Connection, cpf: Cpf, at: datetime) -> int:
    await connection.execute(_LOCK_VEHICLES, cpf.digits)
    return len(await connection.fetch(_CLEAR_LINKS, cpf.digits, at))


async def clear_vehicles(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Soft-deleted; the registration number stays without a person."""
    return len(await connection.fetch(_CLEAR_VEHICLES, cpf.digits, at))
