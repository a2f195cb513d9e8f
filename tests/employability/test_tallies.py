"""After any writes, the tallies that lists use equal the real counts."""

import asyncio

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from balcao.core.values.cpf import Cpf
from bench.applications import City, fill, job_id
from tests.employability.tallies import list_wrong_tallies
from tests.support.fixture_types import Sql
from tests.support.proof_sizes import size

# These jobs are not drafts.
JOBS = st.integers(6, 9).map(job_id)
PEOPLE = [Cpf.with_stem(f"85{number:07d}").digits for number in range(6)]
STATUSES = ("candidatura_enviada", "aprovada", "reprovada", "vaga_congelada", "vaga_descontinuada", "retirada")


@pytest.fixture(scope="module")
def filled(database_url: str) -> str:
    """Insert many jobs and applications in bulk, as an import does."""

    async def prepare() -> None:
        connection = await asyncpg.connect(database_url)
        try:
            await fill(connection, City(jobs=20, people=40, crowd=10))
        finally:
            await connection.close()

    asyncio.run(prepare())
    return database_url


def some(text: str, *names: str) -> st.SearchStrategy[tuple[object, ...]]:
    """Return a strategy for the statement with random values for its parameters."""
    kinds = {
        "job": JOBS,
        "jobs": st.lists(JOBS, min_size=1, max_size=3, unique=True),
        "cpf": st.sampled_from(PEOPLE),
        "people": st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=4, unique=True),
        "status": st.sampled_from(STATUSES),
        "state": st.sampled_from(["publicado_ativo", "vaga_congelada", "vaga_descontinuada"]),
        "department": st.sampled_from(["71", "72", None]),
        "version": st.sampled_from(["1", "2"]),
        "flag": st.booleans(),
    }
    return st.tuples(st.just(text), *(kinds[name] for name in names))


STATEMENTS = st.one_of(
    some(
        "INSERT INTO employability.job (id, titulo, titulo_slug, descricao, id_contratante, id_regime_contratacao,"
        " id_modelo_trabalho, data_limite, publicado_em, criado_por, id_orgao_parceiro, status, deleted_at)"
        " SELECT gen_random_uuid(), titulo, titulo_slug, descricao, id_contratante, id_regime_contratacao,"
        " id_modelo_trabalho, data_limite, publicado_em, criado_por, $2, $3, CASE WHEN $4 THEN now() END"
        " FROM employability.job WHERE id = ANY ($1::uuid[])",
        "jobs",
        "department",
        "state",
        "flag",
    ),
    some(
        "INSERT INTO employability.application (id, cpf, id_vaga, status, origem)"
        " SELECT gen_random_uuid(), cpf, job, $3, 'cidadao' FROM unnest($1::text[]) AS cpf, unnest($2::uuid[]) AS job"
        " ON CONFLICT DO NOTHING",
        "people",
        "jobs",
        "status",
    ),
    some(
        "UPDATE employability.application SET status = $2 WHERE cpf = $1 AND status <> 'retirada'",
        "cpf",
        "status",
    ),
    some("UPDATE employability.application SET cpf = NULL WHERE cpf = $1 AND status = $2", "cpf", "status"),
    some("DELETE FROM employability.application WHERE cpf = $1 AND id_vaga = $2", "cpf", "job"),
    some(
        "UPDATE employability.job SET status = $2, deleted_at = CASE WHEN $3 THEN now() END WHERE id = $1",
        "job",
        "state",
        "flag",
    ),
    some("UPDATE employability.job SET id_orgao_parceiro = $2 WHERE id = ANY ($1::uuid[])", "jobs", "department"),
    some("INSERT INTO employability.resume (cpf) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING", "people"),
    some("DELETE FROM employability.resume WHERE cpf = ANY ($1::text[])", "people"),
    some(
        "INSERT INTO employability.terms_acceptance (cpf, version, aceito_em) SELECT unnest($1::text[]), $2, now()"
        " ON CONFLICT (cpf) DO UPDATE SET version = excluded.version",
        "people",
        "version",
    ),
    some("DELETE FROM employability.terms_acceptance WHERE cpf = $1", "cpf"),
)


@settings(max_examples=size(15, 500), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(statements=st.lists(STATEMENTS, min_size=1, max_size=12))
def test_whatever_is_written_the_tallies_are_what_counting_finds(
    filled: str, sql: Sql, statements: list[tuple[str, object]]
) -> None:
    for statement, *values in statements:
        sql(statement, *values)
    assert list_wrong_tallies(sql) == []


def test_a_tally_that_is_wrong_is_found(filled: str, sql: Sql) -> None:
    """The check finds wrong tallies. This proves that the other tests would notice one."""
    sql("UPDATE employability.application_tally SET aprovada = aprovada + 1 WHERE id_vaga = $1", job_id(2))
    sql("INSERT INTO employability.bank_tally VALUES ('3', '00', 1)")
    try:
        assert len(list_wrong_tallies(sql)) == 2
    finally:
        sql("UPDATE employability.application_tally SET aprovada = aprovada - 1 WHERE id_vaga = $1", job_id(2))
        sql("DELETE FROM employability.bank_tally WHERE version = '3'")


def test_a_save_that_changes_nothing_of_a_tally_does_not_lock_it(filled: str, sql: Sql) -> None:
    """A person who applies does not wait for the tally because of a concurrent save.

    Every save sets the department and the state, even to the same values.
    """
    save = """UPDATE employability.job SET titulo = 'Outra', status = status, id_orgao_parceiro = id_orgao_parceiro,
        deleted_at = deleted_at WHERE id = $1"""
    read = "SELECT xmin::text, xmax::text FROM employability.application_tally WHERE id_vaga = $1"
    before = sql(read, job_id(6))
    sql(save, job_id(6))
    assert sql(read, job_id(6)) == before


def test_whoever_gets_a_resume_and_accepts_the_terms_at_once_is_counted_once(filled: str, sql: Sql) -> None:
    """The second transaction must wait for the first, because it cannot see uncommitted rows."""
    cpf = Cpf.with_stem("860000001").digits
    accept = "INSERT INTO employability.terms_acceptance (cpf, version, aceito_em) VALUES ($1, '1', now())"

    async def race() -> None:
        first, second, watcher = [await asyncpg.connect(filled) for _ in range(3)]
        try:
            async with first.transaction():
                await first.execute("INSERT INTO employability.resume (cpf) VALUES ($1)", cpf)
                other = asyncio.create_task(second.execute(accept, cpf))
                while not await watcher.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
                    assert not other.done()
            await other
        finally:
            for connection in (first, second, watcher):
                await connection.close()

    asyncio.run(race())
    assert list_wrong_tallies(sql) == []


def test_concurrent_changes_of_the_same_jobs_are_all_added_up(filled: str, sql: Sql) -> None:
    """Connections write to the same jobs in different orders without a deadlock."""
    apply = """INSERT INTO employability.application (id, cpf, id_vaga, status, origem)
        SELECT gen_random_uuid(), $1, job, 'candidatura_enviada', 'equipe' FROM unnest($2::uuid[]) AS job"""
    change = "UPDATE employability.application SET status = $2 WHERE cpf = $1"

    async def write(number: int) -> None:
        connection = await asyncpg.connect(filled)
        cpf = Cpf.with_stem(f"87{number:07d}").digits
        jobs = [job_id((number * place) % 7 + 1) for place in range(1, 5)]
        try:
            await connection.execute(apply, cpf, list(dict.fromkeys(jobs)))
            for status in ("aprovada", "retirada") if number % 2 else ("reprovada",):
                await connection.execute(change, cpf, status)
        finally:
            await connection.close()

    async def run() -> None:
        await asyncio.gather(*(write(number) for number in range(size(16, 64))))

    asyncio.run(run())
    assert list_wrong_tallies(sql) == []
