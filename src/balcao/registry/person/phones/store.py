"""SQL of the phone verification. The one clock is the database's."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.jobs.declaration import Subject
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phones.number import Number

# Whoever asks for a code waits here for another call about the same citizen or number, so that the limits are exact.
# Always in the same order, so that two calls never wait for each other.
_TAKE_TURN = """
SELECT pg_advisory_xact_lock(name) FROM (
    SELECT hashtextextended(encode(counted, 'hex'), 0) AS name FROM unnest($1::bytea[]) AS counted ORDER BY 1
) AS ordered
"""


async def take_turn(connection: Connection, counted: Sequence[bytes]) -> None:
    await connection.execute(_TAKE_TURN, list(counted))


# The newest code must be a minute old, the fifth newest an hour, the twentieth newest a day.
_SECONDS_TO_WAIT = """
SELECT coalesce(ceil(extract(epoch FROM max(nth.sent_at + bound.span) - clock_timestamp())), 0)::int
FROM unnest($1::bytea[]) AS who(counted)
CROSS JOIN (VALUES (1, interval '1 minute'), (5, interval '1 hour'), (20, interval '1 day')) AS bound(most, span)
CROSS JOIN LATERAL (
    SELECT sent_at FROM registry.phone_code_sent AS sent
    WHERE sent.counted = who.counted ORDER BY sent_at DESC OFFSET bound.most - 1 LIMIT 1) AS nth
"""


async def seconds_to_wait(connection: Connection, counted: Sequence[bytes]) -> int:
    """Until another code may be sent; 0 or less when it may be now."""
    wait: int = await connection.fetchval(_SECONDS_TO_WAIT, list(counted))
    return wait


_OPEN = """
INSERT INTO registry.phone_verification AS held
    (cpf, id, ddi, ddd, valor, code_hash, sealed_code, key_number, sent_at, expires_at)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, moment, moment + make_interval(secs => $9)
FROM clock_timestamp() AS moment
ON CONFLICT (cpf) DO UPDATE SET
    id = excluded.id, ddi = excluded.ddi, ddd = excluded.ddd, valor = excluded.valor,
    code_hash = excluded.code_hash, sealed_code = excluded.sealed_code, key_number = excluded.key_number, attempts = 0,
    sent_at = excluded.sent_at, expires_at = excluded.expires_at, used_at = NULL
"""


class Opening(msgspec.Struct, frozen=True):
    """A verification to be opened; `lasting` is in seconds."""

    cpf: Cpf
    id: str
    number: Number
    code_hash: bytes
    sealed_code: str
    key_number: int
    lasting: int


async def open_(connection: Connection, opening: Opening) -> None:
    """An earlier one of the citizen's is void."""
    await connection.execute(
        _OPEN,
        opening.cpf.digits,
        opening.id,
        opening.number.ddi,
        opening.number.ddd,
        opening.number.valor,
        opening.code_hash,
        opening.sealed_code,
        opening.key_number,
        float(opening.lasting),
    )


_COUNT_SENT = "INSERT INTO registry.phone_code_sent (counted, sent_at) SELECT unnest($1::bytea[]), clock_timestamp()"


async def count_sent(connection: Connection, counted: Sequence[bytes]) -> None:
    await connection.execute(_COUNT_SENT, list(counted))


class Open(msgspec.Struct, frozen=True):
    """A verification that can still be used."""

    id: str
    number: Number
    code_hash: bytes


# The row's lock puts tries at once in order: no more are ever compared than are counted.
_TAKE_TRY = """
UPDATE registry.phone_verification SET attempts = attempts + 1
WHERE cpf = $1 AND used_at IS NULL AND expires_at > clock_timestamp() AND ddi IS NOT NULL AND attempts < $2
RETURNING id::text, ddi, ddd, valor, code_hash
"""


async def take_try(connection: Connection, cpf: Cpf, most: int) -> Open | None:
    """Counts one try and answers what to compare it with; None when there is none to be had."""
    row = await connection.fetchrow(_TAKE_TRY, cpf.digits, most)
    if row is None:
        return None
    return Open(row["id"], Number(row["ddi"], row["ddd"], row["valor"]), row["code_hash"])


_PAUSE = """
SELECT greatest(1, ceil(extract(epoch FROM sent_at + interval '1 minute' - clock_timestamp())))::int
FROM registry.phone_verification
WHERE cpf = $1 AND used_at IS NULL AND expires_at > clock_timestamp() AND attempts >= $2
"""


async def pause_after_tries(connection: Connection, cpf: Cpf, most: int) -> int | None:
    """The seconds until another code may be asked for; None unless every try of an open verification is spent."""
    pause: int | None = await connection.fetchval(_PAUSE, cpf.digits, most)
    return pause


_USE = """
UPDATE registry.phone_verification
SET used_at = clock_timestamp(), ddi = NULL, ddd = NULL, valor = NULL, sealed_code = NULL
WHERE cpf = $1 AND id = $2 AND used_at IS NULL AND expires_at > clock_timestamp()
RETURNING true
"""


async def use(connection: Connection, cpf: Cpf, verification: str) -> bool:
    """Whether it could be used, which only one of several calls at once is told; the number is kept no longer."""
    return await connection.fetchval(_USE, cpf.digits, verification) is not None


class Unsent(msgspec.Struct, frozen=True):
    cpf: Cpf
    number: Number
    sealed_code: str


_READ_UNSENT = """
SELECT cpf, ddi, ddd, valor, sealed_code FROM registry.phone_verification
WHERE id = $1 AND sealed_code IS NOT NULL AND expires_at > clock_timestamp() AND ddi IS NOT NULL
"""


async def read_unsent(connection: Connection, verification: str) -> Unsent | None:
    """None when it is sent, void, used or expired."""
    row = await connection.fetchrow(_READ_UNSENT, verification)
    if row is None:
        return None
    return Unsent(Cpf(row["cpf"]), Number(row["ddi"], row["ddd"], row["valor"]), row["sealed_code"])


_ERASE_CODE = "UPDATE registry.phone_verification SET sealed_code = NULL WHERE id = $1 AND sealed_code IS NOT NULL"


async def erase_code(connection: Connection, verification: str) -> None:
    await connection.execute(_ERASE_CODE, verification)


_ERASE_COVERED = "DELETE FROM registry.phone_verification WHERE cpf = $1 AND sent_at <= $2 RETURNING true"


async def erase_covered(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """What a clearing at that time reaches: how many were erased."""
    return len(await connection.fetch(_ERASE_COVERED, cpf.digits, at))


# The number goes with the expiry; the rest a day after the end. The counts are needed for a day.
_ERASE_EXPIRED = """
WITH ended AS (
    DELETE FROM registry.phone_verification
    WHERE coalesce(used_at, expires_at) < now() - interval '1 day' RETURNING true
), counts AS (
    DELETE FROM registry.phone_code_sent WHERE sent_at < now() - interval '1 day'
), expired AS (
    UPDATE registry.phone_verification
    SET ddi = NULL, ddd = NULL, valor = NULL, sealed_code = NULL
    WHERE ddi IS NOT NULL AND coalesce(used_at, expires_at) <= now()
        AND coalesce(used_at, expires_at) >= now() - interval '1 day'
    RETURNING true
)
SELECT (SELECT count(*) FROM ended) + (SELECT count(*) FROM expired)
"""


_COUNT = "SELECT count(*) FROM registry.phone_verification"


async def count(connection: Connection) -> int:
    found: int = await connection.fetchval(_COUNT)
    return found


async def erase_expired(connection: Connection) -> int:
    """How many verifications lost their number or went altogether."""
    erased: int = await connection.fetchval(_ERASE_EXPIRED)
    return erased


_VERIFICATIONS = "SELECT id::text, cpf FROM registry.phone_verification WHERE id = ANY ($1::text[]::uuid[])"


async def verifications(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Whose they are, by id."""
    rows = await connection.fetch(_VERIFICATIONS, list(ids))
    return {row["id"]: Subject(Cpf(row["cpf"]), fields=["telefonePrincipal"]) for row in rows}


_VERIFICATIONS_OF = "SELECT id::text FROM registry.phone_verification WHERE cpf = $1"


async def verifications_of(connection: Connection, cpf: Cpf) -> list[str]:
    return [row["id"] for row in await connection.fetch(_VERIFICATIONS_OF, cpf.digits)]
