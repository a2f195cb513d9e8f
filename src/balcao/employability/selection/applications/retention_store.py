"""SQL of the retention of applications."""

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement("SELECT count(*) FROM employability.application WHERE cpf IS NOT NULL")
async def count_named_applications(connection: Connection) -> int:
    """Return how many applications still say whose they are."""


# An erasure has cleared some of them already, and left the CPF with the decision.
# A job has ended when its limit passed, or before that when it was discontinued (and is so still) or deleted.
@statement("""
WITH ended AS (
    SELECT job.id FROM employability.job
    WHERE least(job.deleted_at, job.data_limite, (
        SELECT max(event.em) FROM employability.job_event AS event
        WHERE event.id_vaga = job.id AND job.status = 'vaga_descontinuada' AND event.para = job.status
    )) < now() - make_interval(months => :months)
), cleared AS (
    UPDATE employability.application SET cpf = NULL, nome = NULL, email = NULL, cleared_at = now()
    FROM ended WHERE application.id_vaga = ended.id AND application.cpf IS NOT NULL
    RETURNING application.id
), content AS (
    UPDATE employability.application_content SET respostas = '[]', curriculo_snapshot = NULL
    FROM cleared WHERE id_candidatura = cleared.id
), event AS (
    UPDATE employability.application_event SET motivo = NULL
    FROM cleared WHERE id_candidatura = cleared.id AND motivo IS NOT NULL
)
SELECT count(*) FROM cleared
""")
async def erase_ended_applications(connection: Connection, months: int) -> int:
    """Erase what applications hold of people, of jobs that ended that long ago; return how many.

    The rows stay for statistics. By the owner of the tables only.
    """
