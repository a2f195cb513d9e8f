"""SQL for phone verifications. All times come from the database clock."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Self

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.pool import Connection, Row
from balcao.core.database.statements import statement
from balcao.core.jobs.declaration import Subject
from balcao.core.jobs.worker import NewJob, enqueue_sql
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phones.number import Number

CODE_JOB = "phone_code"


class NewVerification(msgspec.Struct, frozen=True):
    """A verification to open. `lasting` is its lifetime in seconds."""

    cpf: Cpf
    id: str
    number: Number
    code_hash: bytes
    sealed_code: str
    lasting: int


class CountedHashes(msgspec.Struct, frozen=True):
    """The hashes under which codes are counted: of the citizen, the number, and both together, each under every key."""

    citizens: list[bytes]
    numbers: list[bytes]
    pairs: list[bytes]


# One statement writes the verification, its job, the counts and the audit event. It writes nothing if the caller must
# wait. Every CTE reads from `locked`, because `hold_phone_codes` takes the locks. An earlier verification of the
# citizen becomes void.
@statement(f"""
WITH waiting AS MATERIALIZED (
    SELECT registry.hold_phone_codes(
        :cpf, concat(:number.ddi::text, :number.ddd::text, :number.valor::text), :citizens, :numbers, :pairs) AS seconds
), locked AS (
    SELECT clock_timestamp() AS moment FROM waiting WHERE seconds <= 0
), opened AS (
    INSERT INTO registry.phone_verification
        (cpf, id, ddi, ddd, valor, code_hash, sealed_code, sent_at, expires_at)
    SELECT :cpf, :id, :number.ddi, :number.ddd, :number.valor, :code_hash, :sealed_code,
           moment, moment + make_interval(secs => :lasting)
    FROM locked
    ON CONFLICT (cpf) DO UPDATE SET
        id = excluded.id, ddi = excluded.ddi, ddd = excluded.ddd, valor = excluded.valor,
        code_hash = excluded.code_hash, sealed_code = excluded.sealed_code, attempts = 0,
        sent_at = excluded.sent_at, expires_at = excluded.expires_at, used_at = NULL
), counted AS (
    INSERT INTO registry.phone_code_sent (counted, sent_at)
    SELECT unnest(:citizens::bytea[] || :numbers::bytea[] || :pairs::bytea[]), moment FROM locked
), {enqueue_sql(":job.kind", ":job.payload", "interval '0'", "locked")}
, recorded AS (
    {record_sql(":trail::jsonb", "locked")}
)
SELECT seconds FROM waiting
""")
async def open_verification(
    connection: Connection, verification: NewVerification, counted: CountedHashes, job: NewJob, trail: str
) -> int:
    """Open a verification, or return the seconds until another code may be sent.

    Return 0 or less if the verification was opened.
    """


class OpenVerification(msgspec.Struct, frozen=True):
    """A verification that can still be used."""

    id: str
    number: Number
    code_hash: bytes

    @classmethod
    def from_row(cls, row: Row) -> Self:
        return cls(row["id"], _parse_number(row), row["code_hash"])


# The row lock serialises concurrent attempts, so every compared code has been counted.
@statement(f"""
WITH taken AS (
    UPDATE registry.phone_verification SET attempts = attempts + 1
    WHERE cpf = :cpf AND used_at IS NULL AND expires_at > clock_timestamp() AND ddi IS NOT NULL AND attempts < :most
    RETURNING id::text, ddi, ddd, valor, code_hash
), recorded AS (
    {record_sql(":trail::jsonb", "taken")}
)
SELECT * FROM taken
""")
async def take_try(connection: Connection, cpf: Cpf, most: int, trail: str) -> OpenVerification | None:
    """Count one attempt with its audit event, and return the verification to compare.

    Return None if there is no open verification or no attempt is left.
    """


@statement("""
SELECT greatest(1, ceil(extract(epoch FROM sent_at + interval '1 minute' - clock_timestamp())))::int
FROM registry.phone_verification
WHERE cpf = :cpf AND used_at IS NULL AND expires_at > clock_timestamp() AND attempts >= :most
""")
async def read_pause_after_tries(connection: Connection, cpf: Cpf, most: int) -> int | None:
    """Return the seconds until another code may be sent.

    Return None unless all attempts for an open verification are used up.
    """


class UnsentCode(msgspec.Struct, frozen=True):
    cpf: Cpf
    number: Number
    sealed_code: str

    @classmethod
    def from_row(cls, row: Row) -> Self:
        return cls(Cpf(row["cpf"]), _parse_number(row), row["sealed_code"])


@statement("""
SELECT cpf, ddi, ddd, valor, sealed_code FROM registry.phone_verification
WHERE id = :verification AND sealed_code IS NOT NULL AND expires_at > clock_timestamp() AND ddi IS NOT NULL
""")
async def read_unsent_code(connection: Connection, verification: str) -> UnsentCode | None:
    """Return the code to send. Return None if it was already sent, or is void, used or expired."""


def _parse_number(row: Row) -> Number:
    return Number(row["ddi"], row["ddd"], row["valor"])


@statement("""
UPDATE registry.phone_verification SET sealed_code = NULL WHERE id = :verification AND sealed_code IS NOT NULL
""")
async def erase_code(connection: Connection, verification: str) -> None: ...


@statement("DELETE FROM registry.phone_verification WHERE cpf = :cpf AND sent_at <= :at")
async def erase_covered_verifications(connection: Connection, cpf: Cpf, at: datetime) -> int:
    """Erase the person's verifications that were sent up to `at`. Return how many were erased."""


@statement("SELECT count(*) FROM registry.phone_verification")
async def count_verifications(connection: Connection) -> int: ...


# The number is erased once the verification has expired or has been used. The row is deleted a day later, because sent
# codes are counted over a day.
@statement("""
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
""")
async def erase_expired_verifications(connection: Connection) -> int:
    """Erase expired data. Return how many verifications were erased or deleted."""


@statement("""
SELECT id::text, cpf, '{telefonePrincipal}'::text[] AS fields
FROM registry.phone_verification WHERE id = ANY (:ids::text[]::uuid[])
""")
async def find_verifications(connection: Connection, ids: Sequence[str]) -> Mapping[str, Subject]:
    """Return the citizen to whom each verification belongs, by verification id."""


@statement("SELECT id::text FROM registry.phone_verification WHERE cpf = :cpf")
async def list_verification_ids(connection: Connection, cpf: Cpf) -> list[str]: ...
