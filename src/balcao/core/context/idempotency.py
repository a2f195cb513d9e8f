"""Repeated POSTs with an `Idempotency-Key`: the first response is stored, and returned for every repetition.

The key and the response are committed with the change itself, so a caller who did not get the response can safely
repeat the call.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
from joserfc.errors import JoseError

from balcao.core.access.rules import Reason
from balcao.core.context.call import Call
from balcao.core.context.sealing import seal_text, unseal_text
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict, Invalid
from balcao.core.values.cpf import Cpf

RETENTION = timedelta(hours=24)
LONGEST_KEY = 128
# On a public operation, only the key proves that a repeated call comes from the same caller, so it must be hard to
# guess. A UUID has 36 characters.
SHORTEST_SECRET_KEY = 32
_PURPOSE = "answer"


class Kept(NamedTuple):
    """A response to store under its key. `cpf` is the person whose data it contains."""

    caller: bytes
    key: str
    cpf: Cpf | None
    request: bytes
    response: bytes


def store_response_sql(kept: str, source: str) -> str:
    """Return an INSERT that stores the response under its key if `source` has a row.

    Use it as a CTE of the statement that creates the record. `kept` is the name of that statement's `Kept | None`
    parameter. The INSERT returns a row if the key was free or its stored response has expired. Of two concurrent
    statements with one key, the second waits for the first to commit and then gets no row: it must create nothing, and
    its caller returns the stored response.
    """
    return f"""
    INSERT INTO platform.idempotent_answer AS stored (caller, key, cpf, request, answer)
    SELECT :{kept}.caller::bytea, :{kept}.key::text, :{kept}.cpf::text, :{kept}.request::bytea, :{kept}.response::bytea
    FROM {source} WHERE :{kept}.key::text IS NOT NULL
    ON CONFLICT (caller, key) DO UPDATE SET
        cpf = excluded.cpf, request = excluded.request, answer = excluded.answer, made_at = excluded.made_at
    WHERE stored.made_at <= now() - interval '{RETENTION.total_seconds():.0f} seconds'
    RETURNING true"""  # noqa: S608 - texts of our own stores


@statement(store_response_sql("kept", "(VALUES (true)) AS always"))
async def _keep(connection: Connection, kept: Kept) -> bool: ...


class Repeatable(NamedTuple):
    """A call with an `Idempotency-Key`: a hash of its caller, the key, and a hash of its content."""

    caller: bytes
    key: str
    subject: Cpf | None
    request: bytes

    @classmethod
    def of(cls, call: Call, subject: Cpf | None, parts: Sequence[Any]) -> "Repeatable | None":
        """Return the call as a repeatable call, or None if it has no key. Raises Invalid if the key is malformed.

        A public operation has no caller, so its key must be long.

        `parts` contains everything that the response depends on: path parameters and body. `subject` is the person
        whose data the response contains.
        """
        if call.idempotency_key is None:
            return None
        request = hashlib.sha256(msgspec.json.encode([call.operation, *parts], order="deterministic")).digest()
        key = _check_key(call.idempotency_key)
        owner = ""
        if call.decision.reason is not Reason.PUBLIC:
            owner = call.identified_caller.key
        elif len(key) < SHORTEST_SECRET_KEY:
            text = f"Sem login, o cabeçalho `Idempotency-Key` deve ter pelo menos {SHORTEST_SECRET_KEY} caracteres."
            raise Invalid(text, code="idempotency-key-invalid")
        # Hash the caller, so that the table does not name the owner of the key.
        return cls(hashlib.sha256(owner.encode()).digest(), key, subject, request)

    async def find(self, connection: Connection) -> bytes | None:
        """Return the stored response, or None. Raises Conflict if the key was used with another request."""
        stored = await _find_kept(connection, self, RETENTION)
        if stored is None:
            return None
        request, response = stored
        if request != self.request:
            raise _key_reused()
        return response

    def keep(self, response: bytes) -> Kept:
        """Return the row that `store_response_sql` stores for the response."""
        return Kept(self.caller, self.key, self.subject, self.request, response)


# Concurrent calls with the same key run one after the other. The second finds the response of the first.
@statement("SELECT pg_advisory_xact_lock(hashtextextended(encode(:caller::bytea, 'hex') || :key::text, 0))")
async def _lock_key(connection: Connection, repeatable: Repeatable) -> None: ...


@statement("""
SELECT request, answer FROM platform.idempotent_answer
WHERE caller = :caller AND key = :key AND made_at > now() - :retention::interval
""")
async def _find_kept(
    connection: Connection, repeatable: Repeatable, retention: timedelta
) -> tuple[bytes, bytes] | None: ...


async def run_once(
    connection: Connection,
    call: Call,
    subject: Cpf | None,
    parts: Sequence[Any],
    make: Callable[[], Awaitable[Any]],
    *,
    is_secret: bool = False,
) -> bytes:
    """Return the JSON of `make`'s result in this transaction, or the stored response for the same caller and key.

    `parts` and `subject` have the same meaning as for `Repeatable.of`. A response that `is_secret` is stored sealed.
    Raises Conflict if the key was used with other parts, or if the response was sealed with a key that this process
    does not have. Raises Invalid if the key is malformed.
    """
    repeatable = Repeatable.of(call, subject, parts)
    if repeatable is None:
        return msgspec.json.encode(await make())
    await _lock_key(connection, repeatable)
    stored = await repeatable.find(connection)
    if stored is not None:
        return _unseal(call, repeatable, stored) if is_secret else stored
    response = msgspec.json.encode(await make())
    if not await _keep(connection, repeatable.keep(_seal(call, repeatable, response) if is_secret else response)):
        raise _key_reused()  # a concurrent `store_response_sql` has used the key
    return response


class _Sealed(msgspec.Struct):
    """The content of a sealed response.

    It names the caller and the key, so that a row is useless if it is copied to another caller.
    """

    caller: bytes
    key: str
    response: msgspec.Raw


def _seal(call: Call, repeatable: Repeatable, response: bytes) -> bytes:
    sealed = _Sealed(repeatable.caller, repeatable.key, msgspec.Raw(response))
    return seal_text(call.platform.audit.key, _PURPOSE, msgspec.json.encode(sealed).decode()).encode()


def _unseal(call: Call, repeatable: Repeatable, stored: bytes) -> bytes:
    """Return the stored response.

    Raises Conflict if it cannot be unsealed, because a second result must not be created.
    """
    if stored.startswith(b"{"):  # stored unsealed by an older release, at most a day ago
        return stored
    try:
        sealed = msgspec.json.decode(unseal_text(call.platform.audit.keys, _PURPOSE, stored.decode()), type=_Sealed)
    except JoseError:
        raise _make_unreadable() from None
    if (sealed.caller, sealed.key) != (repeatable.caller, repeatable.key):
        raise _make_unreadable()
    return bytes(sealed.response)


def _make_unreadable() -> Conflict:
    text = "Esta `Idempotency-Key` já foi usada, e a resposta de então não pode mais ser lida: use outra chave."
    return Conflict(text, code="idempotency-key-reused")


def _key_reused() -> Conflict:
    return Conflict("Esta `Idempotency-Key` já foi usada com outra requisição.", code="idempotency-key-reused")


@statement("DELETE FROM platform.idempotent_answer WHERE cpf = :cpf AND made_at <= :until")
async def forget_person(connection: Connection, cpf: Cpf, until: datetime) -> int:
    """Delete the stored responses about this person up to this time. Return how many were deleted."""


async def forget_old(connection: Connection) -> int:
    """Delete the stored responses that are older than their retention. Return how many were deleted."""
    return await _forget_older(connection, RETENTION)


@statement("DELETE FROM platform.idempotent_answer WHERE made_at <= now() - :retention::interval")
async def _forget_older(connection: Connection, retention: timedelta) -> int: ...


def _check_key(key: str) -> str:
    if not 1 <= len(key) <= LONGEST_KEY or not (key.isascii() and key.isprintable()):
        text = f"O cabeçalho `Idempotency-Key` deve ter de 1 a {LONGEST_KEY} caracteres imprimíveis."
        raise Invalid(text, code="idempotency-key-invalid")
    return key
