"""SQL of what e-mail a login last wrote into the CRM: remembered as pushed, though nobody declared it here."""

from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.queries import affected, fetch_count
from balcao.core.values.cpf import Cpf


class LoginWrite(NamedTuple):
    """The e-mail to write, and whether it is the one that the person, or staff for them, declared."""

    email: str
    is_own: bool


def digest_sql(email: str) -> str:
    """Return the SQL expression of an e-mail's digest; `email` is an expression of its JSON."""
    return f"sha256(convert_to(registry.compared('email', {email}) #>> '{{}}', 'UTF8'))"


# Whoever declares an e-mail after this has read finds its push waiting until the login is over.
_BEGIN = f"""
WITH own AS (
    SELECT value FROM registry.register
    WHERE cpf = $1 AND field = 'email' AND origin <> 'crm' AND registry.compared(field, value) <> 'null'
), chosen AS (
    SELECT coalesce((SELECT value FROM own), to_jsonb($2::text)) AS email
), remembered AS (
    INSERT INTO registry.login_write (cpf, email_sha256, until)
    SELECT $1, {digest_sql("chosen.email")}, clock_timestamp() + make_interval(secs => $3)
    FROM chosen WHERE email IS NOT NULL
    ON CONFLICT (cpf) DO UPDATE SET
        email_sha256 = excluded.email_sha256, at = excluded.at, until = greatest(login_write.until, excluded.until)
)
SELECT email #>> '{{}}' AS email, EXISTS (SELECT FROM own) AS is_own FROM chosen WHERE email IS NOT NULL
"""


async def begin(connection: Connection, cpf: Cpf, offered: str | None, seconds: float) -> LoginWrite | None:
    row = await connection.fetchrow(_BEGIN, cpf.digits, offered, seconds)
    return LoginWrite(**dict(row)) if row else None


_END = "UPDATE registry.login_write SET until = clock_timestamp() WHERE cpf = $1"


async def end(connection: Connection, cpf: Cpf) -> None:
    await connection.execute(_END, cpf.digits)


_FORGET = "DELETE FROM registry.login_write WHERE cpf = $1 AND until <= clock_timestamp()"


async def forget(connection: Connection, cpf: Cpf) -> None:
    await connection.execute(_FORGET, cpf.digits)


_SECONDS = """
SELECT greatest(0, extract(epoch FROM until - clock_timestamp()))::float8 FROM registry.login_write WHERE cpf = $1
"""


async def find_seconds(connection: Connection, cpf: Cpf) -> float:
    return await connection.fetchval(_SECONDS, cpf.digits) or 0.0


# An echo comes within moments; the rest of the time is for a CRM that was away.
_DELETE_OLD = "DELETE FROM registry.login_write WHERE at < now() - interval '30 days'"


async def count(connection: Connection) -> int:
    return await fetch_count(connection, "SELECT count(*) FROM registry.login_write")


async def delete_old(connection: Connection) -> int:
    return affected(await connection.execute(_DELETE_OLD))
