"""SQL for job lists. A statement contains only the requested conditions, so each combination has its own plan."""

from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import Conditions, fetch_page, page_sql
from balcao.core.database.results import Json
from balcao.core.database.statements import statement
from balcao.core.values.page import Page
from balcao.employability.hiring.departments.scope import Scope
from balcao.employability.hiring.listings.schemas import Job, JobItem
from balcao.employability.hiring.listings.store import ITEM_SQL, JOINS_SQL, REACHED_SQL, SHOWN_SQL, whole_jobs_sql
from balcao.employability.hiring.search.schemas import (
    MOST_FACET_VALUES,
    JobCounts,
    JobFacetValue,
    JobFilters,
    JobOrder,
    find_since,
)


async def list_jobs_in_reach(
    connection: Connection, scope: Scope, filters: JobFilters, page: Page, now: datetime, zone: ZoneInfo
) -> tuple[list[JobItem], JobCounts]:
    """Return one page of the jobs within reach, newest first, and the number of jobs in each state.

    The numbers ignore the status filter.
    """
    departments = None if scope.departments is None else sorted(scope.departments)
    conditions = Conditions(now, departments, scope.author)
    conditions.add("job.deleted_at IS NULL")
    conditions.add(_number(REACHED_SQL, departments=2, author=3))
    _add_filters(conditions, filters, now, zone)
    counting = f"""
        SELECT coalesce(jsonb_object_agg(counted.shown, counted.number), '{{}}') FROM (
            SELECT {_number(SHOWN_SQL)} AS shown, count(*) AS number
            FROM employability.job WHERE {conditions} GROUP BY 1
        ) AS counted"""
    _add_status(conditions, filters)
    jobs, counts = await _fetch(connection, conditions, page, "job.created_at DESC", counting)
    return jobs, msgspec.json.decode(counts, type=JobCounts)


async def list_published_jobs(
    connection: Connection, filters: JobFilters, page: Page, now: datetime, zone: ZoneInfo
) -> tuple[list[JobItem], int]:
    """Return one page of published jobs in the order of the filters, and the total number of matches."""
    conditions = _match_published(filters, now, zone)
    counting = f"SELECT count(*) FROM employability.job WHERE {conditions}"
    return await _fetch(connection, conditions, page, _ORDERS[filters.order], counting)


async def count_facets(
    connection: Connection, filters: JobFilters, now: datetime, zone: ZoneInfo
) -> dict[str, list[JobFacetValue]]:
    """Return the most frequent values of each requested facet among the matching jobs."""
    conditions = _match_published(filters, now, zone)
    conditions.add(_number(":now::timestamptz IS NOT NULL"))  # a statement must use all its parameters
    counted = ", ".join(f"'{name}', {_FACETS[name]}" for name in filters.facets)
    statement = f"""
        WITH matched AS MATERIALIZED (
            SELECT wide.* FROM (
                SELECT job.id FROM employability.job WHERE {conditions}
                ORDER BY job.publicado_em DESC, job.id LIMIT {MOST_COUNTED}
            ) AS listed CROSS JOIN LATERAL (
                SELECT {_FACET_COLUMNS} FROM employability.job WHERE job.id = listed.id OFFSET 0
            ) AS wide
        )
        SELECT jsonb_build_object({counted})"""
    found = await connection.fetchval(statement, *conditions.values)
    return msgspec.json.decode(found, type=dict[str, list[JobFacetValue]])


def _match_published(filters: JobFilters, now: datetime, zone: ZoneInfo) -> Conditions:
    conditions = Conditions(now)
    conditions.add("job.deleted_at IS NULL")
    conditions.add("job.publicado_em IS NOT NULL")
    _add_filters(conditions, filters, now, zone)
    _add_status(conditions, filters)
    if filters.order is JobOrder.DEADLINE:
        # Without this condition, the list would start with jobs whose deadline passed long ago.
        conditions.add(_number("job.data_limite > :now"))
    return conditions


async def _fetch(
    connection: Connection, conditions: Conditions, page: Page, order: str, counting: str
) -> tuple[list[JobItem], Any]:
    """Return the page's jobs, and the result of `counting`, which uses only the first parameters of `conditions`."""
    end = len(conditions.values)
    # The inner query selects only the ids of the page. An index contains the sort column and most filter columns, so
    # PostgreSQL does not read the wide rows of jobs on other pages.
    listing = f"""
        SELECT to_jsonb(found) AS document FROM (
            SELECT {_number(ITEM_SQL)}
            FROM (
                SELECT job.id FROM employability.job WHERE {conditions}
                ORDER BY {order}, job.id LIMIT ${end + 1} OFFSET ${end + 2}
            ) AS listed JOIN employability.job ON job.id = listed.id {JOINS_SQL}
            ORDER BY {order}, job.id
        ) AS found"""
    rows, total = await fetch_page(connection, page_sql(listing, counting), *conditions.values, page.limit, page.offset)
    return [msgspec.json.decode(row["document"], type=JobItem) for row in rows], total


_IN_NAME = "{} LIKE ANY (ARRAY(SELECT employability.containing(part) FROM unnest({{}}::text[]) AS part))"
_IN_NEIGHBOURHOOD = _IN_NAME.format("job.bairro_folded")
_OF_COMPANY = f"""(job.id_contratante = ANY({{}}::text[]) OR EXISTS (
    SELECT FROM employability.company
    WHERE company.cnpj = job.id_contratante AND {_IN_NAME.format("company.search_text")}))"""


_ORDERS = {
    JobOrder.PUBLICATION: "job.publicado_em DESC",
    JobOrder.DEADLINE: "job.data_limite",
    JobOrder.SALARY: "job.valor_vaga DESC NULLS LAST",
}
# If the level is unknown, only jobs that require no level match.
_UP_TO_SCHOOLING = """(job.id_escolaridade_minima IS NULL OR job.id_escolaridade_minima IN (
    SELECT level.id FROM employability.reference_value AS level
    JOIN employability.reference_value AS reached ON reached.id = {} AND reached.kind = level.kind
    WHERE level.kind = 'escolaridades' AND level.posicao <= reached.posicao))"""
_OF_TRAINING = """job.areas_formacao_elegibilidade <> '{{}}'
    AND employability.folded_all(job.areas_formacao_elegibilidade) && employability.folded_all({}::text[])"""

# Counting facets reads wide rows, so only this number of the latest publications is counted. A city has fewer open
# jobs. In the statement, OFFSET 0 stops the planner from turning the LATERAL into a join that scans all jobs.
MOST_COUNTED = 2_000
_FACET_COLUMNS = """job.bairro, job.bairro_folded, job.id_regime_contratacao, job.id_modelo_trabalho,
    job.id_escolaridade_minima, job.areas_formacao_elegibilidade, job.acessibilidade_pcd"""


def _list_values(values: str) -> str:
    """Return an SQL expression for the most frequent of the counted values that a query returns."""
    return f"""(
        SELECT coalesce(jsonb_agg(to_jsonb(listed)), '[]') FROM (
            SELECT * FROM ({values}) AS counted ORDER BY total DESC, valor LIMIT {MOST_FACET_VALUES}
        ) AS listed)"""


def _count_texts(source: str, text: str, key: str) -> str:
    """Return an SQL expression that counts the spellings with the same key as one value."""
    return _list_values(f"SELECT min({text}) AS valor, NULL AS id, count(*) AS total {source} GROUP BY {key}")


def _count_references(column: str) -> str:
    return _list_values(f"""
        SELECT value.descricao AS valor, value.id, counted.total FROM (
            SELECT {column} AS id, count(*) AS total FROM matched WHERE {column} IS NOT NULL GROUP BY 1
        ) AS counted JOIN employability.reference_value AS value ON value.id = counted.id""")


_FACETS = {
    "bairro": _count_texts("FROM matched WHERE bairro IS NOT NULL", "bairro", "bairro_folded"),
    "regime_contratacao": _count_references("id_regime_contratacao"),
    "modelo_trabalho": _count_references("id_modelo_trabalho"),
    "escolaridade_minima": _count_references("id_escolaridade_minima"),
    "area_formacao": _count_texts(
        "FROM matched, unnest(areas_formacao_elegibilidade) AS area", "area", "employability.folded(area)"
    ),
    "acessibilidade_pcd": _count_texts(
        "FROM matched WHERE acessibilidade_pcd IS NOT NULL", "acessibilidade_pcd", "acessibilidade_pcd"
    ),
}


def _add_status(conditions: Conditions, filters: JobFilters) -> None:
    if filters.status is not None:
        conditions.add(f"{_number(SHOWN_SQL)} = {{}}", filters.status)


def _add_filters(conditions: Conditions, filters: JobFilters, now: datetime, zone: ZoneInfo) -> None:
    """Add every requested condition except the status."""
    if filters.companies or filters.company_names:
        conditions.add(_OF_COMPANY, filters.companies, filters.company_names)
    if filters.department is not None:
        conditions.add("job.id_orgao_parceiro = {}", filters.department)
    if filters.search is not None:
        conditions.add("job.titulo_folded LIKE employability.containing({})", filters.search)
    if filters.period is not None:
        conditions.add("job.publicado_em >= {}", find_since(filters.period, now, zone))
    if filters.contract_types:
        conditions.add("job.id_regime_contratacao = ANY({}::uuid[])", filters.contract_types)
    if filters.work_models:
        conditions.add("job.id_modelo_trabalho = ANY({}::uuid[])", filters.work_models)
    if filters.accessibility:
        conditions.add("job.acessibilidade_pcd = ANY({}::text[])", filters.accessibility)
    if filters.neighbourhoods:
        conditions.add(_IN_NEIGHBOURHOOD, filters.neighbourhoods)
    if filters.least_salary is not None:
        conditions.add("job.valor_vaga >= {}", filters.least_salary)
    if filters.most_salary is not None:
        conditions.add("job.valor_vaga <= {}", filters.most_salary)
    if filters.schooling is not None:
        conditions.add(_UP_TO_SCHOOLING, filters.schooling)
    if filters.training:
        conditions.add(_OF_TRAINING, filters.training)


def _number(text: str, **places: int) -> str:
    """Replace named parameters with their positions. `:now` is always the first parameter."""
    for name, place in {"now": 1, **places}.items():
        text = text.replace(f":{name}", f"${place}")
    return text


async def read_job_by_slug(connection: Connection, beginning: str, slug: str, now: datetime) -> Job | None:
    """Return the published job whose id starts with these twelve digits.

    If several jobs match, prefer the job with this slug.
    """
    return await _read_job_between(connection, UUID(f"{beginning:0<32}"), UUID(f"{beginning:f<32}"), slug, now)


@statement(f"""
{whole_jobs_sql("job.publicado_em IS NOT NULL AND job.id BETWEEN :lowest AND :highest")}
ORDER BY found.slug = :slug DESC, found.id LIMIT 1
""")
async def _read_job_between(
    connection: Connection, lowest: UUID, highest: UUID, slug: str, now: datetime
) -> Json[Job] | None: ...
