"""SQL that ages a person's expiring data."""

from datetime import timedelta

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


@statement("""
UPDATE registry.phone_verification SET sent_at = sent_at - :time::interval, expires_at = expires_at - :time::interval
WHERE cpf = :cpf AND used_at IS NULL
""")
async def age_phone_code(connection: Connection, cpf: Cpf, time: timedelta) -> int:
    """Age the person's unused phone code."""


@statement("""
UPDATE registry.vehicle_conductor SET created_at = created_at - :time::interval
WHERE status = 'pending' AND :cpf IN (conductor_cpf, invited_by_cpf)
""")
async def age_invitations(connection: Connection, cpf: Cpf, time: timedelta) -> int:
    """Age the unanswered invitations to drive a vehicle that the person sent or received."""


@statement("UPDATE platform.idempotent_answer SET made_at = made_at - :time::interval WHERE cpf = :cpf")
async def age_kept_answers(connection: Connection, cpf: Cpf, time: timedelta) -> int:
    """Age the responses that are stored for repeated requests with the same `Idempotency-Key`."""
