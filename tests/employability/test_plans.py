"""Lists of jobs and applications use indexes on large tables, as the logged plans of the server's calls show."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import asyncpg
import httpx
import pytest

from balcao import app
from balcao.employability import SERVICE
from balcao.employability.reference_values.kinds import Kind, seed_value_id
from balcao.settings import Settings
from bench.applications import City, fill, job_id, person
from tests.employability.people import citizen, staff
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.proof_sizes import FULL, size
from tests.support.query_plans import PlanLog, explain_from_now, list_relations, list_whole_reads
from tests.support.server import RunningServer

CITY = City(jobs=size(2_000, 20_000), people=size(1_000, 200_000), crowd=size(500, 10_000))
# Large tables that no call may scan sequentially.
BIG = {"application", "application_content", "application_event", "application_block", "job", "job_step", "job_event"}
BIG |= {"job_question"}
if FULL:  # for a thousand narrow rows, PostgreSQL prefers a scan
    BIG |= {"resume", "terms_acceptance", "bank_person"}
E, P = "/jobs/api/v1/empregabilidade", "/jobs/api/public/empregabilidade"
FILTERS: tuple[dict[str, str], ...] = (
    {},
    {"page": "3", "pageSize": "50"},
    {"status": "publicado_ativo"},
    {"status": "publicado_expirado"},
    {"search": "enfermeira 1"},
    {"data_publicacao": "ultimo_mes"},
    {"bairro": "praia grande 17,ilha 3"},
    {"acessibilidade_pcd": "exclusivo_pcd"},
)
ORDERED: tuple[dict[str, str], ...] = (
    {"ordem": "prazo", "status": "publicado_ativo"},
    {"ordem": "salario", "page": "3"},
    {"salario_minimo": "2500", "salario_maximo": "2600"},
    {"id_escolaridade": str(seed_value_id(Kind.SCHOOLING, "Médio completo"))},
    {"area_formacao": "Nutrição", "ordem": "salario"},
    {"facetas": "bairro,modelo_trabalho,area_formacao", "status": "publicado_ativo"},
)
FIRST = person(0)
CANDIDATES: tuple[dict[str, str], ...] = (
    {},
    {"page": "20"},
    {"status": "aprovada"},
    {"status": "vaga_congelada"},
    {"status": "vaga_congelada", "page": "20"},
    {"status": "vaga_descontinuada", "page": "9"},
    {"cpf": FIRST},
    {"search": FIRST[:9]},
    {"search": "nogueira 77"},
    {"vagaId": job_id(1)},
    # For more than 35 rows of the small table, PostgreSQL prefers a scan unless the statement has a generic plan.
    {"vagaId": job_id(1), "status": "aprovada", "pageSize": str(size(20, 500))},
    {"etapa_id": "00000000-0000-4001-8000-000000000004"},
    {"vagaId": job_id(1), "id_info": "00000000-0000-4002-8000-000000000004", "resposta": "sim", "resposta_minima": "2"},
)
STAFF_CALLS = (
    *((f"{E}/vagas", query) for query in (*FILTERS, {"orgao_parceiro_id": "71"}, {"status": "em_edicao"})),
    (f"{E}/vagas/{job_id(1)}", {}),
    (f"{E}/vagas/{job_id(1)}/historico", {}),
    (f"{E}/vagas/{job_id(1)}/contagens", {}),
    (f"{E}/candidaturas/usuario/{FIRST}", {}),
    *((f"{E}/candidaturas", query) for query in CANDIDATES),
    *((f"{E}/candidatura-bloqueios", query) for query in ({}, {"cpf": FIRST}, {"id_vaga": job_id(1)})),
    *((f"{E}/banco-curriculos", query) for query in ({}, {"page": "9"}, {"search": "nogueira 77"})),
)
PUBLIC_CALLS = (
    *((f"{P}/vagas", query) for query in (*FILTERS, {"contratante": "casa 1"}, *ORDERED)),
    (f"{P}/vagas/{job_id(1)}", {}),
)
OWN_CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    (f"{E}/candidaturas/usuario/{FIRST}", {}),
    (f"{E}/candidaturas/usuario/{FIRST}", {"status": "aprovada"}),
    (f"{E}/candidaturas/usuario/{FIRST}", {"vagaId": job_id(1)}),
    (f"{E}/curriculo/{FIRST}", {}),
)


@pytest.fixture(scope="module")
def plans(database_url: str) -> PlanLog:
    """Fill the database with a city's jobs and applications, and start logging the plans."""

    async def prepare() -> PlanLog:
        connection = await asyncpg.connect(database_url)
        try:
            await fill(connection, CITY)
            return await explain_from_now(connection)
        finally:
            await connection.close()

    return asyncio.run(prepare())


@pytest.fixture(scope="module")
def server(plans: PlanLog, settings: Settings, database_url: str) -> Iterator[RunningServer]:
    """Yield a server that connects after the logging has started."""
    with RunningServer(app.build_application(settings, database_url, [SERVICE.name])) as running:
        yield running


@pytest.fixture
def call(http: httpx.Client, issuer: Issuer) -> Callable[[], None]:
    """Return a function that makes every call often enough for both custom and generic plans."""

    def run() -> None:
        for _ in range(7):
            for calls, headers in (
                (STAFF_CALLS, staff(issuer)),
                (OWN_CALLS, citizen(issuer, FIRST)),
                (PUBLIC_CALLS, {}),
            ):
                for path, query in calls:
                    answer = http.get(path, params=query, headers=headers)
                    assert answer.status_code == 200, (path, query, answer.text)

    return run


@pytest.mark.long
def test_no_list_filter_or_count_reads_a_big_table_from_end_to_end(plans: PlanLog, call: Callable[[], None]) -> None:
    call()
    found = plans.read()
    assert {"application", "application_content", "job"} <= list_relations(found)
    assert list_whole_reads(found, BIG) == []


def test_without_its_index_a_list_is_read_from_end_to_end(
    plans: PlanLog, http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    """Without the index, the check fails. This proves that the other tests would notice a full scan."""
    indexes: list[Any] = sql(
        "SELECT indexdef, indexname FROM pg_indexes WHERE tablename = 'application' AND indexname LIKE '%_person'"
        " OR tablename = 'application' AND indexname LIKE '%_live'"
    )
    for row in indexes:
        sql(f"DROP INDEX employability.{row['indexname']}")
    try:
        before = len(plans.read())
        http.get(OWN_CALLS[0][0], headers=citizen(issuer, FIRST)).raise_for_status()
        assert {table for table, _ in list_whole_reads(plans.read()[before:], BIG)} == {"application"}
    finally:
        for row in indexes:
            sql(row["indexdef"])
