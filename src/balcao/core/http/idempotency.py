"""Repeated POSTs: with an `Idempotency-Key` the first answer is kept and given again.

Key and answer commit with the change itself, so a caller who lost the answer asks again without fear.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid
from balcao.core.values.cpf import Cpf

KEPT = timedelta(hours=24)
LONGEST_KEY = 128

# Two calls with one key wait for each other; the second finds the first one's answer.
_QUEUE_UP = "SELECT pg_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex') || $2, 0))"
_FIND = """
SELECT request, answer FROM platform.idempotent_answer WHERE caller = $1 AND key = $2 AND made_at > now() - $3::interval
"""


def keep_sql(first: int, source: str) -> str:
    """Return the text of an INSERT that keeps the answer for its key if there is a row in `source`.

    For a store that makes a thing and keeps the answer in one statement; the parameters from `$first` are those of
    `Repeatable.values`. It returns a row if the key was free. Of two such statements with one key the second waits for
    the first to commit, and then gets none: it must make nothing, and its caller finds the answer that was kept.
    """
    caller, key, cpf, request, answer = (f"${number}" for number in range(first, first + 5))
    return f"""
    INSERT INTO platform.idempotent_answer AS kept (caller, key, cpf, request, answer)
    SELECT {caller}::bytea, {key}::text, {cpf}::text, {request}::bytea, {answer}::bytea
    FROM {source} WHERE {key}::text IS NOT NULL
    ON CONFLICT (caller, key) DO UPDATE SET
        cpf = excluded.cpf, request = excluded.request, answer = excluded.answer, made_at = excluded.made_at
    WHERE kept.made_at <= now() - interval '{KEPT.total_seconds():.0f} seconds'
    RETURNING true"""  # noqa: S608 - texts of our own stores


_KEEP = keep_sql(1, "(VALUES (true)) AS always")
_FORGET_PERSON = "DELETE FROM platform.idempotent_answer WHERE cpf = $1 AND made_at <= $2 RETURNING true"
_FORGET_OLD = "DELETE FROM platform.idempotent_answer WHERE made_at <= now() - $1::interval RETURNING true"


class Repeatable(NamedTuple):
    """A call with an `Idempotency-Key`: whose it is, and what it asks for."""

    caller: bytes
    key: str
    subject: Cpf | None
    request: bytes

    @classmethod
    def of(cls, call: Call, subject: Cpf | None, parts: Sequence[Any]) -> "Repeatable | None":
        """None without a key. Raises Invalid for a malformed one.

        `parts` is all that the answer depends on: path parameters and body. `subject` is the person whose data the
        answer holds.
        """
        if call.idempotency_key is None:
            return None
        request = hashlib.sha256(msgspec.json.encode([call.operation, *parts], order="deterministic")).digest()
        return cls(_caller(call), _checked(call.idempotency_key), subject, request)

    async def find(self, connection: Connection) -> bytes | None:
        """The answer that was given before. Raises Conflict when the key came with another request."""
        kept = await connection.fetchrow(_FIND, self.caller, self.key, KEPT)
        if kept is None:
            return None
        if kept["request"] != self.request:
            raise _reused()
        return bytes(kept["answer"])

    def values(self, answer: bytes) -> tuple[Any, ...]:
        """What `keep_sql` takes."""
        return self.caller, self.key, self.subject.digits if self.subject else None, self.request, answer


# What `keep_sql` takes of a call without a key.
NOT_REPEATABLE = (None,) * 5


async def once(
    connection: Connection, call: Call, subject: Cpf | None, parts: Sequence[Any], make: Callable[[], Awaitable[Any]]
) -> bytes:
    """The JSON of what `make` answers in this transaction, or of what it answered to the same caller and key before.

    `parts` and `subject` as in `Repeatable.of`. Raises Conflict when the key came with other parts, Invalid for a
    malformed key.
    """
    repeatable = Repeatable.of(call, subject, parts)
    if repeatable is None:
        return msgspec.json.encode(await make())
    await connection.execute(_QUEUE_UP, repeatable.caller, repeatable.key)
    kept = await repeatable.find(connection)
    if kept is not None:
        return kept
    answer = msgspec.json.encode(await make())
    if not await connection.fetchval(_KEEP, *repeatable.values(answer)):
        raise _reused()  # by an operation that keeps its answer in one statement, and did so in between
    return answer


def _reused() -> Conflict:
    return Conflict("Esta `Idempotency-Key` já foi usada com outra requisição.", code="idempotency-key-reused")


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
