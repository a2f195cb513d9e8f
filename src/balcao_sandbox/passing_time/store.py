"""SQL that moves the times in a person's expiring data back."""

from datetime import timedelta

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


@statement("""
UPDATE registry.phone_verification SET sent_at = sent_at - :time::interval, expires_at = expires_at - :time::interval
WHERE cpf = :cpf AND used_at IS NULL
""")
async def age_phone_code(connection: Connection, cpf: Cpf, time: timedelta) -> int:
    """Move the times of the person's unused phone code back."""


@statement("""
UPDATE registry.vehicle_conductor SET created_at = created_at - :time::interval
WHERE status = 'pending' AND :cpf IN (conductor_cpf, invited_by_cpf)
""")
async def age_invitations(connection: Connection, cpf: Cpf, time: timedelta) -> int:
    """Move back the times of unanswered invitations to drive a vehicle that the person sent or received."""


@statement("UPDATE platform.idempotent_answer SET made_at = made_at - :time::interval WHERE cpf = :cpf")
async def age_kept_answers(connection: Connection, cpf: Cpf, time: timedelta) -> int:
    """Move back the times of the stored responses for the person's `Idempotency-Key` values."""


_SHIFTED = """
WITH shifted AS (
    UPDATE registry.request SET
        created_at = created_at - :time::interval, updated_at = updated_at - :time::interval,
        deadline = deadline - :time::interval, closed_at = closed_at - :time::interval,
        rated_at = rated_at - :time::interval
    WHERE {condition}
    RETURNING cpf, id
), steps AS (
    UPDATE registry.request_step AS step SET at = at - :time::interval
    FROM shifted WHERE step.cpf = shifted.cpf AND step.request = shifted.id
)
SELECT count(*) FROM shifted
"""


@statement(_SHIFTED.format(condition="cpf = :cpf"))
async def age_requests(connection: Connection, cpf: Cpf, time: timedelta) -> int:
    """Move the times of the person's requests back, including their steps and deadlines."""


@statement(_SHIFTED.format(condition="number = :number"))
async def age_request(connection: Connection, number: str, time: timedelta) -> int:
    """Move the times of one request back, including its steps and deadline."""
