"""Lets time pass for one person of the trial, so that an integrator sees what happens when something has expired.

The clock itself stays: everybody else shares it, and tokens are judged by it. Tokens end early for a client of one's
own, whose lifetimes are its developer's.
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
    """Return how many of each kind grew older by this time, in the database of the address, as the tables' owner."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            return {kind: await age(connection, cpf, time) for kind, age in AGED.items()}
    finally:
        await connection.close()
