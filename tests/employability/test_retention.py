"""The retention periods of the employability service's personal data (rules: employability 5.4)."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from balcao.core.audit import retention
from balcao.employability import SERVICE
from balcao.employability.companies.imports import IMPORTS as COMPANIES
from balcao.employability.hiring.transfer.feature import IMPORTS as JOBS
from balcao.employability.selection.emails.kinds import JOB
from balcao.settings import Settings
from tests.employability.hiring.job_bodies import COMPANY, describe_job
from tests.registry.import_rows import load
from tests.support.demo_people import ANA, BRUNO
from tests.support.fixture_types import Sql
from tests.support.operator_calls import acting

Sweep = Callable[..., dict[str, tuple[int, int]]]
APPLICATION = """
SELECT application.cpf, nome, email, respostas::text, curriculo_snapshot::text, motivo, status
FROM employability.application
JOIN employability.application_content ON id_candidatura = application.id
JOIN employability.application_event AS event ON event.id_candidatura = application.id
WHERE id_vaga = $1
"""
WHOLE = (ANA, "Ana", "ana@pessoa.example", '["x"]', "{}", "Não veio", "reprovada")
CLEARED = (None, None, None, "[]", None, None, "reprovada")


@pytest.fixture
def sweep(settings: Settings, database_url: str) -> Sweep:
    """Return a function that runs the service's retention. It returns the checked and removed rows by kind."""

    def run(*, dry_run: bool = False, **changed: int) -> dict[str, tuple[int, int]]:
        with acting(settings.model_copy(update=changed), database_url, retention.OPERATION) as act:
            reports = act(lambda call: retention.run_retention(call, SERVICE.retention, dry_run=dry_run))
        return {one.kind: (one.checked, one.removed) for one in reports}

    return run


@pytest.fixture
def job(database_url: str, sql: Sql) -> Callable[..., str]:
    """Return a function that creates a job with an application.

    The job's deadline was `limit` months ago. `changes` are SQL expressions by column.
    """
    sql("TRUNCATE employability.job CASCADE")
    load(database_url, COMPANIES[0], {"cnpj": COMPANY, "razao_social": "Aurora"})

    def make(limit: int, status: str = "publicado_ativo", **changes: str) -> str:
        id_ = str(uuid4())
        load(database_url, JOBS[0], describe_job(id=id_, status=status))
        sql("UPDATE employability.job SET data_limite = now() - make_interval(months => $2) WHERE id = $1", id_, limit)
        for column, expression in changes.items():
            sql(f"UPDATE employability.job SET {column} = {expression} WHERE id = $1", id_)
        number = str(uuid4())
        sql(
            """INSERT INTO employability.application (id, cpf, nome, email, id_vaga, status, origem)
               VALUES ($1, $2, 'Ana', 'ana@pessoa.example', $3, 'reprovada', 'cidadao')""",
            number,
            ANA,
            id_,
        )
        sql("INSERT INTO employability.application_content VALUES ($1, '[\"x\"]', '{}')", number)
        sql(
            """INSERT INTO employability.application_event (id_candidatura, evento, para, motivo)
               VALUES ($1, 'reject', 'reprovada', 'Não veio')""",
            number,
        )
        return id_

    return make


def read(sql: Sql, id_: str) -> tuple[Any, ...]:
    [row] = sql(APPLICATION, id_)
    return tuple(row)


def test_applications_lose_their_person_24_months_after_the_jobs_end(
    job: Callable[..., str], sweep: Sweep, sql: Sql
) -> None:
    expired, deleted = job(25), job(-1, deleted_at="now() - interval '25 months'")
    recent, open_ = job(23), job(-1)
    closed, reopened = (job(-1, status) for status in ("vaga_descontinuada", "publicado_ativo"))
    for id_ in (closed, reopened):
        sql(
            """INSERT INTO employability.job_event (id_vaga, evento, para, em, por)
               VALUES ($1, 'discontinue', 'vaga_descontinuada', now() - interval '25 months', 'x')""",
            id_,
        )
    sql("DELETE FROM employability.job_event WHERE evento = 'import'")
    assert sweep(dry_run=True)["job_application"] == (6, 3)
    assert [read(sql, id_) for id_ in (expired, deleted, closed)] == [WHOLE] * 3
    assert sweep()["job_application"] == (6, 3)
    assert [read(sql, id_) for id_ in (expired, deleted, closed)] == [CLEARED] * 3
    assert [read(sql, id_) for id_ in (recent, open_, reopened)] == [WHOLE] * 3
    assert sweep()["job_application"] == (3, 0)
    assert sweep(jobs_application_months=22)["job_application"] == (3, 1)
    assert read(sql, recent) == CLEARED


def test_what_an_erasure_left_of_a_decided_application_goes_too(
    job: Callable[..., str], sweep: Sweep, sql: Sql
) -> None:
    id_ = job(25)
    sql("UPDATE employability.application SET nome = NULL, cleared_at = now() - interval '1 year'")
    assert sweep()["job_application"] == (1, 1)
    assert read(sql, id_) == CLEARED


def test_a_resume_goes_five_years_after_the_last_save(sweep: Sweep, sql: Sql) -> None:
    sql("DELETE FROM employability.resume")
    for cpf, months in ((ANA, 61), (BRUNO, 59)):
        sql(
            "INSERT INTO employability.resume (cpf, updated_at) VALUES ($1, now() - make_interval(months => $2))",
            cpf,
            months,
        )
    assert sweep()["resume"] == (2, 1)
    assert [row["cpf"] for row in sql("SELECT cpf FROM employability.resume")] == [BRUNO]


def test_the_log_of_emails_goes_after_thirty_days(sweep: Sweep, sql: Sql) -> None:
    sql("DELETE FROM queue.pgqueuer_log")
    for kind, days in ((JOB, 31), (JOB, 29), ("other", 31)):
        sql(
            """INSERT INTO queue.pgqueuer_log (job_id, status, entrypoint, priority, created)
               VALUES (1, 'successful', $1, 0, now() - make_interval(days => $2))""",
            kind,
            days,
        )
    assert sweep()["application_email"] == (2, 1)
    assert {row["entrypoint"] for row in sql("SELECT entrypoint FROM queue.pgqueuer_log")} == {JOB, "other"}


def test_refused_attempts_go_after_a_year_and_copies_with_the_last_application(
    job: Callable[..., str], sweep: Sweep, sql: Sql
) -> None:
    id_ = job(-1)
    for cpf, months in ((ANA, 13), (BRUNO, 11)):
        sql(
            """INSERT INTO employability.application_block (id, cpf, id_vaga, dia, criterios_nao_atendidos, created_at)
               VALUES (gen_random_uuid(), $1, $2, current_date, '{termos_uso}', now() - make_interval(months => $3))""",
            cpf,
            id_,
            months,
        )
        sql("INSERT INTO employability.candidate (cpf, record) VALUES ($1, '{}')", cpf)
    found = sweep()
    assert (found["application_block"], found["candidate_copy"]) == ((2, 1), (2, 1))
    assert [row["cpf"] for row in sql("SELECT cpf FROM employability.application_block")] == [BRUNO]
    assert [row["cpf"] for row in sql("SELECT cpf FROM employability.candidate")] == [ANA]
