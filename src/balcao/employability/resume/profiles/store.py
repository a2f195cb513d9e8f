"""SQL of the resume's root."""

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


@statement("""
INSERT INTO employability.resume (cpf) VALUES (:cpf)
ON CONFLICT (cpf) DO UPDATE SET updated_at = clock_timestamp(), row_version = resume.row_version + 1
""")
async def touch_resume(connection: Connection, cpf: Cpf) -> None:
    """Create the root when it is missing and lock it until the transaction ends (rules: employability 5.2)."""


@statement("UPDATE employability.resume SET resumo_profissional = :summary WHERE cpf = :cpf")
async def update_summary(connection: Connection, cpf: Cpf, summary: str) -> None:
    """Replace the text of a locked root."""


@statement("DELETE FROM employability.resume WHERE cpf = :cpf")
async def delete_resume(connection: Connection, cpf: Cpf) -> int:
    """Delete the root with all that refers to it; return how many there were."""


@statement("SELECT count(*) FROM employability.resume")
async def count_resumes(connection: Connection) -> int: ...


# Every save touches the root, and so does every application.
@statement("DELETE FROM employability.resume WHERE updated_at < now() - make_interval(months => :months)")
async def delete_untouched_resumes(connection: Connection, months: int) -> int:
    """Delete the roots that nobody touched for that long, with all that hangs on them; return how many."""


OFFERED = (
    delete_resume,
    touch_resume,
)
