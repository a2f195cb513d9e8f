"""SQL for the root of a resume."""

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf


@statement("""
INSERT INTO employability.resume (cpf) VALUES (:cpf)
ON CONFLICT (cpf) DO UPDATE SET updated_at = clock_timestamp(), row_version = resume.row_version + 1
""")
async def touch_resume(connection: Connection, cpf: Cpf) -> None:
    """Create the root or increment its version, and lock it until the transaction ends (rules: employability 5.2)."""


def claim_resume_sql(cpf: str, version: str, source: str) -> str:
    """Return three CTEs as SQL. `claimed` contains a row only if the resume has not changed since it was read.

    Use the CTEs in a statement that stores a decision based on the resume. For the row of `source`, they create the
    resume's root if `version` is null, and otherwise increment its version. If two such statements run for the same
    resume, the second gets no row, and its caller must read everything again.
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


# Every save and every application updates `updated_at` of the root.
@statement("DELETE FROM employability.resume WHERE updated_at < now() - make_interval(months => :months)")
async def delete_untouched_resumes(connection: Connection, months: int) -> int:
    """Delete the roots that were not updated for `months` months, with all rows that refer to them.

    Return the number of deleted roots.
    """


OFFERED = (
    delete_resume,
    touch_resume,
)
