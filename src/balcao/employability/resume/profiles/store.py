"""SQL for the root of a resume."""

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


@statement("""
INSERT INTO employability.resume (cpf) VALUES (:cpf)
ON CONFLICT (cpf) DO UPDATE SET updated_at = clock_timestamp(), row_version = resume.row_version + 1
""")
async def touch_resume(connection: Connection, cpf: Cpf) -> None:
    """Create the root if it is missing, and lock it until the transaction ends (rules: employability 5.2)."""


def claim_resume_sql(cpf: str, version: str, source: str) -> str:
    """Return the SQL of three CTEs. `claimed` has a row if the root of a resume is still as it was read.

    Use it in a statement that stores a decision about a resume. For the row of `source` it creates the root if
    `version` is null, and increments the version otherwise. If two such statements run on one resume, the second gets
    no row, and its caller reads everything again.
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
    """Replace the summary of a locked root."""


@statement("DELETE FROM employability.resume WHERE cpf = :cpf")
async def delete_resume(connection: Connection, cpf: Cpf) -> int:
    """Delete the root with all rows that refer to it. Return 1 if the root existed, otherwise 0."""


@statement("SELECT count(*) FROM employability.resume")
async def count_resumes(connection: Connection) -> int: ...


# Every save and every application touches the root.
@statement("DELETE FROM employability.resume WHERE updated_at < now() - make_interval(months => :months)")
async def delete_untouched_resumes(connection: Connection, months: int) -> int:
    """Delete roots untouched for that long, with all rows that refer to them. Return the number of deleted roots."""


OFFERED = (
    delete_resume,
    touch_resume,
)
