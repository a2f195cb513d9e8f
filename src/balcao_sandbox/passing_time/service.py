"""Simulates the passing of time for one demo person, so that integrators can see what happens after an expiry.

The clock itself is not changed, because a change would affect all other people and all tokens. To get tokens that
expire early, developers create their own client and set the lifetimes of its tokens.
"""

from datetime import timedelta

import asyncpg

from balcao.core.values.cpf import Cpf
from balcao_sandbox.passing_time import store

AGED = {
    "código de telefone": store.age_phone_code,
    "pedidos": store.age_requests,
    "convites para dirigir": store.age_invitations,
    "respostas guardadas por Idempotency-Key": store.age_kept_answers,
}


async def pass_time(url: str, cpf: Cpf, time: timedelta) -> dict[str, int]:
    """Move the times in a person's data back. Return the number of changed rows of each kind.

    `url` must log in as the tables' owner.
    """
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            return {kind: await age(connection, cpf, time) for kind, age in AGED.items()}
    finally:
        await connection.close()
