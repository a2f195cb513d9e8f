"""SQL for the e-mails that logins write into the CRM.

The mirror treats these e-mails as pushed values, so that it recognises their echoes.
"""

from datetime import datetime
from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf

# The number of previously sent values to retain, newest first, until the CRM confirms one, so that their echoes are
# recognised.
REMEMBERED = 8


class LoginWrite(NamedTuple):
    """An e-mail that a login writes into the CRM. `is_own` means that the citizen or staff declared the e-mail.

    `begun_at` is the start of the write.
    """

    email: str
    is_own: bool
    begun_at: datetime


def digest_sql(email: str) -> str:
    """Return an SQL expression for the digest of an e-mail. `email` is an SQL expression of type jsonb."""
    return f"sha256(convert_to(registry.compared('email', {email}) #>> '{{}}', 'UTF8'))"


# `own` is the declared e-mail, which takes precedence over the offered e-mail. E-mail pushes wait until the time
# `until`, so an e-mail declared after this statement reaches the CRM after the login's write.
#
# `remembered` stores the e-mail's digest. If the digest differs from the previous one, the previous digest moves to the
# front of `earlier_sha256`.
@statement(f"""
WITH own AS (
    SELECT value FROM registry.register
    WHERE cpf = :cpf AND field = 'email' AND origin <> 'crm' AND registry.compared(field, value) <> 'null'
), chosen AS (
    SELECT coalesce((SELECT value FROM own), to_jsonb(:offered::text)) AS email, clock_timestamp() AS begun_at
), remembered AS (
    INSERT INTO registry.login_write (cpf, email_sha256, at, until)
    SELECT :cpf, {digest_sql("chosen.email")}, begun_at, begun_at + make_interval(secs => :seconds)
    FROM chosen WHERE email IS NOT NULL
    ON CONFLICT (cpf) DO UPDATE SET
        email_sha256 = excluded.email_sha256, at = excluded.at, until = greatest(login_write.until, excluded.until),
        earlier_sha256 = CASE
            WHEN login_write.email_sha256 <> excluded.email_sha256 THEN
                (array_prepend(login_write.email_sha256,
                               array_remove(login_write.earlier_sha256, login_write.email_sha256)))[:{REMEMBERED}]
            ELSE login_write.earlier_sha256 END
)
SELECT email #>> '{{}}' AS email, EXISTS (SELECT FROM own) AS is_own, begun_at FROM chosen WHERE email IS NOT NULL
""")
async def begin_login_write(
    connection: Connection, cpf: Cpf, offered: str | None, seconds: float
) -> LoginWrite | None: ...


@statement("UPDATE registry.login_write SET until = clock_timestamp() WHERE cpf = :cpf")
async def end_login_write(connection: Connection, cpf: Cpf) -> None: ...


# Delete the record of the login's write once the CRM has a later e-mail. While an e-mail still waits in the outbox, the
# echo of the login's write may arrive, and must be recognised.
@statement("""
DELETE FROM registry.login_write WHERE cpf = :cpf AND until <= clock_timestamp()
    AND NOT EXISTS (SELECT FROM registry.outbox WHERE cpf = :cpf AND dirty ? 'email')
""")
async def forget_login_write(connection: Connection, cpf: Cpf) -> None: ...


@statement("""
SELECT greatest(0, extract(epoch FROM until - clock_timestamp()))::float8 FROM registry.login_write WHERE cpf = :cpf
""")
async def select_login_write_seconds(connection: Connection, cpf: Cpf) -> float | None: ...


@statement("SELECT count(*) FROM registry.login_write")
async def count_login_writes(connection: Connection) -> int: ...


# An echo usually arrives within seconds. 30 days also covers a CRM that was down for a long time.
@statement("DELETE FROM registry.login_write WHERE at < now() - interval '30 days'")
async def delete_old_login_writes(connection: Connection) -> int: ...
