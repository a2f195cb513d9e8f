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


def claim_resume_sql(cpf: str, version: str, source: str) -> str:
    """Return the text of three CTEs; `claimed` has a row if the root of a resume is still as it was read.

    For a statement that stores what was decided on a resume. It does so for the row of `source`: it creates the root
    if `version` is null, or else counts a new version. So of two such statements on one resume the second gets no row,
    and its caller reads all again.
    """
    return f"""
resume_begun AS (
    INSERT INTO employability.resume (cpf) SELECT {cpf} FROM {source} WHERE {version} IS NULL
    ON CONFLICT DO NOTHING RETURNING cpf
), resume_counted AS (
    UPDATE employability.resume SET updated_at = clock_timestamp(), row_version = row_version + 1
    FROM {source} WHERE resume.cpf = {cpf} AND row_version = {version} RETURNING resume.cpf
), claimed AS (
    SELECT cpf FROM resume_begun UNION ALL SELECT cpf FROM resume_counted
)"""


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
