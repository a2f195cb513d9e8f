"""SQL of the phone verification. The one clock is the database's."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection
from balcao.core.database.queries import fetch_count
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.worker import encode_payload, enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phones.number import Number

CODE_JOB = "phone_code"

# A verification, its job, the count of codes sent and the trace; none of it while there is a wait. Everything depends
# on `locked`, which takes the locks. An earlier verification of the citizen's is void.
_OPEN = f"""
WITH waiting AS MATERIALIZED (
    SELECT registry.hold_phone_codes($1, concat($3::text, $4::text, $5::text), $10, $11, $12) AS seconds
), locked AS (
    SELECT clock_timestamp() AS moment FROM waiting WHERE seconds <= 0
), opened AS (
    INSERT INTO registry.phone_verification
        (cpf, id, ddi, ddd, valor, code_hash, sealed_code, key_number, sent_at, expires_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, moment, moment + make_interval(secs => $9)
    FROM locked
    ON CONFLICT (cpf) DO UPDATE SET
        id = excluded.id, ddi = excluded.ddi, ddd = excluded.ddd, valor = excluded.valor,
        code_hash = excluded.code_hash, sealed_code = excluded.sealed_code, key_number = excluded.key_number,
        attempts = 0, sent_at = excluded.sent_at, expires_at = excluded.expires_at, used_at = NULL
), counted AS (
    INSERT INTO registry.phone_code_sent (counted, sent_at)
    SELECT unnest($10::bytea[] || $11::bytea[] || $12::bytea[]), moment FROM locked
), {enqueue_sql("$13", "$14", "interval '0'", "locked")}
, recorded AS (
    {record_sql("$15::jsonb", "locked")}
)
SELECT seconds FROM waiting
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


class Counted(msgspec.Struct, frozen=True):
    """By what codes are counted: hashes of the citizen, of the number and of both together, by each key in force."""

    citizens: list[bytes]
    numbers: list[bytes]
    pairs: list[bytes]


async def open_verification(connection: Connection, opening: Opening, counted: Counted, trail: str) -> int:
    """Open a verification, or return the seconds to wait until another code may be sent; 0 or less when it is open."""
    seconds: int = await connection.fetchval(
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
        counted.citizens,
        counted.numbers,
        counted.pairs,
        CODE_JOB,
        encode_payload({"verification": opening.id}),
        trail,
    )
    return seconds


class Open(msgspec.Struct, frozen=True):
    """A verification that can still be used."""

    id: str
    number: Number
    code_hash: bytes


# The row's lock puts tries at once in order: no more are ever compared than are counted.
_TAKE_TRY = f"""
WITH taken AS (
    UPDATE registry.phone_verification SET attempts = attempts + 1
    WHERE cpf = $1 AND used_at IS NULL AND expires_at > clock_timestamp() AND ddi IS NOT NULL AND attempts < $2
    RETURNING id::text, ddi, ddd, valor, code_hash
), recorded AS (
    {record_sql("$3::jsonb", "taken")}
)
SELECT * FROM taken
"""


async def take_try(connection: Connection, cpf: Cpf, most: int, trail: str) -> Open | None:
    """Count one try, with its audit event, and return what to compare it with; None when no try is left."""
    row = await connection.fetchrow(_TAKE_TRY, cpf.digits, most, trail)
    if row is None:
        return None
    return Open(row["id"], Number(row["ddi"], row["ddd"], row["valor"]), row["code_hash"])


_PAUSE = """
SELECT greatest(1, ceil(extract(epoch FROM sent_at + interval '1 minute' - clock_timestamp())))::int
FROM registry.phone_verification
WHERE cpf = $1 AND used_at IS NULL AND expires_at > clock_timestamp() AND attempts >= $2
"""


async def pause_after_tries(connection: Connection, cpf: Cpf, most: int) -> int | None:
    """Return the seconds until another code may be sent; None unless every try of an open verification is spent."""
    pause: int | None = await connection.fetchval(_PAUSE, cpf.digits, most)
    return pause


class Unsent(msgspec.Struct, frozen=True):
    cpf: Cpf
    number: Number
    sealed_code: str


_READ_UNSENT = """
SELECT cpf, ddi, ddd, valor, sealed_code FROM registry.phone_verification
WHERE id = $1 AND sealed_code IS NOT NULL AND expires_at > clock_timestamp() AND ddi IS NOT NULL
"""


async def read_unsent(connection: Connection, verification: str) -> Unsent | None:
    """Return the code to send; None when it is sent, void, used or expired."""
    row = await connection.fetchrow(_READ_UNSENT, verification)
    if row is None:
        return None
    return Unsent(Cpf(row["cpf"]), Number(row["ddi"], row["ddd"], row["valor"]), row["sealed_code"])


_ERASE_CODE = "UPDATE registry.phone_verification SET sealed_code = NULL WHERE id = $1 AND sealed_code IS NOT NULL"


async def erase_code(connection: Connection, verification: str) -> None:
    await connection.execute(_ERASE_CODE, verification)


_ERASE_COVERED = "DELETE FROM registry.phone_verification WHERE cpf = $1 AND sent_at <= $2 RETURNING true"


async def erase_covered(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Erase what was sent up to that time; return how many were erased."""
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
    return await fetch_count(connection, _COUNT)


async def erase_expired(connection: Connection) -> int:
    """Erase what has expired; return how many verifications lost their number or went altogether."""
    return await fetch_count(connection, _ERASE_EXPIRED)


_VERIFICATIONS = "SELECT id::text, cpf FROM registry.phone_verification WHERE id = ANY ($1::text[]::uuid[])"


async def find_verifications(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return whose verifications these are, by id."""
    rows = await connection.fetch(_VERIFICATIONS, list(ids))
    return {row["id"]: Subject(Cpf(row["cpf"]), fields=["telefonePrincipal"]) for row in rows}


_VERIFICATIONS_OF = "SELECT id::text FROM registry.phone_verification WHERE cpf = $1"


async def list_verifications(connection: Connection, cpf: Cpf) -> list[str]:
    return [row["id"] for row in await connection.fetch(_VERIFICATIONS_OF, cpf.digits)]
