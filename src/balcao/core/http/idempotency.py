"""Repeated POSTs: with an `Idempotency-Key` the first answer is kept and given again.

Key and answer commit with the change itself, so a caller who lost the answer asks again without fear.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid
from balcao.core.values.cpf import Cpf

KEPT = timedelta(hours=24)
LONGEST_KEY = 128

# Two calls with one key wait for each other; the second finds the first one's answer.
_QUEUE_UP = "SELECT pg_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex') || $2, 0))"
_KEPT = """
SELECT request, answer FROM platform.idempotent_answer WHERE caller = $1 AND key = $2 AND made_at > now() - $3::interval
"""
_FORGET_SAME = "DELETE FROM platform.idempotent_answer WHERE caller = $1 AND key = $2"
_KEEP = """
INSERT INTO platform.idempotent_answer (caller, key, cpf, request, answer) VALUES ($1, $2, $3, $4, $5)
"""
_FORGET_PERSON = "DELETE FROM platform.idempotent_answer WHERE cpf = $1 AND made_at <= $2 RETURNING true"
_FORGET_OLD = "DELETE FROM platform.idempotent_answer WHERE made_at <= now() - $1::interval RETURNING true"


async def once(
    connection: Connection, call: Call, subject: Cpf | None, parts: Sequence[Any], make: Callable[[], Awaitable[Any]]
) -> bytes:
    """The JSON of what `make` answers, or of what it answered to the same caller and key before.

    `parts` is all that the answer depends on: path parameters and body. `subject` is the person whose data the answer
    holds. Raises Conflict when the key came with other parts, Invalid for a malformed key.
    """
    if call.idempotency_key is None:
        return msgspec.json.encode(await make())
    key, caller = _checked(call.idempotency_key), _caller(call)
    request = hashlib.sha256(msgspec.json.encode([call.operation, *parts], order="deterministic")).digest()
    await connection.execute(_QUEUE_UP, caller, key)
    kept = await connection.fetchrow(_KEPT, caller, key, KEPT)
    if kept is not None:
        if kept["request"] != request:
            raise Conflict("Esta `Idempotency-Key` já foi usada com outra requisição.", code="idempotency-key-reused")
        return bytes(kept["answer"])
    answer = msgspec.json.encode(await make())
    await connection.execute(_FORGET_SAME, caller, key)
    await connection.execute(_KEEP, caller, key, subject.digits if subject else None, request, answer)
    return answer


async def forget_person(connection: Connection, cpf: Cpf, until: datetime) -> int:
    """Answers how many kept answers about this person, made until then, were erased."""
    return len(await connection.fetch(_FORGET_PERSON, cpf.digits, until))


async def forget_old(connection: Connection) -> int:
    """Answers how many were older than they are kept."""
    return len(await connection.fetch(_FORGET_OLD, KEPT))


def _checked(key: str) -> str:
    if not 1 <= len(key) <= LONGEST_KEY or not (key.isascii() and key.isprintable()):
        text = f"O cabeçalho `Idempotency-Key` deve ter de 1 a {LONGEST_KEY} caracteres imprimíveis."
        raise Invalid(text, code="idempotency-key-invalid")
    return key


def _caller(call: Call) -> bytes:
    """Who the key belongs to: an issuer's subject, never shown."""
    return hashlib.sha256(call.identified.key.encode()).digest()
