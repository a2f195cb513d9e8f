"""Simulate the passing of time for one person of the trial, so that an integrator can see what happens after an expiry.

The clock itself does not change, because all other people share it and tokens depend on it. For tokens that expire
early, developers create their own client and set its lifetimes.
"""

from datetime import timedelta

import asyncpg

from balcao.core.values.cpf import Cpf
from balcao_sandbox.passing_time import store

AGED = {
    "código de telefone": store.age_phone_code,
    "convites para dirigir": store.age_invitations,
    "respostas guardadas por Idempotency-Key": store.age_kept_answers,
}


async def pass_time(url: str, cpf: Cpf, time: timedelta) -> dict[str, int]:
    """Age the person's data in the database at `url`, as the tables' owner. Return the number of rows of each kind."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            return {kind: await age(connection, cpf, time) for kind, age in AGED.items()}
    finally:
        await connection.close()
