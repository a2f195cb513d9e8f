"""SQL of the resume's root."""

from balcao.core.database.pool import Connection
from balcao.core.database.queries import affected, fetch_count
from balcao.core.values.cpf import Cpf

_OPEN = """
INSERT INTO employability.resume (cpf) VALUES ($1)
ON CONFLICT (cpf) DO UPDATE SET updated_at = clock_timestamp(), row_version = resume.row_version + 1
"""


async def open_root(connection: Connection, cpf: Cpf) -> None:
    """Insert or touch the row; either way it is locked until the transaction ends."""
    await connection.execute(_OPEN, cpf.digits)


_WRITE = "UPDATE employability.resume SET resumo_profissional = $2 WHERE cpf = $1"


async def write_summary(connection: Connection, cpf: Cpf, summary: str) -> None:
    """Replace the text of a locked root."""
    await connection.execute(_WRITE, cpf.digits, summary)


_DELETE = "DELETE FROM employability.resume WHERE cpf = $1"


async def delete(connection: Connection, cpf: Cpf) -> int:
    """Delete the root; the database deletes what refers to it."""
    return affected(await connection.execute(_DELETE, cpf.digits))


async def count(connection: Connection) -> int:
    """Return how many resumes there are."""
    return await fetch_count(connection, "SELECT count(*) FROM employability.resume")


# Every save touches the root, and so does every application.
_DELETE_UNTOUCHED = "DELETE FROM employability.resume WHERE updated_at < now() - make_interval(months => $1)"


async def delete_untouched(connection: Connection, months: int) -> int:
    """Delete the roots that nobody touched for that long, with all that hangs on them; return how many."""
    return affected(await connection.execute(_DELETE_UNTOUCHED, months))
