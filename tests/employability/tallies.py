"""Compares the service's stored tallies with the real counts."""

from typing import Any

from tests.support.fixture_types import Sql

STATUSES = ("candidatura_enviada", "aprovada", "reprovada", "vaga_congelada", "vaga_descontinuada")
_COUNTS = ", ".join(f"count(*) FILTER (WHERE application.status = '{status}')" for status in STATUSES)
_APPLICATIONS = f"""
SELECT coalesce(tally.id_vaga, counted.id) FROM employability.application_tally AS tally
FULL JOIN (
    SELECT job.id, job.id_orgao_parceiro,
        nullif(employability.shown_application_status('aprovada', job.status, job.deleted_at), 'aprovada') AS overlay,
        ARRAY[{_COUNTS}] AS numbers
    FROM employability.job LEFT JOIN employability.application ON application.id_vaga = job.id GROUP BY job.id
) AS counted ON counted.id = tally.id_vaga
WHERE (tally.department, tally.overlay, ARRAY[{", ".join(f"tally.{status}" for status in STATUSES)}]::bigint[])
    IS DISTINCT FROM (counted.id_orgao_parceiro, counted.overlay, counted.numbers)
"""
_BANK = """
SELECT version FROM (SELECT version, sum(number) AS number FROM employability.bank_tally GROUP BY 1) AS tally
FULL JOIN (
    SELECT version, count(*) AS number FROM employability.terms_acceptance JOIN employability.resume USING (cpf)
    GROUP BY 1
) AS counted USING (version)
WHERE coalesce(tally.number, 0) <> coalesce(counted.number, 0)
"""


def list_wrong_tallies(sql: Sql) -> list[Any]:
    """Return the jobs and the versions of the terms for which the tally differs from a real count."""
    return [row[0] for row in (*sql(_APPLICATIONS), *sql(_BANK))]
